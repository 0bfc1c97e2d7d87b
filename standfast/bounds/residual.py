"""Proposition 2′: the mean cost of advice that several models accept, bounded by their residual."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from standfast.bounds import vectors
from standfast.bounds.bound import Bound
from standfast.errors import InputError


def residual(scores: Sequence[ArrayLike], alpha: float, gamma: float = 1.0) -> Bound:
    """α E_A[r^γ], r = max_k(−g_k), over the people A whom at least one model refuses.

    On A the residual r is never negative, and for two models r = ½(|f − g| − f − g), so that
    E_A r = ½(Δ(f, g) − E_A[f + g]). The proof is the error bound dist ≤ α r^γ itself: no risk, no
    maximum, no labels, no 8^(1−γ). `Jensen` is the looser α (E_A r)^γ. A departure from the paper,
    whose proposition 2 is `published`.

    >>> residual([[-1.0, 0.5, 2.0], [-0.5, -0.2, 1.0]], alpha=2.0).total
    1.2
    """
    if isinstance(scores, np.ndarray) and scores.ndim == 1:
        raise InputError("one vector was given; wrap it in a list, one vector per model: [f, g]")
    G = vectors.stacked(list(scores))
    alpha, gamma = vectors.constants(alpha, gamma)
    refused, r = vectors.residuals(G)
    G = G[:, refused]
    terms = {
        "alpha": alpha,
        "gamma": gamma,
        "mean residual": float(r.mean()),
        "mean residual^gamma": float((r**gamma).mean()),
        "Jensen": alpha * float(r.mean()) ** gamma,
        "largest residual": float(r.max()),
    }
    if len(G) == 2:
        terms["delta"] = float(np.abs(G[0] - G[1]).mean())
        terms["mean of f + g"] = float((G[0] + G[1]).mean())
    counts = {"refused by any": int(refused.sum()), "models": len(G)}
    return Bound("proposition 2′", alpha * terms["mean residual^gamma"], terms, counts)
