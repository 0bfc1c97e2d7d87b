"""The answer in plain sentences, every number computed from the study's tables.

What stands between two pairs of asterisks is set in bold.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from standfast.figures.reading import Vector, each, finite, numbers, ordered
from standfast.figures.wording import enumerated, number, reference_words
from standfast.report import frontier, promises
from standfast.report.scenes import TWIN, Scene, Tables, title
from standfast.report.scenes import scenes as scenes_of
from standfast.report.wording import people, share, span, whole
from standfast.studies import names
from standfast.studies.settings import REFERENCES

NO_ADVICE = "There is no advice that a rival could judge."
IN_EACH = " (counted in each scene)"
LIMIT = "the search ended before it found any"
# why a person has no unanimous advice, by the outcome of the search; the surest reasons first
WITHOUT = {
    "infeasible": "it is proven that there is none",
    "outside_schema": "nothing was searched, because their own values contradict the schema",
    "already_favourable": "nothing needs to change, because all models accept them as they stand",
    "unsound": "the answer failed its re-check and is withheld",
    "exhausted": LIMIT,
}
Ratios = Sequence[Vector]


@dataclass(frozen=True)
class Point:
    """One point of the answer: what it is about, and its sentences."""

    subject: str
    sentences: tuple[str, ...]


def answer(tables: Tables) -> list[Point]:
    """The first screen, point by point."""
    scenes = scenes_of(tables)
    if not scenes:
        return [Point("Nothing to report", ("The study has no scene.",))]
    points = [
        Point("What the rivals keep", transfer(tables, scenes)),
        Point("Whether advice makes sense", sense(tables["sense_transfer"])),
        Point("What data support costs", support(tables, scenes)),
        Point("What unanimous advice costs", invariance(tables["invariance"], scenes)),
        Point("Unseen models", frontier.answer(tables, scenes)),
        Point("A simulated year", promises.answer(tables, scenes)),
        Point("What the paper claims", claims(tables["claims"])),
    ]
    return [point for point in points if point.sentences]


def introduction(tables: Tables) -> str:
    """What was studied; twins are named as such."""
    scenes = scenes_of(tables)
    if not scenes:
        return "Nobody was studied."
    references: dict[str, list[str]] = {}
    for scene in scenes:
        references.setdefault(title(scene.data), []).append(scene.reference)
    studied = [f"{data} ({_references(own)})" for data, own in references.items()]
    rivals = span((scene.rivals for scene in scenes), whole)
    asked = people(*(scene.people for scene in scenes))
    studied_people = (
        f"Studied: {enumerated(studied)}. Asked about: {asked} whom the reference refuses, beside "
        f"{rivals} {'rival' if rivals == '1' else 'rivals'}{_per_scene(scenes)}."
    )
    twins = list(dict.fromkeys(title(scene.data) for scene in scenes if scene.twin))
    if not twins:
        return studied_people
    are = "is a" if len(twins) == 1 else "are each a"
    return f"{studied_people} {enumerated(twins)} {are} {TWIN}."


def _references(given: Sequence[str]) -> str:
    """The references of a data set: those fitted here by class, one's own by its file."""
    own = [reference_words(name) for name in given if name not in REFERENCES]
    ours = [name for name in given if name in REFERENCES]
    return enumerated([*own, *([f"{enumerated(ours)} reference"] if ours else [])])


def transfer(tables: Tables, scenes: Sequence[Scene]) -> tuple[str, ...]:
    """How much of each method's advice the rivals keep, and whom they accept anyway."""
    means = judged(tables["transfer_means"])
    advised = means[means["method"].isin(names.ADVISING)]
    idle = nobody(scenes)
    if advised.empty:
        return tuple(idle) if len(idle) == len(scenes) else (*idle, NO_ADVICE)
    rivals = span(finite(advised["count"]), whole)
    who = "the one rival keeps" if rivals == "1" else f"the {rivals} rivals keep"
    start = "Depending on the scene, " if len(scenes) > 1 else ""
    parts: list[str] = []
    for method, rows in each(advised):
        of = "of the advice " if not parts and method != names.UNANIMOUS else ""
        transferred = span(finite(rows["transfer"]), share)
        parts.append(f"**{transferred}** {of}{_whose(method)} ({_behind(rows, scenes)})")
    kept = f"{start}{who} on average {enumerated(parts)}."
    kept = f"{kept[0].upper()}{kept[1:]}"
    unmoved = means[means["method"] == names.NOTHING]
    if unmoved.empty:
        return (*idle, kept)
    accept = "the rival accepts" if rivals == "1" else "the rivals accept"
    anyway, whom = span(finite(unmoved["transfer"]), share), people(*finite(unmoved["n"]))
    return (*idle, kept, f"As they stand, {accept} {anyway} of these people ({whom}).")


