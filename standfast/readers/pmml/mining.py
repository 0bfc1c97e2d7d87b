"""Whole models: which kind, and MiningModel, which adds, averages, lets vote, or chains others."""

from collections.abc import Callable

from standfast.errors import InputError, listing
from standfast.readers.piecewise.sums import Result, Sum
from standfast.readers.pmml.document import Element, not_read
from standfast.readers.pmml.predicates import PREDICATES
from standfast.readers.pmml.regression import regression
from standfast.readers.pmml.results import rescaled, results
from standfast.readers.pmml.scope import Scope
from standfast.readers.pmml.scorecard import scorecard
from standfast.readers.pmml.tree_model import tree
from standfast.scores.score import IDENTITY

MODELS = ("Scorecard", "RegressionModel", "TreeModel", "MiningModel")
AVERAGES = ("average", "weightedAverage", "majorityVote", "weightedMajorityVote")
ADDING = (*AVERAGES, "sum", "weightedSum")


def read(model: Element, scope: Scope, votes: bool = False) -> Result:
    """What a model gives, its own mining schema and targets included; votes are 0 or 1."""
    if model.get("isScorable", "true") == "false":
        raise InputError(f"{model.place} is marked as not to be scored; export the model again")
    found = _kind(model, scope, votes)
    if model.get("x-mathContext") == "float":
        found = Result(found.sum.plus(Sum(single=True)), found.link, found.probability)
    return rescaled(model, found)


def _kind(model: Element, scope: Scope, votes: bool) -> Result:
    classifies = model.get("functionName") == "classification"
    match model.name:
        case "Scorecard":
            return Result(scorecard(model, scope), IDENTITY, False)
        case "RegressionModel":
            return regression(model, scope)
        case "TreeModel":
            worth = _number if not classifies else _share(scope.favourable, votes)
            return Result(Sum(trees=((1.0, tree(model, scope, worth)),)), IDENTITY, classifies)
        case "MiningModel":
            return _segments(model, scope, votes)
    raise not_read(model)


def _number(node: Element) -> float | None:
    return node.number("score") if "score" in node.attributes else None


def _share(favourable: str | None, votes: bool) -> Callable[[Element], float | None]:
    """A leaf's share of the favourable class; with votes, whether it is the leaf's class."""

    def share(node: Element) -> float | None:
        shares = list(node.all("ScoreDistribution"))
        said = node.attributes.get("score")
        if not shares or (votes and said is not None):
            return None if said is None else float(said == favourable)
        known = all("probability" in s.attributes for s in shares)
        attribute = "probability" if known else "recordCount"
        found = {s.word("value"): s.number(attribute) for s in shares}
        total = 1.0 if known else sum(found.values())
        if votes:
            return float(max(found, key=lambda name: found[name]) == favourable)
        if total <= 0.0:
            raise InputError(f"{node.place} counts nobody; export the model again")
        return found.get(str(favourable), 0.0) / total

    return share


def _segments(model: Element, scope: Scope, votes: bool) -> Result:
    whole = model.needed("Segmentation")
    method = whole.word("multipleModelMethod")
    segments = [one for one in whole.all("Segment") if _applies(one)]
    if not segments:
        raise InputError(f"{whole.place} has no segments; export the model again")
    if method == "modelChain":
        return _chain(segments, scope)
    if method not in ADDING:
        raise not_read(whole, f"the method {method!r}")
    classifies = model.get("functionName") == "classification"
    if classifies != (method in AVERAGES) and method not in ("average", "weightedAverage"):
        raise not_read(whole, f"the method {method!r} for {model.get('functionName')}")
    vote = method in ("majorityVote", "weightedMajorityVote")
    weighted = method.startswith("weighted")
    weights = [one.number("weight", 1.0) if weighted else 1.0 for one in segments]
    total = Sum()
    for one, weight in zip(segments, weights, strict=True):
        inner = _model_in(one)
        found = read(inner, scope.inner(inner), votes=vote)
        if found.link != IDENTITY or found.probability != classifies:
            raise not_read(inner, "a sum of probabilities of this model")
        if vote and inner.name != "TreeModel":
            raise not_read(inner, "a vote of this model")
        total = total.plus(found.sum.scaled(weight))
    skips = "skipSegment" in (whole.get(k) for k in MISSING_PREDICTIONS)
    if skips and not total.gives_always:
        raise not_read(whole, "leaving out models that give no result")
    if method in AVERAGES:
        total = total.scaled(1.0 / sum(weights))
    if vote and votes:
        raise not_read(whole, "a vote of votes")
    return Result(total, IDENTITY, classifies)


MISSING_PREDICTIONS = ("missingPredictionTreatment", "x-missingPredictionTreatment")


def _applies(segment: Element) -> bool:
    asked = segment.needed(*PREDICATES)
    if asked.name not in ("True", "False"):
        raise not_read(asked, "a segment for some people only")
    return asked.name == "True"


def _model_in(segment: Element) -> Element:
    others = [part for part in segment.children if part.name not in (*PREDICATES, "Extension")]
    others = [part for part in others if part.name != "VariableWeight"]
    if len(others) != 1:
        raise InputError(
            f"{segment.place} holds {listing([o.name for o in others])} instead of "
            "one model; export the model again"
        )
    if others[0].name not in MODELS:
        raise not_read(others[0])
    return others[0]


def _chain(segments: list[Element], scope: Scope) -> Result:
    """Models one after the other, each reading the results of those before; the last one's."""
    *before, last = [_model_in(segment) for segment in segments]
    for one in before:
        found = read(one, scope.inner(one))
        scope = scope.with_results(results(one, found, scope.favourable))
    return read(last, scope.inner(last))
