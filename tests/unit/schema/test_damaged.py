"""Schemas edited or damaged: a sentence, or a schema that survives its own TOML."""

import math
import os
import random
import re

import numpy as np
import pandas as pd
import pytest

from standfast.errors import InputError
from standfast.schema import Feature, Relation, Schema

SOUND = Schema(
    (
        Feature("age", "count", mutable=False, lower=18, upper=99, valid=(0, 120)),
        Feature("ratio", "positive", direction="down", lower=0, upper=2, step=0.01, label="debt"),
        Feature("monthly $income$ <b>€</b> 💶", "positive", step=50, valid=(0, None)),
        Feature("late", "count", lower=0, upper=10),
        Feature("very.late", "count", lower=0, upper=10),
        Feature("owner", "binary", direction="up"),
    ),
    ("very.late <= late", "2 * `late` + very.late <= 40"),
)
VALUES = (
    *("0", "-0.0", "-1", "1e308", "5e-324", "1e-310", "inf", "-inf", "nan", "0x7fffffffffffffff"),
    *("true", '"3"', "[]", "[1]", "[0, inf]", "[-inf, inf]", "[nan, 1]", "[9, 1]", '["a", 2]'),
    *("{}", "{a = 1}", "1979-05-27", "07:32:00", "9007199254740993", "1" + "0" * 400, "9" * 5000),
    *('""', '"any"', '"count"', '"\\u0000"', '"\\u007f"', '"a\\nb"', "[[[[[[[[1]]]]]]]]", "1e-17"),
)
LINES = (
    *("[features.age]", "[features]", "[[features]]", "[features.new]", "features = 3", "[other]"),
    *('relations = ["a <= b"]', "relations = [3]", 'relations = ["nan * age <= late"]', "= 3"),
    *('["features"."age"]', '[features.""]', '[features." "]', "[features.'a`b']", "kind.a.b = 1"),
    *('[features."\\u0007"]', "lower = 1", 'kind = "real"', "step = 1e-300", "valid = [0, 1]"),
)


def kept(schema):
    """A schema that was accepted: it comes back from its TOML the same, to the last bit."""
    again = Schema.from_toml(schema.to_toml())
    assert again.digest == schema.digest
    assert again == schema
    return schema


def damaged(text, rng):
    lines = text.splitlines()
    for _ in range(rng.randint(1, 3)):
        way, place = rng.randrange(7), rng.randrange(len(lines))
        line = lines[place]
        if way <= 2 and "=" in line:
            lines[place] = f"{line.split('=')[0]}= {rng.choice(VALUES)}"
        elif way == 3:
            lines.insert(place, rng.choice(LINES))
        elif way == 4:
            del lines[place]
        elif way == 5:
            lines.insert(place, line)
        elif line:
            cut = rng.randrange(len(line))
            lines[place] = line[:cut] + rng.choice(['"', "\\", "\x00", "]", "\ud800", "-", ""])
        lines = lines or [""]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_file_is_a_sentence_or_a_schema_that_keeps_its_digest(seed):
    rng = random.Random(seed)
    text = SOUND.to_toml()
    accepted = 0
    for _ in range(25):
        try:
            schema = Schema.from_toml(damaged(text, rng))
        except InputError as error:
            str(error).encode()  # a sentence that a terminal can print
        else:
            kept(schema)
            accepted += 1
    assert accepted < 25


NUMBERS = (
    *(None, 0, 1, -1, 0.0, -0.0, 0.1, 0.3, 1e-9, 5e-324, 1e-310, 1e-300, 1.2345678901234567e-300),
    *(1e300, 1.7e308, -1.7e308, math.inf, -math.inf, math.nan, 2**53, 2**53 + 1, 2**60, 10**400),
    *(True, "3", b"3", [], {}, 1j, np.float64(0.1), np.float32(0.1), np.int64(3), np.True_),
    *(np.longdouble(2), np.array(3.0), np.array([1, 2]), np.complex128(1), pd.NA, object()),
)
NAMES = (
    *("x", "a b", " a", "a`b", "`", "``", "<=", "+", "-", "-a", "nan", "inf", "1e5", "1_000"),
    *("größe", "💶", "$x$", "<b>", "a.b", 'quote"d', "it's", "back\\slash", "#", "[x]", "a=b"),
    *("", " ", "\t", "a\nb", "a\x00", "\ud800", "\x85", "\x7f", 3, None, b"x", ["x"], "cost"),
    *(np.str_("y"), "\u2028", "\ufeff", "a" * 5000, "+ -", "a + -b", "{x}", "%s"),
)
WORDS = ("real", "positive", "count", "binary", "ordinal", "any", "up", "down", "", None, 1, ["up"])
RANGES = (
    *(None, (0, 120), [0, None], (None, None), (None, 3), (-0.0, 1), (2, 1), (0,), (0, 1, 2), 3),
    *("01", {"a": 1}, (math.nan, 1), (-math.inf, math.inf), (math.inf, None), (0, 10**400)),
    *((None, -math.inf), (True, 3), ("0", "1"), (0.5, 0.5), np.array([0, 1]), (5e-324, 1e308)),
)


