"""Studies: one question each; settings in, tidy tables out."""

from standfast.studies.missing import Missing
from standfast.studies.settings import SIZES, Settings, Sizes
from standfast.studies.study import Study, study

__all__ = ["SIZES", "Missing", "Settings", "Sizes", "Study", "study"]
