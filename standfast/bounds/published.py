"""Proposition 2 as published: the mean cost of advice that two models accept."""

import numpy as np
from numpy.typing import ArrayLike

from standfast.bounds import vectors
from standfast.bounds.bound import Bound
from standfast.bounds.single_model import bracket_of, parts


def published(f: ArrayLike, g: ArrayLike, y: ArrayLike, alpha: float, gamma: float = 1.0) -> Bound:
    """The bound of E_A[c*(f, g)] as printed, A = H_f^- ∪ H_g^-, with every term named.

    α 8^(1−γ) [2 R_f c_max(f) + 2 R_g c_max(g) + π_f c_D+(f) + π_g c_D+(g) − (1−π_f) c_D−(f)
    − (1−π_g) c_D−(g) + Δ(f, g)]^γ. Kept for comparison: `residual` is never above it and needs no
    labels. With f = g and γ = 1 it is twice `single_model`, not equal to it as remark 1 says. c_max
    is a sample's maximum: it grows with the sample. f and g must be on one scale.

    >>> f, y = [-1.0, -0.5, 2.0], [-1, 1, 1]
    >>> published(f, f, y, alpha=1.0).total  # twice lemma 1's 1.25
    2.5
    """
    one = vectors.scores(f, "f")
    two = vectors.scores(g, "g", len(one))
    favourable = vectors.labels(y, len(one))
    alpha, gamma = vectors.constants(alpha, gamma)
    either = (one <= 0) | (two <= 0)
    if not either.any():
        raise vectors.nobody(len(one))
    terms = {**parts(one, favourable, "f"), **parts(two, favourable, "g")}
    delta = float(np.abs(one - two)[either].mean())
    bracket = delta + sum(bracket_of(terms, m) for m in ("f", "g"))
    factor = alpha * 8.0 ** (1.0 - gamma)
    named = {
        "alpha": alpha,
        "gamma": gamma,
        **terms,
        "delta": delta,
        "bracket": bracket,
        "factor": factor,
    }
    counts = {
        "refused by f": int((one <= 0).sum()),
        "refused by g": int((two <= 0).sum()),
        "refused by either": int(either.sum()),
    }
    # each bracket is at least −E[score] ≥ 0; rounding must not make its root complex
    return Bound("proposition 2, as published", factor * max(bracket, 0.0) ** gamma, named, counts)
