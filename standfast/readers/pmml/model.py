"""A PMML file as a model: its kind, its classes, and its score under a schema."""

from dataclasses import dataclass, field
from typing import Any

from standfast.errors import InputError, listing, with_article
from standfast.readers.model_document import ModelDocument, Reading
from standfast.readers.pmml.document import Element, parse
from standfast.readers.pmml.mining import MODELS, read
from standfast.readers.pmml.scope import Scope
from standfast.schema import Schema

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

    @property
    def number(self) -> str:
        """What a sentence calls a model that knows no classes."""
        classifies = self.model.get("functionName") == "classification"
        return "" if classifies else f"the {self.model.name}"

    def named_classes(self) -> list[Any]:
        """The classes that the target declares, else those that the model speaks of."""
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

    def read(self, schema: Schema, place: int | None) -> Reading:
        """What the model gives, and where it gives nothing."""
        classes = [] if place is None else self.classes_
        wanted = None if place is None else str(classes[place])
        scope = Scope.of(self.root, self.model, schema, classes, wanted)
        return read(self.model, scope), scope.guards()


# where a class is named, in a file that declares none
NAMING = {"RegressionTable": "targetCategory", "ScoreDistribution": "value", "Node": "score"}


def _named(model: Element) -> set[str]:
    """The classes that leaves and tables name; a leaf's score only if its tree classifies."""
    found: set[str] = set()
    waiting = [(model, False)]
    while waiting:
        one, classifies = waiting.pop()
        if one.name == "TreeModel":
            classifies = one.get("functionName") == "classification"
        waiting += [(part, classifies) for part in one.children]
        attribute = NAMING.get(one.name, "")
        if attribute in one.attributes and (classifies or one.name != "Node"):
            found.add(one.word(attribute))
    return found
