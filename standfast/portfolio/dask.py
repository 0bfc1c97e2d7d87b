"""Portfolios on Dask: the partitions of a DataFrame, each advised where it is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import pandas as pd
import pyarrow as pa

from standfast.errors import InputError
from standfast.methods import Advisor
from standfast.portfolio.block import Asked, Request
from standfast.portfolio.shipping import Shipped, check_columns, label_type, ship

LABELS = "person"


def run(
    advisor: Advisor | Path | str,
    people: Any,
    *,
    trust: Sequence[str] = (),
    at: str | None = None,
    **asked: Unpack[Asked],
) -> Any:
    """Everybody's advice as a Dask DataFrame, lazily, in the partitions of the people.

    The columns, types and rows are those of `portfolio.run`. People are labelled by the column
    `index`, or by the DataFrame's own index. The advisor travels with the tasks as the bytes of its
    folder; where that is large, copy the folder to all machines and say where they find it: `at`.
    Whether labels are all different is not checked, for that needs everybody at once.
    """
    try:
        from dask.delayed import delayed
    except ImportError as error:
        raise InputError("Dask is not installed; run pip install 'standfast[dask]'") from error

    request = Request.of(asked)
    if not hasattr(people, "map_partitions"):
        raise InputError(
            f"the people are a {type(people).__name__}; give a Dask DataFrame, such as "
            "dask.dataframe.read_parquet(folder)"
        )
    shipped, block = ship(advisor, request, trust, at)
    columns = check_columns(people.columns, block)
    example = _table(people._meta_nonempty, columns, request)
    label = label_type(example[request.index or LABELS].type)
    meta = block.schema(label).empty_table().to_pandas(types_mapper=pd.ArrowDtype)
    name = f"standfast-advisor-{shipped.identity[:16]}"
    travelling = delayed(shipped, name=name, traverse=False)
    return people.map_partitions(
        advise_partition, travelling, columns, meta=meta, clear_divisions=True
    )


def advise_partition(people: pd.DataFrame, shipped: Shipped, columns: list[str]) -> pd.DataFrame:
    """One partition's advice, in Arrow's types, which do not depend on the partition."""
    found = shipped.advised(_table(people, columns, shipped.request))
    frame: pd.DataFrame = found.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def _table(people: pd.DataFrame, columns: list[str], request: Request) -> pa.Table:
    table = pa.Table.from_pandas(people[columns], preserve_index=False)
    if request.index is None:
        labels = pa.Array.from_pandas(people.index.to_series())
        table = table.append_column(LABELS, labels)
    return table.replace_schema_metadata(None)
