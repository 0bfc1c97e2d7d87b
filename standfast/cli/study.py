"""standfast study: the whole paper on twins, on the real sets or on your own table, as a report."""

import os
import shlex
import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from standfast.cli import labelled, numbers, options
from standfast.cli.console import STOPPED, command, progress_bar, say, undisturbed
from standfast.cli.level_set import class_of
from standfast.cli.outputs import check_spared
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.datasets import Dataset
    from standfast.studies import Missing, OwnModel, Settings, Study
    from standfast.studies.steps import Progress

DEFAULT = ("twin:heloc", "twin:give_me_some_credit")
ENDINGS = (".csv", ".parquet", ".gz")


class ReferenceName(StrEnum):
    """The references by the names they have on the command line."""

    LINEAR = "linear"
    FOREST = "forest"
    BOTH = "both"


def _given(option: str, help: str, metavar: str) -> Any:
    return typer.Option(option, help=help, metavar=metavar, show_default=False)


def run(
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data",
            "--table",
            help="twin:heloc, twin:give_me_some_credit, heloc, give_me_some_credit, sba_case, "
            "german_credit, or a table of your own (CSV, Parquet) with --schema, --label and "
            "--favourable. May be repeated; both twins unless given.",
            metavar="NAME|FILE",
            show_default=False,
        ),
    ] = None,
    schema: Annotated[
        Path | None, _given("--schema", "What the columns of your table mean (TOML).", "FILE")
    ] = None,
    label: Annotated[
        str | None, _given("--label", "The column that says how each person turned out.", "COLUMN")
    ] = None,
    favourable: Annotated[
        str | None, _given("--favourable", "The label people want: 1, Good, …", "VALUE")
    ] = None,
    later: Annotated[
        Path | None,
        _given(
            "--later",
            "A later table with the columns of your own: with --frontier, models of these people "
            "judge the advice too. sba_case and german_credit bring theirs.",
            "FILE",
        ),
    ] = None,
    drop: options.Drop = None,
    index: Annotated[
        str | None,
        _given(
            "--index",
            "The column of your table that labels the people, such as a customer's number; no "
            "input. The report and its tables then name them by it.",
            "COLUMN",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        _given(
            "--model",
            "Your own fitted model, which advice is then made under instead of a model of ours: "
            ".skops, .json or .ubj (XGBoost), .txt or .lgb (LightGBM). Goes with one --data; with "
            "--reference both are studied.",
            "FILE",
        ),
    ] = None,
    trust: options.Trust = None,
    reference: Annotated[
        ReferenceName | None,
        _given(
            "--reference",
            "The model of ours that advice is made under: linear, forest or both; both unless "
            "given, none beside --model.",
            "linear|forest|both",
        ),
    ] = None,
    people: Annotated[
        int | None,
        typer.Option(
            "--people",
            help="How many refused people to advise in each scene.",
            min=1,
            max=numbers.MANY,
            metavar="N",
            show_default=False,
        ),
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="The paper's choices where ours differ: methods as published, no class weights, "
            "training mistakes as the risk.",
        ),
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few people and few rivals: a minute, to look around.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Everybody and the paper's sizes: an hour or more.")
    ] = False,
    frontier: Annotated[
        bool,
        typer.Option(
            "--frontier",
            help="Also the frontier of cost against validity under fresh models; takes longer "
            "than all the rest.",
        ),
    ] = False,
    out: Annotated[
        Path, typer.Option("--out", help="The folder for the report.", metavar="FOLDER")
    ] = Path("study"),
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            help="How many workers; all cores unless given.",
            min=1,
            max=numbers.WORKERS,
            metavar="N",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help="Same seed, same tables.", min=0, max=numbers.SEEDS, metavar="N"
        ),
    ] = 0,
) -> None:
    """Measure everything the paper claims, and what unanimous advice adds; write one report.

    A study that was stopped continues where it was when the same command is given again.
    """
    from standfast.studies import SIZES, Missing, Settings, study

    if quick and full:
        raise InputError("--quick and --full contradict each other; leave one out")
    names = list(dict.fromkeys(data or DEFAULT))
    _check_later(later, names, frontier)
    _check_own(names, index, model, trust or [])
    own_tables = [Path(name) for name in names if _is_own(name)]
    made = [out / part for part in ("tables", "figures", "steps", "report.html")]
    check_spared({"--out": made}, [*own_tables, schema, later, model])
    out = _folder(out)
    sizes = SIZES["quick" if quick else "full" if full else "usual"]
    if people is not None:
        sizes = replace(sizes, people=people, joint=people)
    workers = jobs or len(os.sched_getaffinity(0))
    chosen = _references(reference, model)
    settings = Settings(chosen, sizes, as_published, frontier, seed=seed, jobs=workers)
    missing = Missing()
    own = _Own(schema, label, favourable, drop or [], later, index)
    fitted = _model(model, favourable, trust or [])
    sets, after = _sets(names, own, settings, missing)
    try:
        with progress_bar("study", counted=False) as bar:
            found = study(
                sets,
                settings,
                out,
                later=after,
                model=fitted,
                missing=missing,
                progress=bar or _lines(),
            )
            if bar:
                bar(1, 1, "drawing and writing")
            page = _written(found, out)
    except KeyboardInterrupt as stop:
        say(f"stopped; what is finished is kept in {out}: the same command continues there")
        raise typer.Exit(STOPPED) from stop
    _tell(found, page)
    if found.empty:
        raise InputError(
            "nobody was advised in any scene; the report says why: "
            + "; ".join(found.tables["missing"]["why"].drop_duplicates().head(2))
        )


