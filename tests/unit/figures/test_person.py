"""The picture of one person: every mark where the percentiles say, all text on the page."""

import subprocess
import sys
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.figures.canvas import MARGIN

LONG = "months since the most recent inquiry but for those of the last seven days of the month"
SCHEMA = sf.Schema(
    (
        sf.Feature("late", "count", label="late payments"),
        sf.Feature("income", "positive", step=10),
        sf.Feature("months", "count", label=LONG),
        sf.Feature("home", "nominal", categories=("family", "own", "rent")),
    )
)
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "late": RNG.integers(0, 6, 400),
        "income": 10 * RNG.integers(80, 400, 400),
        "months": RNG.integers(0, 30, 400),
        "home": RNG.choice(["family", "own", "rent"], 400, p=[0.2, 0.3, 0.5]),
    }
)
PEOPLE = pd.DataFrame(
    {"late": [4, 5], "income": [900, 1000], "months": [3, 4], "home": ["rent", "own"]},
    index=["ann", "$bob$"],
)
Q = sf.Percentiles.fit(TABLE)


@pytest.fixture(scope="module")
def recs():
    best = sf.MinimalCost(SCHEMA, Q)
    return sf.recommend(best, sf.Linear([-1.0, 0.001, 0.0, 0.0], 1.0), PEOPLE)


def marks(fig, marker, width):
    """The shares at which a marker is drawn on strips, from the top of the page down."""
    lines = [line for line in fig.axes[0].lines if line.get_marker() == marker]
    found = sorted((line.get_ydata()[0], line.get_xdata()[0]) for line in lines)
    return [(x - MARGIN) / (width - 2 * MARGIN) for _, x in found][1:]  # but for the legend's


def texts(fig):
    return [text.get_text() for text in fig.axes[0].texts]


@pytest.mark.parametrize("width", [2.5, 3.4, 7.2, 12.0])
def test_marks_stand_at_the_shares_of_people(recs, width):
    fig = sf.plot_person(recs, "ann", Q, width=width)
    x, y = (matrix[0] for matrix in recs.matrices())
    moved = [j for j in range(4) if x[j] != y[j]]
    kept = [j for j in range(4) if x[j] == y[j]]
    expected = {j: float((TABLE.iloc[:, j] <= PEOPLE.iloc[0, j]).mean()) for j in range(3)}
    renting = (TABLE["home"] == "rent").mean()
    expected[3] = 1.0 - renting / 2  # in the middle of those who rent, the last category
    assert marks(fig, "o", width) == pytest.approx([expected[j] for j in (*moved, *kept)])
    goals = [float((TABLE.iloc[:, j] <= y[j]).mean()) for j in moved]
    assert marks(fig, "D", width) == pytest.approx(goals)
    assert fig.get_size_inches()[0] == width


@pytest.mark.parametrize("width", [2.5, 3.4, 7.2])
def test_all_text_is_on_the_page_and_none_covers_another(recs, width):
    model = sf.Linear([-1.0, 0.001, 0.0, 0.0], 1.0)
    models = {"a model with a rather long name, second revision of the year": model, "g": model}
    fig = sf.plot_person(recs, "ann", Q, models=models, width=width)
    fig.canvas.draw()
    page, boxes = fig.bbox, [text.get_window_extent() for text in fig.axes[0].texts]
    for box in boxes:
        assert page.x0 <= box.x0 <= box.x1 <= page.x1
        assert page.y0 <= box.y0 <= box.y1 <= page.y1
    for k, box in enumerate(boxes):
        assert not any(box.padded(-1.0).overlaps(other) for other in boxes[k + 1 :])
    assert "refuses" in texts(fig)
    assert "accepts" in texts(fig)


def test_values_and_categories_are_shown_by_name_and_a_gap_has_no_mark(recs):
    fig = sf.plot_person(recs, "ann", Q)
    assert "rent" in texts(fig)
    change = recs.changes().set_index(["person", "feature"]).loc[("ann", "late")]
    assert f"{change['factual']:.0f} → {change['counterfactual']:.0f}" in texts(fig)
    kept = replace(SCHEMA["home"], when_missing="keep")
    schema = sf.Schema((*SCHEMA.features[:3], kept))
    rule = sf.Rule("late <= 1", schema)
    unknown = sf.recommend(sf.MinimalCost(schema, Q), rule, PEOPLE.assign(home=[None, "own"]))
    fig = sf.plot_person(unknown, "ann", Q, models={"rule": rule})
    assert "missing" in texts(fig)
    assert len(marks(fig, "o", 7.2)) == 3
    assert "Person $bob$" in texts(sf.plot_person(unknown, "$bob$", Q))


