import numpy as np
import pandas as pd
import pytest

from standfast.errors import InputError
from standfast.schema import Feature, Schema


@pytest.fixture
def schema():
    return Schema(
        (
            Feature("age", "count", mutable=False, lower=18, upper=99, valid=(18, None)),
            Feature("ratio", "positive", direction="down", lower=0, upper=2, step=0.01),
            Feature("late", "count", lower=0, upper=10),
            Feature("very_late", "count", lower=0, upper=10),
            Feature("owner", "binary", direction="up"),
        ),
        ("very_late <= late",),
    )


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "age": [30, 40],
            "ratio": [0.5, 1.234],
            "late": [3, 1],
            "very_late": [2, 0],
            "owner": [False, True],
        },
        index=["ann", "bob"],
    )


def test_columns_come_in_by_name_in_schema_order(schema, table):
    X = schema.matrix(table[["owner", "late", "age", "very_late", "ratio"]])
    assert X.tolist() == [[30, 0.5, 3, 2, 0], [40, 1.234, 1, 0, 1]]


def test_tables_go_out_with_whole_kinds_as_integers(schema, table):
    out = schema.table(schema.matrix(table), table.index)
    assert [str(t) for t in out.dtypes] == ["int64", "float64", "int64", "int64", "int64"]
    empty = schema.table(np.array([[np.nan] * 5, [40, 1, 1, 0, 1]]))
    assert str(empty["age"].dtype) == "Int64"
    assert empty["age"].isna().tolist() == [True, False]


def test_what_is_done_to_a_table_that_went_out_does_not_show_in_the_next(schema, table):
    X = schema.matrix(table)
    schema.table(X).columns.name = "input"
    assert schema.table(X).columns.name is None


def test_whole_numbers_too_large_for_integers_stay_as_they_are(schema):
    out = schema.table(np.array([[30, 0.5, 1e19, 2, 0]]))
    assert out["late"].tolist() == [1e19]


