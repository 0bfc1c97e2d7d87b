"""Damaged files of boosted trees are refused with a sentence: their libraries would crash."""

import json
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from samples.damages import damaged, outcomes, resized

from standfast.errors import InputError
from standfast.readers.files import load_model, save_model
from standfast.readers.lightgbm_text import checked_text
from standfast.readers.xgboost_document import checked_json, checked_ubj

rng = np.random.default_rng(0)
X = rng.random((300, 3))
Y = (X[:, 0] + X[:, 1] > 1).astype(int)
THREE = np.arange(300) % 3
FEW = (X * 5).astype(int)
TABLE = pd.DataFrame(X, columns=["income", "ü=1", "debt"]).assign(
    job=pd.Categorical(rng.choice(["cook", "nurse", "clerk"], 300)),
    floor=pd.Categorical(rng.choice([5, 7, 8], 300)),
)
SMALL = {"n_estimators": 3, "num_leaves": 5, "verbose": -1, "n_jobs": 1}
SHALLOW = {"n_estimators": 3, "max_depth": 3, "n_jobs": 1}


def light(**settings: Any) -> Any:
    return lightgbm.LGBMClassifier(**SMALL, **settings)


def extreme(**settings: Any) -> Any:
    return xgboost.XGBClassifier(**{**SHALLOW, **settings})


LIGHT = {
    "plain": (light(), X, Y),
    "categories": (light(), TABLE, Y),
    "linear trees": (light(linear_tree=True), X, Y),
    "linear trees and categories": (light(linear_tree=True), TABLE, Y),
    "forest": (light(boosting_type="rf", subsample=0.5, subsample_freq=1), X, Y),
    "dropout": (light(boosting_type="dart"), X, Y),
    "monotone": (light(monotone_constraints=[1, 0, 0]), X, Y),
    "no split": (light(), X[:5], Y[:5]),
    "three classes": (light(), X, THREE),
    "one against all": (light(objective="multiclassova"), X, THREE),
    "cross entropy": (light(objective="cross_entropy"), X, Y),
}
EXTREME = {
    "plain": (extreme(), X, Y),
    "categories": (extreme(enable_categorical=True), TABLE, Y),
    "codes": (
        extreme(enable_categorical=True, feature_types=["c", "q", "c"], max_cat_to_onehot=1),
        FEW,
        Y,
    ),
    "dropout": (extreme(booster="dart", rate_drop=0.5), X, Y),
    "linear": (xgboost.XGBClassifier(n_estimators=3, booster="gblinear", n_jobs=1), X, Y),
    "forests": (extreme(num_parallel_tree=3), X, Y),
    "three classes": (extreme(), X, THREE),
    "pruned": (extreme(tree_method="exact", gamma=2.0, max_depth=8, n_estimators=20), X, Y),
    "raw": (extreme(objective="binary:logitraw", base_score=0.3), X, Y),
    "no split": (extreme(max_depth=1, min_child_weight=1e3), X, Y),
}


@pytest.mark.parametrize("kind", LIGHT)
def test_every_model_lightgbm_writes_passes_unchanged(kind: str, tmp_path: Path) -> None:
    model, table, labels = LIGHT[kind]
    booster = model.fit(table, labels).booster_
    booster.save_model(tmp_path / "model.txt")
    written = (tmp_path / "model.txt").read_bytes()
    text = checked_text(written)
    assert text.partition("end of trees")[0] == written.decode().partition("end of trees")[0]
    back = lightgbm.Booster(model_str=text)
    assert np.array_equal(back.predict(table), booster.predict(table))
    assert back.pandas_categorical == booster.pandas_categorical


@pytest.mark.parametrize("kind", EXTREME)
def test_every_model_xgboost_writes_passes_unchanged(kind: str, tmp_path: Path) -> None:
    model, table, labels = EXTREME[kind]
    model.fit(table, labels)
    for ending, check in (("json", checked_json), ("ubj", checked_ubj)):
        model.save_model(tmp_path / f"model.{ending}")
        back = xgboost.XGBClassifier()
        back.load_model(bytearray(check((tmp_path / f"model.{ending}").read_bytes())))
        assert np.array_equal(back.predict_proba(table), model.predict_proba(table))


def test_the_best_round_of_early_stopping_comes_back(tmp_path: Path) -> None:
    model = xgboost.XGBClassifier(n_estimators=60, early_stopping_rounds=2, n_jobs=1)
    noise = rng.random(300) > 0.5
    model.fit(X, Y, eval_set=[(X, noise)], verbose=False)
    for name in ("model.json", "model.ubj"):
        save_model(model, tmp_path / name)
        back = load_model(tmp_path / name)
        assert back.best_iteration == model.best_iteration
        assert np.array_equal(back.predict_proba(X), model.predict_proba(X))


