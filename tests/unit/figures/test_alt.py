"""Alternative text says what one sees, with numbers recomputed here from the tables."""

import numpy as np
import pytest
from samples.study import SCENES

from standfast.studies.names import GOOD


@pytest.fixture(scope="module")
def alt(figures):
    return {(one.exhibit, one.reference): one.alt for one in figures}


def of(tables, name, scene):
    table = tables[name]
    return table[(table["data"] == scene[0]) & (table["reference"] == scene[1])]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene[1])
def test_transfer_tells_each_methods_mean_on_each_grid(tables, alt, scene):
    rows = of(tables, "transfer", scene)
    linear, forests = alt["transfer", scene[1]].split("Mean over 3 forest rivals")
    for text, grid in ((linear, "linear"), (forests, "forests")):
        means = rows[rows["grid"] == grid].groupby("method")["transfer"].mean()
        for method, share in means.items():
            assert f"{method} {100 * share:.0f} %" in text


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene[1])
def test_costs_tell_each_methods_medians_and_counts(tables, alt, scene):
    rows = of(tables, "advice", scene)
    rows = rows[rows["found"] & (rows["method"] != "do nothing")]
    for method, mine in rows.groupby("method"):
        for shift in ("total", "max"):
            shown = f"{method} {mine[shift].median():.2f} (n = {len(mine)})"
            assert shown in alt["costs", scene[1]]
    assert "do nothing" not in alt["costs", scene[1]]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene[1])
def test_histograms_tell_every_distance(tables, alt, scene):
    rows = of(tables, "distances", scene)
    for group, distance in zip(rows["group"], rows["distance"], strict=True):
        assert f"{group} {distance:.2f}" in alt["histograms", scene[1]]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene[1])
def test_components_tell_how_far_centres_are_apart(tables, alt, scene):
    centres = of(tables, "components", scene).groupby("group")[["first", "second"]].mean()
    for group in centres.index.drop(GOOD):
        apart = np.hypot(*(centres.loc[group] - centres.loc[GOOD]))
        far = f"{apart:.2f}"
        assert f"{group} {far} (n = 25)" in alt["components", scene[1]]


def test_surprise_tells_costs_ratio_and_the_impossible(alt):
    text = alt["surprise", "linear"]
    assert text.count("C = 0.01 0.80, 0.90 and 1.20 (ratio 0.70)") == 2
    assert "2 searches proved that no advice is accepted by both" in text


def test_bounds_tell_exact_cost_and_tightness(alt):
    text = alt["bounds", "forest"]
    assert "C = 0.01 1.20 and depth 7 1.20" in text
    for shown in ("Proposition 2': tightness 0.60", "Lemma 1: tightness 0.80", "tightness 0.13"):
        assert shown in text


def test_support_costs_tell_the_share_above_two(tables, alt):
    for reference, rows in tables["support_costs"].groupby("reference"):
        share = 100 * (rows["ratio"] > 2).mean()
        shown = f"{reference.capitalize()} reference: {share:.0f} % of {len(rows)} people"
        assert shown in alt["support_costs", ""]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene[1])
def test_invariance_tells_price_endings_and_binding_models(tables, alt, scene):
    rows, text = of(tables, "invariance", scene), alt["invariance", scene[1]]
    known = rows["ratio"].dropna()
    assert f"Median ratio {known.median():.2f}" in text
    assert f"(n = {len(known)} of {len(rows)})" in text
    assert "proven cheapest 11 and proven impossible 1" in text
    assert f"C = 0.01 {900 / 11:.0f} %" in text


def test_complete_sets_tell_who_is_advised_and_what_is_kept(alt):
    text = alt["complete", "forest"]
    advised = "10 of 14 at ε = 0, 5 of 14 at ε = 0.01 and 0 of 14 at ε = 0.05"
    assert f"under all trees: advised {advised}." in text
    assert "under all trees and linear models: advised 3 of 14 at ε = 0.01." in text
    assert "Of the grids’ advice they keep 25 %, 25 % and 25 %." in text


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene[1])
def test_the_frontier_tells_both_ends_of_every_line(tables, alt, scene):
    rows, text = of(tables, "frontier", scene).dropna(subset="cost"), alt["frontier", scene[1]]
    assert text.count("40 models fitted on later people (n = 9)") == (scene[1] == "linear")
    for (_, method), mine in rows.groupby(["judges", "method"]):
        name = method.capitalize() if method.startswith("invariant") else method
        name = name.removesuffix(" for all")
        first, last = (
            f"cost {row.cost:.2f} at {100 * row.validity:.0f} %"
            for row in (mine.iloc[0], mine.iloc[-1])
        )
        several = f"{name} from {first} to {last} in {len(mine)} settings"
        assert (several if len(mine) > 1 else f"{name} {first}") in text
