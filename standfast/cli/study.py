"""standfast study: the whole paper on twins, on the real sets or on your own table, as a report."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import labelled
from standfast.cli.command import command
from standfast.cli.console import STOPPED, progress_bar, say, spelled, undisturbed
from standfast.cli.level_set import class_of
from standfast.cli.outputs import check_separate
from standfast.cli.scores import check_estimator
from standfast.cli.study_options import StudyOptions, is_own
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.datasets import Dataset
    from standfast.studies import Missing, OwnModel, Settings, Study
    from standfast.studies.people import Dated
    from standfast.studies.steps import Progress


@command
def run(given: StudyOptions) -> None:
    """Measure everything the paper claims, and what unanimous advice adds; write one report.

    A study that was stopped continues where it was when the same command is given again.
    """
    from standfast.studies import Missing, study

    given.check()
    own_tables = [Path(name) for name in given.names if is_own(name)]
    made = [given.out / part for part in ("tables", "figures", "steps", "report.html")]
    check_separate({"--out": made}, [*own_tables, given.schema, given.later, given.model])
    out, settings, missing = _folder(given.out), given.settings, Missing()
    fitted = _model(given)
    sets, after, dated = _sets(given, settings, missing)
    try:
        with progress_bar("study", counted=False) as bar:
            found = study(
                sets,
                settings,
                out,
                later=after,
                dated=dated,
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
    _summarise(found, page)
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


def _model(given: StudyOptions) -> "OwnModel | None":
    """The user's model; a class called as the table's favourable label is the one people want."""
    from standfast.readers.files import load_model
    from standfast.studies import OwnModel

    if given.model is None:
        return None
    estimator = load_model(given.model, trust=given.trust)
    check_estimator(estimator, given.model)
    wanted = given.favourable and class_of(estimator, given.favourable, given.model)
    return OwnModel.loaded(given.model, estimator, wanted, given.trust)


def _own(given: StudyOptions, path: Path) -> "Dataset":
    """The people of a table of the user's own, their labels and schema."""
    from standfast.schema import Schema

    asked = {"--schema": given.schema, "--label": given.label, "--favourable": given.favourable}
    left = [option for option, value in asked.items() if value is None]
    if not path.exists():
        raise InputError(f"cannot read '{path}': there is no such file")
    if given.schema is None or given.label is None or given.favourable is None:
        draft = f"; draft a schema: {spelled('schema', 'infer', path, '--out', 'schema.toml')}"
        raise InputError(
            f"'{path}' is a table of your own, so {' and '.join(left)} must be given"
            + draft * ("--schema" in left)
        )
    schema = Schema.read(given.schema)
    return labelled.people(path, schema, given.label, given.favourable, given.drop, given.index)


def _sets(
    given: StudyOptions, settings: "Settings", missing: "Missing"
) -> "tuple[list[Dataset], dict[str, Dataset], dict[str, Dated]]":
    """The data sets that can be read, and later people and dated ones where they are of use.

    Sets that cannot be read are missing, unless it is all of them.
    """
    from standfast.studies.people import at_most, dated_of, later_of, named
    from standfast.studies.scene import short_name

    found, errors = [], []
    later: dict[str, Dataset] = {}
    dated: dict[str, Dated] = {}
    rows, seed = settings.sizes.rows, settings.seed
    for name in given.names:
        try:
            if is_own(name):
                one = at_most(_own(given, Path(name)), rows, seed)
                after = at_most(_own(given, given.later), rows, seed) if given.later else None
                by_year = None
            else:
                one = named(name, rows, seed, given.schema_variant)
                after = later_of(name, rows, seed) if settings.frontier else None
                by_year = dated_of(name) if settings.promises else None
        except InputError as error:
            errors.append(error)
            missing.add((name, ""), "the data set", str(error))
            continue
        found.append(one)
        if after is not None:
            later[short_name(one)] = after
        if by_year is not None:
            dated[short_name(one)] = by_year
    if not found:
        raise errors[0]
    for each in errors:
        say(f"left out: {each}")
    return found, later, dated


def _lines() -> "Progress":
    """Where no bar can move, a line for every step that begins."""
    last = ""

    def show(done: float, total: float, note: str) -> None:
        nonlocal last
        if note != last:
            say(f"{done / total:4.0%}  {note}" if total else note)
            last = note

    return show


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


def _summarise(found: "Study", page: Path) -> None:
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
    counted = ", ".join(f"{verdict}: {count}" for verdict, count in verdicts.items())
    typer.echo(f"\nthe paper's claims, scene by scene: {counted or 'none could be measured'}")
    absent = len(found.tables["missing"])
    if absent:
        typer.echo(f"missing: {absent} part{'s' * (absent > 1)}; the report says which and why")
    typer.echo(f"report: {page}")
