"""Why a search ended as it did: facts that programs compare and files keep; no prose."""

from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

from standfast.errors import InputError
from standfast.structure import (
    TEXT,
    YES_OR_NO,
    Record,
    Row,
    Several,
    Structure,
    check,
    nullable,
    number,
    one_of,
    whole,
)

Which = Literal["boxes", "memory", "time", "interruption"]


@dataclass(frozen=True)
class LimitReached:
    """A limit ended the search: after so many boxes, in memory, in time, or by the user.

    Nothing costs less than `lower_bound`, where the search proves anything.
    """

    limit: Which
    boxes: int | None = None
    lower_bound: float | None = None


@dataclass(frozen=True)
class ActionGrid:
    """Only the values of an action grid were tried, by definition of the method."""


@dataclass(frozen=True)
class SampledValues:
    """Only some values of these inputs were tried: they have too many to prove anything."""

    inputs: tuple[str, ...]


@dataclass(frozen=True)
class Unsatisfiable:
    """No admissible change satisfies these models, by their positions.

    Each of them refuses everything `alone`, or they do so together. With `relations` it is because
    of what the schema says about inputs together (relations, rules, changes), or that cannot be
    ruled out. No admissible change keeps any of the schema's `rules` that are named. `level_sets`
    has the position and the ε of each model that is a level set of linear models, `tree_sets` those
    of each that is one of trees, and the path on which one of them refuses by what cannot change.
    """

    models: tuple[int, ...]
    alone: bool = False
    relations: bool = False
    level_sets: tuple[tuple[int, float], ...] = ()
    rules: tuple[str, ...] = ()
    tree_sets: tuple[tuple[int, float, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class RefusedByRules:
    """The lender's rules, or parts of them, that refuse whatever this person may change."""

    rules: tuple[str, ...]


@dataclass(frozen=True)
class NothingToChange:
    """The schema leaves this person nothing to change."""


@dataclass(frozen=True)
class NoneWithin:
    """No candidate up to a distance was accepted; `latent` distances are an autoencoder's."""

    distance: float
    latent: bool = False


@dataclass(frozen=True)
class RulesLeftAside:
    """The published search knows nothing but which inputs may change."""


class UnusualValue(NamedTuple):
    """An advised value that `people` of the reference table have or exceed; `up` or downwards."""

    feature: str
    value: float
    people: int
    up: bool


@dataclass(frozen=True)
class UnusualAdvice:
    """Advised values in a tail of the reference table, which has so many `rows`.

    `together` is the share of training people who are no more usual, where the values together are
    unusual. `known` is how many people's value of an input is known, where it is not everybody's.
    """

    rows: int
    values: tuple[UnusualValue, ...] = ()
    together: float | None = None
    known: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class AcceptedBy:
    """How many of the choosing models accept the advice, and, for a target validity, what it asks.

    At most `most` of them could accept any advice, where the target was missed; `ended` says that
    a limit ended the search.
    """

    yes: int
    models: int
    validity: float | None = None
    most: int | None = None
    ended: bool = False


@dataclass(frozen=True)
class FailedCheck:
    """What the schema objects to in the answer; without objections, the model itself refuses it."""

    objections: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contradiction:
    """How the person's own values contradict the schema, in the schema's words."""

    doubt: str


@dataclass(frozen=True)
class Note:
    """A sentence of a method of your own, or of a file that kept no facts.

    Parameters
    ----------
    text : str
        The sentence.

    Examples
    --------
    >>> Note("No example is accepted.").text
    'No example is accepted.'
    """

    text: str


@dataclass(frozen=True)
class Together:
    """Several causes, in the order they are said."""

    causes: tuple["Cause", ...]


Cause = (
    LimitReached
    | ActionGrid
    | SampledValues
    | Unsatisfiable
    | RefusedByRules
    | NothingToChange
    | NoneWithin
    | RulesLeftAside
    | UnusualAdvice
    | AcceptedBy
    | FailedCheck
    | Contradiction
    | Note
    | Together
)


def together(*causes: Cause | None) -> Cause | None:
    """The causes there are: none, the only one, or several."""
    found = tuple(cause for cause in causes if cause is not None)
    return Together(found) if len(found) > 1 else found[0] if found else None


# files

SHARE = number(0.0, 1.0)
STRUCTURES: dict[type, dict[str, Structure]] = {
    LimitReached: {
        "limit": one_of(*get_args(Which)),
        "boxes": nullable(whole(1)),
        "lower_bound": nullable(number()),
    },
    ActionGrid: {},
    SampledValues: {"inputs": Several("input", TEXT)},
    Unsatisfiable: {
        "models": Several("model", whole(0)),
        "alone": YES_OR_NO,
        "relations": YES_OR_NO,
        "level_sets": Several("level set", Row({"position": whole(0), "epsilon": number(0.0)})),
        "rules": Several("rule", TEXT),
        "tree_sets": Several(
            "level set",
            Row(
                {
                    "position": whole(0),
                    "epsilon": number(0.0),
                    "path": Several("condition", TEXT),
                }
            ),
        ),
    },
    RefusedByRules: {"rules": Several("rule", TEXT)},
    NothingToChange: {},
    NoneWithin: {"distance": number(0.0), "latent": YES_OR_NO},
    RulesLeftAside: {},
    UnusualAdvice: {
        "rows": whole(1),
        "values": Several(
            "value",
            Row({"feature": TEXT, "value": number(), "people": whole(0), "up": YES_OR_NO}),
        ),
        "together": nullable(SHARE),
        "known": Several("input", Row({"feature": TEXT, "people": whole(0)})),
    },
    AcceptedBy: {
        "yes": whole(0),
        "models": whole(1),
        "validity": nullable(SHARE),
        "most": nullable(whole(0)),
        "ended": YES_OR_NO,
    },
    FailedCheck: {"objections": Several("objection", TEXT)},
    Contradiction: {"doubt": TEXT},
    Note: {"text": TEXT},
}
# what files of earlier versions do not say
LATER: dict[type, dict[str, Any]] = {
    Unsatisfiable: {"rules": [], "tree_sets": []},
    UnusualAdvice: {"known": []},
}
KINDS = {kind.__name__: kind for kind in (*STRUCTURES, Together)}


def to_json(cause: Cause) -> dict[str, Any]:
    """The cause in plain values.

    >>> to_json(LimitReached("boxes", 100, 0.5))
    {'kind': 'LimitReached', 'limit': 'boxes', 'boxes': 100, 'lower_bound': 0.5}
    """
    kind = {"kind": type(cause).__name__}
    if isinstance(cause, Together):
        return kind | {"reasons": [to_json(one) for one in cause.causes]}
    return kind | {field.name: getattr(cause, field.name) for field in fields(cause)}


def from_json(found: Any) -> Cause:
    """The cause that plain values say, or one sentence about what is wrong with them.

    >>> from_json({"kind": "SampledValues", "inputs": ["age"]})
    SampledValues(inputs=('age',))
    """
    check(found, Record({"kind": one_of(*KINDS)}), "the reason")
    kind = KINDS[found["kind"]]
    if kind is Together:
        check(found, Record({"reasons": Several("reason", Record({}))}), "the reason")
        return Together(tuple(from_json(one) for one in found["reasons"]))
    found = LATER.get(kind, {}) | found
    check(found, Record(STRUCTURES[kind]), "the reason")
    given = {name: _frozen(found[name]) for name in STRUCTURES[kind]}
    if kind is UnusualAdvice:
        given["values"] = tuple(UnusualValue(*value) for value in given["values"])
    if kind is AcceptedBy and max(given["yes"], given["most"] or 0) > given["models"]:
        raise InputError("the reason counts more models than there are")
    cause: Cause = kind(**given)
    return cause


def _frozen(value: Any) -> Any:
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value
