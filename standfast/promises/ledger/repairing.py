"""Repairing: top-ups are issued to the people whose promises a model breaks, and close those."""

from dataclasses import replace

import pandas as pd
import sqlalchemy as sa

from standfast.errors import InputError
from standfast.promises.ledger import states, tables
from standfast.promises.ledger.contents import Contents
from standfast.promises.ledger.issuing import Issue
from standfast.promises.ledger.keys import Keyring
from standfast.promises.ledger.store import Store, among
from standfast.promises.ledger.terms import Issued
from standfast.promises.ledger.times import Period


def repair(store: Store, keyring: Keyring, given: Contents, valid_for: Period) -> Issued:
    """Issue what is labelled by promise numbers to the people of those promises."""
    if given.terms.replaces is not None:
        raise InputError("the labels say which promises are repaired; leave replaces out")
    contents = given.advised()
    numbers = contents.index.tolist()
    states.check_numbers(numbers)
    terms = replace(contents.terms, replaces=pd.Series(numbers, contents.index), repairs=True)
    whose = _pseudonyms(store, numbers)
    absent = [number for number in numbers if number not in whose]
    if absent:
        raise InputError(f"there is no promise {absent[0]} in the ledger; check its number")
    issue = Issue(replace(contents, terms=terms), [whose[n] for n in numbers], valid_for)
    return issue.run(store, keyring)


def _pseudonyms(store: Store, numbers: list[int]) -> dict[int, bytes]:
    """Whose promises these are."""
    decisions, subjects = tables.decisions, tables.subjects
    with store.reading() as connection:
        rows = connection.execute(
            sa.select(decisions.c.number, subjects.c.pseudonym)
            .join_from(decisions, subjects, decisions.c.subject == subjects.c.id)
            .where(among(connection, decisions.c.number, numbers))
        )
        return {row.number: row.pseudonym for row in rows}
