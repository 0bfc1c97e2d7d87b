"""Folders of people: advice for millions, on one machine or on an engine that is there already."""

from standfast.portfolio.travelling import load, save

__all__ = ["load", "save"]
