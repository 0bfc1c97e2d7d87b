"""The paper's claims, one by one: what was measured, and a verdict that follows by rule."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from standfast.evaluation.intervals import REPEATS, Vector, bootstrap, interval
from standfast.studies import names
from standfast.studies.semantics import TOWARDS, WHOLE
from standfast.studies.tables import TIDY, of_scene

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Finding:
    """One measured number with its interval, how many people stand behind it, and the verdict."""

    measured: str
    value: float
    lower: float
    upper: float
    n: int
    verdict: str

    @classmethod
    def above(cls, limit: float, measured: str, estimate: Iterable[Any], n: int) -> "Finding":
        """Holds if the interval lies above the limit, does not hold if below, else undecided."""
        value, lower, upper = map(float, estimate)
        below = names.FAILS if upper < limit else names.UNDECIDED
        verdict = names.UNDECIDED if np.isnan(value) else names.HOLDS if lower > limit else below
        return cls(measured, value, lower, upper, int(n), verdict)

    @classmethod
    def plain(cls, measured: str, value: float, n: int, holds: bool) -> "Finding":
        """A number without an interval."""
        return cls(
            measured, float(value), np.nan, np.nan, int(n), names.HOLDS if holds else names.FAILS
        )


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, how it is decided, and what measures it in one scene's tables."""

    name: str
    statement: str
    rule: str
    findings: Callable[[Tables], Iterator[Finding]]


def claims(tables: Tables) -> pd.DataFrame:
    """The tidy table `claims`: every claim in every scene where it can be measured."""
    rows = []
    named: list[dict[Any, str]] = tables["scenes"][["data", "reference"]].to_dict("records")
    scenes = [
        (scene, {name: of_scene(table, **scene) for name, table in tables.items()})
        for scene in named
    ]
    for claim in CLAIMS:
        about = {"claim": claim.name, "statement": claim.statement, "rule": claim.rule}
        for scene, own in scenes:
            rows += [about | scene | vars(found) for found in claim.findings(own)]
    return pd.DataFrame(rows, columns=list(TIDY["claims"].columns))


def _wide(table: pd.DataFrame, index: str, values: str) -> pd.DataFrame:
    """One column per method."""
    return table.set_index([index, "method"])[values].unstack("method")  # noqa: PD010


ABOVE_ZERO = (
    "holds if the 95 % interval lies above 0, does not hold if it lies below, else undecided"
)


def _transfers_better(tables: Tables) -> Iterator[Finding]:
    means = tables["transfer_means"]
    for group in (names.SAME, names.OTHER):
        rows = means[(means["rivals"] == group) & means["method"].isin(names.SPARSE)]
        rows = rows[rows["paired_n"] > 0]
        if rows.empty:
            continue
        best = rows.sort_values("transfer", kind="stable").iloc[-1]
        estimate = best["below_cchvae"], best["below_lower"], best["below_upper"]
        than = f"{best['method']}'s, {best['count']} rivals of the {group}"
        yield Finding.above(
            0.0, f"{names.C_CHVAE}'s transfer minus {than}", estimate, best["paired_n"]
        )


def _nearly_all(tables: Tables) -> Iterator[Finding]:
    wide = _wide(tables["transfer"], "rival", "transfer")
    sparse = [method for method in names.SPARSE if method in wide]
    if names.C_CHVAE not in wide or not sparse or wide[names.C_CHVAE].isna().all():
        return
    share = float((wide[names.C_CHVAE] > wide[sparse].max(axis=1)).mean())
    than = f"advice of {names.C_CHVAE} than of {' and '.join(sparse)}"
    n = tables["transfer"].set_index("method").loc[[names.C_CHVAE], "n"].iloc[0]
    yield Finding.plain(
        f"share of {len(wide)} rivals that keep more {than}", share, n, share >= 0.9
    )


def _costs_more(tables: Tables) -> Iterator[Finding]:
    for cost, words in (("total", "total"), ("max", "maximal")):
        wide = _wide(tables["advice"], "person", cost)
        sparse = [
            method for method in names.SPARSE if method in wide and wide[method].notna().any()
        ]
        if names.C_CHVAE not in wide or not sparse:
            continue
        costlier = max(sparse, key=lambda m: wide[m].mean())
        extra = (wide[names.C_CHVAE] - wide[costlier]).dropna().to_numpy()
        measured = (
            f"{names.C_CHVAE}'s {words} percentile shift minus {costlier}'s, mean over people"
        )
        yield Finding.above(0.0, measured, bootstrap(extra), len(extra))


