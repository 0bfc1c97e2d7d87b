"""A simulated year, end to end: quarters that drift, fiscal years, and tables too small for one."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.errors import InputError
from standfast.studies import Missing, Settings
from standfast.studies.calendar import Draws, fiscal_years, quarters
from standfast.studies.names import AR, C_CHVAE, MINIMAL, YEAR
from standfast.studies.people import Dated
from standfast.studies.promises import History, promises
from standfast.studies.scene import Scene
from standfast.studies.steps import Steps
from standfast.studies.tables import TIDY, tidy

from .conftest import TINY

SETTINGS = Settings(sizes=TINY, promises=True)
TABLES = ("promises", "promises_year", "promises_total")


@pytest.fixture(scope="module")
def year(credit, tmp_path_factory):
    """The simulated year of a small twin under the linear reference: its scene and tables."""
    scene = Scene(credit, "linear", SETTINGS, Steps(tmp_path_factory.mktemp("year")))
    missing = Missing()
    found = promises(scene, missing)
    assert missing.rows == []
    return scene, found


def test_every_table_has_its_columns_and_every_method(year):
    _, found = year
    for name in TABLES:
        table = tidy(name, found[name].assign(data="a", reference="b"))
        assert list(table.columns) == list(TIDY[name].columns)
        assert set(table["method"]) == set(YEAR)
    assert set(found["promises"]["drift"]) == {"drift by 0.5", "no drift"}


def test_people_are_advised_in_every_quarter_and_judged_by_every_later_model(year):
    table = year[1]["promises"]
    drifting = table[(table["drift"] != "no drift") & (table["method"] == MINIMAL)]
    asked = drifting[drifting["issued"] == drifting["period"]]
    assert asked.groupby(["history", "issued"]).size().tolist() == [TINY.promised] * 8
    # nobody is newly refused twice
    assert not asked.duplicated(["history", "person"]).any()
    found = asked["cost"].notna().sum() + sum(
        (4 - when) * int((asked["cost"].notna() & (asked["issued"] == when)).sum())
        for when in range(4)
    )
    assert len(drifting[drifting["cost"].notna()]) == found


def test_promises_are_kept_as_the_models_themselves_say(year):
    scene, found = year
    calendar = quarters(scene, 0.5)
    history = History(scene, calendar, 1)
    recs = history.advice(0, Missing())[MINIMAL]
    points = recs.schema.table(recs.matrices()[1], recs.index)
    rows = found["promises"].query(
        "drift == 'drift by 0.5' and history == 1 and issued == 0 and method == @MINIMAL"
    )
    for period in range(1, 5):
        model = history.models[period].prediction.estimator
        there = rows[(rows["period"] == period)].set_index("person")["kept"]
        accepted = pd.Series(model.predict(points) == 1, points.index.astype(str))
        assert there.to_dict() == accepted[there.index].to_dict()


def test_the_cheapest_advice_costs_no_more_than_any_other(year):
    total = year[1]["promises_total"].set_index(["drift", "method"])
    first = total["first"].unstack("method")  # noqa: PD010
    assert (first[MINIMAL] <= first[AR] + 0.02).all()  # AR chooses from a grid of its own
    assert (first[MINIMAL] <= first[C_CHVAE] + 1e-9).all()
    assert np.allclose(total.xs(MINIMAL, level="method")["ratio"], 1.0)


def test_without_drift_the_advice_of_the_start_is_the_same(year):
    table = year[1]["promises"].query("issued == 0 and period == 0")
    wide = table.set_index(["history", "method", "person", "drift"])["cost"].unstack("drift")  # noqa: PD010
    assert wide["no drift"].equals(wide["drift by 0.5"].rename("no drift"))


def test_a_second_run_reads_what_the_first_one_kept(year):
    scene, found = year
    again = replace(scene, steps=Steps(scene.steps.folder))
    for name, table in promises(again, Missing()).items():
        pd.testing.assert_frame_equal(table, found[name])
    assert all(row["resumed"] for row in again.steps.timings)


def test_drift_makes_failure_more_frequent_and_moves_it_to_better_people(year):
    scene, _ = year
    bad = (scene.data.labels == -1).to_numpy()
    score = scene.estimator.decision_function(scene.data.table)
    still, moved = quarters(scene, 0.0), quarters(scene, 1.0)
    odds, standing = [], []
    for calendar in (still, moved):
        rows = np.concatenate([calendar.window(4, Draws(0, k)) for k in range(20)])
        odds.append(bad[rows].sum() / (~bad[rows]).sum())
        standing.append(score[rows][bad[rows]].mean())
    # the last window holds the four quarters of the year, at a quarter, a half, … of the drift
    assert odds[1] / odds[0] == pytest.approx(np.mean(np.exp([0.25, 0.5, 0.75, 1.0])), rel=0.15)
    assert standing[1] > standing[0]
    first = [one.window(0, Draws(0, 3)) for one in (still, moved)]
    assert np.array_equal(*first)  # nothing has drifted yet


@pytest.fixture(scope="module")
def loans():
    """A twin's people spread over the fiscal years 2000 to 2009."""
    data = sf.datasets.twin("give_me_some_credit", n=1000, seed=3)
    return Dated(data, pd.Series(np.arange(1000) % 10 + 2000))


def test_dated_people_go_by_their_years(loans):
    calendar = fiscal_years(loans)
    assert calendar.when == ("2003", "2004", "2005", "2006", "2007")
    labels = calendar.pool.table.index
    for period, last in enumerate(range(2003, 2008)):
        years = loans.year[labels[calendar.window(period, Draws(0, 0))]]
        assert set(years) == {last - 2, last - 1, last}
        assert set(loans.year[labels[calendar.applying[period] > 0]]) == {last + 1}


def test_dated_people_have_one_course_of_time(loans, tmp_path):
    few = Settings(sizes=replace(TINY, histories=1, promised=2, fresh=4), promises=True)
    scene = Scene(loans.data, "linear", few, Steps(tmp_path), dated=loans)
    found = promises(scene, Missing())
    assert set(found["promises_year"]["drift"]) == {"by fiscal year"}
    assert found["promises_year"]["when"].unique().tolist() == ["2004", "2005", "2006", "2007"]
    assert found["promises_total"]["lower"].isna().all()  # one history says nothing of others


def test_too_few_people_are_refused_with_a_sentence(credit, tmp_path):
    small = credit.split(0.1, seed=0)[0]
    scene = Scene(small, "linear", SETTINGS, Steps(tmp_path))
    with pytest.raises(InputError, match=r"turned out badly; a simulated year .* a larger table"):
        promises(scene, Missing())


@pytest.mark.parametrize("drift", [-0.1, float("nan"), float("inf"), 9.0])
def test_a_drift_that_is_none_is_refused(drift):
    with pytest.raises(InputError, match=r"must be a number from 0 \(none\) to 5"):
        Settings(promises=True, drift=drift)


def test_a_simulated_year_is_not_as_published():
    with pytest.raises(InputError, match="not in the paper"):
        Settings(promises=True, as_published=True)
