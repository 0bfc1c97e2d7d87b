"""The person browser's data: refused people, their advice and who keeps it, as compact JSON."""

import json
import re
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from standfast.figures.reading import ordered
from standfast.report.scenes import TWIN, Scene, Tables, scenes

_UNSEEN = re.compile(
    r"\\u(?:00(?!09|0a|0d)[01][0-9a-f]|00[89][0-9a-f]|007f|202[a-e]|206[6-9]|fff[ef])"
)
MOST = 200  # people per scene; the tables hold everybody
Places = list[float | int | str | None]


def people_json(tables: Tables, colours: Mapping[str, str]) -> str:
    """Everything the browser shows, safe to stand inside a script element."""
    everything = {"colours": dict(colours), "scenes": [_scene(tables, s) for s in scenes(tables)]}
    text = json.dumps(everything, allow_nan=False, separators=(",", ":"))
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
        own[own["person"].isin(some)]
        for name in ("advice", "values", "verdicts")
        for own in [scene.of(tables[name]).astype({"person": str})]
    )
    features = list(dict.fromkeys(values["feature"]))
    words = scene.of(tables["semantics"]).drop_duplicates("feature").set_index("feature")["label"]
    rivals = list(dict.fromkeys(verdicts["rival"]))
    own, ranks = (_places(values, features, column) for column in ("value", "percentile"))
    judged = _judged(verdicts, rivals)
    rows = {(row["method"], row["person"]): row for row in advice.to_dict("records")}
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
                "ranks": ranks.get(("", person), []),
                "advice": [
                    _advice(rows[m, person], judged.get((m, person), ""))
                    | _sent(rows[m, person], own.get((m, person)), ranks.get((m, person)))
                    for m in methods
                    if (m, person) in rows
                ],
            }
            for person in some
        ],
    }


def _places(values: pd.DataFrame, features: list[str], column: str) -> dict[Hashable, Places]:
    """Where each method sends each person, input by input: values, or how many stand below."""
    wide = _wide(values, "feature", column).reindex(columns=features)
    return {
        key: [_plain(v) for v in row] for key, row in zip(wide.index, wide.to_numpy(), strict=True)
    }


def _judged(verdicts: pd.DataFrame, rivals: list[str]) -> dict[Hashable, str]:
    """One character per rival: 1 keeps the promise, 0 does not, a blank does not say."""
    signs = verdicts.assign(sign=np.where(verdicts["kept"].astype(bool), "1", "0"))
    wide = _wide(signs, "rival", "sign").reindex(columns=rivals).fillna(" ")
    return {key: "".join(row) for key, row in zip(wide.index, wide.to_numpy(), strict=True)}


def _wide(table: pd.DataFrame, columns: str, values: str) -> pd.DataFrame:
    """One row per method and person."""
    index = ["method", "person"]
    return table.pivot_table(index=index, columns=columns, values=values, aggfunc="first")


def _sent(
    row: Mapping[Hashable, Any], place: Places | None, rank: Places | None
) -> dict[str, object]:
    return {"values": place or [], "ranks": rank or []} if row["found"] else {}


def _advice(row: Mapping[Hashable, Any], judged: str) -> dict[str, object]:
    about: dict[str, object] = {name: str(row[name]) for name in ("method", "outcome", "sentence")}
    about["found"] = bool(row["found"])
    if row["found"]:
        about |= {name: _plain(row[name]) for name in ("total", "max", "kept")}
        about["judged"] = judged
    return about


def _plain(given: Any) -> float | int | str | None:
    if isinstance(given, str):
        return given
    size = float("nan") if pd.isna(given) else float(given)
    if not np.isfinite(size):
        return None
    return int(size) if size == int(size) and abs(size) < 1e15 else size
