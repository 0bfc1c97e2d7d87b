"""What a model is to standfast: a number per person, above zero favourable."""

from standfast.scores.additive import Additive
from standfast.scores.black_box import BlackBox
from standfast.scores.linear import Linear
from standfast.scores.linear_level_set import LinearLevelSet
from standfast.scores.paired import Paired
from standfast.scores.rule import Rule
from standfast.scores.score import Link, Score
from standfast.scores.segmented import Segmented
from standfast.scores.tree_ensemble import TreeEnsemble
from standfast.scores.tree_level_set import TreeLevelSet
from standfast.scores.unanimous import Unanimous

__all__ = [
    "Additive",
    "BlackBox",
    "Linear",
    "LinearLevelSet",
    "Link",
    "Paired",
    "Rule",
    "Score",
    "Segmented",
    "TreeEnsemble",
    "TreeLevelSet",
    "Unanimous",
]
