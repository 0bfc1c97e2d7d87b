"""What a letter says: the fields that templates know."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Detail:
    """An input and the person's own value of it; the value is empty where it is missing."""

    label: str
    value: str


@dataclass(frozen=True)
class Change:
    """One change of a way: `kind` is raise, lower, change or fill; `start` is empty if to fill."""

    label: str
    kind: str
    start: str
    goal: str


@dataclass(frozen=True)
class Stuck:
    """An input that stays: it may only `rise` or `fall`, and is beyond the advice's `bound`."""

    label: str
    value: str
    way: str
    bound: str


@dataclass(frozen=True)
class Way:
    """Changes that together lead to acceptance, after so many months of waiting (0: now).

    `outcome` is minimal, within_gap or found; `gap` says how much cheaper another way might be.
    """

    changes: tuple[Change, ...]
    months: str
    outcome: str
    gap: str


@dataclass(frozen=True)
class Certainty:
    """A certificate in the language's numbers."""

    lower: str
    confidence: str
    kept: str
    models: str
    simultaneous: bool


@dataclass(frozen=True)
class Content:
    """The fields of a template: all that is known of one person's letter.

    `outcome` is how the search ended, `way` the advice (None without), `alternatives` further ways;
    `reasons` is None where no reasons were given, and `all_reasons` says that these are all of
    them. `doubts` are details that the schema does not admit, `stuck` inputs that cannot move where
    there is no advice, `kept` inputs the person asked to leave as they are, `note` a remark of a
    method of your own. `certificate` is None without one, `valid_until` and `picture` are empty if
    there is none.
    """

    person: str
    outcome: str
    way: Way | None
    alternatives: tuple[Way, ...]
    reasons: tuple[Detail, ...] | None
    all_reasons: bool
    doubts: tuple[Detail, ...]
    stuck: tuple[Stuck, ...]
    kept: tuple[str, ...]
    note: str
    valid_until: str
    certificate: Certainty | None
    picture: str
    origin: str
    model: str
    version: str
    language: str


FIELDS = frozenset(one.name for one in fields(Content))
