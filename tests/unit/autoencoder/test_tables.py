"""Autoencoders of tables with categories and gaps."""

from dataclasses import replace

import jax
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, softmax

from standfast import Autoencoder, Feature, InputError, Percentiles, Schema
from standfast.autoencoder import diagnosis, fit
from standfast.autoencoder.layout import GAP, NUMBER, Layout
from standfast.autoencoder.network import Network, packed
from standfast.autoencoder.sampling import sample
from standfast.schema.categories import MISSING

HOMES = ("family", "friends", "own", "rent")
SCHEMA = Schema(
    (
        Feature("region", "nominal", mutable=False, categories=("east", "west")),
        Feature("age", "count", mutable=False, missing=(-9,), when_missing="keep"),
        Feature("income", "positive", step=10, when_missing="fill"),
        Feature(
            "home",
            "nominal",
            categories=HOMES,
            transitions={"rent": ["own"]},
            missing=("?",),
            when_missing="keep",
        ),
        Feature("late", "count"),
        Feature("school", "ordinal", categories=("none", "high", "college"), when_missing="fill"),
        Feature("card", "nominal", categories=("gold", "none", "plain")),
    )
)


def drawn(n: int, seed: int) -> pd.DataFrame:
    """Thriving people in the west own their homes; the others do not."""
    rng = np.random.default_rng(seed)
    well = rng.random(n) < 0.5
    table = pd.DataFrame(
        {
            "region": np.where(rng.random(n) < 0.5, "east", "west"),
            "age": rng.integers(20, 70, n),
            "income": rng.lognormal(np.where(well, 8.5, 7.0), 0.2).round(-1),
            "home": np.where(
                well,
                rng.choice(["own", "family"], n, p=[0.9, 0.1]),
                rng.choice(["rent", "friends"], n, p=[0.9, 0.1]),
            ),
            "late": rng.poisson(np.where(well, 0.3, 3.0)),
            "school": np.where(well, rng.choice(["high", "college"], n), "none"),
            "card": np.where(well, "gold", rng.choice(["none", "plain"], n)),
        }
    )
    for name, gap in (("age", -9), ("income", np.nan), ("home", "?"), ("school", None)):
        table.loc[rng.random(n) < 0.1, name] = gap
    return table


def emptied(schema: Schema, table: pd.DataFrame) -> np.ndarray:
    X = schema.matrix(table)
    return np.where(schema.lacking(X), MISSING, X)


def shaken(schema: Schema, X: np.ndarray, s: int, z: int, seed: int):
    """A network whose every parameter is random, and the same as a fitted value."""
    rng = np.random.default_rng(seed)
    layout = Layout.of(schema, X, range(len(X)))
    network = jax.tree.map(
        lambda a: a + 0.3 * rng.normal(size=a.shape).astype("float32"),
        Network.drawn(layout, s, z, rng),
    )
    return network, layout, Autoencoder.build(schema, layout, network.weights(), X, {})


@pytest.fixture(scope="module")
def learnt() -> Autoencoder:
    return fit(SCHEMA, drawn(1500, 0), s=2, z=1, epochs=200, seed=0)


def test_a_nominal_has_a_place_for_each_category_and_given_gaps_one_of_their_own():
    layout = Layout.of(SCHEMA, emptied(SCHEMA, drawn(200, 0)), range(200))
    assert layout.free.tolist() == [2, 4, 5, 3, 3, 3, 3, 6, 6, 6]
    assert layout.code.tolist() == [NUMBER] * 3 + [0, 1, 2, 3, 0, 1, 2]
    assert layout.given.tolist() == [0, 0, 1, 1]
    assert layout.given_code.tolist() == [0, 1, NUMBER, GAP]
    assert np.isfinite(layout.centre).all()


def test_jax_and_the_compiled_kernel_agree_on_categories_and_gaps():
    X = emptied(SCHEMA, drawn(400, 1))
    network, layout, found = shaken(SCHEMA, X, s=4, z=3, seed=0)
    fixed = (layout.base.astype("float32"), layout.cap.astype("float32"))
    bounds = jax.jit(Network.bounds)(network, packed(layout, X), *fixed)  # as in training
    in_jax = np.asarray(bounds, dtype=float)
    np.testing.assert_allclose(found.bound(X), in_jax, rtol=2e-5, atol=2e-4)


