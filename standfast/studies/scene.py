"""A scene: one data set with one reference, the rivals that may replace it, and whom to advise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.autoencoder import Autoencoder
from standfast.autoencoder import fit as fit_autoencoder
from standfast.autoencoder.training import COMPONENTS, LATENT
from standfast.datasets import Dataset
from standfast.digests import digest
from standfast.errors import InputError
from standfast.methods import Method, MinimalCost, recommend
from standfast.methods.cchvae import PUBLISHED
from standfast.percentiles import Percentiles
from standfast.readers import as_score
from standfast.recommendations import Recommendations
from standfast.rivals import LevelSet, Tolerance
from standfast.rivals.candidates import family
from standfast.rivals.encoding import encoded
from standfast.rivals.level_set_among import level_set_among
from standfast.scores import Linear, Score
from standfast.studies.candidates import Candidates
from standfast.studies.names import FORESTS, GRID_OF, LINEAR
from standfast.studies.own_model import OwnModel
from standfast.studies.people import Dated
from standfast.studies.settings import Settings
from standfast.studies.steps import Advance, Steps

Matrix = NDArray[np.float64]
Make = Callable[[], tuple[Method, Score]]
LEVEL_SET, AUTOENCODER = 25.0, 8.0  # rough seconds, for the progress bar


def short_name(data: Dataset) -> str:
    """A data set's name in tables and figures; a twin says that it is one.

    >>> from standfast.datasets import twin
    >>> short_name(twin("heloc", 10))
    'twin:heloc'
    """
    return f"twin:{data.name}" if data.is_twin else data.name


def recommended(
    method: Method,
    model: Score,
    people: pd.DataFrame,
    *,
    seed: int,
    jobs: int,
    progress: Advance | None = None,
) -> Recommendations:
    """A method's recommendations; if they were interrupted, so is the study."""
    found = recommend(method, model, people, seed=seed, jobs=jobs, progress=progress)
    if found.interrupted:
        raise KeyboardInterrupt
    return found