@pytest.mark.parametrize(
    ("spoil", "shown"),
    [
        (lambda t: t.drop(columns="late"), "lacks the column 'late'; it has 'age'"),
        (lambda t: t.assign(label=1), "holds the column 'label' that the schema does not know"),
        (lambda t: t.assign(age=["x", "y"]), "column 'age' holds .* values such as 'x'"),
        (lambda t: t.assign(age=[None, "x"]), "values such as 'x', .* make it a nominal"),
        (lambda t: t.assign(age=["€ 1200", "7"]), "written as '€ 1200'; write them plainly"),
        (lambda t: t.assign(age=["11297,23", "2,5"]), "written as '11297,23'; write them plainly"),
        (lambda t: t.assign(age=["1,297.23", "12 %"]), "written as '1,297.23'; write them plain"),
        (lambda t: t.assign(age=["8-12", "12-20"]), "values such as '8-12', .* make it a nominal"),
        (lambda t: t.assign(age=["2024-01-31", "31.1.2024"]), "dates such as '2024-01-31'.*months"),
        (lambda t: t.assign(age=pd.to_datetime(["2024-01-31"] * 2)), "dates such as '2024-01-31"),
        (lambda t: t.assign(age=[np.nan, 1]), r"column 'age' holds 1 missing value \(row 'ann'\)"),
        (lambda t: t.assign(ratio=[np.inf, -np.inf]), "column 'ratio' holds 2 infinite values"),
        (lambda t: t.assign(age=[1j, 2j]), "complex"),
        (lambda t: t.assign(age=pd.Categorical([1, 2])), "category"),
        (lambda t: t.iloc[:0], "no rows"),
        (lambda t: pd.concat([t, t["age"]], axis=1), "'age' more than once"),
        (lambda t: t.set_axis([7, 7]), "index holds 7 more than once"),
        (lambda t: t.to_numpy(), "expected a pandas DataFrame, got ndarray"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_a_sentence(schema, table, spoil, shown):
    with pytest.raises(InputError, match=shown):
        schema.matrix(spoil(table))


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda: Schema(()), "at least one Feature"),
        (lambda: Schema((Feature("a"), Feature("a"))), "'a' more than once"),
        (lambda: Schema((Feature("cost"),)), "name of a result column"),
        (lambda: Schema((Feature("a"),), ("a <= b",)), "does not hold"),
        (lambda: Schema((Feature("a"),)).admits([1.0], [2.0]), "open bound or step"),
        (lambda: Schema((Feature("a"),))["b"], "no feature 'b'"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_with_a_sentence(make, shown):
    with pytest.raises(InputError, match=shown):
        make()


def test_every_objection_is_told(schema, table):
    domain = schema.complete(table)
    x = schema.matrix(table)[0]
    shown = domain.objections(x, [31, 0.505, 11, 12, 0])
    assert [t.split()[0] for t in shown] == ["age", "ratio", "late", "very_late", "'very_late"]
    assert "may only fall" in shown[1]
    assert "no multiple of its step 0.01" in domain.objections(x, [30, 0.415, 3, 2, 0])[0]
    (shown,) = domain.objections(x, [30, 0.41, 2, 3, 1])
    assert shown == "'very_late <= late' does not hold"
    assert domain.objections(x, [30, 0.41, 3, 2, 1]) == ()
    assert domain.admits(x, [30, 0.41, 3, 2, 1])


def test_a_persons_own_value_is_admitted_even_off_the_grid(schema, table):
    domain = schema.complete(table)
    x = schema.matrix(table)[1]
    assert x[1] == 1.234
    assert domain.admits(x, x)
    assert domain.project(x, x).tolist() == x.tolist()


def test_directions_bind_from_where_the_person_stands(schema, table):
    domain = schema.complete(table)
    x = schema.matrix(table)[0]
    wish = x + np.array([5.0, 1.0, 0.0, 0.0, 1.0])
    assert domain.project(x, wish).tolist() == [30, 0.5, 3, 2, 1]


def test_projection_repairs_a_broken_relation_by_the_smallest_move(schema, table):
    domain = schema.complete(table)
    x = schema.matrix(table)[0]
    moved = domain.project(x, [30, 0.5, 3, 4.2, 0])
    assert moved.tolist() in ([30, 0.5, 3, 3, 0], [30, 0.5, 4, 4, 0])
    assert abs(moved - np.array([30, 0.5, 3, 4.2, 0])).sum() == pytest.approx(1.2)


def test_people_who_contradict_the_schema_are_told_one_by_one(schema, table):
    X = schema.matrix(table)
    X[0, 0], X[1, 3], X[1, 2] = 17, 5, 1.5
    doubts = schema.doubts(X)
    assert doubts[0] == "age is 17, below 18, the least value that is valid"
    assert "late is 1.5, not a whole number" in doubts[1]
    assert "'very_late <= late' does not hold" in doubts[1]


def test_an_open_bound_bounds_the_advice_and_not_the_people():
    schema = Schema((Feature("x", "positive"),))
    domain = schema.complete(pd.DataFrame({"x": [1.0, 5.0]}))
    person = np.array([9.0])
    assert schema.doubts(person[None, :]) == [""]
    assert domain.project(person, [20.0]).tolist() == [9.0]
    assert domain.project(person, [5.4]).tolist() == [5.0]
    assert schema.doubts(np.array([[-1.0]])) == ["x is -1, below 0, the least value that is valid"]


def test_a_schema_survives_its_toml(schema):
    assert Schema.from_toml(schema.to_toml()) == schema
    assert Schema.from_toml(schema.to_toml()).digest == schema.digest


def test_ten_thousand_categories_survive_the_toml():
    names = tuple(f'{k} "é"' for k in range(9_999))
    many = Schema((Feature("code", "nominal", categories=(*names, "x"), missing=("?", 'a"')),))
    again = Schema.from_toml(many.to_toml())
    assert again == many
    assert again.digest == many.digest


def test_awkward_names_survive_the_toml(tmp_path):
    schema = Schema(
        (Feature("a b"), Feature('quote"d'), Feature("30-59.late"), Feature("größe")),
        ("`a b` <= 30-59.late",),
    )
    schema.write(tmp_path / "schema.toml")
    assert Schema.read(tmp_path / "schema.toml") == schema


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("features = 3", "no features"),
        ("[features.a]\nkind = 'real'\nkidn = 2", "unknown 'kidn'; allowed"),
        ("[features]\na = 1", "must be a table"),
        ("[features.a]\n[other]", "unknown entry 'other'"),
        ("relations = 'a <= b'\n[features.a]", "list of texts"),
        ("[features.a", "not valid TOML"),
        ("[features.a]\nlower = 3\nupper = 1", "lower 3 is above upper 1"),
    ],
)
def test_a_toml_that_cannot_be_used_is_refused_with_a_sentence(text, shown):
    with pytest.raises(InputError, match=shown):
        Schema.from_toml(text)


def test_a_missing_file_is_told_with_its_name(tmp_path):
    with pytest.raises(InputError, match=r"cannot read the schema .*nowhere\.toml"):
        Schema.read(tmp_path / "nowhere.toml")


def test_a_draft_proposes_kinds_steps_and_relations_as_comments(table):
    rng = np.random.default_rng(0)
    late = rng.poisson(2, 500)
    draft = Schema.infer(
        pd.DataFrame(
            {
                "late": late,
                "very_late": rng.binomial(late, 0.5),
                "ratio": rng.uniform(0, 1, 500).round(3),
                "balance": rng.normal(0, 100, 500).round(2),
                "owner": rng.integers(0, 2, 500).astype(bool),
            }
        )
    )
    assert [f.kind for f in draft] == ["count", "count", "positive", "real", "nominal"]
    text = draft.to_toml()
    assert '#     "very_late <= late",' in text
    assert "# seen: 0 to" in text
    assert Schema.from_toml(text) == draft
    assert not draft.relations


def test_a_loosened_schema_only_knows_who_may_move(schema):
    loose = schema.loosened()
    x = np.array([30, 0.5, 3, 2, 0])
    assert loose.admits(x, [30, 0.7123, -3.5, 99, -1])
    assert not loose.admits(x, [31, 0.5, 3, 2, 0])
