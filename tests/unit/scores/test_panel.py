import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from xgboost import XGBClassifier

from standfast import InputError, as_score, datasets
from standfast.scores.panel import Panel

DATA = datasets.twin("heloc", n=300, seed=0)
X = DATA.schema.matrix(DATA.table)


@pytest.fixture(scope="module")
def models():
    """Of every link, divisor, offset and arithmetic, and some that are no trees, in between."""
    table, labels = DATA.table, DATA.labels
    estimators = [
        RandomForestClassifier(7, max_depth=4, random_state=0).fit(table, labels),
        LogisticRegression(max_iter=10_000).fit(table, labels),
        GradientBoostingClassifier(n_estimators=9, random_state=0).fit(table, labels),
        KNeighborsClassifier().fit(table, labels),
        HistGradientBoostingClassifier(max_iter=5).fit(table, labels),
        IsolationForest(n_estimators=10, random_state=0).fit(table * 1.0),
    ]
    found = [as_score(one, DATA.schema, favourable=1) for one in estimators]
    boosted = XGBClassifier(n_estimators=6, max_depth=3).fit(table, labels > 0)
    return (*found, as_score(boosted, DATA.schema, favourable=1, threshold=0.6))


@pytest.mark.parametrize("rows", [1, 3, 8, 9, 300])
def test_a_panel_says_what_its_models_say_to_the_last_bit(models, rows):
    alone = np.array([model.score(X[:rows]) for model in models])
    together = Panel(models).score(X[:rows])
    assert together.shape == (len(models), rows)
    np.testing.assert_array_equal(together, alone)


def test_missing_values_go_where_each_library_sends_them(models):
    forests = tuple(model for model in models if hasattr(model, "trees"))
    holes = X[:5].copy()
    holes[0, 3] = holes[2, 0] = np.nan
    alone = np.array([model.score(holes) for model in forests])
    np.testing.assert_array_equal(Panel(forests).score(holes), alone)


def test_a_panel_without_trees_asks_each_model(models):
    linear = tuple(model for model in models if not hasattr(model, "trees"))
    assert len(linear) == 2
    alone = np.array([model.score(X[:4]) for model in linear])
    np.testing.assert_array_equal(Panel(linear).score(X[:4]), alone)


def test_rows_of_another_width_are_refused(models):
    with pytest.raises(InputError, match="inputs but was given a matrix of shape"):
        Panel(models[:1]).score(X[:2, :-1])
