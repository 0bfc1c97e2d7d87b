"""A small demonstration on the embedded twins: does advice survive when an equal model takes over?

Run by `make study`. For each twin it fits a reference forest and five rivals on other bootstrap
samples, asks for advice under the reference alone (growing spheres, and the cheapest there is) and
under the reference and two further forests unanimously, and counts what the rivals keep of it.
"""

import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.ensemble import RandomForestClassifier

import standfast as sf

PEOPLE, ROWS, SEED = 100, 8000, 0


def forest(train: sf.datasets.Dataset, seed: int) -> sf.Score:
    """A forest fitted on a bootstrap sample of the training people."""
    rows = np.random.default_rng(seed).integers(0, len(train), len(train))
    model = RandomForestClassifier(50, max_depth=5, class_weight="balanced", random_state=seed)
    model.fit(train.table.iloc[rows], train.labels.iloc[rows])
    return sf.as_score(model, train.schema, favourable=1)


def demonstrate(name: str, console: Console, out: Path) -> None:
    """One twin: the table of costs and of advice kept, and the advice itself as a file."""
    data = sf.datasets.twin(name, n=ROWS, seed=SEED)
    train, test = data.split(0.8, seed=SEED)
    models = [forest(train, seed) for seed in range(8)]
    reference, partners, rivals = models[0], models[1:3], models[3:]
    refused = test.table[~reference.accepts(data.schema.matrix(test.table))].iloc[:PEOPLE]
    q = sf.Percentiles.fit(train.table)
    spheres, cheapest = sf.GrowingSpheres(data.schema, q), sf.MinimalCost(data.schema, q)
    three = (reference, *partners)
    table = Table(title=f"{data.origin}: {len(refused)} refused people")
    for title in ("method", "accepted by", "found", "mean cost", "kept by 5 rivals", "seconds"):
        left = title in ("method", "accepted by")
        table.add_column(title, justify="left" if left else "right")
    for method, label, model in (
        (spheres, "the reference", reference),
        (cheapest, "the reference", reference),
        (cheapest, "3 forests", sf.Unanimous(three)),
        (cheapest, "3 forests by 0.05", sf.Unanimous(three, margin=0.05)),
    ):
        began = time.perf_counter()
        recs = sf.recommend(method, model, refused, seed=SEED, jobs=2, time_limit=2.0)
        took = time.perf_counter() - began
        Y = recs.counterfactual[recs.found].to_numpy(dtype=float)
        kept = np.mean([rival.accepts(Y).mean() for rival in rivals]) if len(Y) else np.nan
        cost = f"{recs.cost[recs.found].mean():.3f}"
        table.add_row(method.name, label, str(len(Y)), cost, f"{kept:.0%}", f"{took:.1f}")
    console.print(table)
    for sentence in recs.sentences()[recs.found].head(2):
        console.print(f"  for instance: {sentence}", soft_wrap=True)
    recs.write(out / f"advice_{name}.csv")


def main() -> None:
    """Both twins, and where the advice was written."""
    console, out = Console(), Path("study")
    out.mkdir(exist_ok=True)
    for name in ("give_me_some_credit", "heloc"):
        demonstrate(name, console, out)
    console.print("Cost: mean total percentile shift over the people for whom advice was found.")
    console.print(f"The last advice, one row per person, is in {out}/advice_*.csv")


if __name__ == "__main__":
    main()
