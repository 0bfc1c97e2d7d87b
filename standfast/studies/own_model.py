"""A fitted model of the user's own, to be the reference of a study."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from standfast.datasets import Dataset
from standfast.digests import digest_of_file
from standfast.errors import InputError, listing
from standfast.readers import as_score
from standfast.readers.asking import classes_of
from standfast.readers.files import LIGHTGBM, XGBOOST, load_model
from standfast.rivals.candidates import family
from standfast.rivals.reference import SIGNS
from standfast.rivals.risk import area_under_curve
from standfast.scores import Score


@dataclass(frozen=True, eq=False)
class OwnModel:
    """The model, the file it was read from with its SHA-256, and the class people want.

    `refittable` says whether copies of it can be fitted again with the settings it had; files of
    XGBoost and LightGBM do not hold these. `trust` names the types its file may hold.
    """

    name: str
    digest: str
    estimator: Any
    favourable: object
    refittable: bool
    trust: tuple[str, ...] = ()

    @classmethod
    def read(
        cls, path: Path | str, *, favourable: object = None, trust: Sequence[str] = ()
    ) -> "OwnModel":
        """The model in a file; without `favourable` the larger class of -1 and +1 or 0 and 1."""
        return cls.loaded(Path(path), load_model(path, trust=trust), favourable, trust)

    @classmethod
    def loaded(
        cls, path: Path, estimator: Any, favourable: object, trust: Sequence[str]
    ) -> "OwnModel":
        """The model that was loaded from a file."""
        found = digest_of_file(path)
        again = hasattr(estimator, "fit") and hasattr(estimator, "get_params")
        again = again and path.suffix.lower() not in XGBOOST + LIGHTGBM
        wanted = _wanted(estimator, favourable, path.name)
        return cls(path.name, found, estimator, wanted, again, tuple(trust))

    @property
    def words(self) -> str:
        """The model in words: its file, its kind and its fingerprint."""
        return f"the model in {self.name} ({family(self.estimator)}, SHA-256 {self.digest})"

    def score(self, data: Dataset) -> Score:
        """The model as a score over these people's inputs, which must fit it."""
        try:
            score = as_score(self.estimator, data.schema, favourable=self.favourable)
        except InputError as error:
            raise InputError(f"'{self.name}': {error}") from error
        good = data.labels.to_numpy() == 1
        auc = area_under_curve(score.score(data.schema.matrix(data.table)), good)
        if auc < 0.5:
            raise InputError(
                f"'{self.name}' ranks people who turned out well below the others (area under the "
                f"curve {auc:.3f}) with {self.favourable!r} as the class people want; check "
                "--favourable, and that the model belongs to this table"
            )
        return score

    def unfitted(self) -> Any:
        """A copy as it was before it was fitted."""
        from sklearn.base import clone

        if not self.refittable:
            raise InputError(
                f"'{self.name}' holds a fitted model without the settings to fit it again, so no "
                "fresh models of its kind can be drawn; save the estimator itself: "
                "standfast.save_model(model, 'model.skops')"
            )
        return clone(getattr(self.estimator, "best_estimator_", self.estimator))


def _wanted(estimator: Any, favourable: object, name: str) -> object:
    known = classes_of(estimator)
    if favourable in known:
        return favourable
    if favourable is None and known in SIGNS:
        return known[-1]
    said = "none was named" if favourable is None else f"{favourable!r} is none of them"
    raise InputError(
        f"the classes of '{name}' are {listing(known)}, and {said}: name the class people want, as "
        "the model calls it, with --favourable"
    )
