"""standfast fresh: models as the next training might give them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from standfast.cli import labelled, numbers, options, outputs
from standfast.cli.console import progress_bar, undisturbed
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.rivals import FreshModels

app = typer.Typer(
    no_args_is_help=True, help="Draw models nobody has seen, to search with and to certify by."
)
WORDS = {"none": None, "true": True, "false": False}


@app.command()
def draw(
    table: options.TrainingTable,
    schema: options.SchemaFile,
    label: options.Label,
    favourable: options.FavourableLabel,
    model: Annotated[
        Path,
        typer.Option(
            "--model",
            help="The model in use (.skops): copies of it are fitted again, on resampled people "
            "and with other seeds.",
            metavar="FILE",
            show_default=False,
        ),
    ],
    out: options.ModelsOut,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            help="A setting that the next training may choose otherwise, with its values: "
            "max_depth=4,5,6. May be repeated; in a pipeline: step__setting.",
            metavar="SETTING=VALUES",
            show_default=False,
        ),
    ] = None,
    search: Annotated[
        int,
        typer.Option(
            "--search", help="Models to search with.", min=0, max=numbers.MODELS, metavar="N"
        ),
    ] = 100,
    choose: Annotated[
        int,
        typer.Option(
            "--choose", help="Models to choose by.", min=0, max=numbers.MODELS, metavar="N"
        ),
    ] = 100,
    certify: Annotated[
        int,
        typer.Option(
            "--certify",
            help="Models to certify with: 59, all accepting, certify 95 %, and 299 99 %.",
            min=0,
            max=numbers.MODELS,
            metavar="N",
        ),
    ] = 100,
    epsilon: options.Epsilon = 0.05,
    risk: options.Risk = None,
    drop: options.Drop = None,
    trust: options.Trust = None,
    seed: options.ModelSeed = 0,
    jobs: options.Workers = 1,
) -> None:
    """Fit the model again and again, as a later training might, in three parts that never mix.

    A draw is kept if it is at most ε worse than the model with its own settings, on a fifth of the
    people that nobody is fitted on. Writes the models with the table of draws into a new folder
    that 'standfast recommend --method invariant' and 'standfast certify' read.
    """
    from standfast.rivals import fresh_models
    from standfast.rivals.folder import check_free
    from standfast.rivals.risk import check_risk
    from standfast.schema import Schema

    outputs.check_spared({"--out": [out]}, [table, schema, model])
    check_free(out)
    draws = _draws(vary or [])
    people = labelled.people(table, Schema.read(schema), label, favourable, drop or [])
    estimator = _unfitted(model, trust or [])
    with progress_bar("models") as progress:
        found = fresh_models(
            estimator,
            people,
            draws=draws,
            sizes={"search": search, "choose": choose, "certify": certify},
            epsilon=epsilon,
            risk=check_risk((risk or options.RiskName.ERROR).value.replace("-", "_")),
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    with undisturbed():
        found.save(out)
    _tell(found, out)


def _unfitted(path: Path, trust: Sequence[str]) -> Any:
    """A copy of the estimator in a file as it was before it was fitted."""
    from sklearn.base import clone

    from standfast.readers.files import LIGHTGBM, XGBOOST, load_model

    if path.suffix.lower() in XGBOOST + LIGHTGBM:
        raise InputError(
            f"'{path}' holds a fitted model without the settings to fit it again; save the "
            "estimator itself: standfast.save_model(model, 'model.skops')"
        )
    estimator = load_model(path, trust=trust)
    return clone(getattr(estimator, "best_estimator_", estimator))


def _draws(texts: Sequence[str]) -> dict[str, list[object]]:
    draws: dict[str, list[object]] = {}
    for name, values in map(_varied, texts):
        if name in draws:
            raise InputError(
                f"--vary {name} is given twice; list all its values at once: --vary {name}=…,…"
            )
        draws[name] = values
    return draws


def _varied(text: str) -> tuple[str, list[object]]:
    """A setting and its values, as written on the command line.

    >>> _varied("max_depth=4,5,none"), _varied("clf__C=0.1,1")
    (('max_depth', [4, 5, None]), ('clf__C', [0.1, 1]))
    """
    name, sign, values = text.partition("=")
    found = [_value(word.strip()) for word in values.split(",") if word.strip()]
    if not (name.strip() and sign and found):
        raise InputError(
            f"--vary {text}: name a setting and its values, such as --vary max_depth=4,5,6"
        )
    return name.strip(), found


def _value(word: str) -> object:
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def _tell(found: "FreshModels", out: Path) -> None:
    about = found.provenance
    typer.echo(f"{found.summary}\ntraining people: {about['data']}, seed {about['seed']}")
    drawn = found.members.iloc[1:]
    own = found.members.iloc[0]["risk"]
    kept = drawn[drawn["inside"]]
    typer.echo(
        f"{about['risk']}: {own:.4f} with the model's own settings, {kept['risk'].min():.4f} to "
        f"{kept['risk'].max():.4f} among the {len(kept)} kept, {len(drawn) - len(kept)} left out"
    )
    typer.echo(f"\nwritten to {out}, with each draw's settings and why in members.csv")
