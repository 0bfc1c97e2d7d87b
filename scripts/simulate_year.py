"""Simulated years without the rest of the study, as docs/promises_year.md shows them.

    python scripts/simulate_year.py docs/promises_year --data twin:heloc --data sba_case --seed 1
    python scripts/simulate_year.py docs/promises_year

The first command computes and writes the tables; what is finished is kept in the folder given by
--steps, and the same command continues there. Either prints what the tables say and draws one of
the scenes. The tables hold no person's row.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pandas as pd
from one_exhibit import DOTS_PER_INCH, options, parsed

from standfast.figures.promises import sheets
from standfast.figures.style import drawing
from standfast.files import write_table
from standfast.studies import SIZES, Missing, Settings
from standfast.studies.names import AT_START
from standfast.studies.people import dated_of, named
from standfast.studies.promises import promises
from standfast.studies.scene import Scene
from standfast.studies.settings import DRIFT, REFERENCES
from standfast.studies.steps import Steps
from standfast.studies.tables import tidy

TABLES = ("promises_year", "promises_total")
PICTURED = ("twin:give_me_some_credit", "forest")
SCENE = ["data", "reference", "drift"]


def computed(asked: argparse.Namespace) -> dict[str, pd.DataFrame]:
    """The tables of every scene asked for."""
    sizes = SIZES[asked.size]
    if asked.histories:
        sizes = replace(sizes, histories=asked.histories)
    jobs = len(os.sched_getaffinity(0))
    settings = Settings(sizes=sizes, seed=asked.seed, jobs=jobs, promises=True, drift=asked.drift)
    steps, missing = Steps(asked.steps, narrator()), Missing()
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in TABLES}
    for name in asked.data:
        data = named(name, sizes.rows, asked.seed)
        for reference in asked.reference or REFERENCES:
            scene = Scene(data, reference, settings, steps, dated=dated_of(name))
            with missing.tolerated(scene.name, "the simulated year"):
                for table, rows in promises(scene, missing).items():
                    if table in parts:
                        parts[table].append(rows.assign(data=name, reference=reference))
    print(pd.DataFrame(missing.rows).to_string(index=False) if missing.rows else "nothing missing")
    taken = pd.DataFrame(steps.timings).groupby(["data", "reference"], sort=False)["seconds"].sum()
    print(taken.to_string())
    return {name: tidy(name, pd.concat(tables)) for name, tables in parts.items()}


def narrator() -> Callable[[float, float, str], None]:
    """What prints each step once, when it begins, with the time of day."""
    last = ""

    def say(done: float, total: float, note: str) -> None:
        nonlocal last
        if note != last:
            print(f"{datetime.now():%H:%M:%S} {note}", flush=True)
            last = note

    return say


def with_ends(rows: pd.DataFrame, name: str, lower: str, upper: str, scale: int = 1) -> list[str]:
    """A column with its interval, as text."""
    digits = 0 if scale == 100 else 2
    numbers = scale * rows[[name, lower, upper]].to_numpy(dtype=float)
    return [
        f"{value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})" for value, low, high in numbers
    ]


def shown(year: pd.DataFrame, total: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """What the documentation shows: shares kept quarter by quarter, and what the year cost."""
    start = year[year["people"] == AT_START]
    kept = start.assign(shown=with_ends(start, "kept", "lower", "upper", 100)).pivot_table(
        index=[*SCENE, "n", "method"], columns="period", values="shown", aggfunc="first", sort=False
    )
    costs = total[[*SCENE, "method", "asked", "answered", "n", "paid"]].assign(
        **{
            "kept %": with_ends(total, "kept", "lower", "upper", 100),
            "topped up %": (100 * total["topped"]).round(),
            "first": total["first"].round(2),
            "top-ups": total["top_ups"].round(2),
            "total": with_ends(total, "total", "total_lower", "total_upper"),
            "first ratio": total["first_ratio"].round(2),
            "ratio": with_ends(total, "ratio", "ratio_lower", "ratio_upper"),
        }
    )
    every = year.pivot_table(
        index=[*SCENE, "people", "method"],
        columns="period",
        values=["n", "exceptions"],
        aggfunc="first",
        sort=False,
    )
    return {"kept, per cent": kept.reset_index(), "the year": costs, "open": every.reset_index()}


def page_table(total: pd.DataFrame) -> str:
    """The table of docs/promises_year.md."""
    kept = with_ends(total, "kept", "lower", "upper", 100)
    ratio = with_ends(total, "ratio", "ratio_lower", "ratio_upper")
    lines = [
        "| | method | people | kept | needed a top-up | cost at first | with all top-ups |",
        "| --- " * 7 + "|",
    ]
    before = ""
    for row, share, cost in zip(total.to_dict("records"), kept, ratio, strict=True):
        scene = ", ".join(str(row[name]) for name in SCENE)
        method = {"invariant": "**Invariant**"}.get(row["method"], row["method"])
        first = f"{row['n']} | {share} | {100 * row['topped']:.0f} | {row['first_ratio']:.2f}"
        lines.append(f"| {scene if scene != before else ''} | {method} | {first} | {cost} |")
        before = scene
    return "\n".join(lines)


def picture(tables: dict[str, pd.DataFrame], out: Path) -> None:
    """One scene's year as a picture."""
    with drawing():
        for sheet in sheets(tables):
            if (sheet.data, sheet.reference) == PICTURED:
                file = out / f"{'-'.join(PICTURED).replace(':', '_')}.png"
                sheet.page.savefig(file, dpi=DOTS_PER_INCH, metadata={"Software": None})


def main() -> None:
    """Compute if asked to, then print and draw."""
    parser = options(__doc__, "year-steps")
    parser.add_argument("--histories", type=int, help="how many, instead of the size's own")
    parser.add_argument("--drift", type=float, default=DRIFT)
    asked = parsed(parser, TABLES[0])
    if asked.data:
        asked.out.mkdir(parents=True, exist_ok=True)
        for name, table in computed(asked).items():
            write_table(table.round(6), asked.out / f"{name}.csv")
    tables = {name: pd.read_csv(asked.out / f"{name}.csv") for name in TABLES}
    picture(tables, asked.out)
    for title, table in shown(*tables.values()).items():
        print(f"\n{title}\n{table.to_string(index=False)}")
    print(f"\n{page_table(tables['promises_total'])}")


if __name__ == "__main__":
    main()
