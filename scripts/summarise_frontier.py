"""The frontiers of several studies in three tables and a picture, as docs/frontier.md shows them.

    python scripts/summarise_frontier.py docs/frontier study [study ...]

A study is a folder that `standfast study --frontier` wrote. The tables hold no person's row. Data
sets that no folder has keep the rows they have in the tables.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from standfast.figures.frontier import sheets
from standfast.figures.style import drawing
from standfast.files import write_table
from standfast.studies.names import INVARIANT, RAISED
from standfast.studies.tables import read

PICTURED = ("heloc", "forest")
DOTS_PER_INCH = 110
TABLES = ("scenes", "frontier", "frontier_gaps", "frontier_levels", "missing", "timings")
SCENE = ["data", "reference", "judges"]


def verdicts(gaps: pd.DataFrame) -> pd.DataFrame:
    """Per scene and judges: at how many settings of others Invariant costs less, more, or neither.

    By the 95 % interval of the paired difference; `beyond` are settings that reach more than
    Invariant's largest does.
    """
    rows = []
    for scene, mine in gaps.groupby(SCENE, sort=False):
        known = mine.dropna(subset=["difference", "lower"])
        less, more = known[known["upper"] < 0], known[known["lower"] > 0]
        beyond = mine["difference"].isna() & mine["validity"].notna()
        rows.append(
            dict(zip(SCENE, scene, strict=True))
            | {"settings": len(mine), "less": len(less), "more": len(more)}
            | {"undecided": len(known) - len(less) - len(more), "beyond": int(beyond.sum())}
            | {"more than": "; ".join(more["method"] + " " + more["dial"])}
        )
    return pd.DataFrame(rows)


def beside(levels: pd.DataFrame, level: float) -> pd.DataFrame:
    """Per scene and judges: each method's cost at one validity, in multiples of the optimum's."""
    rows = levels[np.isclose(levels["level"], level)]
    stated = [
        "" if np.isnan(ratio) else f"{ratio:.2f} ({low:.2f}-{high:.2f})"
        for ratio, low, high in rows[["ratio", "lower", "upper"]].to_numpy(dtype=float)
    ]
    wide = rows.assign(stated=stated).pivot_table(
        index=[*SCENE, "n"], columns="method", values="stated", aggfunc="first", sort=False
    )
    first = [INVARIANT, *(name for name in wide.columns if name != INVARIANT)]
    return wide[first].reset_index()


def saved(gaps: pd.DataFrame, method: str) -> pd.DataFrame:
    """Per scene and judges: what Invariant saves of another method's cost where it surely saves."""
    rows = []
    for scene, mine in gaps[gaps["method"] == method].groupby(SCENE, sort=False):
        surely = mine[mine["upper"] < 0]
        share = -surely["difference"] / surely["cost"]
        rows.append(
            dict(zip(SCENE, scene, strict=True))
            | {"settings": len(mine), "surely less": len(surely)}
            | {"least saved": share.min(), "most saved": share.max()}
        )
    return pd.DataFrame(rows)


def by_judges(points: pd.DataFrame) -> pd.DataFrame:
    """Per scene and setting: cost, and the validity under every kind of judges."""
    index = ["data", "reference", "method", "dial", "cost"]
    wide = points.fillna({"dial": ""}).pivot_table(
        index=index, columns="judges", values="validity", sort=False
    )
    return wide.reset_index()


def picture(tables: dict[str, pd.DataFrame], out: Path) -> None:
    """The frontier of one scene as a picture."""
    with drawing():
        for sheet in sheets(tables):
            if (sheet.data, sheet.reference) == PICTURED:
                file = out / f"{'-'.join(PICTURED)}.png"
                sheet.page.savefig(file, dpi=DOTS_PER_INCH, metadata={"Software": None})


def joined(table: pd.DataFrame, file: Path) -> pd.DataFrame:
    """The rows of a table after those that its file has of other data sets."""
    if not file.exists():
        return table
    before = pd.read_csv(file, keep_default_na=True)
    kept = before[~before["data"].isin(table["data"])]
    return pd.concat([kept, table.round(6)], ignore_index=True) if len(kept) else table


def main() -> None:
    """Write the tables and print what they say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path, help="where the tables go")
    parser.add_argument("studies", type=Path, nargs="+", help="folders of standfast study")
    asked = parser.parse_args()
    studies = [read(folder / "tables") for folder in asked.studies]
    found = {
        name: pd.concat(
            [tables[name] for tables in studies if len(tables[name])] or [studies[0][name]]
        )
        for name in TABLES
    }
    asked.out.mkdir(parents=True, exist_ok=True)
    for name, table in found.items():
        if name.startswith("frontier"):
            file = asked.out / f"{name}.csv"
            write_table(joined(table.round(6), file), file)
    picture(found, asked.out)
    columns = ["data", "reference", "train", "refused", "people", "auc"]
    shown = {"scenes": found["scenes"][columns], "missing": found["missing"]}
    shown |= {
        f"at validity {level}": beside(found["frontier_levels"], level) for level in (0.7, 0.9)
    }
    gaps = found["frontier_gaps"]
    shown |= {"against every setting of the others": verdicts(gaps)}
    shown |= {f"against the {RAISED} alone": saved(gaps, RAISED)}
    shown |= {"under all judges": by_judges(found["frontier"])}
    for title, table in shown.items():
        print(f"\n{title}\n{table.to_string(index=False, float_format='{:.3f}'.format)}")


if __name__ == "__main__":
    main()
