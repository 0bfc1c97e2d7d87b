"""Robust linear advice beside ellice's, at equal robustness: HELOC, one logistic regression.

ellice (Turbal, Voitsitska and Semenova 2025) descends by gradients under the ellipsoid that the
second derivative draws. It needs torch, so it runs in an interpreter of its own, named by
STANDFAST_ELLICE_PYTHON. Its answers are judged by the exact level set: each person's largest ε that
ellice's answer survives is the ε at which our advice is sought: in whole numbers, but without the
schema's relation, of which ellice cannot be told.
"""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import standfast as sf
from benchmarks.sets import real_or_twin
from standfast.scores.linear_level_set import LinearLevelSet

PEOPLE = 40
# as it comes; with a weight on proximity, which it leaves at 0; with whole numbers only
SETTINGS = (
    ("continuous", False, 0.0),
    ("continuous, proximity 0.1", False, 0.1),
    ("continuous, proximity 0.3", False, 0.3),
    ("whole numbers", True, 0.0),
)
WORKER = Path(__file__).with_name("ellice_worker.py")
SETUP = (
    "skipped: make an environment with `python -m venv ellice && ellice/bin/pip install ellice` "
    "and set STANDFAST_ELLICE_PYTHON=ellice/bin/python"
)
Matrix = np.ndarray[Any, np.dtype[np.float64]]


def run() -> list[dict[str, Any]]:
    """For ellice's free and whole-number answers: who is cheaper at the same ε, in two costs."""
    python = os.environ.get("STANDFAST_ELLICE_PYTHON")
    if not python:
        return [{"benchmark": "robust linear advice beside ellice", "measured": SETUP}]
    whole = real_or_twin("heloc")
    train, test = whole.split(0.8, seed=0)
    rivals = LinearLevelSet.fit(train)
    X = whole.schema.matrix(test.table)
    refused = test.table[~rivals.best.accepts(X)].iloc[:PEOPLE]
    place = f"{whole.name}{' (twin)' * whole.is_twin}"
    rows = []
    for how, integers, proximity in SETTINGS:
        answers, seconds = _asked(python, rivals, train, refused, integers, proximity)
        rows += [
            {
                "benchmark": f"ellice, {how}, ε = {rivals.epsilon:.4f}, {len(refused)} people, "
                f"{place}: {name}",
                "measured": shown,
                "peer": f"ellice {1e3 * float(np.median(seconds)):.0f} ms median",
                "bar": "no dearer for everybody",
                "met": met,
            }
            for name, shown, met in _compared(rivals, train, refused, answers)
        ]
        rows.append(_sound(rivals, train, refused, answers, f"ellice, {how}: its answers"))
    return rows


def _asked(
    python: str,
    rivals: LinearLevelSet,
    train: sf.datasets.Dataset,
    people: Any,
    integers: bool,
    proximity: float,
) -> tuple[Matrix, Matrix]:
    """ellice's answers in table units, and its seconds per person."""
    T, X = train.schema.matrix(train.table), train.schema.matrix(people)
    means, scales = rivals.means, rivals.scales
    domain = sf.MinimalCost(train.schema, sf.Percentiles.fit(train.table)).domain
    ends = np.array([[f.lower for f in domain], [f.upper for f in domain]], dtype=np.float64)
    with tempfile.TemporaryDirectory() as folder:
        problem, answers = Path(folder) / "problem.npz", Path(folder) / "answers.npz"
        np.savez(
            problem,
            train=(T - means) / scales,
            favourable=train.labels.to_numpy() > 0,
            weights=rivals.optimum.theta[:-1],
            offset=rivals.optimum.theta[-1:],
            queries=(X - means) / scales,
            mutable=[f.mutable for f in train.schema],
            bounds=(ends - means) / scales,
            whole=integers,
            proximity=proximity,
            range=ends,
            step=1.0 / scales,
            zero=-means / scales,
            epsilon=rivals.epsilon,
        )
        subprocess.run([python, str(WORKER), str(problem), str(answers)], check=True)
        found = np.load(answers)
        Y = found["found"] * scales + means
        nearest = np.round(Y)
        # ellice computes in single precision: what is whole but for that is taken as whole
        Y = np.where(np.abs(Y - nearest) < 1e-3, nearest, Y)
        return Y, found["seconds"]


def _compared(
    rivals: LinearLevelSet, train: sf.datasets.Dataset, people: Any, Y: Matrix
) -> list[tuple[str, str, bool]]:
    """For each cost: how often ours is no dearer at the ε that ellice's answer survives."""
    X, schema = train.schema.matrix(people), sf.Schema(tuple(train.schema))
    survives = rivals.epsilon_max(Y) * (1.0 - 1e-6)
    shown = []
    for cost, units in (("total", None), ("l1", rivals.scales)):
        q = sf.Percentiles.fit(train.table)
        best = sf.MinimalCost(schema, q, cost=cost, units=units, per_change=0.0)
        theirs = best.price(X, Y)
        ours, seconds = [], []
        for i in np.flatnonzero(survives > 0.0):
            recs = sf.recommend(best, rivals.at(survives[i]), people.iloc[i : i + 1])
            ours.append(recs.cost.iloc[0])
            seconds.append(recs.results["seconds"].iloc[0])
        theirs = theirs[survives > 0.0]
        ratio = np.array(ours) / theirs
        no_dearer = int((ratio <= 1.0 + 1e-9).sum())
        name = {"total": "total percentile shift", "l1": "L1 in standard deviations"}[cost]
        shown.append(
            (
                name,
                f"ours no dearer for {no_dearer} of {len(ratio)}, mean ratio ours/ellice "
                f"{float(np.nanmean(ratio)):.2f} (at most {float(np.nanmax(ratio)):.2f}, "
                f"mean cost {np.nanmean(ours):.2f} against {theirs.mean():.2f}), "
                f"{1e3 * float(np.median(seconds)):.0f} ms median",
                no_dearer == len(ratio),
            )
        )
    return shown


def _sound(
    rivals: LinearLevelSet, train: sf.datasets.Dataset, people: Any, Y: Matrix, title: str
) -> dict[str, Any]:
    """How many of ellice's answers are what was asked for."""
    X = train.schema.matrix(people)
    domain = sf.MinimalCost(train.schema, sf.Percentiles.fit(train.table)).domain
    fixed = np.array([not f.mutable for f in train.schema])
    kept = np.abs(Y - X)[:, fixed].max(axis=1, initial=0.0) < 1e-3
    valid = rivals.best.accepts(Y)
    robust = rivals.accepts(Y)
    integers = (np.round(Y) == Y).all(axis=1)
    return {
        "benchmark": title,
        "measured": f"{int(valid.sum())} of {len(Y)} accepted by the model, {int(robust.sum())} by "
        f"the whole level set, {int(kept.sum())} leave immutables, {int(integers.sum())} in whole "
        f"numbers, {int(domain.admits(X, Y).sum())} admitted by the schema",
        "peer": "",
        "bar": "",
    }
