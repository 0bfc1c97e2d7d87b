"""prepare(), recommend() and the methods it can be given; region(), the room around an answer."""

from standfast.methods.actionable_recourse import ActionableRecourse
from standfast.methods.advisor import Advisor
from standfast.methods.cchvae import CCHVAE
from standfast.methods.growing_spheres import GrowingSpheres
from standfast.methods.invariant import Invariant
from standfast.methods.method import Alternative, Answers, Budget, Method, Search
from standfast.methods.minimal_cost import MinimalCost
from standfast.methods.recommend import prepare, recommend
from standfast.methods.region import Regions, region

__all__ = [
    "CCHVAE",
    "ActionableRecourse",
    "Advisor",
    "Alternative",
    "Answers",
    "Budget",
    "GrowingSpheres",
    "Invariant",
    "Method",
    "MinimalCost",
    "Regions",
    "Search",
    "prepare",
    "recommend",
    "region",
]