def sense(table: pd.DataFrame) -> tuple[str, ...]:
    """How much advice is perverse, and how often other advice transfers better or worse."""
    table = table[(table["kind"] == names.PERVERSE) & table["method"].isin(names.ADVISING)]
    if table.empty:
        return ()
    parts = []
    for method, rows in each(table):
        odd, plain = numbers(rows["n_with"]), numbers(rows["n_without"])
        parts.append(f"**{span(odd / (odd + plain), share)}** {_whose(method)}")
    both = table[(numbers(table["n_with"]) > 0) & (numbers(table["n_without"]) > 0)]
    held, failed, open_ = (int((both["verdict"] == v).sum()) for v in names.VERDICTS)
    compared = "one comparison" if len(both) == 1 else f"{len(both)} comparisons"
    return (
        "Advice against the data’s direction, or breaking what practically always holds: "
        f"{enumerated(parts)}.",
        f"Of {compared} within a method, other advice transfers better in **{held}**, worse in "
        f"**{failed}**, and **{open_}** {'is' if open_ == 1 else 'are'} undecided.",
    )


def _whose(method: str) -> str:
    return "of unanimous advice" if method == names.UNANIMOUS else f"from {method}"


def judged(means: pd.DataFrame) -> pd.DataFrame:
    """The mean transfers over all rivals that have people behind them."""
    means = means[means["rivals"] == names.ALL]
    return means[(numbers(means["n"]) > 0) & np.isfinite(numbers(means["transfer"]))]


def nobody(scenes: Sequence[Scene]) -> list[str]:
    """One sentence for each scene in which nobody was asked about."""
    return [
        f"{scene.label}: the reference refuses nobody, so nobody needs advice."
        if not scene.count("refused")
        else f"{scene.label}: nobody was asked about."
        for scene in scenes
        if not scene.people
    ]


def support(tables: Tables, scenes: Sequence[Scene]) -> tuple[str, ...]:
    """What data support adds: exactly (c_D / c_S), and what C-CHVAE's advice costs beside it."""
    table = tables["support_costs"]
    every = [ratios for s in scenes if (ratios := known(s.of(table)["ratio"])).size]
    some = [ratios for ratios in every if np.isfinite(np.median(ratios))]
    said = []
    if some:
        nothing = {number(float(np.median(ratios))) for ratios in some} == {"1.00"}
        more = "adds nothing to the cost of" if nothing else "makes"
        much = "" if nothing else f" {_times(some)} as costly"
        said.append(
            f"Asking for data support {more} the cheapest advice{much}{_median(some, scenes)}."
        )
    in_each = IN_EACH if len(table.drop_duplicates(["data", "reference"])) > 1 else ""
    supported = numbers(table["supported"])[np.isfinite(numbers(table["sparse"]))]
    none, ended = int(np.isposinf(supported).sum()), int(np.isnan(supported).sum())
    if none or ended:
        reasons = [(none, "there is no advice with data support")] if none else []
        reasons += [(ended, f"{LIMIT} with data support")] if ended else []
        more = "".join(f"; for {count} more {why}" for count, why in reasons[1:])
        said.append(
            f"For {reasons[0][0]} of {people(supported.size)}{in_each} {reasons[0][1]}{more}."
        )
    pairs = [ratios for s in scenes if (ratios := _beside(s.of(tables["advice"]))).size]
    if pairs:
        said.append(
            f"C-CHVAE’s advice costs {_times(pairs)} the minimal cost{_median(pairs, scenes)}."
        )
    return tuple(said)


def known(column: "pd.Series[float]") -> Vector:
    """A column's numbers; ∞ is one."""
    given = numbers(column)
    return given[~np.isnan(given)]


