"""All that people read of a recommendation: advice and causes, in plain words.

Advice has the very numbers that were checked. Facts become English here and nowhere else.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from standfast.errors import listing
from standfast.recommendations.causes import (
    AcceptedBy,
    ActionGrid,
    Cause,
    Contradiction,
    FailedCheck,
    LimitReached,
    NoneWithin,
    Note,
    NothingToChange,
    RefusedByRules,
    RulesLeftAside,
    SampledValues,
    Together,
    Unsatisfiable,
    UnusualAdvice,
    UnusualValue,
)
from standfast.recommendations.move import Move
from standfast.recommendations.target import Target, accepting
from standfast.schema import Feature, Schema

LIMITS = {
    "memory": "The memory limit for one person was reached.",
    "time": "The time limit was reached.",
    "interruption": "The run was interrupted.",
}

MOST_STUCK = 3  # inputs that stay against their direction and are named


def advice(
    schema: Schema,
    factual: NDArray[np.float64],
    counterfactual: NDArray[np.float64],
    months: float = 0.0,
) -> str:
    """What one person should change, and in which time.

    >>> schema = Schema((Feature("DebtRatio", "positive", step=0.01),))
    >>> advice(schema, np.array([0.613]), np.array([0.42]))
    'Lower debt ratio from 0.613 to 0.42.'
    >>> advice(schema, np.array([0.613]), np.array([0.42]), 6)
    'Wait 6 months, and by then lower debt ratio from 0.613 to 0.42.'
    >>> advice(schema, np.array([0.42]), np.array([0.42]), 5)
    'Wait 5 months; nothing else has to change.'
    """
    moves = [
        move(feature, a, b)
        for feature, a, b in zip(schema, factual, counterfactual, strict=True)
        if a != b
    ]
    wait = f"Wait {months:g} month{'' if months == 1 else 's'}"
    if not moves:
        return f"{wait}; nothing else has to change." if months else "Change nothing."
    text = moves[0] if len(moves) == 1 else f"{', '.join(moves[:-1])} and {moves[-1]}"
    if months:
        return f"{wait}, and by then {text}."
    return f"{text[0].upper()}{text[1:]}."


def move(feature: Feature, a: float, b: float) -> str:
    """One change: its direction, where the person stands and where to go."""
    found = Move.of(feature, a, b)
    if found.way == "fill":
        return f"fill in {feature.words}, which is missing, as {found.goal}"
    return f"{found.way} {feature.words} from {found.start} to {found.goal}"


def explain(
    cause: Cause | None, schema: Schema, models: Sequence[str], *, advised: bool = False
) -> str:
    """A cause in words; `models` are the names of the models by their positions.

    >>> schema = Schema((Feature("age"),))
    >>> explain(Unsatisfiable((0, 2)), schema, ["bank A", "bank B", "bank C"])
    'No admissible change satisfies bank A and bank C together.'
    """
    match cause:
        case None:
            return ""
        case Note(text) | Contradiction(text):
            return text
        case Together(causes):
            return " ".join(explain(one, schema, models, advised=advised) for one in causes)
        case LimitReached():
            return _limit(cause)
        case ActionGrid():
            what = "Cheapest" if advised else "No change"
            verb = "" if advised else " is accepted"
            return f"{what} on its action grid{verb}; other admissible values were not tried."
        case SampledValues(inputs):
            return (
                f"Only some values of {listing(inputs)} were tried: there are too many, and a "
                "model rises and falls among them; a coarser step makes a proof possible."
            )
        case Unsatisfiable():
            return _unsatisfiable(cause, schema, models)
        case RefusedByRules(rules):
            said = " and ".join(f"'{rule}'" for rule in rules)
            which = f"rules {said} refuse" if len(rules) > 1 else f"rule {said} refuses"
            return f"No advice can help: the {which}, whatever this person may change."
        case NothingToChange():
            return "The schema leaves this person nothing to change."
        case NoneWithin(distance, latent):
            kind = "latent distance" if latent else "distance"
            return f"No candidate up to a {kind} of {distance:.3g} was accepted."
        case RulesLeftAside():
            return (
                "Searched as published, without the schema's bounds, steps, directions and "
                "relations: some of these values may be impossible."
            )
        case UnusualAdvice():
            return _unusual(cause, schema)
        case AcceptedBy():
            return _accepted_by(cause)
        case FailedCheck(objections):
            return _sentence(objections) or "The model's own prediction refuses it."


def with_stuck(text: str, own: NDArray[np.float64], stuck: NDArray[np.intp], schema: Schema) -> str:
    """Why there is no advice, and which inputs stay for their bounds contradict their direction."""
    said = [f"{_stays(schema.features[j], own[j])}." for j in stuck[:MOST_STUCK]]
    if len(stuck) > MOST_STUCK:
        more = len(stuck) - MOST_STUCK
        said.append(f"The same holds for {more} more input{'s' * (more > 1)}.")
    return " ".join([text, *said]).strip()


def _stays(feature: Feature, value: float) -> str:
    up = feature.direction == "up"
    bound = feature.shown(feature.last)
    words = feature.words[:1].upper() + feature.words[1:]
    return (
        f"{words} stays at {feature.shown(value)}: it may only {'rise' if up else 'fall'}, and "
        f"advice goes no {'higher' if up else 'lower'} than {bound}"
    )


def with_kept(text: str, kept: Sequence[str], schema: Schema) -> str:
    """Why there is no advice, and what was not to change."""
    if not kept:
        return text
    words = [schema[name].words for name in kept]
    return f"{text} Left unchanged on request: {', '.join(words)}.".strip()


def _limit(cause: LimitReached) -> str:
    boxes = f"The limit of {cause.boxes} box{'es' * (cause.boxes != 1)} was reached."
    why = LIMITS.get(cause.limit, boxes)
    if cause.lower_bound is None:
        return why
    return f"{why} No answer costs less than {cause.lower_bound:.4g}."


def _unsatisfiable(cause: Unsatisfiable, schema: Schema, models: Sequence[str]) -> str:
    if cause.rules:
        rules = " or ".join(f"'{rule}'" for rule in cause.rules)
        return (
            f"No admissible change keeps the schema's rule{'s' * (len(cause.rules) > 1)} {rules}."
        )
    named = dict(enumerate(models)) | {
        m: f"every linear model of the level set (ε = {epsilon:.4g})"
        for m, epsilon in cause.level_sets
    }
    named |= {
        m: f"every tree of the level set (ε = {epsilon:.4g})" for m, epsilon, _ in cause.tree_sets
    }
    paths = [" and ".join(path) for _, _, path in cause.tree_sets if path]
    fixed = "One tree refuses everybody with these values, which cannot change here"
    one = f" {fixed}: {paths[0]}." if paths else ""
    names = [named.get(m, f"model {m}") for m in cause.models] or ["the models"]
    if cause.alone:
        return f"No admissible change satisfies {' or '.join(names)}.{one}"
    said = [what for what in ("relations", "rules") if getattr(schema, what)]
    said += ["changes that go together"] * bool(schema.changes)
    laws = f" and keeps the schema's {' and '.join(said or ['relations'])}" * cause.relations
    both = " together" * (len(names) > 1)
    return f"No admissible change satisfies {' and '.join(names)}{both}{laws}.{one}"


def _unusual(cause: UnusualAdvice, schema: Schema) -> str:
    everybody = f"{cause.rows:,} reference people"
    known = {name: f"{n:,} reference people whose value is known" for name, n in cause.known}
    said = [_unusual_value(v, known.get(v.feature, everybody), schema) for v in cause.values]
    if cause.together is not None:
        share = math.floor((1.0 - cause.together) * 1000) / 10  # never more than is true
        whose = f"{share:g} % of" if share < 100 else "all"
        said.append(
            f"together, these values are less usual than those of {whose} the people that the "
            "autoencoder was fitted on"
        )
    return _sentence(said)


def _sentence(said: Sequence[str]) -> str:
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _unusual_value(one: UnusualValue, whose: str, schema: Schema) -> str:
    known = schema[one.feature] if one.feature in schema.names else Feature(one.feature)
    many = f"only {one.people:,}" if one.people else "none"
    verb = "has" if one.people < 2 else "have"
    amount = "as much or more" if one.up else "as little or less"
    if known.kind == "nominal":
        amount = "the same"
    return f"{known.words} {known.shown(one.value)}: {many} of the {whose} {verb} {amount}"


def _accepted_by(cause: AcceptedBy) -> str:
    found = accepting(cause.yes, cause.models)
    if cause.validity is None:
        return f"{found}."
    target = Target(cause.validity, cause.models)
    if cause.most is None:
        return f"{found}; the target of {target.share} asks for {target.needed}."
    found = f"{found}, the most that was found"
    if cause.most < target.needed:
        return (
            f"{target.sentence} It cannot be reached: {target.models - cause.most} of them refuse "
            f"all advice that the model accepts. {found}; no more than {cause.most} could."
        )
    fell = "was not reached" if cause.ended else "could not be reached"
    more = f"; no more than {cause.most} could" * (cause.most < target.models)
    return f"{target.sentence} It {fell}: {found}{more}."
