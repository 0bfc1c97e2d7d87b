"""Give Me Some Credit: people with a credit line, and who fell 90 days behind within two years."""

from pathlib import Path

import pandas as pd

from standfast.datasets import german_labels
from standfast.datasets.dataset import Dataset
from standfast.datasets.sources import Source
from standfast.datasets.variants import Laws, Sense, Variant, chosen, variants
from standfast.errors import InputError
from standfast.schema import Feature, Schema

SOURCE = Source(
    name="give_me_some_credit",
    files=("give_me_some_credit.csv.gz", "give_me_some_credit.csv", "cs-training.csv"),
    sha256=(
        "b2d5b080b10ca9d559fa799b1ff5530fe20f5c90576c13a34c8bde981b7c6582",  # gzipped
        "1bd46da486a5708c58c7b01a034fae2a13b327f6f7b62ea7ba4fe3b5824b24ac",  # unpacked
    ),
    openml=46929,
    raw_rows=150_000,
    rows=120_269,
    # 1 is bad in the original file and Yes (distress) at OpenML
    labels={"0": 1, "1": -1, "No": 1, "Yes": -1},
    label_columns=("SeriousDlqin2yrs", "FinancialDistressNextTwoYears"),
)

LATENESS = (
    "NumberOfTime30-59DaysPastDueNotWorse",
    "NumberOfTime60-89DaysPastDueNotWorse",
    "NumberOfTimes90DaysLate",
)

# 96 and 98 in the lateness columns are codes, not counts (real counts end at 17)
FIRST_CODE = 96

# Bounds are declared only where every cleaned row obeys them (one person is 0 years old). That
# nobody can be below 0 follows from the kinds.
PUBLISHED = Schema(
    (
        Feature(
            "RevolvingUtilizationOfUnsecuredLines",
            "positive",
            lower=0,
            step=0.001,
            label="utilisation of unsecured credit lines",
        ),
        Feature("age", "count", mutable=False, lower=0, label="age"),
        Feature(LATENESS[0], "count", lower=0, label="times 30 to 59 days late"),
        Feature("DebtRatio", "positive", direction="down", lower=0, step=0.001, label="debt ratio"),
        Feature("MonthlyIncome", "positive", lower=0, step=1, label="monthly income"),
        Feature(
            "NumberOfOpenCreditLinesAndLoans",
            "count",
            lower=0,
            label="open credit lines and loans",
        ),
        Feature(LATENESS[2], "count", lower=0, label="times 90 days late or more"),
        Feature(
            "NumberRealEstateLoansOrLines",
            "count",
            lower=0,
            label="real estate loans or lines",
        ),
        Feature(LATENESS[1], "count", lower=0, label="times 60 to 89 days late"),
        Feature("NumberOfDependents", "count", mutable=False, lower=0, label="dependents"),
    )
)

DOWN, FIXED = {"direction": "down"}, {"mutable": False}
SENSE: Sense = {
    "RevolvingUtilizationOfUnsecuredLines": (
        {"direction": "down", "step": 0.01},
        "debt is paid back; in hundredths",
    ),
    "age": (FIXED, "nobody acts on it"),
    LATENESS[0]: (DOWN, "counts the last two years: falls as delays get older"),
    "DebtRatio": ({"direction": "down", "step": 0.01}, "debt is paid back; in hundredths"),
    "MonthlyIncome": ({"direction": "up", "step": 50}, "nobody is asked to earn less; in 50s"),
    "NumberOfOpenCreditLinesAndLoans": ({}, "either way: few lines and many go with distress"),
    LATENESS[2]: (FIXED, "counts delays without an end: what was ever late stays on file"),
    "NumberRealEstateLoansOrLines": ({}, "either way: none and many go with distress"),
    LATENESS[1]: (DOWN, "counts the last two years: falls as delays get older"),
    "NumberOfDependents": (FIXED, "nobody is advised on it"),
}
# Nobody breaks it. That there are orders between the three counts of delays only seems so: each
# counts delays that were no worse.
LAWS: Laws = {
    "relations": {
        "NumberRealEstateLoansOrLines <= NumberOfOpenCreditLinesAndLoans": (
            "the one is a part of the other"
        )
    }
}
SCHEMAS = variants(PUBLISHED, SENSE, LAWS, german_labels.GIVE_ME_SOME_CREDIT)
SCHEMA = SCHEMAS["sensible"]

# the raw file leaves these empty for some people, and only these
GAPS = ["MonthlyIncome", "NumberOfDependents"]


def give_me_some_credit(
    path: str | Path | None = None, *, keep_codes: bool = True, variant: Variant = "sensible"
) -> Dataset:
    """Give Me Some Credit as in the paper: 120,269 people without gaps, 10 inputs.

    Read from `path` (the file or its folder), else from the folder in STANDFAST_DATA, else from
    OpenML. `keep_codes=False` drops the 148 people whose lateness counts are the codes 96 or 98,
    which the paper keeps. Favourable means: not 90 days behind within two years.

    The schema says which way inputs may move and in which steps; with `variant="published"` it
    says no more than the paper.
    """
    schema = chosen(SCHEMAS, variant)
    raw, where = SOURCE.read(path)
    return clean(raw, where, keep_codes=keep_codes, schema=schema)


def clean(
    raw: pd.DataFrame, where: str, *, keep_codes: bool = True, schema: Schema = SCHEMA
) -> Dataset:
    """The data set from the raw table, in Kaggle's or OpenML's spelling."""
    # both sources list the people in the same order; Kaggle counts its rows from 1
    raw = raw.set_axis(pd.RangeIndex(1, len(raw) + 1), axis=0)
    real = [f.name for f in schema if f.kind == "positive"]
    whole = [f.name for f in schema if f.kind == "count"]
    labels = SOURCE.label(raw, where)
    table = SOURCE.inputs(raw, whole, real, where)
    SOURCE.check_gaps(table.drop(columns=GAPS), where)
    table = table[list(schema.names)].dropna()
    if table.empty:
        raise InputError(f"{where} holds nobody without gaps; expected the published {SOURCE.name}")
    table = table.astype(dict.fromkeys(whole, "int64"))
    origin = SOURCE.origin(len(table))
    if not keep_codes:
        table = table[table[list(LATENESS)].lt(FIRST_CODE).all(axis=1)]
        origin += ", codes dropped"
    return Dataset(table, labels.loc[table.index], schema, SOURCE.name, origin)
