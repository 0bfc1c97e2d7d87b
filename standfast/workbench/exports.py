"""What can be taken away: a table, a letter, and the Python code that does the same."""

from dataclasses import replace
from typing import Any

import pandas as pd

from standfast.errors import InputError
from standfast.evaluation.reasons import reasons_of
from standfast.letters import compose
from standfast.workbench.code import program
from standfast.workbench.person import certificate, costs, recommend
from standfast.workbench.question import METHODS, asked
from standfast.workbench.refusals import NotYetError
from standfast.workbench.service import Service
from standfast.workbench.world import titles

RISKY = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet take a text for a formula


def csv(service: Service, body: Any) -> str:
    """Every method's advice for one person, a row each, with the cost that the page shows."""
    question = asked(service.world, body)
    known = titles(service.world)
    rows = []
    for key in METHODS:
        try:
            found = recommend(service, replace(question, method=key))
        except (InputError, NotYetError):  # this method cannot be asked
            continue
        frame = found.to_frame()[["outcome", "sentence", "remark", *service.world.schema.names]]
        frame.insert(0, "method", known[key])
        frame.insert(4, "cost", costs(service.world, found))
        rows.append(frame)
    if not rows:
        raise InputError("there is no method that can be asked, so there is no advice to write")
    table = pd.concat(rows)
    table.index.name = "person"
    return table.reset_index().map(_harmless).to_csv(index=False)


def _harmless(cell: Any) -> Any:
    """A text that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(RISKY) else cell


def letter(service: Service, body: Any) -> str:
    """One person's letter, as a page that can be printed."""
    world, question = service.world, asked(service.world, body)
    found = recommend(service, question)
    why = certified = None
    if "reference" in world.methods:
        table = question.table(world.schema)
        known = reasons_of(world.methods["reference"], table, time_limit=service.seconds)
        why = known.to_frame()
    if found.found.iloc[0]:
        given = certificate(service, found)
        certified = None if given is None else given.to_frame()
    letters = compose(found, reasons=why, certificate=certified, picture=world.ranks)
    return letters[found.index[0]].html


def code(service: Service, body: Any) -> str:
    """A Python program that gives the same advice."""
    return program(service.world, asked(service.world, body))
