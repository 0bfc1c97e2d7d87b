"""A gate's report as files: a page for people, JSON for programs, JUnit XML for build servers."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from standfast.errors import InputError
from standfast.files import visible, write_whole
from standfast.promises.gate.page import page
from standfast.promises.verdict import Verdict

if TYPE_CHECKING:
    from standfast.promises.gate.report import GateReport

FILES = ("gate.html", "gate.json", "gate.junit.xml")


def write(report: "GateReport", folder: Path | str) -> None:
    """Write all three files, each as a whole."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder '{place}': {error.strerror or error}") from error
    texts = (page(report), as_json(report), junit(report))
    for name, text in zip(FILES, texts, strict=True):
        write_whole(place / name, lambda file, text=text: file.write_text(text, "utf-8"))  # type: ignore[misc]


def as_json(report: "GateReport") -> str:
    """The report as JSON text."""
    return json.dumps(as_plain(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_plain(report: "GateReport") -> dict[str, Any]:
    """Everything but the single promises, as plain values."""
    found = {
        "verdict": "passed" if report.passed else "held back",
        "passed": report.passed,
        "sentence": report.sentence,
        "on": report.on.isoformat(),
        "promises": {
            "open": report.n,
            **{v.name.lower(): report.count(v) for v in Verdict},
            "undecided": report.undecided,
            "void": int(report.promises["void"].sum()),
            "honoured": int(report.promises["honoured"].sum()),
        },
        "conditions": [
            {"condition": str(met.condition), "value": met.value, "holds": met.holds}
            | {"lower": met.number.lower, "upper": met.number.upper}
            for met in report.conditions
        ],
        "numbers": {name: asdict(number) for name, number in report.numbers.items()},
        "causes": list(report.causes),
        "swap": None if report.swap is None else asdict(report.swap),
        "provenance": dict(report.provenance),
        "root": report.root,
    }
    tables = {
        name: getattr(report, name)
        for name in ("inputs", "methods", "segments", "certified", "repairs")
    }
    tables["expiring"] = report.expiring(600)
    for name, frame in tables.items():
        found[name] = None if frame is None else frame.to_dict("records")
    return dict(plain(found))


def plain(value: Any) -> Any:
    """What JSON can hold: no number that is none."""
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return visible(value) if isinstance(value, str) else value
    return None if pd.isna(value) else str(value)


def junit(report: "GateReport") -> str:
    """A test case per condition: build servers show them, and which of them fail."""
    failed = sum(not met.holds for met in report.conditions)
    suite = ElementTree.Element(
        "testsuite",
        name=visible(f"gate of promises: {report.provenance['candidate']}"),
        tests=str(len(report.conditions)),
        failures=str(failed),
        errors="0",
        timestamp=report.on.strftime("%Y-%m-%dT%H:%M:%S"),
    )
    for met in report.conditions:
        case = ElementTree.SubElement(
            suite, "testcase", classname="standfast.gate", name=str(met.condition)
        )
        if not met.holds:
            text = f"{met.condition.quantity} is {met.value:.6g}"
            ElementTree.SubElement(case, "failure", message=text).text = report.sentence
    ElementTree.SubElement(suite, "system-out").text = visible(report.sentence)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
