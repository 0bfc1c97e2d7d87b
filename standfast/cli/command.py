"""Commands as functions of one frozen dataclass, whose fields are the options."""

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, get_annotations
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import typer

from standfast_command import loading

Asked = TypeVar("Asked")
METAVARS = {Path: "FILE", int: "N", float: "NUMBER"}
Allowed = tuple[int, int] | Callable[..., Any]


def option(
    help: str,
    metavar: str | None = None,
    *,
    default: Any = MISSING,
    allowed: Allowed | None = None,
    panel: str | None = None,
    also: str | None = None,
) -> Any:
    """A field that is an option of its name: required without a default, an empty list with ().

    One whose type admits None need not be given, and one of a literal is one of its words. The help
    shows what to give by its type unless `metavar` says it. What is allowed is the least and the
    largest whole number, or a callback that checks. An option may also go by a second name.
    """
    settings: dict[str, Any] = {"help": help, "metavar": metavar, "rich_help_panel": panel}
    if isinstance(allowed, tuple):
        settings |= {"min": allowed[0], "max": allowed[1]}
    elif allowed is not None:
        settings["callback"] = allowed
    metadata = {"kind": typer.Option, "settings": settings, "also": also}
    if default == ():
        return field(default_factory=list, metadata=metadata)
    return field(default=default, metadata=metadata)


def flag(help: str) -> Any:
    """A field that is an option without a value."""
    return option(help, default=False)


def argument(help: str, metavar: str) -> Any:
    """A field that is a word by itself."""
    settings = {"help": help, "metavar": metavar}
    return field(metadata={"kind": typer.Argument, "settings": settings})


@dataclass_transform(kw_only_default=True, frozen_default=True)
def options_class(cls: type[Asked]) -> type[Asked]:
    """A frozen dataclass of options; those whose type admits None are None unless given."""
    for name, hint in get_annotations(cls).items():
        one = cls.__dict__[name]
        if type(None) in get_args(hint) and isinstance(one, Field) and one.default is MISSING:
            one.default = None
    return dataclass(frozen=True, kw_only=True)(cls)


def command(run: Callable[[Any], None], *, loads: bool = True) -> Callable[..., None]:
    """The function as typer reads it: one parameter for each field of its dataclass of options.

    Before it runs, what nearly all commands need is loaded, unless it loads by itself.
    """
    options = next(iter(get_type_hints(run).values()))
    hints = get_type_hints(options)
    parameters = [
        Parameter(
            one.name,
            Parameter.KEYWORD_ONLY,
            default=_default(one),
            annotation=Annotated[_asked(hints[one.name]), _declared(one, hints[one.name])],
        )
        for one in fields(options)
    ]
    parameters.sort(key=lambda one: one.default is not Parameter.empty)  # required ones first

    @wraps(run)
    def called(**given: Any) -> None:
        if loads:
            with loading():
                if given.get("model"):
                    # skops asks every module that was loaded before it for each of its functions
                    import scipy.special  # noqa: F401
                import pandas  # noqa: F401
        run(options(**{name: _plain(one) for name, one in given.items() if one is not None}))

    called.__annotations__ = {one.name: one.annotation for one in parameters}
    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return called


def _asked(hint: Any) -> Any:
    """The type as typer reads it: words to choose from as an enumeration."""
    inner = get_args(hint)
    if get_origin(hint) is Literal:
        return StrEnum("Word", {word: word for word in inner})
    if get_origin(hint) is list:
        return list[_asked(inner[0])]  # type: ignore[misc]
    return _asked(inner[0]) | None if type(None) in inner else hint


def _plain(given: Any) -> Any:
    """What was given, words as text."""
    if isinstance(given, list):
        return [_plain(one) for one in given]
    return given.value if isinstance(given, StrEnum) else given


def _default(one: Field[Any]) -> Any:
    if one.default is not MISSING:
        return one.default
    return Parameter.empty if one.default_factory is MISSING else None


def _declared(one: Field[Any], hint: Any) -> Any:
    kind, settings = one.metadata["kind"], dict(one.metadata["settings"])
    settings["metavar"] = settings["metavar"] or METAVARS.get((*get_args(hint), hint)[0])
    if kind is typer.Argument:
        return kind(**settings)
    names = [f"--{one.name.replace('_', '-')}", one.metadata["also"]]
    return kind(*filter(None, names), **settings)
