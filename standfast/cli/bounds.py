"""standfast bounds: what advice costs at most on average, from the models' scores."""

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import labelled, numbers, options, outputs, tables
from standfast.cli.command import argument, command, option, options_class
from standfast.cli.console import progress_bar, say, stoppable
from standfast.cli.scores import is_searchable, score_asked, warn_of_accepted, why_unread
from standfast.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from standfast.bounds import AlphaGamma, Bound
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema
    from standfast.scores import Score

    Matrix = NDArray[np.float64]


@options_class
class BoundsOptions:
    """The options of standfast bounds."""

    people: Path = argument("A CSV or Parquet file of people.", "PEOPLE")
    schema: Path = options.schema_file()
    model: list[Path] = option("A model file; may be repeated, the reference first.")
    favourable: str = options.favourable()
    label: str | None = option(
        "The column that says how each person turned out: also gives the published bounds. Its "
        "favourable value is that of --favourable.",
        "COLUMN",
    )
    drop: list[str] = options.drop()
    threshold: float | None = options.threshold()
    alpha: float | None = option(
        "The error bound's factor, if you know it.", allowed=numbers.positive
    )
    gamma: float = option(
        "The error bound's exponent, with --alpha.", allowed=numbers.largest_share, default=1.0
    )
    calibrate: int | None = option(
        "Measure alpha and gamma by exact searches for this many refused people.",
        allowed=(3, numbers.MANY),
    )
    beta: float = option(
        "With --calibrate: confidence is 1 - beta.", "SHARE", allowed=numbers.share, default=0.05
    )
    seed: int = options.seed("result", options.SEARCH)
    jobs: int = options.jobs(options.SEARCH)
    time_limit: float | None = options.time_limit()
    trust: list[str] = options.trust()
    out: Path | None = option("Where to write every term: .csv or .parquet.")


@command
def run(given: BoundsOptions) -> None:
    """Bound the mean cost of advice that all models accept, term by term.

    α and γ of the error bound: given with --alpha and --gamma; or calibrated by exact searches
    (--calibrate N people, total shift in percentiles of the people given); or, for linear models
    alone, in closed form (Euclidean moves in standard deviations, as if every mutable input were
    free).
    """
    import pandas as pd

    from standfast.percentiles import Percentiles
    from standfast.schema import Schema

    outputs.check_tables({"--out": given.out}, [given.people, given.schema, *given.model])
    if given.alpha is not None and given.calibrate is not None:
        raise InputError("--alpha and --calibrate exclude each other; give one of them")
    if given.alpha is None and given.gamma != 1.0:
        raise InputError("--gamma goes with --alpha; a calibration chooses gamma itself")
    schema = Schema.read(given.schema)
    table, labels = _people(given, schema)
    scores = {
        _name(path, k): score_asked(given, path, schema) for k, path in enumerate(given.model)
    }
    world = _World(table, schema, Percentiles.fit(table).of(schema), scores)
    if world.joint.accepts(world.matrix).all():
        raise InputError(
            f"none of the {len(table)} people is refused, so there is no cost to bound; raise "
            "--threshold, check --favourable, or give people the models refuse"
        )
    warn_of_accepted(world.joint, schema, table)
    for path, score in zip(given.model, scores.values(), strict=True):
        if given.calibrate is not None and not is_searchable(score):
            raise InputError(
                f"--calibrate searches linear, additive and tree models, and '{path}' holds none "
                f"of them{why_unread(score)}; give --alpha and --gamma instead"
            )
    values, found = _constants(world, given)
    bounds = []  # an infinite alpha is an answer too: nothing is bounded, and the note says why
    if math.isfinite(found.alpha):
        bounds = _bounds(values, labels, found)
    frames = [found.to_frame(), *(bound.to_frame() for bound in bounds)]
    outputs.write((given.out, lambda: pd.concat(frames, ignore_index=True)))
    _summarise(found, bounds, list(scores), len(table))
    if given.out is not None:
        typer.echo(f"\nwritten to {given.out}")


@dataclass(frozen=True)
class _World:
    """The people, what their columns mean and cost, and the models by name."""

    table: "pd.DataFrame"
    schema: "Schema"
    percentiles: "Percentiles"
    scores: "dict[str, Score]"

    @cached_property
    def matrix(self) -> "Matrix":
        return self.schema.matrix(self.table)

    @cached_property
    def joint(self) -> "Score":
        from standfast.scores import Unanimous

        return Unanimous(tuple(self.scores.values()))


def _name(path: Path, k: int) -> str:
    return f"{'fg'[k] if k < 2 else f'model {k}'} ({path.name})"


