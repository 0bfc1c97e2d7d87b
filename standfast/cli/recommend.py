"""standfast recommend: what each declined person should change."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from standfast.cli import tables
from standfast.cli.console import STOPPED, progress_bar, say, stoppable, undisturbed
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.methods import Method
    from standfast.percentiles import Percentiles
    from standfast.recommendations import Recommendations
    from standfast.schema import Schema

SHOWN = 5  # people whose advice the summary repeats


class MethodName(StrEnum):
    """The methods by the names they have on the command line."""

    GROWING_SPHERES = "growing-spheres"
    GROWING_SPHERES_AS_PUBLISHED = "growing-spheres-as-published"


class CostName(StrEnum):
    """The costs by the names they have on the command line."""

    TOTAL = "total"
    MAX = "max"
    LOG = "log"


def _file(option: str, text: str) -> Any:
    return typer.Option(option, help=text, metavar="FILE", show_default=False)


INPUT, SEARCH = "What goes in", "How to search"


def run(
    schema: Annotated[Path, _file("--schema", "What the columns mean and who may move them (TOML).")],
    table: Annotated[
        Path, _file("--table", "The reference table that costs are measured in, such as the one the model was trained on.")
    ],
    model: Annotated[
        Path, _file("--model", "The fitted model: .skops, XGBoost's .json or .ubj, LightGBM's .txt or .lgb.")
    ],
    people: Annotated[Path, _file("--people", "The people to advise; may be the reference table.")],
    favourable: Annotated[
        str, typer.Option("--favourable", help="The class people want, as the model knows it, such as 1 or Good.", metavar="CLASS", show_default=False)
    ],
    out: Annotated[Path, _file("--out", "Where to write the recommendations: .csv or .parquet.")],
    method: Annotated[MethodName, typer.Option("--method", help="How to search.")] = MethodName.GROWING_SPHERES,
    threshold: Annotated[float | None, typer.Option("--threshold", help="What the model's probability (default 0.5) or decision value (default 0) must exceed.", show_default=False)] = None,
    cost: Annotated[CostName, typer.Option("--cost", help="What advice costs: the sum of percentile shifts, their maximum, or the log shift.")] = CostName.TOTAL,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same advice.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="People searched at once.")] = 1,
    time_limit: Annotated[float | None, typer.Option("--time-limit", help="Seconds per person.", show_default=False)] = None,
    total_time: Annotated[float | None, typer.Option("--total-time", help="Seconds in all.", show_default=False)] = None,
    drop: Annotated[list[str] | None, typer.Option("--drop", metavar="COLUMN", help="Leave a column of the tables out, such as the label; may be repeated.", show_default=False)] = None,
    index: Annotated[str | None, typer.Option("--index", metavar="COLUMN", help="The column that labels the people; not an input.", show_default=False)] = None,
    trust: Annotated[list[str] | None, typer.Option("--trust", metavar="TYPE", help="Load a type that standfast does not know to be harmless; loading it may run code from the model file, so only do this for files whose maker you trust. 'pickle' allows pickles, which always run code.", show_default=False)] = None,
) -> None:
    """Tell each declined person what to change so that the model accepts.

    Every answer is re-checked with the model's own prediction. People without an answer keep their
    row and the reason. Ctrl-C writes what is finished.
    """
    _check_out(out, (schema, table, model, people))
