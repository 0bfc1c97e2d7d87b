"""What a table suggests about inputs together, for a person to check; nothing is enforced."""

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from standfast.errors import listing
from standfast.schema.condition import Comparison, Implication
from standfast.schema.feature import Feature
from standfast.schema.relation import ABSOLUTE, RELATIVE, Relation, never_broken

Vector = NDArray[np.float64]
Columns = Mapping[str, Vector]  # gaps are NaN, names are codes

# an implication needs so many rows, and so many natural logs against chance
SUPPORT, SURPRISE = 20, 20.0
# what is left out beyond these is the least surprising
MOST_RULES, MOST_REMARKS = 20, 10
# categories of one column, and indicators of all columns, that implications are sought among
MOST_CATEGORIES, MOST_INDICATORS = 20, 400
# what holds in as many rows is named although it is broken
NEARLY = 0.99
# rows on which pairs are tried first
SCREENED = 2000


class Nearly(NamedTuple):
    """What holds in nearly every row."""

    law: Relation | Implication
    broken: int
    rows: int

    def __str__(self) -> str:
        return f"'{self.law}', broken in {self.broken:,} of {self.rows:,} rows"


@dataclass(frozen=True)
class Proposals:
    """Relations and rules that the table never breaks, or nearly never, and other remarks."""

    relations: tuple[Relation, ...] = ()
    rules: tuple[Implication, ...] = ()
    nearly: tuple[Nearly, ...] = ()
    remarks: tuple[str, ...] = ()


def propose(features: Mapping[str, Feature], columns: Columns) -> Proposals:
    """What a table's columns suggest."""
    numeric = {n: c for n, c in columns.items() if features[n].categories is None}
    ordered = {n: c for n, c in numeric.items() if np.isfinite(c).mean() >= 0.5}
    groups = one_hot_groups(features, numeric)
    relations = (*(never_broken(ordered) if ordered else ()), *sums(numeric))
    rules, nearly = implications(features, columns, groups)
    nearly = [*_nearly_ordered(ordered), *nearly]
    remarks = [
        *(_group_remark(group) for group in groups),
        *_missing_together(columns),
        *(f"nearly always: {law}" for law in nearly),
    ]
    return Proposals(relations, rules, tuple(nearly), tuple(remarks))


def sums(columns: Columns) -> tuple[Relation, ...]:
    """The equalities a == b + c that hold in every row where all three are known."""
    varied = {n: c for n, c in columns.items() if _distinct(c, 3)}
    names = list(varied)
    if len(names) < 3:
        return ()
    values = np.array([varied[name] for name in names])
    known = np.isfinite(values).all(axis=0)
    if known.sum() < SUPPORT:
        return ()
    values = values[:, known]
    few = values[:, np.linspace(0, values.shape[1] - 1, 24).astype(int)]
    places = defaultdict(list)
    for i, row in enumerate(few):
        places[_key(row)].append(i)
    found = []
    for j, k in itertools.combinations(range(len(names)), 2):
        for i in places.get(_key(few[j] + few[k]), ()):
            slip = ABSOLUTE + RELATIVE * np.abs(values[i])
            if i not in (j, k) and (np.abs(values[j] + values[k] - values[i]) <= slip).all():
                terms = ((names[i], 1.0), (names[j], -1.0), (names[k], -1.0))
                found.append(Relation(terms, equal=True))
    return tuple(found)


def _key(row: Vector) -> bytes:
    return (np.round(row, 6) + 0.0).tobytes()


def _distinct(column: Vector, least: int) -> bool:
    known = column[np.isfinite(column)]
    return len(np.unique(known[:10_000])) >= least


def one_hot_groups(features: Mapping[str, Feature], columns: Columns) -> list[list[str]]:
    """Binary columns of which exactly one is 1 in every row."""
    names = [n for n in columns if features[n].kind == "binary" and np.isfinite(columns[n]).all()]
    if len(names) < 3:
        return []
    ones = np.array([columns[name] for name in names], dtype=np.float32)
    together, n = ones @ ones.T, ones.shape[1]
    left, groups = list(range(len(names))), []
    for first in range(len(names)):
        if first not in left:
            continue
        group = [first]
        for other in left:
            if other > first and not together[other, group].any():
                group.append(other)
        if len(group) > 2 and together[group, group].sum() == n:
            groups.append([names[i] for i in group])
            left = [i for i in left if i not in group]
    return groups


def _group_remark(group: list[str]) -> str:
    stem = _stem(group)
    spelt = ", ".join(f'"{name[len(stem) :]}"' for name in group)
    name = stem.rstrip("_.:= -") or "one column"
    return (
        f"exactly one of {listing(group, 8)} is 1 in every row: advice cannot know that. One "
        f"column '{name}' would say the same: kind = \"nominal\", categories = [{spelt}]"
    )


def _stem(names: list[str]) -> str:
    shared = names[0]
    for name in names:
        while not name.startswith(shared):
            shared = shared[:-1]
    ends = [i + 1 for i, letter in enumerate(shared) if letter in "_.:= -"]
    return shared[: ends[-1]] if ends else ""


