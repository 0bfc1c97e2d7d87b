"""The report: tidy tables and pictures in, one page out."""

from standfast.report.page import page, write

__all__ = ["page", "write"]
