"""Does the person screen say what the library says?"""

from dataclasses import replace

import numpy as np
import pytest
from samples import workbench as sample

import standfast as sf
from standfast.errors import InputError
from standfast.workbench import person
from standfast.workbench import service as room
from standfast.workbench.models import validity
from standfast.workbench.question import asked
from standfast.workbench.service import Service


@pytest.fixture(scope="module")
def who():
    return sample.refused()


@pytest.fixture(scope="module")
def row(bench, who):
    return bench.world.people.iloc[[who]]


def test_the_advice_is_the_librarys(bench, who, row):
    shown = person.advise(bench, {"person": who, "method": "reference"})
    method = sf.MinimalCost(sample.SCHEMA, sample.percentiles())
    found = sf.recommend(method, sample.models()["forest"], row)
    assert shown["outcome"] == "minimal" == found.outcome.item()
    assert shown["sentence"] == found.sentences().item()
    assert shown["cost"] == found.cost.item()
    assert shown["values"] == found.matrices()[1][0].tolist()
    accepts = [bool(score.accepts(found.matrices()[1])[0]) for score in sample.models().values()]
    assert shown["verdicts"] == accepts
    assert (
        shown["region"]
        == sf.region(found, sample.models()["forest"], sample.percentiles()).sentences().item()
    )
    assert shown["certificate"] == sf.certify(found, bench.lasting.certify).sentences().item()


def test_advice_for_all_models_satisfies_them_all(bench, who):
    shown = person.advise(bench, {"person": who, "method": "all"})
    assert shown["verdicts"] == [True] * 3
    some = person.advise(bench, {"person": who, "method": "all", "members": [0, 1]})
    assert some["verdicts"][:2] == [True, True]
    assert some["cost"] <= shown["cost"]


def test_what_somebody_cannot_do_is_left_as_it_is(bench, who, row):
    free = person.advise(bench, {"person": who})
    X, _ = bench.world.rows
    moved = [j for j, value in enumerate(free["values"]) if value != X[who, j]]
    name = sample.SCHEMA.names[moved[0]]
    kept = person.advise(bench, {"person": who, "keep": [name]})
    assert kept["values"][moved[0]] == X[who, moved[0]]
    found = sf.recommend(
        sf.MinimalCost(sample.SCHEMA, sample.percentiles()),
        sample.models()["forest"],
        row,
        keep={name},
    )
    assert kept["sentence"] == found.sentences().item()
    assert kept["cost"] >= free["cost"]


@pytest.mark.parametrize("method", ["reference", "all", "lasting", "spheres", "later"])
def test_advice_goes_only_so_far(bench, who, method):
    X, _ = bench.world.rows
    own = float(X[who, 1])
    body = {
        "person": who,
        "method": method,
        "only": [{"input": "income", "lower": own, "upper": own + 100}],
    }
    shown = person.advise(bench, body)
    if shown["found"]:
        assert own <= shown["values"][1] <= own + 100
    else:
        assert shown["outcome"] in ("infeasible", "exhausted")


def test_a_limit_gives_what_a_narrower_schema_gives(bench, who, row):
    limit = {"input": "late", "lower": 2.0, "upper": None}
    shown = person.advise(bench, {"person": who, "only": [limit], "keep": ["job"]})
    late = replace(sample.SCHEMA["late"], lower=2)
    schema = replace(sample.SCHEMA, features=(late, *sample.SCHEMA.features[1:]))
    method = sf.MinimalCost(schema, sample.percentiles())
    found = sf.recommend(method, sample.models()["forest"], row, keep={"job"})
    assert (shown["outcome"], shown["sentence"]) == (found.outcome.item(), found.sentences().item())


def test_a_limit_that_leaves_nothing_keeps_the_own_value(bench, who):
    X, _ = bench.world.rows
    limit = {"input": "late", "lower": 100.0, "upper": None}
    shown = person.advise(bench, {"person": who, "only": [limit]})
    assert shown["values"][0] == X[who, 0]


def test_values_tried_by_hand_get_every_verdict(bench, who):
    X, _ = bench.world.rows
    y = X[who].copy()
    y[0], y[1] = 0.0, 6000.0
    shown = person.tried(bench, {"person": who, "tried": y.tolist()})
    for said, score in zip(shown["verdicts"], sample.models().values(), strict=True):
        assert said["accepts"] == bool(score.accepts(y[None])[0])
        assert said["score"] == pytest.approx(float(score.score(y[None])[0]))
    method = sf.MinimalCost(sample.SCHEMA, sample.percentiles())
    assert shown["cost"] == pytest.approx(float(method.price(X[[who]], y[None])[0]))
    assert shown["objections"] == []


