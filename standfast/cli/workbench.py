"""standfast workbench: a local page to try advice on."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from standfast.cli import folders, options, scores, tables
from standfast.cli.command import command, flag, option, options_class
from standfast.cli.console import say
from standfast.cli.ledger_options import ADDRESS, key_in
from standfast.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from standfast.schema import Schema
    from standfast.workbench.service import Service
    from standfast.workbench.world import Member, World

PLACE = "Where it listens"
MOST_PEOPLE = 1000  # listed on the page
REFERENCE = "reference"  # the name of a level set's


@options_class
class OwnOptions:
    """One's own data; without any of it a twin is opened."""

    schema: Path | None = option("What the columns mean and how advice may change them (TOML).")
    table: Path | None = option(
        "The reference table (CSV, Parquet): its percentiles measure the cost."
    )
    model: list[Path] = option(
        f"A fitted model: {options.MODEL_FILE} May be repeated, the reference first.", default=()
    )
    level_set: Path | None = option(
        "A level set, as 'standfast level-set build' wrote it: its reference is the reference, its "
        "rivals are models, before those of --model.",
        "FOLDER",
    )
    favourable: str | None = option(
        "The class people want, as the model calls it: 1, Good, …", "CLASS"
    )
    people: Path | None = option(
        "The people to show (CSV, Parquet); those of the table unless given."
    )
    index: str | None = option(
        "The people's column that labels them; it is not an input.", "COLUMN"
    )
    drop: list[str] = options.drop()
    fresh: Path | None = option("Fresh models, as 'standfast fresh draw' wrote them.", "FOLDER")
    ledger: str | None = option(ADDRESS, "LEDGER")
    key: Path | None = option("The file with the ledger's key.")
    threshold: float | None = options.threshold()
    trust: list[str] = options.trust()


@options_class
class WorkbenchOptions(OwnOptions):
    """The options of standfast workbench."""

    host: str = option(
        "The address to listen on; only this machine can reach it unless given.",
        "ADDRESS",
        default="127.0.0.1",
        panel=PLACE,
    )
    port: int = option(
        "The port; a free one unless given.", allowed=(0, 65535), default=0, panel=PLACE
    )
    token: str = option(
        "What the address must hold to be let in: letters and digits, random unless given. Give "
        "one to let open pages go on after a restart.",
        "TEXT",
        default="",
        panel=PLACE,
    )
    no_browser: bool = flag("Only print the address.")


@partial(command, loads=False)
def run(given: WorkbenchOptions) -> None:
    """Open a local page: a person's advice, live, the models, the price of lasting, promises.

    Without options it opens a statistical twin, nobody in which is real. With --schema, --table and
    --model it opens your own; what cannot be read is left out, and the page says so. Nothing is
    written, and nothing is loaded from elsewhere.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise InputError(
            "the workbench needs two more packages: pip install 'standfast[workbench]'"
        ) from error
    from standfast.workbench.serve import Place, serve

    place = Place(given.host, given.port, given.token)
    place.bind().close()  # a port that is taken is said before anything is read
    serve(_making(given), place, say, browser=not given.no_browser)


def _making(given: OwnOptions) -> "Callable[[], Service]":
    """What makes the world: of one's own files at once, for they may be wrong; or of a twin."""
    single = (given.schema, given.table, given.people, given.level_set, given.fresh, given.ledger)
    named = (*single, *given.model)
    if not any(one is not None for one in named):
        return _twin
    service = service_of(given)
    return lambda: service


def _twin() -> "Service":
    from standfast.workbench.twin import twin_service

    return twin_service()


def service_of(given: OwnOptions) -> "Service":
    """The world that the options describe."""
    from standfast.workbench.service import Service

    if given.schema is None or given.table is None:
        raise InputError(
            "give --schema and --table, and at least one --model with --favourable, or a "
            "--level-set; without any of them a twin is opened"
        )
    if given.model and given.favourable is None:
        raise InputError(
            "--favourable is missing; name the class people want, as the model calls it"
        )
    world = _world(given, given.schema, given.table)
    return Service(world, _drawing(given, world), _opening(given))


def _world(given: OwnOptions, schema_file: Path, table_file: Path) -> "World":
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema
    from standfast.workbench.world import World

    schema = Schema.read(schema_file)
    reference, people = tables.read(
        table_file, given.people or table_file, schema, given.drop, given.index
    )
    rivals, missing = _rivals(given, schema)
    files, notes = _members(given, schema, [one.name for one in rivals])
    members = [*rivals, *files]
    people, said = _some(people, members, schema, given.people is None)
    with tables.about(schema_file):
        percentiles = Percentiles.fit(reference)
        percentiles.of(schema)
    return World(
        table_file.name,
        schema,
        percentiles,
        people,
        tuple(members),
        _recipe(given, rivals, files),
        (*missing, *notes, *said),
        f"fresh = sf.FreshModels.load({str(given.fresh)!r}, trust={given.trust!r})",
    )


