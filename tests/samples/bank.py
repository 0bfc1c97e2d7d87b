"""A bank's table with everything in it, its schema, and its laws written once more by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from standfast.datasets import twin
from standfast.schema import Feature, Schema

JOBS = ("none", "clerk", "night nurse", "driver, own van", "NA", "pilot")  # "NA" is a name here
HOMES = ("rent", "own", "family", "other")
SCHOOLS = ("school", "college", "university")
MOVES = {"rent": {"own": 0.9, "family": 0.2}, "family": {"rent": 0.3, "own": 0.6}, "other": {}}
NEVER = 999
MONEY = ("savings", "checking", "assets")
Judge = Callable[[pd.DataFrame, pd.DataFrame], "pd.Series[bool]"]


@dataclass(frozen=True)
class World:
    """A table as it was fitted on, who was favoured, its schema, and its laws in plain pandas."""

    name: str
    table: pd.DataFrame
    labels: Any
    schema: Schema
    laws: dict[str, Judge]
    people: Callable[[int, int], pd.DataFrame]

    @property
    def texts(self) -> list[str]:
        return [f.name for f in self.schema if f.coder and f.name not in ("phone", "branch")]

    @property
    def numbers(self) -> list[str]:
        return [f.name for f in self.schema if f.coder is None]

    def wrong(self, before: pd.DataFrame, after: pd.DataFrame) -> dict[str, int]:
        """How many rows of advice break which law; nothing here asks the schema's own code."""
        found = {name: int((~law(before, after)).sum()) for name, law in self.laws.items()}
        for f in self.schema:
            found |= {f"{f.name}: {what}": n for what, n in _wrong(f, self.table, before, after)}
        return {what: n for what, n in found.items() if n}


def _wrong(f: Feature, table: pd.DataFrame, before: Any, after: Any) -> list[tuple[str, int]]:
    x, y = before[f.name].astype(object), after[f.name].astype(object)
    gap, kept = (c.isna() | c.isin(f.missing) for c in (x, y))
    moved = ~((x == y) | (x.isna() & y.isna()))
    was, now = gap & moved, moved & ~kept
    found = [("becomes missing", int((kept & moved).sum()))]
    if not f.mutable:
        found.append(("may not change", int(moved.sum())))
    if f.when_missing != "fill":
        found.append(("is filled", int(was.sum())))
    if f.categories is not None:
        found.append(("unknown category", int((~y[now].isin(f.categories)).sum())))
        if f.transitions is not None:
            odd = [
                b not in dict(dict(f.transitions).get(a, ()))
                for a, b in zip(x[now & ~gap], y[now & ~gap], strict=True)
            ]
            found.append(("forbidden transition", sum(odd)))
    where = list(f.categories).index if f.categories is not None else float
    if f.direction != "any":
        sign = 1 if f.direction == "up" else -1
        pairs = zip(x[now & ~gap], y[now & ~gap], strict=True)
        found.append(("wrong way", sum(sign * (where(b) - where(a)) < 0 for a, b in pairs)))
    if f.categories is None:
        new, known = y[now].astype(float), table[f.name].astype(float)
        known = known[~known.isin(f.missing)]
        low = f.lower if f.lower is not None else known.min()
        high = f.upper if f.upper is not None else known.max()
        step = f.step or 1.0
        found.append(("out of range", int(((new < low) | (new > high)).sum())))
        found.append(
            ("off its step", int(((new / step - (new / step).round()).abs() > 1e-6).sum()))
        )
    return found


def _drawn(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "income": np.round(rng.lognormal(7.6, 0.6, n), -1),
            "savings": np.round(rng.lognormal(7, 2, n)).clip(0, 900_000),
            "checking": np.round(rng.lognormal(6, 1.5, n)).clip(0, 90_000),
            "age": rng.integers(18, 80, n),
            "pdays": np.where(rng.random(n) < 0.5, NEVER, rng.integers(0, 60, n)),
            "load": rng.beta(2, 3, n).round(2),
            "job": rng.choice(JOBS, n, p=[0.15, 0.3, 0.2, 0.2, 0.1, 0.05]),
            "home": rng.choice(HOMES, n, p=[0.45, 0.25, 0.2, 0.1]),
            "school": rng.choice(SCHOOLS, n),
            "phone": rng.random(n) < 0.6,
            "branch": rng.choice([3, 7, 11], n),
        }
    )
    table["assets"] = table["savings"] + table["checking"]
    table["tenure"] = np.minimum(rng.integers(0, 40, n), table["age"] - 16)
    low = table["job"] == "none"
    table["income"] = table["income"].mask(low, np.minimum(table["income"], 1500.0))
    return table


