"""An advisor: a method prepared once for a model, and asked often."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import standfast as sf

DATA = sf.datasets.twin("give_me_some_credit", n=1500, seed=0)
Q = sf.Percentiles.fit(DATA.table)
FOREST = RandomForestClassifier(10, max_depth=5, random_state=0, class_weight="balanced")
MODEL = sf.as_score(FOREST.fit(DATA.table, DATA.labels), DATA.schema, favourable=1)
METHODS = {
    "minimal cost": sf.MinimalCost(DATA.schema, Q),
    "growing spheres": sf.GrowingSpheres(DATA.schema, Q, candidates=200),
}


@pytest.fixture(scope="module")
def refused():
    return DATA.table[~MODEL.accepts(DATA.schema.matrix(DATA.table))].head(12)


@dataclass
class Counted:
    """A method that counts how often it was prepared."""

    inner: sf.MinimalCost
    prepared: int = 0

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def prepare(self, model):
        self.prepared += 1
        return self.inner.prepare(model)


def same(a, b):
    pd.testing.assert_frame_equal(a.counterfactual.astype(float), b.counterfactual.astype(float))
    assert a.outcome.tolist() == b.outcome.tolist()
    return True


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_an_advisor_asked_person_by_person_answers_as_recommend_does(method, refused):
    advisor = sf.prepare(method, MODEL)
    together = sf.recommend(method, MODEL, refused)
    for person in refused.index:
        alone = advisor.recommend(refused.loc[[person]])
        assert alone.counterfactual.loc[person].equals(together.counterfactual.loc[person])
    assert alone.provenance["model"] == together.provenance["model"]


def test_a_method_is_prepared_once_however_often_its_advisor_is_asked(refused):
    method = Counted(METHODS["minimal cost"])
    advisor = sf.prepare(method, MODEL)
    for person in refused.index[:5]:
        advisor.recommend(refused.loc[[person]])
    advisor.recommend(refused, jobs=2)
    assert method.prepared == 1


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_several_threads_may_ask_one_advisor_at_a_time(method, refused):
    advisor = sf.prepare(method, MODEL)
    alone = [advisor.recommend(refused.loc[[person]]) for person in refused.index]
    with ThreadPoolExecutor(4) as pool:
        asked = list(pool.map(lambda p: advisor.recommend(refused.loc[[p]]), refused.index))
    assert all(same(a, b) for a, b in zip(alone, asked, strict=True))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_an_advisor_pickles_and_answers_the_same(method, refused):
    advisor = sf.prepare(method, MODEL)
    again = pickle.loads(pickle.dumps(advisor))
    assert same(again.recommend(refused), advisor.recommend(refused))


def test_a_model_that_the_method_cannot_read_is_refused_before_anybody_is_asked_about():
    black = sf.as_score(lambda table: table["age"] - 40.0, DATA.schema, favourable=None)
    with pytest.raises(sf.InputError, match="structure cannot be read"):
        sf.prepare(METHODS["minimal cost"], black)


def test_an_estimator_is_taken_as_it_is_if_its_classes_are_signs(refused):
    labels = DATA.labels.where(DATA.labels > 0, -1)
    tree = RandomForestClassifier(3, max_depth=3, random_state=0).fit(DATA.table, labels)
    advisor = sf.prepare(METHODS["minimal cost"], tree)
    assert same(advisor.recommend(refused), sf.recommend(METHODS["minimal cost"], tree, refused))
