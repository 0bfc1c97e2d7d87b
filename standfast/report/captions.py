"""One computed sentence under each exhibit of a scene: its numbers, with their counts."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from standfast.figures.reading import each, finite, numbers
from standfast.figures.wording import counted, enumerated, number
from standfast.report import complete, frontier, promises
from standfast.report.columns import DIFFERENCE
from standfast.report.scenes import Scene, Tables
from standfast.report.sentences import known, proven_cheapest, without_unanimous
from standfast.report.sortable import interval
from standfast.report.wording import people, points, share, span
from standfast.studies.names import (
    ADVISING,
    EXACT,
    FAILS,
    HOLDS,
    PERVERSE,
    REFUSED,
    UNDECIDED,
    WITH_SUPPORT,
    WITHOUT_SUPPORT,
)

MOST_LACK = "At least half of the people have no advice with data support"
TRANSFERS = {
    HOLDS: "Other advice transfers better",
    FAILS: "Perverse advice transfers better",
    UNDECIDED: "Undecided whether other advice transfers better",
}
PARAGRAPHS: Mapping[str, tuple[Callable[..., str], Sequence[str]]] = {
    "frontier": (frontier.caption, frontier.TABLES),
    "complete": (complete.caption, complete.TABLES),
    "promises": (promises.caption, promises.TABLES),
}
KINDS = {WITHOUT_SUPPORT: "sparse advice", WITH_SUPPORT: "advice with data support"}


def caption(exhibit: str, tables: Tables, scene: Scene) -> str:
    """The exhibit's sentence for one scene; empty if the scene has nothing of it.

    The frontier has one for each kind of judges, a simulated year one for each kind of drift, each
    on a line of its own.
    """
    if exhibit in PARAGRAPHS:
        paragraphs, names = PARAGRAPHS[exhibit]
        return paragraphs(*(scene.of(tables[name]) for name in names))
    table = scene.of(tables[TABLE[exhibit]])
    return "" if table.empty else SENTENCE[exhibit](table)


def transfer(table: pd.DataFrame) -> str:
    """The span of transfer over the rivals, method by method."""
    table = table[numbers(table["n"]) > 0]
    parts = [
        f"{method} {span(finite(rows['transfer']), share)} ({people(*finite(rows['n']))})"
        for method, rows in _advising(table)
    ]
    if not parts:
        return "No method has advice that a rival could judge."
    rivals = table["rival"].nunique()
    start = (
        "Kept by the one rival" if rivals == 1 else f"From the least to the most, {rivals} rivals"
    )
    return f"{start}{'' if rivals == 1 else ' keep'}: {enumerated(parts)}."


def costs(table: pd.DataFrame) -> str:
    """Median total shift of each method’s advice."""
    parts = [
        f"{method} {number(float(np.median(found)))} ({people(found.size)})"
        for method, rows in _advising(table)
        if (found := finite(rows["total"])).size
    ]
    if not parts:
        return "No method found advice for anybody."
    return f"Median total shift: {enumerated(parts)}."


def histograms(table: pd.DataFrame) -> str:
    """Which group is closest to the people who are accepted and favourable."""
    mean = {
        g: float(np.mean(finite(rows["distance"])))
        for g, rows in each(table, "group")
        if finite(rows["distance"]).size
    }
    inputs = counted(table["feature"].nunique(), "input")
    own = mean.pop(REFUSED, None)
    ranked = sorted(mean, key=lambda group: mean[group])
    stand = f"; where refused people stand, {number(own)}" if own is not None else ""
    if not ranked:
        return f"Mean distance over {inputs}{stand.replace(';', ':', 1)}." if stand else ""
    parts = [f"{group} {number(mean[group])}" for group in ranked]
    return f"Mean distance over {inputs}, closest first: {enumerated(parts)}{stand}."


def semantics(table: pd.DataFrame) -> str:
    """How many values of the shown person’s advice are in doubt."""
    marked = table[table["mark"] != ""]
    if marked.empty:
        return "No value of this person’s advice is in doubt."
    parts = [
        f"{counted(int((rows['mark'] == mark).sum()), f'{mark} value')} ({method})"
        for method, rows in each(marked, "method")
        for mark in dict.fromkeys(rows["mark"])
    ]
    return f"In doubt: {enumerated(parts)}."


def consistency(table: pd.DataFrame) -> str:
    """Which rule is broken most."""
    table = table[(numbers(table["broken"]) > 0) & (numbers(table["n"]) > 0)]
    if table.empty:
        return "No method’s advice breaks a rule."
    worst = table.assign(share=numbers(table["share"])).sort_values("share", kind="stable").iloc[-1]
    return (
        f"Most often broken: “{worst['rule']}”, by the advice of {worst['method']} for "
        f"{worst['broken']:.0f} of {people(worst['n'])} ({share(float(worst['share']))})."
    )


def sense(table: pd.DataFrame) -> str:
    """How much advice is perverse, and whether other advice transfers better."""
    table = table[table["kind"] == PERVERSE]
    asked, found = [], []
    for method, rows in _advising(table):
        row = rows.iloc[0]
        odd, plain = float(row["n_with"]), float(row["n_without"])
        asked.append(f"{method} {share(odd / (odd + plain))} ({people(odd + plain)})")
        if odd and plain:
            ends = interval(row.to_dict(), DIFFERENCE)
            shown = f"{points(float(row['difference']))}{f' ({ends})' if ends else ''}"
            found.append((str(row["verdict"]), f"{method} {shown}"))
    if not asked:
        return ""
    perverse = "Perverse advice, against the data’s direction or breaking a relation"
    start = f"{perverse}: {enumerated(asked)}."
    parts = [
        f"{words}: {enumerated(mine)} points."
        for verdict, words in TRANSFERS.items()
        if (mine := [shown for given, shown in found if given == verdict])
    ]
    none = "No method has both kinds of advice, so nothing can be compared."
    return f"{start} {' '.join(parts) or none}"


def components(table: pd.DataFrame) -> str:
    """How much of the variance the picture holds."""
    first, second = (float(table[f"explained_{c}"].iloc[0]) for c in ("first", "second"))
    return (
        f"The two components hold {share(first)} and {share(second)} of the variance; "
        f"{counted(len(table), 'point')} are drawn."
    )


def surprise(table: pd.DataFrame) -> str:
    """The ratio c*(f) / c*(f, g) without and with data support, and what a repair costs."""
    parts = []
    for kind, rows in each(table, "advice"):
        ratios = finite(rows["ratio"])
        if ratios.size:
            behind = people(*finite(rows["n_ratio"]))
            parts.append(f"{span(ratios)} for {KINDS.get(kind, kind)} ({behind})")
    if not parts:
        return ""
    rivals = counted(table["rival"].nunique(), "rival")
    return f"c*(f) / c*(f, g) over {rivals}: {enumerated(parts)}. 1 means no surprise."


def bounds(table: pd.DataFrame) -> str:
    """How tight each bound is, and whether any is broken."""
    parts, broken = [], 0
    for bound, rows in each(table[table["bound"] != EXACT], "bound"):
        tight = finite(rows["tightness"])
        broken += int((tight > 1 + 1e-9).sum())
        if tight.size:
            middle = number(float(np.median(tight)))
            parts.append(f"{middle} for {bound} ({counted(tight.size, 'rival')})")
    if not parts:
        return ""
    end = (
        f" {counted(broken, 'bound is', 'bounds are')} broken."
        if broken
        else " No bound is broken."
    )
    return f"Median tightness: {enumerated(parts)}.{end}"


def support_costs(table: pd.DataFrame) -> str:
    """The median of c_D / c_S, and how many lie above the paper's 2."""
    ratios = known(table["ratio"])
    if not ratios.size:
        return "Nobody has a cheapest advice to compare with."
    middle = float(np.median(ratios))
    start = f"c_D / c_S is {number(middle)} in the median" if np.isfinite(middle) else MOST_LACK
    proven = int(table["proven"].astype(bool).sum())
    return (
        f"{start}; above 2 for {int((ratios > 2).sum())} of {people(ratios.size)}. Both costs are "
        f"proven minimal for {proven} of {people(len(table))}."
    )


