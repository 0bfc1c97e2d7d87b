"""Letters on paper and on a phone."""

import base64
import re
from dataclasses import replace

import pandas as pd
import pytest
from samples.letters import PEOPLE, advice_for

from standfast import Percentiles, letters
from standfast.schema import Schema

LONG = "Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnung"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The addresses of letters in German, whose inputs have long names."""
    advice = advice_for(PEOPLE)
    features = tuple(replace(f, labels={"de": f"{LONG} {f.name}"}) for f in advice.schema)
    advice = replace(advice, schema=Schema(features))
    folder = tmp_path_factory.mktemp("letters") / "out"
    letters.compose(advice, language="de", valid_until="2027-05-31").write(folder)
    return [path.as_uri() for path in sorted(folder.glob("*.html"))]


@pytest.mark.parametrize("width", [390, 794])
def test_nothing_is_cut_off(browser, pages, width):
    for page in pages:
        browser.open(page, width)
        assert browser.run("return document.documentElement.scrollWidth") <= width
        assert browser.complaints() == []


def test_a_letter_is_one_page_of_a4(browser, pages):
    for page in pages:
        browser.open(page)
        printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
        pdf = base64.b64decode(printed["data"])
        assert pdf.count(b"/Type /Page\n") == 1
        size = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
        assert [round(float(side)) for side in size.groups()] == [595, 842]


def test_nothing_is_said_by_colour(browser, pages):
    browser.open(pages[0])
    script = """return [...new Set([...document.querySelectorAll("*")].flatMap((one) => {
        const style = getComputedStyle(one);
        return [style.color, style.backgroundColor, style.borderTopColor];
    }))]"""
    for colour in browser.run(script):
        red, green, blue = colour[colour.index("(") + 1 : -1].split(", ")[:3]
        assert red == green == blue


@pytest.mark.parametrize(("width", "least"), [(390, 330), (794, 440)])
def test_a_picture_fits_a_phone_and_paper(browser, tmp_path, width, least):
    advice = advice_for(PEOPLE)
    table = pd.DataFrame(
        {"income": [500.0, 2500.0], "late": [0, 3], "age": [20, 60], "job": "none"}
    )
    found = letters.compose(advice, language="de", picture=Percentiles.fit(table))
    (tmp_path / "letter.html").write_text(found["minimal"].html, encoding="utf-8")
    browser.open((tmp_path / "letter.html").as_uri(), width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    script = "return document.querySelector('figure svg').getBoundingClientRect().width"
    assert least <= browser.run(script) <= min(442, width)
    beyond = """const page = document.querySelector("figure svg").getBoundingClientRect();
        return [...document.querySelectorAll("figure svg text")].filter((one) => {
            const box = one.getBoundingClientRect();
            return box.left < page.left || box.right > page.right;
        }).map((one) => one.textContent)"""
    assert browser.run(beyond) == []
    assert browser.complaints() == []
