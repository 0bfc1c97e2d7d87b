"""What holds between inputs: relations, rules, and changes that go together, read and judged."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError, listing
from standfast.schema.condition import Condition
from standfast.schema.condition_tree import check_together
from standfast.schema.feature import Feature
from standfast.schema.relation import HalfSpaces, Relation
from standfast.schema.values import as_text

if TYPE_CHECKING:
    from standfast.schema.schema import Schema

Matrix = NDArray[np.float64]

MOST_COEFFICIENTS = 2**24
# the bound of a half-space that cannot be judged
OUT_OF_REACH = 1e200


def relations_of(
    given: object, features: Sequence[Feature], what: str, example: str
) -> tuple[Relation, ...]:
    """Relations or changes, parsed and checked; categories have no size to calculate with."""
    names = [f.name for f in features]
    texts = _texts(given, what, example)
    parsed = tuple(t if isinstance(t, Relation) else Relation.parse(t, names) for t in texts)
    if len(parsed) * len(features) > MOST_COEFFICIENTS:
        raise InputError(
            f"{len(parsed):,} {what} between {len(features):,} features are more than "
            "can be held; leave out those that follow from others"
        )
    HalfSpaces.build(parsed, names)
    unordered = {f.name for f in features if f.kind == "nominal"}
    for relation in parsed:
        named = [name for name, _ in relation.terms if name in unordered]
        if named:
            raise InputError(
                f"'{relation}' calculates with {listing(named)}, which is nominal: categories "
                "have no size; write a rule instead"
            )
    return parsed


def rules_of(given: object, features: tuple[Feature, ...]) -> tuple[Condition, ...]:
    """Rules, parsed, and checked not to contradict each other."""
    texts = _texts(given, "rules", "if housing == rent then mortgage == 0")
    rules = tuple(
        t.of(features)
        if isinstance(t, Condition)
        else Condition.parse(as_text(t, "a rule"), features)
        for t in texts
    )
    if rules:
        check_together(rules)
    return rules


def check_directions(features: Sequence[Feature], laws: Sequence[Relation]) -> None:
    """Refuse a law about moves, Σ a_j δ_j = 0 or ≤ 0, under which no directed input can move.

    That is so where all of its inputs may move, and each one only so that a_j δ_j ≥ 0 (or, in an
    equality, each one only so that a_j δ_j ≤ 0).
    """
    of = {f.name: f for f in features}
    for law in laws:
        inputs = [(of[name], a) for name, a in law.terms]
        if len(inputs) < 2 or not all(f.mutable and f.direction != "any" for f, _ in inputs):
            continue
        signs = {(a > 0) == (f.direction == "up") for f, a in inputs}
        if signs == {True} or (law.equal and len(signs) == 1):
            ways = {"up": "rise", "down": "fall"}
            said = [f"'{f.name}' may only {ways[f.direction]}" for f, _ in inputs]
            raise InputError(
                f"'{law}' contradicts the directions: {' and '.join(said)}, so none of them could "
                "move; correct a direction, or leave the law out"
            )


def bounds(schema: "Schema", X: Matrix) -> Matrix:
    """For each person the right side b of the half-spaces A x̃ ≤ b (see `Schema.law_bounds`)."""
    spaces, couplings = schema.half_spaces, schema.couplings
    shared = np.broadcast_to(spaces.b, (len(X), len(spaces.b)))
    if not schema.changes:
        return np.array(shared)
    lacking = schema.lacking(X) | ~np.isfinite(X)
    own = np.where(lacking, 0.0, X) @ couplings.A.T + couplings.b
    unjudged = lacking.astype(np.float64) @ (couplings.A != 0).T > 0
    return np.hstack([shared, np.where(unjudged, OUT_OF_REACH, own)])


def excess(schema: "Schema", points: Matrix) -> Matrix:
    """How far each relation is broken; one that reads a missing value cannot be judged."""
    if not schema.relations:
        return schema.half_spaces.excess(points)
    lacking = schema.lacking(points)
    if not lacking.any():
        return schema.half_spaces.excess(points)
    found = schema.half_spaces.excess(np.where(lacking, 0.0, points))
    return np.where(_reads(schema.half_spaces, lacking), 0.0, found)


def uncoupled(schema: "Schema", own: Matrix, points: Matrix) -> Matrix:
    """How far changes that go together are apart, where both values are known."""
    own, points = np.broadcast_arrays(own, points)
    lacking = schema.lacking(points) | schema.lacking(own) | ~np.isfinite(own)
    ends = [np.where(lacking, 0.0, values) for values in (points, own)]
    found = schema.couplings.excess(*ends)
    return np.where(_reads(schema.couplings, lacking), 0.0, found)


def kept(schema: "Schema", points: Matrix) -> NDArray[np.bool_]:
    """For each point (rows) which rules (columns) it does not break."""
    kept = np.ones((*points.shape[:-1], len(schema.rules)), dtype=bool)
    for r, rule in enumerate(schema.rules):
        kept[..., r] = ~rule.broken(points)
    return kept


def hold(schema: "Schema", own: Matrix, points: Matrix) -> NDArray[np.bool_]:
    """Whether each point keeps the relations, the rules, and the changes that go together."""
    held = (excess(schema, points) == 0).all(axis=-1)
    if schema.rules:
        held = held & kept(schema, points).all(axis=-1)
    if schema.changes:
        held = held & (uncoupled(schema, own, points) == 0).all(axis=-1)
    return np.asarray(held)


def broken(schema: "Schema", point: Matrix) -> list[str]:
    """The relations a point breaks, one sentence each."""
    pairs = zip(schema.relations, excess(schema, point), strict=True)
    return [f"'{relation}' does not hold" for relation, e in pairs if e > 0]


def objections(schema: "Schema", own: Matrix, point: Matrix) -> list[str]:
    """The relations, rules and changes that keep a person from a point, one sentence each."""
    found = broken(schema, point)
    judged = zip(schema.rules, kept(schema, point), strict=True)
    found += [f"'{rule}' does not hold" for rule, holds in judged if not holds]
    if schema.changes:
        pairs = zip(schema.changes, uncoupled(schema, own, point), strict=True)
        found += [f"'{c}' does not hold for what changes" for c, e in pairs if e > 0]
    return found


def _texts(given: object, what: str, example: str) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"{what} must be a list of texts such as '{example}'")
    return tuple(given)


def _reads(spaces: HalfSpaces, lacking: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which relations (columns) read a value that is missing."""
    return np.asarray(lacking @ spaces.reads > 0)
