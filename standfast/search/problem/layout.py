"""Inputs laid out by price: where categories have transitions, an axis of each person's own.

The search's axes are ordered, and costs never fall farther away from the person. For a nominal
input with transitions that holds if its categories are laid out from the person's own by rising
price, those that it may not become beyond the end. People with the same own categories share one
such layout, and with it one program.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.percentiles import Percentiles
from standfast.schema import Feature, Schema
from standfast.schema.condition import Condition
from standfast.scores import Additive, Linear, Paired, Score, TreeEnsemble
from standfast.scores.rule import Law, Rule
from standfast.scores.score import Bools
from standfast.scores.tree_ensemble import Ensemble, Trees
from standfast.scores.unfolding import Branching, Question, branching_of, unfold
from standfast.search.problem.contributions import added_by
from standfast.search.problem.pairs import as_trees
from standfast.search.problem.price import Matrix, Price, Vector

Key = tuple[float, ...]


def laid_out_inputs(domain: Schema) -> tuple[int, ...]:
    """The inputs that need a layout."""
    return tuple(j for j, feature in enumerate(domain) if feature.transitions is not None)


@dataclass(frozen=True, eq=False)
class Axis:
    """One input's layout: the code at each position, and the price of each."""

    codes: Vector
    prices: Vector
    reached: int  # positions from 0, where the person stands, to here are allowed

    @cached_property
    def positions(self) -> Vector:
        """The position of each code."""
        found = np.empty(len(self.codes))
        found[self.codes.astype(np.intp)] = np.arange(len(self.codes))
        return found

    @classmethod
    def of(cls, feature: Feature, own: float) -> "Axis":
        """The layout for people of one category."""
        assert feature.coder is not None
        assert feature.categories is not None
        names, n = len(feature.coder.names), len(feature.categories)
        codes, prices = np.arange(names, dtype=np.float64), np.full(names, np.inf)
        if not 0 <= own < n:  # a gap is left alone, or filled in with anything
            return cls(codes, prices, n - 1)
        prices[:n] = feature.flat_price(np.full(n, own), codes[:n])
        order = np.argsort(prices[:n], kind="stable")  # by name among equals
        codes[:n], prices[:n] = codes[order], prices[order]
        return cls(codes, prices, int(np.isfinite(prices[:n]).sum()) - 1)


@dataclass(frozen=True, eq=False)
class Layout:
    """A domain, percentiles and a price as one group of people meets them."""

    domain: Schema
    percentiles: Percentiles
    price: Price
    axes: Mapping[int, Axis]
    laws: tuple[Condition, ...] = ()  # the schema's rules, which speak of codes

    @classmethod
    def of(cls, domain: Schema, percentiles: Percentiles, price: Price, key: Key) -> "Layout":
        """The layout for people with these categories of the inputs that need one."""
        inputs = laid_out_inputs(domain)
        axes = {j: Axis.of(domain.features[j], own) for j, own in zip(inputs, key, strict=True)}
        features = tuple(
            _on_axis(f, axes[j]) if j in axes else f for j, f in enumerate(domain.features)
        )
        ladders = {j: axis.prices for j, axis in axes.items() if np.isfinite(axis.prices).any()}
        return cls(
            replace(domain, features=features, rules=()),
            replace(percentiles, features=features),
            replace(price, ladders=ladders),
            axes,
            domain.rules,
        )

    @cached_property
    def rules(self) -> tuple[Law, ...] | None:
        """The schema's rules as trees that read positions; None where the domain holds them."""
        if not self.axes:
            return None
        return tuple(self._relaid(Law.of(rule)) for rule in self.laws)

    def to_axes(self, X: Matrix) -> Matrix:
        """People's codes as positions."""
        return self._translated(X, {j: axis.positions for j, axis in self.axes.items()})

    def to_codes(self, X: Matrix) -> Matrix:
        """Positions as codes."""
        return self._translated(X, {j: axis.codes for j, axis in self.axes.items()})

    def _translated(self, X: Matrix, tables: Mapping[int, Vector]) -> Matrix:
        if not tables:
            return X
        moved = X.copy()
        for j, table in tables.items():
            known = np.isfinite(X[:, j])
            moved[known, j] = table[X[known, j].astype(np.intp)]
        return moved

    def model(self, score: Score) -> Score:
        """A model that reads positions instead of codes; one that cannot be read is only asked."""
        if not self.axes:
            return score
        if isinstance(score, Paired):
            score = as_trees(score, self.domain)
        if isinstance(score, Rule):
            return RelaidRule(score, self)
        if isinstance(score, TreeEnsemble):
            return self._relaid(score)
        if isinstance(score, Linear | Additive):
            functions = [self._added(score, j) for j in range(score.width)]
            return Additive(functions, score.offset, score.link, score.threshold)
        return Asked(score, self)

    def trees(self, score: TreeEnsemble) -> Trees:
        """A model's trees, reading positions."""
        return unfold(self._asked(score), frozenset(self.axes))

    def _relaid(self, score: Ensemble) -> Ensemble:
        return replace(score, trees=self.trees(score), prediction=None)

    def models(self, scores: Sequence[Score]) -> tuple[Score, ...]:
        """Several models."""
        return tuple(map(self.model, scores))

    def _asked(self, score: TreeEnsemble) -> Branching:
        """The trees, asking for sets of positions where they ask for codes up to a split."""
        plain = branching_of(score.trees)
        questions = [
            q if q is None or q.feature not in self.axes else self._regrouped(q)
            for q in plain.questions
        ]
        return Branching(questions, plain.values, plain.roots)

    def _regrouped(self, question: Question) -> Question:
        members = self.axes[question.feature].codes <= question.split
        return replace(question, members=members, split=np.inf)

    def _added(self, score: Linear | Additive, j: int) -> Any:
        if j not in self.axes:
            return score.functions[j] if isinstance(score, Additive) else added_by(score, j)
        return _Relaid(added_by(score, j), self.axes[j].codes)


