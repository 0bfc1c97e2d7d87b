"""What a candidate must satisfy to pass: small conditions as people write them.

condition := part ("and" part)*            several conditions must all hold
part      := quantity sign number          sign: >= > <= <
quantity  := name | worst_segment(name) | lower(quantity) | upper(quantity)
number    := 0.98 | 98% | 98 %
"""

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from standfast.errors import InputError, listing
from standfast.evaluation.intervals import share
from standfast.schema.values import described

# what can be asked for, in the words of reports
QUANTITIES = {
    "kept": "promises kept in full",
    "at_risk": "promises at risk",
    "broken": "promises broken",
    "accepted": "promises whose advice is still accepted",
    "unrepaired": "promises broken and not honoured by exception",
    "undecided": "promises that could not be decided",
    "promises": "number of open promises",
    "repair_cost": "mean cost of the cheapest top-up",
    "newly_refused": "people whom only the champion accepts",
    "newly_accepted": "people whom only the candidate accepts",
    "auc": "area under the candidate's curve",
    "auc_loss": "area under the curve lost against the champion",
    "psi": "population stability index of the scores",
}
SHARES = ("kept", "at_risk", "broken", "unrepaired", "accepted", "undecided")
BY_SEGMENT = ("kept", "at_risk", "broken", "accepted")
SWAPS = ("newly_refused", "newly_accepted")
HOW = "write it like 'kept >= 0.98', 'upper(broken) <= 1%' or 'worst_segment(kept) >= 0.9'"
BRINGS = {
    "repair_cost": "what repair costs: give --repair with --table, or in Python "
    "GateSettings(repairs=…)",
    "newly_refused": "the champion and people to compare on: give champion=… and people=… "
    "(--champion, --table, --label, --favourable)",
    "auc": "labelled people: give people=… (--table, --label, --favourable)",
    "worst_segment": "a segment: give segment=… (--segment)",
}
BRINGS |= dict.fromkeys(("newly_accepted", "psi", "auc_loss"), BRINGS["newly_refused"])

SIGNS = {">=": float.__ge__, ">": float.__gt__, "<=": float.__le__, "<": float.__lt__}
TOKEN = re.compile(r">=|<=|[<>()%]|[^\s()%<>]+")
AROUND = 24  # characters shown on either side of the place
LONGEST = 500


@dataclass(frozen=True)
class Number:
    """A number with both ends of its interval; without one, all three are the same."""

    value: float
    lower: float
    upper: float

    @classmethod
    def exactly(cls, value: float) -> "Number":
        """A number that is simply known."""
        return cls(value, value, value)

    @classmethod
    def of_share(cls, count: int, n: int, confidence: float) -> "Number":
        """A share of n with its exact interval; not a number of none."""
        return cls(*(float(end) for end in share(count, n, confidence)))


@dataclass(frozen=True)
class Condition:
    """One comparison: a quantity, perhaps of the worst segment or an end of its interval.

    >>> Condition.parse("upper(broken) <= 1% and kept >= 0.98")
    (Condition('upper(broken) <= 0.01'), Condition('kept >= 0.98'))
    >>> Condition.parse("kept => 0.98")
    Traceback (most recent call last):
    standfast.errors.InputError: the condition "kept ^=> 0.98" cannot be read at the ^: expected
    >=, >, <= or <
    """

    name: str
    sign: str
    bound: float
    end: str = ""  # lower or upper
    worst: bool = False

    @classmethod
    def parse(cls, text: object) -> "tuple[Condition, ...]":
        """The conditions of a text."""
        if not isinstance(text, str):
            raise InputError(f"a condition is {described(text)}; {HOW}")
        return tuple(_Reader(text).read())

    @property
    def quantity(self) -> str:
        """What is compared, as it is written."""
        found = f"worst_segment({self.name})" if self.worst else self.name
        return f"{self.end}({found})" if self.end else found

    @property
    def needs(self) -> str:
        """The quantity that must be available."""
        return self.quantity if not self.end else self.quantity[len(self.end) + 1 : -1]

    @property
    def words(self) -> str:
        """What is compared, in words."""
        found = QUANTITIES[self.name]
        if self.worst:
            found = f"{found}, in the segment that fares worst"
        return f"{found} ({self.end} end of the interval)" if self.end else found

    def __str__(self) -> str:
        return f"{self.quantity} {self.sign} {self.bound:g}"

    def __repr__(self) -> str:
        return f"Condition({str(self)!r})"

    def judged(self, numbers: Mapping[str, Number]) -> "Met":
        """Whether the condition holds; where there is nothing to judge, it does."""
        number = numbers[self.needs]
        value = float(getattr(number, self.end or "value"))
        holds = math.isnan(value) or SIGNS[self.sign](value, self.bound)
        return Met(self, number, value, bool(holds))


