"""standfast level-set: the rivals that may replace a model."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from standfast.cli import labelled, options, outputs
from standfast.cli.console import progress_bar, undisturbed
from standfast.cli.scores import class_called

if TYPE_CHECKING:
    from standfast.models import LevelSet

app = typer.Typer(no_args_is_help=True, help="Find the models that are as good as the one in use.")


class GridName(StrEnum):
    """The grids by the names they have on the command line."""

    LINEAR = "linear"
    FORESTS = "forests"
    BOOSTING = "boosting"


class RiskOn(StrEnum):
    """Where mistakes are counted."""

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
    risk_on: Annotated[
        RiskOn,
        typer.Option(
            "--risk-on",
            help="Count mistakes on held-out folds, or on the training people as the paper does.",
        ),
    ] = RiskOn.CROSS_VALIDATION,
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced",
            help="Give both classes the same weight, in fitting the grids and in the risk.",
        ),
    ] = False,
    held_out: Annotated[
        Path | None,
        _given("--held-out", "Count mistakes on the people of this table instead.", "FILE"),
    ] = None,
    drop: options.Drop = None,
    trust: options.Trust = None,
    seed: options.ModelSeed = 0,
    jobs: options.Workers = 1,
) -> None:
    """Fit a grid of models and keep those at most ε worse than the reference.

    Prints who is inside and who is not, and why; writes the models with the table of members
    (members.csv, members.parquet) into a new folder that 'standfast transfer' reads.
    """
    from standfast.models import level_set
    from standfast.models.files import load_model
    from standfast.models.folder import check_free
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
            risk_on=people[1] if held_out else risk_on.value,
            balanced=balanced,
            favourable=_class_of(estimator, favourable),
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    with undisturbed():
        found.save(out)
    _tell(found, out)


def _candidates(grid: Sequence[GridName], balanced: bool, seed: int) -> dict[str, Any]:
    from standfast.models import grids

    makers = {
        GridName.LINEAR: grids.linear,
        GridName.FORESTS: grids.forests,
        GridName.BOOSTING: grids.boosting,
    }
    candidates: dict[str, Any] = {}
    for name in grid:
        candidates |= makers[name](balanced=balanced, seed=seed)
    return candidates


def _class_of(estimator: Any, favourable: str) -> object:
    """The reference's class of this name; None, the larger of two signs, if it has no such class.

    A reference fitted on -1 and +1 or 0 and 1 may judge a table that spells its labels otherwise.
    """
    wanted = class_called(favourable, estimator)
    classes = getattr(estimator, "classes_", (0, 1))
    return wanted if wanted in list(getattr(classes, "tolist", lambda: classes)()) else None


def _tell(found: "LevelSet", out: Path) -> None:
    about = found.provenance
    typer.echo(f"{found}\ntraining people: {about['data']}, seed {about['seed']}\n")
    shown = found.members[["name", "family", "risk", "accuracy", "auc", "inside"]]
    shown = shown.assign(inside=shown["inside"].map({True: "yes", False: "no"}))
    typer.echo(shown.to_string(index=False, float_format="{:.4f}".format))
    typer.echo(f"\nwritten to {out}: {1 + len(found)} models, and each member's why in members.csv")
