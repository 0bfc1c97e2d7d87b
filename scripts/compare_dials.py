"""Which dial buys validity at least cost: the ways to search that Invariant was chosen from.

    STANDFAST_DATA=folder python scripts/compare_dials.py --data heloc --people 60 --seed 0

For each reference, fresh models search, others choose, and a third part judges. Every dial is
turned step by step for each person, starting from the reference's own optimum, and what it found is
chosen from by the same rules: the cheapest that enough choosing models accept (`target`), or the
one of least expected cost. Printed is what each dial costs at a mean validity under the judging
models, in multiples of the optimum's cost, and how it compares with mean and spread, the dial that
Invariant turns, at equal validity.
"""

import argparse
import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import standfast as sf
from standfast.compilation import kernel
from standfast.methods.choice import Candidate, Choice, ValidationModels
from standfast.search.local.local_search import LocalSearch
from standfast.search.local.neighbourhood import Judging, Numbers, Views, judged_along
from standfast.search.local.surroundings import Surroundings
from standfast.search.problem.lattice import Actions
from standfast.search.problem.price import Price
from standfast.search.problem.program import Program
from standfast.studies.frontier import DRAWS
from standfast.studies.frontier_means import Comparison, Setting
from standfast.studies.scene import Scene
from standfast.studies.settings import EPSILON, REFERENCES, SIZES, Settings
from standfast.studies.steps import Steps

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Step = tuple[float | None, float]  # a share of the models, and the caution

OPTIMUM = ("the reference's optimum", "")
RAISED, UNANIMOUS = "raised threshold", "unanimous, with a margin"
MEAN, SHARE, SPREAD = "mean", "share of the models", "mean and spread"
ANY = "any of these"
# how far each dial is turned; scores are probabilities less their threshold
MARGINS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.175, 0.2, 0.25, 0.3)
TOGETHER = [(k, margin) for k in (3, 10, 20) for margin in (0.0, 0.01, 0.02, 0.04, 0.08)]
SHARES: list[Step] = [(share, 0.0) for share in (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)]
SHARES += [(1.0, margin) for margin in (0.01, 0.02, 0.04, 0.08)]
CAUTIONS = np.arange(0.0, 4.01, 0.25).tolist()
TARGETS = (0.5, 0.7, 0.8, 0.9, 0.95)
BREACH_COSTS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0, 64.0, 128.0)
BOXES = 5_000
ROWS = 20_000  # of a larger set: the frontier of the documentation takes all of them


@kernel
def slacks_around(judging: Judging, p: Numbers) -> NDArray[np.float64]:
    """The slack of every counted model in every column of a look around p."""
    columns, musts = judging.around.columns, judging.judges.musts
    found = np.zeros((judging.judges.models - musts, columns[-1]))
    for m in range(len(found)):
        slack = judged_along(musts + m, judging, p, 0)
        for j in range(len(p)):
            here = slack
            for c in range(columns[j], columns[j + 1] - 1):
                here += judging.lines[0, c]
                found[m, c] = here
    return found


class Around(Surroundings):
    """Surroundings that hold another number of the counted models against the caution.

    None: the mean alone. A share: what so many of the models exceed.
    """

    share: float | None = None

    def look(self, p: Numbers) -> Views:
        """The views, the other number in place of the mean, and 1 in place of the spread."""
        known = p.tobytes() in self._views
        views = super().look(p)
        if not known:
            views.spread[:] = 1.0
            if self.share is not None:
                slacks = slacks_around(self._judging, p)
                place = len(slacks) - math.ceil(self.share * len(slacks) - 1e-9)
                views.mean[:] = np.partition(slacks, place, axis=0)[place]
        return views

    def ask(self, share: float | None) -> None:
        """Hold this share against the caution from now on."""
        self.share = share
        self._views.clear()


