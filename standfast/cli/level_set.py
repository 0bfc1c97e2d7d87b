"""standfast level-set: the rivals that may replace a model."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from standfast.cli import labelled, numbers, options, outputs
from standfast.cli.console import progress_bar, undisturbed
from standfast.cli.scores import class_called
from standfast.errors import InputError, listing

if TYPE_CHECKING:
    from standfast.rivals import LevelSet
    from standfast.rivals.risk import Risk

app = typer.Typer(no_args_is_help=True, help="Find the models that are as good as the one in use.")


class GridName(StrEnum):
    """The grids by the names they have on the command line."""

    LINEAR = "linear"
    FORESTS = "forests"
    BOOSTING = "boosting"


class RiskOn(StrEnum):
    """Where models are judged."""

    CROSS_VALIDATION = "cross-validation"
    TRAINING = "training"


def _given(option: str, help: str, metavar: str, **more: Any) -> Any:
    return typer.Option(option, help=help, metavar=metavar, show_default=False, **more)


@app.command()
def build(
    table: options.TrainingTable,
    schema: options.SchemaFile,
    label: options.Label,
    favourable: options.FavourableLabel,
    reference: Annotated[
        Path,
        _given(
            "--reference",
            "The fitted model in use: .skops, .json or .ubj (XGBoost), .txt or .lgb (LightGBM).",
            "FILE",
        ),
    ],
    grid: Annotated[
        list[GridName],
        _given(
            "--grid",
            f"Where rivals come from: {', '.join(GridName)}. May be repeated.",
            "GRID",
        ),
    ],
    out: options.ModelsOut,
    epsilon: options.Epsilon = 0.05,
    risk: options.Risk = None,
    risk_on: Annotated[
        RiskOn,
        typer.Option(
            "--risk-on",
            help="Judge on held-out folds, or on the training people as the paper does.",
        ),
    ] = RiskOn.CROSS_VALIDATION,
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced",
            help="Give both classes the same weight in fitting the grids and, unless --risk is "
            "given, in the risk.",
        ),
    ] = False,
    held_out: Annotated[
        Path | None,
        _given("--held-out", "Judge on the people of this table instead.", "FILE"),
    ] = None,
    merge: Annotated[
        float,
        typer.Option(
            "--merge",
            callback=numbers.price,
            help="Candidates whose scores are at most this far apart for everybody count as one.",
            metavar="NUMBER",
        ),
    ] = 0.01,
    keep_all: Annotated[
        bool, typer.Option("--keep-all", help="Count every candidate, also the same one twice.")
    ] = False,
    drop: options.Drop = None,
    trust: options.Trust = None,
    seed: options.ModelSeed = 0,
    jobs: options.Workers = 1,
) -> None:
    """Fit a grid of models and keep those at most ε worse than the reference.

    Prints who is inside and who is not, and why; writes the models with the table of members
    (members.csv, members.parquet) into a new folder that 'standfast transfer' reads.
    """
    from standfast.readers.files import load_model
    from standfast.rivals import level_set
    from standfast.rivals.folder import check_free
    from standfast.schema import Schema

    outputs.check_spared({"--out": [out]}, [table, schema, reference, held_out])
    check_free(out)
    meaning = Schema.read(schema)
    people = [
        labelled.people(path, meaning, label, favourable, drop or [])
        for path in (table, held_out)
        if path
    ]
    estimator = load_model(reference, trust=trust or [])
    with progress_bar("models") as progress:
        found = level_set(
            _candidates(grid, balanced, seed),
            people[0],
            reference=estimator,
            epsilon=epsilon,
            risk=_risk(risk, balanced),
            risk_on=people[1] if held_out else risk_on.value,
            merge=None if keep_all else merge,
            favourable=class_of(estimator, favourable, reference),
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    with undisturbed():
        found.save(out)
    _tell(found, out)


def _candidates(grid: Sequence[GridName], balanced: bool, seed: int) -> dict[str, Any]:
    from standfast.rivals import grids

    makers = {
        GridName.LINEAR: grids.linear,
        GridName.FORESTS: grids.forests,
        GridName.BOOSTING: grids.boosting,
    }
    candidates: dict[str, Any] = {}
    for name in grid:
        candidates |= makers[name](balanced=balanced, seed=seed)
    return candidates


def _risk(given: options.RiskName | None, balanced: bool) -> "Risk":
    from standfast.rivals.risk import check_risk

    usual = options.RiskName.BALANCED_ERROR if balanced else options.RiskName.ERROR
    return check_risk((given or usual).value.replace("-", "_"))


def class_of(estimator: Any, favourable: str, path: Path) -> object:
    """The reference's class of this name; None, the larger of two signs, if it has no such class.

    A reference fitted on -1 and +1 or 0 and 1 may judge a table that spells its labels otherwise.
    """
    wanted = class_called(favourable, estimator)
    classes = getattr(estimator, "classes_", (0, 1))
    classes = list(getattr(classes, "tolist", lambda: classes)())
    if wanted in classes:
        return wanted
    if classes not in ([-1, 1], [0, 1]):
        raise InputError(
            f"--favourable {favourable}: the classes of '{path}' are {listing(classes)}; spell the "
            "labels of the table the same way"
        )
    return None


def _tell(found: "LevelSet", out: Path) -> None:
    from standfast.rivals.candidates import in_words

    about = found.provenance
    typer.echo(f"{found.summary}\ntraining people: {about['data']}, seed {about['seed']}\n")
    shown = found.members[["name", "family", "risk", "accuracy", "auc", "inside", "stands_for"]]
    shown = shown.assign(
        family=shown["family"].map(in_words),
        inside=shown["inside"].map({True: "yes", False: "no"}),
    ).rename(columns={"stands_for": "stands for"})
    typer.echo(shown.to_string(index=False, float_format="{:.4f}".format))
    typer.echo(f"\nwritten to {out}: {1 + len(found)} models, and each member's why in members.csv")
