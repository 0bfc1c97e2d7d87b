"""Means along the frontier of cost against validity, with people and models drawn again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from standfast.evaluation.intervals import interval, interval_of_most
from standfast.evaluation.transfer import verdicts
from standfast.scores import Score

REPEATS = 400
# a setting that answers a smaller share of the people would leave too few to compare all over
ENOUGH = 0.5
# mean validities at which costs are reported
VALIDITIES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Bools = NDArray[np.bool_]
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Setting:
    """One method with one setting: where it sends everybody, and what that costs (NaN: nowhere)."""

    method: str
    dial: str
    points: Matrix
    cost: Vector

    @cached_property
    def found(self) -> Bools:
        """Whom it answers."""
        return np.isfinite(self.cost)


class Means:
    """Mean costs and validities of some settings, and those of people and models drawn again.

    `costs` are settings by people, `kept` settings by people by models. Models are drawn as
    clusters: all people meet the same ones.
    """

    def __init__(self, costs: Matrix, kept: Matrix, seed: int) -> None:
        settings, self.n, k = kept.shape
        self.cost = self.validity = np.full(settings, np.nan)
        self.costs = self.validities = np.full((REPEATS, settings), np.nan)
        if not settings or not self.n or not k:
            return
        rng = np.random.default_rng(seed)
        people = rng.multinomial(self.n, np.full(self.n, 1 / self.n), REPEATS) / self.n
        models = rng.multinomial(k, np.full(k, 1 / k), REPEATS) / k
        self.cost, self.validity = costs.mean(axis=1), kept.mean(axis=(1, 2))
        self.costs = people @ costs.T
        self.validities = np.stack([((people @ one) * models).sum(axis=1) for one in kept], axis=1)

    def measure(self, of: Callable[[Matrix, Matrix], Vector]) -> dict[str, float]:
        """A number made of costs and validities, with its interval where most draws have one.

        `of` gets the settings along the last axis, and gives a number for each draw.
        """
        low, high = interval_of_most(of(self.costs, self.validities))
        return {"value": float(of(self.cost, self.validity)), "lower": low, "upper": high}


def along(validity: Matrix, cost: Matrix, at: ArrayLike) -> Vector:
    """The cost at a validity, drawn straight between a method's settings; NaN beyond them.

    Settings go along the last axis; where there are draws, each is looked at by itself. Below its
    least validity a method costs what that costs. Dominated settings are ignored: the cheapest
    that reaches as much counts.

    >>> float(along(np.array([0.5, 0.9]), np.array([1.0, 3.0]), 0.6))
    1.5
    """
    order = np.argsort(validity, axis=-1, kind="stable")
    v, c = (np.take_along_axis(values, order, axis=-1) for values in (validity, cost))
    best = np.minimum.accumulate(c[..., ::-1], axis=-1)[..., ::-1]
    goal = np.asarray(at, dtype=np.float64)[..., None]
    # the first setting that reaches as much, and the first of those that come next below it
    right = np.minimum((v < goal).sum(axis=-1, keepdims=True), v.shape[-1] - 1)
    below = np.take_along_axis(v, np.maximum(right - 1, 0), axis=-1)
    left = (v < below).sum(axis=-1, keepdims=True)
    v0, v1 = (np.take_along_axis(v, place, axis=-1) for place in (left, right))
    c0, c1 = (np.take_along_axis(best, place, axis=-1) for place in (left, right))
    between = (right > 0) & (goal < v1)
    slope = (c1 - c0) / np.where(between, v1 - v0, 1.0)
    found = np.where(between, slope * (goal - v0) + c0, c1)
    reached: Vector = np.where(goal <= v[..., -1:], found, np.nan)[..., 0]
    return reached


@dataclass(frozen=True, eq=False)
class Comparison:
    """All settings under the same models, none of which any method has seen.

    `own` is the method that is compared with every other but those in `apart`. `optimum` names the
    method and dial of the cheapest advice for the reference alone.
    """

    settings: Sequence[Setting]
    models: Sequence[Score]
    own: str
    optimum: tuple[str, str]
    apart: Sequence[str] = ()
    seed: int = 0

    @cached_property
    def costs(self) -> Matrix:
        """Settings by people: what each answer costs."""
        return np.array([setting.cost for setting in self.settings])

    @property
    def found(self) -> Bools:
        """Settings by people: who got an answer."""
        return np.isfinite(self.costs)

    @cached_property
    def kept(self) -> Matrix:
        """Settings by people by models: 1 where the model accepts, 0 where not, or no answer.

        Each model is asked once about everything: what its own prediction costs is mostly the call.
        """
        kept = np.zeros((*self.found.shape, len(self.models)))
        if self.found.any():
            points = np.concatenate([setting.points[setting.found] for setting in self.settings])
            models = {str(k): model for k, model in enumerate(self.models)}
            _, kept[self.found] = verdicts(points, models)
        return kept

    @cached_property
    def compared(self) -> list[int]:
        """The settings that answer enough people."""
        least = max(1.0, ENOUGH * self.found.shape[1])
        return [int(i) for i in np.flatnonzero(self.found.sum(axis=1) >= least)]

    @cached_property
    def means(self) -> Means:
        """The compared settings' means, over the people whom all of them answer."""
        return self._over(self.compared)

    def _over(self, which: Sequence[int]) -> Means:
        """These settings' means over the people whom all of them answer."""
        rows = np.array(which, dtype=np.intp)
        who = self.found[rows].all(axis=0)
        return Means(self.costs[rows][:, who], self.kept[rows][:, who], self.seed)

    def _places(self, method: str) -> list[int]:
        """Where a method's settings stand among the compared."""
        return [k for k, i in enumerate(self.compared) if self.settings[i].method == method]

    def rows(self) -> pd.DataFrame:
        """One row per setting; without means where it answers too few."""
        means = self.means
        (cost_low, cost_high), (low, high) = map(interval, (means.costs, means.validities))
        numbers = {
            "cost": means.cost,
            "cost_lower": cost_low,
            "cost_upper": cost_high,
            "validity": means.validity,
            "lower": low,
            "upper": high,
        }
        table = pd.DataFrame(numbers, index=self.compared).reindex(range(len(self.settings)))
        about = [
            {"method": one.method, "dial": one.dial, "n": means.n, "answered": int(n)}
            for one, n in zip(self.settings, self.found.sum(axis=1), strict=True)
        ]
        return pd.concat([pd.DataFrame(about), table], axis=1)

    def gaps(self) -> list[Row]:
        """What `own` costs at the validity another setting reaches, minus what that one costs.

        Over the people whom both answer. There is no number where the other reaches more than the
        largest setting of `own`.
        """
        curve = [self.compared[k] for k in self._places(self.own)]
        rows: list[Row] = []
        for i, setting in enumerate(self.settings if curve else ()):
            if setting.method in {self.own, *self.apart}:
                continue
            means = self._over([i, *curve])
            gap = means.measure(lambda c, v: along(v[..., 1:], c[..., 1:], v[..., 0]) - c[..., 0])
            about: Row = {"method": setting.method, "dial": setting.dial, "n": means.n}
            about |= {"validity": means.validity[0], "cost": means.cost[0]}
            rows.append(about | {"difference": gap.pop("value")} | gap)
        return rows

    def levels(self) -> list[Row]:
        """What each method with a dial costs at a mean validity, and in multiples of the optimum's.

        Over the people whom all compared settings answer.
        """
        named = [(self.settings[i].method, self.settings[i].dial) for i in self.compared]
        if self.optimum not in named:
            return []
        means, cheapest = self.means, named.index(self.optimum)
        rows: list[Row] = []
        for method in dict.fromkeys(method for method, _ in named):
            own = self._places(method)
            for level in VALIDITIES if len(own) > 1 else ():

                def ratio(c: Matrix, v: Matrix, own: list[int] = own, at: float = level) -> Vector:
                    return along(v[..., own], c[..., own], at) / c[..., cheapest]

                found = means.measure(ratio)
                about: Row = {"level": level, "method": method, "n": means.n}
                about |= {"cost": float(along(means.validity[own], means.cost[own], level))}
                rows.append(about | {"ratio": found.pop("value")} | found)
        return rows
