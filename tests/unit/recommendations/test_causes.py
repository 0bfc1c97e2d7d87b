"""Causes are facts: compared, kept in plain values, and said in words in one place."""

import json

import pytest

from standfast import Feature, InputError, Schema
from standfast.recommendations import causes as r
from standfast.recommendations.sentences import explain

SCHEMA = Schema((Feature("income", "count", label="monthly income"), Feature("age", "count")))
NAMES = ("bank A", "bank B", "the data support")
ALONE = r.Unsatisfiable((0, 2), alone=True)
# every kind, and what people read
SAID = {
    r.LimitReached("time"): "The time limit was reached.",
    r.LimitReached("interruption"): "The run was interrupted.",
    r.LimitReached("boxes", 1, 0.25): (
        "The limit of 1 box was reached. No answer costs less than 0.25."
    ),
    r.LimitReached("memory", lower_bound=0.5): (
        "The memory limit for one person was reached. No answer costs less than 0.5."
    ),
    r.ActionGrid(): (
        "No change on its action grid is accepted; other admissible values were not tried."
    ),
    r.SampledValues(("age",)): (
        "Only some values of 'age' were tried: there are too many, and a model rises and falls "
        "among them; a coarser step makes a proof possible."
    ),
    ALONE: "No admissible change satisfies bank A or the data support.",
    r.Unsatisfiable((1,)): "No admissible change satisfies bank B.",
    r.Unsatisfiable((0, 1), relations=True): (
        "No admissible change satisfies bank A and bank B together and keeps the schema's "
        "relations."
    ),
    r.Unsatisfiable((1,), level_sets=((1, 0.01),)): (
        "No admissible change satisfies every linear model of the level set (ε = 0.01)."
    ),
    r.RefusedByRules(
        ("age >= 18",)
    ): "No advice can help: the rule 'age >= 18' refuses, whatever this person may change.",
    r.NothingToChange(): "The schema leaves this person nothing to change.",
    r.NoneWithin(1.5): "No candidate up to a distance of 1.5 was accepted.",
    r.NoneWithin(2.0, latent=True): "No candidate up to a latent distance of 2 was accepted.",
    r.RulesLeftAside(): (
        "Searched as published, without the schema's bounds, steps, directions and relations: some "
        "of these values may be impossible."
    ),
    r.UnusualAdvice(9, (r.UnusualValue("income", 9000.0, 1, True),), None, (("income", 5),)): (
        "Monthly income 9000: only 1 of the 5 reference people whose value is known has as much or "
        "more."
    ),
    r.UnusualAdvice(2000, (r.UnusualValue("income", 9000.0, 1, True),), 0.0005): (
        "Monthly income 9000: only 1 of the 2,000 reference people has as much or more; together, "
        "these values are less usual than those of 99.9 % of the people that the autoencoder was "
        "fitted on."
    ),
    r.AcceptedBy(3, 4): "3 of the 4 choosing models accept this advice.",
    r.FailedCheck(): "The model's own prediction refuses it.",
    r.FailedCheck(("age is immutable", "income is 3")): "Age is immutable; income is 3.",
    r.Contradiction("Age is 7."): "Age is 7.",
    r.Note("It rains."): "It rains.",
    r.Together((r.LimitReached("time"), r.Note("It rains."))): (
        "The time limit was reached. It rains."
    ),
}


def test_every_kind_of_reason_is_here():
    assert {type(cause) for cause in SAID} == set(r.KINDS.values())


@pytest.mark.parametrize(("cause", "sentence"), SAID.items(), ids=lambda one: type(one).__name__)
def test_a_cause_is_said_in_words_and_comes_back_from_plain_values(cause, sentence):
    assert explain(cause, SCHEMA, NAMES) == sentence
    again = r.from_json(json.loads(json.dumps(r.to_json(cause))))
    assert again == cause
    assert type(again) is type(cause)


def test_advice_on_a_grid_says_that_it_is_the_cheapest_there():
    said = explain(r.ActionGrid(), SCHEMA, NAMES, advised=True)
    assert said == "Cheapest on its action grid; other admissible values were not tried."


def test_reasons_together_are_those_that_there_are():
    note = r.Note("It rains.")
    assert r.together(None, None) is None
    assert r.together(None, note) == note
    assert r.together(note, ALONE) == r.Together((note, ALONE))


@pytest.mark.parametrize(
    "damaged",
    [
        {},
        {"kind": "Rain"},
        {"kind": "Together", "reasons": [{"kind": "Rain"}]},
        {"kind": "LimitReached", "limit": "luck", "boxes": None, "lower_bound": None},
        {"kind": "AcceptedBy", "yes": 5, "models": 4, "validity": None, "most": None}
        | {"ended": False},
        {"kind": "Unsatisfiable", "models": ["a"], "alone": True, "relations": True}
        | {"level_sets": []},
    ],
    ids=str,
)
def test_damaged_plain_values_are_refused_with_a_sentence(damaged):
    with pytest.raises(InputError, match=r"must be|is missing|more models than there are"):
        r.from_json(damaged)


def test_files_of_before_say_reason_and_are_read():
    found = {"kind": "Together", "reasons": [{"kind": "ActionGrid"}, {"kind": "NothingToChange"}]}
    cause = r.Together((r.ActionGrid(), r.NothingToChange()))
    assert r.from_json(found) == cause
    assert r.to_json(cause) == found
