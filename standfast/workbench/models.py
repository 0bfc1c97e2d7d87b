"""The models screen: who accepts whom, which models bind, and what each one costs."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from standfast.person_view.facts import Facts, plain
from standfast.recommendations import Recommendations
from standfast.scores import Score
from standfast.scores.acceptance import accepted
from standfast.workbench.person import recommend
from standfast.workbench.question import Question, asked
from standfast.workbench.service import Service


def models(service: Service, body: Any) -> Facts:
    """Every model: what it is, how many people it accepts as they stand, and what it says here."""
    world = service.world
    question = asked(world, body)
    X, doubts = world.rows
    known = X[[not doubt for doubt in doubts]]
    listed = []
    for member in world.members:
        accepted = int(member.score.accepts(known).sum())
        listed.append(
            {
                "name": member.name,
                "origin": member.origin,
                "kind": kind_of(member.score),
                "risk": plain(member.risk),
                "accepts": accepted,
                "of": len(known),
                "stands": bool(member.score.accepts(question.x[None])[0]),
            }
        )
    return {"models": listed}


def members(service: Service, body: Any) -> Facts:
    """Advice that the chosen models accept: for one person, and for a sample of everybody.

    Validity is the share of fresh models, which no search has used, that accept; without fresh
    models, the share of the models that were not chosen.
    """
    world = service.world
    question = replace(asked(world, body), method="all")
    judges, whose = _judges(service, question)
    own = recommend(service, question)
    everybody = service.sample_advice(question)
    return {
        "judges": whose,
        "person": _one(own, judges) | _accepted(service, own)[0],
        "binding": [question.members[m] for m in own.results["binding"].iloc[0]],
        "everybody": many(everybody, judges)
        | {"binding": _often(everybody, question.members)}
        | {"accepted": _accepted(service, everybody)},
    }


def _judges(service: Service, question: Question) -> tuple[list[Score], str]:
    """The models that say how valid advice is, and what they are."""
    if service.state == "preparing":
        return [], "preparing"
    if service.state == "ready" and len(service.lasting.certify):
        return list(service.lasting.certify), "fresh models"
    rest = [k for k in range(len(service.world.members)) if k not in question.members]
    return [service.world.members[k].score for k in rest], "models left out"


def _one(found: Recommendations, judges: list[Score]) -> Facts:
    facts = {"sentence": found.sentences().iloc[0], "cost": plain(found.cost.iloc[0])}
    return facts | {"outcome": str(found.outcome.iloc[0]), "validity": validity(found, judges)}


def many(found: Recommendations, judges: list[Score]) -> Facts:
    """The means over those who got advice, with their number."""
    return {
        "asked": len(found),
        "advised": int(found.found.sum()),
        "unfinished": int((found.outcome == "exhausted").sum()),
        "cost": plain(found.cost[found.found].mean()),
        "validity": validity(found, judges),
    }


def _often(found: Recommendations, which: tuple[int, ...]) -> dict[str, int]:
    """For how many people each model shaped the answer, by its position."""
    counts = Counter(which[m] for binding in found.results["binding"] for m in binding)
    return {str(k): n for k, n in sorted(counts.items())}


def _accepted(service: Service, found: Recommendations) -> list[Facts]:
    """Person by person which models accept the advice; none without advice."""
    goals, there = found.matrices()[1], found.found.to_numpy()
    said = np.zeros((len(service.world.members), len(found)), dtype=bool)
    if there.any():
        for k, member in enumerate(service.world.members):
            said[k, there] = member.score.accepts(goals[there])
    return [
        {"label": str(label), "by": said[:, i].tolist() if there[i] else None}
        for i, label in enumerate(found.index)
    ]


def validity(found: Recommendations, judges: list[Score]) -> float | int | None:
    """The mean share of models that accept the advice; None without models, or without advice."""
    there = found.found.to_numpy()
    if not judges or not there.any():
        return None
    goals = found.matrices()[1][there]
    return plain(np.mean([accepted(score, goals) for score in judges], axis=0).mean())


def kind_of(score: Score) -> str:
    """What kind of model a score is, in words."""
    words = {
        "TreeEnsemble": "trees",
        "Linear": "linear",
        "Additive": "scorecard",
        "Paired": "a sum with pairs of inputs",
        "Rule": "rule",
        "BlackBox": "black box",
    }
    return words.get(type(score).__name__, type(score).__name__)