def _people(
    given: BoundsOptions, schema: "Schema"
) -> "tuple[pd.DataFrame, NDArray[np.int64] | None]":
    """The people, and their labels as +1 and -1 if there is a column of them."""

    if given.label is not None:
        found = labelled.people(given.people, schema, given.label, given.favourable, given.drop)
        return found.table, found.labels.to_numpy()
    read = tables.from_file(given.people, names=schema.category_names)
    (table,) = tables.without(given.drop, read)
    tables.check(table, schema, given.people)
    return table, None


def _constants(world: _World, given: BoundsOptions) -> "tuple[list[Matrix], AlphaGamma]":
    """The scores the bounds are fed, and α and γ: given, calibrated, or in closed form."""
    from standfast.bounds import AlphaGamma, alpha_gamma, hoffman
    from standfast.scores import Linear

    models = list(world.scores.values())
    values = [model.score(world.matrix) for model in models]
    if given.alpha is not None:
        return values, AlphaGamma(given.alpha, given.gamma, "given")
    if given.calibrate is not None:
        rows, costs = _searched(world, given, given.calibrate)
        box = float(world.schema.mutable.sum())  # every total shift is at most 1 per mutable input
        found = alpha_gamma(
            [vector[rows] for vector in values], costs, box=box, beta=given.beta, seed=given.seed
        )
        return values, found
    linear = [model for model in models if isinstance(model, Linear)]
    if len(linear) < len(models):
        raise InputError(
            "not all models are linear, so there is no closed form: add --calibrate 300 to measure "
            "alpha and gamma by exact searches, or give --alpha and --gamma"
        )
    named = dict(zip(world.scores, linear, strict=True))
    try:
        constant = hoffman(named, scale=world.percentiles.scale, mutable=world.schema.mutable)
    except InputError as error:
        raise InputError(
            "these linear models have no closed form: their weights oppose each other, or lie on "
            "inputs that may not move; add --calibrate 300 to measure alpha and gamma by exact "
            "searches, or give --alpha and --gamma"
        ) from error
    say("closed form: raw values instead of probabilities, moves in standard deviations")
    raw = [model.raw(world.matrix) - model.cutoff() for model in linear]
    return raw, alpha_gamma(constant)


def _searched(
    world: _World, given: BoundsOptions, people: int
) -> "tuple[NDArray[np.intp], Matrix]":
    """Some refused people, and their exact joint costs: ∞ if impossible, missing if unknown."""
    import numpy as np

    from standfast.methods import MinimalCost, recommend

    refused = np.flatnonzero(~world.joint.accepts(world.matrix))
    rows = np.sort(np.random.default_rng(given.seed).permutation(refused)[:people])
    with stoppable(), progress_bar("people") as progress:
        found = recommend(
            # the paper's cost: with a price per change the box would not hold every cost
            MinimalCost(world.schema, world.percentiles, per_change=0.0),
            world.joint,
            world.table.iloc[rows],
            seed=given.seed,
            jobs=given.jobs,
            time_limit=given.time_limit,
            progress=progress,
        )
    known = found.outcome != "outside_schema"
    costs = found.cost.mask(found.outcome == "infeasible", np.inf)[known].to_numpy()
    return rows[known.to_numpy()], costs


def _bounds(
    values: "list[Matrix]", labels: "NDArray[np.int64] | None", constants: "AlphaGamma"
) -> "list[Bound]":
    from standfast import bounds

    alpha, gamma = constants.alpha, constants.gamma
    found = [bounds.residual(values, alpha, gamma)]
    if labels is None:
        return found
    # an alpha calibrated on the joint residual says nothing about one model alone
    alone = len(values) == 1 or not constants.how.startswith("calibrated")
    if gamma == 1.0 and alone and (values[0] <= 0).any():
        found.append(bounds.single_model(values[0], labels, alpha))
    if len(values) == 2:
        found.append(bounds.published(values[0], values[1], labels, alpha, gamma))
    return found


def _summarise(found: "AlphaGamma", bounds: "list[Bound]", names: list[str], n: int) -> None:
    typer.echo(f"{n} people, {len(names)} model{'s' * (len(names) > 1)}: {', '.join(names)}")
    typer.echo(f"\nalpha = {found.alpha:.6g}, gamma = {found.gamma:g}: {found.how}")
    if found.terms:
        _table(found.terms, found.counts)
    if math.isfinite(found.averaged):
        typer.echo(
            f"  mean cost of people with an answer: at most {found.averaged:.6g} averaged over "
            f"calibrations, {found.confident:.6g} with confidence {1 - found.terms['beta']:.0%}"
        )
    if found.note:
        typer.echo(f"  note: {found.note}")
    for bound in bounds:
        typer.echo(f"\n{bound.name}: {bound.total:.6g}")
        _table(bound.terms, bound.counts)


def _table(terms: object, counts: object) -> None:
    rows = [*dict(terms).items(), *((f"n: {k}", v) for k, v in dict(counts).items())]  # type: ignore[call-overload]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        typer.echo(f"  {name:<{width}}  {value:.6g}")
