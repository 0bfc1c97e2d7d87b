import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import standfast as sf
from standfast import Feature, InputError, Percentiles, Schema


@pytest.fixture
def q():
    return Percentiles.fit(pd.DataFrame({"a": [1.0, 2.0, 2.0, 4.0], "b": [0, 0, 0, 0]}))


def test_q_is_the_share_at_or_below_a_value(q):
    X = np.array([[0.9, -1], [1, 0], [2, 0], [3, 5], [4, 0], [9, 0]], dtype=float)
    assert q.rank(X)[:, 0].tolist() == [0, 0.25, 0.75, 0.75, 1, 1]
    assert q.rank(X)[:, 1].tolist() == [0, 1, 1, 1, 1, 1]


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30), st.floats(-7, 7))
def test_q_agrees_with_counting(values, at):
    q = Percentiles.fit(pd.DataFrame({"a": np.array(values, dtype=float)}))
    counted = sum(v <= at for v in values) / len(values)
    assert q.rank(np.array([[at]]))[0, 0] == pytest.approx(counted)


def test_the_three_shifts_by_hand(q):
    x, y = np.array([[1.0, 0.0]]), np.array([[4.0, 7.0]])
    assert q.total(x, y) == pytest.approx([0.75])
    assert q.maximal(x, y) == pytest.approx([0.75])
    # Q(1) = 1/4 and Q(4) = 1, capped at 4/5
    assert q.log(x, y) == pytest.approx([abs(np.log(0.75 / 0.2))])
    assert q.log(y, x) == pytest.approx(q.log(x, y))
    assert q.cost("max", x, y) == q.maximal(x, y)


def test_an_unknown_cost_is_told(q):
    with pytest.raises(InputError, match="unknown cost 'l7'; allowed: total, max, log"):
        q.cost("l7", np.zeros((1, 2)), np.zeros((1, 2)))


def test_a_constant_column_has_a_deviation_of_one(q):
    assert q.scale.tolist() == [pytest.approx(np.std([1, 2, 2, 4])), 1.0]


def test_percentiles_follow_the_order_of_the_schema(q):
    flipped = q.of(Schema((Feature("b"), Feature("a"))))
    assert flipped.names == ("b", "a")
    assert flipped.rank(np.array([[0.0, 2.0]])).tolist() == [[1.0, 0.75]]
    with pytest.raises(InputError, match="fitted without 'c'"):
        q.of(Schema((Feature("c"),)))


def test_gaps_have_no_place_and_a_column_of_gaps_is_refused():
    q = Percentiles.fit(pd.DataFrame({"a": [1.0, np.nan, 2.0, 2.0]}))
    assert q.rank(np.array([[1.0], [2.0]])).ravel().tolist() == [1 / 3, 1.0]
    with pytest.raises(InputError, match="'a' holds no value at all"):
        Percentiles.fit(pd.DataFrame({"a": [np.nan, np.nan]}))


def test_the_digest_tells_tables_apart_and_ignores_their_order():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    same = Percentiles.fit(table.iloc[::-1])
    assert Percentiles.fit(table).digest == same.digest
    assert Percentiles.fit(table + 1).digest != same.digest


def test_where_the_table_came_from_is_kept():
    table = pd.DataFrame({"a": [1.0]})
    table.attrs["origin"] = "twin of heloc"
    assert Percentiles.fit(table).origin == "twin of heloc"


def test_percentiles_of_a_schema_are_their_own_and_can_be_coded_anew():
    table = pd.DataFrame({"home": ["own", "rent", "rent", "?"], "n": [1, 2, 2, 3]})
    names = ("rent", "own")
    first = Schema(
        (
            Feature("home", "nominal", categories=names, missing=("?",), when_missing="keep"),
            Feature("n", "count"),
        )
    )
    once = Percentiles.fit(table).of(first)
    twice = once.of(first)
    assert twice.digest == once.digest
    assert twice.deviations == once.deviations
    ordered = Schema((Feature("home", "ordinal", categories=names, missing=("?",)),))
    anew, direct = once.of(ordered), Percentiles.fit(table).of(ordered)
    codes = np.array([[0.0, 1.0]]).T
    assert np.allclose(anew.rank(codes), direct.rank(codes))
    assert np.allclose(anew.rank(codes).ravel(), [2 / 3, 1.0])


@pytest.mark.parametrize("method", [sf.MinimalCost, sf.GrowingSpheres, sf.ActionableRecourse])
def test_a_table_in_place_of_its_percentiles_is_one_sentence(method):
    table = pd.DataFrame({"a": [1.0, 2.0]})
    with pytest.raises(InputError, match=r"percentiles is a DataFrame; .* Percentiles\.fit"):
        method(Schema((Feature("a"),)), table)


@pytest.mark.parametrize(
    "column", [[1e308, -1e308, 5e-324, 2.0], [1e300, 1e300, 1.5], [5e-324, 1e-320, 0.0]]
)
def test_columns_too_wide_or_too_narrow_to_square_have_a_deviation(column: list[float]) -> None:
    q = Percentiles.fit(pd.DataFrame({"a": column}))
    assert np.isfinite(q.scale).all()
    assert (q.scale > 0).all()
    assert np.isfinite(np.array(column) / q.scale).all()
