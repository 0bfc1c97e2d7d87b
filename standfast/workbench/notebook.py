"""The person component in a notebook, live for an advisor, as it is for advice."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from standfast.errors import InputError, first_line, type_of
from standfast.methods import Advisor
from standfast.methods.exact import members
from standfast.methods.region import Regions
from standfast.percentiles import Percentiles
from standfast.person_view.assets import asset
from standfast.person_view.facts import Facts, advised
from standfast.recommendations import Recommendations
from standfast.scores import Score, Unanimous
from standfast.workbench import person as screen
from standfast.workbench.service import Service
from standfast.workbench.world import Member, World

MOST_PEOPLE = 1000  # to choose from


def explore_advisor(advisor: Advisor, people: pd.DataFrame) -> Any:
    """What `Advisor.explore` shows: live, for values are tried and changes ruled out."""
    if not isinstance(people, pd.DataFrame):
        raise InputError(f"the people are {type_of(people)}; give a table with a row per person")
    return _widget(_Live(advisor, people))


def explore_advice(
    advice: Recommendations,
    percentiles: Percentiles | None,
    models: Mapping[str, Score] | None,
    region: Regions | None,
) -> Any:
    """What `Recommendations.explore` shows: advice as it is."""
    return _widget(_Found(advice, percentiles, models or {}, region))


class _Live:
    """An advisor who is asked about people."""

    live, note = True, ""

    def __init__(self, advisor: Advisor, people: pd.DataFrame) -> None:
        method = advisor.method
        asked = members(advisor.model, 0.0)
        names = advisor.model.names if isinstance(advisor.model, Unanimous) else ()
        if len(names) != len(asked):
            names = (
                ("model",) if len(asked) == 1 else tuple(f"model {k}" for k in range(len(asked)))
            )
        self.service = Service(
            World(
                method.name,
                method.schema,
                method.percentiles,
                people.head(MOST_PEOPLE),
                tuple(Member(name, score) for name, (score, _) in zip(names, asked, strict=True)),
                "",
                advisors={"reference": advisor},
            )
        )
        self.title = method.name

    @property
    def world(self) -> World:
        """The world of the people and the advisor's models."""
        return self.service.world

    def facts(self, body: Any) -> Facts:
        """Everything about one person."""
        found = {"standing": screen.person(self.service, body)}
        found["advice"] = screen.advise(self.service, body)
        try:
            return found | {"reasons": screen.reasons(self.service, body)}
        except InputError:  # only exact methods prove reasons
            return found

    def answers(self) -> dict[str, Callable[[Any], Facts]]:
        """What the widget may ask."""
        return {
            "facts": self.facts,
            "try": lambda body: screen.tried(self.service, body),
            "advise": lambda body: screen.advise(self.service, body),
        }


class _Found:
    """Advice that is there."""

    live, note = False, ""

    def __init__(
        self,
        advice: Recommendations,
        percentiles: Percentiles | None,
        models: Mapping[str, Score],
        region: Regions | None,
    ) -> None:
        shown = advice.factual.head(MOST_PEOPLE)
        if percentiles is None:
            percentiles = Percentiles.fit(advice.factual)
            self.note = f"Places are among the {len(advice):,} people of this table."
        asked = tuple(Member(name, score) for name, score in models.items())
        self.advice, self.region = advice, region
        self.title = str(advice.provenance["method"])
        self.world = World(self.title, advice.schema, percentiles, shown, asked, "", advisors={})
        self.service = Service(self.world)

    def facts(self, body: Any) -> Facts:
        """Everything about one person."""
        standing = screen.person(self.service, body)
        row, goals = body["person"], self.advice.matrices()[1]
        there = not np.isnan(goals[row]).any()
        said = screen.verdicts(self.world, goals[row]) if there else []
        found = advised(
            self.advice,
            row,
            self.world.strips,
            region=self.region,
            verdicts=[one["accepts"] for one in said],
        )
        return {"standing": standing, "advice": found}

    def answers(self) -> dict[str, Callable[[Any], Facts]]:
        """What the widget may ask."""
        return {"facts": self.facts}


def _widget(behind: _Live | _Found) -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise InputError(
            "the widget needs one more package: pip install 'standfast[notebook]'"
        ) from error

    class Person(anywidget.AnyWidget):
        """The person component."""

        _esm = asset("person.js") + asset("notebook.js")
        _css = asset("person.css") + asset("notebook.css")
        world = traitlets.Dict().tag(sync=True)
        first = traitlets.Dict().tag(sync=True)

    answers = behind.answers()

    def reply(widget: Any, message: Any, buffers: Any) -> None:
        if not isinstance(message, dict) or not isinstance(message.get("id"), int):
            return
        try:
            name = message.get("ask")
            if name not in answers:
                raise InputError(f"there is no question {name!r}")
            widget.send({"id": message["id"], "answer": answers[name](message.get("body"))})
        except Exception as error:
            widget.send({"id": message["id"], "error": first_line(error)})

    person = _first(behind.world)
    made = Person(
        world={
            "live": behind.live,
            "note": behind.note,
            "inputs": behind.world.strips.inputs,
            "models": [{"name": one.name} for one in behind.world.members],
            "people": [str(label) for label in behind.world.people.index],
            "method": {"key": "reference", "title": behind.title},
        },
        first={"person": person, **behind.facts({"person": person})},
    )
    made.on_msg(reply)
    return made


def _first(world: World) -> int:
    """The first person about whom something can be said: refused, if there is a model."""
    fine = np.array([not doubt for doubt in world.rows[1]])
    if not fine.any():
        raise InputError("nobody's values fit the schema, so there is nobody to show")
    return int(np.flatnonzero(world.refused if world.refused.any() else fine)[0])
