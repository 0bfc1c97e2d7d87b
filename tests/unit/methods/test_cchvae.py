import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples.kernels import callable_from_python
from scipy import stats

from standfast import (
    CCHVAE,
    Autoencoder,
    Feature,
    InputError,
    Linear,
    Outcome,
    Percentiles,
    Schema,
    datasets,
    recommend,
)
from standfast.autoencoder.layout import Layout
from standfast.autoencoder.weights import Weights
from standfast.compilation import Struct
from standfast.methods.mere_reconstruction import mere_reconstruction
from standfast.methods.unusual import unusual_advice, unusual_values
from standfast.recommendations.causes import UnusualAdvice, UnusualValue
from standfast.recommendations.sentences import explain
from standfast.search.sampling.latent_shells import Latent, decode_shells, drawn_count

SCHEMA = Schema(
    (
        Feature("age", "count", mutable=False),
        Feature("income", "positive", step=10),
        Feature("late", "count"),
        Feature("balance", "real", step=0.5),
        Feature("guarantor", "binary"),
    )
)
# refuses the late, the poor and those in debt
MODEL = Linear([0.0, 0.0004, -1.0, 0.03, 0.2], -2.0)


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    well, drive = rng.random(n) < 0.6, rng.normal(size=n)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, n),
            "income": rng.lognormal(np.where(well, 8.5, 7.5) + 0.3 * drive, 0.2).round(-1),
            "late": rng.poisson(np.exp(np.where(well, -1.5, 1.0) - 0.3 * drive)),
            "balance": np.round(2 * (np.where(well, 30, -10) + 10 * drive)) / 2,
            "guarantor": rng.integers(0, 2, n),
        }
    )


TABLE = people(1200, seed=0)
Q = Percentiles.fit(TABLE)
ASKED = people(150, seed=1)


@pytest.fixture(scope="module")
def method() -> CCHVAE:
    return CCHVAE.fit(SCHEMA, TABLE, Q, s=3, z=2, epochs=60, seed=0)


def matrices(recs, method):
    found = recs.found
    return (
        method.schema.matrix(recs.factual)[found],
        recs.counterfactual[found].to_numpy(dtype=float),
    )


def test_the_advice_is_found_and_more_usual_than_the_refused_are(method):
    recs = recommend(method, MODEL, ASKED)
    refused = recs.outcome != Outcome.ALREADY_FAVOURABLE
    assert refused.sum() > 40
    assert recs.found[refused].all()
    X, Y = matrices(recs, method)
    assert method.autoencoder.usual(Y).mean() > method.autoencoder.usual(X).mean()


def test_the_first_candidate_is_the_mere_reconstruction(method):
    only = method.reconstruction_only()
    recs = recommend(only, MODEL, ASKED)
    refused = (recs.outcome != Outcome.ALREADY_FAVOURABLE).to_numpy()
    X = SCHEMA.matrix(ASKED)[refused]
    own = method.reconstruction(X)
    accepted = MODEL.score(own) > 1e-9
    assert (recs.found[refused].to_numpy() == accepted).all()
    assert 0 < accepted.sum() < len(accepted)
    advised = recs.counterfactual[recs.found].to_numpy(dtype=float)
    assert (advised == own[accepted]).all()
    assert only.name == "c-chvae, reconstruction only"


def test_more_candidates_cost_no_more_on_average(method):
    few, many = (recommend(replace(method, candidates=c), MODEL, ASKED).cost for c in (20, 2000))
    assert many.mean() <= few.mean()


def test_the_cost_chosen_is_the_cost_told_and_searched(method):
    X, Y = matrices(recommend(replace(method, cost="max"), MODEL, ASKED), method)
    recs = recommend(replace(method, cost="max"), MODEL, ASKED)
    np.testing.assert_allclose(recs.cost[recs.found], Q.maximal(X, Y))
    assert (
        recs.cost[recs.found].mean()
        <= Q.maximal(*matrices(recommend(method, MODEL, ASKED), method)).mean() + 1e-9
    )


def test_sparsification_takes_changes_back_and_keeps_acceptance_and_support(method):
    level = float(np.quantile(method.autoencoder.bounds, 0.2))
    dense = recommend(method, MODEL, ASKED)
    sparse = recommend(replace(method, sparse=True, usual=0.2), MODEL, ASKED)
    X, before = matrices(dense, method)
    _, kept = matrices(sparse, method)
    assert ((kept == before) | (kept == X)).all()
    assert (kept != X).sum() < (before != X).sum()
    assert MODEL.accepts(kept).all()
    floor = np.minimum(method.autoencoder.bound(before), level)
    assert (method.autoencoder.bound(kept) >= floor).all()
    free = recommend(replace(method, sparse=True, usual=0.0), MODEL, ASKED)
    assert (matrices(free, method)[1] != X).sum() <= (kept != X).sum()


