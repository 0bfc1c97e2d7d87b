"""The frontier in sentences: what a wanted validity costs, and where Invariant is cheaper."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from standfast.figures.frontier import (
    BOTH,
    INVARIANT,
    JUDGES,
    NAMES,
    ORDER,
    TARGETED,
    UNCERTIFIED,
    judges_of,
    own_of,
)
from standfast.figures.reading import finite, numbers, ordered
from standfast.figures.wording import counted, enumerated, number
from standfast.report.scenes import Scene, Tables
from standfast.report.sortable import Column, interval
from standfast.report.wording import people, share, span, whole

TABLES = ("frontier", "frontier_levels", "frontier_gaps")
WANTED = 0.9  # the validity told in sentences, unless Invariant reaches only less
ABOUT = {
    INVARIANT: "Our search for advice of least expected cost under models nobody has seen; the "
    "dial is what a broken promise costs, the surprise.",
    TARGETED: "The same search for advice that a wanted share of such models accepts, for every "
    "person alike; the dial is that share.",
    BOTH: "Invariant with models of both classes to search with and to choose by, half of each; "
    "the dial is the surprise.",
    "raised threshold": "The exact search for advice that clears the reference’s threshold by a "
    "margin; the dial is the margin.",
    "unanimous over fresh models": "The exact search under the reference and some fresh models at "
    "once; the dial is how many.",
    "ROAR": "Robust algorithmic recourse: advice made to survive changes of the model’s weights; "
    "the dial δ is their size.",
    "BetaRCE": "Moves given advice until enough resampled models accept it; the dial δ is the "
    "share it aims at.",
}
SPOKEN = {
    INVARIANT: "Invariant",
    TARGETED: "Invariant with the same target for all",
    BOTH: "Invariant over both classes",
    "raised threshold": "the raised threshold",
    "unanimous over fresh models": "unanimity over fresh models",
}
ALONE = "the cheapest advice for the reference alone"
CAUTION = "Nothing is certified for models fitted on later people."
_RATIO = Column("ratio", "Ratio", "number", ("lower", "upper"))
_NAMED = 3  # so many settings are named, more are counted


def ran(tables: Tables) -> bool:
    """Whether the study has a frontier."""
    return any(len(tables[name]) for name in TABLES)


def methods(tables: Tables) -> dict[str, str]:
    """The methods that only the frontier has, and what they are."""
    used = set(tables["frontier"]["method"].astype(str))
    return {method: about for method, about in ABOUT.items() if method in used}


def caption(points: pd.DataFrame, levels: pd.DataFrame, gaps: pd.DataFrame) -> str:
    """One paragraph per kind of judges of a scene, and one for settings that cannot be judged."""
    kinds = ordered([*points["judges"], *levels["judges"], *gaps["judges"]], JUDGES)
    parts = [[table[table["judges"] == kind] for table in (points, levels, gaps)] for kind in kinds]
    told = [*(_paragraph(*tables) for tables in parts), _silent(points)]
    return "\n".join(paragraph for paragraph in told if paragraph)


def _paragraph(points: pd.DataFrame, levels: pd.DataFrame, gaps: pd.DataFrame) -> str:
    some = next(table for table in (points, levels, gaps) if len(table))
    start = f"Under {judges_of(some).replace(chr(39), '’')}"
    judged = f", {counted(len(points) or len(gaps), 'setting was', 'settings were')} judged"
    told = [f"{start}{_prices(levels) or judged}.", _compared(gaps)]
    if str(some["judges"].iloc[0]) == UNCERTIFIED:
        told.append(CAUTION)
    return " ".join(sentence for sentence in told if sentence)


def _prices(levels: pd.DataFrame) -> str:
    """What each method costs at the wanted validity, those that do not reach it last."""
    if levels.empty:
        return ""
    level = told_level(levels)
    if np.isnan(level):
        least = share(float(numbers(levels["level"]).min()))
        return f", no method with a dial reaches a mean validity of {least}"
    here = levels[np.isclose(numbers(levels["level"]), level)]
    reached = here[np.isfinite(numbers(here["ratio"]))]
    parts: list[str] = []
    for method in ordered(reached["method"], ORDER):
        row = reached[reached["method"] == method].iloc[0].to_dict()
        inside = interval(row, _RATIO)
        parts.append(
            _priced(method, f"{_times(row['ratio'])}{f' ({inside})' * bool(inside)}", parts)
        )
    n = finite(reached["n"])
    behind = f" ({people(*n)})" if n.size else ""
    return f"{behind}, at a mean validity of {share(level)}, {enumerated(parts)}{_short(here)}"


def _short(rows: pd.DataFrame) -> str:
    """The methods that do not reach the validity of these rows."""
    reached = set(rows.loc[np.isfinite(numbers(rows["ratio"])), "method"])
    names = [spoken(m) for m in ordered(rows["method"], ORDER) if m not in reached]
    verb = "does" if len(names) == 1 else "do"
    return f"; {enumerated(names)} {verb} not reach it" if names else ""


def _priced(method: str, times: str, before: Sequence[str]) -> str:
    """A method with its price; the first one says what the price is compared with."""
    return f"{spoken(method)} {times}" if before else f"{spoken(method)} costs {times} {ALONE}"


def told_level(levels: pd.DataFrame) -> float:
    """The wanted validity, or the largest below it that Invariant reaches (or anyone, without it).

    Missing if nobody reaches any.
    """
    reached = levels[np.isfinite(numbers(levels["ratio"]))]
    own = reached[reached["method"].isin(tuple(NAMES))]
    given = finite((own if len(own) else reached)["level"])
    most = given[given <= WANTED + 1e-9]
    return float(most.max()) if most.size else float(given.min()) if given.size else float("nan")


def _compared(gaps: pd.DataFrame) -> str:
    """At how many settings of the others Invariant is cheaper, dearer, or neither for sure."""
    known = gaps[np.isfinite(numbers(gaps["difference"]))]
    beyond = gaps[
        ~np.isfinite(numbers(gaps["difference"])) & np.isfinite(numbers(gaps["validity"]))
    ]
    told = []
    if len(known):
        cheaper, dearer, open_ = verdicts(known)
        own, settings = _own(known), counted(len(known), "setting")
        rest = (
            f"; {len(open_)} {'is' if len(open_) == 1 else 'are'} undecided" if len(open_) else ""
        )
        told.append(
            f"Of {settings} of other methods that {'reaches' if len(known) == 1 else 'reach'} a "
            f"validity {own} also reaches, {own} is cheaper at {_named(cheaper, False)} "
            f"and costs more at {_named(dearer, True)}, by 95 % intervals{rest}."
        )
    if len(beyond):
        verb = "reaches" if len(beyond) == 1 else "reach"
        start = f"{counted(len(beyond), 'setting')} {verb} more than the largest of {_own(beyond)}"
        few = len(beyond) <= _NAMED
        told.append(f"{start}: {enumerated(_settings(beyond))}." if few else f"{start}.")
    return " ".join(told)


def _own(gaps: pd.DataFrame) -> str:
    """The kind of Invariant that the others are compared with; the rows are of one kind."""
    return spoken(str(gaps["own"].iloc[0]))


def verdicts(known: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The settings at which Invariant is surely cheaper, surely dearer, or neither."""
    low, high = numbers(known["lower"]), numbers(known["upper"])
    cheaper, dearer = high < 0, low > 0
    return known[cheaper], known[dearer], known[~cheaper & ~dearer]


