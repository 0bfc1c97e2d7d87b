"""German credit with all its columns: categories by their names, in the corrected code table."""

from dataclasses import dataclass

from standfast.schema import Direction, Feature, Schema


@dataclass(frozen=True)
class Named:
    """A column of codes: each code's name, `ordered` from the lowest to the highest or in no order.

    `unknown` is the name of the code that also stands for "not known".
    """

    name: str
    names: dict[str, str]
    label: str
    ordered: bool = False
    mutable: bool = True
    direction: Direction = "any"
    unknown: str | None = None

    @property
    def feature(self) -> Feature:
        """The input; whoever is unknown may tell."""
        categories = tuple(name for name in self.names.values() if name != self.unknown)
        return Feature(
            self.name,
            "ordinal" if self.ordered else "nominal",
            self.mutable,
            self.direction,
            label=self.label,
            categories=categories,
            missing=() if self.unknown is None else (self.unknown,),
            when_missing="refuse" if self.unknown is None else "fill",
        )


COLUMNS = (
    Named(
        "status",
        {"1": "none", "2": "below 0 DM", "3": "below 200 DM", "4": "200 DM or more, or salary"},
        "checking account",
        ordered=True,
    ),
    Named(
        "credit_history",
        {
            "0": "delays in the past",
            "1": "critical account",
            "2": "none, or all paid back",
            "3": "paid back duly till now",
            "4": "all at this bank paid back",
        },
        "credit history",
        mutable=False,
    ),
    Named(
        "purpose",
        {
            "0": "others",
            "1": "new car",
            "2": "used car",
            "3": "furniture",
            "4": "radio or television",
            "5": "domestic appliances",
            "6": "repairs",
            "7": "education",
            "8": "vacation",
            "9": "retraining",
            "10": "business",
        },
        "purpose",
    ),
    Named(
        "savings",
        {
            "1": "unknown or none",
            "2": "below 100 DM",
            "3": "below 500 DM",
            "4": "below 1,000 DM",
            "5": "1,000 DM or more",
        },
        "savings",
        ordered=True,
        unknown="unknown or none",
    ),
    Named(
        "employment_duration",
        {
            "1": "unemployed",
            "2": "below 1 year",
            "3": "below 4 years",
            "4": "below 7 years",
            "5": "7 years or more",
        },
        "time in the present job",
        ordered=True,
        direction="up",
    ),
    Named(
        "installment_rate",
        {"4": "below 20 %", "3": "below 25 %", "2": "below 35 %", "1": "35 % or more"},
        "instalment as share of income",
        ordered=True,
    ),
    Named(
        "personal_status_sex",
        {
            "1": "man, divorced or separated",
            "2": "woman, not single, or man, single",
            "3": "man, married or widowed",
            "4": "woman, single",
        },
        "sex and marital status",
        mutable=False,
    ),
    Named(
        "other_debtors",
        {"1": "none", "2": "co-applicant", "3": "guarantor"},
        "other debtors",
    ),
    Named(
        "present_residence",
        {"1": "below 1 year", "2": "below 4 years", "3": "below 7 years", "4": "7 years or more"},
        "time at the present address",
        ordered=True,
        direction="up",
    ),
    Named(
        "property",
        {
            "1": "unknown or none",
            "2": "car or other",
            "3": "building society savings or life insurance",
            "4": "real estate",
        },
        "most valuable property",
        ordered=True,
        unknown="unknown or none",
    ),
    Named(
        "other_installment_plans",
        {"1": "bank", "2": "stores", "3": "none"},
        "instalments paid elsewhere",
    ),
    Named("housing", {"1": "for free", "2": "rent", "3": "own"}, "housing"),
    Named(
        "number_credits",
        {"1": "1", "2": "2 or 3", "3": "4 or 5", "4": "6 or more"},
        "credits at this bank",
        ordered=True,
        mutable=False,
    ),
    Named(
        "job",
        {
            "1": "unskilled, not resident",
            "2": "unskilled, resident",
            "3": "skilled",
            "4": "manager, self-employed or highly qualified",
        },
        "job",
        ordered=True,
        direction="up",
    ),
    Named(
        "people_liable",
        {"2": "0 to 2", "1": "3 or more"},
        "dependents",
        ordered=True,
        mutable=False,
    ),
    Named("telephone", {"1": "no", "2": "yes"}, "telephone in own name"),
    Named("foreign_worker", {"1": "yes", "2": "no"}, "foreign worker", mutable=False),
)

SCHEMA = Schema(
    (
        Feature("duration", "count", label="months to repay"),
        Feature("amount", "positive", step=1, label="loan in DM"),
        Feature("age", "count", mutable=False, label="age"),
        *(column.feature for column in COLUMNS),
    )
)
