"""Models nobody has seen, on the command line: draw them, search with them, certify by them."""

import shlex
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from typer.testing import Result

import standfast as sf

INPUTS = ["income", "debt", "age"]
SIZES = {"search": 6, "choose": 6, "certify": 9}


@pytest.fixture
def tree(sandbox: Any) -> DecisionTreeClassifier:
    train = pd.read_csv(sandbox.path("train.csv"))
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(train[INPUTS], train["label"])
    sf.save_model(model, sandbox.path("tree.skops"))
    return model


@pytest.fixture(scope="module")
def drawn(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the command would make it, made once."""
    folder = tmp_path_factory.mktemp("drawn")
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    ours(filled, tree).save(folder / "fresh")
    return folder / "fresh"


@pytest.fixture
def equipped(sandbox: Any, tree: Any, drawn: Path) -> Any:
    """A sandbox with a tree and its fresh models."""
    shutil.copytree(drawn, sandbox.path("fresh"))
    return sandbox


def draw(
    sandbox: Any,
    *more: object,
    model: str = "tree.skops",
    favourable: object = 1,
    varied: str = "max_depth",
    out: str = "fresh",
) -> Result:
    sizes = [word for name, size in SIZES.items() for word in (f"--{name}", size)]
    result: Result = sandbox.run(
        *("fresh", "draw", sandbox.path("train.csv"), "--schema", sandbox.path("schema.toml")),
        *("--label", "label", "--favourable", favourable, "--model", sandbox.path(model)),
        *("--vary", f"{varied}=3,4,5", *sizes, "--epsilon", 0.1, *more, "--out", sandbox.path(out)),
    )
    return result


def advise(sandbox: Any, **changes: Any) -> Result:
    given = {
        "method": "invariant",
        "model": sandbox.path("tree.skops"),
        "fresh": sandbox.path("fresh"),
    }
    result: Result = sandbox.recommend(**(given | changes))
    return result


def ours(folder: Path, estimator: Any, **more: Any) -> sf.FreshModels:
    table = pd.read_csv(folder / "train.csv")
    schema = sf.Schema.read(folder / "schema.toml")
    data = sf.datasets.Dataset(table[INPUTS], table["label"], schema, "train")
    usual = {"draws": {"max_depth": [3, 4, 5]}, "sizes": SIZES, "epsilon": 0.1}
    return sf.fresh_models(estimator, data, **(usual | more))


def test_the_command_line_draws_what_the_library_draws(sandbox: Any, tree: Any) -> None:
    result = draw(sandbox, "--seed", 3, "--risk", "balanced-error")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    found = sf.FreshModels.load(sandbox.path("fresh"))
    unfitted = DecisionTreeClassifier(max_depth=4, random_state=0)
    assert (
        found.digest
        == ours(
            sandbox.folder, unfitted, seed=3, epsilon=sf.Tolerance(0.1, "balanced_error")
        ).digest
    )
    assert found.summary in result.stdout
    assert "FreshModels" not in result.stdout
    assert "balanced error: " in result.stdout
    assert f"written to {sandbox.path('fresh')}" in result.stdout
    assert (sandbox.path("fresh") / "draws.csv").exists()


def test_a_column_of_labels_is_named_as_in_other_commands(sandbox: Any, tree: Any) -> None:
    plain = ours(sandbox.folder, DecisionTreeClassifier(max_depth=4, random_state=0))
    train = pd.read_csv(sandbox.path("train.csv"))
    train.assign(customer=[f"K{i}" for i in range(len(train))]).to_csv(
        sandbox.path("train.csv"), index=False
    )
    assert "'customer', which the schema does not know" in sandbox.sentence(draw(sandbox))
    assert draw(sandbox, "--index", "customer").exit_code == 0
    assert sf.FreshModels.load(sandbox.path("fresh")).digest == plain.digest
    assert "--index income: this is an input" in sandbox.sentence(
        draw(sandbox, "--index", "income", out="other")
    )


def test_a_grid_search_is_drawn_as_its_best_estimator(sandbox: Any, tree: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    choice = GridSearchCV(DecisionTreeClassifier(random_state=0), {"min_samples_leaf": [5]})
    sf.save_model(choice.fit(train[INPUTS], train["label"]), sandbox.path("choice.skops"))
    assert draw(sandbox, model="choice.skops").exit_code == 0
    leaf = DecisionTreeClassifier(random_state=0, min_samples_leaf=5)
    assert sf.FreshModels.load(sandbox.path("fresh")).digest == ours(sandbox.folder, leaf).digest


def test_classes_named_in_settings_are_the_labels_a_draw_is_fitted_on(sandbox: Any) -> None:
    def thresholded(favourable: object, other: object) -> FixedThresholdClassifier:
        weights = {favourable: 2, other: 1}
        tree = DecisionTreeClassifier(max_depth=4, random_state=0, class_weight=weights)
        return FixedThresholdClassifier(tree, threshold=0.4, pos_label=favourable)

    depths = {"estimator__max_depth": [3, 4, 5]}
    numbered = ours(sandbox.folder, thresholded(1, 0), draws=depths)
    train = pd.read_csv(sandbox.path("train.csv"))
    words = train["label"].map({1: "good", -1: "bad"})
    model = thresholded("good", "bad").fit(train[INPUTS], words)
    sf.save_model(model, sandbox.path("words.skops"))
    train.assign(label=words).to_csv(sandbox.path("train.csv"), index=False)
    result = draw(sandbox, model="words.skops", favourable="good", varied="estimator__max_depth")
    assert result.exit_code == 0, result.output
    assert sf.FreshModels.load(sandbox.path("fresh")).digest == numbered.digest


def test_advice_and_certificates_are_the_library_s(equipped: Any, tree: Any) -> None:
    sandbox = equipped
    result = advise(sandbox, validity=0.7)
    assert result.exit_code == 0, result.output
    fresh = sf.FreshModels.load(sandbox.path("fresh"))
    train = pd.read_csv(sandbox.path("train.csv"))[INPUTS]
    people = pd.read_csv(sandbox.path("people.csv"))
    method = sf.Invariant(
        fresh.schema,
        sf.Percentiles.fit(train),
        search=fresh.search,
        choose=fresh.choose,
        validity=0.7,
    )
    expected = sf.recommend(method, sf.as_score(tree, fresh.schema, favourable=1), people)
    recs = sf.Recommendations.read(sandbox.path("advice.csv"))
    pd.testing.assert_frame_equal(recs.counterfactual, expected.counterfactual)
    assert recs.explanations().tolist() == expected.explanations().tolist()
    advice, drawn = sandbox.path("advice.csv"), sandbox.path("fresh")
    shown = f"certify it: standfast certify {advice} --fresh {drawn}"
    assert shown in result.stdout
    assert "of the 6 choosing models accept this advice; the target of 70 % asks" in result.stdout
    assert expected.shortfall is not None
    assert expected.shortfall.sentence in result.stdout
    assert recs.shortfall == expected.shortfall
    assert "proven" not in result.stdout.lower().replace("proven cheapest", "")

    out = sandbox.path("certificate.parquet")
    options = ["--fresh", sandbox.path("fresh"), "--tau", 0.8, "--confidence", 0.9, "--out", out]
    certified = sandbox.run("certify", sandbox.path("advice.csv"), *options)
    assert certified.exit_code == 0, certified.output
    found = sf.certify(expected, fresh.certify, 0.9, tau=0.8)
    assert found.sentence in certified.stdout
    written = pd.read_parquet(out)
    assert written["sentence"].tolist() == found.to_frame()["sentence"].tolist()
    weakest = found.people["lower"].idxmin()
    assert f"{weakest}: {found.sentences()[weakest]}" in certified.stdout
    many = int((found.people["lower"] >= 0.8).sum())
    assert f"{many} of {found.n} promises are certified at 80 % or more" in certified.stdout


def test_the_command_that_is_printed_runs_as_it_is(equipped: Any, tree: Any) -> None:
    sandbox = equipped
    folder = sandbox.path("my fresh models")
    sandbox.path("fresh").rename(folder)
    out = sandbox.path("her advice.csv")
    trusted = ["some.Type", "other.Type"]
    result = advise(sandbox, fresh=folder, out=out, trust=trusted)
    assert result.exit_code == 0, result.output
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("certify it: ")]
    words = shlex.split(line.removeprefix("certify it: "))
    assert words[0] == "standfast"
    assert [words[i + 1] for i, word in enumerate(words) if word == "--trust"] == trusted
    certified = sandbox.run(*words[1:])
    assert certified.exit_code == 0, certified.output


def test_a_missed_target_is_counted_and_told_person_by_person(equipped: Any) -> None:
    sandbox = equipped
    text = sandbox.path("schema.toml").read_text()
    text = text.replace("step = 10\n", "step = 10\nlower = 1000\nupper = 3200\n")
    sandbox.path("schema.toml").write_text(text.replace("step = 0.01", "step = 0.01\nlower = 0.4"))
    result = advise(sandbox, validity=0.99)
    assert result.exit_code == 0, result.output
    frame = sf.Recommendations.read(sandbox.path("advice.csv")).to_frame()
    asked = "The target of 99 % asks for all 6 choosing models: 5.94, and one standard error (0.24)"
    missed = frame["remark"].str.contains(asked, regex=False)
    assert missed.sum() > 0
    assert (missed == (frame["accepted_by"] < 6).fillna(False)).all()
    advised = frame["outcome"].isin(["found", "minimal"]).sum()
    counted = f"The target of 99 % is missed for {missed.sum()} of {advised} people, as counted by"
    assert counted in result.stdout
    assert "accept the advice of an estimated" in result.stdout


def test_a_breach_cost_and_several_folders_can_be_given(equipped: Any) -> None:
    sandbox = equipped
    assert draw(sandbox, "--seed", 1, out="more").exit_code == 0
    folders = [sandbox.path("fresh"), sandbox.path("more")]
    result = advise(sandbox, fresh=folders, breach_cost=0.5)
    assert result.exit_code == 0, result.output
    about = sf.Recommendations.read(sandbox.path("advice.csv")).provenance
    assert about.settings["breach_cost"] == 0.5
    used = [d for folder in folders for d in sf.FreshModels.load(folder).search.digests]
    assert [model.digest for model in about.role("search")] == used


def test_models_that_were_searched_with_cannot_certify(equipped: Any) -> None:
    sandbox = equipped
    fresh = sf.FreshModels.load(sandbox.path("fresh"))
    swapped = sf.FreshModels(
        *(sf.Part("search"), sf.Part("choose")),
        sf.Part("certify", fresh.search),
        fresh.epsilon,
        fresh.draws,
        fresh.schema,
        fresh.provenance,
    )
    swapped.save(sandbox.path("swapped"))
    assert advise(sandbox).exit_code == 0
    refused = sandbox.run("certify", sandbox.path("advice.csv"), "--fresh", sandbox.path("swapped"))
    assert "the search or the choice has used these models" in sandbox.sentence(refused)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fresh": None}, "draw them with 'standfast fresh draw'"),
        ({"validity": 0.9, "breach_cost": 1}, "give one of them"),
        ({"validity": 90}, "--validity is 90.0; it must lie between 0 and 1"),
        ({"breach_cost": -1}, "--breach-cost is -1.0; it must be 0 or a positive number"),
        ({"method": "minimal-cost"}, "--fresh goes with --method invariant, not with minimal-cost"),
        ({"method": "minimal-cost", "fresh": None, "validity": 0.9}, "--validity goes with"),
        ({"boxes": 10}, "--boxes goes with minimal-cost and actionable-recourse"),
        ({"fresh": "gone"}, "gone"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    equipped: Any, changes: dict[str, Any], words: str
) -> None:
    before = equipped.listing()
    assert words in equipped.sentence(advise(equipped, **changes))
    assert equipped.listing() == before


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--vary", "depth=3"], "the model has no setting 'depth'; it has"),
        (["--vary", "max_depth"], "--vary max_depth: name a setting and its values"),
        (["--vary", "max_depth="], "such as --vary max_depth=4,5,6"),
        (["--vary", "max_depth=6"], "--vary max_depth is given twice; list all its values at once"),
        (["--vary", "min_samples_leaf=deep"], "The 'min_samples_leaf' parameter must be an int"),
        (["--label", "income"], "--label income: this is an input of the schema"),
        (["--favourable", "7"], "--favourable 7: the column 'label'"),
        (["--epsilon", "-1"], "epsilon"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(
    sandbox: Any, tree: Any, more: list[str], words: str
) -> None:
    before = sandbox.listing()
    assert words in sandbox.sentence(draw(sandbox, *more))
    assert sandbox.listing() == before


def test_a_folder_that_exists_and_a_file_without_settings_are_refused(
    sandbox: Any, tree: Any
) -> None:
    sandbox.path("fresh").mkdir()
    (sandbox.path("fresh") / "mine.txt").write_text("kept")
    assert "fresh" in sandbox.sentence(draw(sandbox))
    Path(sandbox.path("booster.json")).write_text("{}")
    shown = sandbox.sentence(draw(sandbox, model="booster.json", out="other"))
    assert "without the settings to fit it again" in shown


def test_certificates_do_not_overwrite_the_advice_and_other_files_are_told(equipped: Any) -> None:
    assert equipped.recommend(method="growing-spheres").exit_code == 0
    before = equipped.listing()
    advice, fresh = equipped.path("advice.csv"), equipped.path("fresh")
    rival = ("--model", equipped.path("tree.skops"), "--favourable", 1)
    for command, options in (("certify", ("--fresh", fresh)), ("transfer", rival)):
        result = equipped.run(command, advice, *options, "--out", advice)
        assert "which is read; choose another" in equipped.sentence(result)
    shown = equipped.sentence(draw(equipped, model="train.csv", out="other"))
    assert "does not say which kind of model it is" in shown
    shown = equipped.sentence(equipped.run("certify", advice, "--fresh", fresh, "--tau", 3))
    assert "tau is 3.0" in shown
    assert equipped.listing() == before


def test_a_part_that_is_empty_is_told(equipped: Any) -> None:
    fresh = sf.FreshModels.load(equipped.path("fresh"))
    about = fresh.epsilon, fresh.draws, fresh.schema, fresh.provenance
    full = {part.name: part for part in (fresh.search, fresh.choose, fresh.certify)}
    for name in ("search", "certify"):
        parts = (full | {name: sf.Part(name)}).values()
        sf.FreshModels(*parts, *about).save(equipped.path(f"no {name}"))
    assert advise(equipped).exit_code == 0
    advice, empty = equipped.path("advice.csv"), equipped.path("no certify")
    shown = equipped.sentence(equipped.run("certify", advice, "--fresh", empty))
    assert "there is no model to certify with" in shown
    assert "--certify 59" in shown
    assert "fresh_models" not in shown
    shown = equipped.sentence(advise(equipped, fresh=equipped.path("no search")))
    assert "there are no models to search with; draw some: standfast fresh draw … --sea" in shown


def test_fresh_models_of_other_inputs_are_refused(equipped: Any) -> None:
    sandbox = equipped
    assert sandbox.recommend(method="growing-spheres").exit_code == 0
    twin = sf.datasets.twin("heloc", n=300, seed=0)
    model, sizes = DecisionTreeClassifier(max_depth=2), SIZES | {"certify": 2}
    other = sf.fresh_models(model, twin, draws={}, sizes=sizes, epsilon=0.3)
    other.save(sandbox.path("other"))
    result = sandbox.run("certify", sandbox.path("advice.csv"), "--fresh", sandbox.path("other"))
    words = "its models read other inputs than these people have; draw it again with the same"
    assert words in sandbox.sentence(result)
    assert words in sandbox.sentence(advise(sandbox, fresh=sandbox.path("other")))


def test_a_threshold_that_the_fresh_models_do_not_have_is_said(equipped: Any) -> None:
    said = advise(equipped, threshold=0.4).stderr
    assert "warning: --threshold 0.4 holds for --model alone; the fresh models accept above" in said
    assert "FixedThresholdClassifier" in said
    assert "threshold" not in advise(equipped, threshold=0.5).stderr


def test_a_wrong_folder_is_named_with_its_option_and_what_to_do(equipped: Any) -> None:
    sandbox = equipped
    assert sandbox.recommend(method="growing-spheres").exit_code == 0
    built = sandbox.run(
        *("level-set", "build", sandbox.path("train.csv"), "--schema", sandbox.path("schema.toml")),
        *("--label", "label", "--favourable", 1, "--reference", sandbox.path("model.skops")),
        *("--grid", "linear", "--epsilon", 0.2, "--out", sandbox.path("set")),
    )
    assert built.exit_code == 0, built.output
    sandbox.path("empty").mkdir()
    advice = sandbox.path("advice.csv")
    ways = {
        "--fresh": (
            "standfast fresh draw",
            [
                lambda path: advise(sandbox, fresh=path),
                lambda path: sandbox.run("certify", advice, "--fresh", path),
            ],
            ("set", "holds a level set, not fresh models"),
        ),
        "--level-set": (
            "standfast level-set build",
            [lambda path: sandbox.run("transfer", advice, "--level-set", path)],
            ("fresh", "holds fresh models, not a level set"),
        ),
    }
    for option, (maker, calls, (other, held)) in ways.items():
        for call in calls:
            for name, what in (
                ("gone", "there is no such folder"),
                ("train.csv", "this is a file, not a folder"),
                ("empty", "this folder holds no models (there is no models.json in it)"),
            ):
                path = sandbox.path(name)
                said = f"error: {option} '{path}': {what}; name a folder that '{maker}' wrote"
                assert sandbox.sentence(call(path)).strip() == said
            shown = sandbox.sentence(call(sandbox.path(other)))
            assert shown.startswith(
                f"error: {option}: '{sandbox.path(other)}' {held}; name a folder"
            )
