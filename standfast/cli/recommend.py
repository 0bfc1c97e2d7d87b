"""standfast recommend: what each declined person should change."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from standfast.cli import methods, numbers, options, outputs, portfolio, scores, tables
from standfast.cli.command import command, option, options_class
from standfast.cli.console import (
    STOPPED,
    progress_bar,
    say,
    say_reading,
    spelled,
    stoppable,
    undisturbed,
)
from standfast.cli.method_files import MethodFiles
from standfast.errors import InputError, listing

if TYPE_CHECKING:
    from standfast.recommendations import Recommendations

FOLDERS = "Data sets of any size"
SHOWN = 5  # people whose advice the summary repeats, and models it names


@options_class
class RecommendInputs:
    """What is read and written."""

    schema: Path = options.schema_file()
    table: Path = option("The reference table (CSV, Parquet): its percentiles measure the cost.")
    model: list[Path] = option(
        f"The fitted model: {options.MODEL_FILE} May be repeated, the reference first: the advice "
        "then satisfies all of them."
    )
    people: Path = option(
        "The people to advise (CSV, Parquet); or a data set of any size: a folder of files, also "
        "with partitions, or a pattern in quotes, with a folder as --out."
    )
    favourable: str = options.favourable()
    out: Path = option(
        "Where to write the recommendations: .csv or .parquet; or a folder, for parts. A run that "
        "was stopped continues when the same command is given again."
    )
    drop: list[str] = options.drop()
    index: str | None = option(
        "The people's column that labels them; it is not an input.", "COLUMN"
    )


@options_class
class KeepOptions:
    """What stays as it is."""

    keep: list[str] = option(
        "Inputs that stay as they are, separated by commas; may be repeated.",
        "INPUTS",
        default=(),
        panel=options.SEARCH,
    )
    keep_column: str | None = option(
        "The people's column that lists, separated by semicolons, what each of them cannot change.",
        "COLUMN",
        panel=options.SEARCH,
    )
    only: list[str] = option(
        "The only inputs that may change, separated by commas; may be repeated.",
        "INPUTS",
        default=(),
        panel=options.SEARCH,
    )

    def asked(self, people: Path, index: str | None, names: Sequence[str]) -> tuple[Any, Any]:
        """What to keep and what alone to change, as `recommend` takes them."""
        found = self.inputs(names)
        if self.keep_column is not None:
            table = tables.from_file(people, index=index)
            if self.keep_column not in table or self.keep_column in names:
                raise InputError(
                    f"--keep-column {self.keep_column}: '{people}' has no such column beside the "
                    f"inputs; it has {listing(table.columns, 30)}"
                )
            return table[self.keep_column], None
        return found

    def inputs(self, names: Sequence[str]) -> tuple[list[str] | None, list[str] | None]:
        """What everybody keeps, and what alone everybody may change."""
        if sum(map(bool, (self.keep, self.keep_column, self.only))) > 1:
            raise InputError("give one of --keep, --keep-column and --only")
        named = [
            [one] if one in names else [name.strip() for name in one.split(",")]
            for one in (*self.keep, *self.only)
        ]
        inputs = [name for found in named for name in found]
        return inputs if self.keep else None, inputs if self.only else None


@options_class
class RecommendOptions(KeepOptions, methods.MethodOptions, RecommendInputs):
    """The options of standfast recommend."""

    threshold: float | None = options.threshold()
    margin: list[float] = options.margin()
    seed: int = options.seed("advice", options.SEARCH)
    jobs: int = options.jobs(options.SEARCH)
    time_limit: float | None = options.time_limit()
    total_time: float | None = option(
        "Seconds for everybody.", "SECONDS", allowed=numbers.seconds, panel=options.SEARCH
    )

    shard: str | None = option(
        "Of a data set, only this share of the parts: 2/8 is the second of eight.",
        "I/N",
        panel=FOLDERS,
    )
    part_rows: int | None = option(
        "Of a data set, how many people a part holds; 4,096 unless given.",
        allowed=(1, numbers.MANY),
        panel=FOLDERS,
    )


@command
def run(given: RecommendOptions) -> None:
    """Find what each declined person can change so that the model, or every model, accepts.

    Every answer is checked again with the models' own predictions. People without an answer keep
    their row, with the reason. Ctrl-C writes what is finished.
    """
    if portfolio.is_folder(given.people, given.out):
        _run_folder(given)
        return
    for name in ("shard", "part_rows"):
        if getattr(given, name) is not None:
            raise InputError(
                f"--{name.replace('_', '-')} goes with a folder: name one with --people or --out"
            )
    from standfast.files import check_writable
    from standfast.methods import recommend
    from standfast.percentiles import Percentiles
    from standfast.recommendations.storage import check_ending, parts
    from standfast.schema import Schema

    outputs.check_separate(
        {"--out": parts(given.out)},
        [
            given.schema,
            given.table,
            *given.model,
            given.people,
            given.support,
            given.autoencoder,
        ],
        given.fresh,
    )
    check_ending(given.out)
    for path in parts(given.out):
        check_writable(path)
    given.check_method()
    schema = Schema.read(given.schema)
    files = MethodFiles.read(given, schema)
    keep, only = given.asked(given.people, given.index, schema.names)
    beside = [*given.drop, *filter(None, [given.keep_column])]
    reference, refused = tables.read(given.table, given.people, schema, beside, given.index)
    score = scores.joint(given, given.method, schema)
    with tables.about(given.schema):
        method = given.prepared(schema, Percentiles.fit(reference), files)
    scores.warn_of_accepted(score, schema, refused)
    files.warn_of_thresholds(given.threshold)
    with stoppable():
        with progress_bar("people") as progress:
            result = recommend(
                method,
                score,
                refused,
                seed=given.seed,
                jobs=given.jobs,
                time_limit=given.time_limit,
                total_time=given.total_time,
                progress=progress,
                keep=keep,
                only=only,
            )
        with undisturbed():
            result.write(given.out)
    _summarise(result, given)
    if result.interrupted:
        say("stopped before everybody was advised; those left are marked 'exhausted'")
        raise typer.Exit(STOPPED)


def _run_folder(given: RecommendOptions) -> None:
    from standfast.methods import prepare
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema

    beside = [given.schema, *given.model, given.support, given.autoencoder]
    whole = [path for path in (given.table, given.people) if path.is_dir()]
    outputs.check_separate({"--out": [given.out]}, beside, [*whole, *given.fresh])
    given.check_method()
    schema = Schema.read(given.schema)
    files = MethodFiles.read(given, schema)
    portfolio.check_columns(given, schema)
    keep, only = given.inputs(schema.names)
    score = scores.joint(given, given.method, schema)
    files.warn_of_thresholds(given.threshold)
    say_reading(given.table)
    with tables.about(given.table):
        percentiles = Percentiles.fit(given.table, schema)
    with tables.about(given.schema):
        method = given.prepared(schema, percentiles, files)
    portfolio.run(prepare(method, score), given, keep, only)


def _summarise(result: "Recommendations", given: RecommendOptions) -> None:
    about = result.provenance
    typer.echo(f"{len(result)} people, {about['method']}, seed {about['seed']}")
    for what, origin in (("people", about["data"]), ("reference table", about["reference_data"])):
        if origin:
            typer.echo(f"{what}: {origin}")
    typer.echo()
    for outcome, count in result.counts().items():
        typer.echo(f"{count:>7} {outcome:<18} {_meaning(result, str(outcome))}")
    _print_proofs(result, given.model)
    paid = result.cost[result.found]
    refused = result.outcome != "already_favourable"
    if refused.any() and not len(paid):  # why, without opening the file
        typer.echo()
        for person, sentence in result.sentences()[refused].head(SHOWN).items():
            typer.echo(f"{person}: {sentence}")
        if refused.sum() > SHOWN:
            typer.echo(f"… and {refused.sum() - SHOWN} more")
    if len(paid):
        each = about["settings"].get("per_change")
        more = f", {each:g} of it for every change" if each else ""
        typer.echo(
            f"\ncost ({about['settings']['cost']} shift{more}): median {paid.median():.4g}, "
            f"mean {paid.mean():.4g} (n = {len(paid)})\n"
        )
        shown = result.to_frame()[result.found].head(SHOWN)
        for person, sentence, remark in shown[["sentence", "remark"]].itertuples():
            more = f" ({remark.removesuffix('.')})" if remark else ""
            typer.echo(f"{person}: {sentence}{more}")
            _print_alternatives(result, person)
        if len(paid) > SHOWN:
            typer.echo(f"… and {len(paid) - SHOWN} more")
    typer.echo(f"\nwritten to {given.out}")
    if given.fresh:
        _print_next(result, given)


def _meaning(result: "Recommendations", outcome: str) -> str:
    """What an outcome means for those who have it."""
    from standfast.recommendations import Outcome
    from standfast.recommendations.causes import ActionGrid
    from standfast.recommendations.outcome import ON_ITS_GRID

    causes = result.results["cause"][result.outcome == outcome]
    if outcome == Outcome.MINIMAL and any(isinstance(one, ActionGrid) for one in causes):
        return ON_ITS_GRID
    return Outcome(outcome).sentence


def _print_proofs(result: "Recommendations", models: Sequence[Path]) -> None:
    """How many answers are proven, how far the others may be off, and which models shaped them."""
    counts = result.counts()
    within = int(counts.get("within_gap", 0))
    proven = sum(int(counts.get(outcome, 0)) for outcome in ("minimal", "infeasible"))
    if result.provenance["method"].startswith(("growing spheres", "c-chvae", "invariant")):
        return
    gap = f" (largest gap {result.gap[result.found].max():.1%})" if within else ""
    typer.echo(f"\nproven: {proven}, within a gap: {within}{gap}")
    names = [
        f"{name} ({models[k].name})" if k < len(models) else name
        for k, name in enumerate(result.provenance.names)
    ]
    # a search that ended before an answer says only which models it had looked at
    ended = result.found | (result.outcome == "infeasible")
    often = Counter(m for binding in result.results["binding"][ended] for m in binding)
    if often and (len(models) > 1 or len(often) > 1):
        counted = [f"{names[m]} {n}" for m, n in often.most_common(SHOWN)]
        typer.echo(f"models that bind, by people: {', '.join(counted)}")


def _print_next(result: "Recommendations", given: RecommendOptions) -> None:
    """For how many the target is missed, by count and by estimate, and what to do next."""
    if result.shortfall is not None and result.shortfall.advised:
        typer.echo(result.shortfall.sentence)
    trusted = [word for one in given.trust for word in ("--trust", one)]
    for folder in given.fresh:
        typer.echo(f"certify it: {spelled('certify', given.out, '--fresh', folder, *trusted)}")


def _print_alternatives(result: "Recommendations", person: Any) -> None:
    if result.alternatives is None:
        return
    ways = result.flipset(person)
    answer = result.sentences()[person]
    for rank, way in ways[ways["sentence"] != answer].iterrows():
        typer.echo(f"    or {rank}. {way['sentence']} (cost {way['cost']:.4g})")
