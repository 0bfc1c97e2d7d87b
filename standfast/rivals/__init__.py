"""The models that may replace one: level sets, fresh models, and the grids they come from."""

from standfast.rivals import grids
from standfast.rivals.fresh_models import FreshModels, Part, fresh_models
from standfast.rivals.level_set import LevelSet
from standfast.rivals.level_set_among import level_set
from standfast.rivals.level_set_of import level_set_of
from standfast.rivals.risk import Tolerance

__all__ = [
    "FreshModels",
    "LevelSet",
    "Part",
    "Tolerance",
    "fresh_models",
    "grids",
    "level_set",
    "level_set_of",
]
