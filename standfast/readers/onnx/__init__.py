"""ONNX files of trees and linear models, and what stands before and behind them, as structure."""

from standfast.readers.onnx.model import OnnxModel

__all__ = ["OnnxModel"]
