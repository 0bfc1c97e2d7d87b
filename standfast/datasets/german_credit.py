"""German credit: contracts of a bank in the 1970s, as first published and as later corrected."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import pandas as pd

from standfast.datasets.dataset import Dataset
from standfast.datasets.german_credit_named import COLUMNS
from standfast.datasets.german_credit_named import SCHEMA as NAMED
from standfast.datasets.sources import Source
from standfast.errors import InputError, listing
from standfast.schema import Direction, Feature, Kind, Schema

Release = Literal["statlog", "corrected"]

STATLOG = Source(
    name="german_credit",
    files=("german_credit_statlog.csv",),
    sha256=("39bfc4c58acc6353dff13c11b0469364c2b0992f629ec49a60aa6283d24beaa8",),
    openml=None,  # OpenML has this one under other names and codes, and the corrected one not
    raw_rows=1_000,
    rows=1_000,
    labels={"1": 1, "2": -1},
    label_columns=("class",),
)
CORRECTED = Source(
    name="german_credit",
    files=("south_german_credit.csv",),
    sha256=("a4e28e9ca9e250ca619b052f73bf63c1f4ab9c8e883a2b944f68251ed55a02f3",),
    openml=None,
    raw_rows=1_000,
    rows=1_000,
    labels={"1": 1, "0": -1},
    label_columns=("credit_risk",),
)
SOURCES: Mapping[Release, Source] = {"statlog": STATLOG, "corrected": CORRECTED}


@dataclass(frozen=True)
class Scale:
    """An input made of a code: its levels from 0 up, each the codes that mean it in a release."""

    name: str
    column: str
    statlog: str
    corrected: str
    label: str
    mutable: bool = True
    direction: Direction = "any"

    def levels(self, release: Release) -> dict[str, int]:
        """The level of every code."""
        text = self.statlog if release == "statlog" else self.corrected
        return {code: k for k, codes in enumerate(text.split("|")) for code in codes.split()}

    @property
    def feature(self) -> Feature:
        """The input; its bounds are the scale's ends, beyond which nobody can be either."""
        top = max(self.levels("corrected").values())
        kind: Kind = "binary" if top == 1 else "ordinal"
        return Feature(
            self.name,
            kind,
            self.mutable,
            self.direction,
            0,
            top,
            label=self.label,
            valid=None if kind == "binary" else (0, top),
        )


# The two releases carry the same codes (matched by duration, amount and age, A11 is 1, A12 is 2, …)
# and different tables of what they mean. So the same contract has another level where the tables
# differ; the comments give the levels.
DIFFERENT = (
    # none; below 0; below 200; 200 DM and more, or a salary account
    Scale("checking", "status", "A14|A11|A12|A13", "1|2|3|4", "balance of the checking account"),
    # none or unknown; below 100; below 500; below 1,000; 1,000 DM and more
    Scale("savings", "savings", "A65|A61|A62|A63|A64", "1|2|3|4|5", "savings"),
    # no; yes: a delay in the past, or a critical account
    Scale(
        "trouble",
        "credit_history",
        "A30 A31 A32|A33 A34",
        "2 3 4|0 1",
        "past trouble with credit",
        mutable=False,
    ),
    # below 20; below 25; below 35; 35 % of the income and more (Statlog: a number, 1 to 4)
    Scale("burden", "installment_rate", "1|2|3|4", "4|3|2|1", "instalment as share of income"),
    # none or unknown; car or other; building society savings or life insurance; real estate
    Scale("property", "property", "A124|A123|A122|A121", "1|2|3|4", "most valuable property"),
    # no: rents, or lives for free; yes
    Scale("owner", "housing", "A151 A153|A152", "1 2|3", "owns the home"),
)
ALIKE = (
    # unemployed; below 1; below 4; below 7; 7 years and more
    Scale(
        "employment",
        "employment_duration",
        "A71|A72|A73|A74|A75",
        "1|2|3|4|5",
        "time in the present job",
        direction="up",
    ),
    # below 1; below 4; below 7; 7 years and more (Statlog: a number)
    Scale(
        "residence",
        "present_residence",
        "1|2|3|4",
        "1|2|3|4",
        "time at the present address",
        direction="up",
    ),
    # 1; 2 or 3; 4 or 5; 6 and more (Statlog: a number)
    Scale("credits", "number_credits", "1|2|3|4", "1|2|3|4", "credits at this bank", mutable=False),
    # unskilled, non-resident; unskilled; skilled; manager, self-employed or highly qualified
    Scale("job", "job", "A171|A172|A173|A174", "1|2|3|4", "qualification", direction="up"),
    # few: 0 to 2; many (Statlog: the numbers 1 and 2)
    Scale("dependents", "people_liable", "1|2", "2|1", "three dependents or more", mutable=False),
    # no: none, or a co-applicant; yes
    Scale(
        "guarantor", "other_debtors", "A101 A102|A103", "1 2|3", "has a guarantor", direction="up"
    ),
    # none; with a bank or a store
    Scale(
        "elsewhere",
        "other_installment_plans",
        "A143|A141 A142",
        "3|1 2",
        "pays instalments elsewhere",
        direction="down",
    ),
    Scale("telephone", "telephone", "A191|A192", "1|2", "telephone in own name", direction="up"),
)
SCALES = DIFFERENT + ALIKE
NUMBERS = ("duration", "amount", "age")

