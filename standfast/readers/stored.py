"""Estimators that stay in their files until their own prediction is needed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from standfast.digests import digest_of_file
from standfast.errors import InputError
from standfast.readers.as_score import as_score
from standfast.readers.asking import classes_of
from standfast.readers.files import load_model
from standfast.schema import Schema
from standfast.scores.prediction import Prediction
from standfast.scores.score import Matrix, Score, Vector


@dataclass(frozen=True, eq=False)
class Stored:
    """A model file of a folder and what the folder's header says of it."""

    file: Path
    entry: Mapping[str, Any]
    schema: Schema
    trust: tuple[str, ...] = ()

    def check_unchanged(self) -> None:
        """Refuse a file that is missing, or not the one that was saved."""
        try:
            if not self.file.is_file():  # a pipe or a device might never end
                raise FileNotFoundError(f"there is no regular file '{self.file}'")
            found = digest_of_file(self.file)
        except OSError as error:
            raise InputError(
                f"'{self.file}' is missing or cannot be read; save the models again"
            ) from error
        if found != self.entry["sha256"]:
            raise InputError(f"'{self.file}' was changed after it was saved; save the models again")

    def score(self) -> Score:
        """The model read from its estimator; the file must have been checked."""
        estimator = load_model(self.file, trust=self.trust)
        classes = classes_of(estimator)
        if self.entry["position"] >= len(classes):
            raise InputError(
                f"'{self.file}' has {len(classes)} classes, and the header names number "
                f"{self.entry['position'] + 1} as the favourable one; save the models again"
            )
        favourable, threshold = classes[self.entry["position"]], self.entry["threshold"]
        score = as_score(estimator, self.schema, favourable=favourable, threshold=threshold)
        # a structure read otherwise by another version of a library is another model
        if self.entry["score"] is not None and score.digest != self.entry["score"]:
            raise InputError(
                f"'{self.file}' does not give the model that was saved; it was saved with other "
                "versions of its library: build it again"
            )
        return score


@dataclass(frozen=True, eq=False)
class StoredPrediction:
    """An estimator's own word, for which its file is read when it is first asked.

    The file must stay where it is for as long as its models are used.
    """

    stored: Stored

    @cached_property
    def own(self) -> Prediction:
        """The prediction of the estimator in the file, which must be unchanged still."""
        self.stored.check_unchanged()
        prediction = self.stored.score().prediction  # type: ignore[attr-defined]
        assert isinstance(prediction, Prediction)
        return prediction

    def __call__(self, X: Matrix) -> Vector:
        """What the estimator says of each row."""
        return self.own(X)


def own_prediction(score: Score) -> Prediction | None:
    """The prediction of the fitted estimator that a score was made from, if it was."""
    prediction = getattr(score, "prediction", None)
    if isinstance(prediction, StoredPrediction):
        prediction = prediction.own
    if not isinstance(prediction, Prediction) or prediction.means == "callable":
        return None
    return prediction
