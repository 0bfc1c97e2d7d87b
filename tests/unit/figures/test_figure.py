"""A figure's files: SVG that parses, scales, keeps its text and meets no other; a PNG of 2x."""

import re
import struct
from xml.etree import ElementTree

import pytest

from standfast.figures.figure import at_home_anywhere

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"


@pytest.fixture(scope="module")
def roots(figures):
    return {one.name: ElementTree.fromstring(one.svg) for one in figures}


def test_every_svg_is_xml_that_begins_with_its_root(figures, roots):
    assert all(one.svg.startswith("<svg") for one in figures)
    assert all(root.tag == f"{SVG}svg" for root in roots.values())


def test_no_id_occurs_twice_in_a_page_with_all_figures(roots):
    ids = [node.get("id") for root in roots.values() for node in root.iter() if node.get("id")]
    assert len(ids) == len(set(ids)) > 50


def test_whatever_points_to_an_id_finds_it(figures, roots):
    for one in figures:
        root = roots[one.name]
        ids = {node.get("id") for node in root.iter()}
        links = {node.get(HREF, "") for node in root.iter()} - {""}
        aims = {link[1:] for link in links if link.startswith("#")}
        aims |= set(re.findall(r"url\(#([^)]+)\)", one.svg))
        assert aims
        assert aims <= ids


def test_the_root_scales_and_names_itself(figures, roots):
    for one in figures:
        root = roots[one.name]
        assert root.get("viewBox")
        assert root.get("width") is root.get("height") is None
        assert root.get("role") == "img"
        assert root.get("aria-label") == one.alt


def test_nothing_leaks_into_the_page(figures, roots):
    """A style sheet inside an inlined SVG would style the whole page."""
    for root in roots.values():
        assert root.find(f".//{SVG}style") is None
    assert not any("<metadata" in one.svg or "<!DOCTYPE" in one.svg for one in figures)


def test_text_stays_text(roots):
    said = {
        name: " ".join("".join(node.itertext()) for node in root.iter(f"{SVG}text"))
        for name, root in roots.items()
    }
    assert "reconstruction only" in said["transfer-twin_heloc-linear"]
    assert "test accuracy" in said["transfer-twin_heloc-linear"]
    assert "proven impossible" not in said["support_costs-twin_heloc"]


def test_no_text_is_smaller_than_nine_points(figures):
    for one in figures:
        sizes = [
            float(size) for size in re.findall(r"font(?:-size)?: ?(?:\w+ )*?([\d.]+)px", one.svg)
        ]
        assert min(sizes) >= 9
        assert len(sizes) > 5


def test_png_is_twice_as_wide_as_a_page(figures):
    for one in figures:
        assert one.png.startswith(b"\x89PNG")
        assert struct.unpack(">I", one.png[16:20])[0] == 1800


def test_alt_text_is_escaped_where_it_stands_in_the_svg():
    svg = '<?xml?><svg width="9pt" height="9pt" viewBox="0 0 9 9"><g id="a"/></svg>'
    ours = at_home_anywhere(svg, "one", "a < b & 'c' \"d\"")
    root = ElementTree.fromstring(ours)
    assert root.get("aria-label") == "a < b & 'c' \"d\""


def test_only_ids_that_are_used_stay():
    body = '<g id="a"/><g id="b"/><use xlink:href="#b"/><g clip-path="url(#c)"/><path id="c"/>'
    svg = f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">{body}</svg>'
    root = ElementTree.fromstring(at_home_anywhere(svg, "one", ""))
    assert {node.get("id") for node in root} == {None, "one-b", "one-c"}
    assert root.find("use").get(HREF) == "#one-b"
