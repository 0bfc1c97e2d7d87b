"""A simulated year of promises: who is promised what, and what each new model makes of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from standfast.digests import digest
from standfast.errors import InputError
from standfast.evaluation.costs import measured
from standfast.evaluation.rivals import judged
from standfast.files import read_parquet, write_table
from standfast.methods import CCHVAE, ActionableRecourse, Invariant, Method, MinimalCost
from standfast.promises import Promises
from standfast.readers import as_score
from standfast.recommendations import Recommendations
from standfast.rivals.candidates import random_states
from standfast.rivals.fitting import Fit, fit_all, people_of
from standfast.rivals.fresh_models import Part
from standfast.scores import Score, Unanimous
from standfast.studies import names
from standfast.studies.calendar import PERIODS, Calendar, Draws, Rows, fiscal_years, quarters
from standfast.studies.promise_counts import by_period, totals
from standfast.studies.promise_gates import through
from standfast.studies.scene import Make, Matrix, Scene, recommended
from standfast.studies.settings import Settings
from standfast.studies.steps import Advance, Missing
from standfast.studies.tables import MOST

TOGETHER = 10  # models that must agree, the reference aside
BREACH = 8.0  # what a broken promise costs Invariant, in multiples of the cheapest advice
ADVICE_WEIGHT, GATES_WEIGHT = 8.0, 5.0  # rough seconds, for the progress bar
FAILED = "missing.parquet"


@dataclass(frozen=True, eq=False)
class History:
    """One course of a year: the models that followed each other, and whom each of them refused."""

    scene: Scene
    calendar: Calendar
    number: int

    @property
    def draws(self) -> Draws:
        """The random streams of this history."""
        return Draws(self.scene.settings.seed, self.number)

    @cached_property
    def models(self) -> list[Score]:
        """The model of each period."""
        windows = [self.calendar.window(p, self.draws) for p in range(PERIODS)]
        return self._fitted({f"model {p}": rows for p, rows in enumerate(windows)})

    def fresh(self, period: int) -> tuple[Part, Part]:
        """Models of a period's window drawn again, to search with and to choose by."""
        window, k = self.calendar.window(period, self.draws), self.scene.settings.sizes.fresh // 2
        rows = {}
        for part in ("search", "choose"):
            for i in range(k):
                again = self.draws.of(part, period, i).integers(0, len(window), len(window))
                rows[f"{part} {period} {i}"] = window[again]
        found = self._fitted(rows)
        return Part("search", found[:k]), Part("choose", found[k:])

    def _fitted(self, rows: Mapping[str, Rows]) -> list[Score]:
        """The reference's class and settings, fitted on these rows with a seed of its own."""
        pool, nobody = self.calendar.pool, np.empty(0, dtype=np.int64)
        inputs = tuple(range(len(pool.schema)))
        fits = [
            Fit(name, self._unfitted(name), own, nobody, True, inputs) for name, own in rows.items()
        ]
        people, jobs = people_of(pool), self.scene.settings.jobs
        for own in rows.values():
            if people.y[own].all() or not people.y[own].any():
                raise InputError(
                    f"a window of {len(own)} people of {pool.name} holds one outcome only, so no "
                    "model can be fitted; give a larger table"
                )
        done = fit_all(fits, people, people.X, jobs, lambda: None)
        return [as_score(one.estimator, pool.schema, favourable=1) for one in done]

    def _unfitted(self, name: str) -> object:
        estimator, rng = self.scene.unfitted, self.draws.of("seed", name)
        states = {key: int(rng.integers(2**31)) for key in random_states(estimator)}
        return estimator.set_params(**states)

    def refused(self, period: int) -> list[Rows]:
        """Those who apply in each period to this one and are newly refused, drawn at random."""
        X, taken = people_of(self.calendar.pool).X, np.zeros(len(self.calendar.pool), dtype=bool)
        found = []
        for p in range(period + 1):
            weights = self.calendar.applying[p]
            there = np.flatnonzero((weights > 0) & ~taken)
            there = there[~judged(self.models[p], X[there], f"the model of period {p}")[1]]
            count = min(self.scene.settings.sizes.promised, len(there))
            if not count:
                found.append(there)
                continue
            share = weights[there] / weights[there].sum()
            chosen = self.draws.of("people", p).choice(there, count, replace=False, p=share)
            taken[chosen] = True
            found.append(np.sort(chosen).astype(np.int64))
        return found

    # advice

    @property
    def exact(self) -> MinimalCost:
        """The exact search, by the percentiles of the calendar."""
        return replace(self.scene.exact, percentiles=self.calendar.percentiles)

    def advice(self, period: int, missing: Missing) -> dict[str, Recommendations]:
        """What each method advises the newly refused of a period, as a step."""
        scene, drift = self.scene, self.calendar.drift if period else ""
        step = ", ".join(part for part in (f"advice of {self._when(period)}", drift) if part)

        def fill(part: Path, advance: Advance) -> None:
            failed, people = Missing(), self._people(self.refused(period)[-1])
            found = list(self._recommended(period, people, failed, advance))
            for method, recs in found:
                recs.write(part / f"{method}.parquet")
            write_table(pd.DataFrame(failed.rows, columns=["what", "why"]), part / FAILED)

        place = scene.steps.folder_of(
            scene.name, step, [self.key, drift, period], fill, ADVICE_WEIGHT
        )
        for row in read_parquet(place / FAILED, MOST, "a table of a study").to_dict("records"):
            said = {"data": scene.name[0], "reference": scene.name[1], **row}
            if said not in missing.rows:
                missing.rows.append({str(name): str(value) for name, value in said.items()})
        files = {method: place / f"{method}.parquet" for method in names.YEAR}
        return {m: Recommendations.read(file) for m, file in files.items() if file.is_file()}

    @property
    def key(self) -> str:
        """The fingerprint of people, settings and history."""
        c, sizes = self.calendar, self.scene.settings.sizes
        asked = [sizes.promised, sizes.fresh, sizes.boxes, c.when, c.length, c.sizes]
        known = [self.scene.key, self.scene.autoencoder_key, c.pool.digest]
        return digest([*known, *asked, self.number])

    def _when(self, period: int) -> str:
        return f"{self.calendar.when[period]}, history {self.number}"

    def _people(self, rows: Rows) -> pd.DataFrame:
        return self.calendar.pool.table.iloc[rows]

    def _recommended(
        self, period: int, people: pd.DataFrame, failed: Missing, advance: Advance
    ) -> Iterator[tuple[str, Recommendations]]:
        """Each method's recommendations; one that cannot be used is noted, with the reason."""
        if people.empty:
            return
        s, schema, q = self.scene.settings, self.calendar.pool.schema, self.calendar.percentiles
        f, exact = self.models[period], self.exact
        search, choose = self.fresh(period)
        cheapest = recommended(exact, f, people, seed=s.seed, jobs=s.jobs)
        yield names.MINIMAL, cheapest

        def invariant() -> tuple[Method, Score]:
            price = None
            if cheapest.found.any():
                price = BREACH * float(cheapest.cost[cheapest.found].mean())
            return Invariant(schema, q, search=search, choose=choose, breach_cost=price), f

        methods: dict[str, Make] = {
            names.AR: lambda: (ActionableRecourse(schema, q), f),
            names.C_CHVAE: lambda: (CCHVAE(schema, q, self.scene.autoencoder), f),
            names.TOGETHER: lambda: (exact, Unanimous((f, *search[:TOGETHER]))),
            names.INVARIANT: invariant,
        }
        if not ActionableRecourse.reads(f):
            del methods[names.AR]
        for done, (method, make) in enumerate(methods.items()):
            advance(done, len(methods))
            with failed.tolerated(("", ""), f"promises of {method}"):
                yield method, recommended(*make(), people, seed=s.seed, jobs=s.jobs)

    # gates

    def judged(self, missing: Missing) -> pd.DataFrame:
        """The history's part of the table `promises`: every promise under later models; a step."""
        scene, c = self.scene, self.calendar
        periods = range(c.advising)
        asked = 0

        def make(_: Advance) -> dict[str, pd.DataFrame]:
            nonlocal asked
            parts = []
            for period in periods:
                asked += 1
                given = self.advice(period, missing)
                parts += [self._issued(period, *one) for one in given.items()]
            if not parts:
                raise InputError(
                    f"no model of history {self.number} refuses anybody, so nobody is promised "
                    "anything; give a larger table, or one in which more people are unfavourable"
                )
            facts = pd.concat([part for part, _ in parts], ignore_index=True)
            points = np.concatenate([points for _, points in parts])
            found = through(facts, points, self.models, self.exact, scene.settings.jobs)
            return {"promises": found}

        step = f"promises of {c.drift}, history {self.number}"
        key = [self.key, c.drift, c.advising]
        found = scene.steps.tables(scene.name, step, key, make, GATES_WEIGHT)
        scene.steps.skip(ADVICE_WEIGHT * (len(periods) - asked))  # a finished history asks no more
        return found["promises"].assign(drift=c.drift, history=self.number)

    def _issued(
        self, period: int, method: str, recs: Recommendations
    ) -> tuple[pd.DataFrame, Matrix]:
        """What a method promises in a period: a row per person asked about, and where to."""
        promised = Promises.of(recs)
        found = recs.found.to_numpy()
        points = np.full((len(found), promised.point.shape[1]), np.nan)
        cost = np.full(len(found), np.nan)
        points[found] = promised.point
        cost[found] = measured(promised.factual, promised.point, self.calendar.percentiles)["total"]
        facts = pd.DataFrame(
            {
                "issued": period,
                "method": method,
                "person": recs.index.astype(str),
                "outcome": recs.outcome.astype(str).to_numpy(),
                "cost": cost,
            }
        )
        return facts, points