def invariance(table: pd.DataFrame) -> str:
    """The median price of invariance with its quartiles, and who has no unanimous advice."""
    ratios = finite(table["ratio"])
    if not ratios.size:
        return without_unanimous(table)
    low, middle, high = (number(float(q)) for q in np.quantile(ratios, (0.25, 0.5, 0.75)))
    spread = f" (middle half {low} to {high})" if ratios.size > 3 else ""
    return (
        f"Unanimous advice costs {middle} times the reference’s cheapest in the median{spread}, "
        f"over {people(ratios.size)}. {proven_cheapest(table)} "
        f"{without_unanimous(table).replace('**', '')}"
    )


def binding(table: pd.DataFrame) -> str:
    """The model that binds most often."""
    most = table.assign(times=numbers(table["times"])).sort_values("times", kind="stable").iloc[-1]
    if not most["times"] > 0:
        return "No model binds for anybody."
    return f"Binds most often: {most['rival']}, for {most['times']:.0f} of {people(most['n'])}."


def _advising(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return each(table[table["method"].isin(ADVISING)])


_EXHIBITS = (transfer, costs, histograms, semantics, consistency, sense, components, surprise)
_MORE = (bounds, support_costs, invariance, binding)
SENTENCE = {sentence.__name__: sentence for sentence in (*_EXHIBITS, *_MORE)}
TABLE = {exhibit: exhibit for exhibit in SENTENCE} | {
    "costs": "advice",
    "histograms": "distances",
    "sense": "sense_transfer",
}