@dataclass(frozen=True, eq=False)
class Scene:
    """One data set with one reference; everything costly is a step, done when first asked for."""

    data: Dataset
    reference: str
    settings: Settings
    steps: Steps
    later: Dataset | None = None  # people of a later time, whose models may judge the advice
    model: OwnModel | None = None  # the reference, where it is the user's own
    dated: Dated | None = None  # people with their years, whom a simulated year follows then
    shared: Candidates | None = None  # with the data set's other references

    @property
    def name(self) -> tuple[str, str]:
        """The data set's short name and the reference's: its class, or the file of one's own."""
        return short_name(self.data), self.reference

    @cached_property
    def key(self) -> str:
        """The fingerprint of people, reference and seed."""
        known = [self.data.digest, self.data.schema.digest, self.settings.seed]
        own = (self.model.digest, repr(self.model.favourable)) if self.model else self.unfitted
        return digest([*known, repr(own), self.settings.balanced])

    # people and reference

    @cached_property
    def candidates(self) -> Candidates:
        """The models that may replace the reference, and the split they are fitted on."""
        return self.shared or Candidates(self.data, self.settings)

    @property
    def train(self) -> Dataset:
        """The people to fit on."""
        return self.candidates.parts[0]

    @property
    def test(self) -> Dataset:
        """The people held out."""
        return self.candidates.parts[1]

    @cached_property
    def percentiles(self) -> Percentiles:
        """Percentiles of the training people."""
        return Percentiles.fit(self.train.table).of(self.data.schema)

    @property
    def unfitted(self) -> Any:
        """The reference before it is fitted: from the middle of the paper's grid, or one's own."""
        if self.model is not None:
            return self.model.unfitted()
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression

        s, schema = self.settings, self.data.schema
        weights = "balanced" if s.balanced else None
        if self.reference == "linear":
            model = LogisticRegression(class_weight=weights, solver="newton-cholesky")
            return encoded(model, schema, scaled=True)
        size = {"max_depth": 5, "min_samples_leaf": 5}
        forest = RandomForestClassifier(50, **size, class_weight=weights, random_state=s.seed)
        return encoded(forest, schema)

    @property
    def words(self) -> str:
        """The reference in words."""
        if self.model is not None:
            return self.model.words
        weights = "both classes weighed alike" if self.settings.balanced else "no class weights"
        if self.reference == "linear":
            return f"logistic regression behind a scaler, C = 1, {weights}"
        return f"random forest, 50 trees, depth 5, leaves of at least 5 people, {weights}"

    @cached_property
    def estimator(self) -> Any:
        """The reference, fitted; one's own is taken as it is."""
        if self.model is not None:
            return self.model.estimator
        return self.unfitted.fit(self.train.table, self.train.labels)

    @property
    def favourable(self) -> object:
        """The class people want, as the reference calls it."""
        return 1 if self.model is None else self.model.favourable

    @cached_property
    def f(self) -> Score:
        """The reference as a score."""
        return as_score(self.estimator, self.data.schema, favourable=self.favourable)

    @cached_property
    def grid(self) -> str:
        """The grid whose models are of the reference's own class; '' if there is none."""
        if self.model is None:
            return GRID_OF[self.reference]
        if isinstance(self.f, Linear):
            return LINEAR
        return FORESTS * (family(self.estimator) == "RandomForestClassifier")

    @cached_property
    def accepted(self) -> NDArray[np.bool_]:
        """Which held-out people the reference accepts."""
        return self.f.accepts(self.data.schema.matrix(self.test.table))

    @cached_property
    def people(self) -> pd.DataFrame:
        """Refused held-out people to advise, drawn by the seed."""
        refused = np.flatnonzero(~self.accepted)
        if not len(refused):
            raise InputError(
                f"the {'' if self.model else f'{self.reference} '}reference refuses none of the "
                f"{len(self.test)} held-out people, so there is nobody to advise; give a larger "
                "table, balance the classes (leave out --as-published), or a table in which more "
                "people are unfavourable"
            )
        return self.test.table.iloc[self.drawn(refused, self.settings.sizes.people)]

    @cached_property
    def labels(self) -> list[str]:
        """The labels of the people to advise, as text."""
        return [str(label) for label in self.people.index]

    def recommended(
        self, step: str, key: Sequence[object], make: Make, weight: float, count: int | None = None
    ) -> Recommendations:
        """A method's recommendations for the first so many people, as a step."""
        s = self.settings

        def fill(part: Path, advance: Advance) -> None:
            people = self.people.iloc[:count]
            found = recommended(*make(), people, seed=s.seed, jobs=s.jobs, progress=advance)
            found.write(part / "advice.parquet")

        place = self.steps.folder_of(self.name, step, key, fill, weight)
        return Recommendations.read(place / "advice.parquet")

    @property
    def exact(self) -> MinimalCost:
        """The exact search over everything the schema admits, by the paper's cost."""
        boxes = self.settings.sizes.boxes
        schema, q = self.data.schema, self.percentiles
        return MinimalCost(schema, q, per_change=0.0, boxes=boxes, rounded=False)

    def drawn(self, rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
        """At most so many of these rows, drawn by the seed, in their order."""
        return np.sort(np.random.default_rng(self.settings.seed).permutation(rows)[:count])

    @cached_property
    def good(self) -> Matrix:
        """H_f^+ ∩ D^+ among the held-out: accepted, and favourable indeed."""
        favourable = (self.test.labels == 1).to_numpy()
        found = self.data.schema.matrix(self.test.table[self.accepted & favourable])
        if not len(found):
            raise InputError(
                "no held-out person is accepted by the reference and favourable; give a larger "
                "table, or one in which the inputs say more about the label"
            )
        return found

    # rivals

    @cached_property
    def rivals_key(self) -> str:
        """The fingerprint of the level set's settings."""
        models = [(name, repr(model)) for name, (_, _, model) in self.candidates.members.items()]
        return digest([self.key, models, self.settings.epsilon, self.settings.as_published])

    @cached_property
    def rivals(self) -> LevelSet:
        """The level set: candidates of both classes at most ε worse than the reference."""
        s = self.settings
        # a model that cannot be fitted again is compared on people its rivals have not seen
        risk_on: Literal["cross-validation", "training"] | Dataset = "cross-validation"
        if s.as_published:
            risk_on = "training"
        elif self.model is not None and not self.model.refittable:
            risk_on = self.test

        def fill(part: Path, advance: Advance) -> None:
            found = level_set_among(
                self.candidates.fits,
                reference=self.f,
                epsilon=Tolerance(s.epsilon, s.risk, risk_on),
                merge=None,  # the paper counts every member of its grids
                progress=advance,
            )
            found.save(part / "models")

        place = self.steps.folder_of(self.name, "level set", [self.rivals_key], fill, LEVEL_SET)
        return LevelSet.load(place / "models", trust=self.model.trust if self.model else ())

    # autoencoder

    @cached_property
    def layout(self) -> tuple[int, int, int]:
        """Components, latent numbers and epochs: the paper's, with enough passes over few rows."""
        s, z, epochs = PUBLISHED.get(self.data.name, (COMPONENTS, LATENT, 1))
        enough = -(-self.settings.sizes.rows_seen // len(self.train))
        return s, min(z, len(self.data.schema)), max(epochs, enough)

    @cached_property
    def autoencoder_key(self) -> str:
        """The fingerprint of the autoencoder's people and settings."""
        return digest([self.data.digest, self.data.schema.digest, self.layout, self.settings.seed])

    @cached_property
    def autoencoder(self) -> Autoencoder:
        """The autoencoder of the training people; both references share it."""
        s, z, epochs = self.layout

        def fill(part: Path, advance: Advance) -> None:
            learnt = fit_autoencoder(
                self.data.schema,
                self.train.table,
                s=s,
                z=z,
                epochs=epochs,
                seed=self.settings.seed,
                progress=lambda epoch, _: advance(epoch, epochs),
            )
            learnt.write(part / "autoencoder.npz")

        scene, key = (self.name[0], ""), [self.autoencoder_key]
        place = self.steps.folder_of(scene, "autoencoder", key, fill, AUTOENCODER)
        return Autoencoder.read(place / "autoencoder.npz")
