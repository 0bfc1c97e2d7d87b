from pathlib import Path

import pandas as pd
import pytest

from standfast.datasets import heloc
from standfast.datasets.heloc import PUBLISHED, SCHEMA, clean
from standfast.errors import InputError

DROPPED = ("MSinceMostRecentDelq", "MSinceMostRecentInqexcl7days", "NetFractionInstallBurden")


def raw(n: int = 6) -> pd.DataFrame:
    """A raw table of people whose three dropped columns hold codes; the third has one elsewhere."""
    table = pd.DataFrame({"RiskPerformance": ["Good", "Bad"] * (n // 2)})
    for j, name in enumerate(SCHEMA.names):
        table[name] = [7 * i + j for i in range(n)]
    for name in DROPPED:
        table[name] = -7
    table.loc[2, "PercentTradesWBalance"] = -8
    return table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "heloc.csv"
    raw().to_csv(path, index=False)
    return path


def test_three_columns_and_everybody_with_a_code_are_dropped(file: Path) -> None:
    data = heloc(file)
    assert tuple(data.table) == SCHEMA.names
    assert len(data.schema.names) == 20
    assert list(data.table.index) == [0, 1, 3, 4, 5]
    assert list(data.labels) == [1, -1, -1, 1, -1]
    assert data.origin == "real, 5 of 8,291 rows"


def test_the_folder_in_the_environment_serves_when_no_path_is_given(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDFAST_DATA", str(file.parent))
    assert heloc().digest == heloc(file).digest


def test_the_openml_dtypes_give_the_same_data_set(file: Path) -> None:
    frame = raw()
    frame["RiskPerformance"] = frame["RiskPerformance"].astype("category")
    frame["MaxDelqEver"] = frame["MaxDelqEver"].astype(str).astype("category")
    frame["NumInqLast6M"] = frame["NumInqLast6M"].astype("int16")
    columns = [*frame.columns[1:], "RiskPerformance"]
    assert clean(frame[columns], "OpenML").digest == heloc(file).digest


def test_the_published_schema_is_the_papers() -> None:
    assert {f.name for f in PUBLISHED.features if not f.mutable} == {
        "ExternalRiskEstimate",
        "MSinceOldestTradeOpen",
        "AverageMInFile",
    }
    assert {f.kind for f in PUBLISHED.features} == {"count"}
    assert {f.direction for f in PUBLISHED.features} == {"any"}
    assert len(PUBLISHED.relations) == 1
    assert all(f.label for f in PUBLISHED.features)


def test_a_text_in_a_column_of_numbers_is_named(tmp_path: Path) -> None:
    frame = raw().astype({"NumTotalTrades": object})
    frame.loc[1, "NumTotalTrades"] = "many"
    frame.to_csv(tmp_path / "heloc.csv", index=False)
    with pytest.raises(InputError, match=r"'NumTotalTrades' of '.*heloc\.csv' holds 'many'"):
        heloc(tmp_path)


@pytest.mark.parametrize("keep", [-1, -2, -9])
def test_a_file_cut_off_in_its_last_line_is_refused(file: Path, keep: int) -> None:
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"heloc\.csv' ends in the middle of a line"):
        heloc(file)


def test_a_gap_which_the_published_file_never_has_is_named(tmp_path: Path) -> None:
    frame = raw().astype(object)
    frame.loc[3, "MaxDelqEver"] = None
    frame.to_csv(tmp_path / "heloc.csv", index=False)
    with pytest.raises(InputError, match=r"'MaxDelqEver' of .* has a gap in row 3"):
        heloc(tmp_path)


def test_a_file_of_codes_only_is_refused(tmp_path: Path) -> None:
    frame = raw()
    frame[list(SCHEMA.names)] = -9
    frame.to_csv(tmp_path / "heloc.csv", index=False)
    with pytest.raises(InputError, match="nobody without special codes"):
        heloc(tmp_path)


def test_another_table_is_refused_by_its_columns(tmp_path: Path) -> None:
    (tmp_path / "heloc.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="lacks the label column 'RiskPerformance'"):
        heloc(tmp_path)
