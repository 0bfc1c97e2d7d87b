"""The peers: what each promises holds, a larger dial asks more, and misuse gets a sentence."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.stats import beta
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.rivals.fresh_models import Part
from standfast.scores import Linear
from standfast.scores.score import LOGISTIC
from standfast.studies.peers import BetaRce, Roar
from standfast.studies.peers.beta_rce import Quorum, credible_share

DRAWS = {
    "linear": {"logisticregression__C": [0.01, 0.1, 1.0]},
    "forest": {"max_depth": [4, 5], "max_features": [0.3, 0.5]},
}


@dataclass(frozen=True)
class World:
    schema: sf.Schema
    q: sf.Percentiles
    mean: np.ndarray
    f: sf.Score
    people: pd.DataFrame
    search: Part
    unseen: Part

    def kept(self, recs: sf.Recommendations) -> float:
        """The share of unseen models that keep the advice."""
        points = recs.counterfactual[recs.found].to_numpy(dtype=float)
        return float(np.mean([model.accepts(points) for model in self.unseen]))


def world(data: sf.datasets.Dataset, kind: str) -> World:
    train, test = data.split(0.7, seed=0)
    model = {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")),
        "forest": RandomForestClassifier(
            20, max_depth=5, min_samples_leaf=5, class_weight="balanced", random_state=0
        ),
    }[kind]
    fresh = sf.fresh_models(
        model,
        train,
        draws=DRAWS[kind],
        sizes={"search": 20, "choose": 0, "certify": 20},
        epsilon=sf.Tolerance(0.1, "balanced_error"),
    )
    f = sf.as_score(model.fit(train.table, train.labels), data.schema, favourable=1)
    refused = ~f.accepts(data.schema.matrix(test.table))
    people = test.table[refused].iloc[:30]
    q = sf.Percentiles.fit(train.table)
    mean = data.schema.matrix(train.table).mean(axis=0)
    return World(data.schema, q, mean, f, people, fresh.search, fresh.certify)


@pytest.fixture(scope="module")
def linear() -> World:
    return world(sf.datasets.twin("heloc", n=1500, seed=0), "linear")


@pytest.fixture(scope="module")
def forest() -> World:
    return world(sf.datasets.twin("give_me_some_credit", n=1500, seed=0), "forest")


def roar(world: World, delta: float) -> sf.Recommendations:
    """ROAR's advice for everybody at once: a step takes as long for eight people as for thirty."""
    method = Roar(world.schema, world.q, delta=delta)
    return sf.Advisor(method, world.f, block=len(world.people)).recommend(world.people)


def compared(first: sf.Recommendations, second: sf.Recommendations) -> tuple[float, float]:
    """Both mean costs over the people whom both advise."""
    both = first.found & second.found
    assert both.sum() >= 10
    return float(first.cost[both].mean()), float(second.cost[both].mean())


# ROAR


def test_the_worst_model_in_the_box_accepts(linear):
    delta = 0.03
    recs = roar(linear, delta)
    assert recs.found.mean() > 0.8
    Z = (recs.counterfactual[recs.found].to_numpy(dtype=float) - linear.mean) / linear.q.scale
    f = linear.f
    own = np.append(f.weights * linear.q.scale, f.weights @ linear.mean + f.offset)
    for z in Z:  # as in the authors' code: a linear program over the box
        worst = linprog(np.append(z, 1.0), bounds=np.column_stack([own - delta, own + delta]))
        assert worst.fun > f.cutoff()


def test_a_larger_box_costs_more_and_is_kept_by_more(linear):
    small, large = roar(linear, 0.0), roar(linear, 0.05)
    cheap, dear = compared(small, large)
    assert cheap < dear
    assert linear.kept(small) + 0.1 < linear.kept(large)


