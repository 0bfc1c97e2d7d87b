"""standfast recommend: what each declined person should change."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from standfast.cli import options, tables
from standfast.cli.console import STOPPED, progress_bar, say, stoppable, undisturbed
from standfast.cli.methods import Wish
from standfast.cli.options import CostName

if TYPE_CHECKING:
    from standfast.models import Score
    from standfast.recommendations import Recommendations
    from standfast.schema import Schema

SHOWN = 5  # people whose advice the summary repeats, and models it names


def run(
    schema: options.SchemaFile,
    table: options.TableFile,
    model: options.ModelFiles,
    people: options.PeopleFile,
    favourable: options.Favourable,
    method: options.Method,
    out: options.ResultFile,
    drop: options.Drop = None,
    index: options.Index = None,
    trust: options.Trust = None,
    threshold: options.Threshold = None,
    margin: options.Margins = None,
    cost: options.Cost = CostName.TOTAL,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    time_limit: options.TimeLimit = None,
    total_time: options.TotalTime = None,
    alternatives: options.Alternatives = None,
    boxes: options.Boxes = None,
    support: options.SupportFile = None,
    autoencoder: options.AutoencoderFile = None,
    fresh: options.FreshFolders = None,
    validity: options.Validity = None,
    surprise: options.Surprise = None,
) -> None:
    """Tell each declined person what to change so that the model accepts, or all models together.

    Every answer is checked again with the models' own predictions. People without an answer keep
    their row, with the reason. Ctrl-C writes what is finished.
    """
    more = support, autoencoder, fresh or [], validity, surprise
    wish = Wish(method, cost, alternatives, boxes, *more)
    _check_out(out, (schema, table, *model, people, *wish.files))
    from standfast.methods import recommend
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema

    meaning = Schema.read(schema)
    reference, refused = tables.read(table, people, meaning, drop or [], index)
    scores = [score_of(path, meaning, trust or [], favourable, threshold) for path in model]
    usual = None if support is None else score_of(support, meaning, trust or [], "1", None)
    with tables.about(schema):
        percentiles = Percentiles.fit(reference)
        search = wish.method(meaning, percentiles, usual, trust or [])
    with stoppable():
        with progress_bar("people") as progress:
            result = recommend(
                search,
                _together(scores, margin or []),
                refused,
                seed=seed,
                jobs=jobs,
                time_limit=time_limit,
                total_time=total_time,
                progress=progress,
            )
        with undisturbed():
            result.write(out)
    _summarise(result, model, out)
    if wish.fresh:
        _tell_unseen(result, out, wish.fresh[0], trust or [])
    if result.interrupted:
        say("stopped before everybody was served; those left are marked 'exhausted'")
        raise typer.Exit(STOPPED)


def score_of(
    path: Path, schema: "Schema", trust: Sequence[str], favourable: str, threshold: float | None
) -> "Score":
    """The score of a model file, its favourable class named as people write it."""
    from standfast.models import as_score
    from standfast.models.files import load_model

    estimator = load_model(path, trust=trust)
    wanted = class_called(favourable, estimator)
    with tables.about(path):
        return as_score(estimator, schema, favourable=wanted, threshold=threshold)


def _together(scores: Sequence["Score"], margins: Sequence[float]) -> "Score":
    """One model as it is; several, or a margin, as one score that all must accept."""
    from standfast.models import Unanimous

    if len(scores) == 1 and not margins:
        return scores[0]
    if len(margins) == 1:
        return Unanimous(tuple(scores), margins[0])
    return Unanimous(tuple(scores), tuple(margins) or 0.0)


def _check_out(out: Path, inputs: tuple[Path, ...]) -> None:
    """Refuse a path that cannot take the result, or that something given lives at."""
    from standfast.files import check_writable
    from standfast.recommendations.storage import beside, check_ending

    check_ending(out)
    written = [out] if out.suffix == ".parquet" else [out, beside(out)]
    for path in written:
        check_writable(path)
        tables.check_spared(path, *inputs)


def class_called(text: str, estimator: Any) -> object:
    """The model's class that is written like this; the text itself if there is none."""
    known = getattr(estimator, "classes_", None)
    # a booster's classes are 0 and 1, an isolation forest's -1 and 1
    classes = [-1, 0, 1] if known is None else list(getattr(known, "tolist", lambda: known)())
    return value_called(text, classes)


