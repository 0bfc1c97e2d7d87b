"""The frontier in sentences: what a wanted validity costs, and where Invariant is cheaper."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from standfast.figures.frontier import JUDGES, ORDER, judges_of, own_of
from standfast.figures.reading import each, finite, numbers, ordered
from standfast.figures.wording import counted, enumerated, number
from standfast.report.columns import RATIO
from standfast.report.scenes import Scene, Tables, ran
from standfast.report.sortable import interval
from standfast.report.wording import people, share, span, whole
from standfast.studies import names

TABLES = ("frontier", "frontier_levels", "frontier_gaps")
WANTED = 0.9  # the validity in sentences, unless Invariant reaches only less
SPOKEN = {
    names.INVARIANT: "Invariant",
    names.TARGETED: "Invariant with the same target for all",
    names.BOTH: "Invariant over both classes",
    names.RAISED: "the raised threshold",
    names.TOGETHER: "unanimity over fresh models",
}
ALONE = "the cheapest advice for the reference alone"
CAUTION = "Nothing is certified for models fitted on later people."
_NAMED = 3  # so many settings are named, more are counted


def spoken(method: str) -> str:
    """A method's name within a sentence."""
    return SPOKEN.get(method, method)


# one scene


def caption(points: pd.DataFrame, levels: pd.DataFrame, gaps: pd.DataFrame) -> str:
    """One paragraph per kind of judges of a scene, and one for settings that cannot be judged."""
    kinds = ordered([*points["judges"], *levels["judges"], *gaps["judges"]], JUDGES)
    paragraphs = [
        _paragraph(*(table[table["judges"] == kind] for table in (points, levels, gaps)))
        for kind in kinds
    ]
    return "\n".join(part for part in (*paragraphs, _not_drawn(points)) if part)


def _paragraph(points: pd.DataFrame, levels: pd.DataFrame, gaps: pd.DataFrame) -> str:
    some = next(table for table in (points, levels, gaps) if len(table))
    start = f"Under {judges_of(some).replace(chr(39), '’')}"
    judged = f", {counted(len(points) or len(gaps), 'setting was', 'settings were')} judged"
    caution = CAUTION if str(some["judges"].iloc[0]) == names.LATER else ""
    sentences = (f"{start}{_prices(levels) or judged}.", *_compared(gaps), caution)
    return " ".join(sentence for sentence in sentences if sentence)


def _prices(levels: pd.DataFrame) -> str:
    """What each method costs at the wanted validity, those that do not reach it last."""
    if levels.empty:
        return ""
    level = reported_level(levels)
    if np.isnan(level):
        least = share(float(numbers(levels["level"]).min()))
        return f", no method with an adjustable setting reaches a mean validity of {least}"
    here = levels[np.isclose(numbers(levels["level"]), level)]
    reached = here[np.isfinite(numbers(here["ratio"]))]
    prices = {}
    for method, rows in each(reached, first=ORDER):
        inside = interval(rows.iloc[0].to_dict(), RATIO)
        price = f"{number(finite(rows['ratio'])[0])} times"
        prices[method] = f"{price}{f' ({inside})' * bool(inside)}", ""
    n = finite(reached["n"])
    behind = f" ({people(*n)})" if n.size else ""
    return f"{behind}, at a mean validity of {share(level)}, {_priced(prices)}{_short(here)}"


def _priced(prices: dict[str, tuple[str, str]]) -> str:
    """Methods with their prices and where they are known; the first says what is compared with."""
    parts: list[str] = []
    for method, (price, where) in prices.items():
        first = f"{spoken(method)} costs {price} {ALONE}{where}"
        parts.append(f"{spoken(method)} {price}{where}" if parts else first)
    return enumerated(parts)


def _short(rows: pd.DataFrame) -> str:
    """The methods that do not reach the validity of these rows."""
    reached = set(rows.loc[np.isfinite(numbers(rows["ratio"])), "method"])
    absent = [spoken(m) for m in ordered(rows["method"], ORDER) if m not in reached]
    verb = "does" if len(absent) == 1 else "do"
    return f"; {enumerated(absent)} {verb} not reach it" if absent else ""


def reported_level(levels: pd.DataFrame) -> float:
    """The wanted validity, or the largest below it that Invariant reaches (or anyone, without it).

    Missing if no method reaches any.
    """
    reached = levels[np.isfinite(numbers(levels["ratio"]))]
    own = reached[reached["method"].isin(names.INVARIANTS)]
    given = finite((own if len(own) else reached)["level"])
    most = given[given <= WANTED + 1e-9]
    return float(most.max()) if most.size else float(given.min()) if given.size else float("nan")