def log_evidence(found: Autoencoder, x: np.ndarray) -> float:
    """log p of what is known of x, by adding up over a fine grid of a one-dimensional z."""
    grid = np.linspace(-12, 12, 4001)
    layout, w = found.layout, found.weights
    given, total = found.given(x[None])[0], 0.0
    for s in range(found.components):
        density = stats.norm.pdf(grid, w.prior[s, 0])
        heads = w.offset[s] + w.conditions[s] @ given + np.outer(grid, w.loadings[s, :, 0])
        for column in dict.fromkeys(layout.free.tolist()):
            places = np.flatnonzero(layout.free == column)
            j, value, kind = places[0], x[column], found.schema.features[column].kind
            if value == MISSING:
                continue
            if kind == "nominal":
                shares = softmax(layout.base[places] + heads[:, places], axis=1)
                density *= shares[:, int(value)]
            elif kind == "positive":
                scale = layout.scale[column]
                spread = np.sqrt(w.variance[s, j]) * scale
                middle = layout.centre[column] + scale * heads[:, j]
                density *= stats.norm.pdf(np.log1p(value), middle, spread) / (1 + value)
            elif kind == "count":
                density *= stats.poisson.pmf(value, np.exp(layout.base[j] + heads[:, j]))
            else:
                inner = w.edges[j, 1 : layout.levels[j]]
                ends = [0.0, *(expit(t - heads[:, j]) for t in inner), 1.0]
                level = int(value - layout.lowest[j])
                density *= ends[level + 1] - ends[level]
        total += np.trapezoid(density, grid) / found.components
    return float(np.log(total))


def test_the_bound_is_below_the_evidence_of_what_is_known():
    X = emptied(SCHEMA, drawn(300, 2))
    _, _, found = shaken(SCHEMA, X, s=2, z=1, seed=1)
    assert (X[:40] == MISSING).any(axis=0).sum() >= 3
    for x, bound in zip(X[:40], found.bound(X[:40]), strict=True):
        assert bound <= log_evidence(found, x) + 1e-6


def test_after_training_the_bound_is_close_to_the_evidence(learnt):
    X = emptied(SCHEMA, drawn(60, 5))
    gap = np.array([log_evidence(learnt, x) for x in X]) - learnt.bound(X)
    assert gap.min() > -1e-6
    assert gap.mean() < 0.1


def test_categories_that_go_together_are_reconstructed_and_gaps_are_decoded(learnt):
    table = drawn(400, 9)
    X = SCHEMA.matrix(table)
    decoded = SCHEMA.table(np.rint(learnt.reconstruct(X)))
    known = (table["home"] != "?").to_numpy()
    well = table["card"] == "gold"
    assert (decoded["home"][known & well] == "own").mean() > 0.9
    assert (decoded["home"][known & ~well] == "rent").mean() > 0.9
    assert (decoded["home"][~known & well] == "own").mean() > 0.9
    assert decoded["school"].notna().all()
    assert (decoded["income"][table["income"].isna() & well] > 2000).mean() > 0.9


def test_a_gap_and_a_token_for_one_are_the_same_and_say_less_than_a_value(learnt):
    x = SCHEMA.matrix(drawn(400, 9))
    x = x[(x != MISSING).all(axis=1) & (x[:, 3] < 4) & (x[:, 1] > 0)][:50]
    token, empty, other = x.copy(), x.copy(), x.copy()
    token[:, 3], empty[:, 3] = 4.0, MISSING
    other[:, 3] = np.array([1.0, 0.0, 3.0, 2.0])[x[:, 3].astype(int)]  # own becomes rent
    assert np.array_equal(learnt.bound(token), learnt.bound(empty))
    assert (learnt.bound(empty) > learnt.bound(x)).all()
    assert (learnt.bound(x) > learnt.bound(other)).mean() > 0.9
    token[:, 1], empty[:, 1] = -9.0, MISSING
    assert np.array_equal(learnt.bound(token), learnt.bound(empty))


