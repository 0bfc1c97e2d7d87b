"""standfast recommend: what each declined person should change."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from standfast.cli import options, tables
from standfast.cli.console import STOPPED, progress_bar, say, stoppable, undisturbed
from standfast.cli.options import CostName, MethodName
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.methods import Method
    from standfast.percentiles import Percentiles
    from standfast.recommendations import Recommendations
    from standfast.schema import Schema

SHOWN = 5  # people whose advice the summary repeats


def run(
    schema: options.SchemaFile,
    table: options.TableFile,
    model: options.ModelFile,
    people: options.PeopleFile,
    favourable: options.Favourable,
    method: options.Method,
    out: options.ResultFile,
    drop: options.Drop = None,
    index: options.Index = None,
    trust: options.Trust = None,
    threshold: options.Threshold = None,
    cost: options.Cost = CostName.TOTAL,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    time_limit: options.TimeLimit = None,
    total_time: options.TotalTime = None,
) -> None:
    """Tell each declined person what to change so that the model accepts.

    Every answer is checked again with the model's own prediction. People without an answer keep
    their row, with the reason. Ctrl-C writes what is finished.
    """
    _check_out(out, (schema, table, model, people))
    from standfast.methods import recommend
    from standfast.models import as_score
    from standfast.models.files import load_model
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema

    meaning = Schema.read(schema)
    reference, refused = tables.read(table, people, meaning, drop or [], index)
    estimator = load_model(model, trust=trust or [])
    wanted = _class_called(favourable, estimator)
    with tables.about(model):
        score = as_score(estimator, meaning, favourable=wanted, threshold=threshold)
    with tables.about(schema):
        search = _method(method, cost, meaning, Percentiles.fit(reference))
    with stoppable():
        with progress_bar("people") as progress:
            result = recommend(
                search,
                score,
                refused,
                seed=seed,
                jobs=jobs,
                time_limit=time_limit,
                total_time=total_time,
                progress=progress,
            )
        with undisturbed():
            result.write(out)
    _summarise(result, out)
    if result.interrupted:
        say("stopped before everybody was served; those left are marked 'exhausted'")
        raise typer.Exit(STOPPED)


def _check_out(out: Path, inputs: tuple[Path, ...]) -> None:
    """Refuse a path that cannot take the result, or that something given lives at."""
    from standfast.files import check_writable
    from standfast.recommendations.storage import beside, check_ending

    check_ending(out)
    written = [out] if out.suffix == ".parquet" else [out, beside(out)]
    for path in written:
        check_writable(path)
        for given in inputs:
            if path.exists() and given.exists() and path.samefile(given):
                raise InputError(f"--out would overwrite '{given}', which is read; choose another")


def _class_called(text: str, estimator: Any) -> object:
    """The model's class that is written like this; the text itself if there is none."""
    known = getattr(estimator, "classes_", None)
    # a booster's classes are 0 and 1, an isolation forest's -1 and 1
    classes = [-1, 0, 1] if known is None else list(getattr(known, "tolist", lambda: known)())
    return next((one for one in classes if _is_written(one, text)), text)


def _is_written(one: object, text: str) -> bool:
    if isinstance(one, str | bool):
        return str(one) == text
    try:
        return float(text) == one
    except ValueError:
        return False


def _method(
    name: MethodName, cost: CostName, schema: "Schema", percentiles: "Percentiles"
) -> "Method":
    from standfast.methods import GrowingSpheres

    if name is MethodName.GROWING_SPHERES_AS_PUBLISHED:
        search = GrowingSpheres.as_published(schema, percentiles)
    else:
        search = GrowingSpheres(schema, percentiles)
    return replace(search, cost=cost.value)


def _summarise(result: "Recommendations", out: Path) -> None:
    from standfast.recommendations import Outcome

    about = result.provenance
    typer.echo(f"{len(result)} people, {about['method']}, seed {about['seed']}")
    for what, origin in (("people", about["data"]), ("reference table", about["reference_data"])):
        if origin:
            typer.echo(f"{what}: {origin}")
    typer.echo()
    for outcome, count in result.counts().items():
        typer.echo(f"{count:>7} {outcome:<18} {Outcome(str(outcome)).sentence}")
    paid = result.cost[result.found]
    if len(paid):
        typer.echo(
            f"\ncost ({about['settings']['cost']} shift): median {paid.median():.4g}, "
            f"mean {paid.mean():.4g} (n = {len(paid)})\n"
        )
        for person, sentence in result.sentences()[result.found].head(SHOWN).items():
            typer.echo(f"{person}: {sentence}")
        if len(paid) > SHOWN:
            typer.echo(f"… and {len(paid) - SHOWN} more")
    typer.echo(f"\nwritten to {out}")
