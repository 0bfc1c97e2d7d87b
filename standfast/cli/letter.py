"""standfast letter: what each person is told, as one document per person."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import outputs, tables
from standfast.cli.command import argument, command, option, options_class
from standfast.cli.console import say, undisturbed
from standfast.errors import InputError, listing

if TYPE_CHECKING:
    from standfast.percentiles import Percentiles
    from standfast.recommendations import Recommendations


@options_class
class LetterOptions:
    """The options of standfast letter."""

    recommendations: Path | None = argument(
        "What 'standfast recommend --out' wrote: .csv or .parquet.", "RECOMMENDATIONS"
    )
    out: Path | None = option(
        "The folder to make: a page (.html) and a text (.txt) per person, and letters.csv, which "
        "says whose they are.",
        "FOLDER",
    )
    reasons: Path | None = option("What 'standfast reasons --out' wrote.")
    certificate: Path | None = option("What 'standfast certify --out' wrote.")
    schema: Path | None = option(
        "A schema whose labels to use instead of those that the advice was made with (TOML)."
    )
    picture: Path | None = option(
        "Show on each page with advice the person among the people of this table (CSV, Parquet), "
        "such as the reference table of the advice.",
        "TABLE",
    )
    valid_until: str | None = option(
        "The date until which you stand by the advice; without it the letters promise none.",
        "YYYY-MM-DD",
    )
    language: str = option(
        "The letters' language: en, de, or one of your own.", "CODE", default="en"
    )
    template: Path | None = option(
        "Templates of your own: a folder as --copy-template makes it.", "FOLDER"
    )
    copy_template: Path | None = option(
        "Write the shipped templates into this new folder, to be changed there, and no letters.",
        "FOLDER",
    )


@command
def run(given: LetterOptions) -> None:
    """Write a letter to each person: the decision, its reasons, and what would change it.

    Everybody gets one, also without advice. The letters say until when they hold, with which
    certificate, and what cannot be promised. They claim no compliance with any law.
    """
    from standfast.letters import copy_templates

    if given.copy_template is not None:
        copy_templates(given.copy_template)
        typer.echo(f"templates written to {given.copy_template}; use them with --template")
        return
    if given.recommendations is None or given.out is None:
        raise InputError(
            "name the recommendations and the folder to make: standfast letter advice.parquet "
            "--out letters"
        )
    _write(given, given.recommendations, given.out)


def _write(given: LetterOptions, advised: Path, out: Path) -> None:
    from standfast.files import check_new_folder
    from standfast.letters import compose, evidence
    from standfast.recommendations import Recommendations
    from standfast.recommendations.storage import parts
    from standfast.schema import Schema

    inputs = [*parts(advised), given.reasons, given.certificate, given.schema, given.picture]
    outputs.check_separate({"--out": [out]}, inputs, [given.template])
    check_new_folder(out)
    advice = Recommendations.read(advised)
    if given.schema is not None:
        with tables.about(given.schema):
            labelled = advice.schema.with_labels(Schema.read(given.schema))
        advice = replace(advice, schema=labelled)
    reasons, certificate = (
        None if path is None else evidence.read(path, advice, f"write it again: standfast {verb}")
        for path, verb in ((given.reasons, "reasons"), (given.certificate, "certify"))
    )
    letters = compose(
        advice,
        reasons=reasons,
        certificate=certificate,
        valid_until=given.valid_until,
        language=given.language,
        template=given.template,
        picture=None if given.picture is None else _percentiles(given.picture, advice),
    )
    _warn_of_past(given.valid_until)
    with undisturbed():
        letters.write(out)
    for outcome, count in advice.counts().items():
        typer.echo(f"{count:>7} {outcome}")
    typer.echo(f"{len(letters)} letter{'s' * (len(letters) != 1)} written to {out}")


def _percentiles(path: Path, advice: "Recommendations") -> "Percentiles":
    from standfast.percentiles import Percentiles

    names = list(advice.schema.names)
    table = tables.from_file(path, names=advice.schema.category_names)
    absent = [name for name in names if name not in table]
    if absent:
        raise InputError(
            f"--picture '{path}' has no column {listing(absent)}; give a table with all inputs of "
            "the advice, such as its reference table"
        )
    with tables.about(path):
        return Percentiles.fit(table[names]).of(advice.schema)


def _warn_of_past(valid_until: str | None) -> None:
    from datetime import date

    if valid_until is not None and date.fromisoformat(valid_until) < date.today():
        say(f"warning: --valid-until {valid_until} has passed")
