"""standfast fresh: models as the next training might give them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from standfast.cli import labelled, numbers, options, outputs
from standfast.cli.command import command, option, options_class
from standfast.cli.console import progress_bar, undisturbed
from standfast.cli.level_set import risk_named
from standfast.cli.scores import class_called
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.rivals import FreshModels

app = typer.Typer(
    no_args_is_help=True, help="Draw models nobody has seen, to search with and to certify by."
)
WORDS = {"none": None, "true": True, "false": False}


@options_class
class DrawOptions(options.Training):
    """The options of standfast fresh draw."""

    model: Path = option(
        "The model in use (.skops): copies of it are fitted again, on resampled people and "
        "with other seeds."
    )
    vary: list[str] = option(
        "A setting that the next training may choose otherwise, with its values: "
        "max_depth=4,5,6. May be repeated; in a pipeline: step__setting.",
        "SETTING=VALUES",
        default=(),
    )
    search: int = option("Models to search with.", allowed=(0, numbers.MODELS), default=100)
    choose: int = option("Models to choose by.", allowed=(0, numbers.MODELS), default=100)
    certify: int = option(
        "Models to certify with: 59, all accepting, certify 95 %, and 299 certify 99 %.",
        allowed=(0, numbers.MODELS),
        default=100,
    )


@app.command()
@command
def draw(given: DrawOptions) -> None:
    """Fit the model again and again, as a later training might, in three separate parts.

    A draw is kept if it is at most ε worse than the model with its own settings, on a fifth of the
    people that nobody is fitted on. Writes the models with the table of draws into a new folder
    that 'standfast recommend --method invariant' and 'standfast certify' read.
    """
    from standfast.files import check_new_folder
    from standfast.rivals import Tolerance, fresh_models
    from standfast.schema import Schema

    outputs.check_separate({"--out": [given.out]}, [given.table, given.schema, given.model])
    check_new_folder(given.out)
    draws = _draws(given.vary)
    schema = Schema.read(given.schema)
    people = labelled.people(
        given.table, schema, given.label, given.favourable, given.drop, given.index
    )
    estimator = _unfitted(given.model, given.trust, given.favourable)
    with progress_bar("models") as progress:
        found = fresh_models(
            estimator,
            people,
            draws=draws,
            sizes={"search": given.search, "choose": given.choose, "certify": given.certify},
            epsilon=Tolerance(given.epsilon, risk_named(given.risk)),
            seed=given.seed,
            jobs=given.jobs,
            progress=progress,
        )
    with undisturbed():
        found.save(given.out)
    _summarise(found, given.out)


def _unfitted(path: Path, trust: Sequence[str], favourable: str) -> Any:
    """A copy of the estimator in a file as it was before it was fitted, to be fitted on 0 and 1."""
    from sklearn.base import clone

    from standfast.readers.asking import classes_of
    from standfast.readers.files import LIGHTGBM, ONNX, PMML, XGBOOST, load_model
    from standfast.rivals.candidates import relabelled

    if path.suffix.lower() in (*XGBOOST, *LIGHTGBM, PMML, ONNX):
        raise InputError(
            f"'{path}' holds a fitted model without the settings to fit it again; save the "
            "estimator itself: standfast.save_model(model, 'model.skops')"
        )
    estimator = load_model(path, trust=trust)
    best = getattr(estimator, "best_estimator_", estimator)
    wanted = class_called(favourable, estimator)
    known = wanted in classes_of(estimator, otherwise=())
    return relabelled(best, wanted) if known else clone(best)


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


def _summarise(found: "FreshModels", out: Path) -> None:
    about = found.provenance
    typer.echo(f"{found.summary}\ntraining people: {about['data']}, seed {about['seed']}")
    drawn = found.draws.iloc[1:]
    own = found.draws.iloc[0]["risk"]
    kept = drawn[drawn["inside"]]
    typer.echo(
        f"{about['risk']}: {own:.4f} with the model's own settings, {kept['risk'].min():.4f} to "
        f"{kept['risk'].max():.4f} among the {len(kept)} kept, {len(drawn) - len(kept)} left out"
    )
    typer.echo(f"\nwritten to {out}; draws.csv has each draw's settings and why it was kept or not")
