"""Models as scores: what can be read of them, and how they are asked."""

from standfast.models.additive import Additive
from standfast.models.as_score import as_score
from standfast.models.black_box import BlackBox
from standfast.models.linear import Linear
from standfast.models.score import Link, Score
from standfast.models.tree_ensemble import TreeEnsemble
from standfast.models.unanimous import Unanimous

__all__ = [
    "Additive",
    "BlackBox",
    "Linear",
    "Link",
    "Score",
    "TreeEnsemble",
    "Unanimous",
    "as_score",
]