def test_no_damage_brings_the_process_down(tmp_path: Path) -> None:
    whole, files = [], []
    kinds = [(LIGHT[k], "txt", 80) for k in ("plain", "categories", "linear trees")]
    kinds += [
        (EXTREME[k], e, 30) for k in ("plain", "categories", "dropout") for e in ("json", "ubj")
    ]
    for seed, ((model, table, labels), ending, count) in enumerate(kinds):
        model.fit(table, labels)
        whole.append(tmp_path / f"whole {seed}.{ending}")
        getattr(model, "booster_", model).save_model(whole[-1])
        for k, data in enumerate(damaged(whole[-1].read_bytes(), count, seed)):
            files.append(tmp_path / f"damaged {seed} {k}.{ending}")
            files[-1].write_bytes(resized(data) if ending == "txt" and k % 12 > 5 else data)
    found = outcomes([*whole, *files])
    assert found["crashed"] == []
    assert set(whole) <= set(found["read"])
    assert len(found["refused"]) > len(files) / 2


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("left_child=", "left_child=7 ", "tree 0 has"),
        ("num_leaves=", "num_leaves=9", "numbers in"),
        ("max_feature_idx=2", "max_feature_idx=9", "the header says 10 inputs"),
        ("num_class=1", "num_class=2", "for 2 classes"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=0", "out of range"),
        ("sigmoid:1", "sigmoid:-1", "the objective is"),
        ("\nfeature_infos=[", "\nfeature_infos=]", "the range of an input cannot be read"),
        ("\nshrinkage=1\n", "\nshrinkage=2\n\n", "bytes, but the header says"),
        ("\nshrinkage=1\n", "\nshrinkage=1\nshrinkage=1\n", "says 'shrinkage' twice"),
        ("\nis_linear=0", "\nis_lonely=0", "the unknown line 'is_lonely=0'"),
        ("version=v4\n", "version=v4\r\n", "line ends"),
        ("pandas_categorical:null", "pandas_categorical:[1", "list of categories"),
        ("feature_infos=", "feature_infos=\xa0", "not UTF-8"),
    ],
)
def test_lightgbm_s_text_says_what_is_wrong_with_it(
    old: str, new: str, shown: str, tmp_path: Path
) -> None:
    file = tmp_path / "model.txt"
    light().fit(X, Y).booster_.save_model(file)
    text = file.read_text()
    assert old in text
    file.write_bytes(text.replace(old, new, 1).encode("latin-1"))
    with pytest.raises(InputError, match=r"is not a LightGBM model, or .* damaged") as caught:
        load_model(file)
    assert shown in str(caught.value)
    assert "save it again with booster.save_model(path)" in str(caught.value)


def test_lightgbm_s_trees_that_loop_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.txt"
    light().fit(X, Y).booster_.save_model(file)
    lines = file.read_text().split("\n")
    row = next(k for k, line in enumerate(lines) if line.startswith("left_child="))
    children = lines[row].removeprefix("left_child=").split(" ")
    children[next(k for k, child in enumerate(children) if child[0] != "-")] = "0"
    lines[row] = "left_child=" + " ".join(children)
    file.write_text("\n".join(lines))
    with pytest.raises(InputError, match="nodes that point nowhere"):
        load_model(file)


def deep(document: Any, *path: Any) -> Any:
    for step in path:
        document = document[step]
    return document


TREE = ("learner", "gradient_booster", "model", "trees", 0)


@pytest.mark.parametrize(
    ("path", "value", "shown"),
    [
        ((*TREE, "left_children", 0), 10**6, "nodes that point nowhere"),
        ((*TREE, "left_children", 0), 0, "nodes that point nowhere"),
        ((*TREE, "right_children", 0), 1, "nodes that point nowhere"),
        ((*TREE, "split_indices", 0), 3, "reads inputs that do not exist"),
        ((*TREE, "split_conditions", 0), float("nan"), "not numbers"),
        ((*TREE, "left_children", 0), 1.5, "whole numbers in 'left_children'"),
        ((*TREE, "left_children", 0), 2**70, "out of range"),
        ((*TREE, "tree_param", "num_nodes"), "99", "says 99 nodes"),
        ((*TREE, "tree_param", "num_feature"), "4", "another number of inputs"),
        ((*TREE[:3], "tree_info", 0), 1, "out of range"),
        ((*TREE[:3], "gbtree_model_param", "num_trees"), "2", "says 2"),
        ((*TREE[:3], "gbtree_model_param", "num_parallel_tree"), "0", "'num_parallel_tree' is '0'"),
        (("learner", "learner_model_param", "base_score"), "[nan]", "base score"),
        (("learner", "learner_model_param", "num_feature"), "99999999999", "'num_feature' is"),
        (("learner", "feature_names"), ["a"], "not as many in 'feature_names'"),
        (("learner", "attributes", "best_iteration"), "77", "none of its rounds"),
        (("learner", "gradient_booster", "name"), "grove", "its kind is 'grove'"),
        (("version",), [1], "version"),
    ],
)
def test_xgboost_s_document_says_what_is_wrong_with_it(
    path: tuple[Any, ...], value: Any, shown: str, tmp_path: Path
) -> None:
    file = tmp_path / "model.json"
    extreme().fit(X, Y).save_model(file)
    document = json.loads(file.read_bytes())
    deep(document, *path[:-1])[path[-1]] = value
    file.write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"is not an XGBoost model, or .* damaged") as caught:
        load_model(file)
    assert shown in str(caught.value)


def test_a_name_that_stands_twice_in_xgboost_s_json_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    extreme().fit(X, Y).save_model(file)
    file.write_text(file.read_text().replace('"parents":', '"parents":[],"parents":', 1))
    with pytest.raises(InputError, match="twice"):
        load_model(file)
