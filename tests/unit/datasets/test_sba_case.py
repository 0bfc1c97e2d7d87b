import os
from pathlib import Path

import pandas as pd
import pytest

from standfast.datasets import sba_case
from standfast.datasets.sba_case import SCHEMA, clean
from standfast.errors import InputError


def raw() -> pd.DataFrame:
    """Four loans: two of each period, with every spelling of a code."""
    return pd.DataFrame(
        {
            "State": "CA",
            "BankState": ["CA", None, "NC", "CA"],
            "NAICS": [531210, 532230, 531390, 533110],
            "ApprovalFY": [2001, 2005, 2006, 2011],
            "Term": [60, 84, 17, 240],
            "NoEmp": [1, 12, 3, 0],
            "New": [0, 1, 0, 0],
            "FranchiseCode": [0, 1, 68905, 1],
            "RevLineCr": ["Y", "0", "N", None],
            "GrAppv": [30000, 100000, 50000, 800000],
            "Portion": [0.5, 0.85, 0.5, 0.75],
            "ChgOffPrinGr": [0, 4000, 21000, 0],
            "Default": [0, 1, 1, 0],
        }
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sba_case.csv"
    raw().to_csv(path, index=False)
    return path


def test_a_loan_belongs_to_the_period_of_its_approval(file: Path) -> None:
    early, late = sba_case(file), sba_case(file, period="after 2005")
    assert list(early.table.index) == [0, 1]
    assert list(late.table.index) == [2, 3]
    assert list(early.labels) == [1, -1]
    assert list(late.labels) == [-1, 1]
    assert early.schema.digest == late.schema.digest
    assert early.origin == "real, 4 of 2,102 rows, approved to 2005"
    assert not early.is_twin


def test_codes_become_yes_and_no(file: Path) -> None:
    table = pd.concat([sba_case(file).table, sba_case(file, period="after 2005").table])
    assert list(table["Revolving"]) == [1, 0, 0, 0]
    assert list(table["BankInState"]) == [1, 0, 0, 1]
    assert list(table["Franchise"]) == [0, 0, 1, 0]
    assert list(table["Rental"]) == [0, 1, 0, 1]


def test_nothing_that_the_outcome_has_written_is_an_input() -> None:
    shown = {"ChgOffPrinGr", "ChgOffDate", "BalanceGross", "MIS_Status", "xx", "Term", "RealEstate"}
    shown |= {"Recession", "daysterm", "DisbursementGross", "DisbursementDate", "ApprovalFY"}
    assert not shown & set(SCHEMA.names)
    assert all(f.label for f in SCHEMA.features)


def test_an_unknown_period_and_an_empty_one_are_refused(file: Path) -> None:
    with pytest.raises(InputError, match="the period is '2006'; there are 'to 2005'"):
        sba_case(file, period="2006")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="holds no loan approved after 2005"):
        clean(raw().head(2), "the table", period="after 2005")


def test_a_gap_and_a_missing_column_are_named() -> None:
    gap = raw().astype({"NoEmp": "float64"})
    gap.loc[2, "NoEmp"] = None
    with pytest.raises(InputError, match="'NoEmp' of the table has a gap in row 2"):
        clean(gap, "the table")
    with pytest.raises(InputError, match="lacks the column 'BankState'"):
        clean(raw().drop(columns="BankState"), "the table")


def test_without_a_file_one_sentence_says_that_it_must_be_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("STANDFAST_DATA", raising=False)
    with pytest.raises(InputError, match="cannot be downloaded and has no twin; set STANDFAST_DA"):
        sba_case()
    with pytest.raises(InputError, match=r"holds no 'sba_case\.csv'; put the file there$"):
        sba_case(tmp_path)


@pytest.mark.skipif(
    not os.environ.get("STANDFAST_DATA"),
    reason="needs the real files: set STANDFAST_DATA to their folder",
)
def test_the_published_file_has_both_periods_within_the_bounds() -> None:
    for period, rows, repaid in (("to 2005", 1159, 973), ("after 2005", 943, 443)):
        data = sba_case(period=period)  # type: ignore[arg-type]
        assert (len(data), int((data.labels == 1).sum())) == (rows, repaid)
        assert data.origin == f"real, approved {period}"
        assert data.table["Portion"].between(0.25, 1).all()
