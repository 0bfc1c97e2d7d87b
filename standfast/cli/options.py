"""The options of the commands, with the words of their help."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from standfast.cli import numbers


class MethodName(StrEnum):
    """The methods by the names they have on the command line."""

    MINIMAL_COST = "minimal-cost"
    INVARIANT = "invariant"
    ACTIONABLE_RECOURSE = "actionable-recourse"
    ACTIONABLE_RECOURSE_AS_PUBLISHED = "actionable-recourse-as-published"
    GROWING_SPHERES = "growing-spheres"
    GROWING_SPHERES_AS_PUBLISHED = "growing-spheres-as-published"
    C_CHVAE = "c-chvae"
    C_CHVAE_AS_PUBLISHED = "c-chvae-as-published"


class CostName(StrEnum):
    """The costs by the names they have on the command line."""

    TOTAL = "total"
    MAX = "max"
    LOG = "log"


class RiskName(StrEnum):
    """The risks by the names they have on the command line."""

    ERROR = "error"
    BALANCED_ERROR = "balanced-error"
    LOG_LOSS = "log-loss"
    AUC = "auc"


def _input(option: str, help: str, metavar: str = "FILE") -> Any:
    return typer.Option(option, help=help, metavar=metavar, show_default=False)


def _search(option: str, help: str, **more: Any) -> Any:
    return typer.Option(option, help=help, rich_help_panel="How to search", **more)


def _exact(option: str, help: str, metavar: str, **more: Any) -> Any:
    panel = "Proven searches (minimal-cost, actionable-recourse)"
    more |= {"metavar": metavar, "show_default": False}
    return typer.Option(option, help=help, rich_help_panel=panel, **more)


def _unseen(option: str, help: str, metavar: str, **more: Any) -> Any:
    panel = "Models nobody has seen (invariant)"
    more |= {"metavar": metavar, "show_default": False}
    return typer.Option(option, help=help, rich_help_panel=panel, **more)


SchemaFile = Annotated[
    Path, _input("--schema", "What the columns mean and who may move them (TOML).")
]
TableFile = Annotated[
    Path,
    _input("--table", "The reference table (CSV, Parquet): its percentiles measure the cost."),
]
ModelFiles = Annotated[
    list[Path],
    _input(
        "--model",
        "The fitted model: .skops, .json or .ubj (XGBoost), .txt or .lgb (LightGBM). May be "
        "repeated, the reference first: the advice then pleases all of them.",
    ),
]
PeopleFile = Annotated[Path, _input("--people", "The people to advise (CSV, Parquet).")]
Favourable = Annotated[
    str,
    _input("--favourable", "The class people want, as the model calls it: 1, Good, …", "CLASS"),
]
Drop = Annotated[
    list[str] | None,
    _input("--drop", "A column to leave out, such as the label; may be repeated.", "COLUMN"),
]
Index = Annotated[
    str | None, _input("--index", "The people's column that labels them; no input.", "COLUMN")
]
Trust = Annotated[
    list[str] | None,
    _input(
        "--trust",
        "A type to load although standfast does not know it to be harmless; may be repeated. Why "
        "it asks: such a type can run code of its own when the model file is loaded. Add it only "
        "if you trust whoever made the file. 'pickle' allows pickles, which can always run code.",
        "TYPE",
    ),
]
ResultFile = Annotated[
    Path, _input("--out", "Where to write the recommendations: .csv or .parquet.")
]

Method = Annotated[
    MethodName,
    _search(
        "--method",
        f"The way to search: {', '.join(MethodName)}.",
        metavar="METHOD",
        show_default=False,
    ),
]
Threshold = Annotated[
    float | None,
    _search(
        "--threshold",
        "What a model's answer must exceed; 0.5 for a probability, 0 for a decision value "
        "unless given.",
        metavar="NUMBER",
        show_default=False,
        callback=numbers.finite,
    ),
]
Margins = Annotated[
    list[float] | None,
    _search(
        "--margin",
        "How much more than its threshold every model must give; repeat it for one per model.",
        metavar="NUMBER",
        show_default=False,
        callback=numbers.all_finite,
    ),
]
Cost = Annotated[
    CostName,
    _search(
        "--cost",
        "What a change costs: the sum of percentile shifts, the largest, the log shift. Growing "
        "spheres only tells it, c-chvae chooses among candidates by it; the others minimise it.",
    ),
]
Seed = Annotated[
    int, _search("--seed", "Same seed, same advice.", min=0, max=numbers.SEEDS, metavar="N")
]
Jobs = Annotated[
    int, _search("--jobs", "How many workers.", min=1, max=numbers.WORKERS, metavar="N")
]
TimeLimit = Annotated[
    float | None,
    _search(
        "--time-limit",
        "Seconds per person.",
        metavar="SECONDS",
        show_default=False,
        callback=numbers.seconds,
    ),
]
TotalTime = Annotated[
    float | None,
    _search(
        "--total-time",
        "Seconds for everybody.",
        metavar="SECONDS",
        show_default=False,
        callback=numbers.seconds,
    ),
]
Alternatives = Annotated[
    int | None,
    _exact(
        "--alternatives",
        "How many ways to offer each person, cheapest first.",
        "K",
        min=1,
        max=numbers.WAYS,
    ),
]
Boxes = Annotated[
    int | None,
    _exact(
        "--boxes",
        "How many boxes a search may open per person; 1,000,000 unless given.",
        "N",
        min=1,
        max=numbers.BOXES,
    ),
]
Actions = Annotated[
    int | None,
    _exact(
        "--actions",
        "How many steps each input's grid of actions has; 100 unless given (actionable-recourse "
        "only).",
        "N",
        min=1,
        max=numbers.MANY,
    ),
]
PerChange = Annotated[
    float | None,
    _exact(
        "--per-change",
        "What every changed input costs on top, in the units of the cost (minimal-cost only).",
        "NUMBER",
        callback=numbers.price,
    ),
]
SupportFile = Annotated[
    Path | None,
    _exact(
        "--support",
        "An isolation forest that must find the advice usual (.skops; minimal-cost only).",
        "FILE",
    ),
]

AutoencoderFile = Annotated[
    Path | None,
    _search(
        "--autoencoder",
        "The fitted autoencoder that c-chvae searches (.npz, from: standfast autoencoder fit).",
        metavar="FILE",
        show_default=False,
    ),
]

FreshFolders = Annotated[
    list[Path] | None,
    _unseen(
        "--fresh",
        "A folder written by: standfast fresh draw. May be repeated, one for each class that the "
        "next model may be of.",
        metavar="FOLDER",
    ),
]
Validity = Annotated[
    float | None,
    _unseen(
        "--validity",
        "The share of fresh models that is to accept each person's advice; 0.9 unless given.",
        metavar="SHARE",
        callback=numbers.share,
    ),
]
Surprise = Annotated[
    float | None,
    _unseen(
        "--surprise",
        "Instead of a share: what a broken promise costs, in the units of the cost.",
        metavar="NUMBER",
        callback=numbers.price,
    ),
]

SchemaOut = Annotated[
    Path | None,
    typer.Option("--out", help="Write this TOML file instead of printing.", metavar="FILE"),
]
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite a schema that exists; edits in it are lost.")
]

# level-set and fresh

TrainingTable = Annotated[
    Path,
    typer.Argument(
        help="The training people with their labels (CSV, Parquet)",
        metavar="TABLE",
        show_default=False,
    ),
]
Label = Annotated[
    str, _input("--label", "The column that says how each person turned out.", "COLUMN")
]
FavourableLabel = Annotated[
    str, _input("--favourable", "The label people want: 1, Good, …", "VALUE")
]
ModelsOut = Annotated[Path, _input("--out", "The folder to make for models and table.", "FOLDER")]
Epsilon = Annotated[
    float,
    typer.Option(
        "--epsilon",
        help="How much worse another model may be.",
        metavar="NUMBER",
        callback=numbers.price,
    ),
]

Risk = Annotated[
    RiskName | None,
    typer.Option(
        "--risk",
        help="By what models are judged: error, the share of mistakes; balanced-error, the mean of "
        "both classes' shares; log-loss; auc, one minus the area under the curve. Epsilon is in "
        "its units.",
        metavar="RISK",
        show_default="error",
    ),
]
ModelSeed = Annotated[
    int,
    typer.Option("--seed", help="Same seed, same models.", min=0, max=numbers.SEEDS, metavar="N"),
]
Workers = Annotated[
    int, typer.Option("--jobs", help="How many workers.", min=1, max=numbers.WORKERS, metavar="N")
]

# transfer, certify and bounds

RecommendationsFile = Annotated[
    Path,
    typer.Argument(
        help="What 'standfast recommend --out' wrote: .csv or .parquet.",
        metavar="RECOMMENDATIONS",
        show_default=False,
    ),
]

LevelSetFolder = Annotated[
    Path | None,
    _input("--level-set", "A folder written by: standfast level-set build.", "FOLDER"),
]
RivalFiles = Annotated[
    list[Path] | None,
    _input("--model", "A rival's model file; may be repeated. Needs --favourable."),
]
FavourableOrNone = Annotated[
    str | None,
    _input("--favourable", "The class people want, as the models of --model call it.", "CLASS"),
]
Confidence = Annotated[
    float,
    typer.Option(
        "--confidence",
        help="Of the interval around each transfer.",
        metavar="SHARE",
        callback=numbers.share,
    ),
]
RivalsOut = Annotated[
    Path | None,
    _input("--out", "Where to write the table of rivals: .csv or .parquet."),
]
PeopleOut = Annotated[
    Path | None,
    _input("--people-out", "Where to write people × rivals, a row each: .csv or .parquet."),
]
BoundModels = Annotated[
    list[Path],
    _input("--model", "A model file; may be repeated, the reference first."),
]
LabelColumn = Annotated[
    str | None,
    _input(
        "--label",
        "The column that says how each person turned out: also gives the published bounds. Its "
        "favourable value is that of --favourable.",
        "COLUMN",
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(
        "--alpha",
        help="The error bound's factor, if you know it.",
        metavar="NUMBER",
        show_default=False,
        callback=numbers.positive,
    ),
]
Gamma = Annotated[
    float,
    typer.Option(
        "--gamma",
        help="The error bound's exponent, with --alpha.",
        metavar="NUMBER",
        callback=numbers.largest_share,
    ),
]
Calibrate = Annotated[
    int | None,
    typer.Option(
        "--calibrate",
        help="Measure alpha and gamma by exact searches for this many refused people.",
        min=3,
        max=numbers.MANY,
        metavar="N",
        show_default=False,
    ),
]
Beta = Annotated[
    float,
    typer.Option(
        "--beta",
        help="With --calibrate: confidence is 1 - beta.",
        metavar="SHARE",
        callback=numbers.share,
    ),
]
BoundsOut = Annotated[Path | None, _input("--out", "Where to write every term: .csv or .parquet.")]
