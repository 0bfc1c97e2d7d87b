"""standfast level-set: the rivals that may replace a model."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import typer

from standfast.cli import labelled, numbers, options, outputs
from standfast.cli.command import command, flag, option, options_class
from standfast.cli.console import progress_bar, undisturbed
from standfast.cli.scores import check_estimator, class_called
from standfast.errors import InputError, listing

if TYPE_CHECKING:
    from standfast.rivals import LevelSet
    from standfast.rivals.risk import Risk
    from standfast.schema import Schema

app = typer.Typer(no_args_is_help=True, help="Find the models that are as good as the one in use.")


Grid = Literal["linear", "forests", "boosting"]


@options_class
class BuildOptions(options.Training):
    """The options of standfast level-set build."""

    reference: Path = option(f"The fitted model in use: {options.FITTED_FILE}")
    grid: list[Grid] = option(
        f"Where rivals come from: {', '.join(get_args(Grid))}. May be repeated.", "GRID"
    )
    risk_on: Literal["cross-validation", "training"] = option(
        "Judge on held-out folds, or on the training people as the paper does.",
        default="cross-validation",
    )
    balanced: bool = flag(
        "Give both classes the same weight in fitting the grids and, unless --risk is given, "
        "in the risk."
    )
    held_out: Path | None = option("Judge on the people of this table instead.")
    merge: float = option(
        "Candidates whose scores are at most this far apart for everybody count as one.",
        allowed=numbers.price,
        default=0.01,
    )
    keep_all: bool = flag("Count every candidate, also the same one twice.")


@app.command()
@command
def build(given: BuildOptions) -> None:
    """Fit a grid of models and keep those at most ε worse than the reference.

    Prints who is inside and who is not, and why; writes the models with the table of candidates
    (candidates.csv, candidates.parquet) into a new folder that 'standfast transfer' reads.
    """
    from standfast.files import check_new_folder
    from standfast.readers import as_score
    from standfast.readers.files import load_model
    from standfast.rivals import Tolerance, level_set
    from standfast.schema import Schema

    inputs = [given.table, given.schema, given.reference, given.held_out]
    outputs.check_separate({"--out": [given.out]}, inputs)
    check_new_folder(given.out)
    schema = Schema.read(given.schema)
    people = [
        labelled.people(path, schema, given.label, given.favourable, given.drop, given.index)
        for path in (given.table, given.held_out)
        if path
    ]
    estimator = load_model(given.reference, trust=given.trust)
    check_estimator(estimator, given.reference)
    reference = estimator
    wanted = class_of(estimator, given.favourable, given.reference)
    if wanted is not None:
        reference = as_score(estimator, schema, favourable=wanted)
    with progress_bar("models") as progress:
        found = level_set(
            _candidates(given, schema),
            people[0],
            reference=reference,
            epsilon=Tolerance(
                given.epsilon,
                risk_named(given.risk, given.balanced),
                on=people[1] if given.held_out else given.risk_on,
            ),
            merge=None if given.keep_all else given.merge,
            seed=given.seed,
            jobs=given.jobs,
            progress=progress,
        )
    with undisturbed():
        found.save(given.out)
    _summarise(found, given.out)


def _candidates(given: BuildOptions, schema: "Schema") -> dict[str, Any]:
    from standfast.rivals import grids

    makers = {"linear": grids.linear, "forests": grids.forests, "boosting": grids.boosting}
    candidates: dict[str, Any] = {}
    for name in given.grid:
        candidates |= makers[name](balanced=given.balanced, seed=given.seed, schema=schema)
    return candidates


def risk_named(given: options.Risk | None, balanced: bool = False) -> "Risk":
    """The risk that is asked for; the error unless given, which for balanced fits is balanced."""
    asked = given or ("balanced-error" if balanced else "error")
    name: Risk = asked.replace("-", "_")  # type: ignore[assignment]
    return name


def class_of(estimator: Any, favourable: str, path: Path) -> object:
    """The reference's class of this name; None, the larger of two signs, if it has no such class.

    A reference fitted on -1 and +1 or 0 and 1 may judge a table that spells its labels otherwise.
    """
    from standfast.readers.asking import classes_of
    from standfast.rivals.reference import SIGNS

    wanted, classes = class_called(favourable, estimator), classes_of(estimator)
    if wanted in classes:
        return wanted
    if classes not in SIGNS:
        raise InputError(
            f"--favourable {favourable}: the classes of '{path}' are {listing(classes)}; spell the "
            "labels of the table the same way"
        )
    return None


def _summarise(found: "LevelSet", out: Path) -> None:
    from standfast.rivals.candidates import in_words

    about = found.provenance
    typer.echo(f"{found.summary}\ntraining people: {about['data']}, seed {about['seed']}\n")
    shown = found.candidates[["name", "family", "risk", "accuracy", "auc", "inside", "stands_for"]]
    shown = shown.assign(
        family=shown["family"].map(in_words),
        inside=shown["inside"].map({True: "yes", False: "no"}),
    ).rename(columns={"stands_for": "stands for"})
    typer.echo(shown.to_string(index=False, float_format="{:.4f}".format))
    typer.echo(
        f"\nwritten to {out}: {1 + len(found)} models; candidates.csv says why each is in or out"
    )
