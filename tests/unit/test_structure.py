import json
import math
from pathlib import Path

import pytest

from standfast.errors import InputError
from standfast.structure import (
    DEEPEST,
    FILE_NAME,
    FINGERPRINT,
    PLAIN,
    TEXT,
    YES_OR_NO,
    Columns,
    Record,
    Row,
    Several,
    check,
    check_format,
    nullable,
    number,
    one_of,
    parse,
    reading,
    shown,
    whole,
)

BOOK = Record(
    {
        "title": TEXT,
        "pages": Several("page", Record({"lines": whole(1, 60)}), least=1),
        "prices": Columns("edition", {"price": number(0)}, {"sold": nullable(whole())}),
    },
    {"signed": YES_OR_NO, "seal": FINGERPRINT, "place": Row({"shelf": whole(), "row": TEXT})},
)
SOUND = {"title": "A", "pages": [{"lines": 7}], "prices": {"price": [1, 2.5]}}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"signed": True, "place": [3, "b"], "seal": "0" * 64},
        {"unknown": {"to": "this version"}},
        {"prices": {"price": [0.0, 1.0], "sold": [None, 3], "later": ["a", None]}},
    ],
    ids=["the least", "all", "a field more", "a column more"],
)
def test_what_has_the_structure_passes(more: dict[str, object]) -> None:
    check({**SOUND, **more}, BOOK)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"title": 7}, "'title' is 7 and must be a text"),
        ({"pages": []}, "'pages' is a list of 0 and must hold at least 1"),
        ({"pages": {}}, "'pages' is a table of 0 fields and must be a list"),
        (
            {"pages": [{"lines": 5}, {"lines": 61}]},
            "'lines' of page 2 is 61 and must be a whole number from 1 to 60",
        ),
        ({"pages": [{"lines": True}]}, "'lines' of page 1 is true and must be a whole number"),
        ({"pages": [{}]}, "'lines' of page 1 is missing"),
        ({"pages": [7]}, "page 1 is 7 and must be a table of named fields"),
        ({"prices": {}}, "'price' of 'prices' is missing"),
        (
            {"prices": {"price": [1, "abc"]}},
            "'price' of edition 2 is \"abc\" and must be a number of at least 0",
        ),
        ({"prices": {"price": [math.nan]}}, "'price' of edition 1 is NaN and must be a number"),
        ({"prices": {"price": [10**400]}}, "'price' of edition 1 is 1000"),
        ({"prices": {"price": 3}}, "'price' of 'prices' is 3 and must be a list"),
        (
            {"prices": {"price": [1], "sold": [2**63]}},
            "'sold' of edition 1 is 9223372036854775808 and must be a whole number of at least 0, "
            "or null",
        ),
        (
            {"prices": {"price": [1], "later": [[]]}},
            "'later' of edition 1 is a list of 0 and must be a text, a number",
        ),
        (
            {"prices": {"price": [1, 2], "later": [1]}},
            "'later' has 1 and 'price' has 2 rows; all columns of 'prices' must be of one length",
        ),
        ({"signed": "yes"}, "'signed' is \"yes\" and must be true or false"),
        ({"seal": "0" * 63}, "and must be a fingerprint of 64 hexadecimal digits"),
        ({"place": [1]}, "'place' is a list of 1 and must be a list of 2"),
        ({"place": [1, None]}, "'row' of 'place' is null and must be a text"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as stated:
        check({**SOUND, **change}, BOOK)
    assert sentence in str(stated.value)


def test_infinity_and_nan_are_numbers_only_where_they_mean_something() -> None:
    odd = number(0, odd=True)
    assert odd.fits(math.nan)
    assert odd.fits(math.inf)
    assert not odd.fits(-math.inf)
    assert not odd.fits(10**400)
    assert not number(0).fits(math.inf)


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "/etc/hosts", "..", ".", "", "a\x00", "a\n", "x" * 101, 7, None]
)
def test_a_file_name_never_leads_out_of_its_folder(name: object) -> None:
    assert FILE_NAME.fits("000.skops")
    assert not FILE_NAME.fits(name)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it is not valid JSON"),
        ('{"a": ', "it is not valid JSON"),
        ('{"a": {"b": 1, "b": 2}}', "'b' appears twice in one table"),
        ("[" * 100_000 + "]" * 100_000, "it is nested too deeply"),
        ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), "it is nested too deeply"),
        ('["\\ud800"]', "holds half a character"),
        ("1" * 5000, "it is not valid JSON"),
    ],
)
def test_text_that_cannot_be_read_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        parse(text)


def test_what_was_parsed_is_what_was_written() -> None:
    content = {"a": [1, 2.5, None, True, "é"], "b": {"c": {"d": -(10**30)}}}
    assert parse(json.dumps(content)) == content


def test_a_file_of_a_later_version_asks_for_an_upgrade() -> None:
    check_format({"format": 1}, 1, Path("a"))
    check_format({}, 1, Path("a"))
    check_format([], 1, Path("a"))
    with pytest.raises(InputError, match="a later version: upgrade standfast"):
        check_format({"format": 2}, 1, Path("a"))


def test_a_sentence_names_the_file_and_what_to_do() -> None:
    stated = pytest.raises(
        InputError, match=r"^'a\.json' is damaged: 'x' is missing; save it again$"
    )
    with stated, reading(Path("a.json"), "save it again"):
        check({}, Record({"x": PLAIN}))


def test_long_values_are_cut() -> None:
    assert shown("x" * 1000) == '"' + "x" * 36 + '…"'
    assert len(shown(10**4000)) < 50
    with pytest.raises(InputError, match="must be one of a, b"):
        check("c", one_of("a", "b"))
