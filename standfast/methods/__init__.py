"""recommend() and the methods it can be given; region(), the room around an answer."""

from standfast.methods.actionable_recourse import ActionableRecourse
from standfast.methods.cchvae import CCHVAE
from standfast.methods.growing_spheres import GrowingSpheres
from standfast.methods.invariant import Invariant
from standfast.methods.method import Alternative, Answers, Limits, Method
from standfast.methods.minimal_cost import MinimalCost
from standfast.methods.recommend import recommend
from standfast.methods.region import Regions, region
from standfast.methods.robust_curve import cost_curve, epsilon_max
from standfast.methods.robust_linear import RobustLinear

__all__ = [
    "CCHVAE",
    "ActionableRecourse",
    "Alternative",
    "Answers",
    "GrowingSpheres",
    "Invariant",
    "Limits",
    "Method",
    "MinimalCost",
    "Regions",
    "RobustLinear",
    "cost_curve",
    "epsilon_max",
    "recommend",
    "region",
]
