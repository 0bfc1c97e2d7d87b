"""One version's side of `python -m benchmarks versions`: rows that are prepared and run on demand.

Both versions' interpreters run this file, so it speaks only names that both have. It is asked line
by line, `prepare` or `run` and a row, and answers with a line of JSON: the CPU seconds of a trial
and of what is not to count, and a figure that shows whether both answered the same question. Models
are fitted once, by the version that comes first, and handed to the other as files.
"""

import inspect
import json
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf

GMSC, HELOC = "give_me_some_credit", "heloc"
SIZES = {GMSC: 120_269, HELOC: 8_291}
LEAVES, SHARES = (10, 20, 40), (0.2, 0.3, 0.5)
# Invariant's forests: only their size counts here
FEW_ROWS, EACH = 20_000, 50
SCORED, INPUTS = 100_000, 15


class Trial(NamedTuple):
    """The work that is timed, and what of it is not: its time is measured, too, and taken off.

    The work gives a figure about which both versions must agree.
    """

    work: Callable[[], float]
    besides: Callable[[], object] = lambda: None


@cache
def parts(name: str) -> tuple[Any, Any]:
    """Training and test part of a real data set, or of its twin, with the published schema."""
    real = getattr(sf.datasets, name)
    how = {"variant": "published"} if "variant" in inspect.signature(real).parameters else {}
    try:
        whole = real(**how)
    except sf.InputError:
        whole = sf.datasets.twin(name, n=SIZES[name], seed=0, **how)
    return whole.split(0.8, seed=0)


@cache
def percentiles(name: str) -> Any:
    return sf.Percentiles.fit(parts(name)[0].table)


def kept(title: str, fit: Callable[[], Any]) -> Any:
    """What was fitted by the version that came first."""
    path = Path(sys.argv[1]) / f"{title}.joblib"
    if not path.exists():
        joblib.dump(fit(), path)
    return joblib.load(path)


def fitted(name: str, estimator: Any, seed: int, rows: int | None = None) -> Any:
    """An estimator fitted on a bootstrap sample of the training part."""
    train, _ = parts(name)
    chosen = np.random.default_rng(seed).integers(0, len(train), rows or len(train))
    return estimator.fit(train.table.iloc[chosen], train.labels.iloc[chosen])


@cache
def linear(name: str, seed: int) -> Any:
    model = make_pipeline(
        StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=1000)
    )
    found = kept(f"{name}-linear-{seed}", lambda: fitted(name, model, seed))
    return sf.as_score(found, parts(name)[0].schema, favourable=1)


