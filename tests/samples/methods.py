"""Every method, and which models it reads: the one place where a method is added to the contract.

What a method reads it serves by every duty; what it does not read it refuses with a sentence that
says what to use instead. There is no third way, so there is nothing to skip.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from samples.applicants import SCHEMA, known, percentiles
from standfast import (
    CCHVAE,
    ActionableRecourse,
    Answers,
    Autoencoder,
    GrowingSpheres,
    Invariant,
    MinimalCost,
    Schema,
    Score,
    as_score,
)
from standfast.autoencoder import fit
from standfast.methods import Search
from standfast.studies.peers import BetaRce, Roar

LINEAR = frozenset({"linear"})
ADDED_UP = LINEAR | {"additive", "linear and additive"}
STRUCTURE = ADDED_UP | {"forest", "isolation forest", "linear and forest"}
LEVEL_SETS = frozenset({"linear level set", "level set and forest"})
ANYTHING = STRUCTURE | LEVEL_SETS | {"black box", "linear and black box"}

# A new method adds its line here and in METHODS, and has to keep every duty.
READS: Mapping[str, frozenset[str]] = {
    "minimal cost": STRUCTURE | LEVEL_SETS,
    "actionable recourse": ADDED_UP,
    "first of two exact methods": STRUCTURE | LEVEL_SETS,
    "invariant": STRUCTURE,
    "growing spheres": ANYTHING,
    "growing spheres as published": ANYTHING,
    "c-chvae": ANYTHING,
    "c-chvae, sparse": ANYTHING,
    "c-chvae as published": ANYTHING,
    "roar": LINEAR,
    "beta rce": ANYTHING,
}

# what a refusal must say: which models the method reads, and what to use for the others
ADVISED: Mapping[str, str] = {
    "minimal cost": "takes linear, additive and tree models: use GrowingSpheres",
    "actionable recourse": "reads linear and additive models: use MinimalCost for trees, "
    "GrowingSpheres for anything",
    "first of two exact methods": "use GrowingSpheres|give Unanimous one margin per member",
    "invariant": "takes linear, additive and tree models: use GrowingSpheres",
    "roar": "reads the weights of a linear model.*; give it a logistic regression",
}


@cache
def learnt(schema: Schema) -> Autoencoder:
    """An autoencoder of the known people; fitting it once serves every duty."""
    return fit(schema, known()[0], s=3, z=4, epochs=30, seed=0)


@cache
def forests(schema: Schema) -> tuple[tuple[Score, ...], ...]:
    """Two parts of forests grown on resampled people."""
    table, labels = known()
    rng, parts = np.random.default_rng(0), []
    for size in (8, 8):
        grown = []
        for _ in range(size):
            rows = rng.integers(0, len(table), len(table))
            forest = RandomForestClassifier(10, max_depth=4, random_state=int(rng.integers(1000)))
            forest.fit(table.iloc[rows], labels[rows])
            grown.append(as_score(forest, schema, favourable=1))
        parts.append(tuple(grown))
    return tuple(parts)


def invariant(schema: Schema) -> Invariant:
    search, choose = forests(schema)
    return Invariant(schema, percentiles(), search=search, choose=choose, validity=0.7)


def beta_rce(schema: Schema) -> BetaRce:
    return BetaRce(GrowingSpheres(schema, percentiles()), forests(schema)[0], delta=0.5)


def c_chvae(schema: Schema) -> CCHVAE:
    return CCHVAE(schema, percentiles(), learnt(schema))


@dataclass(frozen=True)
class FirstOfTwo:
    """A composite: the first method's advice, and where it has none, the second's."""

    first: MinimalCost
    second: MinimalCost
    name: str = "the first of two exact methods"

    schema = property(lambda self: self.first.schema)
    domain = property(lambda self: self.first.domain)
    percentiles = property(lambda self: self.first.percentiles)

    def settings(self):
        return {"first": self.first.settings(), "second": self.second.settings()}

    def price(self, X, Y):
        return self.first.price(X, Y)

    def prepare(self, model):
        return BothSearches(self.first.prepare(model), self.second.prepare(model))


@dataclass(frozen=True)
class BothSearches:
    first: Search
    second: Search

    def keeping(self, inputs):
        return BothSearches(self.first.keeping(inputs), self.second.keeping(inputs))

    def advise(self, X, streams, budget):
        ours, other = (one.advise(X, streams, budget) for one in (self.first, self.second))
        took = [outcome.advises for outcome in ours.outcomes]

        def chosen(mine, theirs):
            return tuple(a if t else b for t, a, b in zip(took, mine, theirs, strict=True))

        return Answers(
            np.where(np.array(took)[:, None], ours.points, other.points),
            chosen(ours.outcomes, other.outcomes),
            chosen(ours.causes, other.causes),
            np.where(took, ours.lower_bounds, other.lower_bounds),
            ours.seconds + other.seconds,
            chosen(ours.binding, other.binding),
        )


def first_of_two(schema: Schema) -> FirstOfTwo:
    given = schema, percentiles()
    return FirstOfTwo(MinimalCost(*given, margin=0.3), MinimalCost(*given, boxes=100_000))


METHODS: Mapping[str, Callable[[Schema], Any]] = {
    "minimal cost": lambda schema: MinimalCost(schema, percentiles()),
    "actionable recourse": lambda schema: ActionableRecourse(schema, percentiles()),
    "first of two exact methods": first_of_two,
    "invariant": invariant,
    "growing spheres": lambda schema: GrowingSpheres(schema, percentiles()),
    "growing spheres as published": lambda schema: GrowingSpheres.as_published(
        schema, percentiles()
    ),
    "c-chvae": c_chvae,
    "c-chvae, sparse": lambda schema: replace(c_chvae(schema), sparse=True),
    "c-chvae as published": lambda schema: CCHVAE.as_published(
        schema, percentiles(), learnt(schema)
    ),
    "roar": lambda schema: Roar(schema, percentiles(), delta=0.02),
    "beta rce": beta_rce,
}


def method_for(name: str, model: str) -> Any:
    """The method as the duties ask it: a sampling method draws fewer points for a level set.

    Each point costs a level set a convex program.
    """
    found = METHODS[name](SCHEMA)
    if model not in LEVEL_SETS or not hasattr(found, "candidates"):
        return found
    found = replace(found, candidates=10)
    return replace(found, base=replace(found.base, candidates=10)) if name == "beta rce" else found
