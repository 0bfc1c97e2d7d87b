"""Proven searches on the command line: several models, alternatives, support, and refusals."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

import standfast as sf
from standfast.cli.recommend import _print_proofs

INPUTS = ["income", "debt", "age"]


@pytest.fixture
def forest(sandbox: Any) -> Path:
    train = pd.read_csv(sandbox.path("train.csv"))
    model = RandomForestClassifier(10, max_depth=4, random_state=0)
    sf.save_model(model.fit(train[INPUTS], train["label"]), sandbox.path("forest.skops"))
    return Path(sandbox.path("forest.skops"))


def library(sandbox: Any, *models: str) -> tuple[sf.Schema, sf.Percentiles, list[sf.Score], Any]:
    schema = sf.Schema.read(sandbox.path("schema.toml"))
    train, people = (pd.read_csv(sandbox.path(f"{name}.csv")) for name in ("train", "people"))
    scores = [
        sf.as_score(sf.load_model(sandbox.path(name)), schema, favourable=1) for name in models
    ]
    return schema, sf.Percentiles.fit(train[INPUTS]), scores, people


def same_advice(a: sf.Recommendations, b: sf.Recommendations) -> None:
    pd.testing.assert_frame_equal(
        a.to_frame().drop(columns="seconds"), b.to_frame().drop(columns="seconds")
    )


@pytest.mark.parametrize("margin", [[], [0.05], [0.05, 0.02]])
def test_minimal_cost_with_two_models_is_the_library_s_answer(
    sandbox: Any, forest: Path, margin: list[float]
) -> None:
    models = [sandbox.path("model.skops"), forest]
    result = sandbox.recommend(
        method="minimal-cost", model=models, margin=margin, cost="max", jobs=2
    )
    assert result.exit_code == 0, result.output
    schema, q, scores, people = library(sandbox, "model.skops", "forest.skops")
    given = (margin[0] if len(margin) == 1 else tuple(margin)) if margin else 0.0
    together = sf.Unanimous(scores, given)
    expected = sf.recommend(sf.MinimalCost(schema, q, cost="max"), together, people)
    written = sf.Recommendations.read(sandbox.path("advice.csv"))
    same_advice(written, expected)
    assert together.accepts(written.counterfactual[written.found].to_numpy(dtype=float)).all()


def test_the_summary_counts_proofs_and_names_the_models_that_bind(
    sandbox: Any, forest: Path
) -> None:
    models = [sandbox.path("model.skops"), forest]
    result = sandbox.recommend(method="minimal-cost", model=models)
    written = sf.Recommendations.read(sandbox.path("advice.csv"))
    proven = int(written.outcome.isin(["minimal", "infeasible"]).sum())
    assert proven > 5
    assert re.search(r"\d+ minimal +Proven cheapest", result.stdout)
    assert f"proven: {proven}, within a gap: 0\n" in result.stdout
    binding = written.results["binding"]
    shaped = [sum(i in models for models in binding) for i in range(2)]
    assert f"model 0 (model.skops) {shaped[0]}" in result.stdout
    assert f"model 1 (forest.skops) {shaped[1]}" in result.stdout


def test_searches_that_ended_before_an_answer_are_not_counted_as_bound(
    sandbox: Any, forest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = [sandbox.path("model.skops"), forest]
    sandbox.recommend(method="minimal-cost", model=models)
    written = sf.Recommendations.read(sandbox.path("advice.csv"))
    first = written.index[written.found][0]
    binding = written.results["binding"].copy()
    binding[first] = (0, 1)
    ended = written.outcome.mask(written.index == first, "exhausted")
    cut = replace(written, results=written.results.assign(outcome=ended, binding=binding))
    _print_proofs(cut, models)
    others = [of for person, of in binding.items() if person != first]
    bound = sum(0 in of for of in others), sum(1 in of for of in others)
    said = capsys.readouterr().out
    assert f"model 0 (model.skops) {bound[0]}" in said
    assert f"model 1 (forest.skops) {bound[1]}" in said


def test_a_limit_of_boxes_leaves_answers_within_a_told_gap(sandbox: Any) -> None:
    twin = sf.datasets.twin("heloc", 600, seed=0)
    people = sandbox.path("twin.parquet")
    twin.table.to_parquet(people)
    twin.schema.write(sandbox.path("heloc.toml"))
    forest = RandomForestClassifier(30, max_depth=6, random_state=0).fit(twin.table, twin.labels)
    sf.save_model(forest, sandbox.path("forest.skops"))
    result = sandbox.recommend(
        schema=sandbox.path("heloc.toml"),
        table=people,
        people=people,
        model=sandbox.path("forest.skops"),
        method="minimal-cost",
        boxes=30,
        drop=None,
    )
    assert result.exit_code == 0, result.output
    written = sf.Recommendations.read(sandbox.path("advice.csv"))
    within = int((written.outcome == "within_gap").sum())
    assert within > 0
    largest = written.gap[written.found].max()
    assert f"within a gap: {within} (largest gap {largest:.1%})" in result.stdout
    assert written.provenance["settings"]["boxes"] == 30


@pytest.mark.parametrize("method", ["actionable-recourse", "actionable-recourse-as-published"])
def test_actionable_recourse_under_a_linear_model_is_the_library_s_answer(
    sandbox: Any, method: str
) -> None:
    result = sandbox.recommend(method=method, cost="log")
    assert result.exit_code == 0, result.output
    schema, q, (model,), people = library(sandbox, "model.skops")
    make = sf.ActionableRecourse.as_published if "published" in method else sf.ActionableRecourse
    expected = sf.recommend(make(schema, q, cost="log"), model, people)
    assert expected.found.sum() > 5
    same_advice(sf.Recommendations.read(sandbox.path("advice.csv")), expected)


@pytest.mark.parametrize("method", ["minimal-cost", "actionable-recourse"])
def test_alternatives_are_printed_and_written_with_the_file(sandbox: Any, method: str) -> None:
    result = sandbox.recommend(method=method, alternatives=2)
    assert result.exit_code == 0, result.output
    schema, q, (model,), people = library(sandbox, "model.skops")
    make = sf.MinimalCost if method == "minimal-cost" else sf.ActionableRecourse
    expected = sf.recommend(make(schema, q, alternatives=2), model, people)
    written = sf.Recommendations.read(sandbox.path("advice.csv"))
    assert written.alternatives is not None
    assert expected.alternatives is not None
    pd.testing.assert_frame_equal(written.alternatives, expected.alternatives)
    shown = written.index[written.found][:5]
    second = [person for person in shown if len(written.flipset(person)) > 1]
    assert second
    for person in second:
        way = written.flipset(person).loc[2]
        assert f"    or 2. {way['sentence']} (cost {way['cost']:.4g})\n" in result.stdout


def test_actions_and_a_price_per_change_reach_the_search(sandbox: Any) -> None:
    result = sandbox.recommend(method="actionable-recourse", actions=7)
    assert result.exit_code == 0, result.output
    schema, q, (model,), people = library(sandbox, "model.skops")
    expected = sf.recommend(sf.ActionableRecourse(schema, q, actions=7), model, people)
    same_advice(sf.Recommendations.read(sandbox.path("advice.csv")), expected)
    everything = "Proven cheapest of all that the schema admits."
    assert "Proven cheapest on its action grid; other admissible" in result.stdout
    assert everything not in result.stdout
    result = sandbox.recommend(method="minimal-cost", per_change=0.2, cost="log")
    assert result.exit_code == 0, result.output
    assert everything in result.stdout
    priced = sf.MinimalCost(schema, q, cost="log", per_change=0.2)
    same_advice(
        sf.Recommendations.read(sandbox.path("advice.csv")), sf.recommend(priced, model, people)
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "cost (total shift, 0.01 of it for every change): median"),
        ({"cost": "log"}, "cost (log shift, 0.01 of it for every change): median"),
        ({"cost": "max"}, "cost (max shift): median"),
        ({"per_change": 0}, "cost (total shift): median"),
    ],
)
def test_the_summary_states_the_price_per_change(
    sandbox: Any, given: dict[str, Any], words: str
) -> None:
    result = sandbox.recommend(method="minimal-cost", **given)
    assert result.exit_code == 0, result.output
    assert words in result.stdout
    settings = sf.Recommendations.read(sandbox.path("advice.csv")).provenance["settings"]
    assert (settings["per_change"] > 0) == ("every change" in words)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"method": "minimal-cost", "actions": 7},
            "--actions goes with --method actionable-recourse, not with minimal-cost, which "
            "searches every admissible value",
        ),
        ({"method": "growing-spheres", "actions": 7}, "not with growing-spheres"),
        ({"method": "actionable-recourse-as-published", "actions": 7}, "not with actionable-rec"),
        (
            {"method": "actionable-recourse", "per_change": 0.1},
            "--per-change goes with --method minimal-cost, not with actionable-recourse",
        ),
        (
            {"method": "minimal-cost", "per_change": 0.1, "cost": "max"},
            "--per-change is added to a sum, and --cost max has none",
        ),
        ({"method": "minimal-cost", "per_change": -1}, "--per-change is -1.0; it must be 0 or a"),
    ],
)
def test_an_option_that_does_not_go_with_the_method_is_a_sentence(
    sandbox: Any, given: dict[str, Any], words: str
) -> None:
    assert words in refused(sandbox, **given)


def test_alternatives_lie_in_a_table_beside_the_advice(sandbox: Any) -> None:
    assert sandbox.recommend(method="minimal-cost", alternatives=2).exit_code == 0
    table = pd.read_csv(sandbox.path("advice.alternatives.csv"))
    assert list(table) == ["person", "rank", "outcome", "cost", "lower_bound", *INPUTS]
    assert set(table["rank"]) == {1, 2}
    assert sandbox.recommend(method="minimal-cost").exit_code == 0
    assert not sandbox.path("advice.alternatives.csv").exists()


def test_support_keeps_advice_where_people_are(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    usual = IsolationForest(n_estimators=20, contamination=0.2, random_state=0).fit(train[INPUTS])
    sf.save_model(usual, sandbox.path("usual.skops"))
    result = sandbox.recommend(method="minimal-cost", support=sandbox.path("usual.skops"))
    assert result.exit_code == 0, result.output
    schema, q, (model,), people = library(sandbox, "model.skops")
    support = sf.as_score(usual, schema, favourable=1)
    expected = sf.recommend(sf.MinimalCost(schema, q, support=support), model, people)
    written = sf.Recommendations.read(sandbox.path("advice.csv"))
    same_advice(written, expected)
    assert (usual.predict(written.counterfactual[written.found]) == 1).all()
    settings = json.loads(sandbox.path("advice.csv.json").read_text())["provenance"]["settings"]
    assert settings["support"] == support.digest
    assert "the data support" in result.stdout


def test_growing_spheres_also_takes_several_models(sandbox: Any, forest: Path) -> None:
    models = [sandbox.path("model.skops"), forest]
    result = sandbox.recommend(model=models, seed=3)
    assert result.exit_code == 0, result.output
    assert "proven" not in result.stdout.replace("proves", "")
    schema, q, scores, people = library(sandbox, "model.skops", "forest.skops")
    expected = sf.recommend(sf.GrowingSpheres(schema, q), sf.Unanimous(scores), people, seed=3)
    same_advice(sf.Recommendations.read(sandbox.path("advice.csv")), expected)


def test_months_may_be_named_in_any_order_and_the_advice_says_how_long_to_wait(
    sandbox: Any,
) -> None:
    schema = sandbox.path("schema.toml")
    schema.write_text(schema.read_text().replace("step = 0.01", "step = 0.01\npace = 0.02"))
    result = sandbox.recommend(method="minimal-cost", within=[12, 0, 6, 0], waiting=0.001)
    assert result.exit_code == 0, result.output
    made, q, (model,), people = library(sandbox, "model.skops")
    method = sf.MinimalCost(made, q, within=(0, 6, 12), waiting=0.001)
    expected = sf.recommend(method, model, people)
    assert set(expected.results["after_months"][expected.found]) > {0}
    same_advice(sf.Recommendations.read(sandbox.path("advice.csv")), expected)


# refusals


def refused(sandbox: Any, **given: Any) -> str:
    """The one sentence about a run that could not be, which left nothing behind."""
    before = sandbox.listing()
    sentence: str = sandbox.sentence(sandbox.recommend(**given))
    assert sandbox.listing() == before
    return sentence


def test_options_about_time_that_do_not_go_together_are_named(sandbox: Any) -> None:
    both = refused(sandbox, method="minimal-cost", within=[0, 6], alternatives=2)
    assert both.startswith("error: --alternatives and --within both ask for several ways")
    alone = refused(sandbox, method="minimal-cost", waiting=0.1)
    assert "add --within, as in --within 0 --within 6" in alone


def test_actionable_recourse_refuses_a_forest(sandbox: Any, forest: Path) -> None:
    sentence = refused(sandbox, method="actionable-recourse", model=forest)
    assert "forest.skops' holds no linear or additive model" in sentence
    assert "use --method minimal-cost for trees" in sentence


def test_a_black_box_is_refused_by_its_file(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    bent = SVC().fit(train[INPUTS], train["label"])
    sf.save_model(bent, sandbox.path("bent.skops"))
    models = [sandbox.path("model.skops"), sandbox.path("bent.skops")]
    sentence = refused(sandbox, method="minimal-cost", model=models)
    assert "bent.skops' holds no linear, additive or tree model (" in sentence
    assert "'rbf'), so --method minimal-cost cannot read it" in sentence
    assert "use --method growing-spheres" in sentence
    sentence = refused(sandbox, method="minimal-cost", support=sandbox.path("bent.skops"))
    assert "bent.skops': SVC does not say how usual a person is" in sentence


@pytest.mark.parametrize("method", ["growing-spheres", "growing-spheres-as-published"])
@pytest.mark.parametrize("option", ["alternatives", "boxes"])
def test_wishes_only_a_proven_search_can_grant_are_refused(
    sandbox: Any, method: str, option: str
) -> None:
    sentence = refused(sandbox, method=method, **{option: 3})
    assert (
        f"--{option} goes with minimal-cost and actionable-recourse, not with {method}" in sentence
    )


def test_support_is_refused_by_other_methods_and_must_be_readable(
    sandbox: Any, forest: Path
) -> None:
    sentence = refused(sandbox, method="actionable-recourse", support=forest)
    assert "--support goes with --method minimal-cost, not with actionable-recourse" in sentence
    sentence = refused(sandbox, method="minimal-cost", support=sandbox.path("gone.skops"))
    assert "no file" in sentence
    assert "gone.skops'" in sentence


def test_margins_must_suit_the_models(sandbox: Any, forest: Path) -> None:
    models = [sandbox.path("model.skops"), forest]
    given = {"method": "minimal-cost", "model": models}
    assert "--margin is given 3 times for 2 models" in refused(
        sandbox, **given, margin=[0.1, 0.1, 0.1]
    )
    train = pd.read_csv(sandbox.path("train.csv"))
    decision = LinearSVC().fit(train[INPUTS] / 1000, train["label"])
    sf.save_model(decision, sandbox.path("decision.skops"))
    given["model"] = [*models, sandbox.path("decision.skops")]
    assert "decision.skops' gives no probability" in refused(sandbox, **given, margin=0.1)


def test_a_model_is_named_when_one_of_several_does_not_fit(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    narrow = LogisticRegression(max_iter=5000).fit(
        train[["debt", "age"]].to_numpy(), train["label"]
    )
    sf.save_model(narrow, sandbox.path("narrow.skops"))
    models = [sandbox.path("model.skops"), sandbox.path("narrow.skops")]
    sentence = refused(sandbox, method="minimal-cost", model=models)
    assert "narrow.skops'" in sentence
    assert "reads 2 inputs" in sentence


def test_out_must_not_overwrite_any_of_the_models(sandbox: Any, forest: Path) -> None:
    sandbox.path("model.csv").write_bytes(forest.read_bytes())
    models = [forest, sandbox.path("model.csv")]
    assert "would overwrite" in refused(sandbox, model=models, out=sandbox.path("model.csv"))


@pytest.mark.parametrize("changes", [{"alternatives": 0}, {"boxes": 0}, {"model": None}], ids=str)
def test_misused_options_exit_with_2(sandbox: Any, changes: dict[str, Any]) -> None:
    result = sandbox.recommend(method="minimal-cost", **changes)
    assert result.exit_code == 2
    assert "Usage: " in result.stderr


def test_what_stays_is_named_on_the_command_line_or_in_a_column(sandbox: Any) -> None:
    people = pd.read_csv(sandbox.path("people.csv"))
    assert sandbox.recommend(method="minimal-cost", keep="income, age").exit_code == 0
    written = sf.Recommendations.read(sandbox.path("advice.csv"))
    assert set(written.changes()["feature"]) == {"debt"}
    assert sandbox.recommend(method="minimal-cost", only=["debt"]).exit_code == 0
    same_advice(sf.Recommendations.read(sandbox.path("advice.csv")), written)
    people["cannot_change"] = ["income; age" if i % 2 else "" for i in range(len(people))]
    people.to_csv(sandbox.path("people.csv"), index=False)
    result = sandbox.recommend(method="minimal-cost", keep_column="cannot_change")
    assert result.exit_code == 0, result.output
    each = sf.Recommendations.read(sandbox.path("advice.csv"))
    assert each.outcome[1::2].tolist() == written.outcome[1::2].tolist()
    assert each.results["kept_inputs"].map(len).tolist() == [0, 1] * (
        len(people) // 2
    )  # age is immutable
    for options, sentence in (
        ({"keep": "wealth"}, "keep names 'wealth', which is not an input"),
        ({"keep_column": "wealth"}, "people.csv' has no such column beside the inputs"),
        ({"keep": "debt", "only": "age"}, "give one of --keep, --keep-column and --only"),
    ):
        refused = sandbox.recommend(
            method="minimal-cost", drop=["label", "cannot_change"], **options
        )
        assert refused.exit_code == 2
        assert sentence in " ".join(refused.output.split())


def test_ways_may_be_chosen_by_the_number_of_changes(sandbox: Any) -> None:
    result = sandbox.recommend(method="minimal-cost", alternatives=3, alternatives_by="changes")
    assert result.exit_code == 0, result.output
    schema, q, (score,), people = library(sandbox, "model.skops")
    best = sf.MinimalCost(schema, q, alternatives=3, alternatives_by="changes")
    written = sf.Recommendations.read(sandbox.path("advice.csv"))
    expected = sf.recommend(best, score, people)
    pd.testing.assert_frame_equal(written.alternatives, expected.alternatives)
    result = sandbox.recommend(method="growing-spheres", alternatives_by="changes")
    assert "--alternatives-by goes with --method minimal-cost" in sandbox.sentence(result)


def test_support_that_is_another_model_is_called_so(sandbox: Any, forest: Path) -> None:
    sentence = refused(sandbox, method="minimal-cost", support=forest)
    assert "RandomForestClassifier does not say how usual a person is" in sentence
    assert "give a fitted IsolationForest" in sentence