@dataclass(frozen=True)
class _Relaid:
    """One input's part of a sum, asked about positions."""

    added: Any
    codes: Vector

    def __call__(self, positions: Vector) -> Vector:
        known = np.isfinite(positions)
        where = np.clip(np.where(known, positions, 0.0), 0, len(self.codes) - 1).astype(np.intp)
        found: Vector = self.added(np.where(known, self.codes[where], positions))
        return found


@dataclass(frozen=True, eq=False, init=False, repr=False)
class RelaidRule(Rule):
    """A rule whose trees read positions; its condition still speaks of codes."""

    layout: Layout = field(kw_only=True)

    def __init__(self, rule: Rule, layout: Layout) -> None:
        whole = TreeEnsemble(layout.trees(rule), rule.width, rule.threshold, rule.link)
        self.__dict__.update(whole.__dict__, condition=rule.condition, layout=layout)

    def refusing(self, x: Vector, mutable: Bools) -> list[str]:
        """The parts that a row of positions fails by what cannot change."""
        return super().refusing(self.layout.to_codes(x[None])[0], mutable)


@dataclass(frozen=True, eq=False)
class Asked:
    """Any other model, asked about codes."""

    inner: Score
    layout: Layout

    @property
    def width(self) -> int:
        """How many inputs a row has."""
        return self.inner.width

    @property
    def probability(self) -> bool:
        """Whether the score is a probability minus a threshold."""
        return self.inner.probability

    @property
    def digest(self) -> str:
        """The model's own fingerprint."""
        return self.inner.digest

    def score(self, X: Matrix) -> Vector:
        """The score of each row."""
        return self.inner.score(self.layout.to_codes(X))

    def accepts(self, X: Matrix, margin: float = 0.0) -> NDArray[np.bool_]:
        """Whether the estimator accepts each row."""
        return self.inner.accepts(self.layout.to_codes(X), margin)


def _on_axis(feature: Feature, axis: Axis) -> Feature:
    """The input as the search sees it: positions in order, tokens at their codes."""
    assert feature.categories is not None
    n = len(feature.categories)
    tokens = tuple(n + i for i in range(len(feature.missing)))
    movable = feature.mutable and axis.reached > 0
    return Feature(
        feature.name,
        "ordinal",
        movable,
        lower=0.0,
        upper=float(axis.reached),
        step=1.0,
        missing=tokens,
        when_missing=feature.when_missing,
        fill_price=feature.fill_price,
    )