def _gapped(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng([seed, 1])
    for column, share in (("income", 0.08), ("job", 0.07), ("load", 0.1)):
        table.loc[rng.random(len(table)) < share, column] = np.nan
    table.loc[rng.random(len(table)) < 0.1, "home"] = "unknown"
    kinds = {
        "home": pd.CategoricalDtype([*HOMES[::-1], "unknown"]),
        "school": pd.CategoricalDtype(SCHOOLS),
    }
    return table.astype(kinds)


def bank(n: int = 1500, seed: int = 0) -> World:
    """Text, truth values, categories, tokens, wide amounts that add up, rules and coupled moves."""
    table = _drawn(n, seed)
    rng = np.random.default_rng([seed, 2])
    pull = np.log(table["income"].clip(100)) - 7.6 + 0.25 * np.log1p(table["assets"]) - 2.2
    pull += 0.6 * (table["home"] == "own") - 0.8 * (table["job"] == "none") - 1.2 * table["load"]
    pull += 0.3 * (table["school"] == "university") + 0.2 * table["phone"] + table["tenure"] / 60
    pull -= 0.4 * (table["pdays"] == NEVER) + 0.3 * (table["branch"] == 7)
    good = pull + rng.normal(0, 0.5, n) > 0.2
    schema = Schema(
        (
            Feature("income", "positive", step=10, when_missing="fill"),
            Feature("savings", "positive", step=1, upper=1_000_000, lower=0),
            Feature("checking", "positive", step=1, lower=0, upper=100_000),
            Feature("age", "count", direction="up", valid=(18, 120)),
            Feature("pdays", "count", direction="down", missing=(NEVER,), when_missing="keep"),
            Feature("load", "real", step=0.01, lower=0, upper=1, when_missing="keep"),
            Feature("job", "nominal", categories=JOBS, when_missing="fill", fill_price=0.1),
            Feature("home", "nominal", categories=HOMES, transitions=MOVES, missing=("unknown",),
                    when_missing="fill"),
            Feature("school", "ordinal", categories=SCHOOLS, direction="up"),
            Feature("phone", "nominal", categories=(True, False), price=0.05),
            Feature("branch", "nominal", False, categories=(7, 3, 11)),
            Feature("assets", "positive", step=1, lower=0, upper=1_100_000),
            Feature("tenure", "count", direction="up"),
        ),
        ("assets == savings + checking", "tenure <= age - 16"),
        rules=("if job == none then income <= 1500", "if school == university then age >= 21",
               "load <= 0.9 or home == family"),
        changes=("age == tenure",),
    )  # fmt: skip
    return World("bank", _gapped(table, seed), np.where(good, "yes", "no"), schema, LAWS,
                 lambda n, seed: _gapped(_drawn(n, seed), seed))  # fmt: skip


def _number(column: Any) -> Any:
    return column.astype(float)


LAWS: dict[str, Judge] = {
    "assets": lambda _, y: _number(y["assets"]) == _number(y["savings"]) + _number(y["checking"]),
    "tenure": lambda _, y: _number(y["tenure"]) <= _number(y["age"]) - 16,
    "no job": lambda _, y: ~((y["job"] == "none") & (_number(y["income"]) > 1500)),
    "student": lambda _, y: ~((y["school"] == "university") & (_number(y["age"]) < 21)),
    "burden": lambda _, y: ~((_number(y["load"]) > 0.9) & (y["home"] != "family")
                             & (y["home"] != "unknown")),
    "years": lambda x, y: _number(y["age"]) - _number(x["age"])
    == _number(y["tenure"]) - _number(x["tenure"]),
}  # fmt: skip


def german(n: int = 1000, seed: int = 0) -> World:
    """The twin of German Credit, with seventeen columns of categories."""
    data = twin("german_credit", n=n, seed=seed)
    labels = np.where(np.asarray(data.labels) == 1, "yes", "no")
    return World("german", data.table, labels, data.schema, {},
                 lambda n, seed: twin("german_credit", n=n, seed=seed).table)  # fmt: skip
