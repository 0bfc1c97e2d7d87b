"""Does standfast workbench open, say what it cannot do, and leave everything as it was?"""

import os
import re
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from standfast.cli.workbench import OwnOptions, _some, service_of
from standfast.readers.files import save_model
from standfast.rivals import LevelSet
from standfast.workbench import exports, person
from standfast.workbench.serve import Place


def own(sandbox, **changes):
    given = {
        "schema": sandbox.path("schema.toml"),
        "table": sandbox.path("train.csv"),
        "model": [sandbox.path("model.skops")],
        "favourable": "1",
        "people": sandbox.path("people.csv"),
        "drop": ["label"],
    }
    return OwnOptions(**(given | changes))


def words(given):
    """The options as the command line has them."""
    found = []
    for name in ("schema", "table", "model", "favourable", "people", "drop"):
        values = getattr(given, name)
        for value in values if isinstance(values, list) else [values]:
            found += [f"--{name}", str(value)] if value is not None else []
    return found


def test_ones_own_data_is_opened(sandbox):
    service = service_of(own(sandbox))
    shown = person.world_facts(service)
    assert [one["name"] for one in shown["models"]] == ["model"]
    assert shown["notes"] == []
    assert {one["key"] for one in shown["methods"]} >= {"reference", "spheres", "recourse"}
    refused = next(k for k, one in enumerate(shown["people"]) if one["refused"])
    assert person.advise(service, {"person": refused})["outcome"] == "minimal"


def test_the_code_of_ones_own_data_runs(sandbox):
    service = service_of(own(sandbox))
    people = person.world_facts(service)["people"]
    body = {"person": next(k for k, one in enumerate(people) if one["refused"])}
    space = {}
    exec(exports.code(service, body), space)
    assert space["advice"].sentences().item() == person.advise(service, body)["sentence"]


def test_a_model_that_cannot_be_read_is_left_out_and_said(sandbox):
    broken = sandbox.path("broken.skops")
    broken.write_bytes(b"no model")
    service = service_of(own(sandbox, model=[broken, sandbox.path("model.skops")]))
    shown = person.world_facts(service)
    assert [one["name"] for one in shown["models"]] == ["model"]
    assert len(shown["notes"]) == 1
    assert shown["notes"][0].startswith("The model 'broken.skops' was left out: ")


def test_without_any_model_one_sees_where_people_stand(sandbox):
    broken = sandbox.path("broken.skops")
    broken.write_bytes(b"no model")
    service = service_of(own(sandbox, model=[broken]))
    shown = person.world_facts(service)
    assert shown["methods"] == []
    assert "No model could be read" in shown["notes"][-1]
    assert len(person.person(service, {"person": 0})["places"]) == 3


@pytest.fixture
def level_set(sandbox):
    built = sandbox.run(
        *("level-set", "build", sandbox.path("train.csv"), "--schema", sandbox.path("schema.toml")),
        *("--label", "label", "--favourable", 1, "--reference", sandbox.path("model.skops")),
        *("--grid", "boosting", "--epsilon", 0.2, "--risk-on", "training"),
        *("--out", sandbox.path("set")),
    )
    assert built.exit_code == 0, built.output
    return sandbox.path("set")


def test_a_level_set_brings_its_reference_and_its_rivals(sandbox, level_set):
    service = service_of(own(sandbox, model=[], favourable=None, level_set=level_set))
    built = LevelSet.load(level_set)
    members = service.world.members
    assert [one.name for one in members] == ["reference", *built.names]
    known = [built.reference, *built.rivals]
    assert [one.score.digest for one in members] == [score.digest for score in known]
    accuracy = built.candidates.set_index("name")["accuracy"]
    assert [one.risk for one in members[1:]] == [1.0 - accuracy[name] for name in built.names]
    people = person.world_facts(service)["people"]
    first = next(k for k, one in enumerate(people) if one["refused"])
    body = {"person": first, "method": "all", "members": [0, 1]}
    space = {}
    exec(exports.code(service, body), space)
    assert space["advice"].sentences().item() == person.advise(service, body)["sentence"]


def test_models_come_after_those_of_a_level_set(sandbox, level_set):
    service = service_of(own(sandbox, level_set=level_set))
    assert [one.name for one in service.world.members][-1] == "model"
    exec(service.world.recipe, space := {})
    assert list(space["models"]) == [one.name for one in service.world.members]