@pytest.mark.parametrize("seed", range(20))
def test_odd_arguments_are_a_sentence_or_a_schema_that_keeps_its_digest(seed):
    rng = random.Random(seed)
    table = {name: np.array([0.0, 1.0, 1.0, 2.5]) for name in map(str, NAMES)}
    for _ in range(60):
        options = {
            "kind": rng.choice(WORDS[:5]) if rng.random() < 0.9 else rng.choice(WORDS),
            "mutable": rng.choice([True, False, np.True_, 1, "yes", None]),
            "direction": rng.choice(WORDS[5:8]) if rng.random() < 0.9 else rng.choice(WORDS),
            "lower": rng.choice(NUMBERS),
            "upper": rng.choice(NUMBERS),
            "step": rng.choice(NUMBERS),
            "label": rng.choice(["", "money", *NAMES]),
            "valid": rng.choice(RANGES),
        }
        options = {what: value for what, value in options.items() if rng.random() < 0.5}
        name = rng.choice(NAMES)
        try:
            schema = kept(Schema((Feature(name, **options), Feature("other")), _laws(name, rng)))
            table["other"] = table["x"]
            domain = kept(schema.complete(table))
        except InputError as error:
            str(error).encode()
            continue
        wild = np.array([-1e300, -7.3, 0.0, 0.45, 3.0, 1e300])
        X = np.array([[x, 0.0] for x in wild])
        X = X[[not doubt for doubt in domain.doubts(X)]]
        for x in X:
            points = domain.project(x, np.column_stack([wild, wild]))
            assert domain.admits(x, points).all(), (domain, x, points)


def _laws(name, rng):
    if rng.random() < 0.5:
        return ()
    return (Relation(((name, rng.choice([1, -2.5, 3])), ("other", -1)), rng.choice([0, -0.0, 4])),)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a = " + "[" * 100_000, "nested too deeply|not valid TOML"),
        ("a = " + "{a = " * 100_000, "nested too deeply|not valid TOML"),
        ("[features.x]\nkind" + ".a" * 50_000 + " = 1", "nested too deeply"),
        ("[features.x]\nkind" + ".a" * 50 + " = 1", "feature 'x': kind is a table; allowed"),
        ("[features.x]\nlower = 1" + "0" * 400, "lower is a whole number of more than 30 digits"),
        ("[features.x]\nlower = " + "9" * 5000, "not valid TOML"),
        ("[features.x]\nmutable = 1", "feature 'x': mutable is 1; allowed: true, false"),
        ("[features.x]\nlabel = 3", "feature 'x': label is 3; it must be a text"),
        ("[features.x]\nstep = 5e-324", "feature 'x': step is 4.94066e-324, too small"),
        ("[features.x]\nstep = 1e-9\nupper = 1e9", r"upper 1e\+09 is more than 2\^50 steps"),
        (
            '[features.x]\nkind = "count"\nupper = 1e300',
            "more than 2^50 steps of 1 away".replace("^", r"\^"),
        ),
        ("[features.x]\nvalid = [1]", "feature 'x': valid is a list of 1; it must be a pair"),
        ("[features.x]\nvalid = 'all'", r"valid is 'all'; it must be a pair .* such as \[0, 120\]"),
        ("[features.x]\nvalid = [nan, 1]", "valid: the least value is not a number"),
        ("[features.x]\nvalid = [9, 1]", "valid: 9 is above 1"),
        ("[features.x]\nvalid = [inf, inf]", "the least value is inf; no number is possible"),
        ("[features.x]\nlower = 0\nvalid = [1, 9]", "lower 0 would let advice propose what is not"),
        ("[features.x]\nlower = inf", "lower is inf, which leaves no number"),
        ('[features.x]\nkind = "positive"\nvalid = [-1, 3]', "never negative"),
        ('[features.x]\nkind = "binary"\nvalid = [0, 2]', "a binary is 0 or 1"),
        ('[features."a\\u0007"]', r"name is 'a\\x07'; '\\x07' in it is a control character"),
        ('relations = ["x <= inf"]\n[features.x]', "bound is inf; it must be finite"),
        ('relations = ["nan * x <= 3"]\n[features.x]', "not a number"),
    ],
)
def test_a_damaged_entry_is_named_with_its_place(text, shown):
    with pytest.raises(InputError, match=shown):
        Schema.from_toml(text)


