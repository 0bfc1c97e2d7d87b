"""The world that opens without any data: a statistical twin, small models, fresh models.

The models are kept in the package as numbers, so that nobody waits for the library that fitted
them: `python scripts/fit_twin_models.py` writes the file from the recipe below.
"""

import json
from importlib.resources import files
from typing import Any

import numpy as np

from standfast import datasets
from standfast.percentiles import Percentiles
from standfast.readers.structures import pack, unpack
from standfast.rivals import Tolerance, fresh_models
from standfast.scores import Score
from standfast.workbench.service import Service
from standfast.workbench.world import Lasting, Member, World

NAME = "give_me_some_credit"
ROWS = 2000
FILE = "twin_models.json"

# what the page offers as code, and what the models were fitted by; tests run it and compare
RECIPE = """\
import standfast as sf
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

data = sf.datasets.twin("give_me_some_credit", n=2000, seed=0)  # nobody in it is real
train, test = data.split(0.8, seed=0)
schema, percentiles = data.schema, sf.Percentiles.fit(train.table)


def forest(seed):
    return RandomForestClassifier(10, max_depth=5, class_weight="balanced", random_state=seed)


scorecard = make_pipeline(
    QuantileTransformer(n_quantiles=100, random_state=0),
    LogisticRegression(class_weight="balanced"),
)
estimators = {f"forest {k + 1}": forest(k) for k in range(3)} | {"scorecard": scorecard}
models = {
    name: sf.as_score(estimator.fit(train.table, train.labels), schema, favourable=1)
    for name, estimator in estimators.items()
}
"""
FRESH = """\
fresh = sf.fresh_models(
    forest(0),
    train,
    draws={"max_depth": [4, 5, 6], "min_samples_leaf": [5, 10, 20]},
    sizes={"search": 20, "choose": 20, "certify": 40},
    epsilon=sf.Tolerance(0.05, risk="balanced_error"),
)
"""


def twin_service() -> Service:
    """A service for a twin of Give Me Some Credit; its fresh models are drawn meanwhile."""
    data = datasets.twin(NAME, n=ROWS, seed=0)
    train, test = data.split(0.8, seed=0)
    world = World(
        "Twin of Give Me Some Credit",
        data.schema,
        Percentiles.fit(train.table),
        test.table,
        twin_members(),
        RECIPE,
        ("Nobody here is real: the table is a statistical twin, drawn to resemble a data set.",),
        FRESH,
    )

    def draw() -> Lasting:
        from sklearn.ensemble import RandomForestClassifier

        drawn = fresh_models(
            RandomForestClassifier(10, max_depth=5, class_weight="balanced", random_state=0),
            train,
            draws={"max_depth": [4, 5, 6], "min_samples_leaf": [5, 10, 20]},
            sizes={"search": 20, "choose": 20, "certify": 40},
            epsilon=Tolerance(0.05, risk="balanced_error"),
        )
        return Lasting.build(world, *drawn.parts)

    return Service(world, draw)


def twin_members() -> tuple[Member, ...]:
    """The twin's models, from the numbers in the package."""
    kept = json.loads((files("standfast.workbench") / FILE).read_text(encoding="utf-8"))
    arrays = {name: np.array(one["is"], one["of"]) for name, one in kept["arrays"].items()}
    scores = unpack(kept["models"], arrays, [None] * len(kept["models"]))
    return tuple(
        Member(name, score, "fitted on the twin", risk)
        for name, score, risk in zip(kept["names"], scores, kept["risks"], strict=True)
        if score is not None
    )


def written(models: dict[str, Score], risks: list[float]) -> str:
    """The models as the package keeps them, every number to its last bit."""
    packed = pack(list(models.values()))
    kept: dict[str, Any] = {"names": list(models), "risks": risks, "models": packed.about}
    kept["arrays"] = {
        name: {"of": str(array.dtype), "is": array.tolist()}
        for name, array in packed.arrays.items()
    }
    return json.dumps(kept, allow_nan=False) + "\n"
