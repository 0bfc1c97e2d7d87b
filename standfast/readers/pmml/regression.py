"""RegressionModel: weighted sums of numbers and categories, alone or as a class's probability."""

from standfast.errors import InputError
from standfast.readers.columns.step import Raised
from standfast.readers.piecewise.cells import Lack, Moving, Piece
from standfast.readers.piecewise.dividing import equals
from standfast.readers.piecewise.sums import Result, Sum
from standfast.readers.pmml.document import Element, not_read
from standfast.readers.pmml.scope import Scope
from standfast.scores.score import IDENTITY, LOGISTIC


def regression(model: Element, scope: Scope) -> Result:
    """The model's number, or the favourable one of its two classes' probability."""
    method = model.get("normalizationMethod", "none")
    tables = list(model.all("RegressionTable"))
    if model.get("functionName") == "regression":
        if method not in ("none", "softmax", "logit") or len(tables) != 1:
            raise not_read(model, f"the normalisation {method!r}")
        number = _table(tables[0], scope)
        return Result(number, IDENTITY if method == "none" else LOGISTIC, False)
    if method not in ("none", "logit", "softmax"):
        raise not_read(model, f"the normalisation {method!r}")
    if len(tables) > 2 or not tables:
        raise InputError(
            f"{model.place} has {len(tables)} tables; a score needs a model with two classes"
        )
    named = [table.word("targetCategory") for table in tables]
    unknown = [name for name in named if name not in scope.classes]
    if unknown:
        raise InputError(f"{tables[0].place} names the class {unknown[0]!r}, which is not declared")
    sums = [_table(table, scope) for table in tables]
    # the first table's sum gives its class's probability, and the other class has the rest; only
    # softmax compares both
    towards_first = sums[0]
    if method == "softmax" and len(sums) == 2:
        towards_first = sums[0].plus(sums[1].scaled(-1.0))
    wanted = named[0] == scope.favourable
    if method == "none":
        rest = Sum(1.0).plus(sums[0].scaled(-1.0))
        return Result(towards_first if wanted else rest, IDENTITY, True)
    return Result(towards_first if wanted else towards_first.scaled(-1.0), LOGISTIC, True)


def _table(table: Element, scope: Scope) -> Sum:
    total = Sum(table.number("intercept", 0.0))
    for part in table.children:
        match part.name:
            case "NumericPredictor":
                total = total.plus(_numeric(part, part.word("name"), scope))
            case "CategoricalPredictor":
                field = scope.field(part.word("name"), part)
                value = field.constant(part.word("value"), part.place)
                # a gap is none of the categories
                cells = equals(field.cells, [value]).each(_present)
                total = total.plus(Sum(lines=((part.number("coefficient"), cells),)))
            case "PredictorTerm":
                total = total.plus(_term(part, scope))
            case "Extension":
                pass
            case _:
                raise not_read(part)
    return total


def _present(piece: Piece) -> Piece:
    return 0.0 if piece is Lack.MISSING else piece


def _numeric(part: Element, name: str, scope: Scope) -> Sum:
    power, coefficient = part.number("exponent", 1.0), part.number("coefficient")
    earlier = scope.result(name)
    if earlier is not None:
        if power != 1.0:
            raise not_read(part, "a power of another model's result")
        return earlier.scaled(coefficient)
    if power != int(power) or power < 1:
        raise not_read(part, f"the exponent {power:g}")
    cells = scope.field(name, part).cells

    def raised(piece: Piece) -> Piece:
        if isinstance(piece, str):
            raise InputError(f"{part.place} multiplies '{piece}', which is not a number")
        if isinstance(piece, Lack):
            return Lack.REFUSED  # a number that is missing leaves no result
        if power == 1.0:
            return piece
        return piece.then(Raised(int(power))) if isinstance(piece, Moving) else piece**power

    return Sum(lines=((coefficient, cells.each(raised)),))


def _term(part: Element, scope: Scope) -> Sum:
    factors = list(part.all("FieldRef"))
    if len(factors) != 1:
        raise not_read(part, f"a product of {len(factors)} fields")
    return _numeric(part, factors[0].word("field"), scope)
