"""Counterfactual recommendations that stand when the model changes."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from standfast import bounds, datasets, letters
from standfast.autoencoder import Autoencoder
from standfast.certificate import certify
from standfast.datasets import Dataset
from standfast.errors import InputError
from standfast.evaluation import (
    costs,
    multiplicity,
    reasons,
    sense,
    support,
    surprise,
    transfer,
)
from standfast.methods import (
    CCHVAE,
    ActionableRecourse,
    Advisor,
    Answers,
    GrowingSpheres,
    Invariant,
    Method,
    MinimalCost,
    prepare,
    recommend,
    region,
)
from standfast.percentiles import Percentiles
from standfast.readers import as_score
from standfast.readers.files import load_model, save_model
from standfast.recommendations import Note, Outcome, Recommendations
from standfast.rivals import (
    FreshModels,
    LevelSet,
    Part,
    Tolerance,
    fresh_models,
    grids,
    level_set,
    level_set_of,
)
from standfast.schema import Feature, Relation, Schema
from standfast.scores import (
    Additive,
    BlackBox,
    Linear,
    LinearLevelSet,
    Rule,
    Score,
    Segmented,
    TreeEnsemble,
    TreeLevelSet,
    Unanimous,
)

if _TYPE_CHECKING:
    from standfast import portfolio
    from standfast.figures import plot_person
    from standfast.promises import repair
    from standfast.promises.gate import GateReport, gate
    from standfast.promises.ledger import Ledger
    from standfast.promises.repair import retrain
    from standfast.workbench.notebook import explore

__version__ = _version("standfast")


# loaded when they are first asked for: only who draws needs matplotlib, only who keeps promises a
# database, only who has a portfolio its runner
_LATER = {
    "plot_person": "standfast.figures",
    "portfolio": "standfast.portfolio",
    "explore": "standfast.workbench.notebook",
    "Ledger": "standfast.promises.ledger",
    "GateReport": "standfast.promises.gate.report",
    "gate": "standfast.promises.gate.gate",
    "repair": "standfast.promises.repair",
    "retrain": "standfast.promises.repair.retrain",
}


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise AttributeError(f"module 'standfast' has no attribute {name!r}")
    module = _import_module(_LATER[name])
    return getattr(module, name, module)  # repair is a module itself


__all__ = [
    "CCHVAE",
    "ActionableRecourse",
    "Additive",
    "Advisor",
    "Answers",
    "Autoencoder",
    "BlackBox",
    "Dataset",
    "Feature",
    "FreshModels",
    "GateReport",
    "GrowingSpheres",
    "InputError",
    "Invariant",
    "Ledger",
    "LevelSet",
    "Linear",
    "LinearLevelSet",
    "Method",
    "MinimalCost",
    "Note",
    "Outcome",
    "Part",
    "Percentiles",
    "Recommendations",
    "Relation",
    "Rule",
    "Schema",
    "Score",
    "Segmented",
    "Tolerance",
    "TreeEnsemble",
    "TreeLevelSet",
    "Unanimous",
    "as_score",
    "bounds",
    "certify",
    "costs",
    "datasets",
    "explore",
    "fresh_models",
    "gate",
    "grids",
    "letters",
    "level_set",
    "level_set_of",
    "load_model",
    "multiplicity",
    "plot_person",
    "portfolio",
    "prepare",
    "reasons",
    "recommend",
    "region",
    "repair",
    "retrain",
    "save_model",
    "sense",
    "support",
    "surprise",
    "transfer",
]