def test_what_the_schema_does_not_admit_is_said_with_the_verdicts(bench, who):
    X, _ = bench.world.rows
    y = X[who].copy()
    y[0] += 1.0  # late may only fall
    shown = person.tried(bench, {"person": who, "tried": y.tolist()})
    assert len(shown["objections"]) == 1
    assert "late" in shown["objections"][0]
    assert len(shown["verdicts"]) == 3


def test_time_horizons_are_listed(bench, who):
    shown = person.advise(bench, {"person": who, "method": "later"})
    assert [way["months"] for way in shown["ways"]] == [0, 3, 6, 12]


def test_reasons_are_the_librarys(bench, who, row):
    shown = person.reasons(bench, {"person": who})
    method = sf.MinimalCost(sample.SCHEMA, sample.percentiles())
    found = sf.reasons(method, sample.models()["forest"], row)
    assert shown["sentence"] == found.sentences().item()
    assert [one["words"] for one in shown["inputs"]] == found.to_frame()["feature"].tolist()


def test_a_person_can_be_typed(bench, who):
    X, _ = bench.world.rows
    typed = person.advise(bench, {"values": X[who].tolist()})
    named = person.advise(bench, {"person": who})
    assert typed["sentence"] == named["sentence"]
    assert person.person(bench, {"values": X[who].tolist()})["label"] == "typed by hand"


def test_a_gap_is_missing_and_has_no_place(bench):
    gap = int(np.flatnonzero(bench.world.people["income"].isna())[0])
    shown = person.person(bench, {"person": gap})
    assert (shown["values"][1], shown["shown"][1], shown["places"][1]) == (None, "missing", None)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "must be a table"),
        ({}, "name a person or give values"),
        ({"person": 3, "values": []}, "name a person or give values"),
        ({"person": -1}, "whole number"),
        ({"person": 10**6}, "there is no person 1000000; there are 60"),
        ({"person": "3"}, "whole number"),
        ({"values": [1.0]}, "1 values for 5 inputs"),
        ({"values": [1.5, 0, 0, 0, 30]}, "'late' is 1.5; it must be a whole number"),
        ({"values": [1, -5, 0, 0, 30]}, "income"),
        ({"values": [1, 5, 7, 0, 30]}, "categories are numbered from 0 to 2"),
        ({"values": [None, 5, 1, 0, 30]}, "late"),
        ({"values": [1, 1e300, 1, 0, 30]}, "must be a number from"),
        ({"person": 1, "keep": ["nothing"]}, "no feature 'nothing'"),
        ({"person": 1, "method": "magic"}, "must be one of"),
        ({"person": 1, "method": "recourse"}, "cannot be used with these models"),
        ({"person": 1, "members": [9]}, "there is no model 9; there are 3"),
        ({"person": 1, "validity": 0.33}, "choose one of"),
        ({"person": 1, "only": [{"input": "job"}]}, "has categories, which have no limit"),
        ({"person": 1, "only": [{"input": "late", "lower": 5, "upper": 2}]}, "must be the lower"),
        ({"person": 1, "only": [{"input": "late"}, {"input": "late"}]}, "two limits"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(bench, body, words):
    with pytest.raises(InputError, match=words.replace("(", r"\(")) as caught:
        person.advise(bench, body)
    assert "\n" not in str(caught.value)


def test_a_search_that_does_not_finish_says_so(bench, who, monkeypatch):
    monkeypatch.setattr("standfast.workbench.service.SECONDS", 1e-9)
    shown = person.advise(bench, {"person": who, "method": "reference"})
    assert shown["outcome"] in ("exhausted", "within_gap")
    assert "limit was reached" in shown["sentence"] + shown["remark"]


def test_a_sample_that_was_not_finished_is_asked_again(monkeypatch):
    service = Service(sample.world())
    service.answered()
    service._warm.wait(120)
    question = asked(sample.world(), {"person": sample.refused(), "method": "all"})
    monkeypatch.setattr(room, "SECONDS", 1e-9)
    assert (service.sample_advice(question).outcome == "exhausted").any()
    monkeypatch.setattr(room, "SECONDS", 600.0)
    found = service.sample_advice(question)
    assert not (found.outcome == "exhausted").any()
    assert service.sample_advice(question) is found


def test_fresh_models_that_are_read_need_not_be_asked_whom_they_accept():
    judges, rows = sample.fresh()[2], []

    def recorded(score):
        def ask(X):
            rows.append(len(X))
            return score.prediction(X)

        return replace(score, prediction=ask)

    spheres = sf.GrowingSpheres(sample.SCHEMA, sample.percentiles())
    found = sf.recommend(spheres, next(iter(sample.models().values())), sample.table().head(60))
    goals = found.matrices()[1][found.found.to_numpy()]
    assert len(goals) > 10
    shares = np.mean([score.accepts(goals) for score in judges], axis=0)
    assert validity(found, [recorded(score) for score in judges]) == shares.mean()
    assert sum(rows) < len(goals)  # of eight times as many, those at the threshold
