"""Reasons with proof, how long they take, and what SHAP's four largest inputs prove instead."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from benchmarks.relevance import EnoughInputs, Inputs
from benchmarks.sets import real_or_twin
from standfast.evaluation import reasons_of
from standfast.methods import Budget, Search
from standfast.recommendations import Outcome

PEOPLE = 100
TOP = 4
STREAM = np.zeros(1, np.uint64)
# so many searches at most to find out whether an input matters to a person
QUESTIONS = 300
CASES = (("give_me_some_credit", 8, 50.0), ("heloc", 5, 300.0))


def run() -> list[dict[str, Any]]:
    """Two sets: the median CPU time of one person's reasons, and SHAP's on the same people."""
    return [
        row
        for name, depth, bar in CASES
        for variant in ("published", "sensible")
        for row in _rows(Scene.of(name, variant, depth), bar)
    ]


@dataclass(frozen=True, eq=False)
class Scene:
    """A forest, the people whom it refuses, and the search for their advice."""

    label: str
    forest: Any
    advisor: sf.Advisor
    people: Any
    X: Any

    @classmethod
    def of(cls, name: str, variant: str, depth: int) -> "Scene":
        """The first refused people of a data set's test split."""
        data = real_or_twin(name, variant)
        train, test = data.split(0.8, seed=0)
        forest = RandomForestClassifier(
            50, max_depth=depth, min_samples_leaf=10, class_weight="balanced", random_state=0
        ).fit(train.table, train.labels)
        model = sf.as_score(forest, data.schema, favourable=1)
        method = sf.MinimalCost(data.schema, sf.Percentiles.fit(train.table), per_change=0.0)
        X = data.schema.matrix(test.table)
        refused = np.flatnonzero(~model.accepts(X))[:PEOPLE]
        label = f"{name}, {variant} schema, forest 50 × depth {depth}, {len(refused)} people"
        return cls(label, forest, sf.prepare(method, model), test.table.iloc[refused], X[refused])

    @property
    def search(self) -> Search:
        """The prepared search."""
        return self.advisor.search

    @property
    def mutable(self) -> Inputs:
        """The inputs that may change."""
        return frozenset(np.flatnonzero(self.advisor.method.domain.mutable).tolist())

    def against(self) -> Any:
        """People by inputs: SHAP values of the probability of acceptance, which decides."""
        import shap

        explained = shap.TreeExplainer(self.forest)(self.people)
        k = list(self.forest.classes_).index(1)
        values, base = explained.values[..., k], explained.base_values[..., k]
        chance = self.forest.predict_proba(self.people)[:, k]
        if not np.allclose(values.sum(axis=1) + base, chance, atol=1e-6):
            raise AssertionError("the SHAP values do not add up to the model's probability")
        return values


def _rows(scene: Scene, bar: float) -> Iterator[dict[str, Any]]:
    reasons_of(scene.advisor, scene.people.head(1))  # compile first
    spent = [_cpu(scene.advisor, scene.people.iloc[[i]]) for i in range(len(scene.people))]
    found = reasons_of(scene.advisor, scene.people)
    few = np.mean([r.blocking <= TOP for r in found.refusals if r.ending == "proven"])
    ends = {e: sum(r.ending == e for r in found.refusals) for e in ("proven", "nothing helps")}
    took = 1e3 * float(np.median(spent))
    yield {
        "benchmark": f"reasons, {scene.label}",
        "measured": f"{took:.0f} ms CPU median; {ends['proven']} proven, "
        f"{ends['nothing helps']} whom nothing helps; at most {TOP} inputs block for {few:.0%}",
        "bar": f"≤ {bar:g} ms",
        "met": bool(took <= bar),
    }
    values = scene.against()
    people = [_Person(scene, x) for x in scene.X]
    for which, inputs in (("of all inputs", None), ("of those that may change", scene.mutable)):
        tops = [_largest(row, inputs) for row in values]
        shown = [p.judge(top) for p, top in zip(people, tops, strict=True) if p.best is not None]
        yield {"benchmark": f"SHAP's {TOP} {which}, {scene.label}", "measured": _said(shown)}


def _largest(values: Any, inputs: Inputs | None) -> Inputs:
    """The inputs, of some of them, that SHAP says speak most against acceptance."""
    order = np.argsort(values, kind="stable").tolist()
    return frozenset([j for j in order if values[j] < 0 and (inputs is None or j in inputs)][:TOP])


@dataclass(frozen=True)
class _Verdict:
    """Whether some inputs block, whether the cheapest advice moves none, and which do not matter.

    `idle` are inputs in no minimal blocking set; those `open` were not decided.
    """

    block: bool
    contrary: bool
    idle: Inputs
    fixed: Inputs
    open: Inputs


class _Person:
    """One refused person: the cheapest advice, and which sets of inputs are enough."""

    def __init__(self, scene: Scene, x: Any) -> None:
        self.search, self.mutable, self.x = scene.search, scene.mutable, x
        self.best = self._moved(self.mutable)
        self.known = EnoughInputs(self._moved, sorted(self.mutable))
        self.matters: dict[int, bool | None] = {}

    def judge(self, some: Inputs) -> _Verdict:
        """What is true of some inputs."""
        assert self.best is not None
        for j in some - set(self.matters):
            self.matters[j] = self.known.relevant(j, QUESTIONS)
        return _Verdict(
            self._moved(self.mutable - some) is None,
            not self.best & some,
            frozenset(j for j in some if self.matters[j] is False),
            some - self.mutable,
            frozenset(j for j in some if self.matters[j] is None),
        )

    def _moved(self, free: Inputs) -> Inputs | None:
        """What the cheapest advice changes if only these inputs may; None if there is none."""
        held = self.mutable - free
        search = self.search.keeping(held) if held else self.search
        answers = search.advise(self.x[None], STREAM, Budget())
        if answers.outcomes[0] is Outcome.INFEASIBLE:
            return None
        if np.isnan(answers.points).any():
            raise RuntimeError("a search reached its limit, so nothing is proven")
        return frozenset(np.flatnonzero(answers.points[0] != self.x).tolist())


def _said(shown: list[_Verdict]) -> str:
    parts = {
        "do not block": [not one.block for one in shown],
        "the cheapest advice moves none of them": [one.contrary for one in shown],
        "one or more are in no minimal blocking set": [bool(one.idle) for one in shown],
        "one or more of these may change": [bool(one.idle - one.fixed) for one in shown],
        "undecided": [bool(one.open) and not one.idle for one in shown],
    }
    shares = "; ".join(f"{words}: {np.mean(times):.0%}" for words, times in parts.items())
    return f"of {len(shown)} people with advice: {shares}"


def _cpu(advisor: sf.Advisor, person: Any) -> float:
    began = time.process_time()
    reasons_of(advisor, person)
    return time.process_time() - began
