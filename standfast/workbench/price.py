"""The price of lasting: cost against validity, for one person and for a sample of everybody."""

from dataclasses import replace
from typing import Any

from standfast.certificate import certify
from standfast.errors import InputError
from standfast.person_view.facts import Facts, plain
from standfast.workbench.models import many, validity
from standfast.workbench.person import costs, recommend
from standfast.workbench.question import Question, asked
from standfast.workbench.service import Service
from standfast.workbench.world import LADDER


def price(service: Service, body: Any) -> Facts:
    """One point of a person's curve: advice for a validity, or the cheapest without any."""
    question = _rung(service, body)
    found = recommend(service, question)
    facts: Facts = {
        "target": _target(question),
        "ladder": list(LADDER),
        "found": bool(found.found.iloc[0]),
        "sentence": found.sentences().iloc[0],
        "remark": found.remarks().iloc[0],
    }
    if not facts["found"]:
        return facts
    facts |= {
        "cost": costs(service.world, found)[0],
        "validity": validity(found, list(service.lasting.certify)),
    }
    try:
        facts["certificate"] = certify(found, service.lasting.certify).sentences().iloc[0]
    except InputError as error:
        facts["certificate"] = f"Nothing is certified: {error}."
    return facts


def everybody(service: Service, body: Any) -> Facts:
    """The same point for a sample of refused people: means, with their number."""
    question = _rung(service, body)
    found = service.sample_advice(
        Question(question.x, "", method=question.method, validity=question.validity)
    )
    facts = {"target": _target(question)} | many(found, list(service.lasting.certify))
    paid = [
        c or 0.0 for c, yes in zip(costs(service.world, found), found.found, strict=True) if yes
    ]
    return facts | {"cost": plain(sum(paid) / len(paid)) if paid else None}


def _target(question: Question) -> float | None:
    return question.validity if question.method == "lasting" else None


def _rung(service: Service, body: Any) -> Question:
    question = asked(service.world, body)
    service.lasting  # noqa: B018 refused here where there are no fresh models
    return question if question.method == "lasting" else replace(question, method="reference")
