import math
import os
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

import standfast as sf
from standfast.readers.files import load_model, save_model

INPUTS = ["income", "debt", "age"]


def same_advice(a: sf.Recommendations, b: sf.Recommendations) -> None:
    pd.testing.assert_frame_equal(
        a.to_frame().drop(columns="seconds"), b.to_frame().drop(columns="seconds")
    )


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_command_line_gives_the_library_s_answer(sandbox: Any, ending: str) -> None:
    out = sandbox.path(f"advice.{ending}")
    result = sandbox.recommend(out=out, seed=7)
    assert result.exit_code == 0, result.output
    schema = sf.Schema.read(sandbox.path("schema.toml"))
    train, people = (pd.read_csv(sandbox.path(f"{name}.csv")) for name in ("train", "people"))
    method = sf.GrowingSpheres(schema, sf.Percentiles.fit(train[INPUTS]))
    model = sf.as_score(load_model(sandbox.path("model.skops")), schema, favourable=1)
    same_advice(sf.Recommendations.read(out), sf.recommend(method, model, people, seed=7))


def test_the_summary_counts_outcomes_and_names_the_file(sandbox: Any) -> None:
    result = sandbox.recommend()
    advice = sf.Recommendations.read(sandbox.path("advice.csv"))
    found = int(advice.found.sum())
    assert found > 5
    assert result.stderr == ""  # no terminal, no bar
    assert re.search(rf"{found} found +Accepted", result.stdout)
    paid = advice.cost[advice.found]
    assert f"median {paid.median():.4g}, mean {paid.mean():.4g} (n = {found})" in result.stdout
    person = advice.index[advice.found][0]
    assert f"{person}: {advice.sentences()[person]}" in result.stdout
    assert f"… and {found - 5} more" in result.stdout
    assert f"written to {sandbox.path('advice.csv')}" in result.stdout


def test_what_is_missing_or_unknown_about_a_person_concerns_nobody_else(sandbox: Any) -> None:
    assert sandbox.recommend().exit_code == 0
    before = sf.Recommendations.read(sandbox.path("advice.csv"))
    people = pd.read_csv(sandbox.path("people.csv"))
    people.loc[1, "age"] = np.nan
    people.to_csv(sandbox.path("people.csv"), index=False)
    result = sandbox.recommend()
    assert result.exit_code == 0, result.output
    after = sf.Recommendations.read(sandbox.path("advice.csv"))
    assert after.outcome[1] == "outside_schema"
    assert "Age is missing, which the schema does not provide for." in after.sentences()[1]
    others = [name for name in before.index if name != 1]
    assert after.sentences()[others].tolist() == before.sentences()[others].tolist()


def test_workers_do_not_change_the_answer(sandbox: Any) -> None:
    one, two = sandbox.path("one.parquet"), sandbox.path("two.parquet")
    assert sandbox.recommend(out=one, jobs=1).exit_code == 0
    assert sandbox.recommend(out=two, jobs=2).exit_code == 0
    same_advice(sf.Recommendations.read(one), sf.Recommendations.read(two))


def test_method_cost_and_threshold_reach_the_search(sandbox: Any) -> None:
    out = sandbox.path("advice.parquet")
    result = sandbox.recommend(
        out=out, method="growing-spheres-as-published", cost="max", threshold=0.7
    )
    assert result.exit_code == 0, result.output
    advice = sf.Recommendations.read(out)
    assert advice.provenance["settings"]["cost"] == "max"
    assert advice.provenance["settings"]["standardised"] is False
    points = advice.counterfactual[advice.found]
    assert (load_model(sandbox.path("model.skops")).predict_proba(points)[:, 1] > 0.7).all()


def test_a_published_search_says_at_every_row_that_the_schema_s_rules_are_left_aside(
    sandbox: Any,
) -> None:
    result = sandbox.recommend(method="growing-spheres-as-published")
    assert result.exit_code == 0, result.output
    shown = "Searched as published, without the schema's bounds, steps, directions and relations"
    written = pd.read_csv(sandbox.path("advice.csv"))
    advised = written["outcome"] == "found"
    assert advised.any()
    assert written["remark"][advised].str.startswith(shown).all()
    assert result.stdout.count(shown) == min(5, advised.sum())


