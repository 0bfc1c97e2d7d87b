"""explore(): the person component in a notebook, live for an advisor, as it is for advice."""

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


def explore(
    advice: Recommendations | Advisor,
    people: pd.DataFrame | None = None,
    *,
    percentiles: Percentiles | None = None,
    models: Mapping[str, Score] | None = None,
    region: Regions | None = None,
) -> Any:
    """A widget for notebooks: one person after another among all others, with their advice.

    `explore(advisor, people)` is live: values are tried by hand with every model's verdict, and
    "can't do that" or "only this much" brings other advice. `explore(recommendations,
    percentiles=q)` shows advice that is there, with the `region` and with what `models` say, if
    these are given. It is a function of its own, as `plot_person` is, so that only who looks needs
    the packages that draw: pip install 'standfast[notebook]'.

    Examples
    --------
    >>> from standfast import Feature, Linear, MinimalCost, Schema, prepare
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
    >>> method = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(table))
    >>> widget = explore(prepare(method, Linear([-1.0], 1.5)), table.tail(2))
    >>> widget.first["advice"]["sentence"]
    'Lower late from 2 to 1.'
    """
    if isinstance(advice, Advisor):
        if people is None:
            raise InputError("whom to advise is missing; call explore(advisor, people)")
        return _widget(_Live(advice, people))
    if not isinstance(advice, Recommendations):
        raise InputError(
            f"the advice is {type_of(advice)}; give recommendations, or an advisor with people"
        )
    if percentiles is None:
        raise InputError(
            "where people stand is measured by percentiles; call explore(recommendations, "
            "percentiles=Percentiles.fit(table))"
        )
    return _widget(_Found(advice, percentiles, models or {}, region))


class _Live:
    """An advisor who is asked about people."""

    live = True

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
        told = {"standing": screen.person(self.service, body)}
        told["advice"] = screen.advise(self.service, body)
        try:
            return told | {"reasons": screen.reasons(self.service, body)}
        except InputError:  # only exact methods prove reasons
            return told

    def answers(self) -> dict[str, Callable[[Any], Facts]]:
        """What the widget may ask."""
        return {
            "facts": self.facts,
            "try": lambda body: screen.tried(self.service, body),
            "advise": lambda body: screen.advise(self.service, body),
        }


class _Found:
    """Advice that is there."""

    live = False

    def __init__(
        self,
        advice: Recommendations,
        percentiles: Percentiles,
        models: Mapping[str, Score],
        region: Regions | None,
    ) -> None:
        shown = advice.factual.head(MOST_PEOPLE)
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
        told = advised(
            self.advice,
            row,
            self.world.strips,
            region=self.region,
            verdicts=[one["accepts"] for one in said],
        )
        return {"standing": standing, "advice": told}

    def answers(self) -> dict[str, Callable[[Any], Facts]]:
        """What the widget may ask."""
        return {"facts": self.facts}


def _widget(behind: _Live | _Found) -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise InputError(
            "explore needs one more package: pip install 'standfast[notebook]'"
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
