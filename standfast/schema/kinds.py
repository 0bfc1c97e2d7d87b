"""What an input can be: its kinds, and what a declaration may say about it."""

from collections.abc import Mapping
from typing import Literal

from standfast.schema.categories import Category

Kind = Literal["real", "positive", "count", "binary", "ordinal", "nominal"]
WhenMissing = Literal["refuse", "keep", "fill"]
Direction = Literal["any", "up", "down"]
Range = tuple[float | None, float | None]
Labels = Mapping[str, str] | tuple[tuple[str, str], ...]
# by language, the text of each category
CategoryLabels = (
    Mapping[str, Mapping[Category, str]] | tuple[tuple[str, tuple[tuple[Category, str], ...]], ...]
)

WHOLE: frozenset[str] = frozenset({"count", "binary", "ordinal", "nominal"})
NOT_NEGATIVE: frozenset[str] = frozenset({"positive", "count", "binary", "nominal"})
