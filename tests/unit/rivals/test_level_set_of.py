"""Pools of models that others have found, as level sets."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import standfast as sf


def people(n=200, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "home": rng.choice(["own", "rent"], n),
            "late": rng.integers(0, 2, n),
        }
    )
    hidden = table["age"] / 20 - 2 * table["late"] + (table["home"] == "own") + rng.normal(size=n)
    schema = sf.Schema(
        (
            sf.Feature("age", "count"),
            sf.Feature("home", "nominal", categories=("own", "rent")),
            sf.Feature("late", "binary"),
        )
    )
    y = pd.Series(np.where(hidden > hidden.median(), 1, -1))
    return sf.Dataset(table, y, schema, "pool")


COLUMNS = ("age<=30", "age>45", "home=own", "late", "home_rent", "age>=50", "age<60", "late=0")


def leaf(verdict):
    return {"prediction": verdict, "name": "Prediction"}


def node(place, yes, no):
    return {"feature": place, "relation": "==", "reference": "true", "true": yes, "false": no}


def judge(tree, row):
    """What a nested tree says of a person, by the conditions in words."""
    holds = [
        row["age"] <= 30,
        row["age"] > 45,
        row["home"] == "own",
        row["late"] == 1,
        row["home"] == "rent",
        row["age"] >= 50,
        row["age"] < 60,
        row["late"] == 0,
    ]
    while "prediction" not in tree:
        tree = tree["true"] if holds[tree["feature"]] else tree["false"]
    return tree["prediction"] == 1


TREES = [
    node(1, leaf(1), node(3, leaf(0), leaf(1))),
    node(3, node(2, leaf(1), leaf(0)), node(0, leaf(0), leaf(1))),
    node(5, node(6, leaf(1), leaf(0)), node(4, leaf(0), node(7, leaf(1), leaf(0)))),
]


def test_trees_of_treefarms_are_read_as_they_judge():
    data = people()
    sources = [SimpleNamespace(source=tree) for tree in TREES]
    found = sf.level_set_of(sources, data, columns=COLUMNS)
    assert len(found) == 2
    X = data.schema.matrix(data.table)
    scores = {
        **dict(zip(found.names, found.rivals, strict=True)),
        found.candidates["name"].iloc[0]: found.reference,
    }
    wrong = {}
    for k, tree in enumerate(TREES):
        verdicts = [judge(tree, row) for _, row in data.table.iterrows()]
        assert scores[f"model {k}"].accepts(X).tolist() == verdicts
        wrong[f"model {k}"] = float(np.mean(np.array(verdicts) != (data.labels > 0)))
    assert found.epsilon == pytest.approx(max(wrong.values()) - min(wrong.values()))
    assert found.candidates["name"].iloc[0] == min(wrong, key=wrong.get)
    named = node(0, leaf(0), leaf(1)) | {"name": "home=rent"}
    both = sf.level_set_of([named, TREES[0]], data, columns=COLUMNS)
    assert len(both) == 1


class ModelSet:
    """What TreeFARMS' model set offers."""

    def get_tree_count(self):
        return len(TREES)

    def __getitem__(self, k):
        return SimpleNamespace(source=TREES[k])


def test_a_model_set_is_read_whole_and_advice_satisfies_all_of_it():
    data = people()
    found = sf.level_set_of(SimpleNamespace(model_set=ModelSet()), data, columns=COLUMNS)
    best = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table))
    recs = sf.recommend(best, found.unanimous(), data.table.head(40))
    goals = recs.counterfactual[recs.found]
    assert len(goals)
    for tree in TREES:
        assert all(judge(tree, row) for _, row in goals.iterrows())


def leaves(tree, path=()):
    """The paths to a tree's leaves and their predictions, as PRAXIS gives them."""
    if "prediction" in tree:
        return [list(path)], [tree["prediction"]]
    column = tree["feature"] + 1
    yes, no = leaves(tree["true"], (*path, column)), leaves(tree["false"], (*path, -column))
    return yes[0] + no[0], yes[1] + no[1]


class Paths:
    """What PRAXIS offers of the trees it has found."""

    def __init__(self, paths):
        self.paths = paths

    def count_trees(self):
        return len(self.paths)

    def get_tree_paths(self, k):
        return self.paths[k]


