"""An estimator's own word: its prediction for rows in schema order, nothing rearranged by us."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from standfast.digests import digest
from standfast.errors import InputError, first_line
from standfast.scores.score import Matrix, Vector

Columns = Callable[[Matrix], Any]
Means = Literal["probability", "decision", "score_samples", "booster", "callable"]
# the favourable class's place among an estimator's classes, or those of several
Place = int | tuple[int, ...]


@dataclass(frozen=True)
class Prediction:
    """What a fitted estimator says of rows in schema order, seen from the favourable class.

    `inputs` are the schema's columns the estimator reads, in its own order; `names` their names if
    it was fitted on a DataFrame, which it is then always asked with. `position` is the favourable
    class's place (0 or 1) among its classes, or the places of several, whose probabilities are
    added up. `columns`, where values have names, makes the table that the estimator was fitted on
    from rows in schema order. A row the estimator refuses, or answers with anything but a number,
    is an InputError.

    >>> double = Prediction(lambda table: 2 * table["age"], "callable", (1,), ("age",))
    >>> double(np.array([[0.0, 21.0]]))
    array([42.])
    """

    estimator: Any
    means: Means
    inputs: tuple[int, ...]
    names: tuple[str, ...] | None = None
    position: Place = 1
    columns: Columns | None = None

    def __call__(self, X: Matrix) -> Vector:
        """The favourable class's probability, or the decision value towards it, for each row."""
        if len(X) == 0:  # scikit-learn refuses to be asked nothing
            return np.empty(0)
        try:
            answer = np.asarray(self._answer(self.asked(X)), dtype=np.float64)
        except InputError:
            raise
        except ValueError as error:
            raise self._refusal(error) from error
        except Exception as error:
            # the user's own function says best what went wrong in it; a warning is no refusal
            if self.means == "callable" or isinstance(error, Warning):
                raise
            raise self._refusal(error) from error
        if answer.size != len(X):
            raise InputError(
                f"{self.name} gave an answer of shape {answer.shape} for {len(X)} rows; "
                "a score needs one number per row"
            )
        answer = answer.reshape(len(X))
        if np.isnan(answer).any():
            row = int(np.flatnonzero(np.isnan(answer))[0])
            raise InputError(
                f"{self.name} gave NaN for {int(np.isnan(answer).sum())} of {len(X)} rows, the "
                f"first for the values {', '.join(f'{v:g}' for v in X[row])}; a score needs a "
                "number for every row"
            )
        return answer

    def _refusal(self, error: Exception) -> InputError:
        return InputError(
            f"{self.name} cannot answer for these rows: {first_line(error)}; keep its inputs "
            "within the values it knows by giving the schema bounds"
        )

    def asked(self, X: Matrix) -> Any:
        """The rows as the estimator wants them: its own columns, in its order, named or not."""
        # always a copy: a scaler with copy=False would write into the caller's matrix
        if self.columns is not None:
            return self.columns(X)
        own = X[:, list(self.inputs)]
        own[own == -np.inf] = np.nan  # a missing value
        return own if self._labels is None else pd.DataFrame(own, columns=self._labels.view())

    @cached_property
    def _labels(self) -> pd.Index | None:
        """The columns' names, which take as long to make as a row takes otherwise."""
        return None if self.names is None else pd.Index(list(self.names))

    def _answer(self, asked: Any) -> Any:
        if self.means == "callable":
            return self.estimator(asked)
        if self.means == "probability":
            shares = np.asarray(self.estimator.predict_proba(asked))[:, self.position]
            return shares if shares.ndim == 1 else shares.sum(axis=1)
        if self.means == "score_samples":
            return self.estimator.score_samples(asked)
        if self.means == "booster":  # a LightGBM booster gives the probability of class 1
            p = np.asarray(self.estimator.predict(asked), np.float64)
            return p if self.position == 1 else 1.0 - p
        decision = np.asarray(self.estimator.decision_function(asked), np.float64)
        return decision if self.position == 1 else -decision

    @property
    def name(self) -> str:
        """What a sentence calls the estimator."""
        if self.means == "callable":
            return f"the function {getattr(self.estimator, '__name__', repr(self.estimator))}"
        return f"the model ({type(self.estimator).__name__})"

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the estimator and of how it is asked."""
        how = (self.means, self.inputs, self.names, self.position)
        return digest([fingerprint(self.estimator), how])


def fingerprint(thing: object) -> str:
    """A fitted object's or a function's fingerprint, the same in every process.

    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    code = getattr(thing, "__code__", None)
    if code is not None:  # pickle knows a function by its name alone, and no lambda at all
        cells = [c.cell_contents for c in getattr(thing, "__closure__", None) or ()]
        held = [getattr(thing, "__self__", None), getattr(thing, "__defaults__", None), *cells]
        own = [fingerprint(h) for h in held if h is not thing]
        return digest([getattr(thing, "__qualname__", ""), *_code_parts(code), *own])
    import joblib

    try:
        return str(joblib.hash(thing, hash_name="sha1"))
    except Exception:  # what cannot be pickled is known by its kind
        return f"{type(thing).__module__}.{type(thing).__qualname__}"


def _code_parts(code: Any) -> list[object]:
    """What a function does: its instructions, names and constants, inner functions included."""
    parts: list[object] = [code.co_code, code.co_names]
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            parts += _code_parts(constant)
        else:  # a set has no order of its own
            parts.append(
                sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant
            )
    return parts
