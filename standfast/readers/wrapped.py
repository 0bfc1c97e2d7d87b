"""Models of other libraries, and models around models, whose structure is known."""

from standfast.readers.read_interpret import read_interpret
from standfast.schema import Schema
from standfast.scores.prediction import Prediction
from standfast.scores.score import Score


def read_wrapped(prediction: Prediction, schema: Schema, threshold: float) -> Score | None:
    """The structure of such a model, or None if it is none or must be asked."""
    return read_interpret(prediction, schema, threshold)
