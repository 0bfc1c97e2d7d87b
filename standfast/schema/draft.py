"""What a table suggested when a schema was inferred: for a person to check, never enforced."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from standfast.schema.relation import Relation


@dataclass(frozen=True)
class Draft:
    """Everything a draft guessed; written as comments into its TOML.

    `spans` says what was seen of each column and `guesses` why it was drafted so. `suspects` are
    columns that may not be inputs at all, with the reason; `note` is about the whole table. The
    table never breaks the `relations` and `rules`; `remarks` are about columns together.
    """

    spans: Mapping[str, str]
    relations: tuple[Relation, ...]
    guesses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    suspects: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    rules: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