def test_the_descent_ends_near_the_least_distance():
    """One input at a time is cheapest in L1: without a box, the one with the largest weight."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(500, 3)), columns=list("abc")).round(3)
    schema = sf.Schema(tuple(sf.Feature(name, "real", step=0.001) for name in table))
    model = Linear([1.0, -3.0, 0.5], -1.0, LOGISTIC, threshold=0.5)
    people = table[~model.accepts(schema.matrix(table))].iloc[:20]
    q = sf.Percentiles.fit(table)
    recs = sf.recommend(Roar(schema, q, delta=0.0), model, people)
    moves = (recs.counterfactual.to_numpy(dtype=float) - schema.matrix(people)) / q.scale
    least = -model.raw(schema.matrix(people)) / np.abs(model.weights * q.scale).max()
    assert recs.found.all()
    near = np.abs(moves).sum(axis=1)
    assert (near >= least - 1e-9).all()
    assert (near <= least + 0.15).all()


def test_a_box_that_holds_a_hostile_model_exhausts(linear):
    recs = roar(linear, 5.0)
    assert (recs.outcome == sf.Outcome.EXHAUSTED).all()
    assert recs.explanations().str.contains("within 5 of the reference").all()


def test_roar_refuses_what_it_cannot_read(forest):
    with pytest.raises(sf.InputError, match=r"weights of a linear model.*TreeEnsemble"):
        sf.recommend(Roar(forest.schema, forest.q), forest.f, forest.people)
    for delta in (-0.1, np.inf, "0.1", True):
        with pytest.raises(sf.InputError, match="delta is"):
            Roar(forest.schema, forest.q, delta=delta)


# BetaRCE


def beta_rce(world: World, **settings: object) -> BetaRce:
    return BetaRce(sf.GrowingSpheres(world.schema, world.q), world.search, **settings)


def test_the_credible_share_reaches_the_dial(forest):
    method = beta_rce(forest, delta=0.7)
    recs = sf.recommend(method, forest.f, forest.people)
    assert recs.found.mean() > 0.8
    points = recs.counterfactual[recs.found].to_numpy(dtype=float)
    assert forest.f.accepts(points).all()
    yes = np.sum([model.accepts(points) for model in forest.search], axis=0)
    n = len(forest.search)
    assert (beta.ppf(0.1, yes + 0.5, n - yes + 0.5) >= 0.7).all()
    k = method.needed
    assert credible_share(k, n, 0.9) >= 0.7 > credible_share(k - 1, n, 0.9)


def test_a_larger_share_costs_more_and_is_kept_by_more(forest):
    small, large = (
        sf.recommend(beta_rce(forest, delta=d), forest.f, forest.people) for d in (0.2, 0.85)
    )
    cheap, dear = compared(small, large)
    assert cheap < dear
    assert forest.kept(small) < forest.kept(large)


def test_base_advice_that_passes_is_left_alone(forest):
    base = sf.MinimalCost(forest.schema, forest.q)
    plain = sf.recommend(base, forest.f, forest.people)
    moved = sf.recommend(BetaRce(base, forest.search, delta=0.5), forest.f, forest.people)
    passes = Quorum(forest.f, forest.search, BetaRce(base, forest.search, delta=0.5).needed)
    same = passes.accepts(plain.counterfactual.to_numpy(dtype=float))
    assert 0 < same.sum() < len(same)
    pd.testing.assert_frame_equal(plain.counterfactual[same], moved.counterfactual[same])
    assert (moved.outcome[same] == sf.Outcome.MINIMAL).all()
    assert set(moved.outcome[~same]) <= {sf.Outcome.FOUND, sf.Outcome.EXHAUSTED}
    # what is minimal for the reference alone bounds what pleases more models
    found = moved.found
    assert (moved.results["lower_bound"][found] <= moved.cost[found] + 1e-9).all()


def test_a_quorum_counts_as_its_members_do(forest):
    rng = np.random.default_rng(0)
    X = forest.schema.matrix(forest.people)
    points = np.column_stack([column[rng.integers(0, len(X), 400)] for column in X.T])
    for needed in (0, 1, 10, len(forest.search)):
        quorum = Quorum(forest.search[0], forest.search, needed)
        assert ((quorum.score(points) > 0) == quorum.accepts(points)).all()


def test_the_seed_decides_and_blocks_do_not(forest):
    method = beta_rce(forest, delta=0.7)
    first = sf.Advisor(method, forest.f, block=1).recommend(forest.people, seed=3)
    again = sf.Advisor(method, forest.f, block=7).recommend(forest.people, seed=3, jobs=2)
    other = sf.recommend(method, forest.f, forest.people, seed=4)
    pd.testing.assert_frame_equal(first.counterfactual, again.counterfactual)
    assert not first.counterfactual.equals(other.counterfactual)


def test_nobody_reached_is_told_how_many_models_were_asked_for(forest):
    def refuse(table: pd.DataFrame) -> np.ndarray:
        return np.full(len(table), -1.0)

    never = sf.as_score(refuse, forest.schema, favourable=None)
    method = BetaRce(sf.GrowingSpheres(forest.schema, forest.q), [never] * 8, delta=0.5)
    recs = sf.recommend(method, forest.f, forest.people.iloc[:3])
    assert (recs.outcome == sf.Outcome.EXHAUSTED).all()
    assert recs.explanations().str.contains("and by 6 of 8 models").all()


def test_beta_rce_refuses_what_cannot_be(forest, linear):
    with pytest.raises(sf.InputError, match="no models to ask"):
        BetaRce(sf.GrowingSpheres(forest.schema, forest.q), ())
    with pytest.raises(sf.InputError, match=r"even if all 20 models accept.*give more models"):
        beta_rce(forest, delta=0.99)
    with pytest.raises(sf.InputError, match=r"alpha is 1\.5; it must be between 0 and 1"):
        beta_rce(forest, alpha=1.5)
    with pytest.raises(sf.InputError, match="model 0 is not a score of 10 inputs"):
        BetaRce(sf.GrowingSpheres(forest.schema, forest.q), linear.search)
