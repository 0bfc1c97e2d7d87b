"""Advice files that were edited, damaged or replaced: read, or refused with a sentence."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import samples
from samples.damage import as_text, edited, edited_cells, hanging, raw_errors, some, spoilt

from standfast import Feature, InputError, Linear, Recommendations, Schema, Unanimous
from standfast.certificate import scenario
from standfast.recommendations import Note
from standfast.recommendations.causes import AcceptedBy, Unsatisfiable

OLD = Path(samples.__file__).parent / "version_0_1_0" / "advice.csv"
KEY = b"standfast"
SCHEMA = Schema(
    (
        Feature("debt", "positive", lower=0, upper=2, step=0.01),
        Feature("late", "count", lower=0, upper=9, step=1),
        Feature("owner", "binary", mutable=False),
    )
)


def small() -> Recommendations:
    """Four people, one outcome of each kind that matters, and one person's alternatives."""
    index = pd.Index(["007", "b", "c, d", "e"], name="applicant")
    X = np.array([[0.613, 3, 0], [0.2, 0, 1], [0.9, 2, 1], [1.5, 4, 0]])
    Y = np.array([[0.42, 1, 0], [np.nan] * 3, [np.nan] * 3, [1.5, 0, 0]])
    results = pd.DataFrame(
        {
            "outcome": ["found", "already_favourable", "infeasible", "minimal"],
            "cause": [AcceptedBy(3, 4), None, Unsatisfiable((0, 2), relations=True), None],
            "cost": [0.31, 0.0, np.nan, 0.5],
            "lower_bound": [np.nan, 0.0, np.inf, 0.5],
            "seconds": [0.1, 0.0, 0.2, 0.01],
            "binding": [(0, 2), (), (0, 2), ()],
        },
        index=index,
    )
    ways = pd.DataFrame(
        {
            "person": index[[0, 0, 3]],
            "rank": [1, 2, 1],
            "outcome": ["found", "found", "minimal"],
            "cost": [0.31, 0.4, 0.5],
            "lower_bound": [np.nan, np.nan, 0.5],
        }
    )
    points = SCHEMA.table(np.array([[0.42, 1, 0], [0.2, 3, 0], [1.5, 0, 0]]))
    about = {"standfast": "0", "method": "a method", "settings": {"cost": "total"}, "seed": 3}
    about |= {"data": "twin of nobody", "models": [str(k) * 64 for k in range(3)]}
    tables = [SCHEMA.table(M, index) for M in (X, Y)]
    return Recommendations(SCHEMA, *tables, results, about, pd.concat([ways, points], axis=1))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file that version 0.1.0 wrote."""
    shutil.copy(f"{OLD}.json", tmp_path / "old.csv.json")
    return Path(shutil.copy(OLD, tmp_path / "old.csv"))


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    small().write(tmp_path / "advice.csv")
    return tmp_path / "advice.csv"


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    small().write(tmp_path / "advice.parquet")
    return tmp_path / "advice.parquet"


def beside(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def used(path: Path) -> Recommendations:
    """The advice in a file, once everything was asked of it that a reader asks."""
    found = Recommendations.read(path)
    assert repr(found)
    found.to_frame()
    found.changes()
    found.counts()
    if found.alternatives is not None:
        found.flipset(found.index[0])
    return found


def assert_equal(one: Recommendations, other: Recommendations) -> None:
    for name in ("factual", "counterfactual", "results"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))
    if one.alternatives is None or other.alternatives is None:
        assert one.alternatives is other.alternatives
    else:
        pd.testing.assert_frame_equal(one.alternatives, other.alternatives)
    assert one.provenance == other.provenance
    assert one.schema == other.schema
    assert one.sentences().tolist() == other.sentences().tolist()


# what version 0.1.0 wrote, and what we write


def test_a_file_of_version_0_1_0_is_read(old: Path) -> None:
    found = used(old)
    assert found.index.tolist() == [f"{k:03d}" for k in range(12)]
    assert found.counts().to_dict() == {"minimal": 7, "already_favourable": 5}
    assert found.provenance["standfast"] == "0.1.0"
    assert found.sentences().tolist() == pd.read_csv(old)["sentence"].tolist()
    assert found.alternatives is not None
    assert len(found.flipset("011")) == 2
    assert "format" not in json.loads(beside(old).read_text())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_reasons_of_version_0_1_0_become_notes_and_names_are_kept(ending: str) -> None:
    found = used(OLD.with_name(f"banks.{ending}"))
    why = "With what this person may change, no admissible value pleases bank C."
    assert found.results["cause"].tolist() == [None, None, Note(why), None]
    banks = [f"bank {name}" for name in "ABC"]
    assert found.binding.tolist() == [
        "; ".join(banks[:2]),
        "",
        "; ".join(banks),
        "; ".join(banks[:2]),
    ]
    support = found.provenance.role("support")
    assert [model.digest for model in support] == [found.provenance.settings["support"]]
    assert len({model.digest for model in found.provenance.role("model")} - {""}) == 3


def test_advice_of_version_0_1_0_under_named_models_is_certified_by_the_search() -> None:
    weights = ([-1.0, -0.5, 0.05], 6.0), ([-0.4, -1.0, 0.05], 5.0), ([-0.1, -0.1, 0.2], -4.5)
    members = [Linear(*given) for given in weights]
    found = Recommendations.read(OLD.with_name("banks.csv"))
    named = Unanimous(members, names=("bank A", "bank B", "bank C"))
    assert scenario(found, named, members).people["binding"].dropna().tolist() == [2, 2]
    with pytest.raises(InputError, match="'bank A' as binding, which the members are not called"):
        scenario(found, Unanimous(members), members)


def test_what_was_written_comes_back(csv: Path, parquet: Path) -> None:
    assert_equal(Recommendations.read(csv), small())
    assert_equal(Recommendations.read(parquet), small())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["old", "csv"])
def test_read_written_and_read_again_nothing_changes(
    request: pytest.FixtureRequest, name: str, ending: str
) -> None:
    csv = request.getfixturevalue(name)
    first = Recommendations.read(csv)
    first.write(csv.with_name(f"again.{ending}"))
    second = Recommendations.read(csv.with_name(f"again.{ending}"))
    assert_equal(first, second)
    second.write(csv.with_name(f"again and again.{ending}"))
    again = [csv.with_name(f"{name}.{ending}") for name in ("again", "again and again")]
    assert len({file.read_bytes() for file in again}) == 1
    if ending == "csv":
        assert len({beside(file).read_bytes() for file in again}) == 1


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    "labels",
    [
        ["NA", "", "null"],
        [" a ", "b\nc", 'd"e,'],
        [1.5, 2.0, float("nan")],
        [2**62, -5, 7],
        pd.to_datetime([f"2026-01-0{k} 10:00" for k in (1, 2, 3)]).tz_localize("UTC"),
        pd.to_timedelta(["1 day", "2 days", "3 days"]),
        pd.array([1, None, 3], dtype="Int64"),
    ],
    ids=["missing by name", "odd spellings", "numbers", "large", "times", "spans", "nullable"],
)
def test_people_keep_their_labels(csv: Path, ending: str, labels: Any) -> None:
    whole = Recommendations.read(csv)
    index = pd.Index(labels, name="who")
    few = Recommendations(
        whole.schema,
        *(
            table.iloc[:3].set_axis(index)
            for table in (whole.factual, whole.counterfactual, whole.results)
        ),
        whole.provenance,
    )
    few.write(csv.with_name(f"few.{ending}"))
    pd.testing.assert_index_equal(Recommendations.read(csv.with_name(f"few.{ending}")).index, index)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_two_people_may_be_called_true_and_false(csv: Path, ending: str) -> None:
    whole = Recommendations.read(csv)
    index = pd.Index([True, False])
    tables = [table.iloc[:2] for table in (whole.factual, whole.counterfactual, whole.results)]
    two = Recommendations(whole.schema, *(t.set_axis(index) for t in tables), whole.provenance)
    two.write(csv.with_name(f"two.{ending}"))
    assert Recommendations.read(csv.with_name(f"two.{ending}")).index.tolist() == [True, False]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_of_no_alternatives_comes_back(csv: Path, ending: str) -> None:
    whole = Recommendations.read(csv)
    assert whole.alternatives is not None
    none = replace(whole, alternatives=whole.alternatives.iloc[:0])
    none.write(csv.with_name(f"none.{ending}"))
    back = Recommendations.read(csv.with_name(f"none.{ending}"))
    assert back.alternatives is not None
    assert list(back.alternatives.columns) == list(whole.alternatives.columns)
    assert len(back.alternatives) == 0


# damage


def test_an_edited_table_is_read_or_refused_with_a_sentence(csv: Path) -> None:
    damages = some(edited_cells(csv.read_text(), seed=0), 300, seed=0)
    put = lambda damaged: csv.write_text(damaged, encoding="utf-8", newline="")  # noqa: E731
    assert raw_errors(damages, put, lambda: used(csv)) == []


def test_a_damaged_table_is_read_or_refused_with_a_sentence(csv: Path) -> None:
    damages = spoilt(csv.read_bytes(), seed=1)
    assert raw_errors(damages, csv.write_bytes, lambda: used(csv)) == []


def test_edited_provenance_is_read_or_refused_with_a_sentence(csv: Path) -> None:
    file = beside(csv)
    damages = some(edited(json.loads(file.read_text())), 300, seed=2)
    put = lambda damaged: file.write_text(as_text(damaged))  # noqa: E731
    assert raw_errors(damages, put, lambda: used(csv)) == []


def test_damaged_provenance_is_read_or_refused_with_a_sentence(csv: Path) -> None:
    damages = spoilt(beside(csv).read_bytes(), seed=3)
    assert raw_errors(damages, beside(csv).write_bytes, lambda: used(csv)) == []


def test_a_damaged_parquet_file_is_refused_with_a_sentence(parquet: Path) -> None:
    damages = spoilt(parquet.read_bytes(), seed=4, flips=100)
    assert raw_errors(damages, parquet.write_bytes, lambda: used(parquet)) == []


def test_altered_numbers_in_a_parquet_file_do_not_pass_unnoticed(parquet: Path) -> None:
    whole = parquet.read_bytes()
    start = pq.ParquetFile(parquet).metadata.row_group(0).column(4)  # the cost
    assert start.path_in_schema == "cost"
    at = start.dictionary_page_offset or start.data_page_offset
    parquet.write_bytes(whole[: at + 40] + bytes([whole[at + 40] ^ 1]) + whole[at + 41 :])
    with pytest.raises(InputError, match=r"advice\.parquet' is damaged"):
        Recommendations.read(parquet)


def test_an_edited_parquet_file_is_read_or_refused_with_a_sentence(parquet: Path) -> None:
    table = pq.read_table(parquet)
    n = len(table)
    wrong = {
        "text": pa.array(["abc"] * n),
        "null": pa.nulls(n),
        "list": pa.array([[1.0]] * n),
        "infinite": pa.array([np.inf] * n),
        "huge": pa.array([1e300] * n),
        "bytes": pa.array([b"\xff"] * n),
        "table": pa.array([{"a": 1}] * n),
        "time": pa.array(np.zeros(n, "datetime64[ns]")),
    }
    about = dict(table.schema.metadata)
    damages: list[tuple[str, Any]] = [
        ("no pandas", table.replace_schema_metadata({KEY: about[KEY]})),
        ("pandas broken", table.replace_schema_metadata({**about, b"pandas": b"{"})),
        ("no text", table.replace_schema_metadata({**about, KEY: b"\xff\xfe"})),
        ("no rows", table.slice(0, 0)),
    ]
    for j, name in enumerate(table.column_names):
        damages.append((f"{name} dropped", table.remove_column(j)))
        damages.append((f"{name} twice", table.append_column(name, table.column(j))))
        damages += [(f"{name} {k}", table.set_column(j, name, v)) for k, v in wrong.items()]
    put = lambda damaged: pq.write_table(damaged, parquet)  # noqa: E731
    assert raw_errors(some(damages, 200, seed=5), put, lambda: used(parquet)) == []


@pytest.mark.parametrize("name", ["advice.csv", "advice.csv.json", "advice.parquet"])
def test_what_is_no_file_is_refused_and_never_waited_for(
    csv: Path, parquet: Path, name: str
) -> None:
    path = parquet if name.endswith("parquet") else csv
    assert hanging(path.with_name(name), lambda: used(path)) == []


# sentences


def put_cell(row: int, name: str, value: str) -> Callable[[Path], object]:
    def put(path: Path) -> None:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        table.loc[row - 1, name] = value
        table.to_csv(path, index=False)

    return put


def put_about(**changes: Any) -> Callable[[Path], object]:
    def put(path: Path) -> None:
        content = json.loads(beside(path).read_text())
        beside(path).write_text(json.dumps({**content, **changes}))

    return put


ADVISED = "'late' in row 1 is empty and must be a number, or empty where there is no advice"
SPOILT = {
    put_cell(3, "cost", "abc"): "'cost' in row 3 is \"abc\" and must be empty or a number of at le",
    put_cell(3, "cost", "-1"): "'cost' in row 3 is \"-1\" and must be empty or a number of at leas",
    put_cell(1, "outcome", "lost"): "'outcome' in row 1 is \"lost\" and must be one of minimal, wi",
    put_cell(1, "late", ""): ADVISED,
    put_cell(2, "factual late", "1e400"): "'factual late' in row 2 is \"1e400\" an",
    put_cell(2, "factual late", "1_0"): "'factual late' in row 2 is \"1_0\" and mus",
    put_cell(2, "applicant", "007"): "'applicant' holds '007' more than once",
    put_cell(2, "sentence", '"'): "",
    put_about(index_dtype="int32x"): "'applicant' labels the people and cannot be read as \"int32x",
    put_about(index_dtype="datetime64[s]"): "'applicant' labels the people and cannot be read as",
    put_about(index_dtype="complex128"): "people have no such labels",
    put_about(index={"column": "who", "name": None}): "advice.csv' is damaged: the column 'who' is",
    put_about(index={"column": "applicant", "name": []}): "'name' of 'index' is a list of 0",
    put_about(
        provenance=[]
    ): "advice.csv.json' is damaged: 'provenance' is a list of 0 and must be",
    put_about(provenance={"method": 3}): "'method' of 'provenance' is 3 and must be a text",
    put_about(
        alternatives=[[0, 1, "found"]]
    ): "alternative 1 is a list of 3 and must be a list of 6",
    put_about(
        alternatives=[[12, 1, "found", 0, 0, []]]
    ): "'row' of alternative 1 is 12 and must be",
    put_about(alternatives=[[1, 1, "lost", 0, 0, []]]): "'outcome' of alternative 1 is \"lost\"",
    put_about(
        alternatives=[[1, 1, "found", 0, 0, [1]]]
    ): "'values' of alternative 1 is a list of 1",
    put_about(schema="[features.x]\n", alternatives=None): "the column 'factual x' is missing",
    put_about(format=3): "holds format 3 and this standfast reads 2; it was written by a later ver",
    put_about(provenance={"models": [{"digest": "a"}]}): "model 1 is a table of 1 fields and must",
    put_cell(1, "facts", "{"): "'facts' in row 1 cannot be read: it is not valid JSON",
    put_cell(1, "facts", '{"binding": [9]}'): "model 9 is said to bind, and there are 3",
    put_cell(
        1, "facts", '{"reason": {"kind": "Rain"}}'
    ): "'facts' in row 1 cannot be read: 'kind' of the reason is",
    put_cell(
        1, "facts", '{"reason": {"kind": "NoneWithin", "distance": "far", "latent": true}}'
    ): "'distance' of the reason is \"far\" and must be a number of at least 0",
    put_cell(1, "facts", ""): "",
}


@pytest.mark.parametrize(
    ("spoil", "sentence"), [*SPOILT.items()], ids=[s or "fine" for s in SPOILT.values()]
)
def test_what_is_wrong_is_named_by_its_place(
    csv: Path, spoil: Callable[[Path], object], sentence: str
) -> None:
    spoil(csv)
    if not sentence:
        assert used(csv)
        return
    with pytest.raises(InputError) as shown:
        Recommendations.read(csv)
    assert sentence in str(shown.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it is empty"),
        ("a,b\n", "it holds no rows"),
        ("a,a\n1,2\n", "the column 'a' appears twice"),
        ("a,b\n1,2\n1\n", "row 2 has 1 values and the header names 2 columns"),
        ("a,b\n1,2,3\n", "row 1 has 3 values and the header names 2 columns"),
        ('a,b\n1,"2\n', "it is not valid CSV"),
        ("x" * 200_000, "it is not valid CSV"),
    ],
)
def test_a_table_that_is_none_is_refused(csv: Path, text: str, sentence: str) -> None:
    csv.write_text(text)
    with pytest.raises(InputError, match=f"advice.csv' is damaged: {sentence}"):
        Recommendations.read(csv)


def test_a_spreadsheet_may_have_opened_and_saved_the_table(csv: Path) -> None:
    before = Recommendations.read(csv)
    lines = csv.read_text().splitlines()
    csv.write_bytes(b"\xef\xbb\xbf" + "".join(f"{line},,\r\n" for line in lines).encode())
    assert_equal(before, Recommendations.read(csv))


def test_a_small_file_that_claims_many_rows_is_refused(parquet: Path) -> None:
    about = pq.read_schema(parquet).metadata
    rows = 10**6
    columns = {f"c{k}": pa.nulls(rows) for k in range(1001)}
    table = pa.table(columns).replace_schema_metadata({KEY: about[KEY]})
    pq.write_table(table, parquet)
    assert parquet.stat().st_size < 10**7
    with pytest.raises(InputError, match="it says that it holds 1,001,000,000 cells"):
        Recommendations.read(parquet)
