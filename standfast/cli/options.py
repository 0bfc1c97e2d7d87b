"""The options that several commands share, with the words of their help."""

from pathlib import Path
from typing import Any, Literal

from standfast.cli import numbers
from standfast.cli.command import argument, flag, option, options_class

SEARCH = "How to search"
FITTED_FILE = ".skops, .json or .ubj (XGBoost), .txt or .lgb (LightGBM)."
MODEL_FILE = FITTED_FILE.removesuffix(".") + ", .pmml, .onnx."

# words to choose from, as they are written on the command line
Risk = Literal["error", "balanced-error", "log-loss", "auc"]
Variant = Literal["sensible", "published"]
Cost = Literal["total", "max", "log"]


def schema_file() -> Any:
    """The schema."""
    return option("What the columns mean and how advice may change them (TOML).")


def favourable() -> Any:
    """The favourable class of models."""
    return option(
        "The class people want, as the model calls it: 1, Good, …; for a scorecard, or another "
        "model that gives a number: above or below, the side of --threshold they want.",
        "CLASS",
    )


def drop() -> Any:
    """Columns that are no inputs."""
    return option(
        "A column to leave out, such as the label; may be repeated.", "COLUMN", default=()
    )


def trust() -> Any:
    """Types that model files may hold."""
    return option(
        "A type to load although standfast does not know it to be harmless; may be repeated. Why "
        "it asks: such a type can run code of its own when the model file is loaded. Add it only "
        "if you trust the file's author. 'pickle' allows pickles, which can always run code.",
        "TYPE",
        default=(),
    )


def threshold() -> Any:
    """The threshold of models."""
    return option(
        "What a model's answer must exceed; 0.5 for a probability, 0 for a decision value unless "
        "given. A scorecard has no usual one: give its cut-off.",
        allowed=numbers.finite,
        panel=SEARCH,
    )


def seed(same: str, panel: str | None = None) -> Any:
    """The seed, which makes something reproducible."""
    text = f"Same seed, same {same}."
    return option(text, allowed=(0, numbers.SEEDS), default=0, panel=panel)


def jobs(panel: str | None = None) -> Any:
    """The number of workers."""
    return option("How many workers.", allowed=(1, numbers.WORKERS), default=1, panel=panel)


def time_limit() -> Any:
    """How long a search may take."""
    text = "Seconds per person."
    return option(text, "SECONDS", allowed=numbers.seconds, panel=SEARCH)


def margin() -> Any:
    """How much more than its threshold a model must give."""
    return option(
        "How much more than its threshold every model must give; repeat it for one per model.",
        allowed=numbers.finite,
        default=(),
        panel=SEARCH,
    )


def recommendations() -> Any:
    """A file of recommendations."""
    return argument("What 'standfast recommend --out' wrote: .csv or .parquet.", "RECOMMENDATIONS")


@options_class
class SchemaOutput:
    """Where a schema goes."""

    out: Path | None = option("Write this TOML file instead of printing.")
    force: bool = flag("Overwrite a schema that exists; edits in it are lost.")


@options_class
class Training:
    """Labelled people to fit models on, how the models are judged, and where they are written."""

    table: Path = argument("The training people with their labels (CSV, Parquet)", "TABLE")
    schema: Path = schema_file()
    label: str = option("The column that says how each person turned out.", "COLUMN")
    favourable: str = option("The label people want: 1, Good, …", "VALUE")
    out: Path = option("The folder to make for models and table.", "FOLDER")
    epsilon: float = option(
        "How much worse another model may be.", allowed=numbers.price, default=0.05
    )
    risk: Risk | None = option(
        "By what models are judged: error, the share of mistakes; balanced-error, the mean of both "
        "classes' shares; log-loss; auc, one minus the area under the curve. Epsilon is in its "
        "units. Error unless given.",
        "RISK",
    )
    drop: list[str] = drop()
    index: str | None = option("The column that labels the people; it is not an input.", "COLUMN")
    trust: list[str] = trust()
    seed: int = seed("models")
    jobs: int = jobs()
