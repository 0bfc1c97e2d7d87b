"""The tidy tables of a study: what each holds, column by column, and how they are written."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from standfast.errors import InputError, listing
from standfast.files import read_parquet, write_table
from standfast.studies import names

ENDINGS = (".parquet", ".csv")
MOST = 2**31  # bytes of one table


@dataclass(frozen=True)
class Tidy:
    """One table's meaning in a sentence, and its columns with theirs."""

    about: str
    columns: Mapping[str, str]


SCENE = {
    "data": "the data set: its short name, such as 'twin:heloc' or 'heloc'",
    "reference": "the reference: linear or forest, or the file of a model of one's own",
}
LOWER, UPPER = "lower end of the 95 % interval", "upper end of the 95 % interval"


def _table(about: str, **columns: str) -> Tidy:
    """A table whose rows belong to a scene."""
    return Tidy(about, SCENE | columns)


TIDY: Mapping[str, Tidy] = {
    "scenes": _table(
        "One row per scene: a data set with one reference, and how many people and rivals it has.",
        origin="where the people come from, in words",
        twin="whether the people are a statistical twin's, not real",
        model="the reference in words",
        train="people the models were fitted on",
        test="people held out",
        refused="held-out people the reference refuses",
        people="refused people who were asked about: the first of them in a random order",
        accuracy="the reference's accuracy on held-out people",
        auc="the reference's area under the curve on held-out people",
        risk="the reference's risk, as the level set counts it",
        epsilon="how much worse a rival may be",
        candidates="models that were tried as rivals",
        rivals="those at most epsilon worse",
        seed="the seed",
    ),
    "members": _table(
        "One row per model of a scene: the reference (grid 'reference') and every candidate.",
        rival="the model's name",
        grid="linear, forests, or reference",
        position="its place along its grid, from 0",
        parameters="its settings",
        risk="its risk, as the level set counts it",
        auc="area under the curve, counted alike",
        test_accuracy="accuracy on held-out people; missing for models outside",
        inside="whether it is in the level set",
        why="why it is, or is not",
    ),
    "advice": _table(
        "One row per scene, method and person asked about: how the search ended and its cost.",
        method="the method",
        person="the person's label in the data set, as text",
        outcome="how the search ended",
        found="whether there is advice",
        total="total percentile shift (cost_1)",
        max="maximal percentile shift (cost_2)",
        log="log percentile shift",
        changed="how many inputs change",
        lower_bound="a proven lower bound of the method's own cost; missing if it has none",
        gap="how far the cost may be above the cheapest, as a share of it",
        kept="how many rivals accept the advice",
        share="share of the rivals that accept the advice",
        sentence="the advice in words, or why there is none",
    ),
    "values": _table(
        "One row per scene, method, person and input: where people stand and are sent to.",
        method="the method; '' for where the person stands",
        person="the person",
        feature="the input",
        value="its value there",
    ),
    "verdicts": _table(
        "One row per scene, method, person and rival: who keeps which promise.",
        method="the method",
        person="the person",
        rival="the rival",
        kept="whether the rival accepts the advice",
    ),
    "transfer": _table(
        "One row per scene, method and rival: the share of advice the rival keeps.",
        method="the method",
        rival="the rival's name",
        grid="linear or forests",
        position="the rival's place along its grid",
        same_class="whether rival and reference are of one hypothesis class",
        test_accuracy="the rival's accuracy on held-out people",
        n="people with advice",
        kept="how many of them the rival accepts",
        transfer="their share, T",
        lower=LOWER,
        upper=UPPER,
    ),
    "transfer_means": _table(
        "One row per scene, method and group of rivals: transfer averaged over the group.",
        method="the method",
        rivals="same class, other class, or all",
        count="rivals in the group",
        n="people with advice",
        transfer="mean share of kept advice",
        lower=LOWER,
        upper=UPPER,
        paired_n="people with advice from this method and from C-CHVAE",
        below_cchvae="C-CHVAE's transfer minus this method's, over these people",
        below_lower="lower end of that difference's 95 % interval",
        below_upper="upper end of that difference's 95 % interval",
    ),
    "histograms": _table(
        "One row per scene, group of people or method, input and bar: how often its values occur.",
        group=f"'{names.GOOD}', '{names.REFUSED}', or a method, for where it sends people",
        feature="the input, one of three",
        label="the input in words",
        value="the bar's least value; -∞ where it stands for all below too",
        until="its largest value; ∞ where it stands for all above too",
        share="share of the group's people",
        n="people in the group",
    ),
    "distances": _table(
        f"One row per scene, group and input: how far its histogram is from '{names.GOOD}'.",
        group=f"'{names.REFUSED}' or a method",
        feature="the input",
        n="people in the group",
        distance="total variation distance, from 0 (alike) to 1 (nothing in common)",
        lower=LOWER,
        upper=UPPER,
    ),
    "semantics": _table(
        "One person of each scene, input by input: what each method advises, doubts marked.",
        person="the person",
        method="the method, also as published; '' for where the person stands",
        feature="the input",
        label="the input in words",
        value="the value",
        mark="'ambiguous', 'inconsistent', or ''",
        why="what is wrong with the value",
    ),
    "consistency": _table(
        "One row per scene, method and rule the data never break: how much advice breaks it.",
        method="the method, also as published",
        rule="the rule: a relation, or that values are such as the data hold",
        n="people with advice",
        broken="how many of them are sent to a place that breaks the rule",
        share="their share",
        lower=LOWER,
        upper=UPPER,
    ),
    "components": _table(
        "One row per scene and point: the first two principal components of people and advice.",
        group=f"'{names.GOOD}', '{names.REFUSED}', or a method",
        first="first principal component, of inputs in percentiles",
        second="second principal component",
        explained_first="share of the variance along the first",
        explained_second="share of the variance along the second",
    ),
    "surprise": _table(
        "One row per scene, camp and rival: what the rival adds to the cost of advice.",
        camp="sparse, or support (an isolation forest must find the advice usual)",
        rival="the rival",
        grid="linear or forests",
        n_f="people the reference refuses, with an answer",
        cost_f="mean cost of advice the reference accepts, c*(f), over them",
        n_g="people the rival refuses, with an answer",
        cost_g="mean cost of advice the rival accepts, c*(g), over them",
        asked="people whom either refuses: n_joint + impossible + unanswered + outside",
        n_joint="those of them with advice that both accept",
        cost_joint="mean cost of advice that both accept, c*(f, g), over them",
        ratio="mean of c*(f) / c*(f, g), person by person",
        n_ratio="people behind it",
        published="the ratio of means as published",
        impossible="people for whom it is proven that no advice is accepted by both",
        unanswered="people for whom the search for both ended without an answer",
        outside="people whose own values contradict the schema, so nothing was searched",
        unproven="searches for both that ended at a limit, with an answer or without",
        advised="people advised under the reference",
        broken="how many of these the rival refuses",
        from_advice="mean cost of the cheapest repair from where the advice sent them",
        from_start="mean cost of the cheapest repair from where they stood",
    ),
    "bounds": _table(
        "One row per scene, rival and bound: what it promises beside the exact mean cost.",
        rival="the rival",
        bound="proposition 2 (as published), proposition 2', the same + slack (a guarantee at 95 % "
        "though alpha is calibrated), lemma 1, or exact",
        total="the bound, or the exact mean cost",
        exact="the exact mean cost of the same people",
        tightness="exact over total: 1 is tight, above 1 is broken",
        alpha="the constant alpha of the error bound",
        gamma="its exponent gamma",
        n="people behind it",
        note="what must be said",
    ),
    "support_costs": _table(
        "One row per scene and person: what data support adds to the cheapest advice.",
        person="the person",
        sparse="cheapest advice, c_S",
        supported="cheapest advice that an isolation forest finds usual, c_D",
        ratio="c_D / c_S",
        proven="whether both are proven minimal",
    ),
    "invariance": _table(
        "One row per scene and person: what unanimous advice costs beside the reference's.",
        person="the person",
        alone="cost of the cheapest advice under the reference",
        unanimous="cost of the cheapest advice under the reference and all rivals",
        ratio="unanimous over alone",
        outcome="how the unanimous search ended",
        lower_bound="lower bound of the unanimous cost",
    ),
    "binding": _table(
        "One row per scene and model: how often it is one that unanimous advice hinges on.",
        rival="the model",
        times="people for whom it binds",
        n="people with unanimous advice",
        share="their share",
    ),
    "frontier": _table(
        "One row per scene, kind of fresh models, method and setting: mean cost and validity.",
        judges="fresh models of the same class as the reference, of the other class, or fitted on "
        "later data",
        models="how many of them judge; no method has seen them",
        method="the method",
        dial="its setting; '' for a method that has none",
        n="people behind all means: whom every setting answered that answers half of them",
        answered="people this one answered; where too few, the means are missing",
        cost="mean total percentile shift",
        cost_lower="lower end of its 95 % interval",
        cost_upper="upper end of its 95 % interval",
        validity="mean share of the fresh models that accept",
        lower=LOWER,
        upper=UPPER,
    ),
    "frontier_gaps": _table(
        "One row per scene, method and setting: what Invariant costs more at the same validity.",
        judges="the fresh models that judge",
        models="how many",
        own="the kind of Invariant that is compared: over both classes before the other",
        method="the other method",
        dial="its setting",
        n="people whom both answered",
        validity="the validity it reaches, over them",
        cost="its mean cost, over them",
        difference="Invariant's cost at that validity minus this; missing beyond it",
        lower=LOWER,
        upper=UPPER,
    ),
    "frontier_levels": _table(
        "One row per scene, kind of fresh models, level and method: what that validity costs.",
        judges="the fresh models that judge",
        models="how many",
        n="people",
        level="the mean validity",
        method="a method with a dial",
        cost="mean cost at that validity, straight between settings; missing if not reached",
        ratio="the same over the cheapest advice for the reference alone",
        lower=LOWER,
        upper=UPPER,
    ),
    "claims": Tidy(
        "One row per claim of the paper and scene: what was measured, and the verdict by rule.",
        {
            "claim": "the claim's short name",
            "statement": "what the paper says",
            **SCENE,
            "measured": "what was measured, in words",
            "value": "the number",
            "lower": LOWER,
            "upper": UPPER,
            "n": "people behind it",
            "verdict": f"{names.HOLDS}, {names.FAILS}, or {names.UNDECIDED}",
            "rule": "how the verdict follows from the numbers",
        },
    ),
    "missing": _table(
        "What the study could not do, and why.",
        what="what is missing",
        why="why, and what to do",
    ),
    "timings": _table(
        "How long each step took; the one table that differs from run to run.",
        step="the step",
        seconds="seconds",
        resumed="whether it was done before",
    ),
}


def tidy(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """The table with exactly its columns, in their order."""
    columns = list(TIDY[name].columns)
    if sorted(map(str, table.columns)) != sorted(columns):
        raise ValueError(f"table '{name}' has the columns {list(table.columns)}, not {columns}")
    return table[columns].reset_index(drop=True)


def write(tables: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """Every table as Parquet and as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        for ending in ENDINGS:
            write_table(tidy(name, table), folder / f"{name}{ending}")


def read(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables of a study's folder; all must be there."""
    absent = [name for name in TIDY if not (folder / f"{name}.parquet").is_file()]
    if absent:
        raise InputError(f"'{folder}' holds no {listing(absent)}; run the study again")
    return {name: _read(folder / f"{name}.parquet", TIDY[name]) for name in TIDY}


def _read(file: Path, tidy: Tidy) -> pd.DataFrame:
    table = read_parquet(file, MOST, "a table of a study")
    lacking = [column for column in tidy.columns if column not in table.columns]
    if lacking:
        raise InputError(f"'{file}' lacks the columns {listing(lacking)}; run the study again")
    return table
