"""Does the workbench work where it is used: in a browser, by hand, by keyboard, on a phone?"""

import json
import re
from importlib.resources import files
from urllib.parse import unquote, urlsplit

import pytest
from samples import workbench as sample
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.ui import WebDriverWait

from standfast.workbench import person

WIDE, PHONE = 1280, 390
SCREENS = ("person", "models", "price", "promises")
# what each screen shows when it is complete
DONE = {
    "person": "return !document.querySelector('[aria-busy=true]') && document.querySelectorAll("
    "'.advised .say').length >= 5 && document.querySelector('.pv-reason') !== null",
    "models": "return document.querySelector('.matrix') !== null",
    "price": "return document.querySelectorAll('.chart circle.all').length >= 7",
    "promises": "return document.querySelector('pre, .numbers, .problem') !== null",
}


@pytest.fixture(scope="module")
def server():
    with sample.running(sample.service()) as found:
        yield found


@pytest.fixture(scope="module")
def page(browser, server):
    """The workbench, opened with its token; every request is written down."""
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.open(server.address)
    base = f"http://127.0.0.1:{server.port}/"

    def opened(hash_: str, width: int = WIDE, theme: str = "light"):
        media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.open(f"{base}#{hash_}", width)
        screen = (re.findall("screen=([a-z]+)", hash_) or ["person"])[0]
        wait(browser, DONE[screen])
        return browser

    yield opened
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def wait(browser, script: str) -> None:
    WebDriverWait(browser.driver, 120, 0.05).until(lambda driver: driver.execute_script(script))


def who() -> int:
    return sample.refused()


def foreign(browser, server) -> list[str]:
    """The addresses of requests that went elsewhere."""
    stated = "return performance.getEntriesByType('resource').map(e => e.name)"
    names = [str(name) for name in browser.run(stated)]
    assert names
    own = f"127.0.0.1:{server.port}"
    return [n for n in names if urlsplit(n).netloc != own and not n.startswith("data:")]


AXE = """
const done = arguments[arguments.length - 1];
axe.run(document).then(found => done([found.passes.length, found.violations
  .filter(one => ["serious", "critical"].includes(one.impact))
  .map(one => [one.id, one.nodes.slice(0, 3).map(node => node.html)])]));
"""


def serious(browser) -> list[object]:
    """What axe-core objects to seriously; it is run as the browser's console would."""
    script = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    # the page's own policy lets no script in
    browser.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": script})
    browser.driver.set_script_timeout(120)
    passed, found = browser.driver.execute_async_script(AXE)
    assert passed > 10
    return list(found)


def test_axe_would_find_a_button_without_a_name(page):
    browser = page(f"screen=promises&person={who()}")
    browser.run("document.querySelector('main').append(document.createElement('button'))")
    assert [one[0] for one in serious(browser)] == ["button-name"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, PHONE])
@pytest.mark.parametrize("screen", SCREENS)
def test_every_screen_opens_without_a_complaint(page, server, screen, width, theme):
    browser = page(f"screen={screen}&person={who()}&tried=0:1", width, theme)
    assert browser.complaints() == []
    assert foreign(browser, server) == []
    wide, least = browser.run("return [document.scrollingElement.scrollWidth, innerWidth]")
    assert wide <= least == width
    assert browser.one("nav a[aria-current=page]").is_displayed()
    if width == WIDE:
        assert serious(browser) == []


def test_the_person_screen_says_what_the_library_says(page):
    browser = page(f"screen=person&person={who()}")
    service = sample.service()
    for key in ("reference", "all", "lasting", "later", "spheres"):
        stated = person.advise(service, {"person": who(), "method": key})
        card = f"[data-method={key}]"
        assert browser.texts(f"{card} .say") == [stated["sentence"]]
        assert browser.texts(f"{card} .cost") == [f"cost {stated['cost']:.2f}"]
        assert browser.texts(f"{card} .pv-region") == [f"Room: {stated['region']}"]
        assert browser.texts(f"{card} .pv-certificate") == [f"Certificate: {stated['certificate']}"]
    assert browser.texts("[data-method=later] .pv-ways th") == [
        "now",
        "in 3 months",
        "in 6 months",
        "in 12 months",
    ]
    assert browser.texts(".pv-reason") == [person.reasons(service, {"person": who()})["sentence"]]