@cache
def forest(name: str, seed: int, depth: int, rows: int | None = None) -> Any:
    model = RandomForestClassifier(
        50,
        max_depth=depth,
        min_samples_leaf=LEAVES[seed % 3],
        max_features=SHARES[seed // 3 % 3],
        class_weight="balanced",
        random_state=seed,
    )
    title = f"{name}-forest-{seed}-{depth}-{rows}"
    found = kept(title, lambda: fitted(name, model, seed, rows))
    return sf.as_score(found, parts(name)[0].schema, favourable=1)


def forests(name: str, depth: int, count: int, rows: int | None = None) -> list[Any]:
    return [forest(name, seed, depth, rows) for seed in range(count)]


def refused(name: str, model: Any, people: int) -> Any:
    """People of the test part whom the model refuses."""
    table = parts(name)[1].table
    return table[~model.accepts(parts(name)[0].schema.matrix(table))].iloc[:people]


def advised(method: Any, models: list[Any], people: Any) -> Trial:
    """Advice for all people, without what it takes to ask about one: preparing, for the most."""
    recommend = partial(
        sf.recommend, method, models[0] if len(models) == 1 else sf.Unanimous(models)
    )
    return Trial(lambda: float(recommend(people).cost.mean()), lambda: recommend(people.iloc[:1]))


def actionable(cost: str) -> Trial:
    model, schema = linear(GMSC, 100), parts(GMSC)[0].schema
    method = sf.ActionableRecourse(schema, percentiles(GMSC), cost=cost)
    return advised(method, [model], refused(GMSC, model, 500))


def minimal(name: str, models: list[Any], people: int) -> Trial:
    schema = parts(name)[0].schema
    method = sf.MinimalCost(schema, percentiles(name), per_change=0.0, boxes=100_000_000)
    return advised(method, models, refused(name, models[0], people))


def scored(rows: int, times: int) -> Trial:
    """A trial scores as many rows so many times with a forest of 100 trees of depth 8."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(SCORED, INPUTS))
    labels = np.where(X[:, :8].sum(axis=1) + rng.normal(size=SCORED) > 0, 1, -1)
    model = RandomForestClassifier(100, max_depth=8, random_state=0)
    found = kept("scored", lambda: model.fit(X[:20_000], labels[:20_000]))
    schema = sf.Schema(tuple(sf.Feature(f"x{j}") for j in range(INPUTS)))
    score, asked = sf.as_score(found, schema, favourable=1), np.ascontiguousarray(X[:rows])

    def trial() -> float:
        for _ in range(times):
            scores = score.score(asked)
        return float(scores.mean())

    return Trial(trial)


def spheres(model: Any) -> Trial:
    method = sf.GrowingSpheres(parts(GMSC)[0].schema, percentiles(GMSC))
    return advised(method, [model], refused(GMSC, model, 512))


@cache
def autoencoded() -> Any:
    train = parts(GMSC)[0]
    return sf.CCHVAE.fit(train.schema, train.table, percentiles(GMSC), s=3, z=6, epochs=2, seed=0)


def invariant(name: str, depth: int, people: int) -> Trial:
    models = forests(name, depth, 2 * EACH, FEW_ROWS)
    make = getattr(sf.Invariant, "fit", sf.Invariant)
    of = parts(name)[0].schema, percentiles(name)
    method = make(*of, search=models[:EACH], choose=models[EACH:], validity=0.9)
    return advised(method, models[:1], refused(name, models[0], people))


def robust(epsilon: float) -> Trial:
    rivals = sf.LinearLevelSet.fit(parts(HELOC)[0])
    method = sf.MinimalCost(parts(HELOC)[0].schema, percentiles(HELOC), per_change=0.0)
    return advised(method, [rivals.at(epsilon)], refused(HELOC, rivals.best, 40))


def transferred() -> Trial:
    f, train = linear(GMSC, 100), parts(GMSC)[0]
    table = train.table[~f.accepts(train.schema.matrix(train.table))].iloc[:10_000]
    method = sf.ActionableRecourse(train.schema, percentiles(GMSC))
    recs = sf.recommend(method, f, table)
    sums = [linear(GMSC, seed) for seed in range(100, 110)]
    rivals = {str(k): g for k, g in enumerate([*sums, *forests(GMSC, 8, 8)])}
    return Trial(lambda: float(sf.transfer(recs, rivals).rivals["transfer"].mean()))


ROWS: dict[str, Callable[[], Trial]] = {
    "AR, one linear model, GMSC, total shift": lambda: actionable("total"),
    "AR, one linear model, GMSC, maximal shift": lambda: actionable("max"),
    "AR, one linear model, GMSC, log shift": lambda: actionable("log"),
    "1 forest 50 × 8, GMSC": lambda: minimal(GMSC, forests(GMSC, 8, 1), 200),
    "8 forests 50 × 8 and 2 linear models, GMSC": lambda: minimal(
        GMSC, [*forests(GMSC, 8, 8), linear(GMSC, 100), linear(GMSC, 101)], 100
    ),
    "1 forest 50 × 5, HELOC": lambda: minimal(HELOC, forests(HELOC, 5, 1), 100),
    "20 forests 50 × 5, HELOC": lambda: minimal(HELOC, forests(HELOC, 5, 20), 30),
    "score of 1 row, forest 100 × 8": lambda: scored(1, 3000),
    "score of 1,000 rows": lambda: scored(1000, 200),
    "score of 100,000 rows": lambda: scored(100_000, 3),
    "growing spheres, GMSC, linear model": lambda: spheres(linear(GMSC, 100)),
    "growing spheres, GMSC, forest 50 × 8": lambda: spheres(forest(GMSC, 0, 8)),
    "C-CHVAE search, GMSC, linear model": lambda: advised(
        autoencoded(), [linear(GMSC, 100)], refused(GMSC, linear(GMSC, 100), 512)
    ),
    "C-CHVAE search, GMSC, forest 50 × 8": lambda: advised(
        autoencoded(), [forest(GMSC, 0, 8)], refused(GMSC, forest(GMSC, 0, 8), 512)
    ),
    "Invariant, 50 forests 50 × 8, GMSC": lambda: invariant(GMSC, 8, 30),
    "Invariant, 50 forests 50 × 5, HELOC": lambda: invariant(HELOC, 5, 15),
    "robust linear, HELOC, ε = 0.001": lambda: robust(0.001),
    "transfer, 10,000 recommendations, 18 rivals": transferred,
}


def main() -> None:
    """Answer line by line until nothing more is asked."""
    trials: dict[str, Trial] = {}
    for line in sys.stdin:
        what, _, row = line.rstrip("\n").partition(" ")
        if what == "prepare":
            trials = {row: ROWS[row]()}
            trials[row].work()  # compiles, and fills caches
            print(json.dumps("ready"), flush=True)
            continue
        began = time.process_time()
        trials[row].besides()
        then = time.process_time()
        figure = trials[row].work()
        work = time.process_time() - then
        answer = {"work": work, "besides": then - began, "figure": figure}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
