"""standfast gate: may this model replace the one that people were advised under?"""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from standfast.cli import numbers, options, outputs, retraining, scores, tables
from standfast.cli.advice import check_key, sources
from standfast.cli.command import command, flag, option, options_class
from standfast.cli.console import say, undisturbed
from standfast.cli.ledger_options import ADDRESS, key_in, on_date
from standfast.cli.retraining import PEOPLE, LabelledOptions, Retraining
from standfast.errors import InputError, listing

if TYPE_CHECKING:
    import pandas as pd

    from standfast.promises import Promises
    from standfast.promises.gate import GateReport
    from standfast.promises.gate.registry import RegisteredModel
    from standfast.schema import Schema
    from standfast.scores import Score

SOURCE = "Where the promises are"
REGISTRY = "models:/"


@options_class
class GateOptions(LabelledOptions):
    """The options of standfast gate."""

    model: str = option(
        f"The candidate: a model file ({options.MODEL_FILE.removesuffix('.')}), or a version in an "
        "MLflow registry: models:/credit@challenger.",
        "MODEL",
    )
    ledger: str | None = option(ADDRESS, "LEDGER", panel=SOURCE)
    key: Path | None = option("The file with the ledger's key.", panel=SOURCE)
    recommendations: Path | None = option(
        "Advice to judge instead of a ledger, each person's point alone: .csv, .parquet or a "
        "folder of advice.",
        panel=SOURCE,
    )
    on: str | None = on_date()
    require: list[str] = option(
        "A condition that must hold, such as 'kept >= 0.98'; may be repeated. What it may ask for: "
        "docs/gate.md.",
        "CONDITION",
        default=(),
    )
    out: Path | None = option("The folder for gate.html, gate.json and gate.junit.xml.", "FOLDER")
    champion: Path | None = option(
        "The model in use, to compare decisions with. Needs --table.", panel=PEOPLE
    )
    table: Path | None = option(
        "Labelled people to compare both models on (CSV, Parquet).", panel=PEOPLE
    )
    segment: str | None = option(
        "By what to show who is affected: an input, or a column of --segments.",
        "COLUMN",
        panel=PEOPLE,
    )
    segments: Path | None = option(
        "A table with a column that is not an input, to show who is affected by. Needs --index.",
        panel=PEOPLE,
    )
    index: str | None = option(
        "The column of --segments that says who each person is, as when they were advised.",
        "COLUMN",
        panel=PEOPLE,
    )
    confidence: float = option("Of intervals.", "SHARE", allowed=numbers.share, default=0.95)
    repair: bool = flag(
        "Also show what it would cost to make good what is broken, of a thousand promises at most: "
        "topping up, honouring, and with --retrain fitting the candidate again. Needs --table, by "
        "whose people changes are measured."
    )
    approver: str = option("Who answers for the decision.", "NAME", default="")
    tracking_uri: str | None = option("Which MLflow; MLFLOW_TRACKING_URI unless given.", "URI")
    jobs: int = options.jobs()


@command
def run(given: GateOptions) -> None:
    """Judge every open promise under a candidate model; exit 0 passes, 1 holds it back.

    A promise is kept if the candidate accepts all of its box, proven; at risk if it refuses a part;
    broken if it refuses the advice itself. All conditions must hold. The ledger keeps a record of
    the run, and its Merkle root is printed.
    """
    from standfast.promises.gate import GateSettings, condition, gate

    condition.all_of(given.require)  # a slip in a condition is said before anything is loaded
    _check(given)
    source, schema = _source(given)
    with tempfile.TemporaryDirectory() as place:
        candidate, file, version = _candidate(given, schema, Path(place))
        people, champion = _compared(given, schema)
        again = None if people is None else given.retraining(file, schema, people)
        address = f"{given.model}, version {version.version}" if version else given.model
        report = gate(
            source,
            candidate,
            on=given.on,
            require=given.require,
            champion=champion,
            people=people,
            segment=_segment(given, source),
            settings=GateSettings(
                jobs=given.jobs,
                confidence=given.confidence,
                name=version.name if version else Path(given.model).stem,
                address=address,
                approver=given.approver,
                repairs=_repairs(given, (champion, candidate), people, again),
            ),
        )
        _write(report, given.out, version, Path(place))
    _summarise(report, given.out)
    raise typer.Exit(0 if report.passed else 1)


