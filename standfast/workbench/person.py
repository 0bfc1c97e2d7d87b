"""The person screen: where somebody stands, what each method advises, and tries by hand."""

from typing import Any

from standfast.certificate import certify
from standfast.errors import InputError
from standfast.evaluation.reasons import reasons_of
from standfast.methods import region
from standfast.methods.region import Regions
from standfast.person_view.facts import Facts, advised, plain, reasons_facts
from standfast.recommendations import Recommendations
from standfast.scores import Score
from standfast.workbench.question import Question, asked, row_of
from standfast.workbench.refusals import NotYetError
from standfast.workbench.service import Service
from standfast.workbench.world import Vector, World, titles


def world_facts(service: Service) -> Facts:
    """What does not depend on anybody: inputs, people, models, methods, what was left out."""
    world = service.world
    names = titles(world)
    lasting = {"none": (), "failed": ()}.get(service.state, ("lasting",))
    ordered = [key for key in names if key in (*world.methods, *lasting)]
    return {
        "title": world.title,
        "notes": list(world.left_out),
        "inputs": world.strips.inputs,
        "people": [
            {"label": str(label), "refused": bool(no), "doubt": doubt}
            for label, no, doubt in zip(
                world.people.index, world.refused, world.rows[1], strict=True
            )
        ],
        "models": [{"name": m.name, "origin": m.origin} for m in world.members],
        "methods": [{"key": key, "title": names[key]} for key in ordered],
        "fresh": service.state,
        "ledger": service.ledger is not None,
    }


def person(service: Service, body: Any) -> Facts:
    """Where somebody stands, and what every model says of them."""
    question = asked(service.world, body)
    return {
        "label": question.label,
        **service.world.strips.standing(question.x),
        "verdicts": verdicts(service.world, question.x),
    }


def tried(service: Service, body: Any) -> Facts:
    """Values tried by hand: every model's verdict, their cost, and what the schema objects to."""
    world = service.world
    question = asked(world, body)
    if "tried" not in body:
        raise InputError("'tried' of the request is missing")
    y = row_of(world, body["tried"])
    cost = world.cheapest.price(question.x[None], y[None])
    return {
        **world.strips.standing(y),
        "verdicts": verdicts(world, y),
        "cost": plain(cost[0]),
        "objections": list(world.strips.schema.objections(question.x, y)),
    }


def advise(service: Service, body: Any) -> Facts:
    """One method's advice for somebody, with its proof, region, certificate and verdicts."""
    question = asked(service.world, body)
    found = recommend(service, question)
    goal = found.matrices()[1][0]
    if not found.found.iloc[0]:
        return {"method": question.method, **advised(found, 0, service.world.strips)}
    facts = advised(
        found,
        0,
        service.world.strips,
        region=_region(service, question, found),
        certificate=certificate(service, found),
        verdicts=[said["accepts"] for said in verdicts(service.world, goal)],
    )
    return {"method": question.method, **facts, "cost": costs(service.world, found)[0]}


def costs(world: World, found: Recommendations) -> list[float | int | None]:
    """What advice costs, by one and the same measure for all methods."""
    X, Y = found.matrices()
    return [plain(cost) for cost in world.cheapest.price(X, Y)]


def recommend(service: Service, question: Question) -> Recommendations:
    """The advice that a question asks for, within the time for one search."""
    found = service.advisor(question).recommend(
        question.table(service.world.schema),
        keep=question.keep or None,
        time_limit=service.seconds,
    )
    service.answered()
    return found


def reasons(service: Service, body: Any) -> Facts:
    """Why the reference refuses somebody, with the inputs that block."""
    question = asked(service.world, body)
    if "reference" not in service.world.methods:
        raise InputError("reasons are proven by an exact search, which cannot read this model")
    advisor = service.world.methods["reference"]
    table = question.table(service.world.schema)
    return reasons_facts(reasons_of(advisor, table, time_limit=service.seconds), 0)


def verdicts(world: World, x: Vector) -> list[Facts]:
    """What each model says of a row: its score, and whether it accepts."""
    row = x[None]
    return [
        {"score": plain(m.score.score(row)[0]), "accepts": bool(m.score.accepts(row)[0])}
        for m in world.members
    ]


def _region(service: Service, question: Question, found: Recommendations) -> Regions | None:
    """The room around the advice in which the models it was made for accept."""
    model: Score = service.advisor(question).model
    try:
        return region(found, model, service.world.percentiles)
    except InputError:  # a model that can only be asked has no provable region
        return None


def certificate(service: Service, found: Recommendations) -> Any:
    """What the models that no search has used certify; None where there are none."""
    try:
        part = service.lasting.certify
    except (InputError, NotYetError):
        return None
    try:
        return certify(found, part, seen=[m.score for m in service.world.members])
    except InputError:  # too few models to certify anything
        return None
