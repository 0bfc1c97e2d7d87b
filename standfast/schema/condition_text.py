"""Conditions as people write them: read strictly, and what cannot be read is marked."""

import difflib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from standfast.errors import InputError, listing
from standfast.schema.categories import UNKNOWN, Category
from standfast.schema.condition import (
    KEYWORDS,
    Comparison,
    Every,
    Expression,
    Implication,
    IsMissing,
    Not,
    Sign,
    Some,
)
from standfast.schema.feature import Feature
from standfast.schema.values import described

TOKEN = re.compile(
    r"""\s*(?:`(?P<name>(?:[^`]|``)+)`(?!`)
    |'(?P<single>(?:[^']|'')*)'(?!')
    |"(?P<double>(?:[^"]|"")*)"(?!")
    |(?P<sign><=|>=|==|!=|<>|[<>=!(),])
    |(?P<word>[^\s`'"()<>=!,]+))""",
    re.VERBOSE,
)
ORDERED: dict[str, Sign] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
SIGNS: dict[str, Sign] = {**ORDERED, "==": "==", "!=": "!="}
TURNED: dict[Sign, Sign] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
TRUTHS = {"true": 1, "yes": 1, "false": 0, "no": 0}

HOW = "write it like 'income >= 1200 and job in (clerk, nurse)'"
# enough for any policy; each comparison becomes a branching of a tree
MOST_COMPARISONS, DEEPEST = 200, 50
# characters of the text shown on either side of the place
AROUND = 24


@dataclass(frozen=True)
class Token:
    """A word, a sign, a quoted value or a column in backticks, and where it begins."""

    kind: Literal["word", "sign", "value", "name", "end"]
    text: str
    start: int


def parse(text: str, features: Sequence[Feature]) -> Expression:
    """The expression that a text says about these features."""
    if not isinstance(text, str):
        raise InputError(f"a condition is {described(text)}; {HOW}")
    return _Reader(text, features).read()


def _tokens(text: str) -> list[Token]:
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            _refuse(text, start, "a quote or a backtick is not closed")
        kind, start = str(match.lastgroup), match.start(match.lastgroup or 0)
        inside = str(match.group(kind))
        if kind == "name":
            found.append(Token("name", inside.replace("``", "`"), start - 1))
        elif kind in ("single", "double"):
            quote = "'" if kind == "single" else '"'
            found.append(Token("value", inside.replace(2 * quote, quote), start - 1))
        else:
            found.append(Token("sign" if kind == "sign" else "word", inside, start))
        at = match.end()
    return [*found, Token("end", "", len(text))]


def _refuse(text: str, start: int, why: str) -> NoReturn:
    """One sentence, in which ^ stands before the place."""
    left, right = text[max(0, start - AROUND) : start], text[start : start + AROUND]
    before = "…" if start > AROUND else ""
    after = "…" if start + AROUND < len(text) else ""
    place = f"{before}{left}^{right}{after}"
    raise InputError(f'the condition "{place}" cannot be read at the ^: {why}')


