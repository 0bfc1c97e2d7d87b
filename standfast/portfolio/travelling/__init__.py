"""An advisor as a folder: what another process or machine needs to give the same advice."""

from standfast.portfolio.travelling.folder import load, save

__all__ = ["load", "save"]