def test_a_level_set_that_cannot_be_read_is_left_out_and_said(sandbox):
    service = service_of(own(sandbox, level_set=sandbox.path("nowhere")))
    assert [one.name for one in service.world.members] == ["model"]
    assert service.world.notes[0].startswith("The level set was left out: --level-set '")
    assert "name a folder that 'standfast level-set build' wrote" in service.world.notes[0]


def test_a_model_that_can_only_be_asked_leaves_growing_spheres(sandbox):
    table = pd.read_csv(sandbox.path("train.csv"))
    model = KNeighborsClassifier(5).fit(table.drop(columns="label"), table["label"])
    save_model(model, sandbox.path("asked.skops"))
    trust = [
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
    ]
    service = service_of(own(sandbox, model=[sandbox.path("asked.skops")], trust=trust))
    shown = person.world_facts(service)
    assert [one["key"] for one in shown["methods"]] == ["spheres"]
    assert any("Cheapest for asked" in note for note in shown["notes"])
    refused = next(k for k, one in enumerate(shown["people"]) if one["refused"])
    found = person.advise(service, {"person": refused, "method": "spheres"})
    assert found["outcome"] == "found"
    assert "region" not in found


def test_a_million_rows_are_sampled_and_that_is_said(sandbox):
    n = 1_000_000
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"income": rng.integers(0, 9000, n) * 1.0, "debt": rng.random(n), "age": 40}
    )
    service = service_of(own(sandbox))
    some, said = _some(table, list(service.world.members), service.world.schema, True)
    assert len(some) <= 1000
    assert said == [
        f"The page lists {len(some)} refused people, evenly drawn from the 1,000,000 of the table; "
        "the strips and the costs count all of them."
    ]
    X = service.world.schema.matrix(some)
    assert not service.world.members[0].score.accepts(X).any()
    listed, said = _some(table.head(2000), [], service.world.schema, False)
    assert (len(listed), said) == (1000, ["The page lists the first 1000 of 2,000 people."])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"table": None}, "give --schema and --table"),
        ({"favourable": None}, "--favourable is missing"),
        ({"schema": None}, "give --schema and --table"),
    ],
)
def test_what_is_missing_is_said(sandbox, changes, sentence):
    result = sandbox.run("workbench", "--no-browser", *words(own(sandbox, **changes)))
    assert sentence in sandbox.sentence(result)


def test_a_ledger_needs_its_key(sandbox):
    given = [*words(own(sandbox)), "--ledger", sandbox.path("promises.db")]
    assert "--key" in sandbox.sentence(sandbox.run("workbench", "--no-browser", *given))


def test_a_port_in_use_is_said_before_anything_is_read(sandbox):
    with Place().bind() as taken:
        port = taken.getsockname()[1]
        result = sandbox.run("workbench", "--no-browser", "--port", port)
    assert f"cannot listen on 127.0.0.1 port {port}" in sandbox.sentence(result)
    assert "--port" in result.stderr


@pytest.mark.parametrize("token", ["short", "with blanks in it here", "<script>alert(1)</script>"])
def test_a_weak_token_is_refused(sandbox, token):
    result = sandbox.run("workbench", "--no-browser", "--token", token)
    assert "at least 16 letters and digits" in sandbox.sentence(result)


def test_it_serves_until_ctrl_c_without_a_browser_and_writes_nothing(sandbox):
    before = sandbox.listing()
    command = [sys.executable, "-c", "from standfast.cli import app; app()", "workbench"]
    nowhere = {**os.environ, "PATH": "/nowhere"}  # no browser is found there
    nowhere.pop("DISPLAY", None)
    nowhere.pop("BROWSER", None)
    running = subprocess.Popen(
        [*command, *words(own(sandbox))],
        stderr=subprocess.PIPE,
        text=True,
        cwd=sandbox.folder,
        env=nowhere,
    )
    try:
        lines = [running.stderr.readline() for _ in range(3)]
        address = re.search(r"http://127\.0\.0\.1:(\d+)/(\?token=[\w-]{20,})", lines[0])
        assert address, lines
        assert lines[1:] == [
            "stop it with Ctrl-C; nothing is written\n",
            "no browser was found; open the address yourself\n",
        ]
        connection = HTTPConnection("127.0.0.1", int(address[1]), timeout=60)
        connection.request("GET", f"/{address[2]}")
        answer = connection.getresponse()
        assert answer.status == 303
        answer.read()
        connection.close()
    finally:
        running.send_signal(signal.SIGINT)
        deadline = time.monotonic() + 60
        while running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        rest = running.stderr.read()
        running.stderr.close()
        running.kill()
    assert "Traceback" not in rest
    assert sandbox.listing() == before
