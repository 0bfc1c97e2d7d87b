"""What the columns of a table mean, and who may move them."""

from standfast.schema.feature import Feature
from standfast.schema.kinds import Direction, Kind
from standfast.schema.relation import Relation
from standfast.schema.schema import Schema

__all__ = ["Direction", "Feature", "Kind", "Relation", "Schema"]
