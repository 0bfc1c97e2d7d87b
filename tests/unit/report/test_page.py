"""The whole page: well formed, alone in the world, and true to odd studies."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from samples.study import sample_tables

from standfast import InputError
from standfast.figures import COLOURS, Figure
from standfast.report import page, write
from standfast.studies.tables import TIDY

SVG = '<svg viewBox="0 0 9 9" role="img" aria-label="a line"><path d="M0 0L9 9"/></svg>'
ABOUT = {
    "command": "standfast study --quick",
    "settings": {"seed": 0, "data": ["twin:heloc"], "limits": {"time": None}},
    "versions": {"standfast": "0.1.0"},
}
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Reader(HTMLParser):
    """Checks that every element that opens closes, and collects what the page refers to."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.text = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"])
        self.links += [given[name] for name in ("href", "src", "srcset", "action") if name in given]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}> at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)

    @property
    def words(self):
        return re.sub(r"\s+", " ", " ".join(self.text))


def figure(**changes):
    plain = Figure("costs-a", "costs", "twin:heloc", "linear", "Costs", "a line", SVG, b"")
    return replace(plain, **changes)


def read(tables, figures=(), about=ABOUT):
    return Reader(page(tables, figures, about))


@pytest.fixture(scope="module")
def plain():
    """The page of the study as it is, without figures."""
    return page(sample_tables(), [], ABOUT)


FIGURES = tuple(
    figure(
        name=f"{exhibit}-a", exhibit=exhibit, reference=of, alt=alt, svg=SVG.replace("a line", alt)
    )
    for exhibit, of, alt in (
        ("costs", "linear", "a line"),
        ("support_costs", "", "two lines"),
        ("frontier", "linear", "a frontier"),
        ("promises", "linear", "a year"),
    )
)


@pytest.fixture(scope="module")
def illustrated():
    """The same page with some figures."""
    return page(sample_tables(), FIGURES, ABOUT)


def test_the_page_is_well_formed_and_its_identifiers_are_its_own(illustrated):
    reader = Reader(illustrated)
    assert len(reader.ids) == len(set(reader.ids))
    assert {"answer", "claims", "transfer", "people", "missing", "provenance"} <= set(reader.ids)
    inside = {link[1:] for link in reader.links if re.fullmatch(r"#\w+", link)}
    assert inside <= set(reader.ids)


def test_the_page_needs_nothing_from_the_network(illustrated):
    for link in Reader(illustrated).links:
        assert re.match(r"#|data:|tables/\w+\.csv$", link), link
    assert not re.search(r"@import|url\((?!#)|fetch\(|XMLHttpRequest", illustrated)


def test_the_menu_leads_to_every_exhibit_in_its_order(plain):
    exhibits = re.findall(r'class="exhibit" id="(\w+)"', plain)
    menu = re.findall(r'<a href="#(\w+)">', plain.partition("<main")[0])
    assert len(exhibits) > 8
    assert [id for id in menu if id in exhibits] == exhibits


def test_every_table_is_linked(plain):
    links = Reader(plain).links
    for name in TIDY:
        assert f"tables/{name}.csv" in links


def test_an_empty_study_is_still_a_page(empty):
    reader = read(empty, about={})
    assert "The study has no scene." in reader.words
    assert "No claim could be checked." in reader.words
    assert "Nobody was asked about" in reader.words
    assert "missing" not in reader.ids


@pytest.mark.parametrize("name", [name for name in TIDY if name != "scenes"])
def test_any_table_may_be_empty(name, one_scene):
    reader = read(one_scene | {name: one_scene[name].iloc[:0]})
    assert f"tables/{name}.csv" in reader.links
    assert {"answer", "claims", "transfer", "people", "provenance"} <= set(reader.ids)


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_odd_numbers_are_written_as_missing(value, every, one_scene):
    for table in one_scene.values():
        measured = table.select_dtypes(float).columns.difference(["position", "value", "epsilon"])
        table.loc[table.index[::every], measured] = value
    words = read(one_scene).words
    assert "–" in words
    assert not {"nan", "inf", "-inf"} & set(re.split(r"[^\w-]+", words))


@pytest.mark.parametrize("method", ["GS", "C-CHVAE", "minimal cost", "unanimous", "do nothing"])
def test_any_method_may_be_missing(method, one_scene):
    fewer = {
        name: table[table["method"] != method] if "method" in table else table
        for name, table in one_scene.items()
    }
    assert f"from {method} (" not in read(fewer).words


def test_advice_for_nobody_is_a_page_too(one_scene):
    advice = one_scene["advice"].assign(found=False, total=np.nan, kept=np.nan, share=np.nan)
    means = one_scene["transfer_means"].assign(n=0, transfer=np.nan, lower=np.nan, upper=np.nan)
    words = read(one_scene | {"advice": advice, "transfer_means": means}).words
    assert "No method found advice for anybody." in words
    assert "There is no advice that a rival could judge." in words


def test_a_hostile_name_stays_text_everywhere(tables, plain):
    bad = "</script><b>\"'&{{ 7 * 7 }}"
    hostile = {}
    for name, table in tables.items():
        words = [c for c in table if c not in ("verdict", "mark", "grid") and _is_text(table[c])]
        hostile[name] = table.assign(**{c: table[c].astype(str) + bad for c in words})
    text = page(hostile, [], {**ABOUT, bad: {bad: [bad]}})
    reader = Reader(text)
    assert reader.tags.count("b") == Reader(plain).tags.count("b")
    assert reader.tags.count("script") == 2
    assert "{{ 7 * 7 }}" in reader.words
    assert "49" not in re.findall(r"&amp;(\d+)", text)


