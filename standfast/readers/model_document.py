"""Models that come as a description of their structure, with nothing in it that could be run."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from standfast.errors import InputError, listing
from standfast.readers.piecewise.cells import Cells, Piece
from standfast.readers.piecewise.sums import Result, score_of
from standfast.schema import Schema
from standfast.scores.score import LOGISTIC, Score

Reading = tuple[Result, Sequence[Cells[Piece]]]
SIDES = ("above", "below")  # of a cut-off, for models that give a number and know no classes


class ModelDocument(ABC):
    """A model as its file describes it. There is no estimator to ask: what is read is the model.

    `classes_` are the classes it separates, as the file spells them; a model that gives a number,
    such as a scorecard, has the two sides of a cut-off instead, "above" and "below".
    """

    @property
    @abstractmethod
    def number(self) -> str:
        """What a sentence calls the model if it gives a number; nothing if it separates classes."""

    @abstractmethod
    def named_classes(self) -> list[Any]:
        """The classes that the file names."""

    @abstractmethod
    def read(self, schema: Schema, place: int | None) -> Reading:
        """What it gives towards the class at a place, or its number, and where it gives nothing."""

    @cached_property
    def classes_(self) -> list[Any]:
        """The classes as the file spells them; the two sides of a cut-off if there are none."""
        return list(SIDES) if self.number else self.named_classes()

    def score(self, schema: Schema, *, favourable: object, threshold: float | None) -> Score:
        """The model in table units, seen from the favourable class or side."""
        if not self.number:
            result, guards = self.read(schema, two_classes(self.classes_, favourable, "the model"))
            if result.probability:
                level = probability_threshold(threshold)
            else:  # a decision value
                level = 0.0 if threshold is None else cut_off(threshold, "the model")
            return score_of(result, guards, schema, level)
        side, level = side_of(favourable, self.number), cut_off(threshold, self.number)
        result, guards = self.read(schema, None)
        if result.link == LOGISTIC:
            level = probability_threshold(level)
        if side < 0:
            level = 1.0 - level if result.link == LOGISTIC else -level
            result = replace(result, sum=result.sum.scaled(-1.0))
        return score_of(result, guards, schema, level)


def side_of(favourable: object, what: str) -> int:
    """1 if people want a number above the cut-off, −1 if below; None stands for above."""
    if favourable is None or favourable == "above":
        return 1
    if favourable == "below":
        return -1
    raise InputError(
        f"{what} gives a number and knows no class {favourable!r}; say on which side of the "
        "threshold people want to be: favourable 'above' or 'below'"
    )


def cut_off(threshold: float | None, what: str) -> float:
    """The threshold of a model that gives a number, which nobody can guess."""
    if threshold is None:
        raise InputError(
            f"{what} gives a number, not a class, so it needs a cut-off: say which number people "
            "must pass, threshold=600, say (on the command line --threshold 600)"
        )
    return _number(threshold, "a finite number")


def probability_threshold(threshold: float | None) -> float:
    """The threshold of a probability, one half unless given."""
    value = 0.5 if threshold is None else _number(threshold, "a number between 0 and 1")
    if not 0.0 < value < 1.0:
        raise InputError(
            f"the threshold is {threshold!r}, but the model gives a probability; pass a number "
            "between 0 and 1, such as 0.5"
        )
    return value


def _number(threshold: float, allowed: str) -> float:
    try:
        value = float(threshold)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"the threshold is {threshold!r}; pass {allowed}")
    return value


def two_classes(classes: Sequence[Any], favourable: object, what: str) -> int:
    """The favourable class's place among a model's two classes; text and number may be mixed."""
    if len(classes) != 2:
        raise InputError(
            f"{what} separates {len(classes)} classes ({listing(classes)}); a score needs exactly "
            "two"
        )
    for place, known in enumerate(classes):
        if known == favourable or str(known) == str(favourable):
            return place
    raise InputError(
        f"favourable is {favourable!r}, which is none of the classes of {what}; pass one of "
        f"{listing(classes)}"
    )
