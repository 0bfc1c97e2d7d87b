"""The picture in a letter: where the person stands among others, and where the change leads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.letters.facts import Facts
    from standfast.percentiles import Percentiles

# inches: as wide as a phone can show almost unreduced, and as paper has room for
WIDE = 4.6


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everybody's picture as SVG, in the letters' language; '' for people without advice."""

    facts: "Facts"
    percentiles: "Percentiles"

    def __post_init__(self) -> None:
        language = self.facts.language
        if not language.picture:
            raise InputError(
                f"the language {language.code!r} has no words for pictures; add a table [picture] "
                "to its language.toml, as the shipped ones have it"
            )
        self.percentiles.of(self.facts.advice.schema)

    def __call__(self, person: Any) -> str:
        """One person's picture."""
        from standfast.figures.canvas import Canvas
        from standfast.figures.figure import pasted
        from standfast.figures.person import Wording, draw_strips
        from standfast.figures.style import drawing

        advice = self.facts.advice
        row = int(advice.index.get_indexer(pd.Index([person]))[0])
        x, y = (matrix[row] for matrix in self.facts.matrices)
        if np.isnan(y).any():
            return ""
        words = Wording(
            **self.facts.language.picture, label=self.facts.label, value=self.facts.text
        )
        with drawing():
            canvas = Canvas(WIDE)
            draw_strips(canvas, advice.schema, self.percentiles, (x, y), words=words)
            return pasted(canvas.picture(), "picture", self._described(row), WIDE)

    def _described(self, row: int) -> str:
        """What the picture shows, for those who cannot see it."""
        way = self.facts.way(row)
        return "; ".join(f"{one.label}: {one.start or '–'} → {one.goal}" for one in way.changes)


Picture = Callable[[Any], str]