def test_who_cannot_be_helped_is_told_how_far_the_search_went(method):
    hopeless = Linear([0.0] * 5, -1.0)
    recs = recommend(replace(method, shells=3, step=0.5, candidates=10), hopeless, ASKED.head(3))
    assert set(recs.outcome) == {Outcome.EXHAUSTED}
    assert set(recs.explanations()) == {"No candidate up to a latent distance of 1.5 was accepted."}


def test_other_components_are_tried_where_the_own_one_has_nothing(method):
    strict = Linear([0.0, 0.0005, -2.0, 0.05, 0.0], -5.0)
    narrow = replace(method, shells=3)
    alone = recommend(replace(narrow, components=1), strict, ASKED).found
    every = recommend(narrow, strict, ASKED).found
    assert every[alone].all()
    assert every.sum() > alone.sum()


def test_as_published_candidates_are_sampled_and_not_projected(method):
    published = CCHVAE.as_published(SCHEMA, Q, method.autoencoder)
    recs = recommend(published, MODEL, ASKED)
    X, Y = matrices(recs, published)
    assert len(Y) > 40
    income = Y[:, 1][Y[:, 1] != X[:, 1]]
    assert (income % 10 != 0).mean() > 0.9  # ours are multiples of the step
    assert (Y[:, 2] % 1 == 0).all()  # draws from a Poisson are whole by themselves
    assert (Y[:, 0] == X[:, 0]).all()
    assert recs.provenance["settings"]["sampled"] is True
    assert recs.remarks()[recs.found].str.startswith("Searched as published, without the").all()
    assert not recommend(method, MODEL, ASKED).remarks().str.contains("as published").any()


# what people like this one have

SPENDERS = Schema(
    (
        Feature("bill", "positive", mutable=False),
        Feature("payment", "positive", step=1, upper=5_000_000),
    )
)
# one latent number is the payment's logarithm, whatever the bill
BOUGHT = pd.DataFrame(
    {
        "bill": np.linspace(500, 5000, 1000).round(),
        "payment": [*np.linspace(0, 4000, 996).round(), 5000, 60_000, 300_000, 889_000],
    }
)


@pytest.fixture(scope="module")
def spender() -> CCHVAE:
    return CCHVAE.fit(SPENDERS, BOUGHT, Percentiles.fit(BOUGHT), s=1, z=1, epochs=20, seed=0)


def asked_for(spender, payment):
    person = pd.DataFrame({"bill": [1050.0], "payment": [0.0]})
    return recommend(replace(spender, shells=200), Linear([0.0, 1.0], -payment), person)


def test_an_amount_that_hardly_anybody_has_is_remarked_on_with_their_number(spender):
    recs = asked_for(spender, 20_000)
    goal = recs.counterfactual["payment"].iloc[0]
    many = int((BOUGHT["payment"] >= goal).sum())
    assert 1 <= many <= 3
    verb = "has" if many == 1 else "have"
    shown = f"Payment {goal:.0f}: only {many} of the 1,000 reference people {verb} as much or more"
    assert recs.remarks().iloc[0].startswith(shown)
    assert recs.to_frame()["remark"].tolist() == recs.remarks().tolist()


def test_a_usual_amount_needs_no_remark(spender):
    recs = asked_for(spender, 1_500)
    assert recs.found.all()
    assert recs.remarks().tolist() == [""]


def test_no_advice_exceeds_what_the_reference_people_have_though_the_schema_allows_it(spender):
    assert spender.schema["payment"].upper == 5_000_000
    assert spender.domain["payment"].upper == 889_000
    assert not asked_for(spender, 900_000).found.any()
    loose = CCHVAE.as_published(SPENDERS, spender.percentiles, spender.autoencoder)
    assert loose.domain["payment"].upper == np.inf


