"""Pools of nearly equal models that others have found, as level sets."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.errors import InputError, type_of
from standfast.readers import as_score
from standfast.readers.risk_scores import read_risk_score
from standfast.readers.tree_documents import (
    check_columns,
    is_tree_document,
    read_tree_document,
    tree_of_paths,
)
from standfast.rivals.candidates_table import COLUMNS, STANDS_FOR
from standfast.rivals.fitting import made_from
from standfast.rivals.level_set import LevelSet
from standfast.rivals.risk import Answered, Quality, Risk, Tolerance, quality
from standfast.scores.score import Score


def level_set_of(
    models: Any,
    train: Dataset,
    *,
    favourable: Any = 1,
    columns: Sequence[str] = (),
    risk: Risk = "error",
) -> LevelSet:
    """A pool of models as a level set: the best of them is the reference, the others its rivals.

    Risks are measured on `train`, and ε is the largest excess among them, so everybody is inside.

    Parameters
    ----------
    models : list or mapping
        Scores, fitted estimators, FasterRisk's cards (a classifier with names, a dictionary or a
        text), trees of TreeFARMS or GOSDT (a classifier with its `source`, or the nested
        dictionary), or the whole model set of TreeFARMS or PRAXIS. None of these packages is
        needed.
    train : Dataset
        The people.
    favourable : object
        The class people want.
    columns : sequence of str
        Of trees, the names of the yes-or-no columns in order, conditions on inputs such as
        'age<=30' or 'home=own'.
    risk : {"error", "balanced_error", "log_loss", "auc"}
        What is measured.

    Returns
    -------
    LevelSet
        The best model and its rivals.

    Examples
    --------
    >>> from standfast.datasets import twin
    >>> people = twin("heloc", n=300, seed=0)
    >>> tree = {"feature": 0, "true": {"prediction": 0}, "false": {"prediction": 1}}
    >>> names = ["ExternalRiskEstimate<=70", "ExternalRiskEstimate<=72"]
    >>> level_set_of([tree, {**tree, "feature": 1}], people, columns=names)
    LevelSet: 1 of 1 candidates are at most 0.0... worse than the reference
    (error on the training people)
    """
    if not isinstance(train, Dataset):
        raise InputError(f"train is {type_of(train)}; pass a standfast.Dataset")
    check_columns(columns)
    tolerance = Tolerance(0.0, risk, "training")
    named = _named(models)
    if len(named) < 2:
        raise InputError(f"the pool holds {len(named)} models; a level set needs at least two")
    scores = {name: _read(model, name, train, favourable, columns) for name, model in named.items()}
    X, good = train.schema.matrix(train.table), train.labels.to_numpy() > 0
    found = {name: _quality(score, X, good, risk) for name, score in scores.items()}
    best = min(found, key=lambda name: found[name].risk)
    epsilon = max(q.risk for q in found.values()) - found[best].risk
    rows = [
        (
            name,
            type(scores[name]).__name__,
            "",
            *q,
            True,
            "the best of the pool" if name == best else f"its risk is {q.risk:.4f}",
        )
        for name, q in sorted(found.items(), key=lambda item: item[0] != best)
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS)).assign(**{STANDS_FOR: 1})
    rivals = [name for name in scores if name != best]
    provenance = {
        **made_from(train),
        "risk": risk,
        "risk_on": tolerance.where,
    }
    every = tuple(scores[name] for name in rivals)
    return LevelSet(scores[best], tuple(rivals), every, epsilon, table, train.schema, provenance)


def _named(models: Any) -> dict[str, Any]:
    if hasattr(models, "model_set"):  # TREEFARMS itself
        models = models.model_set
    if hasattr(models, "get_tree_count"):
        models = [models[i] for i in range(models.get_tree_count())]
    if hasattr(models, "get_tree_paths"):  # PRAXIS
        models = [tree_of_paths(*models.get_tree_paths(i)) for i in range(models.count_trees())]
    if isinstance(models, Mapping) and not is_tree_document(models):
        return {str(name): model for name, model in models.items()}
    if isinstance(models, Sequence) and not isinstance(models, str):
        return {f"model {k}": model for k, model in enumerate(models)}
    raise InputError(
        f"the pool is {type_of(models)}; give a list of models, a mapping from names to models, or "
        "the model set of TreeFARMS or PRAXIS"
    )


def _read(model: Any, name: str, train: Dataset, favourable: Any, columns: Sequence[str]) -> Score:
    try:
        if is_tree_document(model):
            return read_tree_document(model, train.schema, favourable=favourable, columns=columns)
        card = isinstance(model, Mapping | str) or hasattr(model, "multiplier")
        if card:
            return read_risk_score(model, train.schema, favourable=favourable)
        return as_score(model, train.schema, favourable=favourable)
    except InputError as error:
        raise InputError(f"'{name}' of the pool cannot be read: {error}") from error


def _quality(score: Score, X: Any, good: Any, risk: Risk) -> Quality:
    answered = Answered(np.asarray(score.score(X)), getattr(score, "threshold", 0.5))
    return quality([good], [answered], risk)