def test_values_are_tried_by_hand_and_kept_in_the_address(page):
    browser = page(f"screen=person&person={who()}")
    box = browser.one("[data-input=late] .pv-box")
    box.clear()
    box.send_keys("0" + Keys.ENTER)
    wait(browser, "return document.querySelectorAll('.pv-verdicts td').length === 6")
    wait(browser, "return !document.querySelector('.pv-said').textContent.includes('…')")
    X, _ = sample.world().rows
    y = X[who()].copy()
    y[0] = 0.0
    stated = person.tried(sample.service(), {"person": who(), "tried": y.tolist()})
    said = ["accepts" if one["accepts"] else "refuses" for one in stated["verdicts"]]
    assert browser.texts(".pv-verdicts td:last-child") == said
    assert f"These values cost {stated['cost']:.2f}." in browser.one(".pv-said").text
    assert "tried=0:0" in browser.driver.current_url
    browser.driver.refresh()
    wait(browser, DONE["person"])
    wait(browser, "return document.querySelectorAll('.pv-verdicts td').length === 6")
    assert browser.one("[data-input=late] .pv-box").get_attribute("value") == "0"
    browser.one(".pv-reset").click()
    wait(browser, "return document.querySelectorAll('.pv-verdicts td').length === 3")
    assert "tried" not in browser.driver.current_url


def test_a_slider_is_moved_by_keyboard(page):
    browser = page(f"screen=person&person={who()}")
    slider = browser.one("[data-input=savings] .pv-slider")
    before = float(browser.one("[data-input=savings] .pv-box").get_attribute("value"))
    slider.send_keys(Keys.ARROW_RIGHT)
    after = float(browser.one("[data-input=savings] .pv-box").get_attribute("value"))
    assert after > before
    assert slider.get_attribute("aria-valuetext") == f"{after:g}"
    slider.send_keys(Keys.ARROW_LEFT)
    assert float(browser.one("[data-input=savings] .pv-box").get_attribute("value")) == before


@pytest.mark.parametrize("text", ["abc", "1e999", "<b>1</b>"])
def test_what_is_no_number_gets_a_sentence(page, text):
    browser = page(f"screen=person&person={who()}")
    box = browser.one("[data-input=income] .pv-box")
    box.clear()
    box.send_keys(text + Keys.ENTER)
    assert f"income: “{text}” is not a number." in browser.one("[data-input=income]").text
    assert box.get_attribute("aria-invalid") == "true"
    assert browser.complaints() == []


def test_what_the_server_refuses_gets_a_sentence(page):
    browser = page(f"screen=person&person={who()}")
    box = browser.one("[data-input=late] .pv-box")
    box.clear()
    box.send_keys("2.5" + Keys.ENTER)
    wait(browser, "return document.querySelector('.pv-said .pv-problem') !== null")
    assert "must be a whole number" in browser.one(".pv-said .pv-problem").text


def test_cant_do_that_and_only_this_much_bring_other_advice(page):
    browser = page(f"screen=person&person={who()}")
    service = sample.service()
    free = person.advise(service, {"person": who()})
    X, _ = sample.world().rows
    j = next(j for j, value in enumerate(free["values"]) if value != X[who(), j])
    name = sample.SCHEMA.names[j]
    browser.one(f"[data-input={name}] .pv-cant").click()
    kept = person.advise(service, {"person": who(), "keep": [name]})
    assert kept["sentence"] != free["sentence"]
    shown = "return document.querySelector('[data-method=reference] .say')?.textContent"
    wait(browser, f"{shown} === {json.dumps(kept['sentence'])}")
    assert browser.one(f"[data-input={name}] .pv-cant").get_attribute("aria-pressed") == "true"
    assert f"keep={j}" in browser.driver.current_url
    browser.one(f"[data-input={name}] .pv-cant").click()
    wait(browser, f"{shown} === {json.dumps(free['sentence'])}")
    browser.one("[data-input=income] .pv-only").click()
    ends = browser.all("[data-input=income] .pv-range input")
    assert [end.is_displayed() for end in ends] == [True, True]
    for end, text in zip(ends, ("0", "2000"), strict=True):
        end.clear()
        end.send_keys(text + Keys.TAB)
    limit = {"input": "income", "lower": 0.0, "upper": 2000.0}
    limited = person.advise(service, {"person": who(), "only": [limit]})
    wait(browser, f"{shown} === {json.dumps(limited['sentence'])}")
    assert "only=1:0:2000" in unquote(browser.driver.current_url)


def test_advice_is_shown_on_the_strips_and_tried(page):
    browser = page(f"screen=person&person={who()}&method=all")
    stated = person.advise(sample.service(), {"person": who(), "method": "all"})
    X, _ = sample.world().rows
    moved = [j for j, value in enumerate(stated["values"]) if value != X[who(), j]]
    assert len(browser.all(".pv-inputs .pv-goal")) == len(moved)
    browser.one("[data-method=all] [data-part=take]").click()
    wait(browser, "return document.querySelectorAll('.pv-verdicts .pv-yes').length >= 3")
    assert browser.texts(".pv-verdicts td:last-child") == ["accepts"] * 3