def test_labels_of_people_keep_their_spelling(sandbox: Any) -> None:
    people = pd.read_csv(sandbox.path("people.csv"))
    people.insert(0, "id", [f"{k:04d}" for k in range(len(people))])
    people.to_csv(sandbox.path("people.csv"), index=False)
    assert sandbox.recommend(index="id").exit_code == 0
    written = pd.read_csv(sandbox.path("advice.csv"), dtype=str)
    assert written["id"].tolist() == people["id"].tolist()


def test_a_time_limit_leaves_people_exhausted_and_exits_with_0(sandbox: Any) -> None:
    result = sandbox.recommend(total_time=1e-9)
    assert result.exit_code == 0
    counts = sf.Recommendations.read(sandbox.path("advice.csv")).counts()
    assert counts["exhausted"] > 0
    assert "found" not in counts.index


def test_a_person_outside_the_schema_keeps_a_row_and_the_rest_is_served(sandbox: Any) -> None:
    people = pd.read_csv(sandbox.path("people.csv"))
    people.loc[3, "debt"] = -0.5
    people.to_csv(sandbox.path("people.csv"), index=False)
    assert sandbox.recommend().exit_code == 0
    advice = sf.Recommendations.read(sandbox.path("advice.csv"))
    assert advice.outcome[3] == "outside_schema"
    assert advice.counts()["outside_schema"] == 1
    assert "Debt is -0.5, below 0, the least value that is valid" in advice.sentences()[3]


def test_a_summary_of_a_twin_says_so(sandbox: Any) -> None:
    twin = sf.datasets.twin("heloc", 300, seed=0)
    inputs, people = twin.table, sandbox.path("twin.parquet")
    sandbox.run("data", "twin", "heloc", "--rows", 300, "--out", people)
    sandbox.run("data", "schema", "heloc", "--out", sandbox.path("heloc.toml"))
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(inputs, twin.labels)
    save_model(forest, sandbox.path("forest.skops"))
    result = sandbox.recommend(
        schema=sandbox.path("heloc.toml"),
        table=people,
        people=people,
        model=sandbox.path("forest.skops"),
    )
    assert result.exit_code == 0, result.output
    assert "people: twin of heloc, n=300, seed=0" in result.stdout
    assert "reference table: twin of heloc, n=300, seed=0" in result.stdout


@pytest.mark.parametrize(
    ("classes", "written"),
    [((0, 1), "1"), ((-1.0, 2.0), "2"), (("Bad", "Good"), "Good"), ((False, True), "True")],
)
def test_the_favourable_class_is_found_as_the_model_spells_it(
    sandbox: Any, classes: tuple[object, object], written: str
) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    labels = np.where(train["label"] == 1, classes[1], classes[0])
    model = HistGradientBoostingClassifier(max_iter=5).fit(train[INPUTS], labels)
    save_model(model, sandbox.path("model.skops"))
    assert sandbox.recommend(favourable=written).exit_code == 0
    unlike = {"Good": "good", "True": "1"}.get(written, "yes")
    assert f"favourable is '{unlike}'" in sandbox.sentence(sandbox.recommend(favourable=unlike))


def test_models_of_the_boosting_libraries_load_by_their_own_formats(sandbox: Any) -> None:
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    train = pd.read_csv(sandbox.path("train.csv"))
    X, y = train[INPUTS], (train["label"] == 1).astype(int)
    models = {
        "x.ubj": xgboost.XGBClassifier(n_estimators=5).fit(X, y),
        "l.txt": lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X, y),
    }
    for name, model in models.items():
        save_model(model, sandbox.path(name))
        result = sandbox.recommend(model=sandbox.path(name))
        assert result.exit_code == 0, result.output
        assert "found" in result.stdout


def test_an_unknown_type_is_named_with_the_very_options_that_allow_it(sandbox: Any) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    save_model(
        KNeighborsClassifier(algorithm="kd_tree").fit(train[INPUTS], train["label"]),
        sandbox.path("model.skops"),
    )
    sentence = sandbox.sentence(sandbox.recommend())
    asked = re.findall(r"--trust (\S+)", sentence)
    assert "sklearn.neighbors._kd_tree.KDTree" in asked
    assert sandbox.recommend(trust=asked).exit_code == 0


