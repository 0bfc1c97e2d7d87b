"""What the shipped schemas say beyond the paper's, and that it is true of the real people."""

import os

import numpy as np
import pytest

from standfast.datasets import give_me_some_credit, heloc, twin
from standfast.datasets.give_me_some_credit import SCHEMAS as CREDIT
from standfast.datasets.heloc import EVERYBODY
from standfast.datasets.heloc import SCHEMAS as HELOC
from standfast.errors import InputError
from standfast.schema import Schema
from standfast.schema.direction import estimate_direction

BOTH = pytest.mark.parametrize("schemas", [HELOC, CREDIT, EVERYBODY], ids=["heloc", "gmsc", "all"])
REAL = pytest.mark.skipif(
    not os.environ.get("STANDFAST_DATA"), reason="needs the real files in STANDFAST_DATA"
)


@BOTH
def test_every_input_and_law_has_a_reason_which_the_toml_shows(schemas) -> None:
    sensible = schemas["sensible"]
    laws = [str(law) for law in (*sensible.relations, *sensible.rules, *sensible.changes)]
    text = sensible.to_toml()
    for what in (*sensible.names, *laws):
        assert f"# {sensible.draft.because[what]}\n" in text
    assert "A draft" not in text
    again = Schema.from_toml(text)
    assert (again, again.digest) == (sensible, sensible.digest)


@BOTH
def test_what_the_paper_holds_fixed_stays_so_and_every_other_input_says_which_way(schemas) -> None:
    published, sensible = schemas["published"], schemas["sensible"]
    assert not (sensible.mutable & ~published.mutable).any()
    assert {str(r) for r in published.relations} <= {str(r) for r in sensible.relations}
    either = [f.name for f in sensible if f.mutable and f.direction == "any"]
    few = ["NumberOfOpenCreditLinesAndLoans", "NumberRealEstateLoansOrLines"]
    assert either == (few if schemas is CREDIT else [])


def test_nobody_can_become_somebody_who_was_never_late() -> None:
    schema = HELOC["sensible"]
    assert not schema["MaxDelqEver"].mutable
    assert not schema["NumTrades90Ever2DerogPubRec"].mutable
    assert schema["MaxDelq2PublicRecLast12M"].upper == 6
    assert schema["PercentTradesNeverDelq"].upper == 99


def test_people_are_the_same_in_both_variants_and_another_is_refused() -> None:
    ours, theirs = (twin("heloc", 50, seed=1, variant=v) for v in ("sensible", "published"))
    assert ours.digest == theirs.digest
    assert ours.schema is HELOC["sensible"]
    assert theirs.schema is HELOC["published"]
    for load in (heloc, give_me_some_credit, lambda variant: twin("heloc", 5, variant=variant)):
        with pytest.raises(
            InputError, match="variant is 'bare'; there are 'sensible', 'published'"
        ):
            load(variant="bare")


@REAL
@pytest.mark.parametrize(
    "load",
    [heloc, lambda: heloc(special="keep"), give_me_some_credit],
    ids=["heloc", "all of heloc", "gmsc"],
)
def test_no_real_person_is_outside_and_nobody_breaks_a_rule(load) -> None:
    data = load()
    X, doubts = data.schema.judged(data.table)
    assert not any(doubts)
    assert data.schema.keeps_rules(X).all()


@REAL
@pytest.mark.parametrize("load", [heloc, give_me_some_credit], ids=["heloc", "gmsc"])
def test_every_direction_is_the_one_the_labels_show(load) -> None:
    data = load()
    for feature in data.schema:
        found = estimate_direction(data.table[feature.name], data.labels)
        if feature.mutable:
            assert (found.direction or "any") == feature.direction, feature.name


@REAL
def test_more_satisfactory_trades_than_trades_keep_nobody_out() -> None:
    table = heloc().table
    assert (table["NumSatisfactoryTrades"] > table["NumTotalTrades"]).sum() == 581
    domain = HELOC["sensible"].complete(table)
    x = domain.matrix(table)[
        int(np.argmax(table["NumSatisfactoryTrades"] > table["NumTotalTrades"]))
    ]
    more = x.copy()
    more[domain.names.index("NumSatisfactoryTrades")] += 1
    assert not domain.admits(x, more)
    more[domain.names.index("NumTotalTrades")] += 1
    assert domain.admits(x, more)