def _compared(gaps: pd.DataFrame) -> list[str]:
    """At how many settings of the others Invariant costs less, more, or neither for sure."""
    if gaps.empty:
        return []
    own, known = spoken(str(gaps["own"].iloc[0])), np.isfinite(numbers(gaps["difference"]))
    beyond, gaps = gaps[~known & np.isfinite(numbers(gaps["validity"]))], gaps[known]
    sentences = []
    if len(gaps):
        less, more, unclear = verdicts(gaps)
        rest = f"; {len(unclear)} {_are(len(unclear))} undecided" if len(unclear) else ""
        sentences.append(
            f"Of {counted(len(gaps), 'setting')} of other methods that "
            f"{'reaches' if len(gaps) == 1 else 'reach'} a validity {own} also reaches, {own} is "
            f"cheaper at {len(less) or 'none'} and costs more at {len(more) or 'none'}"
            f"{_named(more, ' ({})')}, by 95 % intervals{rest}."
        )
    if len(beyond):
        verb = "reaches" if len(beyond) == 1 else "reach"
        sentences.append(
            f"{counted(len(beyond), 'setting')} {verb} more than the largest of {own}"
            f"{_named(beyond, ': {}')}."
        )
    return sentences


def verdicts(known: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The settings at which Invariant surely costs less, surely costs more, or neither."""
    low, high = numbers(known["lower"]), numbers(known["upper"])
    less, more = high < 0, low > 0
    return known[less], known[more], known[~less & ~more]


def _named(rows: pd.DataFrame, within: str) -> str:
    """A few settings by name; many are not named."""
    return within.format(enumerated(_settings(rows))) if 0 < len(rows) <= _NAMED else ""


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _not_drawn(points: pd.DataFrame) -> str:
    """The settings that answered too few people to be compared."""
    none = points[~np.isfinite(numbers(points["validity"]))].drop_duplicates(["method", "dial"])
    if none.empty:
        return ""
    parts = [
        f"{name} ({whole(answered)} answered)"
        for name, answered in zip(_settings(none), numbers(none["answered"]), strict=True)
    ]
    return f"Not drawn, for too few people got an answer: {enumerated(parts)}."


def _settings(rows: pd.DataFrame) -> list[str]:
    named = rows["method"].astype(str) + " " + rows["dial"].astype(str)
    return named.str.strip().tolist()


# all scenes


def answer(tables: Tables, scenes: Sequence[Scene]) -> tuple[str, ...]:
    """The frontier over all scenes: what validity costs, and where Invariant is cheaper."""
    if not ran(tables, TABLES):
        return ()
    levels, gaps = tables["frontier_levels"], tables["frontier_gaps"]
    sentences = []
    for kind in ordered([*levels["judges"], *gaps["judges"]], JUDGES):
        own = [s.of(levels[levels["judges"] == kind]) for s in scenes]
        prices = _over_scenes(kind, [table for table in own if len(table)])
        sentences += prices
        start = "" if prices else f"Under {_judges(kind)}, "
        sentences += _counts(gaps[gaps["judges"] == kind], start)
        sentences += [CAUTION] * (kind == names.LATER)
    return tuple(sentences)


def _over_scenes(kind: str, parts: Sequence[pd.DataFrame]) -> list[str]:
    """What each method costs at the wanted validity, from the least to the most of all scenes."""
    here = [part[np.isclose(numbers(part["level"]), WANTED)] for part in parts]
    if not any(map(len, here)):
        return []
    rows = pd.concat(here)
    prices = {}
    for method, own in each(rows, first=ORDER):
        ratios = finite(own["ratio"])
        if ratios.size:
            cost = f"{span(ratios)} times"
            where = f" (in {ratios.size} of {len(parts)} scenes)" * (ratios.size < len(parts))
            prices[method] = f"**{cost}**" if method == own_of(kind) else cost, where
    n = finite(rows["n"])
    behind = f" ({people(*n)}{' per scene' * (len(parts) > 1)})" if n.size else ""
    start, validity = f"Under {_judges(kind)}{behind}", f"a mean validity of {share(WANTED)}"
    if not prices:
        return [f"{start} no method reaches {validity}."]
    return [f"{start}, at {validity}, {_priced(prices)}{_short(rows)}."]


def _judges(kind: str) -> str:
    what, whose = JUDGES.get(kind, ("fresh model", f"({kind})"))
    return f"{what}s {whose.replace(chr(39), '’')}"


def _counts(gaps: pd.DataFrame, start: str) -> list[str]:
    known = gaps[np.isfinite(numbers(gaps["difference"]))]
    if known.empty:
        return []
    less, more, unclear = map(len, verdicts(known))
    several = len(known.drop_duplicates(["data", "reference"])) > 1
    each_scene = " (counted in each scene)" * several
    settings = f"{counted(len(known), 'setting')} of other methods{each_scene}"
    own = spoken(str(known["own"].iloc[0]))
    return [
        f"{start}{'of' if start else 'Of'} {settings}, compared at the same validity, **{less}** "
        f"{'costs' if less == 1 else 'cost'} more than {own}, {more} "
        f"{'costs' if more == 1 else 'cost'} less and {unclear} {_are(unclear)} undecided."
    ]
