"""The level set of a reference: which of a grid's candidates are at most ε worse than it."""

from typing import Any

from standfast.datasets import Dataset
from standfast.errors import InputError
from standfast.rivals.candidate_fits import FOLDS, CandidateFits
from standfast.rivals.candidates import REFERENCE
from standfast.rivals.candidates_table import judged_candidates, nothing_inside, rivals_among
from standfast.rivals.fitting import Progress, made_from, people_of, read_fitted
from standfast.rivals.judging import (
    Judged,
    Judging,
    check_classes,
    check_judges,
    check_probabilities,
)
from standfast.rivals.level_set import LevelSet
from standfast.rivals.merging import MERGE, check_merge, stand_ins
from standfast.rivals.reference import Reference
from standfast.rivals.risk import WORDS, Tolerance
from standfast.schema import Schema
from standfast.scores.score import Matrix, Score


def level_set(
    candidates: Any,
    train: Dataset,
    *,
    reference: Any,
    epsilon: float | Tolerance = 0.05,
    merge: float | None = MERGE,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> LevelSet:
    """The candidates at most ε worse than the reference: R̂(g) ≤ R̂(f) + ε.

    R̂ is the share of mistakes unless ε says otherwise: `Tolerance(0.02, risk="auc")`. The paper
    counts training mistakes, of which deep forests make almost none; by default we judge by
    cross-validation, five folds, the same for all, with a copy of the reference fitted anew, and
    then fit who is inside on all of `train`. `Tolerance(0.05, on="training")` is the paper's way,
    and a Dataset of people none of the models has seen is the third.

    Fifty penalties may be one and the same logistic regression over and over. Candidates inside
    whose scores are at most `merge` apart for everybody they are judged on (the training people
    for cross-validation; 10,000 of them, evenly spaced, if there are more) therefore count as one:
    the reference or else the first of them stands for the others, and the table says for how many.

    Parameters
    ----------
    candidates : mapping or list of unfitted estimators
        A grid (`grids.forests()`, two of them joined with `|`), a mapping of names to estimators,
        or a list of them, from the reference's hypothesis class or another one (the paper's case
        b). They see the labels 0 and 1, 1 favourable.
    train : Dataset
        The people on whom models are fitted and judged.
    reference : estimator or Score
        The fitted model; the larger of its classes −1/+1 or 0/1 is favourable, and with other
        classes its score says which one: `as_score(model, schema, favourable="Good")`.
    epsilon : float or Tolerance
        How much worse a rival may be.
    merge : float, optional
        A difference of probabilities, or a share of the range of decision values; with None every
        candidate inside is a rival, as in the paper.
    seed, jobs, progress : int, int, callable
        The seed, how many processes fit (the answer is the same), and `progress(done, total)` as
        models are fitted.

    Returns
    -------
    LevelSet
        The reference, its rivals, and a table of all candidates.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from standfast.datasets import twin
    >>> people = twin("heloc", n=400, seed=0)
    >>> f = LogisticRegression(solver="newton-cholesky").fit(people.table, people.labels)
    >>> grid = {f"C = {C}": LogisticRegression(C=C, solver="newton-cholesky") for C in (0.1, 1.0)}
    >>> level_set(grid, people, reference=f)
    LevelSet: 2 of 2 candidates are at most 0.05 worse than the reference
    (error by cross-validation); 1 rival, for 1 of them is practically the same as another
    """
    fits = CandidateFits.of(candidates, train, seed, jobs)
    return level_set_among(
        fits, reference=reference, epsilon=epsilon, merge=merge, progress=progress
    )


def level_set_among(
    fits: CandidateFits,
    *,
    reference: Any,
    epsilon: float | Tolerance = 0.05,
    merge: float | None = MERGE,
    progress: Progress | None = None,
) -> LevelSet:
    """The same for candidates whose fits are kept: a second reference finds them done.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from standfast.datasets import twin
    >>> people = twin("heloc", n=400, seed=0)
    >>> strong, weak = (LogisticRegression(C=C, solver="newton-cholesky") for C in (1e-5, 1.0))
    >>> fits = CandidateFits.of({"strong penalty": strong}, people)
    >>> f = weak.fit(people.table, people.labels)
    >>> level_set_among(fits, reference=f).names
    ('strong penalty',)
    """
    train, grid = fits.train, fits.grid
    tolerance = Tolerance.of(epsilon, "cross-validation", "training")
    check_judges(tolerance.on, train)
    check_merge(merge)
    cross = tolerance.on == "cross-validation"
    check_classes(train, "the training people", FOLDS if cross else 1)
    model = Reference.of(reference, train)
    check_probabilities(grid, model, tolerance.risk)
    if cross:
        model.check_refittable()
    found, asked = Judging(fits, model, tolerance, progress).run()
    table = judged_candidates(grid, model, found, tolerance)
    inside = [name for name, within in zip(grid, table["inside"][1:], strict=True) if within]
    if not inside:
        raise InputError(nothing_inside(table, tolerance.epsilon))
    read = {name: _read(found[name], train.schema, asked) for name in inside}
    everyone = {REFERENCE: model.score, **{name: score for name, (score, _) in read.items()}}
    judges = tolerance.on if isinstance(tolerance.on, Dataset) else train
    places = stand_ins(list(everyone.values()), people_of(judges).X, merge)
    names = rivals_among(table, list(everyone), places)
    if not names:
        raise InputError(
            f"every candidate that is at most {tolerance.epsilon:g} worse than the reference "
            f"({len(inside)}) "
            f"is practically the same as it: scores at most {merge:g} apart for everybody; add "
            "candidates that differ more, lower the tolerance, or keep every candidate"
        )
    provenance = {
        **made_from(train),
        "risk": WORDS[tolerance.risk],
        "risk_on": tolerance.where,
        "merge": merge,
        "structures": {
            "rows": len(asked),
            "largest_difference": max(difference for _, difference in read.values()),
        },
        "seed": fits.seed,
    }
    rivals, epsilon = tuple(everyone[name] for name in names), tolerance.epsilon
    return LevelSet(model.score, tuple(names), rivals, epsilon, table, train.schema, provenance)


def _read(judged: Judged, schema: Schema, asked: Matrix) -> tuple[Score, float]:
    assert judged.answered is not None
    return read_fitted(judged.estimator, schema, asked, judged.answered)
