"""Studies: one question each; settings in, tidy tables out."""

from standfast.studies.own_model import OwnModel
from standfast.studies.settings import SIZES, Settings, Sizes
from standfast.studies.steps import Missing
from standfast.studies.study import Study, study

__all__ = ["SIZES", "Missing", "OwnModel", "Settings", "Sizes", "Study", "study"]
