"""A small lender behind the workbench: categories, gaps, inputs that pass by themselves."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection
from typing import Any

import numpy as np
import pandas as pd
import uvicorn
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import standfast as sf
from standfast.structure import parse
from standfast.workbench.serve import LOOPBACK, Place, hosts_of
from standfast.workbench.server import application
from standfast.workbench.service import Service
from standfast.workbench.world import Lasting, Member, World

TOKEN = "0123456789abcdefghij"
JOBS = ("clerk", "nurse", "none")
SCHEMA = sf.Schema(
    (
        sf.Feature("late", "count", lower=0, upper=9, direction="down"),
        sf.Feature("income", "positive", step=50, lower=0, upper=6000, when_missing="keep"),
        sf.Feature("job", "nominal", categories=JOBS),
        sf.Feature("savings", "positive", step=100, lower=0, upper=9000, direction="up", pace=300),
        sf.Feature("age", "count", mutable=False, drift=1 / 12),
    )
)
RECIPE = "from samples.workbench import SCHEMA as schema, models, percentiles as fitted\n\nimport "
RECIPE += "standfast as sf\n\nmodels, percentiles = models(), fitted()"


@cache
def table(n: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    found = pd.DataFrame(
        {
            "late": rng.poisson(1.5, n).clip(0, 9),
            "income": rng.integers(10, 110, n) * 50.0,
            "job": rng.choice(JOBS, n, p=[0.5, 0.3, 0.2]),
            "savings": rng.integers(0, 80, n) * 100.0,
            "age": rng.integers(18, 80, n),
        }
    )
    found.loc[rng.random(n) < 0.05, "income"] = np.nan
    return found


@cache
def labels() -> Any:
    people = table()
    pull = people["income"].fillna(2000) / 1000 + people["savings"] / 3000 - people["late"]
    pull -= 1.5 * (people["job"] == "none")
    noise = np.random.default_rng(1).normal(0, 0.7, len(people))
    return np.where(pull + noise > 1.2, 1, -1)


def _pipeline(model: Any) -> Any:
    encoded = make_column_transformer(
        (OneHotEncoder(), ["job"]),
        (SimpleImputer(), ["late", "income", "savings", "age"]),
    )
    return make_pipeline(encoded, model)


def fitted(seed: int, rows: Any = None) -> Any:
    """A small forest, on some of the people."""
    forest = RandomForestClassifier(5, max_depth=3, random_state=seed)
    rows = np.arange(len(table())) if rows is None else rows
    return _pipeline(forest).fit(table().iloc[rows], labels()[rows])


@cache
def models() -> dict[str, sf.Score]:
    scorecard = _pipeline(LogisticRegression(C=0.01, max_iter=5000)).fit(table(), labels())
    estimators = {"forest": fitted(0), "other forest": fitted(1), "scorecard": scorecard}
    return {name: sf.as_score(e, SCHEMA, favourable=1) for name, e in estimators.items()}


@cache
def percentiles() -> sf.Percentiles:
    return sf.Percentiles.fit(table())


@cache
def world() -> World:
    people = table(60, seed=5).set_axis([f"p{i}" for i in range(60)])
    members = tuple(Member(name, score, "sample", 0.1) for name, score in models().items())
    return World("A small lender", SCHEMA, percentiles(), people, members, RECIPE, (), "")


@cache
def fresh() -> tuple[sf.Part, sf.Part, sf.Part]:
    rng = np.random.default_rng(2)
    drawn = [
        sf.as_score(fitted(10 + k, rng.integers(0, 400, 400)), SCHEMA, favourable=1)
        for k in range(24)
    ]
    names = ("search", "choose", "certify")
    return tuple(sf.Part(name, drawn[k::3]) for k, name in enumerate(names))  # type: ignore[return-value]


@cache
def service() -> Service:
    """With fresh models, and everything prepared."""
    made = Service(world(), lambda: Lasting.build(world(), *fresh()))
    made.answered()
    while made.state == "preparing":
        time.sleep(0.02)
    assert made.state == "ready", made._drawn.exception()
    return made


def refused() -> int:
    """The first person whom the reference refuses and who can be helped."""
    X, _ = world().rows
    return int(np.flatnonzero(~models()["forest"].accepts(X))[0])


@dataclass(frozen=True)
class Running:
    """A workbench that listens, and who asks it."""

    port: int
    server: Any

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/?token={TOKEN}"

    def send(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = HTTPConnection(LOOPBACK, self.port, timeout=120)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def ask(self, name: str, body: Any) -> tuple[int, Any]:
        import json

        status, _, text = self.send(
            "POST",
            f"/api/{name}",
            json.dumps(body).encode(),
            Content_Type="application/json",
            X_Standfast_Token=TOKEN,
        )
        return status, parse(text.decode())

    def get(self, path: str) -> tuple[int, str]:
        status, _, text = self.send("GET", path, X_Standfast_Token=TOKEN)
        return status, text.decode()


@contextmanager
def running(given: Service | Callable[[], Service], port: int = 0) -> Iterator[Running]:
    """The service, or what makes it, behind a real server on a thread."""
    with Place(port=port).bind() as listening:
        port = listening.getsockname()[1]
        made = (lambda: given) if isinstance(given, Service) else given
        app = application(made, TOKEN, hosts_of(LOOPBACK, port))
        config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield Running(port, server)
        finally:
            server.should_exit = server.force_exit = True
            thread.join(30)
