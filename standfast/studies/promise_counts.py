"""Counts of a simulated year: promises kept, exceptions, top-ups and costs, with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.evaluation.intervals import interval_of_most
from standfast.studies import names
from standfast.studies.frontier_means import ENOUGH, REPEATS

Bools = NDArray[np.bool_]
Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
PERSON = ["history", "issued", "person"]


@dataclass(frozen=True, eq=False)
class Counted:
    """The promises of some people by every method, in arrays: methods by people by periods.

    Methods are compared over the people whom all of them answered; a method that answers fewer than
    half of those asked about is left out of the comparison, and its numbers are missing.
    """

    table: pd.DataFrame
    seed: int

    @cached_property
    def people(self) -> pd.MultiIndex:
        """Everybody who was asked about: history, period of the advice, label."""
        return pd.MultiIndex.from_frame(self.table[PERSON].drop_duplicates())

    @cached_property
    def methods(self) -> list[str]:
        """The methods, in the order of every table."""
        used = set(self.table["method"])
        return [method for method in names.YEAR if method in used]

    def of(self, column: str) -> Matrix:
        """A column as methods by people by periods; missing where a promise is not open."""
        periods = range(int(self.table["period"].max()) + 1)
        numbers = self.table.assign(number=self.table[column].astype(float))
        tall = numbers.set_index(["method", *PERSON, "period"])["number"]
        wide = pd.DataFrame(tall.unstack("period")).reindex(columns=periods)  # noqa: PD010
        parts = [wide.loc[method].reindex(self.people).to_numpy() for method in self.methods]
        return np.array(parts, dtype=np.float64)

    @cached_property
    def cost(self) -> Matrix:
        """Methods by people: what the advice costs; missing without advice."""
        first = self.table[self.table["period"] == self.table["issued"]]
        wide = first.set_index([*PERSON, "method"])["cost"].unstack("method")  # noqa: PD010
        return np.asarray(wide.reindex(index=self.people, columns=self.methods).T, dtype=float)

    @property
    def answered(self) -> NDArray[np.int64]:
        """How many people each method answered."""
        return np.asarray(np.isfinite(self.cost).sum(axis=1))

    @cached_property
    def compared(self) -> Bools:
        """The methods that answer enough people."""
        return np.asarray(self.answered >= max(1.0, ENOUGH * len(self.people)))

    @cached_property
    def who(self) -> Bools:
        """The people whom all compared methods answered."""
        found = np.isfinite(self.cost[self.compared])
        return np.asarray(found.all(axis=0) & bool(self.compared.any()))

    @cached_property
    def kept(self) -> Matrix:
        """1 where the model in force accepts the promised point, else 0."""
        return self.of("kept")

    @cached_property
    def top_up(self) -> Matrix:
        """What the top-ups of each period cost; infinite where none was found."""
        given = self.of("top_up")
        return np.where(np.isnan(given) & np.isfinite(self.kept), np.inf, given)

    @cached_property
    def repaired(self) -> Bools:
        """The people for whom every top-up was found, whatever compared method advised them."""
        return self.who & ~np.isinf(self.top_up[self.compared]).any(axis=(0, 2))

    @cached_property
    def spent(self) -> Matrix:
        """Methods by people by periods: the cost so far, of the advice and of all top-ups."""
        return np.asarray(self.cost[:, :, None] + np.nancumsum(self.top_up, axis=2))

    @cached_property
    def weights(self) -> Matrix:
        """How often everybody is drawn again: histories as clusters, then the people of each.

        All people of a history meet the same models, so that histories are drawn as a whole.
        """
        rng = np.random.default_rng(self.seed)
        history = self.people.get_level_values("history").to_numpy()
        each = [np.flatnonzero((history == one) & self.who) for one in np.unique(history)]
        each = [rows for rows in each if len(rows)]
        drawn = np.zeros((REPEATS, len(history)))
        if len(each) < 2:
            return drawn
        times = rng.multinomial(len(each), np.full(len(each), 1 / len(each)), REPEATS)
        for rows, often in zip(each, times.T, strict=True):
            share = np.full(len(rows), 1 / len(rows))
            drawn[:, rows] = rng.multinomial(often * len(rows), share)
        return drawn

    def mean(self, values: Vector, over: Bools) -> tuple[float, Vector]:
        """The mean over some of the people, and those of people drawn again."""
        if not over.any():
            return float("nan"), np.full(REPEATS, np.nan)
        drawn = self.weights[:, over]
        total = drawn.sum(axis=1)
        again = np.full(REPEATS, np.nan)
        np.divide(drawn @ values[over], total, where=total > 0, out=again)
        return float(values[over].mean()), again


def ends(name: str, value: float, draws: Vector) -> dict[str, float]:
    """A number with its interval, where most draws have one; that of the share kept has no name."""
    low, high = interval_of_most(draws)
    whose = "" if name == "kept" else f"{name}_"
    return {name: value, f"{whose}lower": low, f"{whose}upper": high}


def by_period(table: pd.DataFrame, when: Sequence[str], seed: int) -> pd.DataFrame:
    """The table `promises_year`: what the model of each period makes of the promises then open."""
    rows: list[dict[str, Any]] = []
    start = table[table["issued"] == 0]
    groups: Mapping[str, pd.DataFrame] = {names.AT_START: start, names.ALL_OPEN: table}
    for people, own in groups.items():
        if people == names.ALL_OPEN and len(own) == len(start):
            continue  # nobody was advised later
        counted = Counted(own, seed)
        issued = counted.people.get_level_values("issued").to_numpy()
        for period in range(1, len(when)):
            about = {"people": people, "period": period, "when": when[period]}
            for k, method in enumerate(counted.methods):
                row = {"method": method, "answered": int(counted.answered[k])}
                rows.append(about | row | _at(counted, k, period, issued < period))
    return pd.DataFrame(rows)


def _at(counted: Counted, k: int, period: int, open_: Bools) -> dict[str, Any]:
    """The numbers of one method in one period, over those of the compared whose promise is open."""
    who = counted.who & open_ & counted.compared[k]
    paid = counted.repaired & who
    kept, top_up = counted.kept[k, :, period], counted.top_up[k, :, period]
    spent = counted.spent[k, :, period]
    unbroken = np.nan_to_num(counted.kept[k, :, : period + 1], nan=1.0).min(axis=1)
    return {
        "n": int(who.sum()),
        **ends("kept", *counted.mean(kept, who)),
        "unbroken": counted.mean(unbroken, who)[0],
        "exceptions": int((kept[who] == 0).sum()),
        "top_ups": int((top_up[who] > 0).sum()),
        "beyond": int(np.isinf(top_up[who]).sum()),
        "paid": int(paid.sum()),
        "top_up": counted.mean(top_up, paid)[0],
        **ends("total", *counted.mean(spent, paid)),
    }


def totals(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The table `promises_total`: the whole year of the people who were advised at its start."""
    counted = Counted(table[table["issued"] == 0], seed)
    last = counted.kept.shape[2] - 1
    cheapest = counted.methods.index(names.MINIMAL) if names.MINIMAL in counted.methods else None
    rows: list[dict[str, Any]] = []
    for k, method in enumerate(counted.methods):
        who = counted.who & counted.compared[k]
        paid = counted.repaired & who
        later = np.where(np.isinf(counted.top_up[k]), np.nan, counted.top_up[k])
        first, after = counted.cost[k], np.nansum(later, axis=1)
        costs = {"first": first, "top_ups": after, "total": first + after}
        row: dict[str, Any] = {"method": method, "asked": len(counted.people)}
        row |= {"answered": int(counted.answered[k]), "n": int(who.sum())}
        row |= ends("kept", *counted.mean(counted.kept[k, :, last], who))
        needed = (np.nan_to_num(counted.top_up[k], nan=0.0, posinf=1.0) > 0).any(axis=1)
        row |= {"topped": counted.mean(needed.astype(float), who)[0], "paid": int(paid.sum())}
        for name, cost in costs.items():
            row |= ends(name, *counted.mean(cost, paid))
        row |= _beside(counted, k, cheapest, paid)
        rows.append(row)
    return pd.DataFrame(rows)


def _beside(counted: Counted, k: int, cheapest: int | None, paid: Bools) -> dict[str, float]:
    """What a method costs in multiples of the cheapest advice: at first, and in the whole year."""
    found: dict[str, float] = {}
    last = counted.spent.shape[2] - 1
    for name, values in (("first_ratio", counted.cost), ("ratio", counted.spent[:, :, last])):
        at, draws = float("nan"), np.full(REPEATS, np.nan)
        if cheapest is not None and paid.any():
            (mine, mine_drawn), (base, base_drawn) = (
                counted.mean(values[one], paid) for one in (k, cheapest)
            )
            if base > 0:
                at = mine / base
                draws = np.divide(mine_drawn, base_drawn, where=base_drawn > 0, out=draws)
        found |= ends(name, at, draws)
    return found