def test_the_remark_counts_people_in_the_tail_that_the_advice_leads_to():
    schema = SPENDERS.complete(BOUGHT)
    q = Percentiles.fit(BOUGHT)

    def found(x, y):
        return unusual_values(schema, q, np.array(x, float), np.array(y, float))

    beyond = UnusualValue("payment", 889_001.0, 0, up=True)
    assert found([1050, 0], [1050, 889_001]) == (beyond,)
    assert explain(UnusualAdvice(q.rows, (beyond,)), schema, []) == (
        "Payment 889001: none of the 1,000 reference people has as much or more."
    )
    last = UnusualValue("payment", 889_000.0, 1, up=True)
    assert found([1050, 0], [1050, 889_000]) == (last,)
    assert found([1050, 500_000], [1050, 60_000]) == ()  # back towards the others
    assert found([1050, 10], [1050, 0]) == (UnusualValue("payment", 0.0, 1, up=False),)
    assert found([1050, 889_001], [1050, 900_000]) == ()  # beyond everybody already


def test_values_that_are_unusual_only_together_are_remarked_on():
    schema = SPENDERS.complete(BOUGHT)
    q, same = Percentiles.fit(BOUGHT), np.array([[1050.0, 1000.0]])

    def found(usual, own):
        return unusual_advice(schema, q, same, same, np.array([usual]), np.array([own]))[0]

    def said(usual):
        return explain(found(usual, 0.5), schema, [])

    assert found(0.0034, 0.5) == UnusualAdvice(q.rows, (), 0.0034)
    assert "less usual than those of 99.6 % of the people" in said(0.0034)
    assert "of all the people" in said(0.0)
    assert found(0.2, 0.5) is None
    assert found(0.003, 0.001) is None  # the person is more unusual than the advice


def test_counts_are_drawn_from_their_distribution():
    states = (np.arange(20_000) * 2654435761 + 12345).astype(np.uint64)
    for rate in (0.2, 3.0, 40.0, 300.0):
        draw = callable_from_python(drawn_count)
        drawn = np.array([draw(rate, state) for state in states])
        assert drawn.mean() == pytest.approx(rate, rel=0.03)
        assert drawn.var() == pytest.approx(rate, rel=0.06)
        assert (drawn % 1 == 0).all()


def plain(z: int) -> Autoencoder:
    """One component in which every real input is one latent number."""
    schema = Schema(tuple(Feature(f"x{k}", step=0) for k in range(z)))
    layout = Layout.of(schema, np.random.default_rng(0).normal(size=(100, z)), range(100))
    layout = replace(layout, centre=np.zeros(z), scale=np.ones(z))
    eye, none = np.eye(z)[None], np.zeros((1, z, z))
    weights = Weights(
        prior=np.zeros((1, z)),
        offset=np.zeros((1, z)),
        conditions=np.zeros((1, z, 0)),
        loadings=eye,
        variance=np.ones((1, z)),
        edges=np.zeros((z, 3)),
        expert_slope=eye,
        expert_offset=none,
        expert_conditions=np.zeros((z, z, 0)),
        precision_slope=none,
        precision_offset=none,
    )
    return Autoencoder.build(schema, layout, weights, np.zeros((100, z)), {})


def test_draws_fill_the_shell_evenly_in_every_direction():
    found = plain(4)
    domain, X = found.schema.loosened(), np.full((1, 4), 7.0)
    place = np.zeros((1, 4)), np.zeros(1, np.int64)
    points, owner = decode_shells(
        np.array([7], dtype=np.uint64),
        3,
        20_000,
        (1.0, 2.0),
        Struct(Latent(*place, found.given(X), found.layout.free, False)),
        Struct(found.decoder),
        domain.reach(X),
    )
    assert len(points) == 20_000
    assert set(owner) == {0}
    distance = np.linalg.norm(points, axis=1)
    assert distance.min() >= 1.0
    assert distance.max() <= 2.0
    assert stats.kstest(distance, stats.uniform(1, 1).cdf).statistic < 0.02
    direction = points / distance[:, None]
    assert np.abs(direction.mean(axis=0)).max() < 0.02
    assert np.abs(direction.T @ direction / len(direction) - np.eye(4) / 4).max() < 0.01


def test_mere_reconstruction_is_told_with_its_counts(method):
    recs = recommend(method, MODEL, ASKED)
    shown = mere_reconstruction(method, MODEL, recs)
    only = recommend(method.reconstruction_only(), MODEL, ASKED)
    assert shown["refused"] == (recs.outcome != Outcome.ALREADY_FAVOURABLE).sum()
    assert shown["advised"] == recs.found.sum()
    assert shown["accepted"] == pytest.approx(only.found.sum() / shown["refused"])
    assert shown["cost"] == pytest.approx(recs.cost[recs.found].mean())
    assert shown["share"] == pytest.approx(shown["reconstruction_cost"] / shown["cost"])


