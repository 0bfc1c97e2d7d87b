"""Rules, relations in every spelling, and changes that go together, in the schema."""

import numpy as np
import pandas as pd
import pytest

from standfast import Feature, InputError, Relation, Schema

HOUSING = Feature("housing", "nominal", categories=("own", "rent"), when_missing="keep")
FEATURES = (
    Feature("age", "count", lower=0, upper=90),
    Feature("tenure", "count", lower=0, upper=40),
    Feature("mortgage", "positive", lower=0, upper=9000, step=1),
    HOUSING,
)
RENT, OWN, GAP = 1.0, 0.0, -np.inf
NO_MORTGAGE = "if housing == rent then mortgage == 0"


TABLE = pd.DataFrame({"age": [20, 30], "tenure": [1, 2], "mortgage": [0, 5]})
TABLE["housing"] = ["rent", "own"]


def schema(**laws):
    return Schema(FEATURES, **laws)


def ready(**laws):
    return schema(**laws).complete(TABLE)


def test_advice_must_keep_every_rule():
    held = ready(rules=(NO_MORTGAGE, "age <= 80"))
    x = [30.0, 2.0, 100.0, OWN]
    assert held.admits(x, [30.0, 2.0, 100.0, OWN])
    assert not held.admits(x, [30.0, 2.0, 100.0, RENT])
    assert held.admits(x, [30.0, 2.0, 0.0, RENT])
    assert held.objections(x, [85.0, 2.0, 100.0, RENT]) == (
        "'if housing == rent then mortgage == 0' does not hold",
        "'age <= 80' does not hold",
    )


def test_people_who_break_a_rule_are_not_outside_the_schema():
    held = ready(rules=(NO_MORTGAGE,))
    x = np.array([[30.0, 2.0, 100.0, RENT]])
    assert held.doubts(x) == [""]
    assert not held.admits(x[0], x[0])
    assert held.admits(x[0], [30.0, 2.0, 0.0, RENT])


def test_a_rule_about_a_missing_value_holds_nobody_back():
    held = ready(rules=(NO_MORTGAGE,))
    assert held.admits([30.0, 2.0, 100.0, GAP], [31.0, 2.0, 100.0, GAP])


def test_changes_that_go_together_bind_where_the_person_starts():
    held = ready(changes=("age == tenure", "mortgage<=100*tenure"))
    x = [30.0, 2.0, 100.0, OWN]
    assert held.admits(x, [32.0, 4.0, 300.0, OWN])
    assert not held.admits(x, [32.0, 3.0, 100.0, OWN])
    assert not held.admits(x, [31.0, 3.0, 300.0, OWN])
    assert held.objections(x, [31.0, 2.0, 100.0, OWN]) == (
        "'age == tenure' does not hold for what changes",
    )
    assert held.doubts(np.array([x])) == [""]


def test_a_factor_couples_changes_in_proportion():
    held = ready(changes=("2 * tenure == age",))
    x = [30.0, 2.0, 0.0, OWN]
    assert held.admits(x, [34.0, 4.0, 0.0, OWN])
    assert not held.admits(x, [32.0, 4.0, 0.0, OWN])


def test_points_are_projected_to_where_changes_go_together():
    held = ready(changes=("age == tenure",), relations=("tenure <= age",))
    x = np.array([[30.0, 2.0, 0.0, OWN], [40.0, 1.0, 0.0, OWN]])
    points = np.array([[35.2, 2.1, 0.0, OWN], [40.0, 4.0, 0.0, OWN]])
    moved = held.project(x, points)
    assert held.admits(x, moved).all()
    assert (moved[:, 0] - x[:, 0] == moved[:, 1] - x[:, 1]).all()
    assert (moved != x).any()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("age<=tenure", "age <= tenure"),
        ("2*age - tenure <= mortgage + 5", "2.0 * age <= tenure + mortgage + 5"),
        ("age-tenure>=3", "tenure + 3 <= age"),
        ("age == tenure", "age == tenure"),
        ("-age == -3", "age == 3"),
        ("age-1e-3*tenure<=0", "age <= 0.001 * tenure"),
    ],
)
def test_relations_need_no_blanks_and_may_have_a_minus(text, same):
    (found,) = schema(relations=(text,)).relations
    assert found == Relation.parse(same, [f.name for f in FEATURES])
    assert Schema(FEATURES, (str(found),)).relations == (found,)


