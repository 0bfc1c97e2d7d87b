"""Lemma 1: the mean cost of advice under one model."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from standfast.bounds import vectors
from standfast.bounds.bound import Bound
from standfast.bounds.vectors import Bools, Vector


def single_model(f: ArrayLike, y: ArrayLike, alpha: float) -> Bound:
    """Ustun et al.'s bound of E[c*(f)] over the people f refuses (lemma 1, γ = 1).

    α(π_f c_D+(f) − (1 − π_f) c_D−(f) + 2 c_max(f) R(f)). Scores are never positive inside H_f^-, so
    the risk R(f) there is π_f itself and c_D+ lowers the bound; what c_max overpays is the gap to
    `mean_residual` = E_{H_f^-}|f|, for which α E|f| is a bound already.

    >>> single_model([-1.0, -0.5, 2.0], [-1, 1, 1], alpha=1.0).total
    1.25
    """
    found = vectors.scores(f, "f")
    favourable = vectors.labels(y, len(found))
    alpha, _ = vectors.constants(alpha)
    if not (found <= 0).any():
        raise vectors.nobody(len(found))
    terms = parts(found, favourable, "f")
    bracket = bracket_of(terms, "f")
    refused = found <= 0
    residual = float(-found[refused].mean())
    named = {"alpha": alpha, **terms, "bracket": bracket, "mean residual": residual}
    counts = {"refused by f": int(refused.sum())}
    return Bound("lemma 1 (Ustun et al.)", alpha * bracket, named, counts)


def bracket_of(terms: Mapping[str, float], name: str) -> float:
    """What a model's own terms add up to."""
    return (
        terms[f"maximum risk of {name}"]
        + terms[f"false negatives of {name}"]
        - terms[f"true negatives of {name}"]
    )


def parts(score: Vector, favourable: Bools, name: str) -> dict[str, float]:
    """Every term one model contributes, each as the paper defines it; 0 where it refuses nobody."""
    refused = score <= 0
    n = max(int(refused.sum()), 1)
    plus, minus = refused & favourable, refused & ~favourable
    pi = float(plus.sum() / n)
    largest = float(np.abs(score[refused]).max()) if refused.any() else 0.0
    return {
        f"pi_{name}": pi,
        f"risk of {name}": pi,  # inside H^- no score is positive: R = π
        f"c_max of {name}": largest,
        f"c_D+ of {name}": float(score[plus].mean()) if plus.any() else 0.0,
        f"c_D- of {name}": float(score[minus].mean()) if minus.any() else 0.0,
        f"maximum risk of {name}": 2.0 * pi * largest,
        f"false negatives of {name}": float(score[plus].sum() / n),
        f"true negatives of {name}": float(score[minus].sum() / n),
    }
