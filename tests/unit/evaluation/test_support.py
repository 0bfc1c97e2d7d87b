import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import LocalOutlierFactor

import standfast as sf
from standfast.evaluation import Neighbours


def favourable(world):
    X = world.train.schema.matrix(world.train.table)
    return X[world.f.accepts(X) & (world.train.labels > 0).to_numpy()]


def test_distances_are_those_of_brute_force(world):
    found = sf.support(world.recs, world.train, world.f, world.q, neighbours=Neighbours(k=4))
    usual = favourable(world)
    assert found.favourable == len(usual)
    advised = world.recs.found
    Y = world.recs.counterfactual[advised].to_numpy(dtype=float)
    for y, shown in list(zip(Y, found.people.loc[advised, "distance"], strict=True))[:10]:
        shifts = np.sort(world.q.total(np.broadcast_to(y, usual.shape), usual))
        assert shown == pytest.approx(shifts[:4].mean())


def test_the_outlier_factor_is_the_library_s_on_distinct_profiles(world):
    found = sf.support(world.recs, world.train, world.f, world.q)
    distinct = np.unique(world.q.rank(favourable(world)), axis=0)
    factor = LocalOutlierFactor(n_neighbors=20, metric="manhattan", novelty=True).fit(distinct)
    Y = world.recs.counterfactual[world.recs.found].to_numpy(dtype=float)
    shown = found.people.loc[world.recs.found, "outlier_factor"]
    np.testing.assert_allclose(shown, -factor.score_samples(world.q.rank(Y)))


def test_everybody_keeps_a_row_and_every_mean_its_count(world):
    found = sf.support(world.recs, world.train, world.f, world.q)
    assert found.people.index.equals(world.recs.index)
    assert found.people.loc[~world.recs.found, "distance"].isna().all()
    assert (found.summary["n"] == world.recs.found.sum()).all()
    assert set(found.summary.index) >= {"distance", "isolation", "connected", "justified"}
    assert found.summary.loc["connected", "mean"] == found.people["connected"].mean()
    assert "connected" in repr(found)


def test_advice_that_is_a_favourable_person_is_connected_and_justified(world):
    usual = world.test.schema.table(favourable(world)[:20])
    at_home = sf.Recommendations(
        world.recs.schema,
        usual,
        usual,
        world.recs.results.head(20).assign(outcome="found").set_axis(usual.index),
        {},
    )
    found = sf.support(at_home, world.train, world.f, world.q)
    assert (found.people["nearest"] == 0).all()
    assert found.people["connected"].all()
    assert found.people["justified"].all()


def island(values):
    return np.where((values < 30) | (values > 70), 1.0, -1.0)


def test_advice_on_an_island_without_favourable_people_is_not_justified():
    schema = sf.Schema((sf.Feature("a", "count"),))
    table = pd.DataFrame({"a": np.arange(100)})
    # accepted are both ends, favourable only those below 30
    labels = pd.Series(np.where(table["a"] < 30, 1, -1))
    data = sf.datasets.Dataset(table, labels, schema, "ends")
    q, f = sf.Percentiles.fit(table), sf.Additive([island], 0.0)
    best = sf.MinimalCost(schema, q)
    recs = sf.recommend(best, f, pd.DataFrame({"a": [35, 65]}, index=["near", "far"]))
    assert recs.counterfactual["a"].tolist() == [29, 71]
    found = sf.support(recs, data, f, q, neighbours=Neighbours(k=3, epsilon=0.05))
    assert found.people["justified"].tolist() == [True, False]
    assert found.people["connected"].tolist() == [True, False]
    assert found.epsilon == 0.05


def test_a_sample_is_drawn_by_the_seed_and_an_answer_does_not_depend_on_company(world):
    few = Neighbours(sample=200, seed=1)
    some = sf.support(world.recs, world.train, world.f, world.q, neighbours=few)
    assert some.favourable == 200
    again = sf.support(world.recs, world.train, world.f, world.q, neighbours=few)
    pd.testing.assert_frame_equal(some.people, again.people)


def test_an_autoencoder_adds_its_bound(world):
    cchvae = sf.CCHVAE.fit(
        world.train.schema, world.train.table.head(300), world.q, s=1, z=2, epochs=1, seed=0
    )
    found = sf.support(
        world.recs,
        world.train,
        world.f,
        world.q,
        neighbours=Neighbours(sample=300),
        autoencoder=cchvae.autoencoder,
    )
    Y = world.recs.counterfactual[world.recs.found].to_numpy(dtype=float)
    shown = found.people.loc[world.recs.found, "bound"]
    np.testing.assert_allclose(shown, cchvae.autoencoder.bound(Y))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"k": 0}, "k is 0; it must be a whole number"),
        ({"k": 10**6}, "favourable people whom the model accepts, and k is 1000000"),
        ({"sample": 0}, "sample is 0"),
        ({"epsilon": -1.0}, r"epsilon is -1\.0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(world, options, sentence):
    with pytest.raises(sf.InputError, match=sentence):
        sf.support(world.recs, world.train, world.f, world.q, neighbours=Neighbours(**options))
