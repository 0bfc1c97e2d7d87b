"""The twin's models are what their recipe fits, and the code that the page offers does the same."""

import json
import time
from importlib.resources import files

import pytest

from standfast.scores import TreeEnsemble
from standfast.workbench import exports, person, twin
from standfast.workbench.service import Service


@pytest.fixture(scope="module")
def service() -> Service:
    made = twin.twin_service()
    made.answered()
    return made


@pytest.fixture(scope="module")
def fitted() -> dict[str, object]:
    space: dict[str, object] = {}
    exec(compile(twin.RECIPE, "recipe.py", "exec"), space)
    return space


def refused(service: Service) -> int:
    people = person.world_facts(service)["people"]
    return next(k for k, one in enumerate(people) if one["refused"])


def assert_alike(one: object, other: object) -> None:
    """The last bits of fitted weights are those of the machine's linear algebra."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_alike(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            assert_alike(mine, theirs)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-9, abs=0.0)
    else:
        assert one == other


def test_the_models_in_the_package_are_those_of_the_recipe(service, fitted):
    members = service.world.members
    assert [one.name for one in members] == list(fitted["models"])
    for member, score in zip(members, fitted["models"].values(), strict=True):
        if isinstance(score, TreeEnsemble):
            assert member.score.digest == score.digest
        estimator = fitted["estimators"][member.name]
        test = fitted["test"]
        assert member.risk == (estimator.predict(test.table) != test.labels).mean()


def test_the_models_in_the_package_are_kept_as_the_script_writes_them(fitted, service):
    risks = [one.risk for one in service.world.members]
    kept = (files("standfast.workbench") / twin.FILE).read_text(encoding="utf-8")
    assert_alike(json.loads(twin.written(fitted["models"], risks)), json.loads(kept))


def test_the_fitted_models_accept_whom_the_kept_ones_accept(service, fitted):
    X, _ = service.world.rows
    for member in service.world.members:
        own = fitted["models"][member.name].accepts(X)
        assert (member.score.accepts(X) == own).all()


def test_the_code_of_lasting_advice_runs_and_gives_the_same_advice(service):
    body = {"person": refused(service), "method": "lasting", "validity": 0.8}
    while service.state == "preparing":
        time.sleep(0.05)
    shown = person.advise(service, body)
    space: dict[str, object] = {}
    exec(compile(exports.code(service, body), "advice.py", "exec"), space)
    assert shown["found"]
    assert space["advice"].sentences().item() == shown["sentence"]
    assert space["advice"].matrices()[1][0].tolist() == shown["values"]
