"""The study as a whole: every table, resuming, and what happens when something cannot be done."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.datasets.give_me_some_credit import LATENESS
from standfast.errors import InputError
from standfast.studies import Missing, Settings, study
from standfast.studies.frontier import APART
from standfast.studies.names import BOTH, INVARIANT, METHODS, RAISED, TARGETED
from standfast.studies.tables import TIDY, read, write

from .conftest import TINY


def test_every_table_is_there_with_its_columns(small):
    _, found = small
    assert list(found.tables) == list(TIDY)
    for name, table in found.tables.items():
        assert list(table.columns) == list(TIDY[name].columns)
        if not name.startswith(("missing", "promises", "complete")):  # not asked for here
            assert len(table), f"'{name}' is empty"
    assert found.tables["missing"].empty, found.tables["missing"].to_dict("records")


def test_every_method_serves_everybody_in_every_scene(small):
    advice = small[1].tables["advice"]
    linear = advice[advice["reference"] == "linear"]
    assert list(linear["method"].drop_duplicates()) == list(METHODS)
    forest = advice[advice["reference"] == "forest"]
    assert "AR" not in set(forest["method"])  # it reads linear models
    sizes = advice.groupby(["reference", "method"]).size()
    assert set(sizes) == {TINY.people}


def test_transfer_agrees_with_the_verdicts_and_the_people(small):
    tables = small[1].tables
    by_rival = tables["verdicts"].groupby(["reference", "method", "rival"])["kept"].mean()
    for row in tables["transfer"].itertuples():
        assert row.transfer == pytest.approx(by_rival[row.reference, row.method, row.rival])
    by_person = tables["verdicts"].groupby(["reference", "method", "person"])["kept"].mean()
    for row in tables["advice"].query("found").itertuples():
        assert row.share == pytest.approx(by_person[row.reference, row.method, row.person])


def test_unanimous_advice_is_kept_by_every_rival_and_costs_no_less(small):
    tables = small[1].tables
    unanimous = tables["transfer"].query("method == 'unanimous' and n > 0")
    assert len(unanimous)
    assert (unanimous["transfer"] == 1).all()
    price = tables["invariance"].dropna(subset=["ratio"])
    proven = price[price["outcome"] == "minimal"]
    assert len(proven)
    assert (proven["ratio"] >= 1 - 1e-9).all()


def test_percentiles_of_values_add_up_to_the_total_shift(small):
    values = small[1].tables["values"].query("reference == 'linear'")
    wide = values.pivot_table(
        index=["method", "person"], columns="feature", values="percentile", aggfunc="first"
    )
    shift = (wide.loc["minimal cost"] - wide.loc[""]).abs().sum(axis=1)
    advice = small[1].tables["advice"].query("reference == 'linear' and method == 'minimal cost'")
    total = advice[advice["found"]].set_index("person")["total"]
    assert len(total)
    assert np.allclose(shift[total.index], total)


def test_do_nothing_is_what_the_rivals_think_of_people_as_they_are(small, credit):
    tables = small[1].tables
    nothing = tables["advice"].query("method == 'do nothing'")
    assert (nothing["total"] == 0).all()
    assert nothing["found"].all()
    values = tables["values"].query("method == '' and reference == 'linear'")
    first = values[values["person"] == values["person"].iloc[0]]
    own = credit.table.loc[int(first["person"].iloc[0])]
    assert dict(zip(first["feature"], first["value"], strict=True)) == own.astype(float).to_dict()


def test_an_exact_cost_is_never_above_a_heuristic_one(small):
    advice = small[1].tables["advice"]
    wide = advice.set_index(["reference", "person", "method"])["total"].unstack("method")  # noqa: PD010
    for method in ("GS", "C-CHVAE"):
        both = wide[["minimal cost", method]].dropna()
        assert len(both)
        # a weighted sum's inputs choose from a grid: a heuristic may fall between its steps
        assert (both["minimal cost"] <= both[method] + 0.05).all()


def test_a_second_run_reads_everything_and_says_the_same(small, credit):
    folder, first = small
    again = study([credit], Settings(sizes=TINY, frontier=True), folder)
    assert again.tables["timings"]["resumed"].all()
    for name in TIDY:
        if name != "timings":
            pd.testing.assert_frame_equal(again.tables[name], first.tables[name])


def test_a_changed_setting_redoes_only_what_it_touches(small, credit):
    folder, _ = small
    fewer = Settings(("linear",), replace(TINY, people=5))
    steps = study([credit], fewer, folder).tables["timings"].set_index("step")["resumed"]
    assert steps["level set"]
    assert steps["autoencoder"]
    assert not steps["GS"]
    assert not steps["unanimous"]
    assert steps["surprise, linear"]  # asks other people


def test_tables_survive_their_files(small, tmp_path):
    tables = small[1].tables
    write(tables, tmp_path / "tables")
    for name, table in read(tmp_path / "tables").items():
        pd.testing.assert_frame_equal(table, tables[name], check_dtype=False)
    one = pd.read_csv(tmp_path / "tables" / "transfer.csv")
    assert np.allclose(one["transfer"], tables["transfer"]["transfer"])
    with pytest.raises(InputError, match="run the study again"):
        read(tmp_path)


@pytest.fixture(scope="module")
def side_by_side(credit, tmp_path_factory):
    """The linear scene once more by two workers, and the progress that was told."""
    seen = []
    found = study(
        [credit],
        Settings(("linear",), TINY, jobs=2),
        tmp_path_factory.mktemp("side by side"),
        missing=Missing(),
        progress=lambda done, total, note: seen.append((done, total, note)),
    )
    return found, seen


def test_workers_do_not_change_a_number(small, side_by_side):
    _, first = small
    again, _ = side_by_side
    for name in ("advice", "transfer", "surprise"):
        table = first.tables[name]
        alone = table[table["reference"] == "linear"].reset_index(drop=True)
        pd.testing.assert_frame_equal(again.tables[name], alone, check_dtype=False)


def test_a_reference_that_refuses_nobody_costs_its_scene_only(tmp_path):
    data = sf.datasets.twin("give_me_some_credit", n=TINY.rows, seed=0)
    # without class weights a linear model refuses hardly anybody of so few
    few = Settings(("linear", "forest"), replace(TINY, rows=200), as_published=True)
    found = study([data], few, tmp_path)
    missing = found.tables["missing"]
    shown = missing[missing["what"] == "the whole scene"]["why"]
    assert len(shown)
    assert all("refuses none of the 120 held-out people" in why for why in shown)
    assert found.empty


def test_a_method_that_cannot_be_used_is_missing_and_the_rest_goes_on(tmp_path):
    data = sf.datasets.twin("heloc", n=300, seed=0)
    small = data.split(0.35, seed=0)[0]  # fewer rows to fit on than one batch of an autoencoder
    found = study([small], Settings(("linear",), TINY), tmp_path)
    missing = found.tables["missing"].set_index("what")["why"]
    assert "an autoencoder needs" in missing["advice of C-CHVAE"]
    assert not found.empty
    assert "C-CHVAE" not in set(found.tables["advice"]["method"])


def test_the_same_data_twice_and_no_data_are_refused(credit, tmp_path):
    with pytest.raises(InputError, match="more than once"):
        study([credit, credit], Settings(sizes=TINY), tmp_path)
    with pytest.raises(InputError, match="give at least one"):
        study([], Settings(sizes=TINY), tmp_path)


def test_progress_never_goes_back_and_ends_at_its_total(side_by_side):
    _, seen = side_by_side
    shares = [done / total for done, total, _ in seen]
    assert all(b >= a - 1e-9 for a, b in pairwise(shares))
    assert shares[-1] == pytest.approx(1.0)
    assert any("unanimous" in note for *_, note in seen)


# The small study's histograms and frontier: here, so that one worker runs it once.


def test_lateness_is_shown_where_it_is_counted(small):
    tables = small[1].tables
    assert set(tables["histograms"]["feature"]) == set(LATENESS)
    sums = tables["histograms"].groupby(["reference", "group", "feature"])["share"].sum()
    assert np.allclose(sums, 1)
    assert tables["distances"]["distance"].between(0, 1).all()


def test_every_method_is_there_under_both_kinds_of_judges(small):
    table = small[1].tables["frontier"]
    for _, rows in table.groupby(["reference", "judges"]):
        assert len(set(rows["n"])) == 1  # all means are over the same people
        assert {"GS", "C-CHVAE", RAISED, INVARIANT, TARGETED, BOTH} <= set(rows["method"])
    assert set(table["judges"]) == {"same class", "other class"}
    known = table[table["n"] > 0]
    assert len(known)
    assert known["validity"].between(0, 1).all()
    assert (known["cost_lower"] <= known["cost"] + 1e-12).all()
    assert (known["cost"] <= known["cost_upper"] + 1e-12).all()


def test_each_kind_of_judges_has_the_invariant_that_was_made_for_it(small):
    table = small[1].tables["frontier_gaps"]
    assert not set(table["method"]) & set(APART)
    own = table.groupby("judges")["own"].unique()
    assert list(own["same class"]) == [INVARIANT]
    assert list(own["other class"]) == [BOTH]


def test_a_raised_threshold_never_costs_less(small):
    table = small[1].tables["frontier"]
    for _, rows in table[table["method"] == RAISED].groupby(["reference", "judges"]):
        cost = rows["cost"].dropna().to_numpy()
        assert (np.diff(cost) >= -1e-9).all()
