"""Means along the frontier of cost against validity, with people and models drawn again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from standfast.scores import Score
from standfast.studies.resampling import LEVELS, Vector

REPEATS = 400
# a setting that answers a smaller share of the people would leave too few to compare all over
ENOUGH = 0.5
# mean validities at which costs are told
VALIDITIES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)

Matrix = NDArray[np.float64]
Bools = NDArray[np.bool_]
Row = dict[str, object]


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

    def interval(self, draws: Matrix) -> tuple[Vector, Vector]:
        """The 95 % interval of each column."""
        low, high = np.quantile(draws, LEVELS, axis=0)
        return low, high

    def measure(self, of: Callable[[Vector, Vector], float]) -> tuple[float, float, float]:
        """A number made of costs and validities, with its interval where most draws have one."""
        draws = np.array([of(c, v) for c, v in zip(self.costs, self.validities, strict=True)])
        known = draws[np.isfinite(draws)]
        low, high = (np.nan, np.nan)
        if len(known) > REPEATS / 2:
            low, high = np.quantile(known, LEVELS)
        return of(self.cost, self.validity), float(low), float(high)


def along(validity: Vector, cost: Vector, at: float) -> float:
    """The cost at a validity, drawn straight between a method's settings; NaN beyond them.

    Below its least validity a method costs what that costs. Dominated
    settings are ignored: the cheapest that reaches as much counts.

    >>> along(np.array([0.5, 0.9]), np.array([1.0, 3.0]), 0.6)
    1.5
    """
    order = np.argsort(validity, kind="stable")
    if not at <= validity[order[-1]]:
        return float("nan")
    best = np.minimum.accumulate(cost[order][::-1])[::-1]
    reached, first = np.unique(validity[order], return_index=True)
    return float(np.interp(at, reached, best[first]))


@dataclass(frozen=True, eq=False)
class Court:
    """All settings before one lot of models that none of them has seen.

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
    def kept(self) -> list[Matrix]:
        """Of each setting, people by models: 1 where the model accepts, 0 where not, or no answer.

        Each model is asked once about everything: what its own prediction costs is mostly the call.
        """
        kept = [np.zeros((len(one.cost), len(self.models))) for one in self.settings]
        answered = [one for one in self.settings if one.found.any()]
        if answered and len(self.models):
            points = np.concatenate([one.points[one.found] for one in answered])
            whole = np.column_stack([model.accepts(points) for model in self.models])
            ends = np.cumsum([int(one.found.sum()) for one in self.settings])
            for own, one, end in zip(kept, self.settings, ends, strict=True):
                own[one.found] = whole[end - int(one.found.sum()) : end]
        return kept

    @cached_property
    def compared(self) -> list[int]:
        """The settings that answer enough people."""
        asked = max((len(setting.cost) for setting in self.settings), default=0)
        least = max(1.0, ENOUGH * asked)
        return [i for i, setting in enumerate(self.settings) if setting.found.sum() >= least]

    @cached_property
    def means(self) -> Means:
        """The compared settings' means, over the people whom all of them answer."""
        return self._over(self.compared)

    def _over(self, which: Sequence[int]) -> Means:
        """These settings' means over the people whom all of them answer."""
        asked = max((len(setting.cost) for setting in self.settings), default=0)
        who = np.ones(asked, dtype=bool)
        for i in which:
            who &= self.settings[i].found
        costs = np.array([self.settings[i].cost[who] for i in which])
        kept = np.array([self.kept[i][who] for i in which])
        shape = (len(which), int(who.sum()), len(self.models))
        return Means(costs.reshape(shape[:2]), kept.reshape(shape), self.seed)

    def _places(self, method: str) -> list[int]:
        """Where a method's settings stand among the compared."""
        return [k for k, i in enumerate(self.compared) if self.settings[i].method == method]

    def rows(self) -> list[Row]:
        """One row per setting; without means where it answers too few."""
        means, nan = self.means, float("nan")
        cost_low, cost_high = means.interval(means.costs)
        low, high = means.interval(means.validities)
        rows: list[Row] = []
        for i, setting in enumerate(self.settings):
            about = {"method": setting.method, "dial": setting.dial, "n": means.n}
            about |= {"answered": int(setting.found.sum())}
            k = self.compared.index(i) if i in self.compared else None
            numbers = {
                "cost": means.cost,
                "cost_lower": cost_low,
                "cost_upper": cost_high,
                "validity": means.validity,
                "lower": low,
                "upper": high,
            }
            rows.append(about | {name: nan if k is None else v[k] for name, v in numbers.items()})
        return rows

    def gaps(self) -> list[Row]:
        """What `own` costs at the validity another setting reaches, minus what that one costs.

        Over the people whom both answer. There is no number where the other reaches more than the
        largest setting of `own`.
        """
        curve = [self.compared[k] for k in self._places(self.own)]
        apart = {self.own, *self.apart}
        others = [i for i, setting in enumerate(self.settings) if setting.method not in apart]
        rows: list[Row] = []
        for i in others if curve else []:
            means = self._over([i, *curve])
            value, low, high = means.measure(lambda c, v: along(v[1:], c[1:], v[0]) - c[0])
            about = {"method": self.settings[i].method, "dial": self.settings[i].dial}
            about |= {"n": means.n, "validity": means.validity[0], "cost": means.cost[0]}
            rows.append(about | {"difference": value, "lower": low, "upper": high})
        return rows

    def levels(self) -> list[Row]:
        """What each method with a dial costs at a mean validity, and in multiples of the optimum's.

        Over the people whom all compared settings answer.
        """
        named = [(self.settings[i].method, self.settings[i].dial) for i in self.compared]
        if self.optimum not in named:
            return []
        cheapest = named.index(self.optimum)
        rows: list[Row] = []
        for method in dict.fromkeys(method for method, _ in named):
            own = self._places(method)
            for level in VALIDITIES if len(own) > 1 else ():
                cost = along(self.means.validity[own], self.means.cost[own], level)

                def ratio(c: Vector, v: Vector, own: list[int] = own, at: float = level) -> float:
                    return along(v[own], c[own], at) / float(c[cheapest])

                value, low, high = self.means.measure(ratio)
                about = {"level": level, "method": method, "n": self.means.n, "cost": cost}
                rows.append(about | {"ratio": value, "lower": low, "upper": high})
        return rows
