"""The world that opens without any data: a statistical twin, small models, fresh models."""

from standfast import datasets
from standfast.percentiles import Percentiles
from standfast.readers import as_score
from standfast.rivals import Tolerance, fresh_models
from standfast.workbench.service import Service
from standfast.workbench.world import Lasting, Member, World

NAME = "give_me_some_credit"
ROWS = 2000
NAMES = ("forest 1", "forest 2", "forest 3", "scorecard")

# what the page offers as code; tests run it and compare
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
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import QuantileTransformer

    data = datasets.twin(NAME, n=ROWS, seed=0)
    train, test = data.split(0.8, seed=0)

    def forest(seed: int) -> RandomForestClassifier:
        return RandomForestClassifier(10, max_depth=5, class_weight="balanced", random_state=seed)

    scorecard = make_pipeline(
        QuantileTransformer(n_quantiles=100, random_state=0),
        LogisticRegression(class_weight="balanced"),
    )
    estimators = zip(NAMES, (forest(0), forest(1), forest(2), scorecard), strict=True)
    members = []
    for name, estimator in estimators:
        fitted = estimator.fit(train.table, train.labels)
        wrong = float((fitted.predict(test.table) != test.labels).mean())
        score = as_score(fitted, data.schema, favourable=1)
        members.append(Member(name, score, "fitted on the twin", wrong))
    world = World(
        "Twin of Give Me Some Credit",
        data.schema,
        Percentiles.fit(train.table),
        test.table,
        tuple(members),
        RECIPE,
        ("Nobody here is real: the table is a statistical twin, drawn to resemble a data set.",),
        FRESH,
    )

    def draw() -> Lasting:
        drawn = fresh_models(
            forest(0),
            train,
            draws={"max_depth": [4, 5, 6], "min_samples_leaf": [5, 10, 20]},
            sizes={"search": 20, "choose": 20, "certify": 40},
            epsilon=Tolerance(0.05, risk="balanced_error"),
        )
        return Lasting.build(world, *drawn.parts)

    return Service(world, draw)
