"""Does the report work where it is read: in a browser, from disk, on a phone?"""

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

WIDE, PHONE = 1280, 390


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_the_report_opens_from_disk_without_a_complaint(browser, report, width):
    browser.open(report, width)
    assert browser.one("h1").text == "Will the advice stand when the model changes?"
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [WIDE, PHONE, 320])
def test_nothing_overflows(browser, report, width):
    browser.open(report, width)
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for scene in ("twin-heloc-linear", ""):
        if scene:
            Select(browser.one("#scene-choice")).select_by_value(scene)
        else:
            Select(browser.one("#scene-choice")).select_by_visible_text("all scenes")
        wide, least = browser.run("return [document.scrollingElement.scrollWidth, innerWidth]")
        assert wide <= least == width


def test_long_names_do_not_overflow_on_a_phone(browser, report_of, tables):
    long = "A" * 90
    values = tables["values"].assign(feature=tables["values"]["feature"] + long)
    verdicts = tables["verdicts"].assign(rival=tables["verdicts"]["rival"] + long)
    claims = tables["claims"].assign(statement=long, claim=long)
    browser.open(
        report_of(tables | {"values": values, "verdicts": verdicts, "claims": claims}), PHONE
    )
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert browser.run("return document.scrollingElement.scrollWidth") <= PHONE


def test_every_image_has_an_alternative_text(browser, report):
    browser.open(report)
    images = browser.all("img, svg:not([aria-hidden=true]):not(svg svg), [role=img]")
    assert len(browser.all("svg")) >= 6
    for image in images:
        assert len(image.get_attribute("aria-label") or image.get_attribute("alt")) > 10


def test_every_control_has_a_name(browser, report):
    browser.open(report)
    nameless = """return [...document.querySelectorAll("button, select, a, summary")]
        .filter(e => !(e.textContent.trim() || e.labels?.length)).length"""
    assert browser.run(nameless) == 0


def test_one_scene_is_shown_at_a_time_and_all_on_demand(browser, report):
    browser.open(report)
    shown = "return [...document.querySelectorAll('#costs .scene')].map(s => !s.hidden)"
    assert browser.run(shown) == [True, False]
    Select(browser.one("#scene-choice")).select_by_value("twin-heloc-forest")
    assert browser.run(shown) == [False, True]
    Select(browser.one("#scene-choice")).select_by_visible_text("all scenes")
    assert browser.run(shown) == [True, True]


def column(browser, table, place):
    return browser.texts(f"[data-table={table}] tbody tr td:nth-child({place})")


