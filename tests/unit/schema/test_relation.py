import numpy as np
import pytest

from standfast.errors import InputError
from standfast.schema import Feature, Relation, Schema
from standfast.schema.relation import HalfSpaces, never_broken


@pytest.mark.parametrize(
    ("text", "terms", "bound"),
    [
        ("a <= b", {"a": 1, "b": -1}, 0),
        ("a >= b", {"a": -1, "b": 1}, 0),
        ("2 * a + b <= 10", {"a": 2, "b": 1}, 10),
        ("a - 3 <= 0.5 * b + 1", {"a": 1, "b": -0.5}, 4),
        ("`monthly income` <= 30-59_late", {"monthly income": 1, "30-59_late": -1}, 0),
        ("- a <= - 3", {"a": -1}, -3),
        ("a <= 2 * b - a", {"a": 2, "b": -2}, 0),
    ],
)
def test_a_relation_is_read_and_written_back_the_same(text, terms, bound):
    relation = Relation.parse(text)
    assert dict(relation.terms) == terms
    assert relation.bound == bound
    again = Relation.parse(str(relation))
    assert (dict(again.terms), again.bound) == (terms, bound)


@pytest.mark.parametrize(
    "text", ["a < b", "a = b", "a", "a <=", "<= b", "a <= b <= c", "a b <= c", "", "a + + b <= c"]
)
def test_what_is_no_half_space_is_refused_with_how_to_write_one(text):
    with pytest.raises(InputError, match="write it like 'a <= b'"):
        Relation.parse(text)


def test_a_relation_that_says_nothing_is_refused():
    with pytest.raises(InputError, match="says nothing"):
        Relation.parse("a <= a")


def test_an_unknown_name_is_told():
    with pytest.raises(InputError, match=r"names 'c', which the schema does not hold"):
        HalfSpaces.build([Relation.parse("a <= c")], ["a", "b"])


def test_decimals_do_not_break_a_relation_by_their_last_bit():
    rows = HalfSpaces.build([Relation.parse("a + b <= 0.3")], ["a", "b"])
    assert rows.excess(np.array([[0.1, 0.2]])).tolist() == [[0.0]]
    assert rows.excess(np.array([[0.1, 0.3]]))[0, 0] == pytest.approx(0.1)


def test_laws_of_a_table_are_proposed_and_trivial_ones_are_not():
    rng = np.random.default_rng(0)
    inquiries = rng.poisson(3, 2000).astype(float)
    recent = rng.binomial(inquiries.astype(int), 0.8).astype(float)
    veryrecent = rng.binomial(recent.astype(int), 0.8).astype(float)
    income = rng.uniform(1000, 9000, 2000)
    columns = {"inquiries": inquiries, "recent": recent, "very": veryrecent, "income": income}
    proposed = {str(relation) for relation in never_broken(columns)}
    assert proposed == {"recent <= inquiries", "very <= recent"}


MILLIONS = Schema(
    (
        Feature("turnover", "positive", lower=0, upper=4e8, step=0.01),
        Feature("costs", "positive", lower=0, upper=4e8, step=0.01),
        Feature("profit", "real", lower=-4e8, upper=4e8, step=0.01),
    ),
    relations=("profit == turnover - costs",),
)


def test_a_cent_among_millions_breaks_a_sum_and_rounding_does_not():
    own = np.array([7746558.45, 5389264.59, 2357293.86])
    assert MILLIONS.doubts(own[None]) == [""]
    assert MILLIONS.admits(own, [13832000.0, 11474706.14, 2357293.86])
    assert not MILLIONS.admits(own, [13832000.0, 11474706.12, 2357293.86])
    rng = np.random.default_rng(0)
    cents = rng.integers(0, 10**11, (2000, 2)) / 100  # up to a billion
    total = np.round(cents.sum(axis=1), 2)
    rows = np.column_stack([total, cents])
    assert not any(MILLIONS.loosened().doubts(rows))
    spaces = MILLIONS.half_spaces
    assert (spaces.excess(rows) == 0).all()
    rows[:, 0] += 0.01
    assert (spaces.excess(np.round(rows, 2)) > 0).all()


def test_points_are_moved_onto_a_sum_of_millions_to_the_cent():
    rng = np.random.default_rng(1)
    own = np.array([30690793.72, 19326058.21, 11364735.51])
    points = own + rng.normal(0.0, 2e6, (300, 3))
    moved = np.round(100 * MILLIONS.project(own, points)).astype(np.int64)
    assert (moved[:, 2] == moved[:, 0] - moved[:, 1]).all()
    assert (moved != np.round(100 * own).astype(np.int64)).any(axis=1).mean() > 0.9