def test_a_name_with_a_minus_is_still_a_name_where_the_schema_has_it():
    odd = Schema((Feature("co-debtor"), Feature("co"), Feature("debtor"), Feature("a<=b")))
    names = list(odd.names)
    assert Relation.parse("co-debtor <= co").terms == (("co-debtor", 1.0), ("co", -1.0))
    assert Relation.parse("co-debtor<=co", names).terms == (("co-debtor", 1.0), ("co", -1.0))
    assert Relation.parse("co-debtor-co<=debtor", names).terms[0] == ("co-debtor", 1.0)
    assert Relation.parse("co-debtor <= 3", ["co", "debtor"]).terms == (
        ("co", 1.0),
        ("debtor", -1.0),
    )
    assert Relation.parse("a<=b <= co", names).terms == (("a<=b", 1.0), ("co", -1.0))


def test_an_equality_is_broken_on_both_sides():
    held = schema(relations=("age == tenure + 20",))
    X = np.array([[30.0, 10.0, 0.0, OWN], [31.0, 10.0, 0.0, OWN], [29.0, 10.0, 0.0, OWN]])
    assert held.doubts(X) == ["", *["'age == tenure + 20' does not hold"] * 2]
    assert held.half_spaces.A.shape == (2, 4)
    assert held.half_spaces.excess(X).shape == (3, 1)


def test_a_schema_with_rules_and_changes_reads_back_from_toml():
    held = schema(
        relations=("tenure <= age",), rules=(NO_MORTGAGE, "age >= 18"), changes=("age == tenure",)
    )
    again = Schema.from_toml(held.to_toml())
    assert again == held
    assert again.digest == held.digest
    assert "Advice keeps every rule" in held.to_toml()


def test_rules_and_changes_count_in_the_digest_only_where_there_are_some():
    plain = schema()
    assert plain.digest == Schema(FEATURES, ()).digest
    digests = {
        plain.digest,
        schema(rules=("age >= 18",)).digest,
        schema(changes=("age == tenure",)).digest,
        schema(relations=("age == tenure",)).digest,
    }
    assert len(digests) == 4
    assert schema(rules=("age>=18",)).digest == schema(rules=("age >= 18",)).digest


def test_a_completed_schema_keeps_its_rules():
    held = schema(rules=(NO_MORTGAGE,), changes=("age == tenure",))
    done = held.complete(TABLE)
    assert (done.rules, done.changes) == (held.rules, held.changes)
    assert held.loosened().rules == ()


@pytest.mark.parametrize(
    ("laws", "why"),
    [
        ({"rules": ("age > 5", "age < 3")}, "no row can satisfy the rules 'age > 5', 'age < 3'"),
        ({"rules": ("age > 5 and age < 6",)}, "no row can satisfy the rule"),
        ({"rules": ("housing == own and housing == rent",)}, "no row can satisfy the rule"),
        ({"rules": ("age < 0",)}, "no row can satisfy the rule"),
        ({"rules": "age > 5"}, "rules must be a list of texts such as"),
        ({"rules": (3,)}, "a rule is 3; it must be a text"),
        ({"rules": ("aeg > 5",)}, "no column 'aeg' .did you mean 'age'"),
        ({"changes": "age == tenure"}, "changes must be a list of texts such as"),
        ({"changes": ("age == housing",)}, "'housing', which is nominal"),
        ({"changes": ("age == nobody",)}, "which the schema does not hold"),
        ({"changes": ("age < tenure",)}, "cannot read the relation"),
    ],
)
def test_what_cannot_hold_is_refused(laws, why):
    with pytest.raises(InputError, match=why):
        schema(**laws)


@pytest.mark.parametrize(
    "rules",
    [
        ("age > 5", "age < 7"),
        ("missing(housing)",),
        ("mortgage > 5 and mortgage < 6",),
        ("if age > 5 then age < 3",),
    ],
)
def test_what_some_row_can_satisfy_is_no_contradiction(rules):
    assert len(schema(rules=rules).rules) == len(rules)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('rules = "age > 5"', "rules must be a list of texts"),
        ("changes = [1]", "changes must be a list of texts"),
        ("laws = []", "allowed: relations, rules, changes, features"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(text, why):
    with pytest.raises(InputError, match=why):
        Schema.from_toml(f'{text}\n[features.age]\nkind = "count"\n')
