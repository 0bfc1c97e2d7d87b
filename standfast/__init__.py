"""Counterfactual recommendations that stand when the model changes."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from standfast import bounds, datasets, letters, portfolio
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
    from standfast.figures import plot_person
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
    from standfast.promises import repair
    from standfast.promises.gate import GateReport, gate
    from standfast.promises.ledger import Ledger
    from standfast.promises.repair import retrain
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

__version__ = _version("standfast")


# Where the public names live. They are loaded when they are first asked for: a command prints its
# help and the workbench shows its page before pandas is there; only who draws needs matplotlib,
# only who keeps promises a database.
_HOMES = {
    "autoencoder": ("Autoencoder",),
    "certificate": ("certify",),
    "datasets": ("Dataset",),
    "errors": ("InputError",),
    "evaluation": (
        "costs",
        "multiplicity",
        "reasons",
        "sense",
        "support",
        "surprise",
        "transfer",
    ),
    "figures": ("plot_person",),
    "methods": (
        "CCHVAE",
        "ActionableRecourse",
        "Advisor",
        "Answers",
        "GrowingSpheres",
        "Invariant",
        "Method",
        "MinimalCost",
        "prepare",
        "recommend",
        "region",
    ),
    "percentiles": ("Percentiles",),
    "promises.gate": ("GateReport", "gate"),
    "promises.ledger": ("Ledger",),
    "promises.repair": ("repair", "retrain"),
    "readers": ("as_score",),
    "readers.files": ("load_model", "save_model"),
    "recommendations": ("Note", "Outcome", "Recommendations"),
    "rivals": (
        "FreshModels",
        "LevelSet",
        "Part",
        "Tolerance",
        "fresh_models",
        "grids",
        "level_set",
        "level_set_of",
    ),
    "schema": ("Feature", "Relation", "Schema"),
    "scores": (
        "Additive",
        "BlackBox",
        "Linear",
        "LinearLevelSet",
        "Rule",
        "Score",
        "Segmented",
        "TreeEnsemble",
        "TreeLevelSet",
        "Unanimous",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> _Any:
    home = f"standfast.{_HOME.get(name, name)}"
    try:
        module = _import_module(home)
    except ModuleNotFoundError as error:
        if error.name != home:  # something that the room needs is not installed
            raise
        raise AttributeError(f"module 'standfast' has no attribute {name!r}") from None
    found = getattr(module, name, module) if name in _HOME else module  # repair is a module
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


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
