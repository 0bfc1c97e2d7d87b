"""The models that may replace one: level sets, fresh models, and the grids they come from."""

from standfast.rivals import grids
from standfast.rivals.fresh_models import FreshModels, Part, fresh_models
from standfast.rivals.level_set import LevelSet, level_set

__all__ = ["FreshModels", "LevelSet", "Part", "fresh_models", "grids", "level_set"]
