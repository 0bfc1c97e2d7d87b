"""The picture in a letter: for whom, in which words, and what it needs."""

import re
from xml.etree import ElementTree

import pandas as pd
import pytest

from standfast import InputError, Percentiles, letters

TABLE = pd.DataFrame(
    {
        "income": [500.0, 1000.0, 2000.0, 2500.0, 9000.0],
        "late": [0, 1, 2, 3, 5],
        "age": [20, 30, 40, 50, 60],
        "job": ["none", "none", "none", "none", "<script>alert(1)</script>"],
    }
)
Q = Percentiles.fit(TABLE)


def drawn(letter):
    """The one picture on a page, and the words in it."""
    (svg,) = re.findall(r"<svg.*?</svg>", letter.html, flags=re.DOTALL)
    texts = [one for one in ElementTree.fromstring(svg).iter() if one.tag.endswith("text")]
    return svg, ["".join(one.itertext()).strip() for one in texts]


def test_a_page_shows_where_the_person_stands_and_where_the_change_leads(advice):
    letter = letters.compose(advice, picture=Q)["minimal"]
    svg, words = drawn(letter)
    assert {"monthly income", "1,234.5 → 2,500", "3 → 1", "today", "after the change"} <= set(words)
    assert 'aria-label="monthly income: 1,234.5 → 2,500; late payments: 3 → 1"' in svg
    assert "svg" not in letter.text
    assert letters.compose(advice, picture=Q)["minimal"] == letter


def test_it_speaks_the_letter_s_language(advice):
    _, words = drawn(letters.compose(advice, language="de", picture=Q)["minimal"])
    wanted = {"Monatseinkommen", "1.234,5 → 2.500", "heute", "nach der Änderung", "keiner"}
    assert wanted <= set(words)
    assert not {"today", "stands", "advice", "none"} & set(words)


def test_what_is_missing_is_said_and_markup_is_escaped(advice):
    letter = letters.compose(advice, language="de", picture=Q)["within_gap"]
    svg, words = drawn(letter)
    assert "fehlt → 1.500,5" in words
    assert "<script" not in letter.html
    assert "&lt;script&gt;" in svg


def test_people_without_advice_have_none(advice):
    found = letters.compose(advice, picture=Q)
    for person, advised in zip(advice.index, advice.found, strict=True):
        assert ("<figure>" in found[person].html) == advised


def test_it_is_no_wider_than_the_page(advice):
    svg, _ = drawn(letters.compose(advice, picture=Q)["minimal"])
    root = svg.split(">")[0]
    assert "width: 100%; max-width: 4.6in" in root
    assert " width=" not in root


def test_percentiles_of_other_columns_are_refused(advice):
    with pytest.raises(InputError, match="fitted without 'age', 'job'"):
        letters.compose(advice, picture=Percentiles.fit(TABLE[["income", "late"]]))


def test_a_language_without_words_for_pictures_is_refused(advice, tmp_path):
    letters.copy_templates(tmp_path / "own")
    marks = tmp_path / "own" / "en" / "language.toml"
    marks.write_text(marks.read_text("utf-8").split("[picture]")[0], "utf-8")
    letters.compose(advice, template=tmp_path / "own")
    with pytest.raises(
        InputError, match=r"'en' has no words for pictures; add a table \[picture\]"
    ):
        letters.compose(advice, template=tmp_path / "own", picture=Q)


def test_a_word_that_the_language_lacks_is_named(advice, tmp_path):
    letters.copy_templates(tmp_path / "own")
    marks = tmp_path / "own" / "en" / "language.toml"
    marks.write_text(marks.read_text("utf-8").replace("stands =", "stand ="), "utf-8")
    with pytest.raises(InputError, match="stands"):
        letters.compose(advice, template=tmp_path / "own")