def _folder(out: Path) -> Path:
    """The folder, made if need be; asked before any long work starts."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to '{out}': {error.strerror or error}") from error
    if not os.access(out, os.W_OK):
        raise InputError(f"cannot write to '{out}': no permission; choose another --out")
    return out


def _is_own(name: str) -> bool:
    """Whether a name is a file's, and no built-in set's."""
    from standfast.studies.people import REAL, TWINS

    return name not in (*REAL, *TWINS) and Path(name).suffix in ENDINGS


def _check_later(later: Path | None, names: list[str], frontier: bool) -> None:
    if later is None:
        return
    if len(names) > 1 or not _is_own(names[0]):
        raise InputError(
            "--later goes with one table of your own: give exactly one --data FILE, or leave it out"
        )
    if not frontier:
        raise InputError("--later is asked by the frontier only: add --frontier, or leave it out")


def _check_own(names: list[str], index: str | None, model: Path | None, trust: list[str]) -> None:
    """Refuse options that speak of a table or a model of one's own where there is none."""
    if index is not None and not any(map(_is_own, names)):
        raise InputError(
            f"--index {index} goes with a table of your own: give --data FILE, or leave it out"
        )
    if model is None and trust:
        raise InputError("--trust goes with --model: add --model FILE, or leave it out")
    if model is not None and len(names) > 1:
        raise InputError(
            "--model goes with the one table it was fitted for: give exactly one --data, or leave "
            "it out"
        )


def _references(chosen: ReferenceName | None, model: Path | None) -> tuple[str, ...]:
    """The references of ours: both, none beside a model of one's own, or those asked for."""
    if chosen is None:
        return () if model is not None else ("linear", "forest")
    return ("linear", "forest") if chosen == ReferenceName.BOTH else (chosen.value,)


def _model(path: Path | None, favourable: str | None, trust: list[str]) -> "OwnModel | None":
    """The user's model; a class called as the table's favourable label is the one people want."""
    from standfast.readers.files import load_model
    from standfast.studies import OwnModel

    if path is None:
        return None
    estimator = load_model(path, trust=trust)
    wanted = None if favourable is None else class_of(estimator, favourable, path)
    return OwnModel.loaded(path, estimator, wanted, trust)