def test_paths_of_praxis_are_the_trees_they_come_from():
    data = people()
    trees = [*TREES, leaf(1)]
    found, same = (
        sf.level_set_of(pool, data, columns=COLUMNS)
        for pool in (Paths([leaves(tree) for tree in trees]), trees)
    )
    assert found.names == same.names
    X = data.schema.matrix(data.table)
    for one, other in zip(found.rivals, same.rivals, strict=True):
        assert one.accepts(X).tolist() == other.accepts(X).tolist()


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        (([], []), "0 paths and 0 predictions"),
        (([[1], [-1]], [0]), "2 paths and 1 predictions"),
        (([[1], [-2]], [0, 1]), "do not begin with one question"),
        (([[1], [1, 2]], [0, 1]), "do not begin with one question"),
        (([[], [1]], [0, 1]), "do not begin with one question"),
    ],
)
def test_paths_that_are_no_tree_are_refused(tree, sentence):
    with pytest.raises(sf.InputError, match=sentence):
        sf.level_set_of(Paths([tree, leaves(TREES[0])]), people(), columns=COLUMNS)


def test_cards_estimators_and_scores_are_one_pool():
    data = people()
    cards = {
        f"card {points}": {
            "feature_data": [(points, "age>45"), (-2, "late")],
            "risk_scale": [(-2, 0.2), (0, 0.4), (points - 2, 0.6), (points, 0.9)],
        }
        for points in (2, 3)
    }
    pool = cards | {"score": sf.Linear([0.1, 0.0, -2.0], -4.0)}
    found = sf.level_set_of(pool, data)
    assert sorted([*found.names, found.candidates["name"].iloc[0]]) == sorted(pool)
    assert found.candidates["inside"].all()
    assert (found.candidates["risk"] <= found.candidates["risk"].iloc[0] + found.epsilon).all()


def test_fitted_estimators_can_be_saved_and_transfer_is_measured(tmp_path):
    data = sf.datasets.twin("heloc", n=300, seed=0)
    models = [
        DecisionTreeClassifier(max_depth=d, random_state=0).fit(data.table, data.labels)
        for d in (2, 3)
    ]
    models.append(LogisticRegression(solver="newton-cholesky").fit(data.table, data.labels))
    found = sf.level_set_of(models, data, risk="balanced_error")
    found.save(tmp_path / "pool")
    assert sf.LevelSet.load(tmp_path / "pool").digest == found.digest
    best = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table))
    recs = sf.recommend(best, found.reference, data.table.head(40))
    kept = sf.transfer(recs, found)
    assert kept.mean == pytest.approx(kept.rivals["transfer"].mean())


@pytest.mark.parametrize(
    ("pool", "options", "sentence"),
    [
        (3, {}, "the pool is an int; give a list of models"),
        ("text", {}, "the pool is a str; give a list of models"),
        (TREES[:1], {"columns": COLUMNS}, "the pool holds 1 models; a level set needs at least"),
        (TREES, {}, "'model 0' of the pool cannot be read: a node asks for column 3 and 0 columns"),
        (TREES, {"columns": "age"}, "columns are 'age'; give a list of names"),
        (TREES, {"columns": ("x<=1",) * 8}, "'x<=1' is neither a column of the schema nor"),
        (TREES, {"columns": ("age",) * 8}, "a node asks whether 'age' is true, and it is not a"),
        ([{"feature": 0}] * 2, {"columns": COLUMNS}, "is neither a leaf with a 'prediction' nor"),
        (
            [node(0, leaf(0), leaf(1)) | {"relation": "<=", "reference": 3}] * 2,
            {"columns": COLUMNS},
            "a node asks whether column 0 <= 3; only yes-or-no columns are read",
        ),
        ([object(), object()], {}, "'model 0' of the pool cannot be read"),
    ],
)
def test_bad_pools_are_refused_with_a_sentence(pool, options, sentence):
    with pytest.raises(sf.InputError, match=sentence):
        sf.level_set_of(pool, people(), **options)


def test_the_people_must_be_a_data_set():
    with pytest.raises(sf.InputError, match=r"train is a DataFrame; pass a standfast\.Dataset"):
        sf.level_set_of(TREES, people().table)