def test_people_drawn_have_the_categories_of_the_table(learnt):
    table = drawn(1500, 3)
    new = SCHEMA.table(sample(learnt, SCHEMA.matrix(table), 5))
    real = table["home"][table["home"] != "?"].value_counts(normalize=True)
    found = new["home"].value_counts(normalize=True)
    assert (real - found).abs().max() < 0.06
    assert pd.crosstab(new["card"], new["home"]).loc["gold", "rent"] < 60


def test_the_diagnosis_speaks_of_categories_and_known_values(learnt):
    table = drawn(500, 4)
    q = Percentiles.fit(drawn(1500, 0))
    kept = diagnosis.reconstruction(learnt, table, q)
    assert kept.loc["home", "likelihood"] == "categorical"
    assert np.isnan(kept.loc["home", "rank_correlation"])
    assert 0.8 < kept.loc["home", "unchanged"] < 1.0
    assert kept.loc["home", "mean_shift"] == pytest.approx(
        0.5 * (1 - kept.loc["home", "unchanged"])
    )
    assert kept.loc["income", "rank_correlation"] > 0.5
    shares = diagnosis.marginals(learnt, table, q)
    assert np.isnan(shares.loc["home", "real_50%"])
    assert shares.loc["home", "drawn_distance"] < 0.1
    assert shares.loc["income", "drawn_distance"] < 0.2
    assert np.isfinite(diagnosis.held_out_bound(learnt, table).to_numpy()).all()
    assert diagnosis.warnings_about(SCHEMA, table) == []


def test_a_file_with_categories_gives_back_the_very_same(learnt, tmp_path):
    learnt.write(tmp_path / "a.npz")
    again = Autoencoder.read(tmp_path / "a.npz")
    X = SCHEMA.matrix(drawn(50, 6))
    assert again.digest == learnt.digest
    assert np.array_equal(again.bound(X), learnt.bound(X))
    with np.load(tmp_path / "a.npz") as held:
        arrays = dict(held)
    arrays["layout.code"] = arrays["layout.code"][::-1]
    np.savez(tmp_path / "b.npz", **arrays)
    with pytest.raises(InputError, match="code does not fit the schema"):
        Autoencoder.read(tmp_path / "b.npz")


def test_a_file_without_categories_is_as_it_was(tmp_path):
    schema = Schema((Feature("income", "positive"), Feature("age", "count", mutable=False)))
    table = drawn(200, 0).dropna()[["income", "age"]].query("age > 0")
    _, _, found = shaken(schema, schema.matrix(table), s=1, z=1, seed=0)
    found = replace(found, about={**found.about, "epochs": 1, "seed": 0, "rows": 9, "data": ""})
    found.write(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as held:
        assert not {"layout.code", "layout.given_code"} & set(held)
    assert Autoencoder.read(tmp_path / "a.npz").digest == found.digest


def test_other_categories_are_refused(learnt):
    features = [replace(f, categories=(*HOMES, "boat")) if f.name == "home" else f for f in SCHEMA]
    with pytest.raises(InputError, match=r"fitted with categories = .* for 'home'"):
        learnt.check(Schema(tuple(features)))


def test_a_column_without_any_value_cannot_be_learnt():
    table = drawn(200, 0).assign(income=np.nan)
    with pytest.raises(InputError, match="column 'income' is missing in every row"):
        fit(SCHEMA, table, s=1, z=1, epochs=1)
    same = drawn(200, 0).assign(card="gold")
    with pytest.raises(InputError, match="column 'card' is gold in every row"):
        fit(SCHEMA, same, s=1, z=1, epochs=1)


def test_company_does_not_change_the_last_bit(learnt):
    X = SCHEMA.matrix(drawn(20, 1))
    assert [learnt.bound(x[None])[0] for x in X] == learnt.bound(X).tolist()
