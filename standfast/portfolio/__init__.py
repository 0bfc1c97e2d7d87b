"""Folders of people: advice for millions, on one machine or on an engine that is there already.

Examples
--------
>>> import tempfile
>>> from pathlib import Path
>>> import pandas as pd
>>> import standfast as sf
>>> folder, people = Path(tempfile.mkdtemp()), pd.DataFrame({"late": [0, 0, 1, 2, 3]})
>>> people.to_parquet(folder / "people.parquet")
>>> best = sf.MinimalCost(sf.Schema((sf.Feature("late", "count"),)), sf.Percentiles.fit(people))
>>> advisor = sf.prepare(best, sf.Linear([-1.0], 1.5))
>>> sf.portfolio.run(advisor, folder / "people.parquet", folder / "advice")
<Portfolio: 5 people in 1 of 1 parts: 2 minimal, 3 already_favourable>
>>> stricter = {"stricter": sf.Linear([-1.0], 0.5)}
>>> sf.portfolio.transfer(sf.portfolio.Advice(folder / "advice"), stricter).rivals.transfer.item()
0.0
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from standfast.portfolio.advice import Advice
from standfast.portfolio.block import Block, Request
from standfast.portfolio.evaluation import certify, multiplicity, transfer
from standfast.portfolio.run import ROWS, run
from standfast.portfolio.summary import Summary
from standfast.portfolio.travelling.folder import load, save

_ENGINES = ("dask", "spark")  # loaded when they are first asked for


def __getattr__(name: str) -> _Any:
    if name not in _ENGINES:
        raise AttributeError(f"module 'standfast.portfolio' has no attribute {name!r}")
    return _import_module(f"standfast.portfolio.{name}")


__all__ = [
    "ROWS",
    "Advice",
    "Block",
    "Request",
    "Summary",
    "certify",
    "load",
    "multiplicity",
    "run",
    "save",
    "transfer",
]
