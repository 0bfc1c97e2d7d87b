"""A simulated year in sentences: what the new models kept, and what it cost in all."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from standfast.figures.promises import ORDER, name_of, title_of
from standfast.figures.reading import each, finite, first, numbers, ordered
from standfast.figures.wording import counted, enumerated, number
from standfast.report.scenes import Scene, Tables
from standfast.report.wording import people, share, span, whole
from standfast.studies import names

TABLES = ("promises_year", "promises_total")
CHEAPEST = "the cheapest advice"


# one scene


def caption(year: pd.DataFrame, total: pd.DataFrame) -> str:
    """One paragraph per kind of drift of a scene."""
    kinds = [kind for kind in ordered([*year["drift"], *total["drift"]]) if kind != names.NO_DRIFT]
    parts = [
        _paragraph(kind, *(table[table["drift"] == kind] for table in (year, total)))
        for kind in ordered([*year["drift"], *total["drift"]], [*kinds, names.NO_DRIFT])
    ]
    return "\n".join(parts)


def _paragraph(kind: str, year: pd.DataFrame, total: pd.DataFrame) -> str:
    start = f"{title_of(kind)}:"
    known = total[np.isfinite(numbers(total["kept"]))]
    if known.empty:
        return f"{start} no method has advice for enough people to be compared."
    main = {str(row["method"]): row for row in known.to_dict("records")}
    sentences = [f"{start} {_kept(known, _times(year))}."]
    if {names.MINIMAL, names.INVARIANT} <= set(main):
        sentences += _compared(known)
    sentences += _exceptions(year)
    absent = [name_of(m) for m in ordered(total["method"], ORDER) if m not in main]
    if absent:
        sentences.append(f"Not compared, for too few people got an answer: {enumerated(absent)}.")
    return " ".join(sentences)


def _times(year: pd.DataFrame) -> str:
    """After how many new models."""
    periods = finite(year["period"])
    return f"after {counted(int(periods.max()) if periods.size else 0, 'retraining')}"


def _kept(known: pd.DataFrame, when: str) -> str:
    parts = []
    for method, rows in each(known, first=ORDER):
        low, high = first(rows["lower"]), first(rows["upper"])
        inside = f" ({span([low, high], share)})" if np.isfinite([low, high]).all() else ""
        parts.append(f"{share(first(rows['kept']))}{inside} of {_advice(method)}")
    n = people(*finite(known["n"]))
    return f"{when} the model in force accepts {enumerated(parts)}, over {n}"


def _advice(method: str) -> str:
    """A method's advice, within a sentence."""
    if method == names.TOGETHER:
        return f"advice {method}"
    return CHEAPEST if method == names.MINIMAL else f"{name_of(method)}’s advice"


def _compared(known: pd.DataFrame) -> list[str]:
    """Invariant's costs and top-ups beside those of the cheapest advice."""
    own, cheap = (known[known["method"] == m] for m in (names.INVARIANT, names.MINIMAL))
    back = [share(first(rows["topped"])) for rows in (cheap, own)]
    again = (
        f"{back[0]} of the people with {CHEAPEST} and {back[1]} of those with Invariant’s need a "
        "top-up."
    )
    at_first, in_all = first(own["first_ratio"]), first(own["ratio"])
    if not np.isfinite([at_first, in_all]).all():
        return [again]
    return [f"Invariant’s advice costs {number(at_first)} times as much; {_in_all(own)}.", again]


def _in_all(rows: pd.DataFrame) -> str:
    """The whole year's cost in multiples of the cheapest advice's, and whether that is sure."""
    ratio, low, high = (first(rows[name]) for name in ("ratio", "ratio_lower", "ratio_upper"))
    verdict = sure(low, high)
    inside = f" ({span([low, high])})" if np.isfinite([low, high]).all() else ""
    much = f"{number(ratio)} times as much{inside}"
    if verdict == "less":
        return f"with all top-ups of the year it costs less, {much}"
    if verdict == "more":
        return f"with all top-ups of the year it still costs {much}"
    return f"with all top-ups of the year {much}, which may be chance"


def sure(low: float, high: float) -> str:
    """Whether a ratio surely is below 1 (less), surely above (more), or neither ('').

    >>> sure(0.7, 0.9), sure(1.1, 1.3), sure(0.9, 1.1)
    ('less', 'more', '')
    """
    return "less" if high < 1 else "more" if low > 1 else ""


def _exceptions(year: pd.DataFrame) -> list[str]:
    """How many open promises would have to be honoured against the last model."""
    every = year[year["people"] == names.ALL_OPEN]
    last = (
        every[numbers(every["period"]) == numbers(every["period"]).max()] if len(every) else every
    )
    parts = []
    for method, rows in each(last, first=ORDER):
        open_, broken = first(rows["n"]), first(rows["exceptions"])
        if method in (names.MINIMAL, names.INVARIANT) and open_ > 0:
            of = CHEAPEST if method == names.MINIMAL else "Invariant’s"
            parts.append(f"{whole(broken)} of {whole(open_)} of {of}")
    if not parts:
        return []
    return [f"With everybody advised since, the exceptions to honour then are {enumerated(parts)}."]


# all scenes


def answer(tables: Tables, scenes: Sequence[Scene]) -> tuple[str, ...]:
    """The year over all scenes: what was kept, what it cost at first and what in all."""
    total = tables["promises_total"]
    parts = [_drifting(scene.of(total)) for scene in scenes]
    rows = pd.concat([part for part in parts if len(part)] or [total])
    rows = rows[np.isfinite(numbers(rows["kept"]))]
    own, cheap = (rows[rows["method"] == m] for m in (names.INVARIANT, names.MINIMAL))
    if own.empty or cheap.empty:
        return ()
    kept = [f"**{span(finite(part['kept']), share)}**" for part in (cheap, own)]
    n = people(*finite(rows["n"])) + " per scene" * (len(own) > 1)
    said = [
        f"{_times(tables['promises_year']).capitalize()} the model in force accepts {kept[0]} of "
        f"{CHEAPEST} and {kept[1]} of Invariant’s ({n})."
    ]
    at_first, in_all = finite(own["first_ratio"]), finite(own["ratio"])
    if at_first.size and in_all.size:
        said.append(
            f"Invariant’s advice costs {span(at_first)} times as much at first, and with the "
            f"top-ups of the year **{span(in_all)} times** as much{_verdicts(own)}."
        )
    back = [span(finite(part["topped"]), share) for part in (cheap, own)]
    said.append(
        f"{back[0]} of the people with {CHEAPEST} need a top-up, {back[1]} with Invariant’s."
    )
    return tuple(said)


def _drifting(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with drift, or those without where there are no others."""
    with_drift = rows[rows["drift"] != names.NO_DRIFT]
    return with_drift if len(with_drift) else rows


def _verdicts(own: pd.DataFrame) -> str:
    """In how many scenes the whole year surely costs less, surely more, or neither."""
    ends = zip(numbers(own["ratio_lower"]), numbers(own["ratio_upper"]), strict=True)
    found = [sure(low, high) for low, high in ends]
    if len(found) == 1:
        return {"less": ", surely less", "more": "", "": ", which may be chance"}[found[0]]
    less, more = found.count("less"), found.count("more")
    return f": surely less in {less}, surely more in {more} of {len(found)} scenes"
