"""How a language writes numbers and dates."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from standfast.errors import InputError
from standfast.files import read_text
from standfast.structure import TEXT, Record, Several, check, reading

PLAIN = re.compile(r"(-?)(\d+)(?:\.(\d+))?")
# what a picture says: who the signs are, what a place on a strip means, and what is not drawn
PICTURE = ("stands", "advice", "axis", "more", "missing")
STRUCTURE = Record(
    {"decimal": TEXT, "thousands": TEXT, "date": TEXT, "months": Several("month", TEXT, 12)},
    {"picture": Record(dict.fromkeys(PICTURE, TEXT))},
)
MOST_BYTES = 2**16


@dataclass(frozen=True)
class Language:
    """A language by its code, with its decimal mark, its mark of thousands and its dates.

    `picture` is what pictures say, and empty where the language has no words for them.

    >>> german = Language("de", ",", ".", "{day}. {month} {year}", ("Januar",) * 12)
    >>> german.number("-1234.50"), german.number("0.5"), german.day(date(2027, 1, 31))
    ('-1.234,50', '0,5', '31. Januar 2027')
    """

    code: str
    decimal: str
    thousands: str
    dates: str
    months: tuple[str, ...]
    picture: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, code: str) -> "Language":
        """The language as a file describes it."""
        text = read_text(path, MOST_BYTES, "numbers and dates of a language")
        with reading(path, "write it as the shipped ones are"):
            try:
                found = tomllib.loads(text)
            except tomllib.TOMLDecodeError as error:
                raise InputError(f"it is not valid TOML ({error})") from error
            check(found, STRUCTURE)
        decimal, thousands, dates = found["decimal"], found["thousands"], found["date"]
        words = found.get("picture", {})
        picture = {name: words[name] for name in PICTURE if words}
        return cls(code, decimal, thousands, dates, tuple(found["months"]), picture)

    def number(self, text: str) -> str:
        """A number, written with a point and no mark of thousands, as the language writes it."""
        plain = PLAIN.fullmatch(text)
        if plain is None:  # 1e+22
            return text.replace(".", self.decimal)
        sign, whole, rest = plain.groups()
        grouped = f"{int(whole):,}".replace(",", self.thousands)
        return f"{sign}{grouped}{self.decimal + rest if rest else ''}"

    def day(self, day: date) -> str:
        """A date."""
        text = self.dates.replace("{day}", str(day.day)).replace("{year}", str(day.year))
        return text.replace("{month}", self.months[day.month - 1])
