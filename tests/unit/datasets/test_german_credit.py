import os
from pathlib import Path

import pandas as pd
import pytest

from standfast.datasets import german_credit
from standfast.datasets.german_credit import ALIKE, DIFFERENT, SCALES, SCHEMA, clean
from standfast.errors import InputError

ROWS = {"duration": [6, 48], "amount": [1169, 5951], "age": [67, 22]}
# the same two contracts: same codes, but for the flipped column of dependents
CODES = {
    "status": ("A14", "A11"),
    "credit_history": ("A34", "A30"),
    "savings": ("A65", "A61"),
    "employment_duration": ("A75", "A71"),
    "installment_rate": (4, 1),
    "other_debtors": ("A101", "A103"),
    "present_residence": (4, 1),
    "property": ("A121", "A124"),
    "other_installment_plans": ("A143", "A141"),
    "housing": ("A152", "A153"),
    "number_credits": (2, 1),
    "job": ("A173", "A171"),
    "people_liable": (1, 2),
    "telephone": ("A192", "A191"),
}


def statlog() -> pd.DataFrame:
    return pd.DataFrame({**ROWS, **CODES, "class": [1, 2]})


def corrected() -> pd.DataFrame:
    codes = {name: [int(str(code)[-1]) for code in two] for name, two in CODES.items()}
    codes["people_liable"] = [2, 1]
    return pd.DataFrame({**ROWS, **codes, "credit_risk": [1, 0]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    statlog().to_csv(tmp_path / "german_credit_statlog.csv", index=False)
    corrected().to_csv(tmp_path / "south_german_credit.csv", index=False)
    return tmp_path


def test_both_releases_have_the_same_people_labels_and_schema(folder: Path) -> None:
    first, second = german_credit(folder), german_credit(folder, release="corrected")
    assert list(first.labels) == list(second.labels) == [1, -1]
    assert first.schema.digest == second.schema.digest
    assert first.origin == "real, 2 of 1,000 rows, statlog release"
    alike = ["duration", "amount", "age", *(scale.name for scale in ALIKE)]
    pd.testing.assert_frame_equal(first.table[alike], second.table[alike])


def test_where_the_code_tables_differ_the_same_contract_tells_another_story(folder: Path) -> None:
    first, second = german_credit(folder).table, german_credit(folder, release="corrected").table
    assert (first["checking"][0], second["checking"][0]) == (0, 3)  # no account; 200 DM or more
    assert (first["savings"][0], second["savings"][0]) == (0, 4)
    assert (first["trouble"][0], second["trouble"][0]) == (1, 0)
    assert (first["burden"][0], second["burden"][0]) == (3, 0)
    assert (first["property"][0], second["property"][0]) == (3, 0)
    assert (first["owner"][0], second["owner"][0]) == (1, 0)
    assert (first["owner"][1], second["owner"][1]) == (0, 1)
    assert len(DIFFERENT) == 6


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: scale.name)
def test_both_code_tables_have_the_same_levels(scale) -> None:
    first, second = scale.levels("statlog"), scale.levels("corrected")
    assert len(first) == len(second)
    top = SCHEMA.features[SCHEMA.names.index(scale.name)].upper
    assert set(first.values()) == set(second.values()) == set(range(int(top) + 1))


def test_who_one_is_does_not_move_and_does_not_decide() -> None:
    fixed = {f.name for f in SCHEMA.features if not f.mutable}
    assert fixed == {"age", "trouble", "credits", "dependents"}
    assert not {"personal_status_sex", "foreign_worker"} & {scale.column for scale in SCALES}
    assert all(f.label for f in SCHEMA.features)


def test_an_unknown_code_and_an_unknown_release_are_named(folder: Path) -> None:
    odd = statlog()
    odd.loc[1, "savings"] = "A66"
    with pytest.raises(InputError, match=r"'savings' of the table holds 'A66'; expected 'A61'"):
        clean(odd, "the table")
    with pytest.raises(InputError, match="the release is 'new'; there are 'statlog', 'corrected'"):
        german_credit(folder, release="new")  # type: ignore[arg-type]


def test_the_file_of_the_other_release_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="lacks the label column 'credit_risk'"):
        german_credit(folder / "german_credit_statlog.csv", release="corrected")


def test_without_a_file_one_sentence_says_that_it_must_be_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("STANDFAST_DATA", raising=False)
    with pytest.raises(InputError, match=r"has no twin; .*'south_german_credit\.csv', or pass"):
        german_credit(release="corrected")


@pytest.mark.skipif(
    not os.environ.get("STANDFAST_DATA"),
    reason="needs the real files: set STANDFAST_DATA to their folder",
)
def test_the_published_releases_agree_where_the_docstring_says_so() -> None:
    first, second = german_credit(), german_credit(release="corrected")
    assert len(first) == len(second) == 1000
    assert (first.labels == 1).sum() == (second.labels == 1).sum() == 700
    keys = ["duration", "amount", "age"]
    both = first.table.assign(label=first.labels).merge(
        second.table.assign(label=second.labels), on=keys
    )
    assert len(both) == 990
    assert (both["label_x"] == both["label_y"]).all()
    other = {s.name: int((both[f"{s.name}_x"] != both[f"{s.name}_y"]).sum()) for s in ALIKE}
    assert {name for name, count in other.items() if count} == {"elsewhere"}
    assert other["elsewhere"] == 33
    for scale in DIFFERENT:
        assert (both[f"{scale.name}_x"] != both[f"{scale.name}_y"]).mean() > 0.4