def test_one_can_go_from_person_to_person_and_on_from_tried_values(page):
    browser = page(f"screen=person&person={who()}")
    Select(browser.one("#person")).select_by_index(who() + 1)
    label = f"p{who() + 1}"
    wait(browser, f"return document.querySelector('h3')?.textContent.includes('{label} ')")
    assert f"person={who() + 1}" in browser.driver.current_url
    browser = page(f"screen=person&person={who()}&tried=0:1")
    next(b for b in browser.all(".bar button") if b.text == "Advise from here").click()
    wait(browser, "return document.querySelector('h3')?.textContent.includes('typed by hand')")
    assert "values=1," in browser.driver.current_url


def test_models_are_switched_off_and_the_cost_falls(page):
    browser = page(f"screen=models&person={who()}")
    cost = "return Number(document.querySelectorAll('.numbers dd')[2].firstChild.textContent)"
    before = browser.run(cost)
    for k in (1, 2):
        browser.one(f"#model-{k}").click()
    wait(browser, "return location.hash.includes('members=0')")
    wait(browser, f"return (() => {{ {cost} }})() < {before}")
    assert not browser.one("#model-0").is_enabled()
    assert "of fresh models accept" in browser.one(".numbers").text


def test_the_dial_of_broken_promises_moves_the_choice(page):
    browser = page(f"screen=price&person={who()}&breach=0")
    assert len(browser.all(".chart circle.own")) >= 2
    assert "cheapest today" in browser.one("main").text
    slider = browser.one("#breach")
    slider.send_keys(Keys.END)
    wait(browser, "return document.querySelector('output').textContent === '2.00'")
    assert "breach=2" in browser.driver.current_url


def test_the_page_can_be_left_and_reached_by_keyboard(page):
    browser = page(f"screen=person&person={who()}")
    unnamed = """return [...document.querySelectorAll("button, select, a, summary, input")]
        .filter(e => !(e.textContent.trim() || e.labels?.length || e.getAttribute("aria-label")))
        .map(e => e.outerHTML)"""
    assert browser.run(unnamed) == []
    links = browser.texts("nav a")
    assert links == ["Person", "Models", "Price of lasting", "Promises"]


def test_the_exports_are_what_the_page_shows(page, server):
    browser = page(f"screen=person&person={who()}&method=all&keep=0")
    address = [a.get_attribute("href") for a in browser.all(".far a")]
    for link, words in zip(address, ("<html", "person,method", "sf.Unanimous"), strict=True):
        status, text = server.get(link.partition(str(server.port))[2])
        assert status == 200
        assert words in text
    assert "keep={'late'}" in text


def test_a_stopped_server_is_said_and_the_page_goes_on_when_it_is_back(browser):
    with sample.running(sample.service()) as first:
        browser.open(first.address)
        wait(browser, DONE["person"])
    browser.run("document.querySelector('.pv-cant').click()")
    wait(browser, "return !document.querySelector('#lost').hidden")
    assert "The server does not answer." in browser.one("#lost").text
    with sample.running(sample.service(), first.port):
        wait(browser, "return document.querySelector('#lost').hidden")
        wait(browser, DONE["person"])
    browser.complaints()


def test_markup_in_every_text_stays_text(browser):
    import pandas as pd

    import standfast as sf
    from standfast.workbench.service import Service
    from standfast.workbench.world import Member, World

    bad = "<img src=x onerror=document.title='broken'><b id=broken>"
    job = sf.Feature(f"job{bad}", "nominal", categories=(f"a{bad}", f"b{bad}"))
    late = sf.Feature(f"late{bad}", "count", label=f"late{bad}")
    schema = sf.Schema((late, job))
    table = pd.DataFrame({f"late{bad}": [0, 1, 4, 9], f"job{bad}": [f"a{bad}", f"b{bad}"] * 2})
    people = table.set_axis([f"{k}{bad}" for k in range(4)])
    score = sf.Additive((lambda x: -x, lambda x: 0.0 * x), 2.5)
    members = (Member(f"model{bad}", score), Member(f"other{bad}", sf.Linear([-1.0, 0.0], 3.5)))
    made = World(f"world{bad}", schema, sf.Percentiles.fit(table), people, members, "", (bad,))
    with sample.running(Service(made)) as server:
        browser.open(server.address)
        wait(browser, "return document.querySelectorAll('.advised .say').length >= 3")
        for screen in SCREENS:
            browser.run(f"location.hash = '#screen={screen}&person=3'")
            wait(browser, f"return document.title.startsWith({json.dumps(screen.title()[:5])})")
        assert browser.all("#broken, main img") == []
        assert "broken" not in browser.driver.title
    browser.complaints()
