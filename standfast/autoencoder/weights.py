"""What an autoencoder has learnt, as plain arrays."""

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# The least variance of a normal in units of its input's own: an atom, such as a utilisation of
# exactly 0, would otherwise have an infinite density.
LEAST_VARIANCE = 1e-3
# Experts' precisions stay within e^±12, so that no outlier overflows.
MOST_LOG_PRECISION = 12.0
# What stands for infinity among the thresholds of ordinals.
FAR = 1e3

# Gauss–Hermite: E f(N(a, b)) ≈ Σ_q w_q f(a + √b ξ_q), exact for polynomials of degree 31
_ROOTS, _MASSES = np.polynomial.hermite_e.hermegauss(16)
NODES: Array = _ROOTS
NODE_WEIGHTS: Array = _MASSES / np.sqrt(2.0 * np.pi)


@dataclass(frozen=True, eq=False)
class Weights:
    """The parameters of S components, d mutable inputs, c immutable ones and Z latent numbers.

    A nominal counts once for every category.
    """

    prior: Array  # W, S × Z: p(z | s) = N(W_s, I)
    offset: Array  # S × d: the head of input j under component s is
    conditions: Array  # S × d × c: θ_j = offset + conditions · x_c + loadings · z
    loadings: Array  # S × d × Z
    variance: Array  # S × d: of a normal or log-normal, in normalised units
    edges: Array  # d × (levels + 1): −∞, increasing thresholds, +∞; only ordinals use it
    expert_slope: Array  # S × d × Z: input j's expert says N(slope·u + offset + conditions·x_c, …)
    expert_offset: Array  # S × d × Z
    expert_conditions: Array  # d × Z × c
    precision_slope: Array  # S × d × Z: … with log precision slope·u + offset
    precision_offset: Array  # S × d × Z

    def arrays(self) -> dict[str, Array]:
        """The parts by name, for files and fingerprints."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Decoder(NamedTuple):
    """What the decoding kernels read: the mutable inputs' layout, and the parts of their heads."""

    kind: NDArray[np.int64]
    centre: Array
    scale: Array
    base: Array
    cap: Array
    lowest: Array
    levels: NDArray[np.int64]
    offset: Array
    conditions: Array
    loadings: Array
    edges: Array
    code: NDArray[np.int64]
    variance: Array


class Experts(NamedTuple):
    """What the encoding kernels read of the prior and of every input's expert."""

    prior: Array
    slope: Array
    offset: Array
    conditions: Array
    precision_slope: Array
    precision_offset: Array
