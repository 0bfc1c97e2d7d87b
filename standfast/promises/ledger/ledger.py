"""The ledger: what people were promised, what became of it, and proof that nothing was altered."""

import weakref
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pandas as pd

from standfast.errors import InputError, check_whole
from standfast.methods.region import Regions
from standfast.promises.ledger import acts, chain, gates, history, opening, states, times
from standfast.promises.ledger.chain import Pen
from standfast.promises.ledger.checking import Checked, check
from standfast.promises.ledger.contents import Contents
from standfast.promises.ledger.issuing import Issue, repair
from standfast.promises.ledger.keys import Keyring
from standfast.promises.ledger.reading import Reader
from standfast.promises.ledger.store import Store
from standfast.promises.ledger.terms import Evidence, Issued, Terms
from standfast.promises.ledger.verifying import Verified, verify
from standfast.promises.promise import Promises
from standfast.promises.verdict import GateRecord
from standfast.recommendations import Recommendations

BLOCK = 50_000
Numbers = int | Iterable[int]  # of promises


class Ledger:
    """The record of promises: append-only, tamper-evident, and private.

    A SQLite file by default, a PostgreSQL database by its address. Every event carries the hash of
    the one before. People stand in it by a keyed hash, and what their rows hold is encrypted with a
    key per person; `key` makes and reads both and is never stored. Made by `Ledger.create(url,
    key)` and opened again by `Ledger.open(url, key)`.

    Parameters
    ----------
    store, keyring : Store, Keyring
        The database, and the keys by which people are found and read.

    Examples
    --------
    >>> import standfast as sf
    >>> from standfast.promises.ledger import new_key
    >>> table = pd.DataFrame({"late": [0, 1, 2, 3]}, index=["ann", "bob", "cem", "dua"])
    >>> best = sf.MinimalCost(sf.Schema((sf.Feature("late", "count"),)), sf.Percentiles.fit(table))
    >>> advice = sf.recommend(best, sf.Linear([-1.0], 1.5), table)
    >>> ledger = Ledger.create("sqlite://", key=new_key())
    >>> ledger.issue(advice, valid_for="365 days")
    <Issued: Issued 2 promises and recorded 2 decisions without advice.>
    >>> len(ledger.open_promises())
    2
    """

    def __init__(self, store: Store, keyring: Keyring) -> None:
        self._store, self._keyring = store, keyring
        self._reader = Reader(store, keyring)
        weakref.finalize(self, store.close)  # who forgets to close it leaves nothing open

    @classmethod
    def create(cls, url: Any, key: Any, *, at: times.Moment = None) -> "Ledger":
        """A new ledger at a path or an address; one that is there is refused."""
        moment = times.instant(at, "at")
        with Store.at(url).closed_on_error() as store:
            return cls(store, opening.make(store, key, moment))

    @classmethod
    def open(cls, url: Any, key: Any) -> "Ledger":
        """The ledger at a path or an address, with the key that it was made with."""
        with Store.at(url).closed_on_error() as store:
            return cls(store, opening.enter(store, key))

    @classmethod
    def upgrade(cls, url: Any, key: Any, *, at: times.Moment = None, by: str = "") -> bool:
        """Bring a ledger of an earlier version to this one's tables; whether there was need to."""
        with closing(Store.at(url)) as store:
            return opening.upgrade(store, key, at, by)

    @property
    def where(self) -> str:
        """The ledger's address, without a password."""
        return self._store.where

    def close(self) -> None:
        """Let go of the database; the ledger can be used again all the same."""
        self._store.close()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def pseudonym(self, subject: Any) -> str:
        """The keyed hash that stands for a person in this ledger, as 64 hexadecimal digits."""
        return self._keyring.pseudonym(subject).hex()

    # promising

    def issue(
        self,
        recommendations: Recommendations,
        *,
        regions: Regions | None = None,
        valid_for: times.Period = "365 days",
        subjects: Any = None,
        evidence: Evidence | None = None,
        terms: Terms | None = None,
    ) -> Issued:
        """Record the decisions about people, and promise those with advice what it says.

        With `regions` a promise is the whole box, otherwise the advised point alone. `subjects`
        names the people, in order; the labels of the recommendations do it otherwise. A promise
        that is in the ledger already, and has not ended, is kept once. Batches of 25,000 are
        written whole or not at all; the same call again goes on where it stopped.
        """
        contents = Contents.of(recommendations, regions, evidence or Evidence(), terms or Terms())
        names = _named(contents.index, subjects)
        pseudonyms = [self._keyring.pseudonym(name) for name in names]
        times.later(times.instant(contents.terms.at, "at"), valid_for)
        return Issue(contents, pseudonyms, valid_for).run(self._store, self._keyring)

    def repair(
        self,
        recommendations: Recommendations,
        *,
        regions: Regions | None = None,
        valid_for: times.Period = "365 days",
        terms: Terms | None = None,
    ) -> Issued:
        """Issue top-ups in the place of promises that a model breaks, which count as repaired then.

        The recommendations are labelled by the numbers of those promises, as `top_up` gives them,
        and the people are theirs. Each batch is written whole or not at all, and what was repaired
        before is not repaired twice. Who got no top-up keeps the promise as it is.
        """
        contents = Contents.of(recommendations, regions, Evidence(), terms or Terms())
        times.later(times.instant(contents.terms.at, "at"), valid_for)
        return repair(self._store, self._keyring, contents, valid_for)

    # reading

    def blocks(self, on: times.Moment = None, size: int = BLOCK) -> Iterator[Promises]:
        """The open promises, so many at a time and in one schema each, in little memory."""
        check_whole(size=size)
        return self._reader.blocks(times.instant(on), size)

    def open_promises(self, on: times.Moment = None) -> Promises:
        """All open promises at once; where schemas differ in bounds or steps, the newest counts."""
        found = list(self.blocks(on))
        if found:
            return Promises.joined(found)
        with self._store.reading() as connection:
            known = [event.about for event in chain.walk(connection, "schema")]
            if not known:
                raise InputError("the ledger holds no promises yet; issue some first")
            return self._reader.promises(self._reader.schema(connection, known[-1]), [], [], {})

    def check(self, subject: Any, row: Any, on: times.Moment = None) -> Checked:
        """Whether a person who comes back has fulfilled what was promised to them, by its box.

        `row` has their values of today by name. Inputs that pass by themselves (`Feature.drift`)
        have moved on by then, and that is not held against anybody.
        """
        return check(self._reader, self._keyring.pseudonym(subject), row, times.instant(on))

    def category_names(self) -> dict[str, set[str]]:
        """The texts that name categories in its schemas, column by column, as `read_table` asks."""
        names: dict[str, set[str]] = {}
        with self._store.reading() as connection:
            for event in chain.walk(connection, "schema"):
                found = self._reader.schema(connection, event.about).category_names
                for column, texts in found.items():
                    names.setdefault(column, set()).update(texts)
        return names

    def drafts(self, on: times.Moment = None) -> list[int]:
        """The numbers of the promises that are drafted and not yet issued."""
        with self._store.reading() as connection:
            return states.drafts(connection, times.instant(on))

    def history(self, subject: Any) -> pd.DataFrame:
        """All that happened to one person: decisions and their wording, events, gates' verdicts."""
        return history.history(self._reader, self._keyring.pseudonym(subject))

    def exceptions(self, on: times.Moment = None) -> pd.DataFrame:
        """The promises honoured by exception, by pseudonym, for a decision system to look up."""
        return history.exceptions(self._reader, times.instant(on))

    def models(self) -> pd.DataFrame:
        """The models that the ledger knows: fingerprint, role, name, address, since, until."""
        with self._store.reading() as connection:
            return history.models(connection)

    def verify(self, root: str | None = None) -> Verified:
        """Whether nothing was altered, and if so, the first event that does not hold.

        `root` is one that `record_gate` gave and that was stored elsewhere: it shows that nothing
        before that gate run was replaced, not even by somebody who has the key.
        """
        return verify(self._store, self._keyring, root)

    # what happens to promises

    @contextmanager
    def _pen(self, at: times.Moment, by: str = "") -> Iterator[Pen]:
        with self._store.writing() as connection:
            yield Pen.take(connection, self._keyring, at, by)

    def release(self, promises: Numbers, *, at: times.Moment = None, by: str = "") -> int:
        """Issue promises that were drafted; gives how many, as all of these do."""
        with self._pen(at, by) as pen:
            return acts.act(pen, "released", promises)

    def fulfil(self, promises: Numbers, *, at: times.Moment = None, by: str = "") -> int:
        """People did what was asked of them, and were accepted."""
        with self._pen(at, by) as pen:
            return acts.act(pen, "fulfilled", promises)

    def withdraw(self, promises: Numbers, by: str, why: str, *, at: times.Moment = None) -> int:
        """Take promises back: by whom, and why."""
        signature = acts.signed(by, why, "withdrawing a promise")
        with self._pen(at, by) as pen:
            return acts.act(pen, "withdrawn", promises, **signature)

    def waive(self, promises: Numbers, by: str, why: str, *, at: times.Moment = None) -> int:
        """Accept that promises are broken: by whom, and why."""
        signature = acts.signed(by, why, "a waiver")
        with self._pen(at, by) as pen:
            return acts.act(pen, "waived", promises, **signature)

    def honour(
        self,
        promises: Numbers,
        by: str,
        why: str,
        until: "times.Moment | pd.Series[Any]",
        *,
        at: times.Moment = None,
    ) -> int:
        """Honour promises by exception, whatever a new model says, until a date.

        `until` is one date for all, or a Series of dates by promise numbers, as `repair.honour` has
        them.
        """
        signature = acts.signed(by, why, "an exception")
        ends = acts.ends_of(promises, until)
        with self._pen(at, by) as pen:
            return sum(acts.honour(pen, numbers, signature, end) for end, numbers in ends.items())

    def expire(self, on: times.Moment = None, *, at: times.Moment = None) -> int:
        """Write down which promises had run out by a date; gives how many."""
        with self._pen(at if at is not None else on) as pen:
            return acts.expire(pen, times.instant(on) if on is not None else pen.at)

    def erase(self, subject: Any, *, at: times.Moment = None, by: str = "") -> int:
        """Delete a person's key: nobody can read their rows again, and the chain stays valid.

        Gives how many decisions that concerns. The pseudonym stays, to show that and when.
        """
        with self._pen(at, by) as pen:
            found = acts.erase(pen, self._keyring.pseudonym(subject))
        self._store.vacuum()
        return found

    def erase_due(self, on: times.Moment = None, *, by: str = "") -> int:
        """Erase everybody whose decisions need not be kept any longer; gives how many people."""
        with self._pen(on, by) as pen:
            found = acts.erase_due(pen, pen.at)
        self._store.vacuum()
        return found

    def register(
        self,
        fingerprint: str,
        role: str,
        *,
        name: str = "",
        address: str = "",
        at: times.Moment = None,
        by: str = "",
    ) -> None:
        """Write down that a model takes a role, such as champion, and where it is kept."""
        for what, value in (("fingerprint", fingerprint), ("role", role)):
            if not isinstance(value, str) or not value.strip():
                raise InputError(f"the {what} of a model is empty; give it as a text")
        content = {"role": role, "name": str(name), "address": str(address)}
        with self._pen(at, by) as pen:
            pen.append("model", content, about=fingerprint)

    # gates

    def record_gate(self, record: GateRecord, *, at: times.Moment = None, by: str = "") -> str:
        """Write down a gate run; its Merkle root also covers all that was in the ledger before.

        Store the root elsewhere: as a file, a git note, a model's tag. `verify(root)` compares.
        """
        with self._pen(at, by) as pen:
            return gates.record(pen, record)

    def __repr__(self) -> str:
        return f"<Ledger: {self.where}>"


def _named(index: pd.Index, subjects: Any) -> list[Any]:
    """Who the people are, in the order of the recommendations."""
    if subjects is None:
        if isinstance(index, pd.MultiIndex):
            raise InputError("people have several labels each; give subjects, one name per person")
        return index.tolist()
    if isinstance(subjects, pd.Series):
        if not subjects.index.equals(index):
            raise InputError("subjects is a Series of other people; label it as the advice is")
        return subjects.tolist()
    if isinstance(subjects, str | bytes) or not hasattr(subjects, "__len__"):
        raise InputError("subjects must be a list with one name per person")
    found = list(subjects)
    if len(found) != len(index):
        raise InputError(
            f"subjects has {len(found)} names for {len(index)} people; give one per person"
        )
    return found