def test_numbers_are_sorted_as_numbers_up_and_down(browser, report, tables):
    browser.open(report)
    rows = {name: str(len(table)) for name, table in tables.items()}
    head = browser.one("[data-table=tables] th:nth-child(2)")
    assert head.get_attribute("aria-sort") == "none"
    head.find_element("tag name", "button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(browser, "tables", 2) == sorted(rows.values(), key=int)
    head.find_element("tag name", "button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(browser, "tables", 2) == sorted(rows.values(), key=int, reverse=True)


def test_claims_are_sorted_by_keyboard_and_by_value(browser, report, tables):
    browser.open(report)
    browser.one(".claim summary").send_keys(Keys.ENTER)
    head = browser.one(".claim th:nth-child(3)")
    head.find_element("tag name", "button").send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "ascending"
    given = browser.run(
        "return [...document.querySelector('.claim').querySelectorAll('td:nth-child(3)')]"
        ".map(cell => Number(cell.dataset.sort))"
    )
    claims = tables["claims"]
    first = claims[claims["claim"] == claims["claim"].iloc[0]]
    assert given == sorted(first["value"])
    verdict = browser.one(".claim th:nth-child(5)")
    verdict.find_element("tag name", "button").send_keys(Keys.SPACE)
    assert verdict.get_attribute("aria-sort") == "ascending"
    assert head.get_attribute("aria-sort") == "none"


def test_missing_numbers_are_sorted_last_both_ways(browser, report_of, tables):
    bounds = tables["bounds"].copy()
    bounds.loc[0, "total"] = float("nan")
    bounds.loc[1, "total"] = float("inf")
    browser.open(report_of(tables | {"bounds": bounds}))
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    button = browser.one("#bounds .scene:not([hidden]) th:nth-child(3) button")
    shown = "#bounds .scene:not([hidden]) tbody td:nth-child(3)"
    button.click()
    assert browser.texts(shown)[-2:] == ["∞", "–"]
    button.click()
    assert (browser.texts(shown)[0], browser.texts(shown)[-1]) == ("∞", "–")


def test_prices_on_the_frontier_are_sorted_and_those_not_reached_come_last(browser, report):
    browser.open(report)
    scene = "#frontier .scene:not([hidden])"
    assert len(browser.all(f"{scene} svg")) == 1
    cells = f"{scene} [data-table=frontier_levels] tbody td:nth-child(3)"
    browser.one(f"{scene} [data-table=frontier_levels] th:nth-child(3) button").click()
    shown = [text.split()[0] for text in browser.texts(cells)]
    reached = [text for text in shown if text != "–"]
    assert reached == sorted(reached, key=float)
    assert shown == reached + ["–"] * (len(shown) - len(reached))
    assert 0 < len(reached) < len(shown)


def check_sheet(browser, tables, reference, person):
    """What the sheet shows is what the tables say."""

    def of(name):
        rows = tables[name]
        return rows[(rows["reference"] == reference) & (rows["person"] == person)]

    assert browser.texts("#sheet h3")[0] == f"Where person {person} stands"
    values, own = of("values"), {}
    for feature, value in values[values["method"] == ""][["feature", "value"]].to_numpy():
        own[feature] = f"{value:g}"
    assert browser.texts(".standing .pv-own") == list(own.values())
    for row in of("advice").to_dict("records"):
        if row["method"] == "do nothing":
            continue
        card = f"#sheet [data-method='{row['method']}']"
        assert browser.texts(f"{card} .say") == [row["sentence"]]
        if not row["found"]:
            assert browser.texts(f"{card} .kept") == []
            continue
        assert browser.texts(f"{card} .cost") == [
            f"total shift {row['total']:.2f}, maximal {row['max']:.2f}"
        ]
        there = values[values["method"] == row["method"]].set_index("feature")["value"]
        moves = [
            f"{own[name]} → {there[name]:g}" for name in own if f"{there[name]:g}" != own[name]
        ]
        assert browser.texts(f"{card} .moves b") == moves
        share = round(100 * row["kept"] / 7)
        assert browser.texts(f"{card} .kept") == [
            f"Kept by {row['kept']:.0f} of 7 rivals ({share}\u202f%)"
        ]
        verdicts = of("verdicts")
        verdicts = verdicts[verdicts["method"] == row["method"]]
        kept = list(verdicts[verdicts["kept"]]["rival"])
        refused = list(verdicts[~verdicts["kept"]]["rival"])
        assert browser.texts(f"{card} details li") == kept + refused


def test_the_person_browser_walks_from_person_to_person(browser, report, tables):
    browser.open(report)
    people = list(tables["advice"].query("reference == 'linear'")["person"].unique())
    check_sheet(browser, tables, "linear", people[0])
    assert not browser.one("#previous").is_enabled()
    for person in people[1:4]:
        browser.one("#next").click()
        check_sheet(browser, tables, "linear", person)
    browser.one("#previous").click()
    check_sheet(browser, tables, "linear", people[2])
    assert browser.one("#position").text == "3 of 12"
    Select(browser.one("#person")).select_by_visible_text(people[-1])
    check_sheet(browser, tables, "linear", people[-1])
    assert not browser.one("#next").is_enabled()
    assert browser.complaints() == []


def test_another_scene_has_its_own_people(browser, report, tables):
    browser.open(report)
    Select(browser.one("#person-scene")).select_by_visible_text("Twin of HELOC, forest reference")
    check_sheet(browser, tables, "forest", "4")
    assert browser.texts("#sheet [data-method='AR']") == []
    assert "statistical twin, not real people" in browser.texts("#sheet .twin-line")


def test_a_person_has_an_address(browser, report, tables):
    browser.open(report)
    browser.one("#next").click()
    assert browser.driver.current_url == f"{report}#person/twin-heloc-linear/21"
    browser.open(f"{report}#person/twin-heloc-forest/55")
    check_sheet(browser, tables, "forest", "55")
    assert Select(browser.one("#person")).first_selected_option.text == "55"
    browser.run("location.hash = '#person/twin-heloc-linear/38'")
    check_sheet(browser, tables, "linear", "38")


@pytest.mark.parametrize("address", ["#person/nowhere/1", "#person/twin-heloc-linear/%", "#person"])
def test_a_wrong_address_shows_the_first_person(browser, report, tables, address):
    browser.open(report + address)
    check_sheet(browser, tables, "linear", "4")
    assert browser.complaints() == []


def test_a_hostile_name_breaks_nothing(browser, report_of, tables):
    bad = "</script><b id='broken'>"
    hostile = {}
    for name, table in tables.items():
        text = [c for c in ("feature", "rival", "person", "sentence", "label", "why") if c in table]
        hostile[name] = table.assign(**{c: table[c].astype(str) + bad for c in text})
    browser.open(report_of(hostile))
    assert browser.all("#broken") == []
    assert browser.texts("#sheet h3")[0] == f"Where person 4{bad} stands"
    browser.one("#next").click()
    assert browser.texts("#sheet h3")[0] == f"Where person 21{bad} stands"
    browser.driver.refresh()
    assert browser.texts("#sheet h3")[0] == f"Where person 21{bad} stands"
    assert browser.complaints() == []


def test_a_study_of_nobody_opens_without_a_complaint(browser, report_of, tables):
    browser.open(report_of({name: table.iloc[:0] for name, table in tables.items()}))
    assert "Nobody was asked about" in browser.one("#people").text
    assert browser.complaints() == []


def test_print_shows_every_scene(browser, report):
    browser.open(report)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = [scene.is_displayed() for scene in browser.all("#costs .scene")]
        assert shown == [True, True]
        assert not browser.one(".contents").is_displayed()
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


OVERLAPS = """
const found = [];
for (const svg of document.querySelectorAll("figure.plot svg")) {
  const texts = [...svg.querySelectorAll("text")]
    .map(e => [e.textContent, e.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0);
  const page = svg.getBoundingClientRect();
  texts.forEach(([one, a], k) => {
    if (a.left < page.left - 2 || a.right > page.right + 2) found.push([one, "the edge"]);
    for (const [other, b] of texts.slice(0, k)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const along = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // a line box is taller than its letters: lines of one text may touch
      if (across > 1 && along > 0.35 * Math.min(a.height, b.height)) found.push([one, other]);
    }
  });
}
return found;
"""


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_no_label_of_a_figure_lies_on_another(browser, report, width):
    browser.open(report, width)
    Select(browser.one("#scene-choice")).select_by_visible_text("all scenes")
    assert len(browser.all("figure.plot svg text")) > 50
    assert browser.run(OVERLAPS) == []
