"""Several ways per person, in a table beside the advice that people can read."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.errors import InputError
from standfast.recommendations.alternatives import beside

SCHEMA = sf.Schema((sf.Feature("late payments", "count", lower=0, upper=9), sf.Feature("debt")))
SCHEMA = SCHEMA.complete(pd.DataFrame({"late payments": [0, 9], "debt": [0.1, 0.7]}))
ENDINGS = ["csv", "parquet"]


def made(labels: list[object], ways: bool = True) -> sf.Recommendations:
    index = pd.Index(labels, name="id")
    own = SCHEMA.table(np.array([[5, 0.7], [4, 0.3]]), index)
    goal = SCHEMA.table(np.array([[2, 0.7], [1, 0.3]]), index)
    results = pd.DataFrame(
        {
            "outcome": ["minimal", "minimal"],
            "cause": [None, None],
            "cost": [1 / 3, 0.5],
            "lower_bound": [1 / 3, 0.5],
            "seconds": [0.1, 0.2],
            "binding": [(), ()],
        },
        index=index,
    )
    points = SCHEMA.table(np.array([[2, 0.7], [5, 0.1 + 0.2], [1, 0.3]]))
    about = {
        "person": index[[0, 0, 1]].rename(None),
        "rank": [1, 2, 1],
        "outcome": ["minimal", "within_gap", "minimal"],
        "cost": [1 / 3, 0.4, 0.5],
        "lower_bound": [1 / 3, np.nan, 0.5],
    }
    table = pd.concat([pd.DataFrame(about), points], axis=1) if ways else None
    provenance = {"method": "minimal cost", "seed": 0}
    return sf.Recommendations(SCHEMA, own, goal, results, provenance, table)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("labels", [[7, 8], ["007", "NA"], ["a b", 'c,"d"']], ids=str)
def test_alternatives_are_a_table_with_names_that_comes_back(
    ending: str, labels: list[object], tmp_path: Path
) -> None:
    recs, file = made(labels), tmp_path / f"my advice.{ending}"
    recs.write(file)
    assert beside(file).name == f"my advice.alternatives.{ending}"
    table = pd.read_csv(beside(file)) if ending == "csv" else pd.read_parquet(beside(file))
    assert list(table) == [
        *("person", "rank", "outcome", "cost", "lower_bound", "late payments", "debt")
    ]
    assert table["debt"].tolist() == [0.7, 0.1 + 0.2, 0.3]
    back = sf.Recommendations.read(file)
    assert back.alternatives is not None
    assert recs.alternatives is not None
    pd.testing.assert_frame_equal(back.alternatives, recs.alternatives)
    for person in labels:
        pd.testing.assert_frame_equal(back.flipset(person), recs.flipset(person))


@pytest.mark.parametrize("ending", ENDINGS)
def test_advice_of_before_with_its_arrays_is_still_read(ending: str, tmp_path: Path) -> None:
    recs, file = made(["x", "y"]), tmp_path / f"advice.{ending}"
    recs.write(file)
    beside(file).unlink()
    records = [
        [0, 1, "minimal", 1 / 3, 1 / 3, [2.0, 0.7]],
        [0, 2, "within_gap", 0.4, float("nan"), [5.0, 0.1 + 0.2]],
        [1, 1, "minimal", 0.5, 0.5, [1.0, 0.3]],
    ]
    if ending == "csv":
        companion = tmp_path / "advice.csv.json"
        about = json.loads(companion.read_text()) | {"alternatives": records}
        companion.write_text(json.dumps(about))
    else:
        import pyarrow.parquet as pq

        table = pq.read_table(file)
        known = dict(table.schema.metadata)
        about = json.loads(known[b"standfast"]) | {"alternatives": records}
        known[b"standfast"] = json.dumps(about).encode()
        pq.write_table(table.replace_schema_metadata(known), file)
    found = sf.Recommendations.read(file).alternatives
    assert found is not None
    assert recs.alternatives is not None
    pd.testing.assert_frame_equal(found, recs.alternatives)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_missing_or_foreign_table_of_alternatives_is_a_sentence(
    ending: str, tmp_path: Path
) -> None:
    file = tmp_path / f"advice.{ending}"
    made([7, 8]).write(file)
    other = tmp_path / f"other.{ending}"
    made([8, 7]).write(other)
    beside(other).replace(beside(file))
    with pytest.raises(InputError, match="is not as it was written with"):
        sf.Recommendations.read(file)
    beside(file).unlink()
    with pytest.raises(InputError, match=r"lacks its table of alternatives .* keep the two"):
        sf.Recommendations.read(file)


@pytest.mark.parametrize("ending", ENDINGS)
def test_alternatives_of_advice_that_is_overwritten_go_with_it(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"advice.{ending}"
    made([7, 8]).write(file)
    made([7, 8], ways=False).write(file)
    assert not beside(file).exists()
    assert sf.Recommendations.read(file).alternatives is None
    beside(file).write_text("mine")  # not ours
    made([7, 8], ways=False).write(file)
    assert beside(file).read_text() == "mine"


@pytest.mark.parametrize("ending", ENDINGS)
def test_labels_that_no_file_can_hold_are_refused_before_anything_is_written(
    ending: str, tmp_path: Path
) -> None:
    recs = made(["x", "y"])
    odd = pd.Index(["x\ud800", "y"], dtype=object, name="id")
    tables = (recs.factual, recs.counterfactual, recs.results)
    parts = [table.set_axis(odd, axis=0) for table in tables]
    broken = sf.Recommendations(SCHEMA, *parts, recs.provenance, recs.alternatives)
    with pytest.raises(InputError, match=r"'x\\ud800' holds a character that no file can hold"):
        broken.write(tmp_path / f"advice.{ending}")
    assert not list(tmp_path.iterdir())
