import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from standfast import Feature, InputError, Schema
from standfast.autoencoder import fit
from standfast.autoencoder.training import shuffled


def test_a_known_mixture_is_recovered():
    """Two groups, told apart by a count and a real input; nothing else to find."""

    def drawn(n, seed):
        rng = np.random.default_rng(seed)
        group = rng.integers(0, 2, n)
        late = rng.poisson(np.where(group, 12.0, 1.0))
        return pd.DataFrame({"late": late, "x": rng.normal(np.where(group, 3.0, -3.0), 1.0)})

    schema = Schema((Feature("late", "count"), Feature("x", "real")))
    fitted = fit(schema, drawn(4000, 0), s=2, z=1, epochs=250, seed=1)
    fresh = drawn(4000, 1)
    truth = 0.0
    for mean, place in ((12.0, 3.0), (1.0, -3.0)):
        truth += 0.5 * stats.poisson.pmf(fresh["late"], mean) * stats.norm.pdf(fresh["x"], place)
    X = schema.matrix(fresh)
    assert np.mean(np.log(truth)) - 0.05 < fitted.bound(X).mean() <= np.mean(np.log(truth)) + 0.01
    _, component = fitted.encode(X)
    agreement = np.mean((component == 1) == (X[:, 1] > 0))
    assert max(agreement, 1 - agreement) > 0.99
    middle = fitted.decode(np.asarray(fitted.weights.prior), np.arange(2), X[:2])
    np.testing.assert_allclose(np.sort(middle[:, 0]), [1.0, 12.0], rtol=0.15)


def test_what_depends_on_each_other_is_reconstructed(fitted, schema, people):
    fresh = people(800, 9)
    X = schema.matrix(fresh)
    back = fitted.reconstruct(X)
    for name in ("income", "balance", "late", "grade"):
        j = schema.names.index(name)
        assert stats.spearmanr(X[:, j], back[:, j]).statistic > 0.5, name
    fixed = ~schema.mutable
    assert (back[:, fixed] == X[:, fixed]).all()


def test_immutable_inputs_steer_the_decoder():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 70, 2000)
    table = pd.DataFrame({"age": age, "x": (age / 10 + rng.normal(0, 0.1, 2000)).round(2)})
    schema = Schema((Feature("age", "count", mutable=False), Feature("x")))
    fitted = fit(schema, table, s=1, z=1, epochs=60, seed=0)
    grid = np.stack([np.array([25.0, 45.0, 65.0]), np.zeros(3)], axis=1)
    decoded = fitted.decode(np.tile(fitted.weights.prior, (3, 1)), np.zeros(3, int), grid)
    assert (np.diff(decoded[:, 1]) > 1.0).all()


def test_the_same_seed_learns_the_same_and_progress_tells_the_loss(schema, table):
    shown = []
    first = fit(
        schema, table, s=3, z=2, epochs=3, seed=7, progress=lambda *said: shown.append(said)
    )
    again = fit(schema, table, s=3, z=2, epochs=3, seed=7)
    other = fit(schema, table, s=3, z=2, epochs=3, seed=8)
    assert first.digest == again.digest != other.digest
    assert [epoch for epoch, _ in shown] == [1, 2, 3]
    assert shown[0][1] > shown[1][1] > shown[2][1]


def test_a_short_last_batch_leaves_nobody_out():
    order, weight = shuffled(250, np.random.default_rng(0))
    assert order.shape == weight.shape == (3, 100)
    assert sorted(order[weight == 1]) == list(range(250))
    assert weight.sum() == 250


@pytest.mark.parametrize(
    ("spoil", "shown"),
    [
        (
            lambda t: t.assign(late=[-1, *t["late"][1:]]),
            r"'late' holds 1 value such as -1 \(row 'p",
        ),
        (
            lambda t: t.assign(late=t["late"] + 0.5),
            "'late' holds 1500 values such as .* and 1497 m",
        ),
        (lambda t: t.assign(income=[-5.0, *t["income"][1:]]), "'income' .* so 0 is fine"),
        (lambda t: t.assign(guarantor=[2, *t["guarantor"][1:]]), "'guarantor' .* 0 and 1"),
        (lambda t: t.assign(grade=[2.5, *t["grade"][1:]]), "'grade' .* cumulative .* whole"),
        (lambda t: t.assign(age=[-3, *t["age"][1:]]), "'age' holds 1 value such as -3"),
        (lambda t: t.assign(income=[np.nan, *t["income"][1:]]), "'income' holds 1 missing value"),
        (lambda t: t.assign(balance=3.5), "'balance' is 3.5 in every row"),
        (lambda t: t.assign(guarantor=1), "'guarantor' is 1 in every row"),
        (lambda t: t.head(99), "has 99 rows, fewer than one batch of 100"),
        (lambda t: t.assign(late=[1e39, *t["late"][1:]]), "diverged in epoch 1"),
        (lambda t: t.assign(balance=[1e200, *t["balance"][1:]]), "diverged in epoch 1"),
        (lambda t: t.drop(columns="late"), "lacks the column 'late'"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused_with_a_sentence(schema, table, spoil, shown):
    with pytest.raises(InputError, match=shown):
        fit(schema, spoil(table), s=3, z=2, epochs=1)


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ({"s": 0}, "s is 0; it must be a whole number, 1 or above"),
        ({"z": 0}, "z is 0"),
        ({"z": 2.5}, "z is 2.5"),
        ({"epochs": -1}, "epochs is -1"),
        ({"epochs": True}, "epochs is True"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_impossible_sizes_are_refused(schema, table, sizes, shown):
    with pytest.raises(InputError, match=shown):
        fit(schema, table, **({"s": 2, "z": 2, "epochs": 1} | sizes))


def test_zero_is_fine_under_log_normal_and_a_constant_immutable_is_harmless(schema, table):
    zeros = table.assign(income=[0.0, *table["income"][1:]], urban=1)
    fitted = fit(schema, zeros, s=3, z=2, epochs=1)
    assert np.isfinite(fitted.bound(schema.matrix(zeros))).all()


WITHOUT = """
import sys
sys.modules["jax"] = None
import pandas as pd, standfast as sf
from standfast.autoencoder import fit
from standfast.autoencoder.training import shuffled
table = pd.DataFrame({"x": range(200)})
try:
    fit(sf.Schema((sf.Feature("x"),)), table, s=1, z=1, epochs=1)
except sf.InputError as error:
    print(error)
"""


def test_without_the_extra_one_sentence_says_what_to_install():
    ran = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert ran.stderr == ""
    assert len(ran.stdout.splitlines()) == 1
    assert "pip install 'standfast[autoencoder]'" in ran.stdout


def test_importing_standfast_loads_no_neural_backend():
    asked = (
        "import sys, standfast, standfast.cli; print({'jax', 'equinox', 'optax'} & {*sys.modules})"
    )
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