def _follows_histograms(tables: Tables) -> Iterator[Finding]:
    far = tables["distances"].set_index(["group", "feature"])
    groups = set(far.index.get_level_values("group"))
    sparse = names.AR if names.AR in groups else names.GS
    if not {names.C_CHVAE, sparse} <= groups:
        return
    for feature in far.loc[names.C_CHVAE].index:
        ours, theirs = far.loc[(names.C_CHVAE, feature)], far.loc[(sparse, feature)]
        # both intervals' ends: cautious, as the two are not resampled together
        low, high = theirs["lower"] - ours["upper"], theirs["upper"] - ours["lower"]
        estimate = theirs["distance"] - ours["distance"], low, high
        measured = (
            f"{sparse}'s distance from good people's histogram minus {names.C_CHVAE}'s, {feature}"
        )
        yield Finding.above(0.0, measured, estimate, ours["n"])


def _support_costs_more(tables: Tables) -> Iterator[Finding]:
    known = tables["support_costs"].query("proven").dropna(subset=["sparse", "supported"])
    yield from _of_proven("c_S ≤ c_D", known["supported"] >= known["sparse"] - 1e-9)


def _at_most_twice(tables: Tables) -> Iterator[Finding]:
    known = tables["support_costs"].query("proven").dropna(subset=["ratio"])
    yield from _of_proven("c_D ≤ 2 c_S (an isolation forest's support)", known["ratio"] <= 2 + 1e-9)


def _of_proven(what: str, so: "pd.Series[bool]") -> Iterator[Finding]:
    if len(so):
        measured = f"share of people with proven costs for whom {what}"
        yield Finding.plain(measured, so.mean(), len(so), bool(so.all()))


def _multiplicity_costs(tables: Tables) -> Iterator[Finding]:
    known = tables["invariance"].dropna(subset=["alone", "unanimous"])
    n = len(known)
    if n < 2:
        return
    alone, unanimous = known["alone"].to_numpy(), known["unanimous"].to_numpy()
    rng = np.random.default_rng(0)
    people = [rng.integers(0, n, n) for _ in range(REPEATS)]
    low, high = interval([unanimous[who].sum() / alone[who].sum() for who in people])
    estimate = unanimous.sum() / alone.sum(), low, high
    measured = "mean cost of advice that all rivals accept over that of the reference's cheapest"
    yield Finding.above(1.1, measured, estimate, n)


def _bounded(tables: Tables) -> Iterator[Finding]:
    table = tables["bounds"]
    known = table[(table["bound"] == names.PROPOSITION_2) & table["tightness"].notna()]
    for rival, tightness, n in known[["rival", "tightness", "n"]].to_numpy().tolist():
        measured = f"exact mean cost over the bound, rival {rival}"
        yield Finding.plain(measured, tightness, n, tightness <= 1)


def _share_of(method: str, rule: str, limit: float) -> Callable[[Tables], Iterator[Finding]]:
    def findings(tables: Tables) -> Iterator[Finding]:
        table = tables["consistency"]
        # under --as-published the methods themselves are the published ones
        either = (method + names.PUBLISHED, method)
        rows = table[table["method"].isin(either) & (table["rule"] == rule) & (table["n"] > 0)]
        if len(rows):
            row = rows.sort_values("method", key=lambda c: c != either[0]).iloc[0]
            measured = f"share of {row['method']} advice that breaks: {rule}"
            estimate = row["share"], row["lower"], row["upper"]
            yield Finding.above(limit, measured, estimate, row["n"])

    return findings


def _pushes_to_good(tables: Tables) -> Iterator[Finding]:
    clouds = {
        group: rows[["first", "second"]].to_numpy()
        for group, rows in tables["components"].groupby("group")
    }
    sparse = [method for method in names.SPARSE if method in clouds]
    if names.C_CHVAE not in clouds or names.GOOD not in clouds or not sparse:
        return
    goal = clouds[names.GOOD].mean(axis=0)

    def far(points: Vector) -> float:
        return float(np.linalg.norm(points.mean(axis=0) - goal))

    nearest = min(sparse, key=lambda m: far(clouds[m]))
    ours, theirs = clouds[names.C_CHVAE], clouds[nearest]
    rng = np.random.default_rng(0)
    low, high = interval(
        [
            far(rng.choice(theirs, len(theirs))) - far(rng.choice(ours, len(ours)))
            for _ in range(REPEATS)
        ]
    )
    than = f"{names.C_CHVAE}'s, first two components"
    measured = f"{nearest}'s distance from good people's centre minus {than}"
    yield Finding.above(0.0, measured, (far(theirs) - far(ours), low, high), len(ours))


