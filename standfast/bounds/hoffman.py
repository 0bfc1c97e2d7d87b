"""Hoffman's constant: how far the nearest point that all linear models accept can be, per unit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from standfast.bounds.bound import Bound
from standfast.errors import InputError
from standfast.scores import Linear

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Norm = Literal[1, 2] | float  # 1, 2 or infinity

ZERO = 1e-9  # of the smallest weight vector's length: below this, models count as opposed
MOST = 20_000  # linearly independent subsets that are tried


@dataclass(frozen=True, repr=False)
class Hoffman(Bound):
    """α of linear models: dist(x, H_f^+ ∩ H_g^+) ≤ α max(−f(x), −g(x)), with γ = 1.

    `total` is α, infinite where no point satisfies all models; `note` then names them. `mixture` is
    the convex combination of the models that resists most.
    """

    mixture: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    def __repr__(self) -> str:
        return f"<Hoffman: alpha = {self.total:.6g}{'; ' * bool(self.note)}{self.note}>"


def hoffman(
    weights: Sequence[Any] | Mapping[str, Any],
    *,
    norm: Norm = 2,
    scale: ArrayLike | None = None,
    mutable: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
) -> Hoffman:
    """α for the raw values of linear models, free real-valued moves and a norm cost, γ = 1.

    One model: 1/‖w‖_*; several: 1 / min over the simplex of ‖Σ_k λ_k w_k‖_*, in the dual of the
    cost norm ‖(x̃ − x) / scale‖ and over mutable inputs only; two unit normals at angle θ give
    1/cos(θ/2). `weights` are vectors or `Linear` models, in a list or by name. Where models oppose
    each other so that the minimum is 0, a linear programme asks whether any point satisfies all,
    which depends on the `offsets` b_k in w_k·x + b_k > 0 (a `Linear` model knows its own while all
    inputs may move); if so, α is the largest over linearly independent subsets.

    Feed bounds with this α the raw values, not probabilities: for a logistic regression
    distance/(½ − p) is unbounded. Not valid with bounds, steps or directions, nor for percentile
    shifts: use `alpha_gamma`.

    >>> round(hoffman([[1.0, 0.0], [0.0, 1.0]]).total, 6)
    1.414214
    """
    names, W, own = _read(weights)
    free = _mask(mutable, W.shape[1])
    W = (W * _scale(scale, W.shape[1]))[:, free]
    if norm not in (1, 2, np.inf):
        raise InputError(f"norm is {norm!r}; allowed are 1, 2 and infinity")
    dual = {1: np.inf, 2: 2, np.inf: 1}[norm]
    lengths = np.linalg.norm(W, dual, axis=1)
    still = [name for name, length in zip(names, lengths, strict=True) if length == 0.0]
    if still:
        raise InputError(
            f"model '{still[0]}' has no weight on anything that may move, so no change can satisfy "
            "it; leave it out or let more inputs move"
        )
    b = own if own is not None and free.all() else None
    if offsets is not None:
        b = np.asarray(offsets, dtype=np.float64)
        if b.shape != (len(W),) or not np.isfinite(b).all():
            raise InputError(f"offsets must be {len(W)} finite numbers, one per model")
    mixture, least = _resisting(W, dual)
    terms = {f"alone: {name}": 1.0 / length for name, length in zip(names, lengths, strict=True)}
    if len(W) == 2:
        terms |= _angle(W)
    terms["least norm"] = least
    counts = {"models": len(W), "mutable inputs": W.shape[1]}
    if least > ZERO * lengths.min():
        mixed = dict(zip(names, mixture.tolist(), strict=True))
        return Hoffman("Hoffman constant", 1.0 / least, terms, counts, mixed)
    return _opposed(names, W, b, dual, terms, counts)


def _read(weights: Any) -> tuple[list[str], Matrix, Vector | None]:
    """The models' names, weights, and offsets where all of them are `Linear`."""
    given = dict(weights) if isinstance(weights, Mapping) else None
    models = list(given.values()) if given is not None else list(weights)
    if not models:
        raise InputError("no weights were given; give one vector per model: [w_f, w_g]")
    if given is None and np.ndim(models[0]) == 0 and not isinstance(models[0], Linear):
        raise InputError("one vector was given; wrap it in a list, one vector per model: [w]")
    names = (
        [str(n) for n in given] if given is not None else [f"model {k}" for k in range(len(models))]
    )
    rows: list[Vector] = []
    for name, model in zip(names, models, strict=True):
        try:
            row = np.asarray(model.weights if isinstance(model, Linear) else model, np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"the weights of '{name}' are not numbers ({error}); only linear models have a "
                "Hoffman constant: calibrate the others with alpha_gamma(...)"
            ) from error
        if row.ndim != 1 or (rows and len(row) != len(rows[0])) or not np.isfinite(row).all():
            raise InputError(
                f"the weights of '{name}' have the shape {row.shape}; give one finite number per "
                f"input{f', {len(rows[0])} as for the others' if rows else ''}"
            )
        rows.append(row)
    own = None
    if all(isinstance(model, Linear) for model in models):
        own = np.array([model.offset - model.cutoff() for model in models])
    return names, np.vstack(rows), own


