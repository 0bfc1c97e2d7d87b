"""One person on a page: their facts as JSON, and the component that draws them in a browser."""

from standfast.person_view.assets import asset
from standfast.person_view.facts import Strips, advised, reasons_facts

__all__ = ["Strips", "advised", "asset", "reasons_facts"]
