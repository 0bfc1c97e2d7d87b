"""PMML files, the exchange format of decision engines, read as structure."""

from standfast.readers.pmml.model import PmmlModel

__all__ = ["PmmlModel"]