def _is_text(column):
    return column.map(lambda value: isinstance(value, str)).all() and len(column) > 0


def test_a_figure_is_shown_once_with_its_alternative_text(illustrated):
    for shown in FIGURES:
        assert illustrated.count(f'aria-label="{shown.alt}"') == 1
    assert 'data-scene="twin-heloc-linear twin-heloc-forest"' in illustrated


def test_methods_have_the_colours_of_the_figures(tables, plain):
    for method in tables["advice"]["method"].unique():
        assert f"--colour:{COLOURS[method]}" in plain


def test_a_study_without_a_frontier_says_only_how_to_get_one(one_scene):
    left_out = ("frontier", "promises")
    without = {n: t.iloc[:0] if n.startswith(left_out) else t for n, t in one_scene.items()}
    text = page(without, [], ABOUT)
    before, after = text.split('<section id="tables">')
    assert "--frontier" in before
    assert "frontier" not in re.sub(r"(?s)<style>.*?</style>", "", before).replace("--frontier", "")
    assert "fresh models" not in before
    assert "tables/frontier.csv" in after


def test_the_frontier_has_its_figure_prices_settings_and_words(illustrated):
    text, reader = illustrated, Reader(illustrated)
    assert "frontier" in reader.ids
    assert "#frontier" in reader.links
    section = text.split('<section class="exhibit" id="frontier">')[1].split("</section>")[0]
    assert section.count("<svg") == 1
    for table in ("frontier_levels", "frontier_gaps", "frontier"):
        assert section.count(f'data-table="{table}"') == 2
    assert "nothing is certified" in section
    for method in ("ROAR", "BetaRCE", "raised threshold", "invariant"):
        assert f"--colour:{COLOURS[method]}" in section
        assert f"</i>{method}</span></dt><dd>" in text


def test_a_simulated_year_has_its_answer_figure_and_tables(one_scene, illustrated):
    text = illustrated
    assert "#promises" in Reader(text).links
    section = text.split('<section class="exhibit" id="promises">')[1].split("</section>")[0]
    assert section.count("<svg") == 1
    assert "of the cheapest advice and <strong>85" in section
    for table in ("promises_total", "promises_year"):
        assert section.count(f'data-table="{table}"') == 2
    without = {n: t.iloc[:0] if n.startswith("promises") else t for n, t in one_scene.items()}
    before = page(without, [], ABOUT).split('<section id="tables">')[0]
    assert "simulated year" not in before
    assert 'id="promises"' not in before


def test_twins_and_what_is_missing_are_named(one_scene, plain):
    words = Reader(plain).words
    assert "statistical twin, not real people" in words
    assert "actionable recourse reads linear models only" in words
    real = one_scene | {"scenes": one_scene["scenes"].assign(twin=False)}
    sheets = page(real, [], ABOUT).split('<details class="words">')[0]
    assert "not real people" not in sheets


def test_provenance_tells_the_command_and_every_setting(plain):
    words = Reader(plain).words
    assert "To run it again: standfast study --quick" in words
    for part in ("settings", "seed 0", "twin:heloc", "limits", "time None", "0.1.0"):
        assert part in words


def test_doubtful_values_are_marked_by_sign_and_footnote(plain):
    assert '<span class="doubt ambiguous" title="' in plain
    assert "† ambiguous" in plain
    assert "a count that is not whole" in plain


def test_every_check_has_its_verdict_as_a_word_and_every_claim_its_rule(tables, plain):
    claims = tables["claims"]
    assert plain.count("<summary>The rule and ") == claims["claim"].nunique()
    verdicts = pd.concat([claims["verdict"], tables["sense_transfer"]["verdict"]])
    for verdict, n in verdicts.value_counts().items():
        assert plain.count(f"</i>{verdict}</span>") == n


def test_a_table_that_is_not_there_is_refused(tables):
    del tables["claims"]
    with pytest.raises(InputError, match="lack 'claims'; run the study again"):
        page(tables, [], ABOUT)


def test_the_page_is_written_whole_and_the_same_study_is_the_same_page(
    tables, illustrated, tmp_path
):
    path = tmp_path / "report.html"
    write(tables, FIGURES, ABOUT, path)
    assert path.read_text(encoding="utf-8") == illustrated
    with pytest.raises(InputError, match="does not exist"):
        write(tables, [], ABOUT, tmp_path / "nowhere" / "report.html")


def test_a_name_can_neither_turn_its_sentence_around_nor_hold_what_no_page_can(tables):
    odd = "in\u202ecome\x00\x1b\u2066"
    changed = {}
    for name, table in tables.items():
        text = [c for c in ("feature", "rival", "person", "sentence", "label", "why") if c in table]
        changed[name] = table.assign(**{c: table[c].astype(str) + odd for c in text})
    text = page(changed, [], ABOUT)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069]", text)
    assert not re.search(r"\\u(0000|001b|202e|2066)", text)
    assert "in�come��" in text
    assert r"in\ufffdcome\ufffd\ufffd" in text  # as the person browser reads it


def test_the_scene_of_a_model_of_ones_own_names_its_file_and_fingerprint(tables):
    words = "the model in card.skops (LogisticRegression, SHA-256 00ff)"
    own = {name: table.replace({"linear": "card.skops"}) for name, table in tables.items()}
    own["scenes"] = own["scenes"].assign(model=words)
    said = read(own).words
    assert "Twin of HELOC, card.skops as the reference" in said
    assert "Twin of HELOC (card.skops as the reference and forest reference)" in said
    assert said.count(f"The reference is {words}. It was not fitted here") == 1
