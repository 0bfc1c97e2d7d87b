"""Reasons with proof, how long they take, and what SHAP's four largest inputs prove instead."""

import itertools
import time
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from benchmarks.sets import real_or_twin
from standfast.evaluation import reasons_of
from standfast.methods import Budget, Search

PEOPLE = 100
TOP = 4
STREAM = np.zeros(1, np.uint64)
# all sets of so many inputs are tried to find out which inputs are in a minimal blocking set
MOST_INPUTS = 10


def run() -> list[dict[str, Any]]:
    """Two sets: the median CPU time of one person's reasons, and SHAP's on the same people."""
    rows = []
    for name, depth, bar in (("give_me_some_credit", 8, 50.0), ("heloc", 5, 300.0)):
        data = real_or_twin(name)
        train, test = data.split(0.8, seed=0)
        forest = RandomForestClassifier(
            50, max_depth=depth, min_samples_leaf=10, class_weight="balanced", random_state=0
        ).fit(train.table, train.labels)
        model = sf.as_score(forest, data.schema, favourable=1)
        method = sf.MinimalCost(data.schema, sf.Percentiles.fit(train.table))
        X = data.schema.matrix(test.table)
        refused = np.flatnonzero(~model.accepts(X))[:PEOPLE]
        people = test.table.iloc[refused]
        advisor = sf.prepare(method, model)
        reasons_of(advisor, people.head(1))  # compile first
        spent = [_cpu(advisor, people.iloc[[i]]) for i in range(len(people))]
        found = reasons_of(advisor, people)
        few = np.mean([r.blocking <= TOP for r in found.refusals if r.ending == "proven"])
        ends = {e: sum(r.ending == e for r in found.refusals) for e in ("proven", "nothing helps")}
        label = f"{name}, forest 50 × depth {depth}, {len(people)} people"
        took = 1e3 * float(np.median(spent))
        rows.append(
            {
                "benchmark": f"reasons, {label}",
                "measured": f"{took:.0f} ms CPU median; {ends['proven']} proven, "
                f"{ends['nothing helps']} whom nothing helps; at most {TOP} inputs block for "
                f"{few:.0%}",
                "bar": f"≤ {bar:g} ms",
                "met": bool(took <= bar),
            }
        )
        rows.append(
            {
                "benchmark": f"SHAP's {TOP} largest inputs, {label}",
                "measured": _shap(forest, advisor.search, method, X[refused], people),
            }
        )
    return rows


def _shap(forest: Any, search: Search, method: sf.MinimalCost, X: Any, people: Any) -> str:
    """How often SHAP's largest inputs do not block, contradict the advice or are irrelevant."""
    import shap

    values = np.asarray(shap.TreeExplainer(forest).shap_values(people))
    towards = values[..., list(forest.classes_).index(1)] if values.ndim == 3 else values[1]
    top = np.argsort(towards, axis=1)[:, :TOP]  # what speaks most against acceptance
    mutable = np.flatnonzero(method.domain.mutable)
    open_, contrary, idle, n = 0, 0, 0, 0
    for x, four in zip(X, top, strict=True):
        best = _advice(search, x, frozenset())
        if best is None:
            continue
        n += 1
        held = frozenset(set(four.tolist()) & set(mutable.tolist()))
        open_ += _advice(search, x, held) is not None
        contrary += not (best != x)[four].any()
        if len(mutable) <= MOST_INPUTS:
            idle += bool(set(four.tolist()) - _relevant(search, x, mutable.tolist()))
    said = f"of {n} people: do not block for {open_ / n:.0%}; the cheapest advice moves none of "
    said += f"them for {contrary / n:.0%}"
    if len(mutable) <= MOST_INPUTS:
        said += f"; one or more are in no minimal blocking set for {idle / n:.0%}"
    return said


def _relevant(search: Search, x: Any, mutable: list[int]) -> set[int]:
    """The inputs of minimal blocking sets, which are those of minimal sufficient sets."""
    enough: list[frozenset[int]] = []
    for size in range(1, len(mutable) + 1):
        for chosen in map(frozenset, itertools.combinations(mutable, size)):
            known = any(one <= chosen for one in enough)
            if not known and _advice(search, x, frozenset(mutable) - chosen) is not None:
                enough.append(chosen)
    return set().union(*enough)


def _advice(search: Search, x: Any, held: frozenset[int]) -> Any:
    found = search.keeping(held) if held else search
    answers = found.advise(x[None], STREAM, Budget())
    return None if np.isnan(answers.points).any() else answers.points[0]


def _cpu(advisor: sf.Advisor, person: Any) -> float:
    began = time.process_time()
    reasons_of(advisor, person)
    return time.process_time() - began
