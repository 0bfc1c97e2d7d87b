"""Bounds on what advice costs on average, from scores, labels and costs; every term is named.

Examples
--------
>>> from standfast import bounds
>>> bounds.single_model([-1.0, -0.5, 2.0], [-1, 1, 1], alpha=1.0).total
1.25
"""

from standfast.bounds.alpha_gamma import AlphaGamma, alpha_gamma
from standfast.bounds.bound import Bound
from standfast.bounds.hoffman import Hoffman, hoffman
from standfast.bounds.published import published
from standfast.bounds.residual import residual
from standfast.bounds.single_model import single_model

__all__ = [
    "AlphaGamma",
    "Bound",
    "Hoffman",
    "alpha_gamma",
    "hoffman",
    "published",
    "residual",
    "single_model",
]