def test_people_left_out_of_mere_reconstruction_are_counted(method):
    asked = ASKED.assign(income=ASKED["income"].where(ASKED.index >= 7, -10.0))
    recs = recommend(method, MODEL, asked)
    shown = mere_reconstruction(method, MODEL, recs)
    assert shown["outside_schema"] == 7
    assert shown[["outside_schema", "already_favourable", "refused"]].sum() == len(asked)


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"candidates": 0}, "candidates is 0"),
        ({"shells": 0}, "shells is 0"),
        ({"components": 0}, "components is 0"),
        ({"step": 0.0}, "step is 0.0"),
        ({"step": float("nan")}, "step is nan"),
        ({"usual": 1.5}, "usual is 1.5"),
        ({"cost": "l2"}, "unknown cost 'l2'"),
    ],
)
def test_impossible_settings_are_refused(method, options, shown):
    with pytest.raises(InputError, match=shown):
        replace(method, **options)


def test_what_does_not_fit_is_refused_before_training():
    with pytest.raises(InputError, match="fitted without 'late'"):
        CCHVAE.fit(SCHEMA, TABLE, Percentiles.fit(TABLE.drop(columns="late")))
    with pytest.raises(InputError, match="percentiles is a DataFrame; fit them on the reference"):
        CCHVAE.fit(SCHEMA, TABLE, TABLE)
    with pytest.raises(InputError, match="s is 0"):
        CCHVAE.fit(SCHEMA, TABLE, Q, s=0)


def test_an_autoencoder_of_other_inputs_is_refused(method):
    frozen = replace(SCHEMA, features=tuple(replace(f, mutable=False) for f in SCHEMA))
    with pytest.raises(InputError, match="mutable = True for 'income'"):
        CCHVAE(frozen, Q, method.autoencoder)


@pytest.mark.parametrize(
    ("name", "sizes"), [("give_me_some_credit", (3, 6, 15)), ("heloc", (12, 10, 60))]
)
def test_the_papers_settings_are_the_papers(name, sizes):
    data = datasets.twin(name, 200, seed=0, variant="published")
    q = Percentiles.fit(data.table)
    published = CCHVAE.fit_as_published(name, data.schema, data.table, q, seed=1)
    shown = published.settings()
    assert (shown["s"], shown["z"], shown["fitted"]["epochs"]) == sizes
    assert shown["fitted"]["seed"] == 1
    kinds = {f.name: f.kind for f in published.autoencoder.schema}
    positive = {"RevolvingUtilizationOfUnsecuredLines", "DebtRatio", "MonthlyIncome"}
    for feature, kind in kinds.items():
        assert kind == ("positive" if feature in positive else "count")
    assert published.sampled
    assert published.components == 1


def test_the_papers_settings_ask_for_the_papers_inputs():
    data = datasets.twin("heloc", 200, seed=0, variant="published")
    q = Percentiles.fit(data.table)
    with pytest.raises(InputError, match="no settings for 'german'"):
        CCHVAE.fit_as_published("german", data.schema, data.table, q)
    with pytest.raises(InputError, match="does not have the 10 inputs of give_me_some_credit"):
        CCHVAE.fit_as_published("give_me_some_credit", data.schema, data.table, q)
    first, *rest = data.schema.features
    changed = replace(data.schema, features=(replace(first, kind="real"), *rest))
    with pytest.raises(InputError, match="as a count and the schema as a real"):
        CCHVAE.fit_as_published("heloc", changed, data.table, q)
    sensible = datasets.twin("heloc", 200, seed=0).schema
    with pytest.raises(InputError, match=r"mutable = True .*heloc\(variant=.published.\)"):
        CCHVAE.fit_as_published("heloc", sensible, data.table, q)


WITHOUT = """
import pickle, sys
for name in ("jax", "equinox", "optax"):
    sys.modules[name] = None
import standfast as sf
method, model, people = pickle.load(open(sys.argv[1], "rb"))
sf.recommend(method, model, people).counterfactual.to_pickle(sys.argv[2])
"""


def test_a_fitted_method_advises_where_the_extra_is_not_installed(method, tmp_path):
    given, taken = tmp_path / "given.pkl", tmp_path / "taken.pkl"
    given.write_bytes(pickle.dumps((method, MODEL, ASKED.head(20))))
    subprocess.run([sys.executable, "-c", WITHOUT, str(given), str(taken)], check=True)
    here = recommend(method, MODEL, ASKED.head(20)).counterfactual
    pd.testing.assert_frame_equal(pd.read_pickle(taken), here)
