"""standfast reasons: why each person is refused."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import numbers, options, outputs, scores, tables
from standfast.cli.command import command, option, options_class
from standfast.cli.recommend import RecommendInputs

if TYPE_CHECKING:
    from standfast.evaluation import Reasons

SHOWN = 5  # people whose reasons the summary repeats


@options_class
class ReasonsOptions(RecommendInputs):
    """The options of standfast reasons."""

    people: Path = option("The refused people (CSV, Parquet).")
    out: Path = option("Where to write a row for each person and reason: .csv or .parquet.")
    most: int = option(
        "How many reasons to give each person at most.", allowed=(1, numbers.WAYS), default=4
    )
    threshold: float | None = options.threshold()
    margin: list[float] = options.margin()
    cost: options.Cost = option(
        "What necessity and sufficiency are measured in: the sum of percentile shifts, the "
        "largest, the log shift.",
        default="total",
        panel=options.SEARCH,
    )
    jobs: int = options.jobs(options.SEARCH)
    time_limit: float | None = options.time_limit()
    trust: list[str] = options.trust()


@command
def run(given: ReasonsOptions) -> None:
    """Find the principal reasons for each refusal, with proof.

    They are the inputs of the smallest blocking set: with all of them left as they are, no
    admissible change of anything else leads to acceptance. Necessity is how much more advice costs
    without changing an input, sufficiency what it costs to change nothing else.
    """
    from standfast.evaluation import reasons
    from standfast.files import check_writable
    from standfast.methods import MinimalCost
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema

    inputs = [given.schema, given.table, *given.model, given.people]
    outputs.check_tables({"--out": given.out}, inputs)
    check_writable(given.out)
    schema = Schema.read(given.schema)
    reference, refused = tables.read(given.table, given.people, schema, given.drop, given.index)
    score = scores.joint(given, "minimal-cost", schema)
    with tables.about(given.schema):
        method = MinimalCost(schema, Percentiles.fit(reference), cost=given.cost)
    scores.warn_of_accepted(score, schema, refused)
    found = reasons(
        method, score, refused, most=given.most, jobs=given.jobs, time_limit=given.time_limit
    )
    table = found.to_frame()
    table.insert(0, str(refused.index.name or "person"), table.index)
    outputs.write((given.out, lambda: table))
    _summarise(found, given)


def _summarise(found: "Reasons", given: ReasonsOptions) -> None:
    people = found.people()
    typer.echo(f"{len(people)} people")
    for ending, count in people["ending"].value_counts().items():
        typer.echo(f"{count:>7} {ending}")
    reasons = found.to_frame()["feature"].value_counts().head(SHOWN)
    if len(reasons):
        typer.echo("\nmost frequent: " + ", ".join(f"{name} {n}" for name, n in reasons.items()))
        proven = people[people["ending"] == "proven"]
        for person, sentence in proven["sentence"].head(SHOWN).items():
            typer.echo(f"{person}: {sentence}")
        if len(proven) > SHOWN:
            typer.echo(f"… and {len(proven) - SHOWN} more")
    typer.echo(f"\nwritten to {given.out}")
