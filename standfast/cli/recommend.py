"""standfast recommend: what each declined person should change."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from standfast.cli import options, outputs, scores, tables
from standfast.cli.console import STOPPED, command, progress_bar, say, stoppable, undisturbed
from standfast.cli.methods import Wish
from standfast.cli.options import CostName

if TYPE_CHECKING:
    from standfast.recommendations import Recommendations

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
    actions: options.Actions = None,
    per_change: options.PerChange = None,
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
    from standfast.files import check_writable
    from standfast.recommendations.storage import check_ending, parts

    outputs.check_spared(
        {"--out": parts(out)},
        [schema, table, *model, people, support, autoencoder],
        fresh or [],
    )
    check_ending(out)
    for path in parts(out):
        check_writable(path)
    more = support, autoencoder, fresh or [], validity, surprise
    wish = Wish(method, cost, alternatives, boxes, actions, per_change, *more)
    from standfast.methods import recommend
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema

    meaning = Schema.read(schema)
    reference, refused = tables.read(table, people, meaning, drop or [], index)
    models = [scores.score_of(path, meaning, trust or [], favourable, threshold) for path in model]
    scores.check_readable(method, model, models)
    score = scores.together(model, models, margin or [])
    usual = None if support is None else scores.score_of(support, meaning, trust or [], "1", None)
    if support is not None and usual is not None:
        scores.check_readable(method, [support], [usual])
    with tables.about(schema):
        percentiles = Percentiles.fit(reference)
        search = wish.method(meaning, percentiles, usual, trust or [])
    scores.warn_of_accepted(score, meaning, refused)
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
    _summarise(result, model, out)
    if wish.fresh:
        _tell_unseen(result, out, wish.fresh, trust or [])
    if result.interrupted:
        say("stopped before everybody was served; those left are marked 'exhausted'")
        raise typer.Exit(STOPPED)


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
    names = [
        f"{name} ({models[k].name})" if k < len(models) else name
        for k, name in enumerate(result.provenance.names)
    ]
    often = Counter(m for binding in result.results["binding"] for m in binding)
    if often and (len(models) > 1 or len(often) > 1):
        told = [f"{names[m]} {n}" for m, n in often.most_common(SHOWN)]
        typer.echo(f"models that bind, by people: {', '.join(told)}")


def _tell_unseen(
    result: "Recommendations", out: Path, fresh: Sequence[Path], trust: Sequence[str]
) -> None:
    """For how many the target is missed, by count and by estimate, and what to do next."""
    if result.shortfall is not None and result.shortfall.advised:
        typer.echo(result.shortfall.sentence)
    trusted = [word for one in trust for word in ("--trust", one)]
    for folder in fresh:
        typer.echo(f"certify it: {command('certify', out, '--fresh', folder, *trusted)}")


def _tell_alternatives(result: "Recommendations", person: Any) -> None:
    if result.alternatives is None:
        return
    for rank, way in result.flipset(person).iloc[1:].iterrows():
        typer.echo(f"    or {rank}. {way['sentence']} (cost {way['cost']:.4g})")
