"""Models of other libraries, and models around models, whose structure is known."""

from typing import Any

from standfast.errors import InputError
from standfast.readers.asking import inputs_of, threshold_for
from standfast.readers.calibrated import read_calibrated
from standfast.readers.combined import read_stacking, read_voting
from standfast.readers.read_interpret import read_interpret
from standfast.readers.read_optbinning import points_of, read_card, read_optbinning
from standfast.schema import Schema
from standfast.scores.black_box import BlackBox
from standfast.scores.prediction import Prediction
from standfast.scores.score import Score


def read_wrapped(prediction: Prediction, schema: Schema, threshold: float) -> Score | None:
    """The structure of such a model, or None if it is none or must be asked.

    A model whose structure is known, but no sum, is an UnreadableError that says why.
    """
    readers = (read_interpret, read_optbinning, read_calibrated, read_voting, read_stacking)
    for reader in readers:
        read: Score | None = reader(prediction, schema, threshold)
        if read is not None:
            return read
    return None


def points_score(
    estimator: Any, schema: Schema, favourable: object, threshold: float | None
) -> Score | None:
    """A scorecard's points minus the cut-off, where its points were asked for; None otherwise."""
    from standfast.readers.as_score import asked_with  # which imports this file

    card = points_of(estimator, favourable)
    if card is None:
        return None
    if favourable is not None:
        raise InputError(
            f"a scorecard's points have no classes, and more points count as favourable; pass "
            f"favourable=None instead of {favourable!r}, or the Scorecard itself for the "
            "probability of a class"
        )
    if threshold is None:
        raise InputError(
            "a scorecard's points need a cut-off: say threshold=…, the points that must be "
            "exceeded, or favourable=… for the probability of a class"
        )
    level = threshold_for(card.score, "callable", threshold)
    inputs, names = inputs_of(card, schema)
    columns = asked_with(card, schema, inputs, names)
    prediction = Prediction(card.score, "callable", inputs, names, 1, columns)
    return read_card(prediction, schema, level) or BlackBox(prediction, level, len(schema), False)
