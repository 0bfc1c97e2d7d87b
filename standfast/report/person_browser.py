"""The person browser's data: refused people, their advice and who keeps it, as compact JSON."""

import json
import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from standfast.figures.reading import ordered
from standfast.report.scenes import TWIN, Scene, Tables, scenes

_UNSEEN = re.compile(
    r"\\u(?:00(?!09|0a|0d)[01][0-9a-f]|00[89][0-9a-f]|007f|202[a-e]|206[6-9]|fff[ef])"
)
MOST = 200  # people per scene; the tables hold everybody


def people_json(tables: Tables, colours: Mapping[str, str]) -> str:
    """Everything the browser shows, safe to stand inside a script element."""
    told = [_scene(tables, scene) for scene in scenes(tables)]
    text = json.dumps(
        {"colours": dict(colours), "scenes": told}, allow_nan=False, separators=(",", ":")
    )
    # json writes such characters as \\u00.. and \\ud8..: the page shows a sign for each
    text = _UNSEEN.sub(r"\\ufffd", text)
    # no '<' may stand in a script element: a feature may be called </script>
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def shown(tables: Tables) -> list[tuple[str, int, int]]:
    """Of each scene: its name, how many people the browser shows, and how many there are."""
    return [
        (scene.label, min(n, MOST), n)
        for scene in scenes(tables)
        for n in [len(people(tables, scene))]
    ]


def people(tables: Tables, scene: Scene) -> list[str]:
    """Everybody who was asked about in a scene."""
    return list(dict.fromkeys(scene.of(tables["advice"])["person"].astype(str)))


def _scene(tables: Tables, scene: Scene) -> dict[str, object]:
    some = people(tables, scene)[:MOST]
    advice, values, verdicts = (
        _ofpeople(scene.of(tables[name]), some) for name in ("advice", "values", "verdicts")
    )
    features = list(dict.fromkeys(values["feature"]))
    words = scene.of(tables["semantics"]).drop_duplicates("feature").set_index("feature")["label"]
    rivals = list(dict.fromkeys(verdicts["rival"]))
    own = _places(values, features)
    judged = _judged(verdicts, rivals)
    rows = {(row["method"], str(row["person"])): row for row in advice.to_dict("records")}
    methods = ordered(advice["method"])
    return {
        "slug": scene.slug,
        "label": scene.label,
        "note": TWIN if scene.twin else "",
        "features": features,
        "words": [str(words.get(feature, "")) for feature in features],
        "rivals": rivals,
        "rivalCount": scene.rivals,
        "people": [
            {
                "person": person,
                "values": own.get(("", person), []),
                "advice": [
                    _advice(rows[m, person], own.get((m, person)), judged.get((m, person), ""))
                    for m in methods
                    if (m, person) in rows
                ],
            }
            for person in some
        ],
    }


def _ofpeople(table: pd.DataFrame, some: list[str]) -> pd.DataFrame:
    return table[table["person"].astype(str).isin(some)]


def _places(values: pd.DataFrame, features: list[str]) -> dict[tuple[str, str], list[float | None]]:
    """Where each method sends each person, input by input."""
    wide = values.assign(person=values["person"].astype(str)).pivot_table(
        index=["method", "person"], columns="feature", values="value", aggfunc="first"
    )
    if wide.empty:
        return {}
    wide = wide.reindex(columns=features)
    return {
        (str(method), str(person)): [_plain(v) for v in row]
        for (method, person), row in zip(wide.index, wide.to_numpy(dtype=float), strict=True)
    }


def _judged(verdicts: pd.DataFrame, rivals: list[str]) -> dict[tuple[str, str], str]:
    """One character per rival: 1 keeps the promise, 0 does not, a blank does not say."""
    place = {rival: k for k, rival in enumerate(rivals)}
    told: dict[tuple[str, str], list[str]] = {}
    columns = (verdicts[c] for c in ("method", "person", "rival", "kept"))
    for method, person, rival, kept in zip(*columns, strict=True):
        signs = told.setdefault((str(method), str(person)), [" "] * len(rivals))
        signs[place[rival]] = "1" if kept else "0"
    return {key: "".join(signs) for key, signs in told.items()}


def _advice(
    row: Mapping[object, object], place: list[float | None] | None, judged: str
) -> dict[str, object]:
    found = bool(row["found"])
    about: dict[str, object] = {
        "method": str(row["method"]),
        "outcome": str(row["outcome"]),
        "found": found,
        "sentence": str(row["sentence"]),
    }
    if found:
        about |= {
            "total": _plain(row["total"]),
            "max": _plain(row["max"]),
            "kept": _plain(row["kept"]),
            "values": place or [],
            "judged": judged,
        }
    return about


def _plain(given: object) -> float | int | None:
    size = float("nan") if given is None or pd.isna(given) else float(str(given))  # type: ignore[call-overload]
    if not np.isfinite(size):
        return None
    return int(size) if size == int(size) and abs(size) < 1e15 else size
