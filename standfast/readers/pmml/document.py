"""The XML of a PMML file as plain elements that know their line; nothing in it can be expanded."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from standfast.errors import InputError
from standfast.readers.unreadable import left_out

MOST_BYTES = 2**28  # a forest of a thousand trees takes a tenth of it
MOST_ELEMENTS = 10_000_000
MOST_LEVELS = 1_000
WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


@dataclass(eq=False)
class Element:
    """An element: its name without a namespace, its attributes, its parts, its text, its line."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    @property
    def place(self) -> str:
        """What a sentence calls it."""
        return f"<{self.name}> in line {self.line}"

    def all(self, *names: str) -> Iterator["Element"]:
        """The parts of these names, in their order."""
        return (part for part in self.children if part.name in names)

    def child(self, *names: str) -> "Element | None":
        """The first part of one of these names, if there is one."""
        return next(self.all(*names), None)

    def needed(self, *names: str) -> "Element":
        """The first part of one of these names."""
        found = self.child(*names)
        if found is None:
            raise InputError(f"{self.place} lacks its <{names[0]}>; export the model again")
        return found

    def get(self, attribute: str, otherwise: str = "") -> str:
        """An attribute, or what stands for it."""
        return self.attributes.get(attribute, otherwise)

    def word(self, attribute: str) -> str:
        """An attribute that must be there."""
        if attribute not in self.attributes:
            raise InputError(f"{self.place} lacks its {attribute}; export the model again")
        return self.attributes[attribute]

    def number(self, attribute: str, otherwise: float | None = None) -> float:
        """An attribute that is a number."""
        if attribute not in self.attributes and otherwise is not None:
            return otherwise
        return as_number(self.word(attribute), f"{self.place}: {attribute}")

    def words(self) -> list[str]:
        """The entries of an array: separated by white space, in quotes where they hold some."""
        found = [quoted or bare for quoted, bare in WORD.findall(self.text)]
        return [re.sub(r"\\(.)", r"\1", word) for word in found]


def as_number(text: str, what: str) -> float:
    """A finite number, or a sentence."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{what} is {text[:80]!r}, not a number; export the model again")
    return number


def not_read(element: Element, what: str = "") -> InputError:
    """An operator that is not read, by its name and place."""
    return left_out(f"{what} ({element.place})" if what else element.place)


def parse(data: bytes) -> Element:
    """The root element; an InputError for what is no XML, cut off, huge, or declares entities."""
    if len(data) > MOST_BYTES:
        raise InputError(
            f"it has {len(data):,} bytes, more than the {MOST_BYTES:,} that are read of a PMML file"
        )
    reader = _Reader()
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(
            f"it is not XML, or only the beginning of it ({expat.errors.messages[error.code]} in "
            f"line {error.lineno}); export the model again"
        ) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"it is not XML that can be read ({error})") from None
    root = reader.root
    if root is None or root.name != "PMML":
        found = "nothing" if root is None else f"<{root.name}>"
        raise InputError(f"it is XML but begins with {found} instead of <PMML>")
    return root


class _Reader:
    """Builds elements while the parser goes along."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        # entities can grow a small file into gigabytes, and read other files; PMML needs none
        self.parser.StartDoctypeDeclHandler = self.declaration
        self.parser.EntityDeclHandler = self.declaration

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS or len(self.open) >= MOST_LEVELS:
            raise InputError(
                f"it holds more than {MOST_ELEMENTS:,} elements, or more than {MOST_LEVELS:,} "
                "inside each other; that is not a model"
            )
        element = Element(name.rpartition(":")[2], attributes, self.parser.CurrentLineNumber)
        if self.open:
            self.open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self.open.append(element)

    def end(self, name: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if self.open:
            self.open[-1].text += text

    def declaration(self, *found: Any) -> None:
        raise InputError(
            f"line {self.parser.CurrentLineNumber} declares a document type or an entity, which a "
            "PMML file does not need and standfast does not expand; remove the declaration"
        )
