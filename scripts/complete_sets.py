"""Complete level sets without the rest of the study, as docs/complete_sets.md shows them.

    python scripts/complete_sets.py docs/complete_sets --data twin:heloc --data give_me_some_credit
    python scripts/complete_sets.py docs/complete_sets

The first command computes and writes the table; what is finished is kept in the folder given by
--steps, and the same command continues there. Either prints the tables of the page and draws every
scene. The table holds no person's row.
"""

import argparse
import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
from one_exhibit import DOTS_PER_INCH, options, parsed

from standfast.figures.complete import sheets
from standfast.figures.figure import lay_out
from standfast.figures.style import drawing
from standfast.files import write_table
from standfast.scores import TreeLevelSet
from standfast.studies import SIZES, Missing, Settings
from standfast.studies.advice import advice
from standfast.studies.complete_sets import BOTH, EPSILONS, TREES, complete
from standfast.studies.names import UNANIMOUS
from standfast.studies.people import named
from standfast.studies.scene import Scene
from standfast.studies.settings import REFERENCES
from standfast.studies.steps import Steps
from standfast.studies.tables import SCENE, tidy

TABLE = "complete"
MOST_OFTEN = 3  # paths


def computed(asked: argparse.Namespace) -> pd.DataFrame:
    """The table of every scene asked for."""
    sizes = SIZES[asked.size]
    sizes = replace(sizes, people=asked.people or sizes.people)
    jobs = len(os.sched_getaffinity(0))
    settings = Settings(sizes=sizes, seed=asked.seed, jobs=jobs, complete=True)
    steps, missing, parts = Steps(asked.steps), Missing(), []
    for name in asked.data:
        data = named(name, sizes.rows, asked.seed)
        for reference in asked.reference or REFERENCES:
            scene = Scene(data, reference, settings, steps)
            rows = complete(scene, advice(scene, UNANIMOUS), missing)[TABLE]
            parts.append(rows.assign(data=name, reference=reference))
            print(f"{name}, {reference}: {len(scene.rivals.rivals)} rivals", flush=True)
            print(deciding(scene), flush=True)
    print(pd.DataFrame(missing.rows).to_string(index=False) if missing.rows else "nothing missing")
    timings = pd.DataFrame(steps.timings)
    print(timings.groupby([*SCENE, "step"], sort=False)["seconds"].sum().to_string())
    return tidy(TABLE, pd.concat(parts))


def deciding(scene: Scene) -> str:
    """On what trees that cannot be satisfied decide most often, ε by ε."""
    trees = TreeLevelSet.fit(scene.train, epsilon=0.0, balanced=scene.settings.balanced)
    said = []
    for epsilon in EPSILONS:
        if epsilon < trees.void_epsilon:
            paths = trees.at(epsilon).void(scene.people).query("void")["path"].value_counts()
            often = "; ".join(f"{path} ({n})" for path, n in paths.head(MOST_OFTEN).items())
            said.append(f"  ε = {epsilon:g}: {often}")
    return "\n".join(said)


def page_table(table: pd.DataFrame) -> str:
    """One set's rows, as the page shows them."""
    lines = [
        "| | ε | trees | people | accepted | advised | none exists | one tree decides | not ended "
        "| cost | for the grids | grids’ advice refused |",
        "| --- " * 12 + "|",
    ]
    before = ""
    for row in table.to_dict("records"):
        scene = ", ".join(str(row[name]) for name in SCENE)
        ends = [int(row[name]) for name in ("accepted", "advised", "infeasible")]
        refused = f"{1 - row['transfer']:.0%} ({1 - row['upper']:.0%}–{1 - row['lower']:.0%})"
        cells = [
            scene if scene != before else "",
            f"{row['epsilon']:g}",
            f"{row['trees']:,.0f}",
            row["people"],
            *ends,
            row["decided"],
            row["people"] - sum(ends),
            _cost(row["own_cost"], row["compared"], ends[1]),
            _cost(row["grid_cost"], row["compared"], ends[1]),
            refused if row["n"] else "",
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
        before = scene
    return "\n".join(lines)


def _cost(mean: float, n: int, advised: int) -> str:
    """A mean cost, with its count where some have no advice to compare with."""
    return "" if not n else f"{mean:.2f}" + f" (n = {n})" * (n < advised)


def pictures(table: pd.DataFrame, out: Path) -> None:
    """Every scene as a picture."""
    with drawing():
        for sheet in sheets({TABLE: table}):
            lay_out(sheet)
            file = out / f"{sheet.name}.png"
            sheet.page.savefig(file, dpi=DOTS_PER_INCH, metadata={"Software": None})


def main() -> None:
    """Compute if asked to, then print and draw."""
    parser = options(__doc__, "complete-steps")
    parser.add_argument("--people", type=int, help="how many, instead of the size's own")
    asked = parsed(parser, TABLE)
    file = asked.out / f"{TABLE}.csv"
    if asked.data:
        asked.out.mkdir(parents=True, exist_ok=True)
        write_table(computed(asked).round(6), file)
    table = pd.read_csv(file)
    pictures(table, asked.out)
    for which in (TREES, BOTH):
        print(f"\nall {which}\n\n{page_table(table[table['set'] == which])}")


if __name__ == "__main__":
    main()
