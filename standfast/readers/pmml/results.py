"""What becomes of a model's number: rescaled by its targets, named by its outputs."""

from dataclasses import replace

from standfast.errors import InputError
from standfast.readers.piecewise.sums import Result, Sum
from standfast.readers.pmml.document import Element, as_number, not_read
from standfast.scores.score import IDENTITY

CHANGING = ("castInteger", "min", "max")


def rescaled(model: Element, found: Result) -> Result:
    """A result after the model's targets: times a factor, plus a constant."""
    targets = model.child("Targets")
    if targets is None:
        return found
    for target in targets.all("Target"):
        factor = target.number("rescaleFactor", 1.0)
        constant = target.number("rescaleConstant", 0.0)
        changed = [name for name in CHANGING if name in target.attributes]
        if changed:
            raise not_read(target, f"a result changed by {changed[0]}")
        for value in target.all("TargetValue"):
            said = [a for a in ("defaultValue", "priorProbability") if a in value.attributes]
            if said and not found.sum.gives_always:
                raise not_read(value, f"a result in place of none ({said[0]})")
        if (factor, constant) == (1.0, 0.0):
            continue
        if found.link != IDENTITY or found.probability:
            raise not_read(target, "a probability that is rescaled")
        found = replace(found, sum=found.sum.scaled(factor).plus(Sum(constant)))
    return found


def results(model: Element, found: Result, favourable: str | None) -> dict[str, Sum]:
    """The results that later models of a chain may name."""
    output = model.child("Output")
    named: dict[str, Sum] = {}
    if output is None:
        return named
    for field in output.all("OutputField"):
        given = _given(field, found, favourable, named)
        if given is not None:
            named[field.word("name")] = given
    return named


def _given(
    field: Element, found: Result, favourable: str | None, named: dict[str, Sum]
) -> Sum | None:
    """A result that is a sum; None for others, which matter only if they are named later."""
    feature = field.get("feature", "predictedValue")
    if feature == "transformedValue":
        expression = field.child("FieldRef", "Apply", "Constant", "NormContinuous")
        return None if expression is None else _affine(expression, named)
    if found.link != IDENTITY:
        return None
    if feature == "predictedValue":
        return None if found.probability else found.sum
    if feature == "probability" and found.probability:
        if field.get("value") == favourable:
            return found.sum
        return Sum(1.0).plus(found.sum.scaled(-1.0))
    return None


def _affine(element: Element, named: dict[str, Sum]) -> Sum | None:
    """An expression that only shifts and scales results; None if it is another one."""
    match element.name:
        case "Constant":
            return Sum(as_number(element.text.strip(), element.place))
        case "FieldRef":
            return named.get(element.word("field"))
        case "NormContinuous":
            points = [(p.number("orig"), p.number("norm")) for p in element.all("LinearNorm")]
            given = named.get(element.word("field"))
            if len(points) != 2 or element.get("outliers", "asIs") != "asIs" or given is None:
                return None
            (a, low), (b, high) = points
            if a == b:
                raise InputError(f"{element.place} needs two points apart from each other")
            slope = (high - low) / (b - a)
            return given.scaled(slope).plus(Sum(low - slope * a))
    found = [_affine(part, named) for part in element.children if part.name != "Extension"]
    parts = [part for part in found if part is not None]
    if len(parts) != 2 or len(found) != 2:
        return None
    first, second = parts
    match element.get("function"):
        case "+":
            return first.plus(second)
        case "-":
            return first.plus(second.scaled(-1.0))
        case "*" if not (second.lines or second.trees):
            return first.scaled(second.offset)
        case "*" if not (first.lines or first.trees):
            return second.scaled(first.offset)
        case "/" if not (second.lines or second.trees) and second.offset:
            return first.scaled(1.0 / second.offset)
    return None