def test_a_pickle_is_loaded_only_with_consent(sandbox: Any) -> None:
    model = load_model(sandbox.path("model.skops"))
    sandbox.path("model.pkl").write_bytes(pickle.dumps(model))
    sentence = sandbox.sentence(sandbox.recommend(model=sandbox.path("model.pkl")))
    assert "runs code from the file" in sentence
    assert "--trust pickle" in sentence
    assert sandbox.recommend(model=sandbox.path("model.pkl"), trust="pickle").exit_code == 0


def test_a_model_that_fails_when_asked_is_one_sentence_and_a_traceback_on_request(
    sandbox: Any,
) -> None:
    train = pd.read_csv(sandbox.path("train.csv"))
    model = make_pipeline(FunctionTransformer(np.log1p), LogisticRegression())
    model.fit(train[INPUTS], train["label"])
    model[0].func = math.sqrt  # takes no tables
    sandbox.path("model.pkl").write_bytes(pickle.dumps(model))
    given = {"model": sandbox.path("model.pkl"), "trust": "pickle"}
    before = sandbox.listing()
    assert "cannot answer for these rows" in sandbox.sentence(sandbox.recommend(**given))
    result = sandbox.run("--debug", "recommend", *sandbox.options(**given))
    assert isinstance(result.exception.__cause__, TypeError)
    assert sandbox.listing() == before


def test_a_reader_who_leaves_does_not_disturb_the_run(sandbox: Any) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        ran = sandbox.apart("recommend", *sandbox.options(), stdout=closed)
    # the first run on a machine announces that it compiles; nothing else is said
    said = [line for line in ran.stderr.splitlines() if "compiles its kernels" not in line]
    assert (ran.returncode, said) == (0, [])
    assert len(sf.Recommendations.read(sandbox.path("advice.csv"))) == 60


@pytest.mark.parametrize("folder", [False, True])
def test_a_category_is_what_the_schema_says_even_if_it_looks_like_a_gap_or_a_number(
    sandbox: Any, folder: bool
) -> None:
    schema = """
[features.home]
kind = "nominal"
categories = ["N/A", "own", "None"]
[features.zone]
kind = "ordinal"
categories = ["01", "02", "03"]
[features.debt]
kind = "count"
mutable = false
"""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "home": rng.choice(["N/A", "own", "None"], 200),
            "zone": rng.choice(["01", "02", "03"], 200),
            "debt": rng.integers(0, 9, 200),
        }
    )
    label = ((table.home == "N/A") | (table.zone == "03")).astype(int)
    codes = make_column_transformer((OneHotEncoder(), ["home", "zone"]), remainder="passthrough")
    model = make_pipeline(codes, LogisticRegression()).fit(table, label)
    save_model(model, sandbox.path("model.skops"))
    sandbox.path("schema.toml").write_text(schema)
    table.assign(label=label).to_csv(sandbox.path("train.csv"), index=False)
    table[model.predict(table) == 0].to_csv(sandbox.path("people.csv"), index=False)
    out = sandbox.path("advice" if folder else "advice.csv")
    result = sandbox.recommend(method="minimal-cost", out=out)
    assert result.exit_code == 0, result.output
    parts = sorted(out.glob("**/*.parquet")) if folder else []
    advice = pd.concat(map(pd.read_parquet, parts)) if folder else pd.read_csv(
        out, keep_default_na=False, dtype={"zone": str}
    )  # fmt: skip
    assert (advice.outcome == "minimal").all()
    assert model.predict(advice[["home", "zone", "debt"]]).all()
    assert set(advice.home) | set(advice.zone) >= {"N/A", "03"}


def test_a_run_that_advises_nobody_says_why_without_opening_the_file(sandbox: Any) -> None:
    people = pd.read_csv(sandbox.path("people.csv"))
    people["age"] = -3
    people.to_csv(sandbox.path("people.csv"), index=False)
    result = sandbox.recommend()
    assert result.exit_code == 0, result.output
    advice = sf.Recommendations.read(sandbox.path("advice.csv"))
    assert f"0: {advice.sentences()[0]}" in result.stdout
    assert f"… and {len(people) - 5} more" in result.stdout
