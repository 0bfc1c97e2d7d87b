"""Whatever is asked, the answer is an answer or one sentence."""

import json
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples.workbench import SCHEMA, TOKEN

from standfast.workbench.question import BODY
from standfast.workbench.server import EXPORTS, PROMISED, QUICK, SEARCHED

ENDPOINTS = sorted([*QUICK, *SEARCHED, *PROMISED])
FEW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
anything = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
numbers = st.none() | st.floats(-1e16, 1e16) | st.integers(-10, 10_000)
name = st.sampled_from([*SCHEMA.names, "nobody"])
likely = {
    "person": st.integers(-1, 70),
    "values": st.lists(numbers, min_size=4, max_size=6),
    "tried": st.lists(numbers, min_size=5, max_size=5),
    "keep": st.lists(name, max_size=3),
    "only": st.lists(
        st.fixed_dictionaries({"input": name}, optional={"lower": numbers, "upper": numbers}),
        max_size=2,
    ),
    "members": st.lists(st.integers(-1, 4), max_size=3),
    "method": st.sampled_from(["reference", "all", "lasting", "later", "recourse", "spheres", "x"]),
    "validity": st.sampled_from([0.5, 0.9, 0.33, 2]),
    "candidate": st.integers(-1, 5),
    "require": st.text(max_size=20) | st.just("kept >= 0.5"),
}
bodies = st.fixed_dictionaries({}, optional=likely) | st.fixed_dictionaries(
    {}, optional=dict.fromkeys(likely, anything)
)


def check(status: int, text: str) -> None:
    assert status in (200, 202) or 400 <= status < 500, (status, text)
    if status >= 400:
        shown = json.loads(text)["error"]
        assert shown
        assert "\n" not in shown
        assert "Traceback" not in shown


def test_every_field_of_a_request_is_fuzzed():
    assert set(likely) | {"breach_cost"} == set(BODY.optional)


@FEW
@given(endpoint=st.sampled_from(ENDPOINTS), body=bodies | anything)
def test_any_json_is_answered_or_refused(server, endpoint, body):
    shown = {"Content_Type": "application/json", "X_Standfast_Token": TOKEN}
    status, _, text = server.send("POST", f"/api/{endpoint}", json.dumps(body).encode(), **shown)
    check(status, text.decode())


@FEW
@given(endpoint=st.sampled_from(ENDPOINTS), body=st.binary(max_size=200))
def test_any_bytes_are_refused(server, endpoint, body):
    shown = {"Content_Type": "application/json", "X_Standfast_Token": TOKEN}
    status, _, text = server.send("POST", f"/api/{endpoint}", body, **shown)
    check(status, text.decode())


@FEW
@given(export=st.sampled_from(sorted(EXPORTS)), body=bodies | anything)
def test_any_address_of_an_export_is_answered_or_refused(server, export, body):
    status, text = server.get(f"/export/{export}?q={quote(json.dumps(body))}")
    check(status, text if status >= 400 else "")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_0, '{"person": 1, "person": 2}', '"\\ud800"', "NaN", '{"person": 1e999}'],
)
def test_odd_json_is_refused_with_a_sentence(server, text):
    shown = {"Content_Type": "application/json", "X_Standfast_Token": TOKEN}
    status, _, answer = server.send("POST", "/api/person", text.encode(), **shown)
    assert 400 <= status < 500
    check(status, answer.decode())
