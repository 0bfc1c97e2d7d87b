"""standfast transfer: which recommendations other models still accept."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import folders, numbers, options, outputs
from standfast.cli.advice import AdviceOptions
from standfast.cli.command import command, option, options_class
from standfast.cli.scores import score_asked
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.evaluation import Transfer
    from standfast.schema import Schema
    from standfast.scores import Score

SHOWN = 20  # rivals the summary shows, the least faithful first


@options_class
class TransferOptions(AdviceOptions):
    """The options of standfast transfer."""

    level_set: Path | None = option("A folder written by: standfast level-set build.", "FOLDER")
    model: list[Path] = option(
        "A rival's model file; may be repeated. Needs --favourable.", default=()
    )
    favourable: str | None = option(
        "The class people want, as the models of --model call it.", "CLASS"
    )
    threshold: float | None = options.threshold()
    confidence: float = option(
        "Of the interval around each transfer.", "SHARE", allowed=numbers.share, default=0.95
    )
    trust: list[str] = options.trust()
    out: Path | None = option("Where to write the table of rivals: .csv or .parquet.")
    people_out: Path | None = option(
        "Where to write people × rivals, a row each: .csv or .parquet."
    )


@command
def run(given: TransferOptions) -> None:
    """Report how much of the advice other, equally good models keep, rival by rival.

    T is the share of recommendations a rival accepts, over the n_E people who got one, with its
    confidence interval.
    """
    from standfast.evaluation import transfer

    given.check()
    tables, (files, whole) = {"--out": given.out, "--people-out": given.people_out}, given.sources()
    outputs.check_tables(tables, [*files, *given.model], [given.level_set, *whole])
    if given.is_folder:
        _run_folder(given)
        return
    advice = given.advice()
    rivals = _rivals(given, advice.schema)
    with given.named():
        found = transfer(advice, rivals, confidence=given.confidence)
    outputs.write((given.out, found.rivals.reset_index), (given.people_out, found.to_frame))
    _summarise(found, given)


def _run_folder(given: TransferOptions) -> None:
    """The same of a folder of parts, which are read one after the other."""
    from standfast import portfolio
    from standfast.cli.portfolio import appending

    assert given.recommendations is not None
    advice = portfolio.Advice(given.recommendations)
    rivals = _rivals(given, advice.schema)
    with given.named(), appending(given.people_out) as each:
        found = portfolio.transfer(advice, rivals, confidence=given.confidence, each=each)
    outputs.write((given.out, found.rivals.reset_index))
    typer.echo(
        f"{found.people:,} people, {found.provenance.get('method', '')}; n_E = {found.advised:,} "
        f"got a recommendation, judged by {len(found.rivals)} rival{'s' * (len(found.rivals) > 1)}"
    )
    shown = found.rivals.sort_values("transfer", kind="stable").head(SHOWN)
    typer.echo(f"\n{shown.to_string(float_format='{:.3f}'.format)}")
    typer.echo(
        f"\nmean transfer {found.rivals['transfer'].mean():.3f}; recommendations kept by every "
        f"rival: {found.by_every:,} of {found.advised:,}, by none: {found.by_none:,}"
    )
    outputs.say_written(given.out, given.people_out)


def _rivals(given: TransferOptions, schema: "Schema") -> "dict[str, Score]":
    """The rivals of a level set's folder and of model files, by name."""
    if given.level_set is None and not given.model:
        raise InputError(
            "there is no rival; name a folder with --level-set, or model files with --model"
        )
    if given.threshold is not None and not given.model:
        raise InputError(
            "--threshold holds for --model files; the rivals of a level set keep the thresholds "
            "they were built with: leave it out, or name the rivals' files with --model"
        )
    found: dict[str, Score] = {}
    if given.level_set is not None:
        built = folders.level_set(given.level_set, schema, given.trust)
        found |= dict(zip(built.names, built.rivals, strict=True))
    if given.model and given.favourable is None:
        raise InputError("--model needs --favourable, the class people want, such as 1")
    for path in given.model:
        name = path.stem if path.stem not in found else str(path)
        found[name] = score_asked(given, path, schema)
    return found


def _summarise(found: "Transfer", given: TransferOptions) -> None:
    about = found.provenance
    typer.echo(
        f"{len(found.people)} people, {about.get('method', '')}; n_E = {found.n} got a "
        f"recommendation, judged by {len(found.rivals)} rival{'s' * (len(found.rivals) > 1)}"
    )
    if about.get("data"):
        typer.echo(f"people: {about['data']}")
    shown = found.rivals.sort_values("transfer", kind="stable").head(SHOWN)
    typer.echo(f"\n{shown.to_string(float_format='{:.3f}'.format)}")
    if len(found.rivals) > SHOWN:
        typer.echo(f"… and {len(found.rivals) - SHOWN} more that keep as much or more")
    advised = found.people[found.people["advised"]]
    whole = int((advised["kept"] == len(found.rivals)).sum())
    none = int((advised["kept"] == 0).sum())
    typer.echo(
        f"\nmean transfer {found.rivals['transfer'].mean():.3f}; recommendations kept by every "
        f"rival: {whole} of {found.n}, by none: {none} of {found.n}"
    )
    outputs.say_written(given.out, given.people_out)
