"""A table of people with their labels, what its columns mean, and where it comes from."""

import html
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from standfast.digests import digest, digest_of_table
from standfast.errors import InputError, listing, type_of
from standfast.schema import Schema
from standfast.schema.labels import marks_of


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """People's inputs, their labels (+1 favourable, −1 not), the schema, and the origin.

    Parameters
    ----------
    table, labels : DataFrame, Series
        One row per person, and what became of them, with the same index.
    schema : Schema
        What the columns mean.
    name : str
        What the set is called.
    origin : str
        "real", or what the table is instead ("twin of heloc, n=8000, seed=0").
        `table.attrs["origin"]` carries the same in one line, with the digest of a real set, so that
        whatever is computed from the table can say where it comes from.

    Examples
    --------
    >>> from standfast.schema import Feature
    >>> table = pd.DataFrame({"age": [31, 45, 52, 60]})
    >>> labels = pd.Series([-1, 1, 1, 1])
    >>> people = Dataset(table, labels, Schema((Feature("age", "count"),)), "four")
    >>> people
    Dataset four: 4 people, 1 input, 75.0 % favourable (real)
    >>> train, test = people.split(0.75, seed=0)
    >>> len(train), len(test)
    (3, 1)
    """

    table: pd.DataFrame
    labels: pd.Series
    schema: Schema
    name: str
    origin: str = field(default="real")

    def __post_init__(self) -> None:
        self.schema.matrix(self.table)
        names = list(self.schema.names)
        if not isinstance(self.labels, pd.Series) or not self.labels.index.equals(self.table.index):
            raise InputError(
                "the labels must be a pandas Series with the table's own index; build it with "
                "pd.Series(values, index=table.index)"
            )
        found = self.labels.unique()
        if not np.isin(found, (-1, 1)).all():
            raise InputError(
                f"the labels hold {listing(found.tolist())}; allowed are +1 (favourable) and -1"
            )
        # own copies: a caller's frame must not get our attrs, nor change under a frozen value
        table, labels = self.table[names].copy(), self.labels.astype("int64").rename("label")
        table.attrs = dict(self.table.attrs)
        labels.attrs = {}
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "labels", labels)
        if "origin" not in table.attrs:
            text = self.origin
            if not self.is_twin:
                text = f"{self.name}, {self.origin}, {self.digest[:12]}"
            table.attrs["origin"] = text

    @property
    def is_twin(self) -> bool:
        """Whether the people are drawn from a statistical twin instead of being real."""
        return self.origin.startswith("twin")

    @cached_property
    def digest(self) -> str:
        """The fingerprint of table and labels."""
        return digest([digest_of_table(self.table), self.labels.to_numpy()])

    def split(self, share: float, *, seed: int) -> "tuple[Dataset, Dataset]":
        """Two random parts, the first with `share` of the people; the same for the same seed.

        Everybody keeps their index label, and both parts keep the order of the whole.
        """
        # written so that NaN is refused too
        if isinstance(share, bool) or not 0 < share < 1:
            raise InputError(
                f"the share of a split is {share!r}; it must lie strictly between 0 and 1, e.g. 0.8"
            )
        first = round(share * len(self))
        if first in (0, len(self)):
            raise InputError(
                f"a share of {share:g} of {len(self)} people leaves one part empty; choose another "
                "share or a larger set"
            )
        order = np.random.default_rng(seed).permutation(len(self))
        return self._part(np.sort(order[:first])), self._part(np.sort(order[first:]))

    def _part(self, rows: np.ndarray) -> "Dataset":
        table = self.table.iloc[rows]
        # pandas does not promise to keep attrs; the parts must say where they come from
        table.attrs = dict(self.table.attrs)
        return Dataset(table, self.labels.iloc[rows], self.schema, self.name, self.origin)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        inputs = len(self.schema.names)
        share = float((self.labels == 1).mean())
        return (
            f"Dataset {self.name}: {len(self):,} people, {inputs} input{'s' * (inputs != 1)}, "
            f"{share:.1%}".replace("%", " %")
            + f" favourable ({self.origin})"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: one line about the set, and its first people."""
        head = self.table.head().assign(label=self.labels.head())
        return f"<p>{html.escape(repr(self))}</p>{head.to_html()}"


def labelled(table: pd.DataFrame, labels: Any, favourable: object, schema: Schema) -> Dataset:
    """A table of people and their labels in its order, one of which is the favourable one.

    Columns of the table that are no inputs are left out.

    >>> from standfast.schema import Feature
    >>> schema = Schema((Feature("age", "count"),))
    >>> labelled(pd.DataFrame({"age": [31, 45]}), ["late", "paid"], "paid", schema).labels.tolist()
    [-1, 1]
    """
    if not isinstance(table, pd.DataFrame):
        raise InputError(
            f"expected a Dataset or a table, got {type(table).__name__}; give a data set, or a "
            "pandas DataFrame with labels= and favourable="
        )
    marks = marks_of(labels, favourable, table.index)
    if marks is None:
        raise InputError("a table needs labels= and favourable=, the label that people want")
    inputs = [name for name in schema.names if name in table.columns]
    whole = pd.Series(marks, index=table.index)
    return Dataset(table[inputs], whole, schema, "people", str(table.attrs.get("origin", "real")))


def check_training(train: object) -> None:
    """Refuse training people without labels and a schema."""
    if not isinstance(train, Dataset):
        raise InputError(
            f"train is {type_of(train)}; pass a standfast.Dataset: a table with labels "
            "(+1 favourable, -1 not) and a schema"
        )
