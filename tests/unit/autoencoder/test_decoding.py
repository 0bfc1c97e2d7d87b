"""Whatever latent point is decoded, every value is one its likelihood can give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from standfast.autoencoder.likelihoods import supported
from standfast.autoencoder.sampling import sample

FAR = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(FAR, FAR, st.integers(0, 2)), min_size=1, max_size=20))
def test_decoded_values_are_finite_and_in_support(fitted, schema, table, points):
    Z = np.array([[a, b] for a, b, _ in points])
    component = np.array([s for *_, s in points])
    X = schema.matrix(table)[: len(points)]
    Y = fitted.decode(Z, component, X)
    assert np.isfinite(Y).all()
    for feature, own, column in zip(schema, X.T, Y.T, strict=True):
        if not feature.mutable:
            assert (own == column).all()
        elif feature.kind == "count":
            assert (column >= 0).all()  # a mean count; the schema's grid rounds it
        else:
            assert supported(feature, column).all(), feature.name
    grade = Y[:, schema.names.index("grade")]
    assert ((grade >= 1) & (grade <= 5)).all()


def test_people_drawn_from_the_model_resemble_the_table(fitted, schema, table):
    X = schema.matrix(table)
    Y = sample(fitted, X, seed=1)
    assert (Y[:, ~schema.mutable] == X[:, ~schema.mutable]).all()
    for j, feature in enumerate(schema):
        assert supported(feature, Y[:, j]).all(), feature.name
        assert stats.ks_2samp(X[:, j], Y[:, j]).statistic < 0.12, feature.name
    rank = [stats.spearmanr(rows[:, [1, 3]]).statistic for rows in (X, Y)]
    assert rank[1] == pytest.approx(rank[0], abs=0.15)
    assert (sample(fitted, X, seed=1) == Y).all()
