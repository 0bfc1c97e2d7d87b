import subprocess
import sys
from importlib.resources import files
from types import FrameType

import numpy as np
import pytest

from standfast.datasets import twin
from standfast.datasets.give_me_some_credit import LATENESS
from standfast.datasets.twin import SCHEMAS, numbers
from standfast.errors import InputError

NAMES = tuple(SCHEMAS)
NUMERIC = ("heloc", "give_me_some_credit")
UNFAVOURABLE = {"heloc": 0.5127, "give_me_some_credit": 0.0695, "german_credit": 0.3}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_people_and_another_seed_others(name: str) -> None:
    first, again, other = (twin(name, 500, seed=seed) for seed in (4, 4, 5))
    assert first.digest == again.digest != other.digest


@pytest.mark.parametrize("name", NAMES)
def test_a_twin_has_the_real_sets_schema_and_says_that_it_is_a_twin(name: str) -> None:
    people = twin(name, 123, seed=7)
    assert len(people) == 123
    assert people.schema is SCHEMAS[name]["sensible"]
    assert tuple(people.table) == people.schema.names
    assert people.name == name
    assert people.origin == f"twin of {name}, n=123, seed=7"
    assert people.table.attrs["origin"] == people.origin
    assert people.is_twin


@pytest.mark.parametrize("name", NAMES)
def test_the_share_of_unfavourable_labels_is_the_real_one(name: str) -> None:
    labels = twin(name, 40_000).labels
    assert (labels == -1).mean() == pytest.approx(UNFAVOURABLE[name], abs=0.01)


def test_a_twin_has_categories_by_name_and_gaps_where_the_real_set_does() -> None:
    people = twin("german_credit", 2_000, seed=1)
    assert set(people.table["housing"]) == {"for free", "own", "rent"}
    known = people.schema.lacking(people.schema.matrix(people.table))
    lacking = dict(zip(people.schema.names, known.mean(axis=0), strict=True))
    assert lacking["savings"] == pytest.approx(0.603, abs=0.03)
    assert lacking["property"] == pytest.approx(0.282, abs=0.03)
    assert sum(share > 0 for share in lacking.values()) == 2


@pytest.mark.parametrize("name", NUMERIC)
def test_counts_are_whole_and_everybody_is_within_the_declared_bounds(name: str) -> None:
    people = twin(name, 20_000, seed=1)
    for feature in people.schema.features:
        column = people.table[feature.name]
        assert column.dtype == (np.int64 if feature.kind == "count" else np.float64)
        assert column.min() >= max(feature.lower or 0, 0)
        assert column.max() <= feature.possible[1]
    assert not any(people.schema.judged(people.table)[1])


@pytest.mark.parametrize(
    ("name", "smaller", "larger"),
    [
        ("heloc", "NumInqLast6Mexcl7days", "NumInqLast6M"),
        ("heloc", "NumTrades90Ever2DerogPubRec", "NumTrades60Ever2DerogPubRec"),
        ("heloc", "NumBank2NatlTradesWHighUtilization", "NumRevolvingTradesWBalance"),
        ("heloc", "MSinceMostRecentTradeOpen", "AverageMInFile"),
        (
            "give_me_some_credit",
            "NumberRealEstateLoansOrLines",
            "NumberOfOpenCreditLinesAndLoans",
        ),
    ],
)
def test_what_the_real_people_never_break_the_twins_keep(
    name: str, smaller: str, larger: str
) -> None:
    table = twin(name, 20_000, seed=2).table
    assert (table[smaller] <= table[larger]).all()


def test_the_lateness_codes_come_together_and_as_often_as_in_the_real_set() -> None:
    late = twin("give_me_some_credit", 100_000).table[list(LATENESS)] >= 96
    assert late.nunique(axis=1).eq(1).all()
    assert late.iloc[:, 0].mean() == pytest.approx(148 / 120_269, abs=0.0004)


def test_zeros_are_as_frequent_as_in_the_real_set() -> None:
    # shares counted on the real files
    heloc = twin("heloc", 40_000).table.eq(0).mean()
    assert heloc["NumInqLast6Mexcl7days"] == pytest.approx(0.406, abs=0.01)
    assert heloc["NumTrades90Ever2DerogPubRec"] == pytest.approx(0.787, abs=0.01)
    credit = twin("give_me_some_credit", 40_000).table.eq(0).mean()
    assert credit["NumberOfTimes90DaysLate"] == pytest.approx(0.944, abs=0.01)
    assert credit["RevolvingUtilizationOfUnsecuredLines"] == pytest.approx(0.065, abs=0.01)


def test_the_embedded_numbers_stay_below_200_kilobytes() -> None:
    folder = files("standfast.datasets")
    sizes = [len(folder.joinpath(f"twin_of_{name}.json").read_bytes()) for name in NAMES]
    assert sum(sizes) < 200_000


@pytest.mark.parametrize("name", NAMES)
def test_every_group_is_complete(name: str) -> None:
    measured = numbers(name)
    assert sum(group["share"] for group in measured["groups"]) == pytest.approx(1, abs=1e-4)
    for group in measured["groups"]:
        assert tuple(group["inputs"]) == SCHEMAS[name]["sensible"].names
        # the smallest group is the 148 people whose lateness is a code
        assert group["share"] * measured["rows"] > 140


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="twins of give_me_some_credit, heloc"):
        twin("german")


@pytest.mark.parametrize("n", [0, -3, 2.5, True])
def test_a_number_of_people_that_makes_no_sense_is_refused(n: int) -> None:
    with pytest.raises(InputError, match="whole number from 1 on"):
        twin("heloc", n)


def test_one_person_can_be_drawn() -> None:
    assert len(twin("heloc", 1)) == 1


def test_people_are_not_drawn_one_by_one() -> None:
    def calls(n: int) -> int:
        """How many functions are called: the machine's speed plays no part in it."""
        count = 0

        def counted(frame: FrameType, event: str, arg: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(counted)
        try:
            twin("heloc", n)
        finally:
            sys.setprofile(None)
        return count

    twin("heloc", 1)  # what is done once is done now
    assert calls(8000) < 2 * calls(1000)


def test_the_modules_of_this_room_import_no_heavy_library_by_themselves() -> None:
    # the schema below may compile; what counts is what this room adds to it
    code = (
        "import sys, standfast.schema; before = set(sys.modules); import standfast.datasets; "
        "print(sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sklearn" not in found.stdout
    assert "scipy" not in found.stdout
    assert "numba" not in found.stdout
