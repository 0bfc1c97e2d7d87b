"""Tables the reader can sort: each cell has what is shown and what is sorted by."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan

import pandas as pd

from standfast.figures.frontier import ORDER as FRONTIER
from standfast.figures.reading import each, ordered
from standfast.figures.wording import MISSING, number
from standfast.recommendations import Outcome
from standfast.report.columns import COLUMNS, JUDGES, LEVEL, RATIO, SHARE, Column, N
from standfast.report.wording import THIN, points, share, whole
from standfast.studies.names import VERDICTS
from standfast.studies.tables import TIDY


@dataclass(frozen=True)
class Cell:
    """What is shown, and the number it is sorted by; text sorts as it is spelt."""

    text: str
    sort: str
    aside: str = ""


@dataclass(frozen=True)
class Head:
    """A heading, and what the column means."""

    text: str
    about: str
    written: str
    method: bool = False

    @property
    def figure(self) -> bool:
        """Whether the column holds numbers."""
        return self.written in _WRITE


@dataclass(frozen=True)
class Sortable:
    """A table as the page shows it."""

    name: str
    heads: Sequence[Head]
    rows: Sequence[Sequence[Cell]]


def sortable(name: str, table: pd.DataFrame) -> Sortable:
    """The columns of a tidy table that readers want, ready to be sorted."""
    heads = [Head(c.head, TIDY[name].columns[c.name], c.written) for c in COLUMNS[name]]
    rows = [[_cell(row, column) for column in COLUMNS[name]] for row in table.to_dict("records")]
    return Sortable(name, heads, rows)


def _cell(row: dict[Hashable, object], column: Column) -> Cell:
    given = row[column.name]
    if column.written == "yes":
        return Cell("yes" if given else "no", "1" if given else "0")
    if column.written == "verdict":
        return Cell(str(given), str(VERDICTS.index(given)) if given in VERDICTS else "")
    if column.written not in _WRITE:
        return Cell(str(given), "")
    size = _float(given)
    return Cell(_WRITE[column.written](size), sort_key(size), interval(row, column))


def consistency(table: pd.DataFrame) -> Sortable:
    """Rules down, methods across: for how many people the advice breaks the rule."""
    methods = ordered(table["method"])
    cells = {(str(row["rule"]), str(row["method"])): row for row in table.to_dict("records")}
    heads = [Head("Rule", TIDY["consistency"].columns["rule"], "text")]
    heads += [Head(m, f"advice of {m} that breaks the rule", "share", True) for m in methods]
    rows = [
        [Cell(rule, ""), *(_broken(cells.get((rule, method))) for method in methods)]
        for rule in dict.fromkeys(table["rule"].astype(str))
    ]
    return Sortable("consistency", heads, rows)


def _broken(row: dict[Hashable, object] | None) -> Cell:
    if row is None or not _float(row["n"]) > 0:
        return Cell(MISSING, "")
    broken, n = (whole(_float(row[name])) for name in ("broken", "n"))
    return replace(_cell(row, SHARE), aside=f"{broken} of {n}")


def outcomes(table: pd.DataFrame) -> Sortable:
    """Methods down, outcomes across: how many searches ended so; each row adds up to everybody."""
    searched = table[table["outcome"].astype(str) != ""]
    ends = ordered(searched["outcome"], map(str, Outcome))
    heads = [Head("Method", TIDY["advice"].columns["method"], "method")]
    heads += [Head(end.replace("_", " ").capitalize(), _meaning(end), "count") for end in ends]
    heads.append(Head("People", "everybody who was asked about", "count"))
    rows = []
    for method, own in each(searched):
        counts = [int((own["outcome"].astype(str) == end).sum()) for end in ends] + [len(own)]
        cells = [Cell(whole(count), sort_key(float(count))) for count in counts]
        rows.append([Cell(method, ""), *cells])
    return Sortable("outcomes", heads, rows)


def _meaning(outcome: str) -> str:
    return Outcome(outcome).sentence if outcome in map(str, Outcome) else outcome


def frontier_levels(table: pd.DataFrame) -> Sortable:
    """Judges and validity down, methods across: how many times the cheapest advice it costs."""
    about = TIDY["frontier_levels"].columns
    methods = ordered(table["method"], FRONTIER)
    heads = [
        Head("Judges", about["judges"], "text"),
        Head("Validity", about["level"], "share"),
        *(Head(method, f"{method}: {about['ratio']}", "number", True) for method in methods),
        Head("People", about["n"], "count"),
    ]
    rows = []
    for _, own in table.groupby(["judges", "level"], sort=False):
        cells = {str(row["method"]): row for row in own.to_dict("records")}
        first = own.iloc[0].to_dict()
        start, end = [_cell(first, column) for column in (JUDGES, LEVEL)], [_cell(first, N)]
        rows.append([*start, *(_price(cells.get(method)) for method in methods), *end])
    return Sortable("frontier_levels", heads, rows)


def _price(row: dict[Hashable, object] | None) -> Cell:
    if row is None or isnan(_float(row["ratio"])):
        return Cell(MISSING, "", "not reached")
    return _cell(row, RATIO)


def sort_key(size: float) -> str:
    """The number as the page's script reads it; nothing sorts last."""
    return "" if isnan(size) else repr(size) if isfinite(size) else f"{'-' * (size < 0)}Infinity"


def interval(row: dict[Hashable, object], column: Column) -> str:
    """The ends of a number's interval, or nothing."""
    if column.between is None:
        return ""
    low, high = (_float(row[end]) for end in column.between)
    if isnan(low) or isnan(high):
        return ""
    write = _WRITE[column.written]
    return f"{write(low).removesuffix(f'{THIN}%')} to {write(high)}"


def _fine(size: float) -> str:
    return f"{size:.4f}" if isfinite(size) else MISSING


_WRITE: Mapping[str, Callable[[float], str]] = {
    "number": lambda size: number(round(size, 12)),
    "fine": _fine,
    "share": share,
    "points": points,
    "count": whole,
}


def _float(given: object) -> float:
    return float("nan") if given is None or pd.isna(given) else float(str(given))  # type: ignore[call-overload]
