"""Portfolios on Spark: the rows of a DataFrame in Arrow batches, advised on the executors."""

import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa

from standfast.errors import InputError
from standfast.methods import Advisor
from standfast.portfolio.block import Asked, Request
from standfast.portfolio.shipping import Shipped, check_columns, label_type, ship


def run(
    advisor: Advisor | Path | str,
    people: Any,
    *,
    trust: Sequence[str] = (),
    at: str | None = None,
    **asked: Unpack[Asked],
) -> Any:
    """Everybody's advice as a Spark DataFrame, lazily, in the partitions of the people.

    The columns, types and rows are those of `portfolio.run`. `index` must name the column that
    labels people, for rows have no order in Spark. The advisor travels with the tasks as the bytes
    of its folder; where that is large, ship the folder (`--archives advisor.zip#advisor` on YARN, a
    volume on Databricks) and say where executors find it: `at`. Executors need standfast installed.
    Whether labels are all different is not checked, for that needs everybody at once.
    """
    try:
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type
    except ImportError as error:
        raise InputError("Spark is not installed; run pip install 'standfast[spark]'") from error

    request = Request.of(asked)
    if not hasattr(people, "mapInArrow"):
        raise InputError(
            f"the people are a {type(people).__name__}; give a Spark DataFrame, such as "
            "spark.read.parquet(folder)"
        )
    if request.index is None:
        raise InputError(
            "rows have no order in Spark, so people need labels; name their column: index='id'"
        )
    shipped, block = ship(advisor, request, trust, at)
    columns = check_columns(people.columns, block)
    label = label_type(to_arrow_type(people.schema[request.index].dataType))
    given = people.select(*(f"`{name.replace('`', '``')}`" for name in columns))

    def advise(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        _prepare(shipped)
        for batch in batches:
            yield from shipped.advised(pa.Table.from_batches([batch])).to_batches()

    return given.mapInArrow(advise, from_arrow_schema(block.schema(label)))


def _prepare(shipped: Shipped) -> None:
    """Make the advisor of this Python worker ready, at its first task.

    Spark collects garbage after every task. What is loaded by now is none and stays, and to look
    through it would take as long as to advise two hundred people.
    """
    if not shipped.ready:
        shipped.block().warm()
        gc.collect()
        gc.freeze()
