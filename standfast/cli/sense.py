"""standfast sense: whether advice makes sense, by the word of labelled data."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import labelled, options, outputs, tables
from standfast.cli.command import command, option, options_class

if TYPE_CHECKING:
    from standfast.evaluation import Sense

SHOWN = 5  # people whose remarks the summary shows


@options_class
class SenseOptions:
    """The options of standfast sense."""

    recommendations: Path = options.recommendations()
    table: Path = option("People with their labels, such as the training people (CSV, Parquet).")
    label: str = option("The column that says how each person turned out.", "COLUMN")
    favourable: str = option("The label people want: 1, Good, …", "VALUE")
    schema: Path | None = option(
        "What the columns mean, with directions and relations (TOML). Unless given, the schema of "
        "the advice."
    )
    drop: list[str] = options.drop()
    out: Path | None = option(
        "Where to write a row per person with counts and remarks: .csv or .parquet."
    )
    moves_out: Path | None = option(
        "Where to write a row per change with its kinds: .csv or .parquet."
    )


@command
def run(given: SenseOptions) -> None:
    """Report moves against the data's direction, broken relations, small moves and unseen values.

    A direction comes from the schema, or from the labels where they are clear. Relations are
    those of the schema, and those that at least 99 % of the table keep. A move is small if it
    passes less than one percent of the people.
    """
    from standfast.evaluation import sense
    from standfast.recommendations import Recommendations
    from standfast.recommendations.storage import parts
    from standfast.schema import Schema

    outputs.check_tables(
        {"--out": given.out, "--moves-out": given.moves_out},
        [*parts(given.recommendations), given.table, given.schema],
    )
    advice = Recommendations.read(given.recommendations)
    schema = advice.schema if given.schema is None else Schema.read(given.schema)
    data = labelled.people(given.table, schema, given.label, given.favourable, given.drop)
    with tables.about(given.recommendations):
        found = sense(advice, data)
    names = found.moves[["from", "to"]].select_dtypes(object)  # a file has one type each
    outputs.write(
        (given.out, lambda: found.to_frame().rename_axis("person").reset_index()),
        (given.moves_out, lambda: found.moves.assign(**names.map(str))),
    )
    _summarise(found, given)


def _summarise(found: "Sense", given: SenseOptions) -> None:
    typer.echo(f"{found.sentence}\n\n{found.summary.to_string(float_format='{:.3f}'.format)}")
    odd = found.features[found.features["changed"] > 0].sort_values(
        ["against", "changed"], ascending=False, kind="stable"
    )
    typer.echo(f"\n{odd.to_string(float_format='{:.3f}'.format)}")
    broken = found.laws[found.laws["broken"] > 0]
    if len(broken):
        typer.echo(f"\n{broken.to_string(float_format='{:.3f}'.format)}")
    odd_people = found.remarks[found.remarks != ""]
    for person, remark in odd_people.head(SHOWN).items():
        typer.echo(f"\n{person}: {remark}")
    if len(odd_people) > SHOWN:
        typer.echo(f"\n… and remarks on {len(odd_people) - SHOWN} more people; --out writes them")
    outputs.say_written(given.out, given.moves_out)