def _missing_together(columns: Columns) -> list[str]:
    masks = defaultdict(list)
    for name, column in columns.items():
        gaps = ~np.isfinite(column)
        if 0 < gaps.sum() < len(gaps):
            masks[np.packbits(gaps).tobytes()].append(name)
    groups = [names for names in masks.values() if len(names) > 1]
    return [f"always missing together: {listing(names, 8)}" for names in groups]


class _Indicator(NamedTuple):
    """A column that has one value, and where."""

    name: str
    value: object
    rows: NDArray[np.bool_]

    def says(self) -> Comparison:
        return Comparison(self.name, "==", (self.value,))  # type: ignore[arg-type]


def implications(
    features: Mapping[str, Feature], columns: Columns, groups: list[list[str]]
) -> tuple[tuple[Implication, ...], list[Nearly]]:
    """Rules 'if a == v then b == w' that always hold although chance would break them.

    Also those that hold nearly always, with how often they are broken.
    """
    indicators = _indicators(features, columns)
    if len(indicators) < 2:
        return (), []
    group_of = {name: g for g, group in enumerate(groups) for name in group}
    marks = np.array([one.rows for one in indicators], dtype=np.float32)
    both, counts = marks @ marks.T, marks.sum(axis=1)
    known = {name: np.isfinite(column) for name, column in columns.items()}
    shares = [float(one.rows.sum() / max(known[one.name].sum(), 1)) for one in indicators]
    always: list[tuple[float, int, int]] = []
    nearly: list[tuple[float, int, int]] = []
    for i, given in enumerate(indicators):
        if counts[i] < SUPPORT or features[given.name].kind not in ("binary", "nominal", "ordinal"):
            continue
        for j in np.flatnonzero(both[i] >= NEARLY * counts[i]).tolist():
            then = indicators[j]
            apart = group_of.get(given.name, -1) != group_of.get(then.name, -2)
            if then.name == given.name or not apart or shares[j] >= 1.0:
                continue
            surprise = -counts[i] * math.log(max(shares[j], 1e-12))
            if surprise >= SURPRISE and shares[j] < 0.95:
                (always if both[i, j] == counts[i] else nearly).append((surprise, i, j))
    rules = [(i, j) for _, i, j in sorted(always, reverse=True)]
    chosen, said = [], set[frozenset[object]]()
    for i, j in rules:
        key = frozenset(
            [(indicators[i].name, indicators[i].value), _contrary(indicators[j], features)]
        )
        if key not in said:  # 'if a then b' also says 'if not b then not a'
            said.add(key)
            chosen.append(Implication(indicators[i].says(), indicators[j].says()))
    some = [
        Nearly(
            Implication(indicators[i].says(), indicators[j].says()),
            int(counts[i] - both[i, j]),
            int(counts[i]),
        )
        for _, i, j in sorted(nearly, reverse=True)[:MOST_REMARKS]
    ]
    return tuple(chosen[:MOST_RULES]), some


def _contrary(one: _Indicator, features: Mapping[str, Feature]) -> object:
    names = _two_values(features[one.name])
    if names is not None and one.value in names:
        return (one.name, names[1] if one.value == names[0] else names[0])
    return ("not", one.name, one.value)


def _two_values(feature: Feature) -> tuple[object, object] | None:
    if feature.kind == "binary":
        return (0, 1)
    names = feature.categories
    return (names[0], names[1]) if names is not None and len(names) == 2 else None


def _indicators(features: Mapping[str, Feature], columns: Columns) -> list[_Indicator]:
    found: list[_Indicator] = []
    for name, column in columns.items():
        feature = features[name]
        if feature.categories is not None:
            if len(feature.categories) <= MOST_CATEGORIES:
                found += [
                    _Indicator(name, v, column == c) for c, v in enumerate(feature.categories)
                ]
        elif feature.kind == "binary":
            found += [_Indicator(name, v, column == v) for v in (0, 1)]
        elif 0.02 <= float((column == 0).mean()) <= 0.98:  # an amount that some people do not have
            found.append(_Indicator(name, 0, column == 0))
    return found if len(found) <= MOST_INDICATORS else []


def _nearly_ordered(columns: Columns) -> list[Nearly]:
    """Orders a <= b that few rows break although chance would break many."""
    names = list(columns)
    if len(names) < 2:
        return []
    values = np.array([columns[name] for name in names])
    known = np.isfinite(values).all(axis=0)
    values = values[:, known]
    n = values.shape[1]
    if n < 5 * SUPPORT:
        return []
    few = values[:, :: max(1, n // SCREENED)]
    found = []
    for i, j in itertools.permutations(range(len(names)), 2):
        share = float((few[i] <= few[j]).mean())
        if share < NEARLY - 0.005 or not _would_break(few[i], few[j]):
            continue
        broken = int((values[i] > values[j]).sum())
        if 0 < broken <= (1.0 - NEARLY) * n:
            law = Relation(((names[i], 1.0), (names[j], -1.0)))
            found.append(Nearly(law, broken, n))
    return sorted(found, key=lambda one: (one.broken, str(one)))[:MOST_REMARKS]


def _would_break(a: Vector, b: Vector) -> bool:
    """Whether independent columns with these values would break a <= b in a tenth of the rows."""
    below = np.searchsorted(np.sort(b), a, side="left") / len(b)
    return bool(below.mean() >= 0.1)
