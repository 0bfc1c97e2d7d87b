"""standfast study: the whole paper on twins, on the real sets or on your own table, as a report."""

import os
import shlex
import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import labelled, numbers, options
from standfast.cli.command import command, flag, option
from standfast.cli.console import STOPPED, progress_bar, say, spelled, undisturbed
from standfast.cli.level_set import class_of
from standfast.cli.outputs import check_separate
from standfast.cli.scores import check_estimator
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.datasets import Dataset
    from standfast.datasets.variants import Variant
    from standfast.studies import Missing, OwnModel, Settings, Study
    from standfast.studies.steps import Progress

DEFAULT = ("twin:heloc", "twin:give_me_some_credit")
ENDINGS = (".csv", ".parquet", ".gz")


class ReferenceName(StrEnum):
    """The references by the names they have on the command line."""

    LINEAR = "linear"
    FOREST = "forest"
    BOTH = "both"


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """The options of standfast study."""

    data: list[str] = option(
        "twin:heloc, twin:give_me_some_credit, heloc, give_me_some_credit, sba_case, "
        "german_credit, or a table of your own (CSV, Parquet) with --schema, --label and "
        "--favourable. May be repeated; both twins unless given.",
        "NAME|FILE",
        default=(),
        also="--table",
    )
    schema: Path | None = option("What the columns of your table mean (TOML).", default=None)
    label: str | None = option(
        "The column that says how each person turned out.", "COLUMN", default=None
    )
    favourable: str | None = option("The label people want: 1, Good, …", "VALUE", default=None)
    later: Path | None = option(
        "A later table with the columns of your own: with --frontier, models of these people "
        "judge the advice too. sba_case and german_credit bring theirs.",
        default=None,
    )
    drop: list[str] = options.drop()
    index: str | None = option(
        "The column of your table that labels the people, such as a customer's number; it is "
        "not an input. The report and its tables then name them by it.",
        "COLUMN",
        default=None,
    )
    model: Path | None = option(
        "Your own fitted model, which advice is then made under instead of a model of ours: "
        ".skops, .json or .ubj (XGBoost), .txt or .lgb (LightGBM). Goes with one --data; with "
        "--reference both are studied.",
        default=None,
    )
    trust: list[str] = options.trust()
    reference: ReferenceName | None = option(
        "The model of ours that advice is made under: linear, forest or both; both unless "
        "given, none beside --model.",
        "linear|forest|both",
        default=None,
    )
    people: int | None = option(
        "How many refused people to advise in each scene.",
        "N",
        allowed=(1, numbers.MANY),
        default=None,
    )
    variant: options.VariantName | None = option(
        "The schema of heloc, give_me_some_credit and their twins: sensible directions and "
        "relations, or the paper's bare mutability; published with --as-published, else sensible.",
        "sensible|published",
        default=None,
    )
    as_published: bool = flag(
        "The paper's choices where ours differ: methods and schemas as published, no class "
        "weights, training mistakes as the risk."
    )
    quick: bool = flag("Few people and few rivals: a first impression in a minute.")
    full: bool = flag("Everybody and the paper's sizes: an hour or more.")
    frontier: bool = flag(
        "Also the frontier of cost against validity under fresh models; takes longer than all "
        "the rest."
    )
    out: Path = option("The folder for the report.", "FOLDER", default=Path("study"))
    jobs: int | None = option(
        "How many workers; all cores unless given.", "N", allowed=(1, numbers.WORKERS), default=None
    )
    seed: int = options.seed("tables")

    @property
    def names(self) -> list[str]:
        """The data sets and tables asked for, each once."""
        return list(dict.fromkeys(self.data or DEFAULT))

    @property
    def schema_variant(self) -> "Variant":
        """Which schema the built-in sets have."""
        if self.variant is None:
            return "published" if self.as_published else "sensible"
        return self.variant.value

    def check(self) -> None:
        """Refuse options that contradict each other, or speak of what is not there."""
        names = self.names
        if self.quick and self.full:
            raise InputError("--quick and --full contradict each other; leave one out")
        if self.later is not None and (len(names) > 1 or not is_own(names[0])):
            raise InputError(
                "--later goes with one table of your own: give exactly one --data FILE, or leave "
                "it out"
            )
        if self.later is not None and not self.frontier:
            raise InputError(
                "--later is used by the frontier only: add --frontier, or leave it out"
            )
        if self.index is not None and not any(map(is_own, names)):
            raise InputError(
                f"--index {self.index} goes with a table of your own: give --data FILE, or leave "
                "it out"
            )
        if self.model is None and self.trust:
            raise InputError("--trust goes with --model: add --model FILE, or leave it out")
        if self.model is not None and len(names) > 1:
            raise InputError(
                "--model goes with the one table it was fitted for: give exactly one --data, or "
                "leave it out"
            )

    @property
    def settings(self) -> "Settings":
        """The settings of the study."""
        from standfast.studies import SIZES, Settings

        sizes = SIZES["quick" if self.quick else "full" if self.full else "usual"]
        if self.people is not None:
            sizes = replace(sizes, people=self.people, joint=self.people)
        both = ("linear", "forest")
        references: tuple[str, ...] = both if self.model is None else ()
        if self.reference is not None:
            chosen = self.reference
            references = both if chosen is ReferenceName.BOTH else (chosen.value,)
        jobs = self.jobs or len(os.sched_getaffinity(0))
        return Settings(
            references, sizes, self.as_published, self.frontier, seed=self.seed, jobs=jobs
        )


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
    sets, after = _sets(given, settings, missing)
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


def is_own(name: str) -> bool:
    """Whether a name is a file's, and no built-in set's."""
    from standfast.studies.people import REAL, TWINS

    return name not in (*REAL, *TWINS) and Path(name).suffix in ENDINGS


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
) -> "tuple[list[Dataset], dict[str, Dataset]]":
    """The data sets that can be read, and later people where they are of use.

    Sets that cannot be read are missing, unless it is all of them.
    """
    from standfast.studies.people import at_most, later_of, named
    from standfast.studies.scene import short_name

    found, errors = [], []
    later: dict[str, Dataset] = {}
    rows, seed = settings.sizes.rows, settings.seed
    for name in given.names:
        try:
            if is_own(name):
                one = at_most(_own(given, Path(name)), rows, seed)
                after = at_most(_own(given, given.later), rows, seed) if given.later else None
            else:
                one = named(name, rows, seed, given.schema_variant)
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
    for each in errors:
        say(f"left out: {each}")
    return found, later


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
    counted = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
    typer.echo(f"\nthe paper's claims, scene by scene: {counted or 'none could be measured'}")
    absent = len(found.tables["missing"])
    if absent:
        typer.echo(f"missing: {absent} part{'s' * (absent > 1)}; the report says which and why")
    typer.echo(f"report: {page}")
