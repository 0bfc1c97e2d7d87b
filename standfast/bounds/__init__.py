"""Bounds on what advice costs on average, from scores, labels and costs; every term is named."""

from standfast.bounds.alpha_gamma import AlphaGamma, alpha_gamma
from standfast.bounds.bound import Bound
from standfast.bounds.hoffman import Hoffman, hoffman
from standfast.bounds.oracle import OracleRatio, oracle_ratio
from standfast.bounds.published import published
from standfast.bounds.residual import residual
from standfast.bounds.single_model import single_model
from standfast.bounds.surprise_condition import SurpriseCondition, surprise_condition

__all__ = [
    "AlphaGamma",
    "Bound",
    "Hoffman",
    "OracleRatio",
    "SurpriseCondition",
    "alpha_gamma",
    "hoffman",
    "oracle_ratio",
    "published",
    "residual",
    "single_model",
    "surprise_condition",
]
