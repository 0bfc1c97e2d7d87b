"""HELOC: applicants for a home equity line of credit, and who repaid as agreed."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pandas as pd

from standfast.datasets import german_labels
from standfast.datasets.dataset import Dataset
from standfast.datasets.sources import Source
from standfast.datasets.variants import Laws, Sense, Variant, chosen, variants
from standfast.errors import InputError
from standfast.schema import Feature, Relation, Schema

SOURCE = Source(
    name="heloc",
    files=("heloc.csv", "heloc_dataset_v1.csv"),
    sha256=("f66d77f4e4e27c11205ba6258008f5e071f1f09724f4893e9ff2840a4e99f259",),
    openml=46932,
    raw_rows=10_459,
    rows=8_291,
    labels={"Good": 1, "Bad": -1},
    label_columns=("RiskPerformance",),
)


def _count(
    name: str, label: str, *, mutable: bool = True, lower: int | None = 0, upper: int | None = None
) -> Feature:
    valid = None if upper is None else (0, upper)
    return Feature(name, "count", mutable, "any", lower, upper, label=label, valid=valid)


# Bounds are declared only where every cleaned row obeys them (the revolving burden is a percentage
# too, but 67 people owe more than their limit) and only where the data reach them: beyond the data
# a percentile shift costs nothing, so a bound out there would invite advice nobody ever lived.
# An upper bound here is what a percentage can be, for advice and for people.
PUBLISHED = Schema(
    (
        _count("ExternalRiskEstimate", "external risk estimate", mutable=False, lower=None),
        _count("MSinceOldestTradeOpen", "months since oldest trade", mutable=False, lower=None),
        _count("MSinceMostRecentTradeOpen", "months since the most recent trade"),
        _count("AverageMInFile", "average months in file", mutable=False, lower=None),
        _count("NumSatisfactoryTrades", "satisfactory trades", lower=None),
        _count("NumTrades60Ever2DerogPubRec", "trades ever 60 days late or derogatory"),
        _count("NumTrades90Ever2DerogPubRec", "trades ever 90 days late or derogatory"),
        _count("PercentTradesNeverDelq", "percentage of trades never late", lower=None, upper=100),
        # the next two are category codes (in the second, 8 is never late); the paper counts them
        _count("MaxDelq2PublicRecLast12M", "worst delinquency of the last year (code)"),
        _count("MaxDelqEver", "worst delinquency ever (code)", lower=None),
        _count("NumTotalTrades", "total trades", lower=None),
        _count("NumTradesOpeninLast12M", "trades opened in the last year"),
        _count("PercentInstallTrades", "percentage of instalment trades", lower=None),
        _count("NumInqLast6M", "inquiries in the last 6 months"),
        _count("NumInqLast6Mexcl7days", "inquiries in the last 6 months but for the last 7 days"),
        _count("NetFractionRevolvingBurden", "revolving balance as percentage of the limit"),
        _count("NumRevolvingTradesWBalance", "revolving trades with a balance"),
        _count("NumInstallTradesWBalance", "instalment trades with a balance", lower=None),
        _count("NumBank2NatlTradesWHighUtilization", "bank trades with high utilisation"),
        _count("PercentTradesWBalance", "percentage of trades with balance", lower=None, upper=100),
    ),
    (Relation.parse("NumInqLast6Mexcl7days <= NumInqLast6M"),),
)

UP, DOWN, FIXED = {"direction": "up"}, {"direction": "down"}, {"mutable": False}
# Directions follow FICO's monotonicity list and possibility; where that list is silent (total,
# instalment and open trades, trades with a balance), possibility and the people's own trend agree.
SENSE: Sense = {
    "ExternalRiskEstimate": (FIXED, "another agency's estimate follows from everything else"),
    "MSinceOldestTradeOpen": (FIXED, "the past; it only passes"),
    "MSinceMostRecentTradeOpen": (UP, "time only passes; nobody is asked to open a trade for it"),
    "AverageMInFile": (FIXED, "the past; it only passes"),
    "NumSatisfactoryTrades": (UP, "more trades paid as agreed are better"),
    "NumTrades60Ever2DerogPubRec": (FIXED, "what was ever late stays on file"),
    "NumTrades90Ever2DerogPubRec": (FIXED, "what was ever late stays on file"),
    "PercentTradesNeverDelq": (
        {"direction": "up", "upper": 99},
        "rises with further trades paid on time; 100 is for people who never were late",
    ),
    "MaxDelq2PublicRecLast12M": (
        {"direction": "up", "upper": 6},
        "a year without delay leads to code 6; 7 is for people who never were late",
    ),
    "MaxDelqEver": (FIXED, "the worst that ever happened can only get worse"),
    "NumTotalTrades": (UP, "trades stay on file after they end"),
    "NumTradesOpeninLast12M": (DOWN, "falls as trades get older than a year"),
    "PercentInstallTrades": (DOWN, "instalment loans go with refusal; fewer are taken out"),
    "NumInqLast6M": (DOWN, "falls as inquiries get older than half a year"),
    "NumInqLast6Mexcl7days": (DOWN, "falls as inquiries get older than half a year"),
    "NetFractionRevolvingBurden": (DOWN, "debt is paid back"),
    "NumRevolvingTradesWBalance": (DOWN, "balances are paid off"),
    "NumInstallTradesWBalance": (DOWN, "loans are paid off"),
    "NumBank2NatlTradesWHighUtilization": (DOWN, "debt is paid back"),
    "PercentTradesWBalance": (DOWN, "balances are paid off"),
    "MSinceMostRecentDelq": (UP, "time only passes; nobody is asked to be late again"),
    "MSinceMostRecentInqexcl7days": (UP, "time only passes; nobody is asked to inquire for it"),
    "NetFractionInstallBurden": (DOWN, "debt is paid back"),
}
# None of the 10,459 people breaks a relation or a rule. Others hold by meaning, too, but are not
# declared: with these directions nobody who keeps them is sent to where they break, and people who
# break them would be outside the schema. Of the 8,291: trades opened in the last year <= total
# trades (22 people), most recent <= oldest trade (3), average <= oldest trade (71), trades with a
# balance <= total trades (151), trades ever 60 days late <= total trades (5).
LAWS: Laws = {
    "relations": {
        "NumTrades90Ever2DerogPubRec <= NumTrades60Ever2DerogPubRec": "90 days late is also 60",
        "NumInqLast6Mexcl7days <= NumInqLast6M": "the one is a part of the other",
        "NumBank2NatlTradesWHighUtilization <= NumRevolvingTradesWBalance": (
            "what is highly utilised has a balance"
        ),
        "MSinceMostRecentTradeOpen <= AverageMInFile": "no trade is younger than the most recent",
    },
    "rules": {
        "if NumRevolvingTradesWBalance == 0 then NetFractionRevolvingBurden == 0": (
            "a burden is a balance"
        ),
        "if MSinceMostRecentTradeOpen > 12 then NumTradesOpeninLast12M == 0": (
            "a trade opened in the last year is at most twelve months old"
        ),
        "if MSinceMostRecentTradeOpen < 12 then NumTradesOpeninLast12M >= 1": (
            "a trade less than twelve months old was opened in the last year"
        ),
    },
    # 581 people have more satisfactory trades than trades, so what is counted differs, and how many
    # trades could still become satisfactory is not known
    "changes": {
        "NumSatisfactoryTrades <= NumTotalTrades": "one more satisfactory trade is one more trade"
    },
}

# no record; no usable trades or inquiries; nothing of the kind (no delinquency, no inquiry)
SPECIAL = (-9, -8, -7)
# codes for many people, so the paper's experiments leave them out
MOSTLY_CODES = (
    _count("MSinceMostRecentDelq", "months since the most recent delinquency"),
    _count("MSinceMostRecentInqexcl7days", "months since the most recent inquiry"),
    _count("NetFractionInstallBurden", "instalment balance as percentage of the loan"),
)
SCHEMAS = variants(PUBLISHED, SENSE, LAWS, german_labels.HELOC)
SCHEMA = SCHEMAS["sensible"]
EVERYBODY = variants(
    Schema(
        tuple(
            replace(feature, missing=SPECIAL, when_missing="keep")
            for feature in (*PUBLISHED, *MOSTLY_CODES)
        ),
        PUBLISHED.relations,
    ),
    SENSE,
    LAWS,
    german_labels.HELOC,
)


def heloc(
    path: str | Path | None = None,
    *,
    special: Literal["drop", "keep"] = "drop",
    variant: Variant = "sensible",
) -> Dataset:
    """HELOC as in the paper's experiments: 8,291 people without special codes, 20 inputs.

    Read from `path` (the file or its folder), else from the folder in STANDFAST_DATA, else from
    OpenML. The paper's text names 23 inputs, its experiments use these 20. Favourable means Good.
    With `special="keep"` it is all 10,459 people and 23 inputs, the codes −7, −8 and −9 being
    missing values that advice leaves alone.

    The schema says which way inputs may move and what holds between them; with
    `variant="published"` it says no more than the paper, whose inputs move either way.
    """
    if special not in ("drop", "keep"):
        raise InputError(f"special is {special!r}; it must be 'drop' or 'keep'")
    schema = chosen(SCHEMAS if special == "drop" else EVERYBODY, variant)
    raw, where = SOURCE.read(path)
    if special == "drop":
        return clean(raw, where, schema)
    table, labels = SOURCE.whole_numbers(raw, schema.names, where)
    origin = f"{SOURCE.origin(len(table))}, special codes kept"
    return Dataset(table, labels, schema, SOURCE.name, origin)


def clean(raw: pd.DataFrame, where: str, schema: Schema = SCHEMA) -> Dataset:
    """The data set from the raw table: three columns out, then everybody with a negative code.

    As in the first author's preprocessing: MSinceMostRecentDelq, MSinceMostRecentInqexcl7days and
    NetFractionInstallBurden go because they are codes for many people.
    """
    table, labels = SOURCE.whole_numbers(raw, schema.names, where)
    table = table[table.ge(0).all(axis=1)]
    if table.empty:
        raise InputError(
            f"{where} holds nobody without special codes; expected the published {SOURCE.name}"
        )
    return Dataset(table, labels.loc[table.index], schema, SOURCE.name, SOURCE.origin(len(table)))