def test_the_region_is_a_band_from_its_lower_to_its_upper_end(recs):
    model = sf.Linear([-1.0, 0.001, 0.0, 0.0], 1.0)
    region = sf.region(recs, model, Q)
    fig = sf.plot_person(recs, "ann", Q, region=region)
    bands = [p for p in fig.axes[0].patches if p.get_facecolor()[:3] != (1.0, 1.0, 1.0)][1:]
    late = bands[0] if recs.changes()["feature"].iloc[0] == "late" else bands[-1]
    low, high = region.lower.loc["ann", "late"], region.upper.loc["ann", "late"]
    inner = 7.2 - 2 * MARGIN
    assert (late.get_x() - MARGIN) / inner == pytest.approx((TABLE["late"] < low).mean())
    right = (late.get_x() + late.get_width() - MARGIN) / inner
    assert right == pytest.approx((TABLE["late"] <= high).mean())
    assert "accepted by proof" in texts(fig)
    wide = sum(band.get_width() for band in bands if band.get_y() > 1.2 * late.get_y())
    homes = region.categories.loc["ann", "home"]
    rows = [j for j in ("income", "months") if np.isfinite(region.lower.loc["ann", j])]
    spans = [
        (TABLE[j].between(region.lower.loc["ann", j], region.upper.loc["ann", j])).mean()
        for j in rows
    ]
    assert wide / inner == pytest.approx(sum(spans) + TABLE["home"].isin(homes).mean())


def test_a_person_without_advice_is_drawn_where_they_stand_with_the_reason():
    hopeless = sf.Linear([0.0, 0.0, 0.0, 0.0], -1.0)
    none = sf.recommend(sf.MinimalCost(SCHEMA, Q), hopeless, PEOPLE)
    fig = sf.plot_person(
        none, "ann", Q, models={"f": hopeless}, region=sf.region(none, hopeless, Q)
    )
    assert marks(fig, "D", 7.2) == []
    assert "advice" not in texts(fig)
    assert "accepts" not in texts(fig)


def test_of_many_inputs_and_models_the_rest_is_counted():
    names = [f"x{k}" for k in range(60)]
    table = pd.DataFrame(RNG.normal(size=(50, 60)), columns=names)
    schema = sf.Schema(tuple(sf.Feature(name) for name in names))
    q = sf.Percentiles.fit(table)
    model = sf.Linear(np.r_[1.0, np.zeros(59)], -10.0)
    recs = sf.recommend(sf.MinimalCost(schema, q), model, table.head(1))
    fig = sf.plot_person(recs, 0, q, models={f"m{k}": model for k in range(20)})
    assert "further inputs: 20" in texts(fig)
    assert "and 8 more models, 0 of which accept" in texts(fig)


def test_notebooks_show_it_and_the_user_s_own_settings_stay(recs):
    before = dict(mpl.rcParams)
    assert sf.plot_person(recs, "ann", Q)._repr_png_().startswith(b"\x89PNG")
    assert dict(mpl.rcParams) == before


def test_importing_the_package_loads_no_matplotlib():
    code = "import standfast, sys; assert 'matplotlib' not in sys.modules; standfast.plot_person"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_bad_input_gets_one_sentence(recs):
    with pytest.raises(sf.InputError, match="there is no person 'eve'; there are 'ann'"):
        sf.plot_person(recs, "eve", Q)
    for width in (0, -3.0, float("nan"), True, 100):
        with pytest.raises(sf.InputError, match=r"it must be 2\.5 to 20 inches"):
            sf.plot_person(recs, "ann", Q, width=width)
    other = sf.region(
        sf.recommend(sf.MinimalCost(SCHEMA, Q), sf.Linear([-1.0, 0, 0, 0], 1.0), PEOPLE.tail(1)),
        sf.Linear([-1.0, 0, 0, 0], 1.0),
        Q,
    )
    with pytest.raises(sf.InputError, match="the region holds nothing of person 'ann'"):
        sf.plot_person(recs, "ann", Q, region=other)
    with pytest.raises(sf.InputError, match="reads 2 inputs"):
        sf.plot_person(recs, "ann", Q, models={"f": sf.Linear([1.0, 1.0], 0.0)})
    with pytest.raises(AttributeError, match="no attribute 'plot'"):
        sf.plot  # noqa: B018
