import numpy as np
import pandas as pd
import pytest

from standfast import Feature, InputError, Outcome, Recommendations, Schema
from standfast.recommendations import Model, Note, Provenance
from standfast.recommendations.causes import LimitReached

SCHEMA = Schema(
    (
        Feature("DebtRatio", "positive", lower=0, upper=2, step=0.01),
        Feature("late", "count", lower=0, upper=9, step=1, label="late payments"),
        Feature("guarantor", "binary", lower=0, upper=1, step=1),
    )
)


def recommendations(index):
    X = np.array([[0.613, 3, 0], [0.2, 0, 1], [0.9, 2, 1]])
    Y = np.array([[0.42, 1, 1], [np.nan] * 3, [np.nan] * 3])
    results = pd.DataFrame(
        {
            "outcome": ["found", "already_favourable", "exhausted"],
            "cause": [Note("3 of 4 models accept."), None, LimitReached("time")],
            "cost": [0.31, 0.0, np.nan],
            "lower_bound": [np.nan, 0.0, np.nan],
            "seconds": [0.1, 0.0, 0.2],
            "binding": [(0, 2), (), ()],
        },
        index=index,
    )
    models = tuple(Model(str(k) * 64, name=f"bank {k}") for k in range(3))
    provenance = Provenance("0", seed=3, data="twin of nothing", models=models)
    tables = [SCHEMA.table(M, index) for M in (X, Y)]
    return Recommendations(SCHEMA, *tables, results, provenance)


@pytest.fixture
def recs():
    return recommendations(pd.Index(["007", "b", "c, d"], name="applicant"))


def test_advice_is_told_in_plain_words_with_the_numbers_checked(recs):
    assert recs.sentences().tolist() == [
        "Lower debt ratio from 0.613 to 0.42, lower late payments from 3 to 1 and "
        "change guarantor from 0 to 1.",
        "Nothing to change: the model accepts already.",
        "No accepted change was found before the search ended. The time limit was reached.",
    ]


def test_a_factual_that_would_print_like_its_goal_is_printed_in_full(recs):
    from standfast.recommendations.sentences import advice

    text = advice(SCHEMA, np.array([0.4204, 0, 0]), np.array([0.42, 0, 0]))
    assert text == "Lower debt ratio from 0.4204 to 0.42."


def test_every_change_has_its_line(recs):
    changes = recs.changes()
    assert changes["person"].tolist() == ["007"] * 3
    assert changes["feature"].tolist() == ["DebtRatio", "late", "guarantor"]
    assert changes["difference"].tolist() == pytest.approx([-0.193, -2, 1])


def test_the_frame_holds_the_outcome_and_one_column_per_feature(recs):
    frame = recs.to_frame()
    assert list(frame.columns) == [
        *("outcome", "sentence", "remark", "cost", "lower_bound", "gap", "seconds", "binding"),
        *("DebtRatio", "late", "guarantor"),
    ]
    assert frame.loc["007", "late"] == 1
    assert frame.attrs["origin"] == "twin of nothing"


def test_what_there_is_to_say_of_advice_stands_beside_it(recs):
    assert recs.remarks().tolist() == ["3 of 4 models accept.", "", ""]
    assert recs.to_frame()["remark"].tolist() == recs.remarks().tolist()
    assert "models" not in recs.sentences().iloc[0]


def test_outcomes_are_counted_and_a_twin_says_so(recs):
    assert recs.counts().to_dict() == {"found": 1, "already_favourable": 1, "exhausted": 1}
    assert "twin of nothing" in repr(recs)
    assert "twin of nothing" in recs._repr_html_()
    assert "Lower debt ratio" in recs._repr_html_()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    "index",
    [
        pd.Index(["007", "b", "c, d"], name="applicant"),
        pd.RangeIndex(3),
        pd.Index([5, 3, 4], name="late"),
        pd.date_range("2026-01-01", periods=3, name="day"),
    ],
    ids=["text", "plain", "shadowing", "dates"],
)
def test_a_file_gives_back_what_was_written(tmp_path, ending, index):
    recs = recommendations(index)
    recs.write(tmp_path / f"advice.{ending}")
    again = Recommendations.read(tmp_path / f"advice.{ending}")
    for name in ("factual", "counterfactual", "results"):
        pd.testing.assert_frame_equal(
            getattr(again, name), getattr(recs, name), check_index_type=False, check_freq=False
        )
    assert again.index.name == recs.index.name
    assert again.provenance == recs.provenance
    assert again.schema == recs.schema
    assert again.sentences().tolist() == recs.sentences().tolist()


def test_models_that_bind_are_positions_in_the_results_and_names_in_the_table(recs):
    assert recs.results["binding"].tolist() == [(0, 2), (), ()]
    assert recs.to_frame()["binding"].tolist() == ["bank 0; bank 2", "", ""]


def test_nothing_half_written_stays_behind(tmp_path, recs):
    (tmp_path / "advice.csv").mkdir()
    with pytest.raises(InputError, match="it is a folder"):
        recs.write(tmp_path / "advice.csv")
    with pytest.raises(InputError, match="does not exist"):
        recs.write(tmp_path / "nowhere" / "advice.csv")
    with pytest.raises(InputError, match=r"must end in \.parquet or \.csv"):
        recs.write(tmp_path / "advice.xlsx")
    assert [p.name for p in tmp_path.iterdir()] == ["advice.csv"]


def test_a_file_of_something_else_is_told(tmp_path, recs):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="holds no recommendations"):
        Recommendations.read(tmp_path / "other.parquet")
    recs.write(tmp_path / "advice.csv")
    (tmp_path / "advice.csv.json").unlink()
    with pytest.raises(InputError, match="which is written with advice; give a file of"):
        Recommendations.read(tmp_path / "advice.csv")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InputError, match="cannot read"):
        Recommendations.read(tmp_path / "cut.parquet")


def test_every_outcome_has_a_sentence():
    assert all(outcome.sentence.endswith(".") for outcome in Outcome)
    assert [o for o in Outcome if o.advises] == ["minimal", "within_gap", "found"]