@dataclass(frozen=True)
class _Own:
    """What is said about a table of the user's own."""

    schema: Path | None
    label: str | None
    favourable: str | None
    drop: list[str]
    later: Path | None
    index: str | None

    def read(self, path: Path) -> "Dataset":
        """The table's people, their labels and schema."""
        from standfast.schema import Schema

        given = {"--schema": self.schema, "--label": self.label, "--favourable": self.favourable}
        left = [option for option, value in given.items() if value is None]
        if not path.exists():
            raise InputError(f"cannot read '{path}': there is no such file")
        if left:
            draft = f"; draft a schema: {command('schema', 'infer', path, '--out', 'schema.toml')}"
            raise InputError(
                f"'{path}' is a table of your own, so {' and '.join(left)} must be given"
                + draft * ("--schema" in left)
            )
        assert self.schema is not None
        meaning = Schema.read(self.schema)
        said = str(self.label), str(self.favourable)
        return labelled.people(path, meaning, *said, self.drop, self.index)


def _sets(
    names: list[str], own: _Own, settings: "Settings", missing: "Missing"
) -> "tuple[list[Dataset], dict[str, Dataset]]":
    """The data sets that can be read, and later people where they are of use.

    Sets that cannot be read are missing, unless it is all of them.
    """
    from standfast.studies.people import at_most, later_of, named
    from standfast.studies.scene import short_name

    found, errors = [], []
    later: dict[str, Dataset] = {}
    rows, seed = settings.sizes.rows, settings.seed
    for name in names:
        try:
            if _is_own(name):
                one = at_most(own.read(Path(name)), rows, seed)
                after = at_most(own.read(own.later), rows, seed) if own.later else None
            else:
                one = named(name, rows, seed)
                after = later_of(name, rows, seed) if settings.frontier else None
        except InputError as error:
            errors.append(error)
            missing.add((name, ""), "the data set", str(error))
            continue
        found.append(one)
        if after is not None:
            later[short_name(one)] = after
    if not found:
        raise errors[0]
    for told in errors:
        say(f"left out: {told}")
    return found, later


def _lines() -> "Progress":
    """Where no bar can move, a line for every step that begins."""
    last = ""

    def tell(done: float, total: float, note: str) -> None:
        nonlocal last
        if note != last:
            say(f"{done / total:4.0%}  {note}" if total else note)
            last = note

    return tell


def _written(found: "Study", out: Path) -> Path:
    """Tables, figures and the report, in the folder."""
    from standfast import figures, report
    from standfast.studies import tables

    about = {"command": shlex.join(["standfast", *sys.argv[1:]]), **found.about}
    drawn = figures.draw(found.tables)
    with undisturbed():
        tables.write(found.tables, out / "tables")
        figures.write(drawn, out / "figures")
        report.write(found.tables, drawn, about, out / "report.html")
    return out / "report.html"


def _tell(found: "Study", page: Path) -> None:
    from standfast.figures.wording import reference_words

    means, advice = found.tables["transfer_means"], found.tables["advice"]
    for scene in found.tables["scenes"].to_dict("records"):
        here = (means["data"] == scene["data"]) & (means["reference"] == scene["reference"])
        own = (advice["data"] == scene["data"]) & (advice["reference"] == scene["reference"])
        typer.echo(
            f"\n{scene['data']}, {reference_words(scene['reference'])}: {scene['people']} refused "
            f"people, {scene['rivals']} rivals"
        )
        costs = advice[own].groupby("method", sort=False)["total"].mean()
        rows = means[here & (means["rivals"] == "all")]
        for method, n, share in rows[["method", "n", "transfer"]].to_numpy().tolist():
            typer.echo(
                f"  {method:<20} n = {n:<5} mean cost {costs[method]:5.2f}, kept by {share:4.0%}"
            )
    verdicts = found.tables["claims"]["verdict"].value_counts()
    told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
    typer.echo(f"\nthe paper's claims, scene by scene: {told or 'none could be measured'}")
    absent = len(found.tables["missing"])
    if absent:
        typer.echo(f"missing: {absent} part{'s' * (absent > 1)}; the report says which and why")
    typer.echo(f"report: {page}")