SCHEMA = Schema(
    (
        Feature("duration", "count", label="months to repay"),
        Feature("amount", "positive", step=1, label="loan in DM"),
        Feature("age", "count", mutable=False, label="age"),
        *(scale.feature for scale in SCALES),
    )
)


def german_credit(
    path: str | Path | None = None, *, release: Release = "statlog", named: bool = False
) -> Dataset:
    """German credit, 1,000 contracts and 17 inputs, as first published or as corrected in 2019.

    `release="statlog"` is the well-known file, `"corrected"` Grömping's South German credit: the
    same contracts in another order. Read from `path` (the file or its folder), else from the folder
    in STANDFAST_DATA. Favourable means repaid; bad contracts are oversampled to 30 %.

    The correction is about what the codes mean: checking, savings, trouble, burden, property and
    owner say something else about the same person (4 in 10 had no checking account, it was said;
    they are those with the fullest). In the other inputs the releases agree, but for slips in 43
    rows: instalments elsewhere in 33, an age or an amount in 10. Left out: purpose, which has no
    order; sex with marital status, and being a foreign worker, which must not decide.

    `named=True`, for the corrected release, gives all 20 columns instead, their categories by name:
    text, as a bank's table has it. Savings and property that are unknown are missing values.
    """
    if release not in get_args(Release):
        raise InputError(f"the release is {release!r}; there are {listing(get_args(Release))}")
    if named and release != "corrected":
        raise InputError(
            "the names of the categories are those of the corrected release; call "
            "german_credit(release='corrected', named=True)"
        )
    raw, where = SOURCES[release].read(path)
    return clean(raw, where, release=release, named=named)


def clean(
    raw: pd.DataFrame, where: str, *, release: Release = "statlog", named: bool = False
) -> Dataset:
    """The data set from the raw table: every code as a level of its scale, or by its name."""
    source = SOURCES[release]
    table, labels = source.whole_numbers(raw, NUMBERS, where)
    meanings: dict[str, tuple[str, Mapping[str, Any]]] = {
        scale.name: (scale.column, scale.levels(release)) for scale in SCALES
    }
    if named:
        meanings = {column.name: (column.name, column.names) for column in COLUMNS}
    columns = [column for column, _ in meanings.values()]
    words = source.words(raw.reset_index(drop=True), columns, where)
    for name, (column, meaning) in meanings.items():
        unknown = sorted(set(words[column]) - set(meaning))
        if unknown:
            raise InputError(
                f"column '{column}' of {where} holds {listing(unknown)}; expected "
                f"{listing(sorted(meaning))} as in the {release} release"
            )
        table[name] = words[column].map(meaning)
    origin = f"{source.origin(len(table))}, {release} release"
    if named:
        return Dataset(table, labels, NAMED, source.name, f"{origin}, all columns by name")
    return Dataset(table.astype("int64"), labels, SCHEMA, source.name, origin)
