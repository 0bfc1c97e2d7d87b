"""Folders of people: advice for millions, on one machine or on an engine that is there already."""

from importlib import import_module as _import_module
from typing import Any as _Any

from standfast.portfolio.advice import Advice
from standfast.portfolio.block import Block, Request
from standfast.portfolio.evaluation import certify, multiplicity, transfer
from standfast.portfolio.run import ROWS, run
from standfast.portfolio.summary import Summary
from standfast.portfolio.travelling import load, save

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