def _beside(advice: pd.DataFrame) -> Vector:
    """C-CHVAE's cost over the minimal cost, of people with both."""
    found = advice[advice["found"].astype(bool)]
    wide = found.pivot_table(index="person", columns="method", values="total", aggfunc="first")
    if not {names.C_CHVAE, names.MINIMAL} <= set(wide.columns):
        return np.empty(0)
    above, below = numbers(wide[names.C_CHVAE]), numbers(wide[names.MINIMAL])
    both = np.isfinite(above) & (below > 0)
    return np.asarray(above[both] / below[both])


def _times(ratios: Ratios) -> str:
    return f"**{span((float(np.median(part)) for part in ratios), number)} times**"


def _median(ratios: Ratios, scenes: Sequence[Scene]) -> str:
    sizes = [part.size for part in ratios]
    if sizes == [1]:
        return ", for the one person it was measured for"
    return (
        f", in the median ({people(*sizes)}{_per_scene(ratios)}{_of_scenes(len(ratios), scenes)})"
    )


def _behind(rows: pd.DataFrame, scenes: Sequence[Scene]) -> str:
    return f"{people(*finite(rows['n']))}{_of_scenes(len(rows), scenes)}"


def _per_scene(parts: Sequence[object]) -> str:
    return " per scene" if len(parts) > 1 else ""


def _of_scenes(n: int, scenes: Sequence[Scene]) -> str:
    return f", in {n} of {len(scenes)} scenes" if n < len(scenes) else ""


def invariance(table: pd.DataFrame, scenes: Sequence[Scene]) -> tuple[str, ...]:
    """The price of invariance, and for how many people there is no unanimous advice."""
    if table.empty:
        return ()
    ratios = [part for s in scenes if (part := finite(s.of(table)["ratio"])).size]
    if not ratios:
        return (without_unanimous(table),)
    return (
        f"Advice that the reference and all its rivals accept costs {_times(ratios)} the "
        f"reference’s cheapest{_median(ratios, scenes)}. {proven_cheapest(table)}",
        without_unanimous(table),
    )


def proven_cheapest(table: pd.DataFrame) -> str:
    """For how many people unanimous advice is proven to be the cheapest there is."""
    found = table[np.isfinite(numbers(table["unanimous"]))]
    proven, n = int((found["outcome"] == "minimal").sum()), len(found)
    if proven == n:
        return "It is proven cheapest." if n == 1 else "Each is proven cheapest."
    return f"For {proven} of {people(n)} it is proven cheapest; others may pay less."


def without_unanimous(table: pd.DataFrame) -> str:
    """For how many people there is no unanimous advice, and why: the counts add up to them."""
    several = len(table.drop_duplicates(["data", "reference"])) > 1
    n = len(table)
    counted = f" {'person' if n == 1 else 'people'}{IN_EACH if several else ''}"
    lacking = table.loc[~np.isfinite(numbers(table["unanimous"])), "outcome"].astype(str)
    if lacking.empty:
        return f"There is such advice for {'the one' if n == 1 else f'all {n}'}{counted}."
    first, *others = [
        (int((lacking == outcome).sum()), WITHOUT.get(outcome, f"the outcome is “{outcome}”"))
        for outcome in ordered(lacking, WITHOUT)
    ]
    more = "".join(f"; for {count} more {why}" for count, why in others)
    return f"For **{first[0]} of {n}**{counted} {first[1]}{more}."


def claims(table: pd.DataFrame) -> tuple[str, ...]:
    """How many of the paper's claims hold here, do not, or stay undecided."""
    if table.empty:
        return ()
    held, failed, open_ = (int((table["verdict"] == v).sum()) for v in names.VERDICTS)
    different = table["claim"].nunique()
    which = "One claim was" if different == 1 else f"{different} claims were"
    often = "once" if len(table) == 1 else f"{len(table)} times"
    each = ", scene by scene" if len(table) > different else ""
    return (
        f"{which} checked {often} by rule{each}: **{held}** {'holds' if held == 1 else 'hold'}, "
        f"**{failed}** {'does' if failed == 1 else 'do'} not, and **{open_}** "
        f"{'is' if open_ == 1 else 'are'} undecided.",
    )
