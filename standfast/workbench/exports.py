"""What can be taken away: a table, a letter, and the Python code that does the same."""

from dataclasses import replace
from typing import Any

import pandas as pd

from standfast.errors import InputError
from standfast.evaluation.reasons import reasons_of
from standfast.letters import compose
from standfast.recommendations import Recommendations
from standfast.workbench.code import program
from standfast.workbench.person import _certificate, recommend
from standfast.workbench.question import METHODS, Question, asked
from standfast.workbench.service import NotYetError, Service
from standfast.workbench.world import titles

LETTER_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-modals"
)
RISKY = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet take a text for a formula


def csv(service: Service, body: Any) -> str:
    """Every method's advice for one person, a row each."""
    question = asked(service.world, body)
    known = titles(service.world)
    rows = []
    for key in (key for key in METHODS if key in known):
        try:
            found = recommend(service, replace(question, method=key))
        except (InputError, NotYetError):
            continue
        frame = found.to_frame().drop(columns=["seconds"], errors="ignore")
        frame.insert(0, "method", known[key])
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
    question = asked(service.world, body)
    found = recommend(service, question)
    reasons = certificate = None
    if "reference" in service.world.methods:
        known = reasons_of(
            service.world.methods["reference"],
            _table(service, question),
            time_limit=service.seconds,
        )
        reasons = known.people().join(known.to_frame().drop(columns="blocking"), how="left")
        reasons = None if reasons.empty else known.to_frame()
    if found.found.iloc[0]:
        given = _certificate(service, found)
        certificate = None if given is None else given.to_frame()
    return _composed(found, reasons, certificate, service)


def _composed(
    found: Recommendations,
    reasons: pd.DataFrame | None,
    certificate: pd.DataFrame | None,
    service: Service,
) -> str:
    picture = service.world.ranks
    letters = compose(found, reasons=reasons, certificate=certificate, picture=picture)
    return letters[found.index[0]].html


def _table(service: Service, question: Question) -> pd.DataFrame:
    return question.table(service.world.schema)


def code(service: Service, body: Any) -> str:
    """A Python program that gives the same advice."""
    return program(service.world, asked(service.world, body))
