"""A gate's report as one page for people: verdict first, then everything behind it."""

import math
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pandas as pd

from standfast.files import visible
from standfast.promises.gate.condition import SHARES, SWAPS, Met, Number
from standfast.promises.gate.curve import curves
from standfast.promises.verdict import Verdict

if TYPE_CHECKING:
    from standfast.promises.gate.report import GateReport

TEMPLATES = Path(__file__).parent / "templates"
SHOWN = 25  # rows of a table on the page
LETTERS = {Verdict.KEPT: "k", Verdict.AT_RISK: "r", Verdict.BROKEN: "b"}
COLOURS = {Verdict.KEPT: "kept", Verdict.AT_RISK: "risk", Verdict.BROKEN: "broken"}


def page(report: "GateReport") -> str:
    """The report as one page that needs nothing else: no scripts, no other files."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("gate.html").render(**_content(report))


def _content(report: "GateReport") -> dict[str, Any]:
    """What the template prints, in words."""
    about = {name: visible(str(value)) for name, value in report.provenance.items()}
    undecided, void = report.undecided, int(report.promises["void"].sum())
    broken = report.promises["verdict"] == Verdict.BROKEN
    honoured = int((broken & report.promises["honoured"]).sum())
    return {
        "passed": report.passed,
        "sentence": report.sentence,
        "on": report.on.strftime("%Y-%m-%d %H:%M UTC"),
        "about": about,
        "confidence": _percent(float(about["confidence"])),
        "conditions": [_condition(met) for met in report.conditions],
        "n": report.n,
        "n_text": f"{report.n:,}",
        "verdicts": [_verdict(report, verdict) for verdict in Verdict],
        "undecided": f" ({undecided:,} could not be decided)" if undecided else "",
        "void": f" ({void:,} of them with all of their box, proven)" if void else "",
        "honoured": f"; {honoured:,} are honoured by exception" if honoured else "",
        "causes": report.causes,
        "expiring": _table(report.expiring()) if len(report.expiring()) else None,
        "segment_note": "By the value people had when they were advised."
        if report.provenance["segment_is_input"]
        else "By a column of the table that was given, which is not an input.",
        "segments": _shares(report.segments, "segment"),
        "methods": _shares(report.methods, "method") if len(report.methods) > 1 else None,
        "certified": report.certified is not None,
        "certified_sentences": certified_sentences(report.certified),
        "inputs": _inputs(report.inputs),
        "swap": _swap(report),
        "repairs": _repairs(report.repairs),
        "curves": [] if report.repairs is None else curves(report.repairs),
        "provenance": _provenance(report, about),
    }


def certified_sentences(frame: pd.DataFrame | None) -> list[str]:
    """Per method: certified ≥ 92 %, kept 95 %."""
    if frame is None:
        return []
    return [
        f"{row['method'] or 'unnamed method'}, {row['promises']:,} promises: certified ≥ "
        f"{_percent(row['certified'])}"
        f"{_confidence(row['confidence'])} on "
        f"average; this candidate accepts the advice of {_percent(row['accepted'])} "
        f"({_percent(row['accepted_lower'])} to {_percent(row['accepted_upper'])}) and keeps "
        f"{_percent(row['kept'])} in full."
        for row in frame.to_dict("records")
    ]


def _confidence(value: float) -> str:
    return "" if math.isnan(value) else f" at {_percent(value)} confidence"


def _verdict(report: "GateReport", verdict: Verdict) -> dict[str, Any]:
    count, number = report.count(verdict), report.numbers[verdict.name.lower()]
    return {
        "words": verdict.words,
        "count": count,
        "letter": LETTERS[verdict],
        "colour": COLOURS[verdict],
        "width": f"{100 * count / max(report.n, 1):.4f}",
        "share": _percent(number.value),
        "text": f"{count:,} promises, {_interval(number)}",
    }


def _condition(met: Met) -> dict[str, Any]:
    share = met.condition.name in (*SHARES, *SWAPS)
    known = not math.isnan(met.value)
    shown = (_percent(met.value) if share else f"{met.value:.4g}") if known else "nothing to judge"
    interval = _interval(met.number) if share and known else ""
    one = met.condition
    return {
        "text": str(one),
        "words": one.words,
        "value": shown,
        "interval": interval,
        "holds": met.holds,
    }


def _is_known(value: object) -> TypeGuard[float]:
    return isinstance(value, float | int) and not math.isnan(value)


def _number(value: object, form: str = ".4f") -> str:
    return format(value, form).replace("-", "−") if _is_known(value) else "–"


def _percent(value: object) -> str:
    """A share with as many decimals as distinguish it from 0 and from 1."""
    if not _is_known(value):
        return "–"
    decimals = 1 if value in (0.0, 1.0) or 0.001 <= value <= 0.999 else 3
    text = f"{100 * value:.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def _interval(number: Number) -> str:
    return f"{_percent(number.lower)} to {_percent(number.upper)}"


def _table(frame: pd.DataFrame) -> dict[str, Any]:
    """A frame as cells to print; empty columns are left out."""
    shown = frame.dropna(axis=1, how="all")
    texts = [i for i, name in enumerate(shown.columns) if not _is_numeric(shown[name])]
    rows = [[_cell(value) for value in row] for row in shown.head(SHOWN).itertuples(index=False)]
    names = [visible(str(name).replace("_", " ")) for name in shown.columns]
    return {"columns": names, "rows": rows, "texts": texts, "left_out": max(0, len(shown) - SHOWN)}


def _is_numeric(column: "pd.Series[Any]") -> bool:
    """Whether a column holds numbers, or texts that are numbers with a sign or a unit."""
    if pd.api.types.is_numeric_dtype(column):
        return True
    return all(str(value).endswith(("%", "–", "pp")) or _is_signed(value) for value in column)


def _is_signed(value: object) -> bool:
    return str(value)[:1] in ("+", "−")


def _cell(value: Any) -> str:
    if isinstance(value, float | np.floating):
        if math.isnan(value):
            return "–"
        return f"{int(value):,}" if float(value).is_integer() else f"{float(value):.3g}"
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return f"{int(value):,}"
    return "–" if value is None or value is pd.NaT else visible(str(value))


def _shares(frame: pd.DataFrame | None, name: str) -> dict[str, Any] | None:
    """Counts per group, and the kept share with its interval."""
    if frame is None or not len(frame):
        return None
    ends = zip(frame["kept_lower"], frame["kept_upper"], strict=True)
    return _table(
        pd.DataFrame(
            {
                name: [text or "unnamed" for text in frame[name].astype(str)],
                **{column: frame[column] for column in ("promises", "kept", "at_risk", "broken")},
                "kept share": [_percent(value) for value in frame["kept_share"]],
                "its interval": [f"{_percent(a)} to {_percent(b)}" for a, b in ends],
            }
        )
    )


def _inputs(frame: pd.DataFrame) -> dict[str, Any] | None:
    changed = frame[frame["changed"] > 0] if len(frame) else frame
    if not len(changed):
        return None
    return _table(
        pd.DataFrame(
            {
                "input": changed["input"],
                "advice changes it": changed["changed"],
                "not kept, changed": [_percent(v) for v in changed["not_kept_if_changed"]],
                "not kept, left": [_percent(v) for v in changed["not_kept_if_left"]],
                "differs in refused points": changed["evidence"],
            }
        )
    )


def _repairs(frame: pd.DataFrame | None) -> dict[str, Any] | None:
    """What each way to make broken promises good costs; a table of one's own as it is."""
    if frame is None or not len(frame):
        return None
    if not {"way", "start", "under", "broken", "repaired", "mean_cost"} <= set(frame.columns):
        return _table(frame)
    rows = frame.to_dict("records")
    shown: dict[str, list[Any]] = {
        "way": [_way(row) for row in rows],
        "of broken": frame["broken"].tolist(),
        "made good": frame["repaired"].tolist(),
        "cost to people": frame["mean_cost"].tolist(),
        "impossible": [_percent(row.get("impossible")) for row in rows],
        "risk": [_percent(row.get("mean_risk")) for row in rows],
        "kept of all": [_percent(row.get("kept")) for row in rows],
        "others accepted": [
            _number(row.get("accepted_change"), "+.1%").replace("%", " pp") for row in rows
        ],
        "newly accepted": [_percent(row.get("newly_accepted")) for row in rows],
        "newly refused": [_percent(row.get("newly_refused")) for row in rows],
        "AUC": [_number(row.get("auc_change"), "+.4f") for row in rows],
    }
    known = {name: cells for name, cells in shown.items() if set(cells) != {"–"}}
    return _table(pd.DataFrame(known))


