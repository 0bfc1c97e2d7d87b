"""The people of a study: real sets, twins, and how many of them are taken."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from standfast import datasets
from standfast.datasets import Dataset
from standfast.datasets.catalogue import SOURCES
from standfast.datasets.sba_case import sba_case_by_year
from standfast.datasets.twin import SCHEMAS
from standfast.datasets.variants import USUAL, Variant
from standfast.errors import InputError

REAL: Mapping[str, Callable[..., Dataset]] = {
    "give_me_some_credit": datasets.give_me_some_credit,
    "heloc": datasets.heloc,
    "sba_case": datasets.sba_case,
    "german_credit": datasets.german_credit,
}
WITH_VARIANTS = ("give_me_some_credit", "heloc")
LATER: Mapping[str, Callable[[], Dataset]] = {
    "sba_case": partial(datasets.sba_case, period="after 2005"),
    "german_credit": partial(datasets.german_credit, release="corrected"),
}


@dataclass(frozen=True, eq=False)
class Dated:
    """People with the year each of them belongs to."""

    data: Dataset
    year: "pd.Series[int]"


TWINS = tuple(f"twin:{name}" for name in SCHEMAS)


def named(name: str, rows: int | None, seed: int, variant: Variant = USUAL) -> Dataset:
    """A data set by name: a real one, or the twin of one, of at most so many people.

    `variant` is that of the schema, of sets that have several.

    >>> named("twin:heloc", 100, seed=0)
    Dataset heloc: 100 people, 20 inputs, 52.0 % favourable (twin of heloc, n=100, seed=0)
    """
    if name in REAL:
        choice = {"variant": variant} if name in WITH_VARIANTS else {}
        return at_most(REAL[name](**choice), rows, seed)
    if name not in TWINS:
        known = ", ".join((*TWINS, *REAL))
        raise InputError(f"there is no data set {name!r}; there are {known}, or name a file")
    real = next(source for source in SOURCES if source.name == name.removeprefix("twin:"))
    return datasets.twin(real.name, n=rows or real.rows, seed=seed, variant=variant)


def later_of(name: str, rows: int | None, seed: int) -> Dataset | None:
    """The later people of a data set by name, at most so many; None where there are none."""
    return at_most(LATER[name](), rows, seed) if name in LATER else None


def dated_of(name: str) -> Dated | None:
    """The people of a data set with their years, where they have any; None where not."""
    return Dated(*sba_case_by_year()) if name == "sba_case" else None


def at_most(data: Dataset, rows: int | None, seed: int) -> Dataset:
    """The data set, or so many of its people drawn at random, which its origin then says."""
    if rows is None or len(data) <= rows:
        return data
    chosen = np.sort(np.random.default_rng(seed).permutation(len(data))[:rows])
    table = data.table.iloc[chosen]
    origin = f"{data.origin}, {rows:,} of {len(data):,} people"
    table.attrs = {}
    return Dataset(table, data.labels.iloc[chosen], data.schema, data.name, origin)
