"""A PMML evaluator written straight from the standard's text, one row at a time: the referee.

It shares nothing with the package: ElementTree instead of expat, values instead of cells. A row
maps field names to numbers or names, None where a value is missing; no result is None, too.
"""

import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np


class InvalidError(Exception):
    """The model gives no result."""


class Evaluator:
    def __init__(self, source: Path | str) -> None:
        text = source.read_text() if isinstance(source, Path) else source
        root = ElementTree.fromstring(text)
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        self.root = root
        self.data = {f.get("name"): f for f in root.iterfind("DataDictionary/DataField")}
        names = ("Scorecard", "RegressionModel", "TreeModel", "MiningModel")
        self.model = next(e for e in root if e.tag in names)

    def __call__(self, row: dict[str, Any], favourable: str | None = None) -> float | None:
        """The number, or the favourable class's probability."""
        try:
            values = self.prepared(row)
            found = self.evaluate(self.model, values)
        except InvalidError:
            return None
        if isinstance(found, dict):
            return found.get(favourable, 0.0)
        return found

    # fields

    def prepared(self, row: dict[str, Any]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for mined in self.model.find("MiningSchema"):
            name = mined.get("name")
            if mined.get("usageType", "active") == "active":
                values[name] = self.treat(row.get(name), self.data[name], mined)
        shared = self.root.find("TransformationDictionary")
        for derived in shared if shared is not None else ():
            values[derived.get("name")] = self.derive(derived, values)
        return values

    def typed(self, text: Any, kind: str) -> Any:
        if kind == "boolean":
            return text if isinstance(text, bool) else str(text).lower() in ("true", "1", "1.0")
        if kind == "string":
            return str(text)
        number = float(text)
        return float(np.float32(number)) if kind == "float" else number

    def treat(self, raw: Any, data: Any, mined: Any) -> Any:
        kind = data.get("dataType")
        value = None if raw is None else self.typed(raw, kind)
        listed = [
            (v.get("property", "valid"), self.typed(v.get("value"), kind))
            for v in data.iterfind("Value")
        ]
        if value is not None and ("missing", value) in listed:
            value = None
        if value is not None:
            valid = [v for kept, v in listed if kept == "valid"]
            intervals = list(data.iterfind("Interval"))
            ok = ("invalid", value) not in listed
            if valid or intervals:
                ok = ok and (value in valid or any(within(value, i) for i in intervals))
            if not ok:
                treatment = mined.get("invalidValueTreatment", "returnInvalid")
                if treatment == "returnInvalid":
                    raise InvalidError
                if treatment == "asMissing":
                    value = None
                if treatment == "asValue":
                    value = self.typed(mined.get("invalidValueReplacement"), kind)
        return self.complete(value, mined, kind)

    def complete(self, value: Any, mined: Any, kind: str) -> Any:
        low, high = float(mined.get("lowValue", "-inf")), float(mined.get("highValue", "inf"))
        if isinstance(value, float) and not low <= value <= high:
            if mined.get("outliers") == "asExtremeValues":
                value = min(max(value, low), high)
            elif mined.get("outliers") == "asMissingValues":
                value = None
        if value is None and mined.get("missingValueReplacement") is not None:
            value = self.typed(mined.get("missingValueReplacement"), kind)
        return value

    def derive(self, derived: Any, values: dict[str, Any]) -> Any:
        found = self.express(derived[0], values)
        kind = derived.get("dataType")
        return None if found is None else self.typed(found, kind)

    def express(self, e: Any, values: dict[str, Any]) -> Any:
        if e.tag == "Constant":
            return float(e.text)
        if e.tag == "Apply":
            return self.apply(e, [self.express(part, values) for part in e])
        field = e.get("field") or e.find("FieldColumnPair").get("field")
        value = values[field]
        if value is None:
            return e.get("mapMissingTo")
        if e.tag == "FieldRef":
            return value
        if e.tag == "NormDiscrete":
            return float(
                str(value).lower() == e.get("value")
                if isinstance(value, bool)
                else same(value, e.get("value"))
            )
        if e.tag == "Discretize":
            bins = e.iterfind("DiscretizeBin")
            return next(
                (b.get("binValue") for b in bins if within(value, b[0])), e.get("defaultValue")
            )
        if e.tag == "MapValues":
            column = e.find("FieldColumnPair").get("column")
            for row in e.iterfind("InlineTable/row"):
                if same(value, row.find(column).text):
                    return row.find(e.get("outputColumn")).text
            return e.get("defaultValue")
        assert e.tag == "NormContinuous"
        points = [(float(p.get("orig")), float(p.get("norm"))) for p in e]
        outliers = e.get("outliers", "asIs")
        if outliers == "asExtremeValues":
            value = min(max(value, points[0][0]), points[-1][0])
        if outliers == "asMissingValues" and not points[0][0] <= value <= points[-1][0]:
            return e.get("mapMissingTo")
        pairs = list(pairwise(points))
        (a, n), (b, m) = next((p for p in pairs if value <= p[1][0]), pairs[-1])
        return n + (value - a) / (b - a) * (m - n)

    def apply(self, e: Any, given: list[Any]) -> Any:
        if any(one is None for one in given):
            return e.get("mapMissingTo")
        x, *rest = [float(one) for one in given]
        name = e.get("function")
        if name == "ln":
            if x <= 0:
                raise InvalidError
            return math.log(x)
        return {
            "+": lambda: x + rest[0],
            "-": lambda: x - rest[0],
            "*": lambda: x * rest[0],
            "/": lambda: x / rest[0],
            "abs": lambda: abs(x),
            "min": lambda: min(x, *rest),
            "max": lambda: max(x, *rest),
            "sqrt": lambda: math.sqrt(x),
        }[name]()

    # predicates

    def holds(self, e: Any, values: dict[str, Any]) -> bool | None:
        if e.tag in ("True", "False"):
            return e.tag == "True"
        if e.tag == "CompoundPredicate":
            found = [self.holds(part, values) for part in e]
            match e.get("booleanOperator"):
                case "and":
                    return False if False in found else None if None in found else True
                case "or":
                    return True if True in found else None if None in found else False
                case "xor":
                    return None if None in found else found.count(True) % 2 == 1
            return next((one for one in found if one is not None), None)
        value = values[e.get("field")]
        if e.tag == "SimpleSetPredicate":
            if value is None:
                return None
            words = [
                a or b for a, b in re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', e.find("Array").text)
            ]
            among = any(same(value, word.replace('\\"', '"')) for word in words)
            return among == (e.get("booleanOperator") == "isIn")
        operator, text = e.get("operator"), e.get("value")
        if operator in ("isMissing", "isNotMissing"):
            return (value is None) == (operator == "isMissing")
        if value is None:
            return None
        if operator in ("equal", "notEqual"):
            return same(value, text) == (operator == "equal")
        data = self.data.get(e.get("field"))
        other = (
            float(np.float32(text))
            if data is not None and data.get("dataType") == "float"
            else float(text)
        )
        return {
            "lessThan": value < other,
            "lessOrEqual": value <= other,
            "greaterThan": value > other,
            "greaterOrEqual": value >= other,
        }[operator]

    # models

    def evaluate(self, model: Any, values: dict[str, Any]) -> Any:
        values = dict(values)
        for derived in model.find("LocalTransformations") or ():
            values[derived.get("name")] = self.derive(derived, values)
        found = getattr(self, model.tag.lower())(model, values)
        target = model.find("Targets/Target")
        if target is not None:
            found = found * float(target.get("rescaleFactor", 1))
            found += float(target.get("rescaleConstant", 0))
        return found

    def scorecard(self, model: Any, values: dict[str, Any]) -> float:
        total = float(model.get("initialScore", 0))
        for characteristic in model.find("Characteristics"):
            for attribute in characteristic.iterfind("Attribute"):
                if self.holds(attribute[0], values):
                    total += float(attribute.get("partialScore"))
                    break
            else:
                raise InvalidError
        return total

    def regressionmodel(self, model: Any, values: dict[str, Any]) -> Any:
        sums = {}
        for table in model.iterfind("RegressionTable"):
            total = float(table.get("intercept"))
            for p in table:
                value, weight = values[p.get("name")], float(p.get("coefficient"))
                if p.tag == "CategoricalPredictor":
                    total += weight * (value is not None and same(value, p.get("value")))
                elif value is None:
                    raise InvalidError
                else:
                    total += weight * value ** float(p.get("exponent", 1))
            sums[table.get("targetCategory")] = total
        method = model.get("normalizationMethod", "none")
        if model.get("functionName") == "regression":
            only = next(iter(sums.values()))
            return only if method == "none" else 1 / (1 + math.exp(-only))
        first, second = sums
        if method == "softmax":
            return {k: math.exp(v) / sum(map(math.exp, sums.values())) for k, v in sums.items()}
        p = sums[first] if method == "none" else 1 / (1 + math.exp(-sums[first]))
        return {first: p, second: 1 - p}

    def treemodel(self, model: Any, values: dict[str, Any]) -> Any:
        missing = model.get("missingValueStrategy", "none")
        node = model.find("Node")
        if not self.holds(predicate(node), values):
            raise InvalidError
        while children := node.findall("Node"):
            for child in children:
                truth = self.holds(predicate(child), values)
                if truth:
                    node = child
                    break
                if truth is None and missing != "none":
                    if missing == "nullPrediction":
                        raise InvalidError
                    if missing == "lastPrediction":
                        return self.leaf(model, node)
                    node = next(c for c in children if c.get("id") == node.get("defaultChild"))
                    break
            else:
                if model.get("noTrueChildStrategy") == "returnLastPrediction":
                    return self.leaf(model, node)
                raise InvalidError
        return self.leaf(model, node)

    def leaf(self, model: Any, node: Any) -> Any:
        shares = list(node.iterfind("ScoreDistribution"))
        if node.get("score") is None and not shares:
            raise InvalidError
        if model.get("functionName") == "regression":
            return float(node.get("score"))
        if not shares:
            return {node.get("score"): 1.0}
        if all(s.get("probability") for s in shares):
            return {s.get("value"): float(s.get("probability")) for s in shares}
        total = sum(float(s.get("recordCount")) for s in shares)
        return {s.get("value"): float(s.get("recordCount")) / total for s in shares}

    def miningmodel(self, model: Any, values: dict[str, Any]) -> Any:
        whole = model.find("Segmentation")
        method, found = whole.get("multipleModelMethod"), []
        for segment in whole:
            inner = segment[1]
            own = {}
            for mined in inner.find("MiningSchema"):
                name, data = mined.get("name"), self.data.get(mined.get("name"))
                if name in values:
                    kind = "double" if data is None else data.get("dataType")
                    own[name] = self.complete(values[name], mined, kind)
            found.append((float(segment.get("weight", 1)), self.evaluate(inner, {**values, **own})))
            for output in inner.find("Output") or ():
                if output.get("feature", "predictedValue") == "predictedValue":
                    values[output.get("name")] = found[-1][1]
                elif output.get("feature") == "transformedValue":
                    values[output.get("name")] = self.express(output[0], values)
        if method == "modelChain":
            return found[-1][1]
        if not method.startswith("weighted"):
            found = [(1.0, one) for _, one in found]
        if method.endswith("ajorityVote"):
            found = [(w, {max(one, key=one.get): 1.0}) for w, one in found]
        total = sum(w for w, _ in found)
        if isinstance(found[0][1], dict):
            names = {name for _, one in found for name in one}
            return {n: sum(w * one.get(n, 0.0) for w, one in found) / total for n in names}
        summed = sum(w * one for w, one in found)
        return summed if method in ("sum", "weightedSum") else summed / total


def predicate(node: Any) -> Any:
    names = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")
    return next(e for e in node if e.tag in names)


def same(value: Any, text: str) -> bool:
    if isinstance(value, bool):
        return str(value).lower() == text.lower()
    return value == text if isinstance(value, str) else value == float(text)


def within(value: float, interval: Any) -> bool:
    low, high = float(interval.get("leftMargin", "-inf")), float(interval.get("rightMargin", "inf"))
    left, right = re.match("(open|closed)(Open|Closed)", interval.get("closure")).groups()
    return (value > low or (left == "closed" and value == low)) and (
        value < high or (right == "Closed" and value == high)
    )
