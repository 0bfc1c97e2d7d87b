"""A batch of people under a forest: people per second, and against asking about them one by one.

People are drawn from the twins, refused by the forest, which was trained on another draw.
"""

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.methods import Budget

# people drawn, and given to the advisor, at a time: memory does not grow with their number
AT_A_TIME = 50_000
# people of the batch who are asked about one by one, too
ALONE = 300
BATCH = 8_000


def forest(train: sf.datasets.Dataset, depth: int) -> sf.Score:
    model = RandomForestClassifier(
        50, max_depth=depth, class_weight="balanced", random_state=0, n_jobs=2
    ).fit(train.table, train.labels)
    return sf.as_score(model.set_params(n_jobs=1), train.schema, favourable=1)


def advisor_for(name: str, rows: int, depth: int) -> sf.Advisor:
    """MinimalCost with a forest trained on a twin."""
    train = sf.datasets.twin(name, n=rows, seed=0, variant="published")
    method = sf.MinimalCost(train.schema, sf.Percentiles.fit(train.table))
    advisor = sf.prepare(method, forest(train, depth))
    advisor.recommend(next(refused(advisor, name, 8)))  # compile first
    return advisor


def refused(advisor: sf.Advisor, name: str, size: int) -> Iterator[pd.DataFrame]:
    """So many people whom the forest refuses, some at a time."""
    left, seed = size, 1
    while left:
        drawn = sf.datasets.twin(name, n=AT_A_TIME, seed=seed, variant="published").table
        people = drawn[~advisor.model.accepts(advisor.method.schema.matrix(drawn))].iloc[:left]
        left, seed = left - len(people), seed + 1
        yield people


def rate(size: int) -> dict[str, object]:
    """Give Me Some Credit, forest 50 × 8, two workers."""
    name = "give_me_some_credit"
    advisor = advisor_for(name, 96_215, 8)
    seconds = cpu = 0.0
    proven = count = 0
    for people in refused(advisor, name, size):
        began, spent = time.perf_counter(), time.process_time()
        recs = advisor.recommend(people, jobs=2)
        seconds += time.perf_counter() - began
        cpu += time.process_time() - spent
        proven += int(recs.outcome.isin(["minimal", "infeasible"]).sum())
        count += len(people)
    return {
        "benchmark": f"{count:,} people, forest 50 × 8, two workers, twin of {name}",
        "measured": f"{count / seconds:,.0f} people/s, {1e3 * cpu / count:.2f} ms CPU each",
        "peer": f"{proven / count:.2%} proven",
        "bar": "≥ 2,500 people/s",
        "met": count / seconds >= 2500,
    }


def against_one_by_one(size: int) -> dict[str, object]:
    """HELOC, forest 50 × 5: CPU per person of a batch, and of some of its people one by one."""
    name = "heloc"
    advisor = advisor_for(name, 6_633, 5)
    people = pd.concat(refused(advisor, name, size), ignore_index=True)
    spent = time.process_time()
    whole = advisor.recommend(people)
    batch = (time.process_time() - spent) / size
    chosen = np.linspace(0, size - 1, min(ALONE, size)).astype(int)
    X, stream = advisor.method.schema.matrix(people), np.zeros(1, np.uint64)
    alone = search = 0.0
    for i in chosen:
        spent = time.process_time()
        one = advisor.recommend(people.iloc[[i]])
        middle = time.process_time()
        advisor.search.advise(X[[i]], stream, Budget())
        alone, search = alone + middle - spent, search + time.process_time() - middle
        assert one.counterfactual.equals(whole.counterfactual.iloc[[i]])
    ratio = alone / len(chosen) / batch
    return {
        "benchmark": f"{size:,} people, forest 50 × 5, batch against one by one, twin of {name}",
        "measured": f"{1e3 * batch:.1f} ms CPU each, {ratio:.1f}× cheaper than one by one",
        "peer": f"one by one {1e3 * alone / len(chosen):.1f} ms, "
        f"of which {1e3 * search / len(chosen):.1f} ms in the search",
        "bar": "≥ 3×",
        "met": ratio >= 3.0,
    }


def run(size: int) -> list[dict[str, object]]:
    return [rate(size), against_one_by_one(min(size, BATCH))]
