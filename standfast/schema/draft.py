"""What is written beside a schema: what a table suggested, and why something was declared."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from standfast.schema.relation import Relation


@dataclass(frozen=True)
class Draft:
    """Everything a draft guessed, or why a schema says so; written as comments into its TOML.

    `spans` says what was seen of each column and `guesses` why it was drafted so. `suspects` are
    columns that may not be inputs at all, with the reason; `note` is about the whole table. The
    table never breaks the `relations` and `rules`; `remarks` are about columns together. `because`
    has reasons for what is declared, by an input's name or a law's text.
    """

    spans: Mapping[str, str] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    guesses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    suspects: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    rules: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    because: Mapping[str, str] = field(default_factory=dict)
