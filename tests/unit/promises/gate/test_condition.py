import numpy as np
import pytest

from standfast import InputError
from standfast.promises.gate.condition import Condition, Number, all_of, check_available

NUMBERS = {
    "kept": Number(0.97, 0.94, 0.99),
    "broken": Number(0.01, 0.0, 0.03),
    "worst_segment(kept)": Number(0.9, 0.8, 0.95),
    "promises": Number.exactly(120.0),
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("kept >= 0.97", True),
        ("kept > 0.97", False),
        ("kept>=97%", True),
        ("kept >= 97.1 %", False),
        ("lower(kept) >= 0.94", True),
        ("lower(kept) > 0.94", False),
        ("upper( broken ) <= 3%", True),
        ("worst_segment(kept) >= 0.91", False),
        ("lower(worst_segment(kept)) >= 0.8", True),
        ("promises >= 100", True),
        ("promises < 1e2", False),
    ],
)
def test_a_condition_compares_the_number_that_it_names(text, holds):
    (one,) = Condition.parse(text)
    assert one.judged(NUMBERS).holds is holds
    assert Condition.parse(str(one)) == (one,)


def test_several_conditions_combine_and_each_counts_once():
    found = all_of(["kept >= 0.9 and broken <= 0.02", "kept >= 0.9"])
    assert [str(one) for one in found] == ["kept >= 0.9", "broken <= 0.02"]


def test_what_there_is_nothing_to_judge_of_holds():
    (one,) = Condition.parse("kept >= 0.9")
    met = one.judged({"kept": Number.exactly(float("nan"))})
    assert met.holds
    assert np.isnan(met.value)


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("", '"^"', "a quantity is missing"),
        ("kept", '"kept^"', "expected >=, >, <= or <"),
        ("kept >= ", '"kept >= ^"', "expected a number"),
        ("kept >= many", '"kept >= ^many"', "expected a number"),
        ("kept >= nan", '"kept >= ^nan"', "expected a number"),
        ("kept = 0.9", '"kept ^= 0.9"', "expected >="),
        ("kept >= 0.9 or broken <= 1", '"kept >= 0.9 ^or broken <= 1"', "expected 'and'"),
        ("keept >= 0.9", '"^keept >= 0.9"', "did you mean 'kept'?"),
        ("lower(auc) >= 0.9", '"lower(^auc) >= 0.9"', "has no interval"),
        ("lower(lower(kept)) >= 0.9", '"lower(^lower(kept)) >= 0.9"', "not a quantity"),
        ("worst_segment(psi) >= 0.9", '"worst_segment(^psi) >= 0.9"', "segments have"),
        ("worst_segment kept >= 0.9", '"worst_segment ^kept >= 0.9"', "expected '('"),
        ("lower(kept >= 0.9", '"lower(kept ^>= 0.9"', "expected ')'"),
        ("kept >= 98", '"kept >= ^98"', "a share lies between 0 and 1"),
        ("broken <= -0.1", '"broken <= ^-0.1"', "a share lies between 0 and 1"),
    ],
)
def test_what_cannot_be_read_is_marked(text, place, why):
    with pytest.raises(InputError) as caught:
        Condition.parse(text)
    assert place in str(caught.value)
    assert why in str(caught.value)


@pytest.mark.parametrize("given", [None, 3, [3], {"kept": 0.9}.items(), b"kept >= 1"])
def test_other_things_are_no_conditions(given):
    with pytest.raises(InputError):
        all_of(given)


def test_a_number_that_nobody_brings_is_named_with_its_option():
    for text, option in (("psi <= 0.1", "--champion"), ("auc >= 0.7", "--table")):
        with pytest.raises(InputError, match=option):
            check_available(Condition.parse(text), set())
    check_available(Condition.parse("kept >= 0.1 and psi <= 0.2"), {"psi"})


def test_random_texts_are_read_or_refused_with_a_sentence():
    rng = np.random.default_rng(0)
    words = [
        "kept",
        "broken",
        ">=",
        "<",
        "(",
        ")",
        "lower",
        "worst_segment",
        "0.9",
        "98",
        "%",
        "and",
    ]
    words += ["1e999", "-", "psi", "\x00", "…", "0x1", "_", "1_0", "\u202e", " ", "'"]
    for _ in range(3000):
        text = str(rng.choice(["", " "])).join(rng.choice(words, rng.integers(0, 8)))
        found = read(text)
        assert found == "" or Condition.parse(" and ".join(map(str, found))) == found


def read(text):
    """What a text says; nothing if it is refused."""
    try:
        return Condition.parse(text)
    except InputError:
        return ""
