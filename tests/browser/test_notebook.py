"""Does the person component work in a notebook's cell: drawn by its module, live by messages?"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import comm
import pytest
from comm.base_comm import BaseComm
from samples import workbench as sample
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import standfast as sf
from standfast.person_view.facts import Strips
from standfast.workbench import person

# a host as anywidget describes it: a model with get, on, off and send, and an element to draw in
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>cell</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><div id="cell"></div>
<script type="module">
import widget from "/widget.js";
const state = await (await fetch("/state")).json();
const listeners = new Set();
const model = {
  get: (name) => state[name],
  on: (name, listener) => listeners.add(listener),
  off: (name, listener) => listeners.delete(listener),
  send: async (content) => {
    const answer = await fetch("/message", { method: "POST", body: JSON.stringify(content) });
    for (const message of await answer.json()) for (const listener of listeners) listener(message);
  },
};
widget.render({ model, el: document.querySelector("#cell") });
</script></html>"""


class Wire(BaseComm):
    """A comm that keeps what the kernel sends."""

    def __init__(self, *given, **more):
        self.sent: list[dict] = []
        super().__init__(*given, **more)

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        self.sent.append(data or {})


@pytest.fixture
def cell(browser, monkeypatch):
    """A widget in a page of its own."""
    monkeypatch.setattr(comm, "create_comm", Wire)
    servers, widgets = [], []

    def shown(make):
        widget = make()
        widgets.append(widget)

        class Handler(BaseHTTPRequestHandler):
            def answer(self, kind, text):
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.end_headers()
                self.wfile.write(text.encode())

            def do_GET(self):
                state = json.dumps({"world": widget.world, "first": widget.first})
                self.answer(
                    *{
                        "/": ("text/html", PAGE),
                        "/widget.js": ("text/javascript", str(widget._esm)),
                        "/style.css": ("text/css", str(widget._css)),
                        "/state": ("application/json", state),
                    }[self.path]
                )

            def do_POST(self):
                content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                before = len(widget.comm.sent)
                data = {"method": "custom", "content": content}
                widget.comm.handle_msg({"content": {"data": data}, "buffers": []})
                new = widget.comm.sent[before:]
                stated = [one["content"] for one in new if one.get("method") == "custom"]
                self.answer("application/json", json.dumps(stated))

            def log_message(self, *given):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser.open(f"http://127.0.0.1:{server.server_port}/")
        wait(browser, "return document.querySelector('.advised') !== null")
        return browser

    yield shown
    for server in servers:
        server.shutdown()
        server.server_close()
    for widget in widgets:
        widget.close()


def wait(browser, script: str) -> None:
    WebDriverWait(browser.driver, 120, 0.05).until(lambda driver: driver.execute_script(script))


def advisor():
    method = sf.MinimalCost(sample.SCHEMA, sample.percentiles())
    models = sample.models()
    return sf.prepare(method, sf.Unanimous(tuple(models.values()), names=tuple(models)))


def test_an_advisor_is_explored_live(cell):
    browser = cell(lambda: advisor().explore(sample.world().people))
    who, service = sample.refused(), sample.service()
    stated = person.advise(service, {"person": who, "method": "all"})
    assert browser.texts(".advised .say") == [stated["sentence"]]
    assert browser.texts("h3")[0] == f"Where person p{who} stands"
    box = browser.one("[data-input=late] .pv-box")
    box.clear()
    box.send_keys("0" + Keys.ENTER)
    wait(browser, "return document.querySelectorAll('.pv-verdicts .pv-yes, .pv-no').length === 6")
    X, _ = sample.world().rows
    y = X[who].copy()
    y[0] = 0.0
    said = person.tried(service, {"person": who, "tried": y.tolist()})["verdicts"]
    words = ["accepts" if one["accepts"] else "refuses" for one in said]
    assert browser.texts(".pv-verdicts td:last-child") == words
    moved = [j for j, value in enumerate(stated["values"]) if value != X[who, j]]
    name = sample.SCHEMA.names[moved[0]]
    kept = person.advise(service, {"person": who, "method": "all", "keep": [name]})
    browser.one(f"[data-input={name}] .pv-cant").click()
    say = "return document.querySelector('.advised .say')?.textContent"
    wait(browser, f"{say} === {json.dumps(kept['sentence'])}")
    assert browser.complaints() == []


def test_another_person_is_asked_for(cell):
    browser = cell(lambda: advisor().explore(sample.world().people))
    other = sample.refused() + 1
    browser.run(
        "const s = document.querySelector('select'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('change'))",
        str(other),
    )
    wait(browser, f"return document.querySelector('h3').textContent.includes('p{other} ')")
    stated = person.advise(sample.service(), {"person": other, "method": "all"})
    assert browser.texts(".advised .say") == [stated["sentence"]]


def test_advice_that_is_there_is_shown_as_it_is(cell):
    people, score = sample.world().people, sample.models()["forest"]
    method = sf.MinimalCost(sample.SCHEMA, sample.percentiles())
    recs = sf.recommend(method, score, people)
    room = sf.region(recs, score, sample.percentiles())
    browser = cell(lambda: recs.explore(sample.percentiles(), models=sample.models(), region=room))
    label = f"p{sample.refused()}"
    assert browser.texts(".advised .say") == [recs.sentences()[label]]
    assert browser.texts(".pv-region") == [f"Room: {room.sentences()[label]}"]
    assert browser.all(".pv-box, .pv-cant, input") == []  # nothing can be tried
    assert len(browser.all(".advised details li")) == 3
    assert browser.complaints() == []


def test_without_percentiles_people_are_placed_among_themselves_and_that_is_said(cell):
    people = sample.world().people
    method = sf.MinimalCost(sample.SCHEMA, sample.percentiles())
    recs = sf.recommend(method, sample.models()["forest"], people)
    browser = cell(lambda: recs.explore())
    said = f"Places are among the {len(people)} people of this table."
    assert browser.texts(".twin-line") == [said]
    strips = Strips(sample.SCHEMA.complete(people), sf.Percentiles.fit(people))
    x = recs.matrices()[0][0]
    assert recs.explore().first["standing"]["places"] == strips.places(x)


def test_people_who_are_no_table_are_refused_with_a_sentence():
    with pytest.raises(sf.InputError, match="the people are an int; give a table"):
        advisor().explore(3)
