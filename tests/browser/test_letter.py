"""Letters on paper and on a phone."""

import base64
import re
from dataclasses import replace

import pytest
from samples.letters import PEOPLE, advice_for

from standfast import letters
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
