"""The world with what is still being prepared, and advisors for limits that somebody set."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from standfast.errors import InputError
from standfast.methods import Advisor, prepare, region
from standfast.recommendations import Outcome, Recommendations
from standfast.workbench.question import Limit, Question, narrowed
from standfast.workbench.refusals import NotYetError
from standfast.workbench.world import Lasting, World

if TYPE_CHECKING:
    from standfast.promises.ledger import Ledger

SAMPLE = 20  # refused people who stand for everybody while somebody waits
REMEMBERED = 24  # advisors for limits and for subsets of models that were asked for lately
SECONDS = 2.0  # for one search
PAUSE = 5.0  # seconds to wait for a first question before anything is prepared
AT_FIRST = 60.0  # for one search while compiled code is still being loaded


@dataclass(frozen=True, eq=False)
class Service:
    """All that answers are made from. Threads may share it.

    `draw` makes the fresh models; it runs once, on a thread of its own, while the page is open.
    `ledger` opens the ledger that was given.
    """

    world: World
    draw: Callable[[], Lasting] | None = None
    ledger: "Callable[[], Ledger] | None" = None
    _answered: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    _warm: threading.Event = field(default_factory=threading.Event, init=False, repr=False)
    _drawn: Future[Lasting] = field(default_factory=Future, init=False, repr=False)
    _advisor: Callable[..., Advisor] = field(init=False, repr=False)
    _sampled: dict[tuple[Any, ...], Recommendations] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_advisor", lru_cache(REMEMBERED)(self._prepared))
        self.world.methods, self.world.strips.inputs, self.world.refused  # noqa: B018 at start
        threading.Thread(target=self._run, name="preparing", daemon=True).start()

    @property
    def seconds(self) -> float:
        """How long one search may take."""
        return SECONDS if self._warm.is_set() else AT_FIRST

    def answered(self) -> None:
        """Somebody has their first advice: what takes longer may begin."""
        self._answered.set()

    def _run(self) -> None:
        """Load compiled code by one search of each kind, then draw the fresh models.

        What the page asks first is loaded while the browser draws the person. The rest comes
        after the first answer: whoever opens the page comes first.
        """
        methods = dict(self.world.methods)
        try:
            self._try_out({key: methods.pop(key) for key in list(methods)[:1]})
            self._answered.wait(PAUSE)
            self._try_out(methods)
        finally:
            self._warm.set()
        if self.draw is None:
            return
        try:
            drawn = self.draw()
            self._try_out(drawn.ladder)  # otherwise its code would load within a search's time
            self._drawn.set_result(drawn)
        except BaseException as error:
            self._drawn.set_exception(error)

    def _try_out(self, advisors: Mapping[Any, Advisor]) -> None:
        """One person's advice by each, without a limit: compiled code is loaded by it."""
        for advisor in advisors.values():
            with suppress(InputError):  # nobody to advise, or a model without a region
                found = advisor.recommend(self.sample.head(1))
                region(found, advisor.model, self.world.percentiles)

    @property
    def state(self) -> str:
        """Whether there are fresh models: none, preparing, ready or failed."""
        if self.draw is None:
            return "none"
        if not self._drawn.done():
            return "preparing"
        return "failed" if self._drawn.exception() else "ready"

    @property
    def lasting(self) -> Lasting:
        """The fresh models; refused where there are none, and while they are prepared."""
        match self.state:
            case "none":
                raise InputError(
                    "there are no fresh models; draw some with 'standfast fresh draw' and give "
                    "their folder as --fresh"
                )
            case "preparing":
                raise NotYetError("The fresh models are being prepared.")
            case "failed":
                error = self._drawn.exception()
                raise InputError(f"the fresh models could not be prepared: {error}")
        return self._drawn.result()

    @cached_property
    def sample(self) -> pd.DataFrame:
        """The refused people who stand for everybody: every so manieth, the same each time."""
        places = np.flatnonzero(self.world.refused)
        if not len(places):
            raise InputError("the reference refuses nobody here, so nobody needs advice")
        some = np.unique(np.linspace(0, len(places) - 1, SAMPLE).astype(int))
        chosen: pd.DataFrame = self.world.people.iloc[places[some]]
        return chosen

    def sample_advice(self, question: Question) -> Recommendations:
        """Advice for the sample by a question's method and models, within the time of a search."""
        which = question.members if question.method == "all" else ()
        asked = (question.method, which, question.validity)
        known = self._sampled.get(asked)
        if known is None:
            advisor = self._advisor(question.method, which, (), question.validity)
            known = advisor.recommend(self.sample, total_time=self.seconds)
            if not (known.outcome == Outcome.EXHAUSTED).any():  # a quieter moment may finish it
                self._sampled[asked] = known
                for oldest in list(self._sampled)[:-REMEMBERED]:
                    self._sampled.pop(oldest, None)
        return known

    def advisor(self, question: Question) -> Advisor:
        """The advisor that a question needs: as prepared at the start, or with its limits."""
        key = question.method
        which = question.members if key == "all" else ()
        return self._advisor(key, which, question.only, question.validity)

    def _prepared(
        self, key: str, which: tuple[int, ...], only: tuple[Limit, ...], validity: float
    ) -> Advisor:
        usual = self._usual(key, validity)
        everyone = tuple(range(len(self.world.members)))
        if not only and which in ((), everyone):
            return usual
        model = self.world.unanimous(which) if which else usual.model
        # every method of ours is a frozen dataclass with a schema
        settings = cast(Any, usual.method)
        schema = narrowed(self.world, only)
        method = replace(settings, schema=schema, percentiles=self.world.percentiles)
        return prepare(method, model)

    def _usual(self, key: str, validity: float) -> Advisor:
        if key == "lasting":
            ladder = self.lasting.ladder
            if validity not in ladder:
                raise InputError("; ".join(self.lasting.left_out) or "there is no lasting advice")
            return ladder[validity]
        if key == "all" and "all" not in self.world.methods:
            key = "reference"  # a single model is all of them
        if key not in self.world.methods:
            raise InputError(f"the method '{key}' cannot be used with these models")
        return self.world.methods[key]
