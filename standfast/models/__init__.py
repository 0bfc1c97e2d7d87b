"""Models as scores: what can be read of them, and how they are asked."""

from standfast.models import grids
from standfast.models.additive import Additive
from standfast.models.as_score import as_score
from standfast.models.black_box import BlackBox
from standfast.models.fresh_models import FreshModels, Part, fresh_models
from standfast.models.level_set import LevelSet, level_set
from standfast.models.linear import Linear
from standfast.models.linear_level_set import LinearLevelSet
from standfast.models.score import Link, Score
from standfast.models.tree_ensemble import TreeEnsemble
from standfast.models.unanimous import Unanimous

__all__ = [
    "Additive",
    "BlackBox",
    "FreshModels",
    "LevelSet",
    "Linear",
    "LinearLevelSet",
    "Link",
    "Part",
    "Score",
    "TreeEnsemble",
    "Unanimous",
    "as_score",
    "fresh_models",
    "grids",
    "level_set",
]
