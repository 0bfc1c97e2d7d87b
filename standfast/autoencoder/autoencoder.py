"""A fitted autoencoder: what it has learnt of a table, usable without the neural backend."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from standfast.autoencoder.layout import Indices, Layout, Matrix, Vector
from standfast.autoencoder.weights import Decoder, Experts, Weights
from standfast.digests import digest
from standfast.errors import InputError
from standfast.schema import Schema
from standfast.schema.categories import MISSING

# the levels at which the training people's bounds are remembered
LEVELS = 1001


@dataclass(frozen=True, eq=False)
class Autoencoder:
    """A generative model of a mixed table, given the inputs nobody can change (HI-VAE).

    A component s is drawn evenly from S, then z ~ N(W_s, I); every mutable input follows its
    likelihood with the head θ_j = offset_sj + conditions_sj · x_c + loadings_sj · z, x_c being the
    immutable inputs. Built by `standfast.autoencoder.fit`; see docs/autoencoder.md.

    Parameters
    ----------
    schema : Schema
        The inputs it was fitted on.
    layout, weights : Layout, Weights
        Which likelihood each input has, and the numbers above.
    bounds : array of float
        The training people's bounds of log p, to which `usual` compares.
    about : mapping
        How it was fitted: data, settings, seed.

    Examples
    --------
    >>> import standfast as sf
    >>> from standfast.autoencoder import fit
    >>> people = sf.datasets.twin("give_me_some_credit", n=300, seed=0)
    >>> learnt = fit(people.schema, people.table, s=2, z=2, epochs=2)
    >>> learnt.components, learnt.latent
    (2, 2)
    >>> learnt.reconstruct(people.schema.matrix(people.table.head(3))).shape
    (3, 10)
    """

    schema: Schema
    layout: Layout
    weights: Weights
    bounds: Vector  # quantiles of the training people's bounds, at even levels from 0 to 1
    about: Mapping[str, Any]  # epochs, seed, rows, data; mean and deviation of the bound

    @classmethod
    def build(
        cls, schema: Schema, layout: Layout, weights: Weights, X: Matrix, about: Mapping[str, Any]
    ) -> "Autoencoder":
        """The fitted value, which remembers how usual its training people are to it."""
        bare = cls(schema, layout, weights, np.zeros(LEVELS), about)
        bound = bare.bound(X)
        known = {**about, "bound": float(bound.mean()), "deviation": float(bound.std())}
        return cls(schema, layout, weights, np.quantile(bound, np.linspace(0, 1, LEVELS)), known)

    @property
    def components(self) -> int:
        """S, how many components there are."""
        return int(self.weights.prior.shape[0])

    @property
    def latent(self) -> int:
        """How many latent numbers z has."""
        return int(self.weights.prior.shape[1])

    @cached_property
    def digest(self) -> str:
        """The fingerprint of everything learnt."""
        parts = [*self.layout.arrays().values(), *self.weights.arrays().values()]
        return digest(["autoencoder", self.schema_text, self.bounds, *parts])

    @cached_property
    def schema_text(self) -> str:
        """The schema it was fitted with, as its file holds it."""
        return replace(self.schema, draft=None).to_toml()

    # encoding

    def encode(self, X: Matrix) -> tuple[Matrix, Indices]:
        """Each person's posterior mean of z, under the component that explains them best."""
        scores, means = self._encoded(X)
        best = scores.argmax(axis=1)
        return means[np.arange(len(X)), best], best.astype(np.int64)

    def encode_all(self, X: Matrix) -> tuple[Matrix, Indices]:
        """Each person's posterior mean of z under every component, and the likeliest ones first."""
        scores, means = self._encoded(X)
        return means, np.argsort(-scores, axis=1, kind="stable").astype(np.int64)

    def bound(self, X: Matrix) -> Vector:
        """A lower bound of log p(x | x_c) of each person, densities in table units.

        log (1/S) Σ_s exp(ELBO_s(x)), with ELBO_s(x) = E_q(z|x,s) log p(x | z, s) −
        KL(q(z|x,s) ‖ p(z|s)): the evidence lower bound at its best q(s | x), which is
        proportional to exp(ELBO_s). Nothing is sampled: every head is linear in z, so its
        expectation is closed (normal, log-normal, Poisson), a one-dimensional Gauss–Hermite sum, or
        bounded by Jensen's inequality (categories). Missing values are left out of x.
        """
        from standfast.autoencoder.kernels import log_mean_exp

        scores, _ = self._encoded(X)
        return log_mean_exp(scores) + self.layout.constants(self._emptied(X))

    def usual(self, X: Matrix) -> Vector:
        """The share of training people whose bound is at most each person's."""
        return np.interp(self.bound(X), self.bounds, np.linspace(0.0, 1.0, len(self.bounds)))

    def _encoded(self, X: Matrix) -> tuple[Matrix, Matrix]:
        from standfast.autoencoder.kernels import encode_rows
        from standfast.compilation import Struct

        X, layout = self._emptied(X), self.layout
        values, normalised, seen, given = (
            np.ascontiguousarray(part)
            for part in (X[:, layout.free], layout.inputs(X), layout.seen(X), layout.conditions(X))
        )
        decoder: Any = Struct(self.decoder)
        experts: Any = Struct(self._experts)
        return encode_rows(values, normalised, seen, given, decoder, experts)

    def _emptied(self, X: Matrix) -> Matrix:
        """The matrix with every value that stands for a missing one missing."""
        X = self.checked(X)
        return np.where(self.schema.lacking(X), MISSING, X)

    # decoding

    def decode(self, Z: Matrix, component: Indices, X: Matrix) -> Matrix:
        """What latent points stand for, with the immutable inputs of the rows of X; not projected.

        Every input is the middle of its likelihood: the mean of a real or a count, the median of a
        positive or an ordinal, the likeliest value of a binary or a nominal. What is missing in X
        is decoded like everything else.
        """
        from standfast.autoencoder.kernels import decode_rows
        from standfast.compilation import Struct

        decoder: Any = Struct(self.decoder)
        X, layout = self.checked(X), self.layout
        points = np.array(X)
        points[:, layout.free] = decode_rows(
            np.ascontiguousarray(Z, dtype=np.float64),
            np.ascontiguousarray(component, dtype=np.int64),
            self.given(X),
            decoder,
        )
        return points

    def reconstruct(self, X: Matrix) -> Matrix:
        """Each person encoded and decoded again: what is left of them if nothing is searched."""
        return self.decode(*self.encode(X), X)

    def given(self, X: Matrix) -> Matrix:
        """The immutable inputs as the decoder reads them."""
        return self.layout.conditions(self._emptied(X))

    @cached_property
    def decoder(self) -> Decoder:
        """What the decoding kernels need besides a latent point."""
        a, w = self.layout, self.weights
        parts: tuple[Any, ...] = (a.kind, a.centre[a.free], a.scale[a.free], a.base, a.cap)
        parts += (a.lowest, a.levels, w.offset, w.conditions, w.loadings, w.edges, a.code)
        return Decoder(*map(np.ascontiguousarray, (*parts, w.variance)))

    @cached_property
    def _experts(self) -> Experts:
        w = self.weights
        parts = (w.prior, w.expert_slope, w.expert_offset, w.expert_conditions)
        precision = (w.precision_slope, w.precision_offset)
        return Experts(*map(np.ascontiguousarray, (*parts, *precision)))

    def checked(self, X: Matrix) -> Matrix:
        """The matrix, if it has one column per input."""
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.layout.width:
            raise InputError(
                f"the autoencoder reads {self.layout.width} inputs but was given a matrix of shape "
                f"{X.shape}; build it with schema.matrix(table)"
            )
        return X

    def check(self, schema: Schema, *, kinds: bool = True) -> None:
        """Refuse a schema of other inputs, immutables or kinds than the autoencoder learnt.

        Bounds, steps, directions and relations may differ: it never saw them.
        """
        if schema.names != self.schema.names:
            raise InputError(
                f"the autoencoder was fitted on {', '.join(self.schema.names)}, in this order, and "
                f"the schema has {', '.join(schema.names)}; fit one with this schema"
            )
        for own, other in zip(self.schema, schema, strict=True):
            for what in ("mutable", "categories", "missing", *(["kind"] if kinds else [])):
                learnt, said = getattr(own, what), getattr(other, what)
                if learnt != said:
                    raise InputError(
                        f"the autoencoder was fitted with {what} = {learnt} for '{own.name}' and "
                        f"the schema says {said}; fit one with this schema"
                    )

    # files

    def write(self, path: Path | str) -> None:
        """Write the autoencoder as one .npz file: arrays and a header, no code."""
        from standfast.autoencoder.storage import write

        write(self, path)

    @classmethod
    def read(cls, path: Path | str) -> "Autoencoder":
        """An autoencoder from its file; a damaged or altered one is refused."""
        from standfast.autoencoder.storage import read

        return read(path)
