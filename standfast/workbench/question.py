"""What a page may ask: bodies of requests, checked against declared structures."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from standfast.errors import InputError, listing
from standfast.schema import Feature, Schema
from standfast.schema.categories import MISSING
from standfast.structure import TEXT, Record, Several, check, nullable, number, one_of, whole
from standfast.workbench.world import LADDER, Vector, World

METHODS = ("reference", "all", "lasting", "later", "recourse", "spheres")
FARTHEST = 1e15  # beyond it a computer cannot count in steps

LIMIT = Record({"input": TEXT}, {"lower": nullable(number()), "upper": nullable(number())})
BODY = Record(
    {},
    {
        "person": whole(0),
        "values": Several("value", nullable(number(-FARTHEST, FARTHEST))),
        "tried": Several("value", nullable(number(-FARTHEST, FARTHEST))),
        "keep": Several("input", TEXT),
        "only": Several("limit", LIMIT),
        "members": Several("member", whole(0)),
        "method": one_of(*METHODS),
        "validity": number(0, 1),
        "breach_cost": number(0, 1000),
        "candidate": whole(0),
        "require": TEXT,
    },
)


@dataclass(frozen=True)
class Limit:
    """How far one input may go: "only this much"."""

    column: int
    lower: float
    upper: float


@dataclass(frozen=True)
class Question:
    """One person, what they cannot change, how far they can go, and who must accept.

    Nothing else about a visitor is known here: the page repeats all of it with every request.
    """

    x: Vector
    label: str
    keep: tuple[str, ...] = ()
    only: tuple[Limit, ...] = ()
    members: tuple[int, ...] = ()
    method: str = "reference"
    validity: float = 0.9

    def table(self, schema: Schema) -> pd.DataFrame:
        """The person as a table of one row."""
        return schema.table(self.x[None], pd.Index([self.label]))


def asked(world: World, body: Any) -> Question:
    """The question that a body asks; what is wrong with it is said in one sentence."""
    check(body, BODY, "the request")
    if ("person" in body) == ("values" in body):
        raise InputError("name a person or give values, one of them")
    if "values" in body:
        x, label = row_of(world, body["values"]), "typed by hand"
    else:
        X, doubts = world.rows
        if body["person"] >= len(X):
            raise InputError(f"there is no person {body['person']}; there are {len(X)}, from 0")
        x, label = X[body["person"]], str(world.people.index[body["person"]])
        if doubts[body["person"]]:
            raise InputError(f"person {label}: {doubts[body['person']]}")
    only = tuple(_limit(world, one) for one in body.get("only", ()))
    repeated = [j for j in {one.column for one in only} if sum(o.column == j for o in only) > 1]
    if repeated:
        raise InputError(f"'{world.schema.names[repeated[0]]}' has two limits; give one")
    return Question(
        x,
        label,
        tuple(sorted({world.schema[name].name for name in body.get("keep", ())})),
        tuple(sorted(only, key=lambda one: one.column)),
        chosen(world, body.get("members")),
        body.get("method", "reference"),
        _rung(body.get("validity", 0.9)),
    )


def row_of(world: World, values: list[float | None]) -> Vector:
    """A row of codes from values as the page writes them."""
    schema = world.schema
    if len(values) != len(schema):
        raise InputError(f"{len(values)} values for {len(schema)} inputs; give one for each")
    x = np.array([MISSING if value is None else float(value) for value in values])
    for feature, value in zip(schema, x.tolist(), strict=True):
        if feature.categories is None or value == MISSING:
            continue
        if value != int(value) or not 0 <= value < len(feature.categories):
            raise InputError(
                f"'{feature.name}' is {value:g}; its categories are numbered from 0 to "
                f"{len(feature.categories) - 1}"
            )
    doubt = schema.judged(schema.table(_known(schema, x)[None]))[1][0] or schema.doubts(x[None])[0]
    if doubt:
        raise InputError(doubt)
    return x


def _known(schema: Schema, x: Vector) -> Vector:
    """The row as a table can hold it: whole kinds are whole there."""
    whole_kinds = np.array([f.kind in ("count", "binary", "ordinal") for f in schema])
    broken = whole_kinds & np.isfinite(x) & (x != np.round(x))
    if broken.any():
        j = int(np.flatnonzero(broken)[0])
        raise InputError(f"'{schema.names[j]}' is {x[j]:g}; it must be a whole number")
    return x


def chosen(world: World, members: list[int] | None) -> tuple[int, ...]:
    """The models that must accept; all of them unless named, and always the reference."""
    if members is None:
        return tuple(range(len(world.members)))
    unknown = [k for k in members if k >= len(world.members)]
    if unknown:
        raise InputError(
            f"there is no model {unknown[0]}; there are {len(world.members)}, counted from 0"
        )
    return tuple(sorted({0, *members}))


def narrowed(world: World, only: tuple[Limit, ...]) -> Schema:
    """The schema in which advice goes no farther than the limits allow."""
    features = list(world.schema.features)
    for limit in only:
        feature, complete = features[limit.column], world.strips.schema.features[limit.column]
        features[limit.column] = _narrower(feature, complete, limit)
    return replace(world.schema, features=tuple(features))


def _narrower(feature: Feature, complete: Feature, limit: Limit) -> Feature:
    assert complete.lower is not None
    assert complete.upper is not None
    lower, upper = max(complete.lower, limit.lower), min(complete.upper, limit.upper)
    if lower > upper:  # nothing but the own value remains
        return replace(feature, mutable=False, direction="any")
    return replace(feature, lower=lower, upper=upper, step=complete.step)


def _limit(world: World, given: dict[str, Any]) -> Limit:
    feature = world.schema[given["input"]]
    if feature.categories is not None:
        raise InputError(f"'{feature.name}' has categories, which have no limit; keep it instead")
    lower, upper = given.get("lower"), given.get("upper")
    ends = -np.inf if lower is None else float(lower), np.inf if upper is None else float(upper)
    if ends[0] > ends[1]:
        raise InputError(
            f"'{feature.name}' from {ends[0]:g} to {ends[1]:g}: the first number must be the lower"
        )
    return Limit(world.schema.names.index(feature.name), *ends)


def _rung(validity: float) -> float:
    if validity not in LADDER:
        raise InputError(f"validity is {validity:g}; choose one of {listing(LADDER, len(LADDER))}")
    return float(validity)