@pytest.mark.parametrize("name", ["a\ud800", "a\nb", "a\x00b", "\x85", "\tincome", "\x7f"])
def test_a_name_or_label_that_no_file_can_hold_is_refused(name):
    with pytest.raises(InputError, match="which files cannot hold"):
        Feature(name)
    with pytest.raises(InputError, match=r"label is .* which files cannot hold"):
        Feature("x", label=name)


@pytest.mark.parametrize(
    "name", ["$x$", "<b>bold</b>", "💶", "monthly income", " a ", "{x}", "größe"]
)
def test_signs_markup_emoji_and_blanks_are_fine(name):
    relation = Relation(((name, 1), ("b", -1)))
    back = kept(Schema((Feature(name, label=name), Feature("b")), (relation,)))
    assert (back.names, back[name].label) == ((name, "b"), name)


def test_numbers_keep_their_type_and_sign_on_the_way_through_toml():
    schema = Schema((Feature("a", lower=-0.0, upper=3.0), Feature("b", lower=0, upper=3)))
    text = kept(schema).to_toml()
    assert re.findall(r"(?:lower|upper) = (\S+)", text) == ["-0.0", "3.0", "0", "3"]


def test_numbers_of_numpy_become_plain_ones():
    feature = Feature("a", lower=np.float64(1.5), upper=np.int64(3), mutable=np.True_)
    assert repr(feature) == repr(Feature("a", lower=1.5, upper=3))


def test_only_a_regular_file_of_a_sound_size_is_read_as_a_schema(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"the schema .* it is a pipe or a device"):
        Schema.read(tmp_path / "pipe")
    with pytest.raises(InputError, match="it is a pipe or a device"):
        Schema.read("/dev/zero")
    with pytest.raises(InputError, match="it is a folder"):
        Schema.read(tmp_path)
    (tmp_path / "large.toml").write_bytes(b"#" * (2**24 + 1))
    with pytest.raises(InputError, match="more than 16,777,216 bytes"):
        Schema.read(tmp_path / "large.toml")
    (tmp_path / "latin.toml").write_bytes("[features.größe]".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        Schema.read(tmp_path / "latin.toml")


MANY = tuple(Feature(f"x{j}") for j in range(3000))


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda: Schema(None), "at least one Feature"),
        (lambda: Schema((Feature("a"),), "a <= 3"), "list of texts"),
        (lambda: Schema((Feature("a"),), (3,)), "a relation is 3; write it like"),
        (lambda: Relation((("a", math.inf),)), "must be finite"),
        (lambda: Relation((("a", 1), ("a", 2))), "must name each input once"),
        (lambda: Relation((("a", 0),)), "must name each input once, and not by 0"),
        (lambda: Relation(()), "at least one pair"),
        (lambda: Relation((3,)), "it takes pairs of a name and a coefficient"),
        (lambda: Schema.from_toml(3), "must be a text, not 3"),
        (lambda: Schema(MANY, ["x0 <= x1"] * 6000), "6,000 relations between 3,000 features are"),
    ],
)
def test_a_schema_built_of_the_wrong_parts_is_refused_with_a_sentence(make, shown):
    with pytest.raises(InputError, match=shown):
        make()


def test_a_column_too_large_for_its_step_moves_freely():
    filled = Feature("x").complete(np.array([1e300, 2e300]))
    assert filled.step == 0.0
    with pytest.raises(InputError, match=r"more than 2\^50 steps of 1"):
        Feature("x", "count").complete(np.array([1e300, 2e300]))
    assert Feature("x").complete(np.array([-1e308, 0.5, 1e308])).step == 0.0
