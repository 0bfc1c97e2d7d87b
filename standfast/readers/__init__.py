"""Fitted estimators and model files, read as scores: one reader per library."""

from standfast.readers.as_score import as_score
from standfast.readers.files import load_model, save_model
from standfast.readers.points import read_points
from standfast.readers.risk_scores import read_risk_score

__all__ = ["as_score", "load_model", "read_points", "read_risk_score", "save_model"]
