"""What keeping promises costs everybody else: changed decisions, and the area under the curve."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from standfast.datasets import Dataset
from standfast.errors import InputError, check_whole, type_of
from standfast.evaluation.intervals import share
from standfast.promises.promise import Promises
from standfast.promises.repair.retrain import (
    Retrained,
    as_it_is,
    check_keep,
    retrained,
    scheme_for,
)
from standfast.promises.repair.task import Scheme, Task
from standfast.rivals.candidates import seeded
from standfast.rivals.fitting import people_of
from standfast.rivals.judging import check_classes
from standfast.rivals.risk import area_under_curve
from standfast.scores import Score
from standfast.scores.acceptance import accepted

KEEPS = (0.8, 0.9, 0.95, 0.99, 1.0)
HELD_OUT = 0.25  # share of the data set aside where nobody else is given to judge by


def swap_set(before: Score, after: Score, held_out: Dataset) -> dict[str, float]:
    """Whose decision differs under two models, among people neither of them has seen.

    Shares of the people held out: newly accepted, newly refused, accepted by each, and both areas
    under the curve with their difference.

    >>> import standfast as sf
    >>> people = pd.DataFrame({"late": [0, 1, 2, 3]})
    >>> held = Dataset(people, pd.Series([1, 1, -1, -1]), sf.Schema((sf.Feature("late", "count"),)),
    ...                "four")
    >>> found = swap_set(sf.Linear([-1.0], 0.5), sf.Linear([-1.0], 1.5), held)
    >>> found["newly_accepted"], found["newly_refused"], found["auc_change"]
    (0.25, 0.0, 0.0)
    """
    check_classes(held_out, "the people held out", 1)
    people = people_of(held_out)
    one, other = (accepted(score, people.X) for score in (before, after))
    areas = [area_under_curve(score.score(people.X), people.y) for score in (before, after)]
    return {
        "people": len(people.y),
        "accepted_before": float(one.mean()),
        "accepted": float(other.mean()),
        "newly_accepted": float((other & ~one).mean()),
        "newly_refused": float((one & ~other).mean()),
        "auc": areas[1],
        "auc_change": areas[1] - areas[0],
    }


def retraining_frontier(
    estimator: Any,
    data: Any,
    promises: Promises,
    *,
    keeps: Sequence[float] = KEEPS,
    held_out: Dataset | None = None,
    by: Scheme | None = None,
    threshold: float | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """What it costs to keep more and more of the promises: a row for each share.

    The first row is the ordinary fit, the second, where the estimator draws at random, another
    ordinary fit whose seed alone differs: what changes by chance is no price. Every other row is a
    retraining that was asked to `keep` a share. `kept` is the share of promises that hold, with its
    exact 95 % interval; the swap set (`newly_accepted`, `newly_refused`, as shares), the acceptance
    rate and the area under the curve are of people held out, whom no fit has seen: those given, or
    a quarter of the data set aside.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import standfast as sf
    >>> data = sf.datasets.twin("heloc", n=600, seed=0)
    >>> f = sf.as_score(DecisionTreeClassifier(max_depth=3).fit(data.table, data.labels),
    ...                 data.schema, favourable=1)
    >>> best = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table))
    >>> promised = Promises.of(sf.recommend(best, f, data.table.head(50)))
    >>> tree = DecisionTreeClassifier(max_depth=4, random_state=1)
    >>> table = retraining_frontier(tree, data, promised, keeps=[0.9, 1.0])
    >>> bool((table["kept"] >= table["keep"].fillna(0)).all())
    True
    """
    train, held = _parts(data, held_out, seed)
    found = retrainings(
        estimator, train, promises, keeps=keeps, by=by, threshold=threshold, seed=seed
    )
    return pd.DataFrame([_row(one, held) for one in found])


def retrainings(
    estimator: Any,
    data: Any,
    promises: Promises,
    *,
    keeps: Sequence[float] = KEEPS,
    by: Scheme | None = None,
    threshold: float | None = None,
    classes: tuple[Any, Any] = (0, 1),
    seed: int = 0,
) -> list[Retrained]:
    """The models of a frontier: the ordinary fit, one whose seed differs, one for each share.

    The first two were asked for no share, so their `keep` is not a number.
    """
    check_whole(0, seed=seed)
    for keep in keeps:
        check_keep(keep)
    task = Task.of(estimator, data, promises, classes, threshold, seed)
    scheme = scheme_for(task, by)
    found = [as_it_is(task, promises, task.ordinary, "ordinary")]
    random = [key for key in task.estimator.get_params() if key.endswith("random_state")]
    if random:
        states = dict.fromkeys(random, seed + 1_000_003)
        other = replace(task, estimator=seeded(estimator, seed, "other").set_params(**states))
        chance = as_it_is(task, promises, other.ordinary, "another seed")
        if chance.score.digest != found[0].score.digest:  # some solvers draw nothing
            found.append(chance)
    found += [retrained(task, promises, float(keep), scheme) for keep in sorted(keeps)]
    return found


def judged_by(found: Retrained, held_out: object) -> dict[str, float]:
    """The swap set of a retraining against its ordinary fit; nothing without people held out."""
    if held_out is None:
        return {}
    return swap_set(found.ordinary, found.score, _judges(held_out))


def _row(found: Retrained, held: Dataset) -> dict[str, Any]:
    n = len(found.promises)
    kept, low, high = share(int(found.promises["after"].sum()), n)
    known = {"by": found.by, "keep": found.keep, "promises": n, "kept": float(kept)}
    known |= {"kept_lower": float(low), "kept_upper": float(high)}
    return known | swap_set(found.ordinary, found.score, held)


def _parts(data: object, held_out: object, seed: int) -> tuple[Any, Dataset]:
    """Those to fit on, and those to judge by."""
    if held_out is None:
        return data.split(1.0 - HELD_OUT, seed=seed) if isinstance(data, Dataset) else (data, data)  # type: ignore[return-value]
    held_out = _judges(held_out)
    if isinstance(data, Dataset) and held_out.digest == data.digest:
        raise InputError(
            "the people held out are the training table itself, who would judge too kindly; pass "
            "others, or leave held_out out"
        )
    return data, held_out


def _judges(held_out: object) -> Dataset:
    if not isinstance(held_out, Dataset):
        raise InputError(
            f"held_out is {type_of(held_out)}; pass a standfast.Dataset of people that no fit has "
            "seen"
        )
    return held_out