def _silent(points: pd.DataFrame) -> str:
    """The settings that answered too few people to be compared."""
    none = points[~np.isfinite(numbers(points["validity"]))].drop_duplicates(["method", "dial"])
    if none.empty:
        return ""
    parts = [
        f"{name} ({whole(answered)} answered)"
        for name, answered in zip(_settings(none), numbers(none["answered"]), strict=True)
    ]
    return f"Not drawn, for too few people got an answer: {enumerated(parts)}."


def _named(rows: pd.DataFrame, named: bool) -> str:
    if rows.empty:
        return "none"
    few = named and len(rows) <= _NAMED
    return f"{len(rows)} ({enumerated(_settings(rows))})" if few else str(len(rows))


def _settings(rows: pd.DataFrame) -> list[str]:
    return [
        f"{method} {dial}".strip()
        for method, dial in zip(rows["method"].astype(str), rows["dial"].astype(str), strict=True)
    ]


def answer(tables: Tables, scenes: Sequence[Scene]) -> tuple[str, ...]:
    """The frontier over all scenes: what validity costs, and where Invariant is cheaper."""
    if not ran(tables):
        return ()
    levels, gaps = tables["frontier_levels"], tables["frontier_gaps"]
    kinds = ordered([*levels["judges"], *gaps["judges"]], JUDGES)
    told = []
    for kind in kinds:
        own = [s.of(levels[levels["judges"] == kind]) for s in scenes]
        prices = _over_scenes(kind, [table for table in own if len(table)])
        told += prices
        told += _counts(gaps[gaps["judges"] == kind], "" if prices else f"Under {_judges(kind)}, ")
        told += [CAUTION] * (kind == UNCERTIFIED)
    return tuple(told)


