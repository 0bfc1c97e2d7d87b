"""The summary of a study that may be shown to anybody: no person's row, only counts and means.

    python scripts/summarise_study.py study docs/reproduction

Copies the study's tables that hold no person, adds the distribution of costs and prices per scene,
and prints what docs/reproduction.md shows.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from standfast.files import write_table
from standfast.studies.tables import read

SCENE = ["data", "reference"]
# tables without a person's row
PUBLIC = (
    "scenes",
    "members",
    "transfer",
    "transfer_means",
    "distances",
    "consistency",
    "surprise",
    "bounds",
    "binding",
    "claims",
    "missing",
)


def costs(advice: pd.DataFrame) -> pd.DataFrame:
    """Per scene and method: who got advice, and the distribution of its cost."""
    rows = []
    for (data, reference, method), people in advice.groupby([*SCENE, "method"], sort=False):
        found = people[people["found"]]
        row = {"data": data, "reference": reference, "method": method, "asked": len(people)}
        row |= {"advised": len(found), "proven": int((people["outcome"] == "minimal").sum())}
        for cost in ("total", "max", "changed"):
            row |= {f"mean_{cost}": found[cost].mean(), f"median_{cost}": found[cost].median()}
        rows.append(row | {"mean_share_of_rivals": found["share"].mean()})
    return pd.DataFrame(rows)


def prices(invariance: pd.DataFrame) -> pd.DataFrame:
    """Per scene: what unanimous advice costs beside the reference's cheapest, and who gets none."""
    rows = []
    for (data, reference), people in invariance.groupby(SCENE, sort=False):
        known = people.dropna(subset=["ratio"])
        outcomes = people["outcome"].value_counts()
        rows.append(
            {
                "data": data,
                "reference": reference,
                "asked": len(people),
                "advised": len(people.dropna(subset=["unanimous"])),
                "proven_minimal": int(outcomes.get("minimal", 0)),
                "within_gap": int(outcomes.get("within_gap", 0)),
                "proven_impossible": int(outcomes.get("infeasible", 0)),
                "none_found": int(outcomes.get("exhausted", 0)),
                "median_ratio": known["ratio"].median(),
                "mean_alone": known["alone"].mean(),
                "mean_unanimous": known["unanimous"].mean(),
            }
        )
    return pd.DataFrame(rows)


def support(table: pd.DataFrame) -> pd.DataFrame:
    """Per scene: the distribution of c_D / c_S."""
    rows = []
    for (data, reference), people in table.groupby(SCENE, sort=False):
        known = people.dropna(subset=["ratio"])
        proven = known[known["proven"]]
        rows.append(
            {
                "data": data,
                "reference": reference,
                "n": len(known),
                "proven": len(proven),
                "median_ratio": known["ratio"].median(),
                "share_above_2": float((known["ratio"] > 2).mean()),
                "share_above_2_proven": float((proven["ratio"] > 2).mean()),
                "unreachable": int(np.isinf(known["ratio"]).sum()),
            }
        )
    return pd.DataFrame(rows)


def verdicts(claims: pd.DataFrame) -> pd.DataFrame:
    """Per claim and scene: how many of its checks hold, do not, or are undecided."""
    counts = claims.groupby(["claim", *SCENE, "verdict"], sort=False).size()
    return counts.unstack("verdict", fill_value=0).reset_index()  # noqa: PD010 counts, no means


def main() -> None:
    """Write the summary tables and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("study", type=Path, help="the folder that standfast study wrote")
    parser.add_argument("out", type=Path, help="where the summary goes")
    asked = parser.parse_args()
    tables = read(asked.study / "tables")
    summary = {name: tables[name] for name in PUBLIC} | {
        "costs": costs(tables["advice"]),
        "prices": prices(tables["invariance"]),
        "support": support(tables["support_costs"]),
    }
    asked.out.mkdir(parents=True, exist_ok=True)
    for name, table in summary.items():
        rounded = table.round(6)
        write_table(rounded, asked.out / f"{name}.csv")
    for name in ("scenes", "costs", "prices", "support", "surprise", "bounds"):
        print(f"\n{name}\n{summary[name].to_string(index=False, float_format='{:.3f}'.format)}")
    print(f"\nverdicts\n{verdicts(summary['claims']).to_string(index=False)}")


if __name__ == "__main__":
    main()
