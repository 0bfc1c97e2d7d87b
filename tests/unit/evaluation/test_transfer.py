import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.ensemble import RandomForestClassifier

import standfast as sf
from standfast.evaluation.costs import measured
from standfast.evaluation.intervals import clopper_pearson, share
from standfast.evaluation.rivals import judged
from standfast.evaluation.transfer import verdicts


def test_every_person_and_rival_is_judged_by_the_estimator_itself(world):
    found = sf.transfer(world.recs, world.rivals)
    advised = world.recs.found
    goals = world.recs.counterfactual[advised].to_numpy(dtype=float)
    for name, rival in world.rivals.items():
        assert found.kept.loc[advised, name].tolist() == rival.accepts(goals).tolist()
        np.testing.assert_allclose(found.margins.loc[advised, name], rival.score(goals))
        assert found.rivals.loc[name, "transfer"] == rival.accepts(goals).mean()
    assert found.n == (found.rivals["n_E"]).iloc[0] == advised.sum()
    assert (found.rivals["kept"] + found.rivals["broken"] == found.n).all()


def test_people_without_advice_keep_their_row_and_count_for_nothing(world):
    found = sf.transfer(world.recs, world.rivals)
    silent = ~world.recs.found
    assert found.people.index.equals(world.recs.index)
    assert found.kept[silent].isna().all(axis=None)
    assert found.margins[silent].isna().all(axis=None)
    assert found.people.loc[silent, "share"].isna().all()
    share = found.kept[world.recs.found].astype(float).mean(axis=1)
    np.testing.assert_allclose(found.people.loc[world.recs.found, "share"], share)


def test_the_long_table_has_a_row_for_each_person_and_rival(world):
    found = sf.transfer(world.recs, world.rivals)
    long = found.to_frame()
    assert len(long) == len(world.recs) * 2
    for name in found.margins:
        margin = long[long["rival"] == name].set_index("person")["margin"]
        np.testing.assert_array_equal(margin.loc[found.margins.index], found.margins[name])
    assert str(long["kept"].dtype) == "boolean"
    assert repr(found).startswith(f"<Transfer: n_E = {found.n} of 300 people, 2 rivals")


@pytest.mark.parametrize(("k", "n"), [(0, 7), (7, 7), (3, 11), (250, 300)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_is_the_exact_one(k, n, confidence):
    expected = binomtest(k, n).proportion_ci(confidence, method="exact")
    assert np.ravel(clopper_pearson(k, n, confidence)) == pytest.approx(
        [expected.low, expected.high]
    )


def test_scores_without_names_are_numbered(world):
    scores = list(world.rivals.values())
    found = sf.transfer(world.recs, scores)
    assert list(found.rivals.index) == [f"model {k}" for k in range(len(scores))]
    whole = sf.transfer(world.recs, world.rivals).rivals["transfer"]
    assert found.rivals["transfer"].tolist() == whole.tolist()


def test_a_level_set_is_judged_by_its_names(world):
    about = pd.DataFrame(
        {
            name: ["x", "y", "z"]
            for name in ("name", "family", "parameters", "risk", "accuracy", "auc", "inside", "why")
        }
    )
    whole = sf.LevelSet(world.f, ("forest", "linear"), (world.g, world.h), 0.05, about)
    pd.testing.assert_frame_equal(
        sf.transfer(world.recs, whole).rivals, sf.transfer(world.recs, world.rivals).rivals
    )


def test_a_fully_grown_forest_on_its_threshold_is_asked_itself():
    # mean votes of exactly one half: the kernel's last bits must not decide
    data = sf.datasets.twin("heloc", n=400, seed=0)
    forest = RandomForestClassifier(4, random_state=0).fit(data.table, data.labels)
    f = sf.as_score(forest, data.schema, favourable=1)
    rng = np.random.default_rng(0)
    X = rng.permuted(data.schema.matrix(data.table), axis=0)
    score, accepted = judged(f, X, "the rival")
    assert (np.abs(score) < 1e-9).sum() > 10
    assert accepted.tolist() == (forest.predict_proba(data.schema.table(X))[:, 1] > 0.5).tolist()


def test_nobody_needs_no_rival_and_costs_nothing(world):
    """Estimators refuse tables without rows: a method that advises nobody asks none of them."""
    nobody = np.empty((0, len(world.test.schema)))
    margins, kept = verdicts(nobody, world.rivals)
    assert margins.shape == kept.shape == (0, len(world.rivals))
    assert all(len(values) == 0 for values in measured(nobody, nobody, world.q).values())
    assert np.isnan(share(np.zeros(2), 0)).all()


# misuse


def test_a_reference_that_refuses_nobody_is_told_what_to_do(world):
    kind = sf.Linear(np.zeros(len(world.test.schema)), 1.0)
    recs = sf.recommend(world.best, kind, world.test.table.head(5))
    with pytest.raises(sf.InputError, match=r"refuses none of the 5 people.*n_E = 0.*balanced"):
        sf.transfer(recs, world.rivals)


def test_advice_that_nobody_got_is_told_with_the_outcomes(world):
    never = sf.Linear(np.zeros(len(world.test.schema)), -1.0)
    recs = sf.recommend(world.best, never, world.test.table.head(5))
    with pytest.raises(sf.InputError, match=r"n_E = 0: 5 infeasible"):
        sf.transfer(recs, world.rivals)


@pytest.mark.parametrize(
    ("rivals", "sentence"),
    [
        ({}, "there is no rival"),
        ({"small": sf.Linear([1.0, 1.0], 0.0)}, "rival 'small' reads 2 inputs and the people have"),
        ({"raw": RandomForestClassifier()}, "rival 'raw' is a RandomForestClassifier, not a score"),
        ([1, 2], "the rival 'model 0' is an int, not a score"),
        (7, "the rivals are an int; give a level set, a list of scores, or a mapping"),
    ],
)
def test_rivals_that_cannot_judge_are_refused_with_a_sentence(world, rivals, sentence):
    with pytest.raises(sf.InputError, match=sentence):
        sf.transfer(world.recs, rivals)


def test_a_rival_that_gives_no_number_is_named(world):
    odd = sf.as_score(
        lambda table: np.where(table["age"] > 0, 1.0, 1.0), world.test.schema, favourable=None
    )

    class Silent:
        width, probability, digest = odd.width, False, "silent"

        def score(self, X):
            return np.full(len(X), np.nan)

        def accepts(self, X, margin=0.0):
            return np.zeros(len(X), dtype=bool)

    with pytest.raises(sf.InputError, match="rival 'silent' gives no number for"):
        sf.transfer(world.recs, {"silent": Silent()})


def test_something_else_than_recommendations_and_odd_confidence_are_refused(world):
    with pytest.raises(sf.InputError, match="expected Recommendations, got DataFrame"):
        sf.transfer(world.test.table, world.rivals)
    with pytest.raises(sf.InputError, match=r"confidence is 1\.0"):
        sf.transfer(world.recs, world.rivals, confidence=1.0)