def _mask(mutable: ArrayLike | None, width: int) -> NDArray[np.bool_]:
    if mutable is None:
        return np.ones(width, dtype=bool)
    free = np.asarray(mutable)
    if free.shape != (width,) or free.dtype != bool:
        raise InputError(f"mutable must be {width} booleans, one per input: schema.mutable")
    if not free.any():
        raise InputError("no input may move; let at least one")
    return free


def _scale(scale: ArrayLike | None, width: int) -> Vector:
    if scale is None:
        return np.ones(width)
    units = np.asarray(scale, dtype=np.float64)
    if units.shape != (width,) or not (np.isfinite(units) & (units > 0)).all():
        raise InputError(
            f"scale must be {width} positive numbers, one per input: percentiles.scale"
        )
    return units


def _resisting(W: Matrix, dual: float) -> tuple[Vector, float]:
    """The point of the simplex where ‖Σ λ_k w_k‖_* is least, and that norm."""
    unit = np.linalg.norm(W, dual, axis=1).min()
    V, K = W / unit, len(W)
    if dual == 2:
        from scipy.optimize import nnls

        # min ‖Vᵀλ‖² + (1ᵀλ − 1)² over λ ≥ 0 has its optimum on the ray of the nearest point: with
        # λ = tμ the best t gives N/(1 + N), N = ‖Vᵀμ‖², which grows with N
        found, _ = nnls(np.vstack([V.T, np.ones(K)]), np.append(np.zeros(V.shape[1]), 1.0))
    else:
        found = _resisting_by_programme(V, dual)
    mixture: Vector = found / found.sum()
    return mixture, float(np.linalg.norm(mixture @ W, dual))


def _resisting_by_programme(V: Matrix, dual: float) -> Vector:
    from scipy.optimize import linprog

    K, d = V.shape
    # one slack per input for the sum of absolute values, one for all for their maximum
    slack = np.eye(d) if dual == 1 else np.ones((d, 1))
    price = np.append(np.zeros(K), np.ones(slack.shape[1]))
    rows = np.vstack([np.hstack([V.T, -slack]), np.hstack([-V.T, -slack])])
    one = np.append(np.ones(K), np.zeros(slack.shape[1]))[None, :]
    solved = linprog(price, rows, np.zeros(2 * d), one, [1.0], bounds=(0, None))
    mixture: Vector = np.maximum(solved.x[:K], 0.0)
    return mixture


def _angle(W: Matrix) -> dict[str, float]:
    u, v = (w / np.linalg.norm(w) for w in W)
    # from chords: the arc cosine loses half its digits near 0 and 180 degrees
    angle = 2.0 * np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v))
    return {"angle in degrees": float(np.degrees(angle))}


def _opposed(
    names: list[str],
    W: Matrix,
    b: Vector | None,
    dual: float,
    terms: dict[str, float],
    counts: dict[str, int],
) -> Hoffman:
    """Models whose weights cancel: impossible together, or bounded by independent subsets."""
    mixture, _ = _resisting(W, dual)
    if b is None:
        guilty = _listed(names, mixture)
        raise InputError(
            f"{guilty} oppose each other: whether any point satisfies them together depends on "
            "their offsets; give offsets=[b_f, b_g, …] of w·x + b > 0, immutable inputs included"
        )
    from scipy.optimize import linprog

    K, d = W.shape
    unit = np.linalg.norm(W, 2, axis=1)
    # the largest t with w_k·x + b_k ≥ t for all k, in units of each model's own weights
    rows = np.hstack([-W / unit[:, None], np.ones((K, 1))])
    free = [(None, None)] * d + [(None, 1.0)]
    solved = linprog(np.append(np.zeros(d), -1.0), rows, b / unit, bounds=free)
    if solved.status == 0 and solved.x[-1] <= ZERO:
        blame = -np.asarray(solved.ineqlin.marginals)
        guilty = _listed(names, blame)
        note = f"no point satisfies {guilty} together: there is no bound"
        mixed = dict(zip(names, (blame / blame.sum()).tolist(), strict=True))
        return Hoffman("Hoffman constant", np.inf, terms, counts, mixed, note)
    rank = int(np.linalg.matrix_rank(W))
    if comb(K, rank) > MOST:
        raise InputError(
            f"{K} models whose weights cancel have {comb(K, rank):,} subsets to try, more than "
            f"{MOST:,}; give fewer models, or calibrate with alpha_gamma(...)"
        )
    worst, least = 0.0, np.inf
    where: tuple[int, ...] = ()
    for subset in combinations(range(K), rank):
        if np.linalg.matrix_rank(W[list(subset)]) == rank:
            found, length = _resisting(W[list(subset)], dual)
            if 1.0 / length > worst:
                worst, where, mixture, least = 1.0 / length, subset, found, length
    terms = {**terms, "least norm": least}
    mixed = {names[k]: float(share) for k, share in zip(where, mixture, strict=True)}
    note = "the models' weights cancel; alpha is the largest over independent subsets"
    return Hoffman("Hoffman constant", worst, terms, counts, mixed, note)


def _listed(names: list[str], shares: Vector) -> str:
    top = max(float(shares.max()), 1e-300)
    guilty = [f"'{name}'" for name, share in zip(names, shares, strict=True) if share > 1e-9 * top]
    return " and ".join(guilty)
