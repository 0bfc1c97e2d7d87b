"""A PMML file as a model: its kind, its classes, and its score under a schema."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from standfast.errors import InputError, listing, with_article
from standfast.readers.model_document import (
    SIDES,
    ModelDocument,
    cut_off,
    probability_threshold,
    side_of,
    two_classes,
)
from standfast.readers.piecewise.sums import Result, score_of
from standfast.readers.pmml.document import Element, parse
from standfast.readers.pmml.mining import MODELS, read
from standfast.readers.pmml.scope import Scope
from standfast.schema import Schema
from standfast.scores.score import LOGISTIC, Score

NOT_MODELS = (
    "Header",
    "MiningBuildTask",
    "DataDictionary",
    "TransformationDictionary",
    "Extension",
)


@dataclass(frozen=True, eq=False)
class PmmlModel(ModelDocument):
    """The model in a PMML file: a scorecard, a regression, a tree, or several of these joined."""

    root: Element = field(repr=False)
    model: Element = field(repr=False)

    @classmethod
    def of(cls, data: bytes) -> "PmmlModel":
        """The model in a file's bytes; what can be seen to be wrong is said at once."""
        root = parse(data)
        found = [part for part in root.children if part.name not in NOT_MODELS]
        if not found:
            raise InputError("it holds no model; export the model again")
        scorable = [part for part in found if part.get("isScorable", "true") != "false"]
        model = (scorable or found)[0]
        if model.name not in MODELS:
            raise InputError(
                f"it holds {with_article(model.name)} (line {model.line}), which is not read; "
                f"{listing(MODELS)} are"
            )
        return cls(root, model)

    @cached_property
    def classes_(self) -> list[Any]:  # type: ignore[override]
        """The classes as the file spells them; the two sides of a cut-off if there are none."""
        if self.model.get("functionName") != "classification":
            return list(SIDES)
        schema = self.model.needed("MiningSchema")
        targets = [
            one.word("name")
            for one in schema.all("MiningField")
            if one.get("usageType") in ("target", "predicted")
        ]
        for one in self.root.needed("DataDictionary").all("DataField"):
            if one.get("name") in targets and one.child("Value") is not None:
                return [value.word("value") for value in one.all("Value")]
        return sorted(_named(self.model))

    def score(self, schema: Schema, *, favourable: object, threshold: float | None) -> Score:
        """The model in table units, seen from the favourable class or side."""
        scope = Scope.of(self.root, self.model, schema)
        if self.model.get("functionName") == "classification":
            place = two_classes(self.classes_, favourable, "the model")
            wanted = str(self.classes_[place])
            result = read(self.model, scope, list(self.classes_), wanted)
            return score_of(result, scope.guards(), schema, probability_threshold(threshold))
        side = side_of(favourable, f"the {self.model.name}")
        level = cut_off(threshold, f"the {self.model.name}")
        result = read(self.model, scope, [], None)
        if side > 0 and result.link == LOGISTIC:
            level = probability_threshold(level)
        if side < 0:
            level = 1.0 - probability_threshold(level) if result.link == LOGISTIC else -level
            result = Result(result.sum.scaled(-1.0), result.link, result.probability)
        return score_of(result, scope.guards(), schema, level)


def _named(model: Element) -> set[str]:
    """The classes that leaves and tables name, for a file that does not declare them."""
    found: set[str] = set()
    waiting = [model]
    while waiting:
        one = waiting.pop()
        waiting += one.children
        if one.name == "RegressionTable" and "targetCategory" in one.attributes:
            found.add(one.word("targetCategory"))
        if one.name == "ScoreDistribution":
            found.add(one.word("value"))
        if one.name == "TreeModel" and one.get("functionName") == "classification":
            nodes = [one.needed("Node")]
            while nodes:
                node = nodes.pop()
                nodes += node.all("Node")
                if "score" in node.attributes:
                    found.add(node.word("score"))
    return found
