"""The calendar of a simulated year: which people each model is fitted on, and who applies then."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from standfast.datasets import Dataset
from standfast.digests import digest
from standfast.errors import InputError
from standfast.percentiles import Percentiles
from standfast.studies import names
from standfast.studies.people import Dated
from standfast.studies.scene import Scene

PERIODS = 5  # a model at the start and four that follow
QUARTERS = 4  # batches in a window of quarters
FIRST_YEAR, YEARS = 2003, 3  # the first window of fiscal years ends there, and spans so many
LEAST = 20  # people of either outcome to fit on

Matrix = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Calendar:
    """Five periods: each has a window of people to fit its model on, and people who apply in it.

    People come in batches: batch b is `sizes[b]` people of the `pool`, drawn with replacement with
    the weights `batches[b]`. The model of period p is fitted on the batches p to p + `length` − 1,
    so that from one period to the next the window moves by one batch. In period p the people of the
    pool apply with the weights `applying[p]`; nobody who applies is in the window of their period.
    """

    drift: str  # how the data drift, by its name
    when: tuple[str, ...]  # the periods' names
    pool: Dataset
    percentiles: Percentiles
    batches: Matrix
    sizes: tuple[int, ...]
    length: int
    applying: Matrix
    advising: int = PERIODS - 1  # in so many periods, from the first on, people are advised

    def window(self, period: int, draws: "Draws") -> Rows:
        """The rows of the pool that the model of a period is fitted on."""
        chosen = range(period, period + self.length)
        return np.concatenate([self._batch(b, draws) for b in chosen])

    def _batch(self, b: int, draws: "Draws") -> Rows:
        # inverse transform: a little drift changes few of the people who are drawn
        below = np.cumsum(self.batches[b])
        points = draws.of("batch", b).random(self.sizes[b]) * below[-1]
        inside = np.minimum(points, np.nextafter(below[-1], 0.0))
        return np.asarray(np.searchsorted(below, inside, side="right"), dtype=np.int64)


@dataclass(frozen=True)
class Draws:
    """The random streams of one history: each follows from the seed, the history and its use."""

    seed: int
    history: int

    def of(self, *use: object) -> np.random.Generator:
        """The stream for one use."""
        return np.random.default_rng(int(digest([self.seed, self.history, *use])[:16], 16))


def quarters(scene: Scene, size: float, advising: int = PERIODS - 1) -> Calendar:
    """A year in quarters, for data without dates: outcomes drift through it by a given size.

    Every batch is a quarter of as many people as there are to fit on. In quarter q, with
    τ = max(q, 0) / 4, a person who turned out well is drawn with weight 1, and one who did not with
    weight e^{δτ} · e^{δτz} / mean(e^{δτz}), where z is their place in credit quality from −1 to 1
    and the mean is over those who did not turn out well. So through the year the odds of turning
    out badly grow by e^δ, and ever more creditworthy people do, as in a downturn; with δ = 0
    nothing drifts, and the models differ by whom they were fitted on and by their seeds.
    Credit quality is the rank by a logistic regression of the people to fit on.
    """
    pool, place = scene.data, scene.data.table.index.get_indexer
    fitted, held = (
        np.isin(np.arange(len(pool)), place(p.table.index)) for p in (scene.train, scene.test)
    )
    bad = pool.labels.to_numpy() == -1
    _check_enough(pool, bad, fitted)
    z = _standing(scene, fitted)
    through = np.array([np.exp(size * max(q, 0) / 4 * (1 + z)) for q in range(-3, PERIODS)])
    usual = np.array([np.exp(size * max(q, 0) / 4 * z)[bad].mean() for q in range(-3, PERIODS)])
    weights = np.where(bad, through / usual[:, None], 1.0)
    drift = f"{names.DRIFT} {size:g}" if size else names.NO_DRIFT
    each = -(-int(fitted.sum()) // QUARTERS)
    return Calendar(
        drift,
        tuple(f"quarter {q}" for q in range(PERIODS)),
        pool,
        scene.percentiles,
        weights * fitted,
        (each,) * len(weights),
        QUARTERS,
        weights[QUARTERS - 1 :] * held,
        advising,
    )


def _standing(scene: Scene, fitted: NDArray[np.bool_]) -> Matrix:
    """Everybody's place in credit quality among the people to fit on, from −1 to 1."""
    index = Scene(scene.data, "linear", scene.settings, scene.steps).estimator
    quality = np.asarray(index.decision_function(scene.data.table), dtype=np.float64)
    place = np.searchsorted(np.sort(quality[fitted]), quality, side="right")
    return np.asarray(2.0 * place / int(fitted.sum()) - 1.0)


def fiscal_years(dated: Dated) -> Calendar:
    """Years instead of quarters, for people with dates: nothing is weighted, time itself drifts.

    The model of a year is fitted on people of that year and the two before, drawn again from among
    them in every history; who applies then are the people of the year after. Outcomes are taken as
    known at the year's end.
    """
    year, last = dated.year.to_numpy(), FIRST_YEAR + PERIODS - 1
    first = FIRST_YEAR - YEARS + 1
    inside = np.flatnonzero((year >= first) & (year <= last + 1))
    table, labels = dated.data.table.iloc[inside], dated.data.labels.iloc[inside]
    pool = replace(dated.data, table=table, labels=labels)
    year, bad = year[inside], pool.labels.to_numpy() == -1
    _check_enough(pool, bad, (year >= first) & (year <= FIRST_YEAR))
    batches = np.array([year == y for y in range(first, last + 1)], dtype=np.float64)
    applying = np.array([year == y + 1 for y in range(FIRST_YEAR, last + 1)], dtype=np.float64)
    return Calendar(
        names.BY_YEAR,
        tuple(str(y) for y in range(FIRST_YEAR, last + 1)),
        pool,
        Percentiles.fit(pool.table).of(pool.schema),
        batches,
        tuple(int(one.sum()) for one in batches),
        YEARS,
        applying,
    )


def _check_enough(pool: Dataset, bad: NDArray[np.bool_], fitted: NDArray[np.bool_]) -> None:
    for count, what in (((fitted & ~bad).sum(), "well"), ((fitted & bad).sum(), "badly")):
        if count < LEAST:
            raise InputError(
                f"of the {int(fitted.sum())} people of {pool.name} to fit on, {count} turned out "
                f"{what}; a simulated year draws quarters from them and needs at least {LEAST}: "
                "give a larger table"
            )
