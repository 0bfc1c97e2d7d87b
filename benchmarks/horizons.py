"""Advice for four horizons against one search: where horizons share proofs, and where none does."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from benchmarks.sets import real_or_twin
from standfast.methods import Budget, Search

WITHIN = (0, 3, 6, 12)
PEOPLE, TRIALS = 100, 3
BAR = 3.0
# per month: what passes by itself, and how far advice may move an input (the rest at once)
HELOC_DRIFT = {"MSinceOldestTradeOpen": 1, "MSinceMostRecentTradeOpen": 1, "AverageMInFile": 1}
HELOC_PACE = {
    "NetFractionRevolvingBurden": 3,
    "PercentTradesWBalance": 3,
    "NumSatisfactoryTrades": 0.5,
    "NumRevolvingTradesWBalance": 0.5,
    "PercentInstallTrades": 2,
}
# age passes much faster than it does, so that every horizon has its own
CREDIT_DRIFT = {"age": 1 / 3}
CREDIT_PACE = {
    "RevolvingUtilizationOfUnsecuredLines": 0.05,
    "DebtRatio": 0.02,
    "MonthlyIncome": 200,
    "NumberOfOpenCreditLinesAndLoans": 0.5,
}
CASES = (
    ("give_me_some_credit", 8, CREDIT_DRIFT, CREDIT_PACE),
    ("heloc", 5, HELOC_DRIFT, HELOC_PACE),
)


def run() -> list[dict[str, Any]]:
    """Two sets, with pace alone and with drift too; everybody at once, and one by one."""
    rows = []
    for name, depth, drift, pace in CASES:
        data = real_or_twin(name)
        train, test = data.split(0.8, seed=0)
        forest = RandomForestClassifier(
            50, max_depth=depth, min_samples_leaf=10, class_weight="balanced", random_state=0
        ).fit(train.table, train.labels)
        percentiles = sf.Percentiles.fit(train.table)
        for what, passing in (("pace", {}), ("drift and pace", drift)):
            schema = _timed(data.schema, passing, pace)
            model = sf.as_score(forest, schema, favourable=1)
            X = schema.matrix(test.table)
            X = X[~model.accepts(X)][:PEOPLE]
            method = sf.MinimalCost(schema, percentiles, per_change=0.0, within=WITHIN)
            label = f"{name}, forest 50 × depth {depth}, {what}, {len(X)} people"
            rows += _compared(label, method, model, X)
    return rows


def _timed(schema: sf.Schema, drift: Mapping[str, float], pace: Mapping[str, float]) -> sf.Schema:
    """The schema with what passes by itself, which advice does not move, and paces."""
    features = []
    for f in schema:
        if f.name in drift:
            f = replace(f, mutable=False, direction="any", drift=drift[f.name])
        elif f.name in pace:
            f = replace(f, pace=pace[f.name])
        features.append(f)
    return replace(schema, features=tuple(features))


def _compared(label: str, method: sf.MinimalCost, model: sf.Score, X: Any) -> list[dict[str, Any]]:
    """Four horizons against a search that knows no time, and against the longest alone."""
    searches = {
        "four": method.prepare(model),
        "longest": replace(method, within=WITHIN[-1:]).prepare(model),
        "now": replace(method, within=None).prepare(model),
    }
    rows = []
    for how, ask in (("at once", _at_once), ("one by one", _one_by_one)):
        for search in searches.values():
            ask(search, X[:2])  # compile first
        spent: dict[str, list[float]] = {name: [] for name in searches}
        for _ in range(TRIALS):
            for name, search in searches.items():
                spent[name].append(_cpu(ask, search, X))
        least = {name: min(times) / len(X) for name, times in spent.items()}
        ratio = least["four"] / least["now"]
        rows.append(
            {
                "benchmark": f"{len(WITHIN)} horizons, {label}, {how}",
                "measured": f"{1e3 * least['four']:.1f} ms CPU per person, {ratio:.2f}×",
                "peer": f"no horizon {1e3 * least['now']:.1f} ms; {WITHIN[-1]} months alone "
                f"{1e3 * least['longest']:.1f} ms, {least['four'] / least['longest']:.2f}×",
                "bar": f"≤ {BAR:g}×",
                "met": bool(ratio <= BAR),
            }
        )
    return rows


def _at_once(search: Search, X: Any) -> None:
    search.advise(X, np.zeros(len(X), np.uint64), Budget())


def _one_by_one(search: Search, X: Any) -> None:
    for x in X:
        search.advise(x[None], np.zeros(1, np.uint64), Budget())


def _cpu(ask: Callable[[Search, Any], None], search: Search, X: Any) -> float:
    began = time.process_time()
    ask(search, X)
    return time.process_time() - began
