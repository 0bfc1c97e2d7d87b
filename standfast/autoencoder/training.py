"""Fitting an autoencoder: one compiled loop over the batches of an epoch, the same per seed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.autoencoder.autoencoder import Autoencoder
from standfast.autoencoder.layout import Layout
from standfast.errors import InputError, check_whole
from standfast.schema import Schema
from standfast.schema.categories import MISSING

BATCH = 100  # as published
# The defaults, chosen by held-out likelihood on both real sets: scripts/choose_autoencoder.py
COMPONENTS, LATENT, EPOCHS = 12, 8, 150

Progress = Callable[[int, float], object]


def fit(
    schema: Schema,
    table: pd.DataFrame,
    *,
    s: int = COMPONENTS,
    z: int = LATENT,
    epochs: int = EPOCHS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Autoencoder:
    """An autoencoder of the table: `s` components, `z` latent numbers, `epochs` passes.

    Maximises the mean of `Autoencoder.bound` over the table by Adam. `progress(epoch, loss)` is
    called after every epoch with the mean negative bound. What cannot be learnt from is refused
    with a sentence before training starts; so is a table smaller than one batch.
    """
    check_whole(s=s, z=z, epochs=epochs)
    check_whole(least=0, seed=seed)
    X = schema.matrix(table)
    X = np.where(schema.lacking(X), MISSING, X)
    if len(X) < BATCH:
        raise InputError(
            f"the table has {len(X)} rows, fewer than one batch of {BATCH}; an autoencoder needs "
            "at least that many people to learn from"
        )
    layout = Layout.of(schema, X, table.index)
    backend()
    from standfast.autoencoder.network import Network, packed

    rng = np.random.default_rng(seed)
    network = Network.drawn(layout, s, z, rng)
    if len(layout.free):  # nothing can be learnt about people who may change nothing
        network = _trained(network, layout, packed(layout, X), epochs, rng, progress)
    about = {
        "epochs": int(epochs),
        "seed": int(seed),
        "rows": len(X),
        "data": str(table.attrs.get("origin", "")),
    }
    return Autoencoder.build(schema, layout, network.weights(), X, about)


def backend() -> None:
    """Refuse to train where the neural backend is not installed, with the line that installs it."""
    try:
        import equinox  # noqa: F401
        import jax  # noqa: F401
        import optax  # noqa: F401
    except ImportError as error:
        raise InputError(
            "fitting an autoencoder needs JAX, Equinox and Optax (using a fitted one does not); "
            "install them with: pip install 'standfast[autoencoder]'"
        ) from error


def _trained(
    network: Any,
    layout: Layout,
    rows: NDArray[np.float32],
    epochs: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Any:
    import jax.numpy as jnp

    from standfast.autoencoder.epoch import pass_over, untrained

    state = untrained(network)
    fixed = (jnp.asarray(layout.base, jnp.float32), jnp.asarray(layout.cap, jnp.float32))
    for epoch in range(1, epochs + 1):
        order, weight = shuffled(len(rows), rng)
        batches = (jnp.asarray(rows[order]), jnp.asarray(weight))
        network, state, losses = pass_over(network, state, batches, fixed)
        loss = float(np.average(np.asarray(losses, np.float64), weights=weight.sum(axis=1)))
        if not np.isfinite(loss) or not network.finite:
            raise InputError(
                f"training diverged in epoch {epoch}: the loss is no longer a number; look for "
                "extreme values in the table, or declare amounts as 'positive' so that their "
                "logarithm is learnt"
            )
        if progress:
            progress(epoch, loss)
    return network


def shuffled(n: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Everybody's row once, batch by batch in random order, and the rows' weights.

    All batches have one size, so that one compiled loop serves them. The last may be short: it is
    filled up with rows of weight 0, and nobody is left out.
    """
    steps = -(-n // BATCH)
    order, weight = np.zeros(steps * BATCH, np.int64), np.zeros(steps * BATCH, np.float32)
    order[:n], weight[:n] = rng.permutation(n), 1.0
    return order.reshape(steps, BATCH), weight.reshape(steps, BATCH)
