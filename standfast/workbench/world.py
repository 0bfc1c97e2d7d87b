"""The world behind the page: one frozen value, built once; nothing in it belongs to a visitor."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.methods import (
    ActionableRecourse,
    Advisor,
    GrowingSpheres,
    Invariant,
    Method,
    MinimalCost,
    prepare,
)
from standfast.percentiles import Percentiles
from standfast.person_view.facts import Strips
from standfast.rivals.fresh_models import Part
from standfast.schema import Schema
from standfast.scores import Score, Unanimous

Vector = NDArray[np.float64]

HORIZONS = (0.0, 3.0, 6.0, 12.0)  # months
VALIDITY = 0.9
LADDER = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)  # validities that the price of lasting is drawn at


@dataclass(frozen=True)
class Member:
    """A model by its name; `risk` is its share of mistakes, where that is known."""

    name: str
    score: Score
    origin: str = ""
    risk: float | None = None


@dataclass(frozen=True, eq=False)
class World:
    """What everybody who opens the page sees.

    The first of the `members` is the reference. `recipe` is the Python that makes `schema`,
    `percentiles` and `models`, `fresh_recipe` that makes `fresh`; `notes` say what was
    left out, and why. `advisors` are the methods' where they were prepared elsewhere.
    """

    title: str
    schema: Schema
    percentiles: Percentiles
    people: pd.DataFrame
    members: tuple[Member, ...]
    recipe: str
    notes: tuple[str, ...] = ()
    fresh_recipe: str = ""
    advisors: Mapping[str, Advisor] | None = None

    @cached_property
    def strips(self) -> Strips:
        """The inputs as the page draws them."""
        return Strips(self.schema.complete(self.ranks.values), self.ranks)

    @cached_property
    def ranks(self) -> Percentiles:
        """The percentiles of the schema's inputs."""
        return self.percentiles.of(self.schema)

    @cached_property
    def rows(self) -> tuple[NDArray[np.float64], list[str]]:
        """People's values in codes, and what is impossible about each; '' if nothing."""
        return self.schema.judged(self.people)

    @cached_property
    def refused(self) -> NDArray[np.bool_]:
        """Who is possible and refused by the reference; without a model, who is possible."""
        X, doubts = self.rows
        refused = np.array([not doubt for doubt in doubts], dtype=bool)
        if self.members:
            refused[refused] = ~self.members[0].score.accepts(X[refused])
        return refused

    @cached_property
    def cheapest(self) -> MinimalCost:
        """The exact method, whose cost is everybody's."""
        return MinimalCost(self.schema, self.percentiles)

    @cached_property
    def methods(self) -> Mapping[str, Advisor]:
        """The methods that the reference, or all models together, can be asked by."""
        return self._prepared[0]

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """What cannot be done with these models, and why."""
        return (*self.notes, *self._prepared[1])

    @cached_property
    def _prepared(self) -> tuple[dict[str, Advisor], tuple[str, ...]]:
        if self.advisors is not None:
            return dict(self.advisors), ()
        if not self.members:
            return {}, ("No model could be read, so there is no advice.",)
        reference, known = self.members[0].score, (self.schema, self.percentiles)
        asked: list[tuple[str, Method, Score]] = [("reference", self.cheapest, reference)]
        if len(self.members) > 1:
            asked.append(("all", self.cheapest, self.unanimous(range(len(self.members)))))
        if self._passes:
            asked.append(("later", MinimalCost(*known, within=HORIZONS), reference))
        asked.append(("spheres", GrowingSpheres(*known), reference))
        found, notes = dict[str, Advisor](), list[str]()
        for key, method, model in asked:
            try:
                found[key] = prepare(method, model)
            except InputError as error:
                notes.append(f"{titles(self)[key]}: {error}.")
        with suppress(InputError):  # only linear and additive models have actions
            found["recourse"] = prepare(ActionableRecourse(*known), reference)
        return found, tuple(dict.fromkeys(notes))

    @property
    def _passes(self) -> bool:
        """Whether time changes anything: inputs that drift, or that have a pace."""
        return any(f.drift is not None or f.pace is not None for f in self.schema)

    def unanimous(self, which: "range | tuple[int, ...]") -> Score:
        """Some of the models as one score that all of them must accept; one model is itself."""
        chosen = [self.members[k] for k in which]
        if len(chosen) == 1:
            return chosen[0].score
        names = tuple(member.name for member in chosen)
        return Unanimous(tuple(member.score for member in chosen), names=names)


@dataclass(frozen=True, eq=False)
class Lasting:
    """Fresh models in their three parts, and advisors that search for advice which lasts."""

    search: Part
    choose: Part
    certify: Part
    ladder: Mapping[float, Advisor]
    left_out: tuple[str, ...] = ()

    @classmethod
    def build(cls, world: World, search: Part, choose: Part, certify: Part) -> "Lasting":
        """Advisors for the world's reference, one for each validity."""
        if not world.members or not len(search) or not len(choose):
            return cls(search, choose, certify, {})
        try:
            ladder = {
                validity: prepare(
                    Invariant(
                        world.schema,
                        world.percentiles,
                        search=search,
                        choose=choose,
                        validity=validity,
                    ),
                    world.members[0].score,
                )
                for validity in LADDER
            }
        except InputError as error:
            return cls(search, choose, certify, {}, (f"Lasting advice: {error}.",))
        return cls(search, choose, certify, ladder)


def titles(world: World) -> dict[str, str]:
    """The methods' names on the page."""
    first = world.members[0].name if world.members else "the model"
    return {
        "reference": f"Cheapest for {first}",
        "all": f"Cheapest for all {len(world.members)} models",
        "lasting": f"Lasting: {VALIDITY:.0%} of fresh models".replace("%", " %"),
        "later": f"Cheapest for {first}, given time",
        "recourse": "Actionable recourse",
        "spheres": "Growing spheres",
    }
