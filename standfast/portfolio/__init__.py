"""Folders of people: advice for millions, on one machine or on an engine that is there already."""

from standfast.portfolio.block import Block, Request
from standfast.portfolio.run import run
from standfast.portfolio.summary import Summary
from standfast.portfolio.travelling import load, save

__all__ = ["Block", "Request", "Summary", "load", "run", "save"]
