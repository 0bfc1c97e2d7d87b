"""standfast transfer: which recommendations other models still accept."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import options, outputs, tables
from standfast.cli.console import undisturbed
from standfast.cli.scores import score_of
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.evaluation import Transfer
    from standfast.schema import Schema
    from standfast.scores import Score

SHOWN = 20  # rivals the summary shows, the least faithful first


def run(
    recommendations: options.RecommendationsFile,
    level_set: options.LevelSetFolder = None,
    model: options.RivalFiles = None,
    favourable: options.FavourableOrNone = None,
    threshold: options.Threshold = None,
    confidence: options.Confidence = 0.95,
    trust: options.Trust = None,
    out: options.RivalsOut = None,
    people_out: options.PeopleOut = None,
) -> None:
    """Tell how much of the advice other, equally good models keep, rival by rival.

    T is the share of recommendations a rival accepts, over the n_E people who got one, with its
    confidence interval.
    """
    from standfast.evaluation import transfer
    from standfast.files import check_table_path
    from standfast.recommendations import Recommendations
    from standfast.recommendations.storage import parts

    outputs.check_spared(
        {"--out": [out], "--people-out": [people_out]},
        [*parts(recommendations), *(model or [])],
        [level_set],
    )
    for path in (out, people_out):
        if path is not None:
            check_table_path(path)
    recs = Recommendations.read(recommendations)
    rivals = rivals_of(level_set, model or [], recs.schema, trust or [], favourable, threshold)
    with tables.about(recommendations):
        found = transfer(recs, rivals, confidence=confidence)
    with undisturbed():
        _write(found, out, people_out)
    _tell(found, recommendations, out, people_out)


def rivals_of(
    level_set: Path | None,
    models: list[Path],
    schema: "Schema",
    trust: list[str],
    favourable: str | None,
    threshold: float | None,
) -> "dict[str, Score]":
    """The rivals of a level set's folder and of model files, by name."""
    if level_set is None and not models:
        raise InputError(
            "there is no rival; name a folder with --level-set, or model files with --model"
        )
    found: dict[str, Score] = {}
    if level_set is not None:
        from standfast.rivals import LevelSet

        built = LevelSet.load(level_set, trust=trust)
        if built.schema is not None and built.schema.names != schema.names:
            raise InputError(
                f"'{level_set}' was built for other inputs than the recommendations; build it with "
                "the same schema"
            )
        found |= dict(zip(built.names, built.rivals, strict=True))
    if models and favourable is None:
        raise InputError("--model needs --favourable, the class people want, such as 1")
    for path in models:
        name = path.stem if path.stem not in found else str(path)
        found[name] = score_of(path, schema, trust, str(favourable), threshold)
    return found


def _write(found: "Transfer", out: Path | None, people_out: Path | None) -> None:
    from standfast.files import write_table

    if out is not None:
        write_table(found.rivals.reset_index(), out)
    if people_out is not None:
        write_table(found.to_frame(), people_out)


def _tell(found: "Transfer", path: Path, out: Path | None, people_out: Path | None) -> None:
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
        f"\nmean transfer {found.rivals['transfer'].mean():.3f}; of {found.n} recommendations "
        f"{whole} are kept by every rival, {none} by none"
    )
    for file in (out, people_out):
        if file is not None:
            typer.echo(f"written to {file}")