class _Reader:
    """A text on its way to an expression."""

    def __init__(self, text: str, features: Sequence[Feature]) -> None:
        self.text, self.tokens, self.at = text, _tokens(text), 0
        self.features = {feature.name: feature for feature in features}
        self.comparisons = self.depth = 0

    def read(self) -> Expression:
        if len(self.tokens) == 1:
            self.refuse(f"it is empty; {HOW}")
        found = self.implication()
        if self.at < len(self.tokens) - 1:
            self.refuse("expected 'and', 'or' or the end")
        return found

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def refuse(self, why: str, token: Token | None = None) -> NoReturn:
        _refuse(self.text, (token or self.token).start, why)

    def takes(self, *words: str) -> str:
        """The next token if it is one of these words or signs; '' else."""
        if self.token.kind in ("word", "sign") and self.token.text in words:
            self.at += 1
            return self.tokens[self.at - 1].text
        return ""

    def expect(self, sign: str, what: str) -> None:
        if not self.takes(sign):
            self.refuse(f"expected {what}")

    def implication(self) -> Expression:
        if not self.takes("if"):
            return self.some()
        given = self.some()
        self.expect("then", "'then', as in 'if a == 1 then b == 0'")
        return Implication(given, self.some())

    def some(self) -> Expression:
        parts = [self.every()]
        while self.takes("or"):
            parts.append(self.every())
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def every(self) -> Expression:
        parts = [self.single()]
        while self.takes("and"):
            parts.append(self.single())
        flat = [inner for part in parts for inner in _chained(part)]
        return flat[0] if len(flat) == 1 else Every(tuple(flat))

    def single(self) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse("it is nested too deeply")
        found = self.deeper()
        self.depth -= 1
        return found

    def deeper(self) -> Expression:
        if self.takes("not"):
            part = self.single()
            return Not(Every(part.parts) if isinstance(part, _Chain) else part)
        if self.takes("("):
            inside = self.implication()
            self.expect(")", "')'")
            return inside
        following = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if following.text == "(" and following.kind == "sign" and self.takes("missing"):
            self.at += 1
            name = self.column(self.operand("the name of a column"))
            self.expect(")", "')'")
            return IsMissing(name)
        return self.comparison()

    def comparison(self) -> Expression:
        left = self.operand("a column to compare")
        word = self.token
        negated = bool(self.takes("not"))
        if negated or (self.token.kind == "word" and self.token.text == "in"):
            self.expect("in", "'in'")
            return self.membership(left, "not in" if negated else "in")
        found: list[Expression] = []
        while self.token.kind == "sign" and self.token.text not in ("(", ")", ","):
            sign, right = self.sign(), self.operand("a value")
            found.append(self.compared(left, sign, right))
            left = right
        if not found:
            self.refuse("expected a comparison such as '>= 1200' or 'in (a, b)'", word)
        return found[0] if len(found) == 1 else _Chain(tuple(found))

    def sign(self) -> Sign:
        if self.token.text not in SIGNS:
            self.refuse("write == for equal and != for different")
        self.at += 1
        return SIGNS[self.tokens[self.at - 1].text]

    def operand(self, what: str) -> Token:
        token = self.token
        if token.kind in ("sign", "end"):
            self.refuse(f"expected {what}")
        self.at += 1
        return token

    def membership(self, left: Token, sign: Sign) -> Comparison:
        name = self.column(left)
        self.expect("(", "a list of values in parentheses")
        values = [self.value(name, self.operand("a value"))]
        while self.takes(","):
            values.append(self.value(name, self.operand("a value")))
        self.expect(")", "',' or ')'")
        return self.counted(Comparison(name, sign, tuple(dict.fromkeys(values))))

    def compared(self, left: Token, sign: Sign, right: Token) -> Comparison:
        if not self.is_column(left) and self.is_column(right):
            left, right, sign = right, left, TURNED.get(sign, sign)
        name = self.column(left)
        feature = self.features[name]
        known = feature.coder is not None and feature.coder.of(right.text) != UNKNOWN
        if self.is_column(right) and not known and _number(right.text) is None:
            self.refuse(
                f"it compares two columns, '{name}' and '{right.text}'; conditions compare a "
                "column with a value: write two columns as one of the schema's relations",
                right,
            )
        if sign in ORDERED and feature.kind == "nominal":
            self.refuse(
                f"'{name}' is nominal: its categories have no order; use ==, != or in", right
            )
        return self.counted(Comparison(name, sign, (self.value(name, right),)))

    def counted(self, found: Comparison) -> Comparison:
        self.comparisons += 1
        if self.comparisons > MOST_COMPARISONS:
            self.refuse(f"it has more than {MOST_COMPARISONS} comparisons; split it up")
        return found

    def is_column(self, token: Token) -> bool:
        bare = token.kind == "word" and token.text not in KEYWORDS
        return token.kind == "name" or (bare and token.text in self.features)

    def column(self, token: Token) -> str:
        if token.kind == "value":
            self.refuse("quotes are for values; write columns plain or in backticks", token)
        if token.text not in self.features:
            alike = _nearest(token.text, list(self.features))
            self.refuse(
                f"there is no column {described(token.text)}{alike}; there are "
                f"{listing(self.features)}",
                token,
            )
        return token.text

    def value(self, name: str, token: Token) -> Category:
        """A value of a column: its category, or a number."""
        feature, number = self.features[name], _number(token.text)
        if token.kind == "name":
            self.refuse("backticks are for columns; expected a value", token)
        if feature.coder is None:
            if number is None and feature.kind == "binary":
                number = TRUTHS.get(token.text.lower())
            if number is None:
                self.refuse(
                    f"'{name}' holds numbers (its kind is {feature.kind}), but "
                    f"{described(token.text)} is not a number",
                    token,
                )
            return int(number) if float(number).is_integer() else float(number)
        codes = [code for one in _spellings(token) if (code := feature.coder.of(one)) != UNKNOWN]
        if not codes:
            alike = feature.coder.nearest(token.text)
            alike = alike or _nearest(token.text, [str(n) for n in feature.coder.names])
            self.refuse(
                f"{described(token.text)} is not a category of '{name}'{alike}; there are "
                f"{listing(feature.coder.names)}",
                token,
            )
        return feature.coder.names[int(codes[0])]


def _spellings(token: Token) -> list[object]:
    """What a value may stand for: quotes make it a text first, otherwise it may be a number."""
    number, truth = _number(token.text), {"true": True, "false": False}.get(token.text.lower())
    others = [one for one in (number, truth) if one is not None]
    return [token.text, *others] if token.kind == "value" else [*others, token.text]


@dataclass(frozen=True)
class _Chain(Every):
    """A chain such as 18 <= age < 65: part of an 'and' without parentheses of its own."""


def _chained(part: Expression) -> tuple[Expression, ...]:
    return part.parts if isinstance(part, _Chain) else (part,)


def _nearest(word: str, known: list[str]) -> str:
    folded = {name.casefold(): name for name in known}
    alike = difflib.get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.6)
    return f" (did you mean {described(folded[alike[0]])}?)" if alike else ""


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
