"""A lender's rule as a score: +1 where its condition holds, −1 elsewhere."""

from dataclasses import dataclass, field
from functools import cached_property

from standfast.digests import digest
from standfast.errors import InputError
from standfast.schema import Schema
from standfast.schema.condition import Condition
from standfast.schema.condition_tree import Node, tree_of
from standfast.scores.score import IDENTITY, Bools, Vector
from standfast.scores.tree_ensemble import TreeEnsemble, Trees
from standfast.scores.unfolding import Fork, written


def trees_of(condition: Condition, *, strict: bool) -> Trees:
    """A condition as one plain tree; where it cannot be judged, a strict one refuses."""

    def visit(node: Node) -> float | Fork[Node]:
        return node.value if not node.children else (node.feature, node.split, True, *node.children)

    return written([tree_of(condition, strict=strict)], visit)


@dataclass(frozen=True, eq=False)
class Law(TreeEnsemble):
    """One of a schema's rules as a model that must accept: broken only where that is sure."""

    condition: Condition = field(kw_only=True)

    @classmethod
    def of(cls, condition: Condition) -> "Law":
        """The law that a rule's condition makes."""
        trees = trees_of(condition, strict=False)
        return cls(trees, len(condition.features), 0.0, condition=condition)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Rule(TreeEnsemble):
    """A condition that decides like a model: above zero where it surely holds.

    Such as a policy beside a model: `Unanimous([model, Rule("age >= 18", schema)])`. A value that
    is missing satisfies nothing but `missing(…)`. A margin up to 1 asks nothing more of a rule.

    Parameters
    ----------
    text : str
        The condition: comparisons of inputs, joined by and, or, not.
    schema : Schema
        The inputs it speaks of.

    Examples
    --------
    >>> import numpy as np
    >>> from standfast import Feature
    >>> schema = Schema((Feature("income", "positive"), Feature("age", "count")))
    >>> rule = Rule("income >= 1200 and age >= 18", schema)
    >>> rule, rule.score(np.array([[1500.0, 20.0], [1500.0, 17.0]]))
    (Rule('income >= 1200 and age >= 18'), array([ 1., -1.]))
    """

    condition: Condition = field(kw_only=True)

    def __init__(self, text: str | Condition, schema: Schema) -> None:
        if not isinstance(schema, Schema):
            raise InputError("a rule needs the schema that its columns belong to")
        features = schema.features
        found = (
            text.of(features) if isinstance(text, Condition) else Condition.parse(text, features)
        )
        whole = TreeEnsemble(trees_of(found, strict=True), len(schema), 0.0, IDENTITY)
        self.__dict__.update(whole.__dict__, condition=found)

    @property
    def text(self) -> str:
        """The rule as it is written."""
        return str(self.condition)

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the rule's text and its columns."""
        return digest(["rule", self.text, [feature.name for feature in self.condition.features]])

    def refusing(self, x: Vector, mutable: Bools) -> list[str]:
        """The parts that a row fails by what cannot change; the whole rule if there is none."""
        parts = self.condition.parts
        fixed = [part for part in parts if not mutable[list(part.columns.values())].any()]
        return [str(part) for part in fixed if not part.holds(x)] or [self.text]

    def __repr__(self) -> str:
        return f"Rule({self.text!r})"
