"""The reference: the user's own fitted estimator, as a score and as something to fit again."""

from dataclasses import dataclass
from typing import Any

from standfast.datasets import Dataset
from standfast.errors import InputError, listing
from standfast.readers.as_score import as_score
from standfast.readers.asking import classes_of, inputs_of, unwrapped
from standfast.readers.model_document import ModelDocument
from standfast.readers.stored import own_prediction
from standfast.rivals.candidates import REFERENCE, seeded
from standfast.rivals.fitting import Fit, Rows
from standfast.rivals.risk import Answered, area_under_curve
from standfast.scores.score import Matrix, Score

SIGNS = ([-1, 1], [0, 1])


@dataclass(frozen=True)
class Reference:
    """A fitted reference: its score, its classes (the favourable last), and how it is asked."""

    score: Score
    estimator: Any
    classes: tuple[Any, Any]
    inputs: tuple[int, ...]
    named: bool

    @classmethod
    def of(cls, reference: Any, train: Dataset) -> "Reference":
        """The fitted estimator, checked against the people its rivals are fitted on."""
        score = (
            reference if isinstance(reference, Score) and not isinstance(reference, type) else None
        )
        prediction = None if score is None else own_prediction(score)
        if score is not None and prediction is None:
            raise InputError(
                "the reference is a score that was not made from a fitted estimator; pass the "
                "estimator, so that it can be judged and saved like its rivals"
            )
        if isinstance(reference, ModelDocument):
            raise InputError(
                "the reference comes from a file that describes its structure; pass the fitted "
                "estimator, so that it can be judged and saved like its rivals"
            )
        estimator = unwrapped(reference if prediction is None else prediction.estimator)
        classes = classes_of(estimator)
        if prediction is None and classes not in SIGNS:
            raise InputError(
                f"the reference's classes are {listing(classes)}; unless they are -1 and +1 or 0 "
                "and 1, say which class people want: reference=as_score(model, schema, "
                "favourable=…)"
            )
        place = -1 if prediction is None else prediction.position
        if isinstance(place, tuple):
            raise InputError(
                "the reference joins several favourable classes, but rivals separate two; fit it "
                "on labels that say favourable or not"
            )
        favourable = classes[place]
        usual = as_score(estimator, train.schema, favourable=favourable)
        if score is not None and score.threshold != usual.threshold:  # type: ignore[attr-defined]
            raise InputError(
                f"the reference's threshold is {score.threshold:g}, "  # type: ignore[attr-defined]
                f"and its rivals are judged at {usual.threshold:g}; "  # type: ignore[attr-defined]
                "leave the threshold out"
            )
        _check_direction(usual, train, favourable)
        other = next(one for one in classes if one != favourable)
        inputs, names = inputs_of(estimator, train.schema)
        return cls(usual, estimator, (other, favourable), inputs, names is not None)

    def again(self, rows: Rows, asked: Rows, seed: int) -> Fit:
        """A fit of an unfitted copy, with the labels and inputs the reference knows."""
        copy = seeded(self.estimator, seed, REFERENCE)
        return Fit(REFERENCE, copy, rows, asked, False, self.inputs, self.classes, self.named)

    def answered(self, X: Matrix) -> Answered:
        """What the reference, as it is, says of some rows."""
        threshold = float(self.score.threshold)  # type: ignore[attr-defined]
        return Answered(self.score.score(X), threshold, self.score.probability)

    def check_refittable(self) -> None:
        """Refuse to cross-validate what cannot be fitted again."""
        if not (hasattr(self.estimator, "fit") and hasattr(self.estimator, "get_params")):
            raise InputError(
                "the reference cannot be fitted again, which cross-validation takes; judge on the "
                "training people (on='training') or on held-out people instead"
            )


def _check_direction(score: Score, train: Dataset, favourable: object) -> None:
    y = train.labels.to_numpy() == 1
    auc = area_under_curve(score.score(train.schema.matrix(train.table)), y)
    if auc < 0.5:
        raise InputError(
            f"the reference ranks the training people the wrong way round (area under the curve "
            f"{auc:.3f}) with {favourable!r} as its favourable class; name the other one as "
            "favourable if that is what people want, or check that it was fitted on this table"
        )
