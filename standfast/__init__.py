"""Counterfactual recommendations that stand when the model changes."""

from importlib.metadata import version as _version

from standfast import datasets
from standfast.autoencoder import Autoencoder
from standfast.errors import InputError
from standfast.methods import (
    CCHVAE,
    ActionableRecourse,
    Alternative,
    Answers,
    GrowingSpheres,
    Limits,
    Method,
    MinimalCost,
    Regions,
    recommend,
    region,
)
from standfast.models import (
    Additive,
    BlackBox,
    Linear,
    Score,
    TreeEnsemble,
    Unanimous,
    as_score,
)
from standfast.models.files import load_model, save_model
from standfast.percentiles import Percentiles
from standfast.recommendations import Outcome, Recommendations
from standfast.schema import Feature, Relation, Schema

__version__ = _version("standfast")

__all__ = [
    "CCHVAE",
    "ActionableRecourse",
    "Additive",
    "Alternative",
    "Answers",
    "Autoencoder",
    "BlackBox",
    "Feature",
    "GrowingSpheres",
    "InputError",
    "Limits",
    "Linear",
    "Method",
    "MinimalCost",
    "Outcome",
    "Percentiles",
    "Recommendations",
    "Regions",
    "Relation",
    "Schema",
    "Score",
    "TreeEnsemble",
    "Unanimous",
    "as_score",
    "datasets",
    "load_model",
    "recommend",
    "region",
    "save_model",
]
