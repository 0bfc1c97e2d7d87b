import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from standfast.datasets import give_me_some_credit
from standfast.datasets.give_me_some_credit import LATENESS, PUBLISHED, SCHEMA, clean
from standfast.errors import InputError

# five people as Kaggle writes them: one without income, one whose lateness is a code
RAW = """\
,SeriousDlqin2yrs,RevolvingUtilizationOfUnsecuredLines,age,NumberOfTime30-59DaysPastDueNotWorse,\
DebtRatio,MonthlyIncome,NumberOfOpenCreditLinesAndLoans,NumberOfTimes90DaysLate,\
NumberRealEstateLoansOrLines,NumberOfTime60-89DaysPastDueNotWorse,NumberOfDependents
1,1,0.766,45,2,0.803,9120,13,0,6,0,2
2,0,0.957,40,0,0.122,2600,4,0,0,0,1
3,0,0.305,78,0,1530,NA,3,0,1,0,NA
4,1,0.9999999,33,98,0,2200,0,98,0,98,0
5,0,0.1,30,0,0.036,3300,5,0,0,0,0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cs-training.csv"
    path.write_text(RAW)
    return path


def test_people_with_gaps_are_dropped_and_the_codes_kept(file: Path) -> None:
    data = give_me_some_credit(file)
    assert list(data.table.index) == [1, 2, 4, 5]
    assert list(data.labels) == [-1, 1, -1, 1]
    assert data.name == "give_me_some_credit"
    assert data.origin == "real, 4 of 120,269 rows"
    assert data.table.loc[4, "NumberOfTimes90DaysLate"] == 98


def test_the_codes_are_dropped_on_request(file: Path) -> None:
    data = give_me_some_credit(file, keep_codes=False)
    assert list(data.table.index) == [1, 2, 5]
    assert data.origin.endswith("codes dropped")


def test_a_folder_and_a_gzipped_file_give_the_same_people(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "give_me_some_credit.csv.gz").write_bytes(gzip.compress(RAW.encode()))
    monkeypatch.setenv("STANDFAST_DATA", str(packed))
    digests = {data.digest for data in map(give_me_some_credit, (file, file.parent, packed, None))}
    assert len(digests) == 1


def test_counts_are_whole_and_the_rest_real() -> None:
    table = clean(_openml(), "OpenML").table
    kinds = {feature.name: feature.kind for feature in SCHEMA.features}
    for name, dtype in table.dtypes.items():
        assert dtype == (np.int64 if kinds[str(name)] == "count" else np.float64)


def test_the_openml_spelling_gives_the_same_data_set(file: Path) -> None:
    assert clean(_openml(), "OpenML").digest == give_me_some_credit(file).digest


def _openml() -> pd.DataFrame:
    """The frame as OpenML 46929 gives it: no row number, label last, as category and renamed."""
    lines = [line.split(",") for line in RAW.splitlines()]
    raw = pd.DataFrame(lines[1:], columns=lines[0]).drop(columns="").replace("NA", np.nan)
    label = raw.pop("SeriousDlqin2yrs").map({"0": "No", "1": "Yes"}).astype("category")
    raw = raw.astype(float)
    for name in ("age", *LATENESS):
        raw[name] = raw[name].astype("uint8")
    return raw.assign(FinancialDistressNextTwoYears=label)


def test_the_published_schema_is_the_papers() -> None:
    features = {feature.name: feature for feature in PUBLISHED.features}
    assert {name for name, f in features.items() if not f.mutable} == {"age", "NumberOfDependents"}
    assert {name for name, f in features.items() if f.kind == "positive"} == {
        "RevolvingUtilizationOfUnsecuredLines",
        "DebtRatio",
        "MonthlyIncome",
    }
    assert features["DebtRatio"].direction == "down"


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text("SeriousDlqin2yrs,age\n0,40\n")
    with pytest.raises(InputError, match=r"wrong\.csv' lacks the columns 'NumberOfTime30-59"):
        give_me_some_credit(path)


def test_another_label_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(RAW.replace("\n2,0,", "\n2,maybe,"))
    with pytest.raises(InputError, match=r"label column 'SeriousDlqin2yrs' of .* holds 'maybe'"):
        give_me_some_credit(path)


def test_half_a_count_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(RAW.replace("0.122,2600,4,", "0.122,2600,4.5,"))
    with pytest.raises(InputError, match=r"holds 4\.5; expected whole numbers"):
        give_me_some_credit(path)


def test_a_file_that_is_no_gzip_gives_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "give_me_some_credit.csv.gz"
    path.write_text(RAW)
    with pytest.raises(InputError, match=r"cannot read '.*give_me_some_credit\.csv\.gz'"):
        give_me_some_credit(path)


def test_a_truncated_gzip_gives_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "give_me_some_credit.csv.gz"
    path.write_bytes(gzip.compress(RAW.encode())[:-40])
    with pytest.raises(InputError, match=r"cannot read '.*give_me_some_credit\.csv\.gz'"):
        give_me_some_credit(path)


def test_a_file_where_nobody_is_complete_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    lines = RAW.splitlines()
    path.write_text("\n".join([lines[0], lines[3]]) + "\n")
    with pytest.raises(InputError, match="nobody without gaps"):
        give_me_some_credit(path)
