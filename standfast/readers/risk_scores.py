"""Risk scores with whole points, as FasterRisk finds them: conditions, points, and a risk scale."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from standfast.errors import InputError, listing
from standfast.readers.cells import NOTHING, Cells, alone
from standfast.readers.points import at_least
from standfast.schema import Feature, Schema
from standfast.schema.values import described
from standfast.scores.additive import Additive
from standfast.scores.linear import checked_threshold
from standfast.scores.score import LOGISTIC, Bools, Vector

SIGNS = {"<=": np.less_equal, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}
SIGNS |= {"<": np.less, ">": np.greater, "=": np.equal}  # after those that they begin
LINE = re.compile(r"^\s*\d+\.\s+(?P<name>.+?)\s+(?P<points>-?\d+) point\(s\)")


def read_risk_score(
    card: Any, schema: Schema, *, favourable: int, threshold: float = 0.5
) -> Additive:
    """A FasterRisk model as a scorecard; `favourable` is 1 if the risk is wanted, −1 if not.

    `card` is a RiskScoreClassifier with its featureNames, the dictionary of get_models_in_dict, or
    the text of print_model_card. A name is a column of the schema, which is multiplied by its
    points, or a condition on one: 'age<=30', 'home=own', 'home_own'. From the classifier the score
    is p(favourable) − threshold. A dictionary or a text shows some scores and their risks: accepted
    is from the first of these scores on whose probability exceeds the threshold.
    """
    if favourable not in (1, -1):
        raise InputError(
            f"favourable is {described(favourable)}; a FasterRisk model separates 1, whose risk it "
            "gives, from -1"
        )
    level = checked_threshold(threshold, LOGISTIC)
    if hasattr(card, "multiplier") and hasattr(card, "coefficients"):
        if card.featureNames is None:
            raise InputError(
                "the model does not know its features' names; call its reset_featureNames(names)"
            )
        weights = np.ravel(card.coefficients).astype(np.float64)
        named = [(str(n), float(w)) for n, w in zip(card.featureNames, weights, strict=True) if w]
        scale = favourable / float(card.multiplier)
        functions = _functions(named, schema, scale)
        return Additive(functions, scale * float(card.intercept), LOGISTIC, level)
    named, risks = _of_dictionary(card) if isinstance(card, Mapping) else _of_text(card)
    if not named or not risks:
        raise InputError(
            "no points or no risks were found; pass a RiskScoreClassifier, the dictionary of "
            "get_models_in_dict, or the text that print_model_card prints"
        )
    accepted = [s for s, p in risks if (p if favourable == 1 else 1.0 - p) > level]
    if not accepted:
        raise InputError(
            f"no score of the risk scale has a favourable probability above {level:g}; choose a "
            "lower threshold"
        )
    first = min(favourable * score for score in accepted)
    return Additive(_functions(named, schema, float(favourable)), 0.0, threshold=at_least(first, 0))


def _of_dictionary(card: Mapping[str, Any]) -> tuple[list[tuple[str, float]], list[Any]]:
    named = [(str(name), float(points)) for points, name in card.get("feature_data", ())]
    return named, [(float(score), float(risk)) for score, risk in card.get("risk_scale", ())]


def _of_text(card: Any) -> tuple[list[tuple[str, float]], list[Any]]:
    if not isinstance(card, str):
        return [], []
    named, rows = [], {"SCORE": "", "RISK": ""}
    for line in card.splitlines():
        found = LINE.match(line)
        if found:
            named.append((found["name"], float(found["points"])))
        head, _, rest = line.partition("|")
        if head.strip() in rows and "=" not in rest:
            rows[head.strip()] += rest
    scores, risks = (
        [float(cell.strip().rstrip("%")) for cell in row.split("|") if cell.strip()]
        for row in rows.values()
    )
    if len(scores) != len(risks):
        raise InputError(
            f"the risk scale has {len(scores)} scores and {len(risks)} risks; copy both rows"
        )
    return named, [(score, risk / 100.0) for score, risk in zip(scores, risks, strict=True)]


@dataclass(frozen=True)
class Condition:
    """Whether an input's value is above, below or equal to another."""

    sign: str
    value: float

    @property
    def cuts(self) -> list[float]:
        """Where the answer changes."""
        return alone(self.value)

    def holds(self, values: Vector) -> Bools:
        """The answer for each value."""
        return np.asarray(SIGNS[self.sign](values, self.value))


def _functions(named: Sequence[tuple[str, float]], schema: Schema, scale: float) -> list[Any]:
    """What each input adds; a missing value that the card would have to judge is refused."""
    slopes = np.zeros(len(schema))
    asked: list[list[tuple[Condition, float]]] = [[] for _ in schema]
    for name, points in named:
        if name in schema.names and schema[name].coder is None:
            slopes[schema.names.index(name)] += points
        else:
            j, condition = condition_of(name, schema)
            asked[j].append((condition, points))
    functions: list[Any] = []
    for feature, slope, conditions in zip(schema, slopes, asked, strict=True):
        if slope and (conditions or feature.kind != "binary"):
            raise InputError(
                f"{feature.name!r} itself has points, and so it must be a binary in the schema and "
                "have no conditions besides; declare its kind, or write the points as a table"
            )
        if not conditions and not slope:
            functions.append(NOTHING)
            continue
        conditions = conditions or [(Condition("=", 1.0), float(slope))]
        cells = Cells.of(feature, [cut for c, _ in conditions for cut in c.cuts])
        amounts = np.zeros(len(cells))
        for condition, points in conditions:
            amounts += scale * points * condition.holds(cells.samples)
        amounts[0] = -np.inf
        functions.append(cells.function(amounts))
    return functions


def condition_of(name: str, schema: Schema) -> tuple[int, Condition]:
    """The input that a column's name asks about, and what it asks."""
    for sign in SIGNS:
        left, found, right = name.partition(sign)
        if found and left.strip() in schema.names:
            j = schema.names.index(left.strip())
            return j, Condition(sign, _value(schema.features[j], sign, right.strip(), name))
    for j, feature in enumerate(schema):  # the names that one-hot columns get
        if feature.coder is not None and name.startswith(f"{feature.name}_"):
            code = feature.coder.of(name[len(feature.name) + 1 :])
            if np.isfinite(code):
                return j, Condition("=", code)
    raise InputError(
        f"{name!r} is neither a column of the schema nor a condition on one; there are "
        f"{listing(schema.names)}, with {' '.join(SIGNS)} and a value, or _ and a category"
    )


def _value(feature: Feature, sign: str, text: str, name: str) -> float:
    if feature.coder is not None:
        if feature.kind == "nominal" and sign not in ("=", "==", "!="):
            raise InputError(f"{name!r}: the categories of {feature.name!r} have no order; use =")
        return feature.coder.of(feature.coder.known(text, repr(name)))
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{name!r} compares with {text!r}; it must be a number") from None
