"""Near-invariants: what the data practically never break, whether or not the schema says so."""

from dataclasses import dataclass, replace

import numpy as np

from standfast.evaluation.advised import Bools, Matrix, Vector
from standfast.schema import Relation, Schema, laws
from standfast.schema.categories import UNKNOWN
from standfast.schema.condition import Condition
from standfast.schema.inference import MOST_RELATED
from standfast.schema.proposals import propose


@dataclass(frozen=True, eq=False)
class NearInvariants:
    """The schema's relations and rules, and laws that at least 99 % of the data keep.

    The latter are orders a <= b, sums a == b + c, and implications between categories that chance
    alone would break (`schema.proposals`). `related` is the schema with the relations among all
    these, `rules` are the others; `held` is the share of the data that keeps each.
    """

    related: Schema
    rules: tuple[Condition, ...]
    held: Vector

    @classmethod
    def of(cls, schema: Schema, X: Matrix) -> "NearInvariants":
        """What the schema says and the rows suggest; among over a hundred inputs they do not."""
        relations = {str(law): law for law in schema.relations}
        rules = {str(rule): rule for rule in schema.rules}
        if len(schema) <= MOST_RELATED:
            columns = np.where(schema.lacking(X), np.nan, X).T
            features = {feature.name: feature for feature in schema}
            found = propose(features, dict(zip(schema.names, columns, strict=True)))
            for law in (*found.relations, *found.rules, *(one.law for one in found.nearly)):
                if isinstance(law, Relation):
                    relations.setdefault(str(law), law)
                else:
                    rules.setdefault(str(law), Condition(law, schema.features))
        related = replace(
            schema, relations=tuple(relations.values()), rules=(), changes=(), draft=None
        )
        laws_found = cls(related, tuple(rules.values()), np.empty(0))
        return replace(laws_found, held=1.0 - laws_found.broken(X).mean(axis=0))

    @property
    def names(self) -> tuple[str, ...]:
        """The laws as texts, relations first."""
        return tuple(map(str, (*self.related.relations, *self.rules)))

    @property
    def reads(self) -> Bools:
        """Laws by inputs: which inputs a law is about."""
        about = [{name for name, _ in law.terms} for law in self.related.relations]
        about += [set(rule.columns) for rule in self.rules]
        found = [[name in names for name in self.related.names] for names in about]
        return np.array(found, dtype=bool).reshape(-1, len(self.related))

    def broken(self, points: Matrix) -> Bools:
        """Points by laws: which laws a point breaks; missing values break none."""
        known = np.where(points == UNKNOWN, 0.0, points)  # categories only, which no relation reads
        excess = laws.excess(self.related, known) > 0
        return np.column_stack([excess, *(rule.broken(points) for rule in self.rules)])