@dataclass(frozen=True, eq=False)
class Dials:
    """One reference, its people, and models in three parts."""

    scene: Scene
    fresh: sf.FreshModels

    @cached_property
    def people(self) -> Matrix:
        """The people."""
        return self.scene.data.schema.matrix(self.scene.people)

    @cached_property
    def validation(self) -> ValidationModels:
        """The models to choose by."""
        return ValidationModels(tuple(self.fresh.choose), 0.5)

    def exact(self, model: sf.Score, margin: float) -> Matrix:
        """Everybody's cheapest advice under one model or several, NaN where none was found."""
        schema, q = self.scene.data.schema, self.scene.percentiles
        method = sf.MinimalCost(schema, q, per_change=0.0, boxes=BOXES, margin=margin)
        recs = sf.recommend(method, model, self.scene.people, jobs=self.scene.settings.jobs)
        return recs.counterfactual.to_numpy(dtype=np.float64, na_value=np.nan)

    @cached_property
    def optima(self) -> Matrix:
        """Everybody's cheapest advice under the reference alone."""
        return self.exact(self.scene.f, 0.0)

    @cached_property
    def counted(self) -> Program:
        """The reference and the searching models on one lattice."""
        domain = self.scene.data.schema.complete(self.scene.percentiles.values)
        models = (self.scene.f, *self.fresh.search)
        known = domain, self.scene.percentiles, Price("total"), Actions(100)
        return Program.build(models, [0.0] * len(models), *known)

    def moved(self, around: Surroundings, steps: Sequence[Step]) -> list[Matrix]:
        """Everybody's advice at each step of a dial, each search starting from the last answer."""
        found = np.full((len(steps), *self.people.shape), np.nan)
        for i in np.flatnonzero(np.isfinite(self.optima).all(axis=1)):
            around.of(self.people[i])
            p = around.levels_of(self.optima[i])
            for k, (share, caution) in enumerate(steps):
                if isinstance(around, Around):
                    around.ask(share)
                search = LocalSearch(around, caution, lambda: False)
                goal = search.ascend(p)
                if goal is None:
                    goal = search.ascend(search.strongest(p))
                if goal is not None:
                    p = search.improve(goal)
                    found[k, i] = around.point(p)
        return list(found)

    def answers(self) -> dict[str, list[Matrix]]:
        """What each dial found at each of its steps."""
        f, drawn = self.scene.f, self.fresh.search
        return {
            RAISED: [self.exact(f, margin) for margin in MARGINS],
            UNANIMOUS: [self.exact(sf.Unanimous((f, *drawn[:k])), m) for k, m in TOGETHER],
            MEAN: self.moved(Around(self.counted, 1), [(None, m) for m in (0.0, *MARGINS, 0.4)]),
            SHARE: self.moved(Around(self.counted, 1), SHARES),
            SPREAD: self.moved(Surroundings(self.counted, 1), [(None, c) for c in CAUTIONS]),
        }

    def settings(self, dial: str, steps: Sequence[Matrix]) -> Iterator[Setting]:
        """For every target and every surprise what the choosing models prefer, person by person."""
        people = [
            self.judged(i, [self.optima[i], *(step[i] for step in steps)])
            for i in range(len(self.people))
        ]
        for v in TARGETS:
            needed = ValidationModels(self.validation.models, v).needed
            yield self.chosen(f"{dial}, target", f"{v:g}", [met(one, needed) for one in people])
        for times in BREACH_COSTS:
            lost = times * float(np.nanmean(self.cost(self.optima)))
            yield self.chosen(dial, f"surprise × {times:g}", [least(one, lost) for one in people])

    def judged(self, i: int, goals: Sequence[Vector]) -> list[Candidate]:
        """Person i's candidates with what the choosing models say of them."""
        choice = Choice(
            self.validation,
            lambda goal: float(self.scene.percentiles.total(self.people[i][None], goal[None])[0]),
        )
        return [choice.judge(goal) for goal in goals if np.isfinite(goal).all()]

    def chosen(self, dial: str, shown: str, best: Sequence[Candidate | None]) -> Setting:
        """One row of the comparison."""
        nowhere = np.full(self.people.shape[1], np.nan)
        points = np.array([nowhere if one is None else one.point for one in best])
        return Setting(dial, shown, points, self.cost(points))

    def cost(self, points: Matrix) -> Vector:
        """What everybody's advice costs; NaN without."""
        found, who = np.full(len(points), np.nan), np.isfinite(points).all(axis=1)
        found[who] = self.scene.percentiles.total(self.people[who], points[who])
        return found

    def comparison(self) -> Comparison:
        """All settings of all dials before the judging models."""
        settings = [Setting(*OPTIMUM, self.optima, self.cost(self.optima))]
        found = self.answers()
        found[ANY] = [step for steps in found.values() for step in steps]
        for dial, steps in found.items():
            settings += self.settings(dial, steps)
        seed = self.scene.settings.seed
        return Comparison(settings, tuple(self.fresh.certify), SPREAD, OPTIMUM, (), seed)