def value_called(text: str, values: Sequence[object]) -> object:
    """The value that is written like this; the text itself if there is none."""
    return next((one for one in values if _is_written(one, text)), text)


def _is_written(one: object, text: str) -> bool:
    if isinstance(one, str | bool):
        return str(one) == text
    try:
        return float(text) == one
    except ValueError:
        return False


def _summarise(result: "Recommendations", models: Sequence[Path], out: Path) -> None:
    from standfast.recommendations import Outcome

    about = result.provenance
    typer.echo(f"{len(result)} people, {about['method']}, seed {about['seed']}")
    for what, origin in (("people", about["data"]), ("reference table", about["reference_data"])):
        if origin:
            typer.echo(f"{what}: {origin}")
    typer.echo()
    for outcome, count in result.counts().items():
        typer.echo(f"{count:>7} {outcome:<18} {Outcome(str(outcome)).sentence}")
    _tell_proofs(result, models)
    paid = result.cost[result.found]
    if len(paid):
        typer.echo(
            f"\ncost ({about['settings']['cost']} shift): median {paid.median():.4g}, "
            f"mean {paid.mean():.4g} (n = {len(paid)})\n"
        )
        told = result.to_frame()[result.found].head(SHOWN)
        for person, sentence, remark in told[["sentence", "remark"]].itertuples():
            more = f" ({remark.removesuffix('.')})" if remark else ""
            typer.echo(f"{person}: {sentence}{more}")
            _tell_alternatives(result, person)
        if len(paid) > SHOWN:
            typer.echo(f"… and {len(paid) - SHOWN} more")
    typer.echo(f"\nwritten to {out}")


def _tell_proofs(result: "Recommendations", models: Sequence[Path]) -> None:
    """How many answers are proven, how far the others may be off, and which models shaped them."""
    counts = result.counts()
    within = int(counts.get("within_gap", 0))
    proven = sum(int(counts.get(outcome, 0)) for outcome in ("minimal", "infeasible"))
    if result.provenance["method"].startswith(("growing spheres", "c-chvae", "invariant")):
        return
    gap = f" (largest gap {result.gap[result.found].max():.1%})" if within else ""
    typer.echo(f"\nproven: {proven}, within a gap: {within}{gap}")
    from standfast.methods.exact import SEPARATOR

    binding = result.results["binding"]
    named = {f"model {i}": f"model {i} ({path.name})" for i, path in enumerate(models)}
    often = binding[binding != ""].str.split(SEPARATOR).explode().value_counts()
    if len(often) and (len(models) > 1 or len(often) > 1):
        told = [f"{named.get(str(name), name)} {n}" for name, n in often.head(SHOWN).items()]
        typer.echo(f"models that bind, by people: {', '.join(told)}")


def _tell_unseen(result: "Recommendations", out: Path, fresh: Path, trust: Sequence[str]) -> None:
    """For how many the target is missed, by count and by estimate, and what to do next."""
    if result.shortfall is not None and result.shortfall.advised:
        typer.echo(result.shortfall.sentence)
    words = ["standfast", "certify", str(out), "--fresh", str(fresh)]
    words += [word for name in trust for word in ("--trust", name)]
    typer.echo(f"certify it: {shlex.join(words)}")


def _tell_alternatives(result: "Recommendations", person: Any) -> None:
    if result.alternatives is None:
        return
    for rank, way in result.flipset(person).iloc[1:].iterrows():
        typer.echo(f"    or {rank}. {way['sentence']} (cost {way['cost']:.4g})")