def _over_scenes(kind: str, parts: Sequence[pd.DataFrame]) -> list[str]:
    """What each method costs at the wanted validity, from the cheapest scene to the dearest."""
    here = [part[np.isclose(numbers(part["level"]), WANTED)] for part in parts]
    if not any(map(len, here)):
        return []
    rows = pd.concat(here)
    told: list[str] = []
    for method in ordered(rows["method"], ORDER):
        ratios = finite(rows.loc[rows["method"] == method, "ratio"])
        if ratios.size:
            cost = f"{span(ratios)} times"
            cost = f"**{cost}**" if method == own_of(kind) else cost
            where = f" (in {ratios.size} of {len(parts)} scenes)" * (ratios.size < len(parts))
            told.append(f"{_priced(method, cost, told)}{where}")
    n = finite(rows["n"])
    behind = f" ({people(*n)}{' per scene' * (len(parts) > 1)})" if n.size else ""
    start, validity = f"Under {_judges(kind)}{behind}", f"a mean validity of {share(WANTED)}"
    if not told:
        return [f"{start} no method reaches {validity}."]
    return [f"{start}, at {validity}, {enumerated(told)}{_short(rows)}."]


def _judges(kind: str) -> str:
    what, whose = JUDGES.get(kind, ("fresh model", f"({kind})"))
    return f"{what}s {whose.replace(chr(39), '’')}"


def _counts(gaps: pd.DataFrame, start: str) -> list[str]:
    known = gaps[np.isfinite(numbers(gaps["difference"]))]
    if known.empty:
        return []
    cheaper, dearer, open_ = map(len, verdicts(known))
    several = len(known.drop_duplicates(["data", "reference"])) > 1
    each = " (counted in each scene)" * several
    settings = f"{'of' if start else 'Of'} {counted(len(known), 'setting')} of other methods{each}"
    return [
        f"{start}{settings}, compared at the same validity, **{cheaper}** "
        f"{'costs' if cheaper == 1 else 'cost'} more than {_own(known)}, {dearer} "
        f"{'costs' if dearer == 1 else 'cost'} less and {open_} "
        f"{'is' if open_ == 1 else 'are'} undecided."
    ]


def spoken(method: str) -> str:
    """A method's name within a sentence."""
    return SPOKEN.get(method, method)


def _times(ratio: object) -> str:
    return f"{number(float(numbers([ratio])[0]))} times"