def _less_surprise(tables: Tables) -> Iterator[Finding]:
    for rival, rows in tables["surprise"].groupby("rival", sort=False):
        ratio, n = (rows.set_index("advice")[name] for name in ("ratio", "n_ratio"))
        if not {names.WITHOUT_SUPPORT, names.WITH_SUPPORT} <= set(ratio.index):
            continue
        value = float(ratio[names.WITH_SUPPORT] - ratio[names.WITHOUT_SUPPORT])
        verdict = (
            names.UNDECIDED if not abs(value) >= 0.02 else names.HOLDS if value > 0 else names.FAILS
        )
        measured = f"mean c*(f)/c*(f, g) with data support minus without, rival {rival}"
        people = int(n[names.WITH_SUPPORT])
        yield Finding(measured, value, np.nan, np.nan, people, verdict)


CLAIMS = (
    Claim(
        "data support transfers better",
        "Data-supported recommendations are more often invariant to the model than sparse ones, on "
        "all tasks (section 5.1).",
        f"C-CHVAE against the better of GS and AR, same people: {ABOVE_ZERO}",
        _transfers_better,
    ),
    Claim(
        "under nearly all rivals",
        "It outperforms GS and AR on almost all classifiers (section 5.1).",
        "holds if at least nine of ten rivals keep more of C-CHVAE's advice, else it does not",
        _nearly_all,
    ),
    Claim(
        "data support costs more",
        "Data-supported recommendations have higher total and maximal percentile shifts "
        "(section 5.2).",
        f"C-CHVAE against the costlier of GS and AR, same people: {ABOVE_ZERO}",
        _costs_more,
    ),
    Claim(
        "advice follows good people's histograms",
        "C-CHVAE's advice follows the distribution of correctly accepted people closely, AR's does "
        "not (figure 3).",
        f"total variation distances: {ABOVE_ZERO}",
        _follows_histograms,
    ),
    Claim(
        "advice is pushed towards good people",
        "C-CHVAE moves people towards the correctly accepted in the first two principal "
        "components, GS and AR stay close to the refused (appendix).",
        f"C-CHVAE against the nearer of GS and AR: {ABOVE_ZERO}",
        _pushes_to_good,
    ),
    Claim(
        "GS gives ambiguous values",
        "GS's recommendations often take ambiguous values: fractional or negative counts "
        "(appendix).",
        "holds if the interval of the share lies above one half, does not if below, else undecided",
        _share_of(names.GS, WHOLE, 0.5),
    ),
    Claim(
        "AR gives inconsistent values",
        "AR's recommendations often run into logical inconsistencies (appendix).",
        "holds if the interval of the share lies above a tenth, does not if below, else undecided",
        _share_of(names.AR, TOWARDS, 0.1),
    ),
    Claim(
        "c_S ≤ c_D",
        "Sparse advice is at most as costly as data-supported advice (corollary of proposition 1).",
        "holds if it is so for everybody with proven costs",
        _support_costs_more,
    ),
    Claim(
        "c_D ≤ 2 c_S",
        "Data-supported advice costs at most twice as much as sparse advice (proposition 1).",
        "holds if it is so for everybody with proven costs",
        _at_most_twice,
    ),
    Claim(
        "multiplicity costs",
        "Without a stable model, advice can be substantially more costly than under one model "
        "(conclusion).",
        "substantially: by a tenth; holds if the interval lies above 1.1, does not if below, else "
        "undecided",
        _multiplicity_costs,
    ),
    Claim(
        "proposition 2 bounds the cost",
        "The mean cost of advice that both models accept is at most the bound of proposition 2.",
        "holds if the exact mean is at most the bound, its constants calibrated on these people",
        _bounded,
    ),
    Claim(
        "data support is surprised less",
        "Data-supported advice has a lower cost of negative surprise (sections 4 and 5).",
        "undecided below a difference of 0.02; else by its sign",
        _less_surprise,
    ),
)
