"""SBA case: loans to small businesses backed by a US agency, and who could not repay."""

from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from standfast.datasets.dataset import Dataset
from standfast.datasets.sources import Source
from standfast.errors import InputError, listing
from standfast.schema import Feature, Schema

Period = Literal["to 2005", "after 2005"]
LAST_YEAR = 2005  # of the earlier period, by the fiscal year of approval

SOURCE = Source(
    name="sba_case",
    files=("sba_case.csv",),
    sha256=("837da564b6508ac9afcc72d7db8adf886bbf211584482642d29bd0d23a80ac01",),
    openml=None,
    raw_rows=2_102,
    rows=2_102,
    labels={"0": 1, "1": -1},
    label_columns=("Default",),
)

# Inputs are what is known when a business applies. Left out are
# - what gives the outcome away: ChgOffPrinGr, ChgOffDate, BalanceGross, MIS_Status, xx;
# - Term, and RealEstate, Recession and daysterm made from it: a failed loan's term is not the one
#   that was agreed (94 % of the repaid loans run for whole years, 8 % of the failed ones);
# - what happens after approval: DisbursementDate, DisbursementGross;
# - what gives the year away because it was not always recorded: CreateJob and RetainedJob (all
#   but 0 before 1999), UrbanRural (0, unknown, before 1999), LowDoc (no Yes after 2005);
# - SBA_Appv, the guaranteed amount: next to the loan's it says little of its own (a linear model
#   would play the one against the other). Portion, their ratio, is what programmes differ in.
# Bounds are left to the reference table where the two periods end elsewhere.
SCHEMA = Schema(
    (
        Feature("GrAppv", "positive", step=100, label="loan in dollars"),
        Feature(
            "Portion",
            "real",
            upper=1,
            step=0.01,
            label="guaranteed share of the loan",
            valid=(0, 1),
        ),
        Feature("NoEmp", "count", lower=0, label="employees"),
        Feature("Revolving", "binary", label="revolving line of credit"),
        Feature("BankInState", "binary", label="bank in the business's own state"),
        Feature("New", "binary", mutable=False, label="business of at most two years"),
        Feature("Franchise", "binary", mutable=False, label="franchise"),
        Feature("Rental", "binary", mutable=False, label="rents or leases goods"),
    )
)


def sba_case(path: str | Path | None = None, *, period: Period = "to 2005") -> Dataset:
    """Loans to small businesses backed by the SBA: 1,159 approved to 2005, 943 after; 8 inputs.

    The teaching set of Li, Mickel and Taylor (2018): real estate, rental and leasing in California.
    Read from `path` (the file or its folder), else from the folder in STANDFAST_DATA. `period` is
    "to 2005" or "after 2005", by fiscal year of approval: a model of the one meets the other as a
    lender's model meets the years to come, here a crisis (16 % of the earlier loans failed, 53 % of
    the later ones). Favourable means repaid. Inputs are what is known at application.
    """
    if period not in get_args(Period):
        raise InputError(f"the period is {period!r}; there are {listing(get_args(Period))}")
    raw, where = SOURCE.read(path)
    return clean(raw, where, period=period)


def sba_case_by_year(path: str | Path | None = None) -> "tuple[Dataset, pd.Series[int]]":
    """All 2,102 loans of the set, and the fiscal year in which each was approved (1989 to 2012)."""
    raw, where = SOURCE.read(path)
    table, labels, years = _loans(raw, where)
    return Dataset(table, labels, SCHEMA, SOURCE.name, SOURCE.origin(len(table))), years


def clean(raw: pd.DataFrame, where: str, *, period: Period = "to 2005") -> Dataset:
    """The data set from the raw table: codes as yes or no, and one period's loans."""
    table, labels, years = _loans(raw, where)
    early = years <= LAST_YEAR
    chosen = early if period == "to 2005" else ~early
    if not chosen.any():
        raise InputError(
            f"{where} holds no loan approved {period}; expected the published {SOURCE.name}"
        )
    origin = f"{SOURCE.origin(len(table))}, approved {period}"
    return Dataset(table[chosen], labels[chosen], SCHEMA, SOURCE.name, origin)


def _loans(raw: pd.DataFrame, where: str) -> "tuple[pd.DataFrame, pd.Series[int], pd.Series[int]]":
    """Every loan's inputs, label and fiscal year of approval."""
    raw = raw.reset_index(drop=True)
    labels = SOURCE.label(raw, where)
    whole = ["GrAppv", "NoEmp", "New", "FranchiseCode", "NAICS", "ApprovalFY"]
    numbers = SOURCE.inputs(raw, whole, ["Portion"], where)
    SOURCE.check_gaps(numbers, where)
    numbers = numbers.astype(dict.fromkeys(whole, "int64"))
    words = SOURCE.words(raw, ("RevLineCr", "BankState", "State"), where)
    table = numbers[["GrAppv", "Portion", "NoEmp"]].assign(
        # only Y is a documented yes; 0, the commonest code, is no: none of those 729 loans drew
        # more than was approved, as most revolving lines do
        Revolving=(words["RevLineCr"] == "Y").astype("int64"),
        BankInState=(words["BankState"] == words["State"]).astype("int64"),
        New=numbers["New"],
        Franchise=(numbers["FranchiseCode"] > 1).astype("int64"),  # 0 and 1 both say none
        Rental=(numbers["NAICS"] // 1000 != 531).astype("int64"),  # 532 and 533; 531: real estate
    )
    return table, labels, numbers["ApprovalFY"]
