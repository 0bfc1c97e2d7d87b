"""The files of the component: an ES module without imports, and its style."""

from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """The text of `person.js` or `person.css`.

    >>> asset("person.js").count("export function personView")
    1
    """
    return (files(__name__) / name).read_text(encoding="utf-8")
