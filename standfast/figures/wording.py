"""Numbers and names as figures write them: few digits, short names, plain words."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from standfast.files import visible
from standfast.studies.settings import REFERENCES

MISSING = "–"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SETTING = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


def number(value: float, *, short: bool = False) -> str:
    """A number with the digits a reader needs; `short` drops zeros at the end.

    >>> number(0.5), number(0.5, short=True), number(123.4), number(2.1e7), number(float("inf"))
    ('0.50', '0.5', '123', '2.1·10⁷', '∞')
    """
    if np.isnan(value):
        return MISSING
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size >= 1e5 or 0 < size < 0.0005:
        mantissa, exponent = f"{value:.{1 if size > 1 else 0}e}".split("e")
        return f"{mantissa}·10{str(int(exponent)).translate(_SUPERSCRIPTS)}".replace("-", "−")
    if 0 < size < 0.005:
        text = f"{value:.4f}"
    else:
        text = f"{value:.2f}" if size < 10 else f"{value:.1f}" if size < 100 else f"{value:.0f}"
    if short and "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "−")


def power_of_ten(value: float) -> str:
    """A tick of a logarithmic axis.

    >>> power_of_ten(0.01), power_of_ten(500.0), power_of_ten(1e6), power_of_ten(1e-4)
    ('0.01', '500', '10⁶', '10⁻⁴')
    """
    if 0.001 <= value < 1e5:
        return f"{value:g}"
    digit, exponent = f"{value:.0e}".split("e")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    return power if digit == "1" else f"{digit}·{power}"


def per_cent(share: float) -> str:
    """A share in words.

    >>> per_cent(0.314), per_cent(0.004), per_cent(float("nan"))
    ('31 %', '0.4 %', '–')
    """
    if not np.isfinite(share):
        return MISSING
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun.

    >>> counted(1, "person", "people"), counted(3, "rival")
    ('1 person', '3 rivals')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def enumerated(parts: Sequence[str]) -> str:
    """Parts of a sentence.

    >>> enumerated(["GS 31 %", "AR 40 %", "C-CHVAE 62 %"])
    'GS 31 %, AR 40 % and C-CHVAE 62 %'
    """
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def scene_words(data: str, reference: str = "") -> str:
    """A scene for titles.

    >>> scene_words("twin:heloc", "forest"), scene_words("give_me_some_credit")
    ('twin of heloc, forest reference', 'give me some credit')
    """
    place = data.replace("twin:", "twin of ").replace("_", " ")
    return f"{place}, {reference_words(reference)}" if reference else place


def reference_words(reference: str) -> str:
    """The reference by its class, or by the file it was read from.

    >>> reference_words("linear"), reference_words("card.skops")
    ('linear reference', 'card.skops as the reference')
    """
    return f"{reference} reference" if reference in REFERENCES else f"{reference} as the reference"


def wrapped(text: str, width: int, most: int | None = None) -> str:
    """Text in lines of at most about `width` letters; of more than `most` lines the rest is left.

    A long word is parted before its capitals, and wherever need be.

    >>> wrapped("inquiries (NetFractionRevolvingBurden)", 16).splitlines()
    ['inquiries (Net', 'Fraction', 'RevolvingBurden)']
    >>> wrapped("months since the oldest trade was opened", 12, most=2).splitlines()
    ['months since', 'the oldest…']
    """
    words: list[str] = []
    for word in visible(text).split():
        pieces = re.findall(r"[^A-Z]+|[A-Z][^A-Z]*", word) if _wide(word) > width else [word]
        pieces = [part for piece in pieces for part in _parted(piece, width)]
        words += [(" " if k == 0 else "") + piece for k, piece in enumerate(pieces)]
    lines: list[str] = []
    for word in words:
        if lines and _wide(lines[-1]) + _wide(word.rstrip()) <= width:
            lines[-1] += word
        else:
            lines.append(word.strip())
    if most is not None and len(lines) > most:
        last = lines[most - 1]
        while last and _wide(last) >= width:
            last = last[:-1]
        lines = [*lines[: most - 1], f"{last.rstrip(' ,;:(')}…"]
    return "\n".join(lines)


def _wide(text: str) -> int:
    """How many letters' room a text takes; signs of the Far East and emoji take two."""
    return sum(1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)


def _parted(word: str, width: int) -> list[str]:
    """A word in pieces of at most `width` letters' room."""
    pieces = [""]
    for sign in word:
        if pieces[-1] and _wide(pieces[-1] + sign) > width:
            pieces.append("")
        pieces[-1] += sign
    return pieces


def short_names(rivals: Iterable[str]) -> dict[str, str]:
    """Rivals by what distinguishes them: their settings, without what all of a family share.

    >>> names = ["logistic regression, C = 0.1", "forest, 50 trees, depth 3", "the reference"]
    >>> list(short_names([*names, "forest, 50 trees, depth 5"]).values())
    ['C = 0.1', 'depth 3', 'the reference', 'depth 5']
    """
    names = list(dict.fromkeys(rivals))
    families: dict[tuple[str, int], list[list[str]]] = {}
    for name in names:
        head, *rest = name.split(", ")
        families.setdefault((head, len(rest)), []).append(rest)
    short = {}
    for name in names:
        head, *rest = name.split(", ")
        family = families[head, len(rest)]
        differing = [p for k, p in enumerate(rest) if any(other[k] != p for other in family)]
        short[name] = ", ".join(differing or rest) or name
    given = list(short.values())
    return {name: text if given.count(text) == 1 else name for name, text in short.items()}


def settings(rival: str) -> dict[str, float]:
    """A rival's settings, read from its name.

    >>> settings("forest, 50 trees, depth 3"), settings("logistic regression, C = 0.01")
    ({'trees': 50.0, 'depth': 3.0}, {'C': 0.01})
    """
    found = {}
    for part in rival.split(", ")[1:]:
        numbers = _SETTING.findall(part)
        if len(numbers) == 1:
            found[_SETTING.sub("", part).replace("=", "").strip()] = float(numbers[0])
    return found
