"""What the columns of a table mean, and who may move them."""

from standfast.schema.feature import Direction, Feature, Kind
from standfast.schema.relation import Relation
from standfast.schema.schema import Schema

__all__ = ["Direction", "Feature", "Kind", "Relation", "Schema"]
