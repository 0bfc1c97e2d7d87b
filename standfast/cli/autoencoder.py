"""standfast autoencoder: learn how people are distributed, and check what was learnt."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from standfast.autoencoder.training import COMPONENTS, EPOCHS, LATENT
from standfast.cli import numbers, options, outputs, tables
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

LARGEST = 1000  # components or latent numbers

TableArgument = Annotated[
    Path, typer.Argument(help="A CSV or Parquet file", metavar="TABLE", show_default=False)
]
Fitted = Annotated[
    Path,
    typer.Argument(help="A fitted autoencoder (.npz)", metavar="FILE", show_default=False),
]


@app.command()
def fit(
    table: TableArgument,
    schema: options.SchemaFile,
    out: Annotated[
        Path,
        typer.Option("--out", help="The .npz file to write.", metavar="FILE", show_default=False),
    ],
    drop: options.Drop = None,
    components: Annotated[
        int,
        typer.Option(
            "--components", help="How many components (s).", min=1, max=LARGEST, metavar="N"
        ),
    ] = COMPONENTS,
    latent: Annotated[
        int,
        typer.Option(
            "--latent", help="How many latent numbers (z).", min=1, max=LARGEST, metavar="N"
        ),
    ] = LATENT,
    epochs: Annotated[
        int,
        typer.Option(
            "--epochs", help="Passes over the table.", min=1, max=numbers.MANY, metavar="N"
        ),
    ] = EPOCHS,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help="Same seed, same autoencoder.", min=0, max=numbers.SEEDS, metavar="N"
        ),
    ] = 0,
) -> None:
    """Learn how the people of a table are distributed, given what they cannot change.

    Needs the extra 'autoencoder' (JAX); using the file does not.
    """
    from standfast.autoencoder import fit as learn
    from standfast.autoencoder.diagnosis import warnings_about
    from standfast.autoencoder.storage import check_path
    from standfast.files import read_table
    from standfast.schema import Schema

    outputs.check_spared({"--out": [out]}, [table, schema])
    check_path(out)
    meaning = Schema.read(schema)
    (people,) = tables.without(drop or [], read_table(table))
    tables.check(people, meaning, table)
    losses: list[float] = []
    with progress_bar("epochs") as report, tables.about(table):

        def told(epoch: int, loss: float) -> None:
            losses.append(loss)
            if report:
                report(epoch, epochs, f"loss {loss:.3f}")

        fitted = learn(
            meaning, people, s=components, z=latent, epochs=epochs, seed=seed, progress=told
        )
    with undisturbed():
        fitted.write(out)
    learnt = f"; loss {losses[0]:.3f} after the first epoch, {losses[-1]:.3f} after the last"
    say(
        f"wrote {out}: s = {components}, z = {latent}, {epochs} epochs over {len(people)} people"
        f"{learnt if losses else ''}"
    )
    for warning in warnings_about(meaning, people):
        say(warning)


@app.command()
def check(
    file: Fitted,
    table: Annotated[
        Path,
        typer.Option(
            "--table",
            help="People it was not fitted on (CSV, Parquet).",
            metavar="FILE",
            show_default=False,
        ),
    ],
    reference: Annotated[
        Path | None,
        typer.Option(
            "--reference",
            help="The table whose percentiles measure the cost; the people themselves unless given",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            help="A fitted model: also tell how much of its advice is mere reconstruction.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    favourable: Annotated[
        str | None,
        typer.Option("--favourable", help="The class people want.", metavar="CLASS"),
    ] = None,
    drop: options.Drop = None,
    trust: options.Trust = None,
    seed: options.Seed = 0,
) -> None:
    """Tell how well an autoencoder models people it has not seen.

    The bound of their log-likelihood, how each input survives encoding and decoding, and decoded
    against real values; with a model, what part of the advice is mere reconstruction.
    """
    from standfast.autoencoder import Autoencoder
    from standfast.files import read_table
    from standfast.percentiles import Percentiles

    if (model is None) != (favourable is None):
        raise InputError("--model and --favourable go together; give both or neither")
    found = Autoencoder.read(file)
    frames = [read_table(path) for path in (table, *([reference] if reference else []))]
    frames = tables.without(drop or [], *frames)
    for path, frame in zip((table, *([reference] if reference else [])), frames, strict=True):
        tables.check(frame, found.schema, path)
    percentiles = Percentiles.fit(frames[-1])
    _tell(found, frames[0], percentiles, seed)
    if model is not None and favourable is not None:
        from standfast.methods import CCHVAE, recommend
        from standfast.methods.mere_reconstruction import mere_reconstruction

        score = score_of(model, found.schema, trust or [], favourable, None)
        warn_of_accepted(score, found.schema, frames[0])
        method = CCHVAE(found.schema, percentiles, found)
        advice = recommend(method, score, frames[0], seed=seed)
        told = mere_reconstruction(method, score, advice)
        typer.echo()
        _tell_outside(advice)
        typer.echo(
            f"of {told['refused']:.0f} refused people {told['accepted']:.1%} are accepted as "
            f"their mere reconstruction; {told['advised']:.0f} get advice, at a mean total shift "
            f"of {told['cost']:.3g}, while mere reconstruction costs them "
            f"{told['reconstruction_cost']:.3g} ({told['share']:.0%} of it)"
        )


def _tell_outside(advice: "Recommendations") -> None:
    """How many people were not asked about, and why the first of them was not."""
    outside = advice.explanations()[advice.outcome == "outside_schema"]
    if len(outside):
        typer.echo(
            f"{len(outside)} of {len(advice)} people are left out because their own values break "
            f"the schema; the first is {outside.index[0]}: {outside.iloc[0]}"
        )


def _tell(
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
        typer.echo(f"\n{title}\n{frame.to_string(float_format=f'{{:{digits}}}'.format)}")