def _way(row: Mapping[Hashable, Any]) -> str:
    if row["way"] == "retrain":
        asked = row.get("keep", math.nan)
        if not math.isnan(asked):
            return f"retrain, asked to keep {_percent(asked)} (by {row['under']})"
        return {"ordinary": "fitted again, without promises"}.get(
            row["under"], f"the same with {row['under']}"
        )
    start = {"advice": " from where people were sent", "factual": " from where they stood"}
    under = {"g": ", candidate accepts", "f and g": ", champion and candidate accept"}
    return f"{row['way']}{start.get(row['start'], '')}{under.get(row['under'], '')}"


def _swap(report: "GateReport") -> dict[str, Any] | None:
    swap = report.swap
    if swap is None:
        return None
    facts: list[tuple[str, str]] = [("people", f"{swap.people:,}")]
    facts.append(("AUC of the candidate", _number(swap.auc)))
    if swap.champion:
        facts.append(("AUC of the champion", _number(swap.champion_auc)))
        note = "" if swap.comparable else " (the two scores are not both probabilities)"
        facts.append(("PSI of the scores", f"{_number(swap.psi)}{note}"))
    cells: Sequence[Sequence[int]] = (
        (swap.both, swap.newly_refused),
        (swap.newly_accepted, swap.neither),
    )
    rows = [
        [f"champion {word}", *(f"{c:,} ({_percent(c / swap.people)})" for c in row)]
        for word, row in zip(("accepts", "refuses"), cells, strict=True)
    ]
    columns = ["", "candidate accepts", "candidate refuses"]
    matrix = {"columns": columns, "rows": rows, "texts": [0], "left_out": 0}
    return {"champion": bool(swap.champion), "matrix": matrix, "facts": facts}


def _provenance(report: "GateReport", about: dict[str, str]) -> list[tuple[str, str]]:
    """The lines of the page's last table; what is not known is left out."""
    names = {
        "candidate": "candidate",
        "address": "address",
        "candidate_fingerprint": "fingerprint",
        "champion_fingerprint": "champion's fingerprint",
        "schema_fingerprint": "schema's fingerprint",
        "people": "people",
        "approver": "approver",
        "nodes": "nodes per branch and bound, at most",
        "seeds": "seeds",
    }
    lines = [(words, about[name]) for name, words in names.items() if about[name]]
    if report.root:
        lines.append(("Merkle root of the ledger", report.root))
    return lines
