"""HELOC: applicants for a home equity line of credit, and who repaid as agreed."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pandas as pd

from standfast.datasets.dataset import Dataset
from standfast.datasets.sources import Source
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
SCHEMA = Schema(
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


# no record; no usable trades or inquiries; nothing of the kind (no delinquency, no inquiry)
SPECIAL = (-9, -8, -7)
# codes for many people, so the paper's experiments leave them out
MOSTLY_CODES = (
    _count("MSinceMostRecentDelq", "months since the most recent delinquency"),
    _count("MSinceMostRecentInqexcl7days", "months since the most recent inquiry"),
    _count("NetFractionInstallBurden", "instalment balance as percentage of the loan"),
)
EVERYBODY = Schema(
    tuple(
        replace(feature, missing=SPECIAL, when_missing="keep")
        for feature in (*SCHEMA, *MOSTLY_CODES)
    ),
    SCHEMA.relations,
)


def heloc(path: str | Path | None = None, *, special: Literal["drop", "keep"] = "drop") -> Dataset:
    """HELOC as in the paper's experiments: 8,291 people without special codes, 20 inputs.

    Read from `path` (the file or its folder), else from the folder in STANDFAST_DATA, else from
    OpenML. The paper's text names 23 inputs, its experiments use these 20. Favourable means Good.
    With `special="keep"` it is all 10,459 people and 23 inputs, the codes −7, −8 and −9 being
    missing values that advice leaves alone.
    """
    if special not in ("drop", "keep"):
        raise InputError(f"special is {special!r}; special codes are 'drop'ped or 'keep't")
    raw, where = SOURCE.read(path)
    return clean(raw, where) if special == "drop" else with_codes(raw, where)


def with_codes(raw: pd.DataFrame, where: str) -> Dataset:
    """The data set from the raw table, everybody in it."""
    raw = raw.reset_index(drop=True)
    labels = SOURCE.label(raw, where)
    table = SOURCE.inputs(raw, EVERYBODY.names, (), where)
    SOURCE.check_gaps(table, where)
    table = table[list(EVERYBODY.names)].astype("int64")
    origin = f"{SOURCE.origin(len(table))}, special codes kept"
    return Dataset(table, labels, EVERYBODY, SOURCE.name, origin)


def clean(raw: pd.DataFrame, where: str) -> Dataset:
    """The data set from the raw table: three columns out, then everybody with a negative code.

    As in the first author's preprocessing: MSinceMostRecentDelq, MSinceMostRecentInqexcl7days and
    NetFractionInstallBurden go because they are codes for many people.
    """
    raw = raw.reset_index(drop=True)
    labels = SOURCE.label(raw, where)
    table = SOURCE.inputs(raw, SCHEMA.names, (), where)
    SOURCE.check_gaps(table, where)
    table = table[list(SCHEMA.names)].astype("int64")
    table = table[table.ge(0).all(axis=1)]
    if table.empty:
        raise InputError(
            f"{where} holds nobody without special codes; expected the published {SOURCE.name}"
        )
    return Dataset(table, labels.loc[table.index], SCHEMA, SOURCE.name, SOURCE.origin(len(table)))
