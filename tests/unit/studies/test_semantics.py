"""Rules the data keep, and advice that breaks them."""

from dataclasses import replace

import numpy as np
import pytest

import standfast as sf
from standfast.studies import Settings, Sizes
from standfast.studies.scene import Scene
from standfast.studies.semantics import Rules, _doubts, _side_of_good
from standfast.studies.steps import Steps


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    data = sf.datasets.twin("heloc", n=800, seed=0)
    settings = Settings(("linear",), Sizes(800, 10, 10, 3, 2, 100, 1000, 0, 0))
    return Rules.of(Scene(data, "linear", settings, Steps(tmp_path_factory.mktemp("steps"))))


def point(rules, **values):
    y = np.full(len(rules.schema), 5.0)
    for name, value in values.items():
        y[rules.schema.names.index(name)] = value
    return y


def test_the_relations_are_the_schemas_and_those_nobody_breaks(rules):
    texts = [str(relation) for relation in rules.relations]
    assert "NumInqLast6Mexcl7days <= NumInqLast6M" in texts
    assert "NumTrades90Ever2DerogPubRec <= NumTrades60Ever2DerogPubRec" in texts
    assert len(texts) == len(set(texts))


def test_fractions_and_negatives_are_ambiguous(rules):
    y = point(rules, NumInqLast6M=2.77, NumTotalTrades=-1.0)
    names = np.array(rules.schema.names)[rules.ambiguous(y)]
    assert set(names) == {"NumInqLast6M", "NumTotalTrades"}


def test_a_broken_relation_marks_both_of_its_inputs(rules):
    y = point(rules, NumInqLast6M=1.0, NumInqLast6Mexcl7days=3.0)
    x = point(rules)
    marks = {rules.schema.names[j]: shown for j, shown in _doubts(rules, x, y).items()}
    for name in ("NumInqLast6M", "NumInqLast6Mexcl7days"):
        assert marks[name] == ("inconsistent", "breaks NumInqLast6Mexcl7days <= NumInqLast6M")


def test_moves_away_from_good_people_are_inconsistent(rules):
    j = rules.schema.names.index("NetFractionRevolvingBurden")
    assert rules.side[j] == -1  # good people owe less of their limit
    x, y = point(rules), point(rules, NetFractionRevolvingBurden=60.0)
    assert _doubts(rules, x, y)[j] == (
        "inconsistent",
        "accepted and favourable people have less of it",
    )
    assert j not in _doubts(rules, y, x)


def test_the_grain_is_unclear_where_both_are_alike():
    rng = np.random.default_rng(0)
    same = rng.normal(size=(400, 1))
    assert _side_of_good(same, rng.normal(size=(300, 1)))[0] == 0
    assert _side_of_good(same + 2, same)[0] == 1
    assert _side_of_good(same - 2, same)[0] == -1
    assert _side_of_good(np.zeros((9, 1)), np.zeros((7, 1)))[0] == 0  # ties count half


def test_a_fraction_below_zero_is_negative_only_where_the_data_never_are(rules):
    """An input that is often negative is in doubt for its fraction, not for its sign."""
    names = ("NumInqLast6M", "NumTotalTrades")
    j, k = map(rules.schema.names.index, names)
    often = replace(rules, nonnegative=rules.nonnegative & (np.arange(len(rules.schema)) != j))
    y = point(rules, **dict.fromkeys(names, -1.5))
    doubts = _doubts(often, point(rules), y)
    assert doubts[j] == ("ambiguous", "a count that is not whole")
    assert doubts[k] == ("ambiguous", "negative, though no value of this input in the data is")