@dataclass(frozen=True)
class Met:
    """A condition, the number that it is about, and whether it holds."""

    condition: Condition
    number: Number
    value: float
    holds: bool


def all_of(require: object) -> tuple[Condition, ...]:
    """The conditions of one text or of several; each once."""
    texts = [require] if isinstance(require, str) else require
    if not isinstance(texts, Iterable):
        raise InputError(f"require is {described(require)}; {HOW}")
    found = [one for text in texts for one in Condition.parse(text)]
    return tuple(dict.fromkeys(found))


def check_available(conditions: Iterable[Condition], available: set[str]) -> None:
    """Refuse a condition whose number nobody brings, before any work."""
    for one in conditions:
        needed = "worst_segment" if one.worst else one.name
        if needed in BRINGS and needed not in available:
            raise InputError(f"the condition '{one}' needs {BRINGS[needed]}")


class _Reader:
    """A text on its way to conditions."""

    begins = 0  # where the token taken last begins

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise InputError(f"a condition has {len(text)} characters; {HOW}")
        self.text = text
        self.left = [(match.start(), match.group()) for match in TOKEN.finditer(text)][::-1]

    def read(self) -> list[Condition]:
        found = [self.comparison()]
        while self.peek():
            if self.take() != "and":
                self.refuse("expected 'and' or the end")
            found.append(self.comparison())
        return found

    def peek(self) -> str:
        return self.left[-1][1] if self.left else ""

    def take(self) -> str:
        self.begins, word = self.left.pop() if self.left else (len(self.text), "")
        return word

    def comparison(self) -> Condition:
        end, worst, name = self.quantity(True)
        sign = self.take()
        if sign not in SIGNS:
            self.refuse("expected >=, >, <= or <")
        return Condition(name, sign, self.number(name), end, worst)

    def quantity(self, outer: bool) -> tuple[str, bool, str]:
        word = self.take()
        if not word:
            self.refuse(f"a quantity is missing; {HOW}")
        if word in ("lower", "upper") and outer:
            _, worst, name = self.inside(lambda: self.quantity(False))
            if name not in (*SHARES, *SWAPS):
                self.refuse(f"'{name}' has no interval; {listing((*SHARES, *SWAPS), 9)} have one")
            return word, worst, name
        if word == "worst_segment":
            _, _, name = self.inside(lambda: ("", False, self.take()))
            if name not in BY_SEGMENT:
                self.refuse(f"segments have {listing(BY_SEGMENT)}")
            return "", True, name
        if word not in QUANTITIES:
            near = difflib.get_close_matches(word, [*QUANTITIES, "worst_segment"], 1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {listing(QUANTITIES, 20)}"
            self.refuse(f"this is not a quantity; {hint}")
        return "", False, word

    def inside(self, read: Callable[[], tuple[str, bool, str]]) -> tuple[str, bool, str]:
        if self.take() != "(":
            self.refuse("expected '('")
        found = read()
        begins = self.begins
        if self.take() != ")":
            self.refuse("expected ')'")
        self.begins = begins
        return found

    def number(self, name: str) -> float:
        word = self.take()
        try:
            found = float(word)
        except ValueError:
            found = float("nan")
        if not -1e12 < found < 1e12 or "_" in word:
            self.refuse("expected a number such as 0.98 or 98%")
        begins = self.begins
        if self.peek() == "%":
            self.take()
            found = float(f"{word}e-2") if "e" not in word.lower() else found / 100
        self.begins = begins
        if name in (*SHARES, *SWAPS) and not 0.0 <= found <= 1.0:
            self.refuse("a share lies between 0 and 1, or 0% and 100%")
        return found

    def refuse(self, why: str) -> NoReturn:
        """One sentence, in which ^ stands before the place."""
        start = self.begins
        left, right = self.text[max(0, start - AROUND) : start], self.text[start:][:AROUND]
        before, after = "…" * (start > AROUND), "…" * (start + AROUND < len(self.text))
        raise InputError(
            f'the condition "{before}{left}^{right}{after}" cannot be read at the ^: {why}'
        )
