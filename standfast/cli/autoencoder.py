"""standfast autoencoder: learn how people are distributed, and check what was learnt."""

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import numbers, options, outputs, tables
from standfast.cli.command import argument, command, option, options_class
from standfast.cli.console import progress_bar, say, undisturbed
from standfast.cli.scores import score_of, warn_of_accepted
from standfast.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from standfast.autoencoder import Autoencoder
    from standfast.percentiles import Percentiles
    from standfast.recommendations import Recommendations

app = typer.Typer(
    no_args_is_help=True, help="Fit the autoencoder that c-chvae searches, and check it."
)

# the library's defaults, as the help shows them before the library is loaded; a test compares
COMPONENTS, LATENT, EPOCHS = 12, 8, 150
LARGEST = 1000  # components or latent numbers
LARGE = 1000.0  # three digits would need an exponent from here on


@options_class
class FitOptions:
    """The options of standfast autoencoder fit."""

    table: Path = argument("A CSV or Parquet file", "TABLE")
    schema: Path = options.schema_file()
    out: Path = option("The .npz file to write.")
    drop: list[str] = options.drop()
    components: int = option("How many components (s).", allowed=(1, LARGEST), default=COMPONENTS)
    latent: int = option("How many latent numbers (z).", allowed=(1, LARGEST), default=LATENT)
    epochs: int = option("Passes over the table.", allowed=(1, numbers.MANY), default=EPOCHS)
    seed: int = options.seed("autoencoder")


@app.command()
@command
def fit(given: FitOptions) -> None:
    """Learn how the people of a table are distributed, given what they cannot change.

    Needs the extra 'autoencoder' (JAX); using the file does not.
    """
    from standfast.autoencoder import fit as learn
    from standfast.autoencoder.diagnosis import warnings_about
    from standfast.autoencoder.storage import check_path
    from standfast.schema import Schema

    outputs.check_separate({"--out": [given.out]}, [given.table, given.schema])
    check_path(given.out)
    schema = Schema.read(given.schema)
    found = tables.from_file(given.table, names=schema.category_names)
    (people,) = tables.without(given.drop, found)
    tables.check(people, schema, given.table)
    losses: list[float] = []
    with progress_bar("epochs") as report, tables.about(given.table):

        def record(epoch: int, loss: float) -> None:
            losses.append(loss)
            if report:
                report(epoch, given.epochs, f"loss {loss:.3f}")

        fitted = learn(
            schema,
            people,
            s=given.components,
            z=given.latent,
            epochs=given.epochs,
            seed=given.seed,
            progress=record,
        )
    with undisturbed():
        fitted.write(given.out)
    learnt = f"; loss {losses[0]:.3f} after the first epoch, {losses[-1]:.3f} after the last"
    say(
        f"wrote {given.out}: s = {given.components}, z = {given.latent}, {given.epochs} epochs "
        f"over {len(people)} people{learnt if losses else ''}"
    )
    for warning in warnings_about(schema, people):
        say(warning)


@options_class
class CheckOptions:
    """The options of standfast autoencoder check."""

    file: Path = argument("A fitted autoencoder (.npz)", "FILE")
    table: Path = option("People it was not fitted on (CSV, Parquet).")
    reference: Path | None = option(
        "The table whose percentiles measure the cost; the people themselves unless given"
    )
    model: Path | None = option(
        "A fitted model: also say how much of its advice is mere reconstruction."
    )
    favourable: str | None = option("The class people want.", "CLASS")
    drop: list[str] = options.drop()
    trust: list[str] = options.trust()
    seed: int = options.seed("result")


@app.command()
@command
def check(given: CheckOptions) -> None:
    """Report how well an autoencoder models people it has not seen.

    The bound of their log-likelihood, how each input survives encoding and decoding, and decoded
    against real values; with a model, what part of the advice is mere reconstruction.
    """
    from standfast.autoencoder import Autoencoder
    from standfast.percentiles import Percentiles

    if (given.model is None) != (given.favourable is None):
        raise InputError("--model and --favourable go together; give both or neither")
    found = Autoencoder.read(given.file)
    paths = [path for path in (given.table, given.reference) if path]
    names = found.schema.category_names
    frames = tables.without(given.drop, *(tables.from_file(path, names=names) for path in paths))
    for path, frame in zip(paths, frames, strict=True):
        tables.check(frame, found.schema, path)
    percentiles = Percentiles.fit(frames[-1])
    _summarise(found, frames[0], percentiles, given.seed)
    if given.model is not None and given.favourable is not None:
        from standfast.methods import CCHVAE, recommend
        from standfast.methods.mere_reconstruction import mere_reconstruction

        score = score_of(given.model, found.schema, given.trust, given.favourable, None)
        warn_of_accepted(score, found.schema, frames[0])
        method = CCHVAE(found.schema, percentiles, found)
        advice = recommend(method, score, frames[0], seed=given.seed)
        share = mere_reconstruction(method, score, advice)
        typer.echo()
        _print_outside(advice)
        typer.echo(
            f"of {share['refused']:.0f} refused people {share['accepted']:.1%} are accepted as "
            f"their mere reconstruction; {share['advised']:.0f} get advice, at a mean total shift "
            f"of {share['cost']:.3g}, while mere reconstruction costs them "
            f"{share['reconstruction_cost']:.3g} ({share['share']:.0%} of it)"
        )


def _print_outside(advice: "Recommendations") -> None:
    """How many people were not asked about, and why the first of them was not."""
    outside = advice.explanations()[advice.outcome == "outside_schema"]
    if len(outside):
        typer.echo(
            f"{len(outside)} of {len(advice)} people are left out because their own values break "
            f"the schema; the first is {outside.index[0]}: {outside.iloc[0]}"
        )


def _summarise(
    found: "Autoencoder", people: "pd.DataFrame", percentiles: "Percentiles", seed: int
) -> None:
    from standfast.autoencoder import diagnosis

    about = found.about
    typer.echo(
        f"autoencoder: s = {found.components}, z = {found.latent}, {about['epochs']} epochs over "
        f"{about['rows']} people{', ' * bool(about['data'])}{about['data']}, seed {about['seed']}"
    )
    for title, digits, frame in (
        ("bound of log p, nats per person", ".2f", diagnosis.held_out_bound(found, people)),
        (
            "reconstruction of each input",
            ".3f",
            diagnosis.reconstruction(found, people, percentiles),
        ),
        (
            "real against decoded and drawn values",
            ".3g",
            diagnosis.marginals(found, people, percentiles, seed),
        ),
    ):
        shown = frame.map(partial(_shown, digits=digits)).to_string()
        typer.echo(f"\n{title}\n{shown}")


def _shown(value: object, digits: str) -> object:
    """A number without an exponent; nothing where there is none, such as a nominal's quantile."""
    if not isinstance(value, float):
        return value
    if math.isnan(value):
        return ""
    return f"{value:,.0f}" if digits.endswith("g") and abs(value) >= LARGE else f"{value:{digits}}"
