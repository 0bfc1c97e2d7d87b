"""Retraining as the commands are asked for it: the candidate fitted again so that promises hold."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from standfast.cli import labelled, options
from standfast.cli.command import option, options_class
from standfast.cli.scores import check_estimator, class_called
from standfast.cli.tables import about
from standfast.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from standfast.datasets import Dataset
    from standfast.promises import Promises
    from standfast.schema import Schema
    from standfast.scores import Score

PEOPLE = "Champion and people"
MOST = 1000  # promises that a model is fitted to keep
TRAINED_ON = 0.75  # of the people, where nobody else is there to judge by


@options_class
class LabelledOptions:
    """Labelled people: how the table calls what they want, and which columns are no inputs."""

    favourable: str = options.favourable()
    threshold: float | None = options.threshold()
    label: str | None = option(
        "The column that says how each person turned out.", "COLUMN", panel=PEOPLE
    )
    good: str | None = option(
        "The label people want, if the table calls it other than --favourable.",
        "VALUE",
        panel=PEOPLE,
    )
    drop: list[str] = options.drop()
    retrain: Path | None = option(
        "Labelled people to fit the candidate on again, so that promises hold. What that changes "
        "for others is judged by the people of --table; if it is the same table, by a quarter of "
        "it that is set aside. Needs --label.",
        panel=PEOPLE,
    )
    trust: list[str] = options.trust()

    def people(self, path: Path, schema: "Schema") -> "Dataset":
        """The people of a table with their labels."""
        assert self.label is not None
        return labelled.people(path, schema, self.label, self.good or self.favourable, self.drop)

    def retraining(self, model: Path, schema: "Schema", others: "Dataset") -> "Retraining | None":
        """What fits the model of a file again, if that is asked for."""
        if self.retrain is None:
            return None
        from standfast.promises.repair.task import refittable
        from standfast.readers.files import load_model

        estimator = load_model(model, trust=self.trust)
        check_estimator(estimator, model)
        with about(model):
            refittable(estimator)
        wanted = class_called(self.favourable, estimator)
        known = list(getattr(estimator, "classes_", ()))
        other = [one for one in known if one != wanted]
        classes = (other[0], wanted) if len(known) == 2 and len(other) == 1 else (0, 1)
        train = self.people(self.retrain, schema)
        if train.digest == others.digest:
            train, others = train.split(TRAINED_ON, seed=0)
        return Retraining(estimator, train, others, classes, self.threshold)


@dataclass(frozen=True, eq=False)
class Retraining:
    """An estimator, the people to fit it on, and others to judge by."""

    estimator: Any
    train: "Dataset"
    others: "Dataset"
    classes: tuple[Any, Any]
    threshold: float | None

    def compared(self, promises: "Promises", g: "Score") -> "pd.DataFrame":
        """What keeping more and more of the promises costs others, a row for each share.

        Of very many promises some stand for all, at even distances.
        """
        import numpy as np

        from standfast.promises.repair import compare_retrainings, retrainings

        if len(promises) > MOST:
            promises = promises[np.linspace(0, len(promises) - 1, MOST).astype(np.intp)]
        found = retrainings(
            self.estimator,
            self.train,
            promises,
            threshold=self.threshold,
            classes=self.classes,
        )
        return compare_retrainings(found, promises, g, held_out=self.others)


def check(given: LabelledOptions, repairs: bool) -> None:
    """Refuse a retraining that lacks something."""
    if given.retrain is None:
        return
    if given.label is None:
        raise InputError("--retrain needs --label: the model learns how people turned out")
    if not repairs:
        raise InputError("--retrain goes with --repair: it is one of the ways to repair")