def _rivals(given: OwnOptions, schema: "Schema") -> tuple[list["Member"], list[str]]:
    """The reference and the rivals of a level set, or what is wrong with its folder."""
    from standfast.workbench.world import Member

    if given.level_set is None:
        return [], []
    try:
        built = folders.level_set(given.level_set, schema, given.trust)
    except InputError as error:
        return [], [f"The level set was left out: {error}."]
    mistakes = dict(zip(built.candidates["name"], 1.0 - built.candidates["accuracy"], strict=True))
    mistakes[REFERENCE] = 1.0 - float(built.candidates["accuracy"].iloc[0])
    scores = {REFERENCE: built.reference, **dict(zip(built.names, built.rivals, strict=True))}
    where = f"level set {given.level_set}"
    return [Member(name, score, where, mistakes[name]) for name, score in scores.items()], []


def _members(
    given: OwnOptions, schema: "Schema", before: list[str]
) -> tuple[list["Member"], list[str]]:
    """The model files that can be read, and what is wrong with the others."""
    from standfast.workbench.world import Member

    found: list[Member] = []
    notes = []
    taken = dict.fromkeys(before, 1)
    for path in given.model:
        try:
            score = scores.score_asked(given, path, schema)
        except InputError as error:
            notes.append(f"The model '{path.name}' was left out: {error}.")
            continue
        taken[path.stem] = taken.get(path.stem, 0) + 1
        name = path.stem if taken[path.stem] == 1 else f"{path.stem} ({taken[path.stem]})"
        found.append(Member(name, score, str(path)))
    return found, notes


def _some(
    people: "pd.DataFrame", members: list["Member"], schema: "Schema", all_of_table: bool
) -> tuple["pd.DataFrame", list[str]]:
    """As many people as a page can list; of a whole table, refused ones."""
    import numpy as np

    n = len(people)
    if n <= MOST_PEOPLE:
        return people, []
    some = np.arange(MOST_PEOPLE)
    if all_of_table:
        some = np.unique(np.linspace(0, n - 1, 20 * MOST_PEOPLE).astype(int))[: 20 * MOST_PEOPLE]
        if members:
            X, doubts = schema.judged(people.iloc[some])
            fine = np.array([not doubt for doubt in doubts])
            fine[fine] = ~members[0].score.accepts(X[fine])
            some = some[fine]
        some = some[np.unique(np.linspace(0, max(len(some) - 1, 0), MOST_PEOPLE).astype(int))]
        kind = "refused people, evenly drawn from" if members else "people, evenly drawn from"
        return people.iloc[some], [
            f"The page lists {len(some)} {kind} the {n:,} of the table; the strips and the costs "
            "count all of them."
        ]
    return people.iloc[some], [f"The page lists the first {MOST_PEOPLE} of {n:,} people."]


def _drawing(given: OwnOptions, world: "World") -> Any:
    """What loads the fresh models, while the page is open already."""
    from standfast.workbench.world import Lasting

    if given.fresh is None:
        return None
    folder = given.fresh

    def draw() -> Lasting:
        drawn = folders.fresh_models(folder, world.schema, given.trust)
        return Lasting.build(world, *drawn.parts)

    return draw


def _opening(given: OwnOptions) -> Any:
    """What opens the ledger, each time somebody looks at it."""
    if given.ledger is None:
        return None
    if given.key is None:
        raise InputError("--ledger needs its key: --key FILE")
    from standfast.promises.ledger import Ledger

    address, key = given.ledger, key_in(given.key)
    return lambda: Ledger.open(address, key)


def _recipe(given: OwnOptions, rivals: list["Member"], files: list["Member"]) -> str:
    """The Python that makes schema, percentiles and models from the same files."""
    from standfast.readers.files import load_model

    lines = [
        "import standfast as sf",
        "from standfast.files import read_table",
        "",
        f"schema = sf.Schema.read({str(given.schema)!r})",
        f"table = read_table({str(given.table)!r}, names=schema.category_names)",
        "table = table[list(schema.names)]",
        "percentiles = sf.Percentiles.fit(table)",
    ]
    trusted = f", trust={given.trust!r}" if given.trust else ""
    if rivals:
        lines += [
            f"found = sf.LevelSet.load({str(given.level_set)!r}{trusted})",
            f"rivals = {{{REFERENCE!r}: found.reference}}",
            "rivals |= dict(zip(found.names, found.rivals))",
        ]
    lines += ["models = {", *["    **rivals,"] * bool(rivals)]
    for member in files:
        wanted = scores.class_called(
            str(given.favourable), load_model(Path(member.origin), trust=given.trust)
        )
        wanted = getattr(wanted, "item", lambda wanted=wanted: wanted)()
        asked = f"favourable={wanted!r}"
        asked += f", threshold={given.threshold!r}" if given.threshold is not None else ""
        loaded = f"sf.load_model({member.origin!r}{trusted})"
        lines.append(f"    {member.name!r}: sf.as_score({loaded}, schema, {asked}),")
    lines.append("}")
    return "\n".join(lines)
