"""standfast bounds: what advice costs at most on average, from the models' scores."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from standfast.cli import labelled, options, outputs, tables
from standfast.cli.console import progress_bar, say, stoppable, undisturbed
from standfast.cli.scores import score_of, warn_of_accepted
from standfast.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from standfast.bounds import AlphaGamma, Bound
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema
    from standfast.scores import Score

    Matrix = NDArray[np.float64]


def run(
    people: Annotated[
        Path,
        typer.Argument(
            help="A CSV or Parquet file of people.", metavar="PEOPLE", show_default=False
        ),
    ],
    schema: options.SchemaFile,
    model: options.BoundModels,
    favourable: options.Favourable,
    label: options.LabelColumn = None,
    drop: options.Drop = None,
    threshold: options.Threshold = None,
    alpha: options.Alpha = None,
    gamma: options.Gamma = 1.0,
    calibrate: options.Calibrate = None,
    beta: options.Beta = 0.05,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    time_limit: options.TimeLimit = None,
    trust: options.Trust = None,
    out: options.BoundsOut = None,
) -> None:
    """Bound the mean cost of advice that all models accept, term by term.

    α and γ of the error bound: given with --alpha and --gamma; or calibrated by exact searches
    (--calibrate N people, total shift in percentiles of the people given); or, for linear models
    alone, in closed form (Euclidean moves in standard deviations, as if every mutable input were
    free).
    """
    from standfast.files import check_table_path
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema
    from standfast.scores import Additive, Linear, TreeEnsemble, Unanimous

    outputs.check_spared({"--out": [out]}, [people, schema, *model])
    if out is not None:
        check_table_path(out)
    if alpha is not None and calibrate is not None:
        raise InputError("--alpha and --calibrate exclude each other; give one of them")
    if alpha is None and gamma != 1.0:
        raise InputError("--gamma goes with --alpha; a calibration chooses gamma itself")
    meaning = Schema.read(schema)
    table, labels = _people(people, meaning, label, favourable, drop or [])
    scores = {
        _name(path, k): score_of(path, meaning, trust or [], favourable, threshold)
        for k, path in enumerate(model)
    }
    X, q = meaning.matrix(table), Percentiles.fit(table).of(meaning)
    joint = Unanimous(tuple(scores.values()))
    if joint.accepts(X).all():
        raise InputError(
            f"none of the {len(X)} people is refused, so there is no cost to bound; raise "
            "--threshold, check --favourable, or give people the models refuse"
        )
    warn_of_accepted(joint, meaning, table)
    for path, score in zip(model, scores.values(), strict=True):
        if calibrate is not None and not isinstance(score, Linear | Additive | TreeEnsemble):
            raise InputError(
                f"--calibrate searches linear, additive and tree models, and '{path}' holds none "
                "of them; give --alpha and --gamma instead"
            )
    values, found = _constants(
        scores, table, X, meaning, q, (alpha, gamma, calibrate, beta), (seed, jobs, time_limit)
    )
    bounds = []  # an infinite alpha is an answer too: nothing is bounded, and the note says why
    if np.isfinite(found.alpha):
        bounds = _bounds(values, labels, found)
    frames = [found.to_frame(), *(bound.to_frame() for bound in bounds)]
    import pandas as pd

    whole = pd.concat(frames, ignore_index=True)
    if out is not None:
        from standfast.files import write_table

        with undisturbed():
            write_table(whole, out)
    _tell(found, bounds, list(scores), len(X))
    if out is not None:
        typer.echo(f"\nwritten to {out}")


def _name(path: Path, k: int) -> str:
    return f"{'fg'[k] if k < 2 else f'model {k}'} ({path.name})"


def _people(
    path: Path, schema: "Schema", label: str | None, favourable: str, drop: list[str]
) -> "tuple[pd.DataFrame, NDArray[np.int64] | None]":
    """The people, and their labels as +1 and -1 if there is a column of them."""
    from standfast.files import read_table

    if label is not None:
        found = labelled.people(path, schema, label, favourable, drop)
        return found.table, found.labels.to_numpy()
    (table,) = tables.without(drop, read_table(path))
    tables.check(table, schema, path)
    return table, None


def _constants(
    scores: "dict[str, Score]",
    table: "pd.DataFrame",
    X: "Matrix",
    schema: "Schema",
    q: "Percentiles",
    wanted: tuple[float | None, float, int | None, float],
    how: tuple[int, int, float | None],
) -> "tuple[list[Matrix], AlphaGamma]":
    """The scores the bounds are fed, and α and γ: given, calibrated, or in closed form."""
    from standfast.bounds import AlphaGamma, alpha_gamma, hoffman
    from standfast.scores import Linear

    alpha, gamma, calibrate, beta = wanted
    models = list(scores.values())
    values = [model.score(X) for model in models]
    if alpha is not None:
        return values, AlphaGamma(alpha, gamma, "given")
    if calibrate is not None:
        rows, costs = _searched(models, table, X, schema, q, calibrate, how)
        box = float(schema.mutable.sum())  # every total shift is at most 1 per mutable input
        found = alpha_gamma(
            [vector[rows] for vector in values], costs, box=box, beta=beta, seed=how[0]
        )
        return values, found
    linear = [model for model in models if isinstance(model, Linear)]
    if len(linear) < len(models):
        raise InputError(
            "not all models are linear, so there is no closed form: add --calibrate 300 to measure "
            "alpha and gamma by exact searches, or give --alpha and --gamma"
        )
    named = dict(zip(scores, linear, strict=True))
    try:
        constant = hoffman(named, scale=q.scale, mutable=schema.mutable)
    except InputError as error:
        raise InputError(
            "these linear models have no closed form: their weights oppose each other, or lie on "
            "inputs that may not move; add --calibrate 300 to measure alpha and gamma by exact "
            "searches, or give --alpha and --gamma"
        ) from error
    say("closed form: raw values instead of probabilities, moves in standard deviations")
    raw = [model.raw(X) - model.cutoff() for model in linear]
    return raw, alpha_gamma(constant)


def _searched(
    models: "list[Score]",
    table: "pd.DataFrame",
    X: "Matrix",
    schema: "Schema",
    q: "Percentiles",
    people: int,
    how: tuple[int, int, float | None],
) -> "tuple[NDArray[np.intp], Matrix]":
    """Some refused people, and their exact joint costs: ∞ if impossible, missing if unknown."""
    from standfast.methods import MinimalCost, recommend
    from standfast.scores import Unanimous

    seed, jobs, time_limit = how
    joint = Unanimous(tuple(models))
    refused = np.flatnonzero(~joint.accepts(X))
    rows = np.sort(np.random.default_rng(seed).permutation(refused)[:people])
    with stoppable(), progress_bar("people") as progress:
        found = recommend(
            MinimalCost(schema, q),
            joint,
            table.iloc[rows],
            seed=seed,
            jobs=jobs,
            time_limit=time_limit,
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


def _tell(found: "AlphaGamma", bounds: "list[Bound]", names: list[str], n: int) -> None:
    typer.echo(f"{n} people, {len(names)} model{'s' * (len(names) > 1)}: {', '.join(names)}")
    typer.echo(f"\nalpha = {found.alpha:.6g}, gamma = {found.gamma:g}: {found.how}")
    if found.terms:
        _table(found.terms, found.counts)
    if np.isfinite(found.averaged):
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