def calendars(scene: Scene) -> list[Calendar]:
    """The courses of time a scene is followed through: years if its people are dated, or quarters.

    Quarters come with drift and, beside it, without: there, only the people of the start, whose
    advice is the same, are followed.
    """
    if scene.dated is not None:
        return [fiscal_years(scene.dated)]
    found, size = [], scene.settings.drift
    if size:
        found.append(quarters(scene, 0.0, 1))
    return [quarters(scene, size), *found]


def promises(scene: Scene, missing: Missing) -> dict[str, pd.DataFrame]:
    """The tidy tables `promises`, `promises_year` and `promises_total` of one scene."""
    people, year, total = [], [], []
    for calendar in calendars(scene):
        histories = range(scene.settings.sizes.histories)
        found = [History(scene, calendar, k).judged(missing) for k in histories]
        table = pd.concat(found, ignore_index=True)
        about = {"drift": calendar.drift}
        seed = scene.settings.seed
        people.append(table)
        year.append(by_period(table, calendar.when, seed).assign(**about))
        total.append(totals(table, seed).assign(**about))
    parts = {"promises": people, "promises_year": year, "promises_total": total}
    return {name: pd.concat(tables, ignore_index=True) for name, tables in parts.items()}


def weight(settings: Settings, dated: bool) -> float:
    """Rough seconds of a scene's simulated year: by years, or in quarters with drift or without."""
    one = (PERIODS - 1) * ADVICE_WEIGHT + GATES_WEIGHT
    beside = 0.0 if dated or not settings.drift else ADVICE_WEIGHT + GATES_WEIGHT
    return settings.sizes.histories * (one + beside)
