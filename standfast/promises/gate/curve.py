"""What keeping more promises by retraining costs others, as a picture on the gate's page."""

import math
from typing import Any

import pandas as pd

WIDTH, HEIGHT = 420.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 14.0, 12.0, 34.0
TICKS = 4


def curves(repairs: pd.DataFrame) -> list[dict[str, Any]]:
    """Two panels over the share of promises kept: decisions that change, and the AUC's change.

    Marks are models: those asked for a share are joined, the ordinary fits stand alone.
    """
    if not {"way", "under", "keep", "kept", "newly_accepted"} <= set(repairs.columns):
        return []
    rows = repairs[(repairs["way"] == "retrain") & repairs["newly_accepted"].notna()]
    if not len(rows):
        return []
    changed = 100 * (rows["newly_accepted"] + rows["newly_refused"]).astype(float)
    panels = (
        ("Decisions about others that change, %", changed),
        ("Change of the area under the curve", rows["auc_change"].astype(float)),
    )
    return [_panel(title, rows, values) for title, values in panels if values.notna().all()]


def _panel(title: str, rows: pd.DataFrame, values: "pd.Series[float]") -> dict[str, Any]:
    kept = 100 * rows["kept"].astype(float)
    across = _ticks(kept.min(), 100.0)
    up = _ticks(min(values.min(), 0.0), max(values.max(), 0.0))

    def x(value: float) -> float:
        room = WIDTH - LEFT - RIGHT
        return round(LEFT + room * (value - across[0]) / (across[-1] - across[0]), 1)

    def y(value: float) -> float:
        room = HEIGHT - TOP - BOTTOM
        return round(TOP + room * (up[-1] - value) / (up[-1] - up[0]), 1)

    names = [_name(row) for row in rows.to_dict("records")]
    marks = [
        {"x": x(a), "y": y(b), "name": name, "asked": not math.isnan(float(keep))}
        for a, b, name, keep in zip(kept, values, names, rows["keep"], strict=True)
    ]
    line = sorted((mark["x"], mark["y"]) for mark in marks if mark["asked"])
    return {
        "title": title,
        "marks": marks,
        "line": " ".join(f"{a},{b}" for a, b in line),
        "across": [(x(value), f"{value:g}") for value in across],
        "up": [(y(value), f"{value:g}".replace("-", "−")) for value in up],
        "zero": y(0.0),
    }


def _name(row: Any) -> str:
    kept = f"{100 * row['kept']:.1f} % kept"
    if math.isnan(float(row["keep"])):
        return f"{row['under']}: {kept}"
    return f"asked to keep {100 * row['keep']:g} %: {kept}"


def _ticks(low: float, high: float) -> list[float]:
    """A few round values that contain both ends."""
    span = max(high - low, 1e-9)
    step = 10.0 ** math.floor(math.log10(span / TICKS))
    step *= next(k for k in (1, 2, 5, 10) if k * step >= span / TICKS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 10) for k in range(first, max(last, first + 1) + 1)]
