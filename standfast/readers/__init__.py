"""Fitted estimators and model files, read as scores: one reader per library."""

from standfast.readers.as_score import as_score
from standfast.readers.files import load_model, save_model

__all__ = ["as_score", "load_model", "save_model"]
