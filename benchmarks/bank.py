"""A bank's table drawn at random: ten inputs with names, seven numbers, and gaps."""

import numpy as np
import pandas as pd

import standfast as sf

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
JOBS = ("admin", "entrepreneur", "housemaid", "manager", "manual", "retired", "self-employed")
NAMED = {
    "job": (*JOBS, "services", "student", "technician", "unemployed"),
    "marital": ("single", "married", "divorced"),
    "housing": ("own", "rent", "family"),
    "loan": ("no", "yes"),
    "contact": ("mobile", "landline", "none"),
    "month": MONTHS,
    "purpose": ("car", "furniture", "education", "business", "repairs", "travel"),
    "region": ("north", "south", "east", "west", "centre"),
    "channel": ("branch", "broker", "online"),
    "education": ("primary", "secondary", "tertiary", "doctorate"),
}
NUMBERS = (
    sf.Feature("age", "count", mutable=False),
    sf.Feature("income", "positive", step=10, when_missing="fill"),
    sf.Feature("balance", step=1),
    sf.Feature("amount", "positive", step=100),
    sf.Feature("duration", "count"),
    sf.Feature("enquiries", "count"),
    sf.Feature("tenure", "count", direction="up", when_missing="keep"),
)
GAPS = {"income": 0.05, "tenure": 0.1, "contact": 0.05, "education": 0.08}


def schema() -> sf.Schema:
    """What may change: all but age and marital status; education only rises."""
    nominal = [
        sf.Feature(name, "nominal", name != "marital", categories=names, when_missing=_when(name))
        for name, names in NAMED.items()
        if name != "education"
    ]
    grade = {"categories": NAMED["education"], "when_missing": "keep"}
    return sf.Schema((*NUMBERS, *nominal, sf.Feature("education", "ordinal", True, "up", **grade)))


def _when(name: str) -> str:
    return "fill" if name in GAPS else "refuse"


def people(n: int, *, seed: int = 0, gaps: bool = True) -> tuple[pd.DataFrame, "pd.Series[int]"]:
    """So many people and whether they paid back, 1 or −1."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 3))
    table = pd.DataFrame(
        {
            "age": np.clip(40 + 12 * z[:, 0] + rng.normal(0, 4, n), 18, 90).round().astype(int),
            "income": np.exp(7.6 + 0.4 * z[:, 1] + rng.normal(0, 0.3, n)).round(-1),
            "balance": (np.exp(7 + 0.8 * z[:, 1] + rng.normal(0, 0.6, n)) - 600).round(),
            "amount": np.exp(8.5 + 0.5 * z[:, 2] + rng.normal(0, 0.4, n)).round(-2),
            "duration": np.clip(rng.gamma(4, 8, n) + 6 * z[:, 2], 3, 96).round().astype(int),
            "enquiries": rng.poisson(np.exp(0.3 - 0.5 * z[:, 1])),
            "tenure": np.clip(rng.gamma(2, 30, n) + 10 * z[:, 0], 0, 400).round(),
        }
    )
    logit = 0.3 * z[:, 0] + 0.9 * z[:, 1] - 0.7 * z[:, 2] - 0.25 * table["enquiries"]
    logit += 0.004 * table["tenure"].clip(upper=100) - 0.02 * (table["duration"] - 30)
    for name, names in NAMED.items():
        alone, together = rng.normal(0, 0.5, len(names)), rng.normal(0, 0.3, len(names))
        code = rng.choice(len(names), n, p=rng.dirichlet(np.full(len(names), 3.0)))
        logit += alone[code] + together[code] * z[:, 1]
        table[name] = np.array(names, dtype=object)[code]
    paid = logit - logit.median() + rng.logistic(0, 0.7, n) > 0
    for name, share in GAPS.items() if gaps else ():
        table.loc[rng.random(n) < share, name] = None if name in NAMED else np.nan
    return table, pd.Series(np.where(paid, 1, -1), name="label")
