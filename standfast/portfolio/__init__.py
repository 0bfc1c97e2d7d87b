"""Folders of people: advice for millions, on one machine or on an engine that is there already."""

from standfast.portfolio.advice import Advice
from standfast.portfolio.block import Block, Request
from standfast.portfolio.evaluation import certify, multiplicity, transfer
from standfast.portfolio.run import ROWS, run
from standfast.portfolio.summary import Summary
from standfast.portfolio.travelling import load, save

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