def _check(given: GateOptions) -> None:
    """Refuse options that contradict each other, and outputs that would overwrite inputs."""
    if (given.ledger is None) == (given.recommendations is None):
        raise InputError(
            "name where the promises are: either --ledger with --key, or --recommendations"
        )
    check_key(given.ledger, given.key)
    for name, needs in (("champion", "table"), ("table", "label"), ("label", "table")):
        if getattr(given, name) is not None and getattr(given, needs) is None:
            raise InputError(f"--{name} needs --{needs}: both models are compared on people")
    if given.repair and given.table is None:
        raise InputError("--repair needs --table: what a change costs is measured by its people")
    for name, needs in (("segments", "index"), ("segments", "segment"), ("index", "segments")):
        if getattr(given, name) is not None and getattr(given, needs) is None:
            raise InputError(f"--{name} needs --{needs}: whose segment is which")
    retraining.check(given, given.repair)
    files, whole = sources(given.recommendations, given.ledger, given.key)
    model = None if given.model.startswith(REGISTRY) else Path(given.model)
    files += [model, given.champion, given.table, given.retrain, given.segments]
    outputs.check_separate({"--out": [given.out, *_files(given.out)]}, files, whole)


def _files(folder: Path | None) -> list[Path]:
    from standfast.promises.gate.writing import FILES

    return [] if folder is None else [folder / name for name in FILES]


def _source(given: GateOptions) -> "tuple[Any, Schema]":
    """The promises, and the schema that they have."""
    if given.recommendations is not None:
        promises = _promised(given.recommendations)
        return promises, promises.schema
    from standfast.promises.ledger import Ledger

    assert given.ledger is not None
    assert given.key is not None
    ledger = Ledger.open(given.ledger, key_in(given.key))
    first = next(iter(ledger.blocks(on=given.on, size=1)), None)
    return ledger, first.schema if first is not None else ledger.open_promises(given.on).schema


def _promised(advice: Path) -> "Promises":
    """What a file or a folder of advice promises."""
    from standfast.promises import Promises

    if advice.is_dir():
        from standfast.portfolio import Advice

        return Promises.of_parts(Advice(advice))
    from standfast.recommendations import Recommendations

    return Promises.of(Recommendations.read(advice))


def _candidate(
    given: GateOptions, schema: "Schema", place: Path
) -> "tuple[Score, Path, RegisteredModel | None]":
    """The candidate, its file, and its place in a registry if it has one."""
    version, file = None, Path(given.model)
    if given.model.startswith(REGISTRY):
        from standfast.promises.gate.registry import RegisteredModel

        version = RegisteredModel.find(given.model, given.tracking_uri)
        file = version.download(place / "model")
    return scores.score_asked(given, file, schema), file, version


def _compared(given: GateOptions, schema: "Schema") -> Any:
    """Labelled people and the champion, where given."""
    if given.table is None or given.label is None:
        return None, None
    people = given.people(given.table, schema)
    if given.champion is None:
        return people, None
    return people, scores.score_asked(given, given.champion, schema)


def _repairs(
    given: GateOptions,
    models: "tuple[Score | None, Score]",
    people: Any,
    again: Retraining | None,
) -> Any:
    """What says how much repair costs, if that is asked for."""
    if not given.repair:
        return None
    from standfast.percentiles import Percentiles
    from standfast.promises.repair import compare_some_repairs, side_by_side

    percentiles, g = Percentiles.fit(people.table), models[1]

    def repairs(not_kept: "Promises", some: "Promises") -> "pd.DataFrame":
        ways = compare_some_repairs(not_kept, *models, percentiles, on=given.on)
        if again is None or not len(ways):
            return ways
        return side_by_side(ways, again.compared(some, g))

    return repairs


def _segment(given: GateOptions, source: Any) -> "str | pd.Series[Any] | None":
    """An input, or the segment of each person as the promises name them."""
    if given.segments is None or given.segment is None:
        return given.segment

    table = tables.from_file(given.segments, index=given.index)
    if given.segment not in table:
        raise InputError(
            f"--segment {given.segment}: '{given.segments}' has no such column; it has "
            f"{listing(table.columns, 30)}"
        )
    named = getattr(source, "pseudonym", str)  # of a ledger
    with tables.about(given.segments):
        return table[given.segment].set_axis([named(one) for one in table.index])


def _write(
    report: "GateReport", out: Path | None, version: "RegisteredModel | None", place: Path
) -> None:
    folder = out if out is not None else place / "report"
    with undisturbed():
        if out is not None or version is not None:
            report.write(folder)
        if version is not None:
            version.record(report, folder)
            say(f"version {version.version} of '{version.name}' is tagged, and the report logged")


def _summarise(report: "GateReport", out: Path | None) -> None:
    from standfast.promises.gate.page import certified_sentences

    typer.echo(f"{report.sentence}\n")
    for met in report.conditions:
        found = "nothing to judge" if met.value != met.value else f"{met.value:.6g}"
        typer.echo(f"{'yes' if met.holds else 'NO ':<4}{met.condition}   found {found}")
    for cause in report.causes:
        typer.echo(f"not provable: {cause}")
    for sentence in certified_sentences(report.certified):
        typer.echo(sentence)
    if report.root:
        typer.echo(f"Merkle root: {report.root}")
    outputs.say_written(out)