def met(candidates: Sequence[Candidate], needed: int) -> Candidate | None:
    """The cheapest that enough models accept, else what most of them do."""
    passed = [one for one in candidates if one.yes >= needed]
    if passed:
        return min(passed, key=lambda one: one.cost)
    return min(candidates, key=lambda one: (-one.yes, one.cost), default=None)


def least(candidates: Sequence[Candidate], surprise: float) -> Candidate | None:
    """The one of least expected cost if a broken promise costs so much."""
    return min(candidates, key=lambda one: one.cost + surprise * one.refusal, default=None)


def shown(court: Comparison) -> Iterator[tuple[str, pd.DataFrame]]:
    """Costs at each validity, and where a dial is surely cheaper or dearer than mean and spread."""
    levels = pd.DataFrame(court.levels())
    levels["shown"] = [
        "" if np.isnan(ratio) else f"{ratio:.2f} ({low:.2f}-{high:.2f})"
        for ratio, low, high in levels[["ratio", "lower", "upper"]].to_numpy(dtype=float)
    ]
    yield (
        f"cost in multiples of the optimum's, {levels['n'].iloc[0]} people",
        levels.pivot_table(
            index="method", columns="level", values="shown", aggfunc="first", sort=False
        ).reset_index(),
    )
    gaps = pd.DataFrame(court.gaps())
    gaps = gaps[(gaps["method"] != OPTIMUM[0]) & ~gaps["method"].str.endswith(", target")]
    counted = gaps.assign(
        dearer=gaps["lower"].gt(0) * -1 + gaps["upper"].lt(0), beyond=gaps["difference"].isna()
    ).groupby("method", sort=False)
    yield (
        "against mean and spread, at equal validity, by the interval of the paired difference",
        counted.agg(
            settings=("dearer", "size"),
            dearer=("dearer", lambda signs: int((signs > 0).sum())),
            cheaper=("dearer", lambda signs: int((signs < 0).sum())),
            beyond=("beyond", "sum"),
        ).reset_index(),
    )


def main() -> None:
    """Compare the dials on one data set, under both references."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", default="heloc", help="heloc or give_me_some_credit")
    parser.add_argument("--reference", action="append", choices=REFERENCES)
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--models", type=int, default=100, help="in each of the three parts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    whole = getattr(sf.datasets, asked.data)(variant="published")
    if len(whole) > ROWS:
        whole, _ = whole.split(ROWS / len(whole), seed=asked.seed)
    sizes = replace(SIZES["full"], people=asked.people)
    settings = Settings(sizes=sizes, seed=asked.seed, jobs=asked.jobs)
    for reference in asked.reference or REFERENCES:
        with tempfile.TemporaryDirectory() as folder:
            scene = Scene(whole, reference, settings, Steps(Path(folder)))
            fresh = sf.fresh_models(
                scene.unfitted,
                scene.train,
                draws=DRAWS[reference],
                sizes=dict.fromkeys(("search", "choose", "certify"), asked.models),
                epsilon=sf.Tolerance(EPSILON, "balanced_error"),
                seed=asked.seed,
                jobs=asked.jobs,
            )
            for title, table in shown(Dials(scene, fresh).comparison()):
                print(f"\n{asked.data}, {reference}: {title}\n{table.to_string(index=False)}")


if __name__ == "__main__":
    main()
