"""One pass over the training table as a single compiled loop, in JAX."""

from typing import Any

import equinox as eqx
import jax
import optax

from standfast.autoencoder.network import Network

ADAM = optax.adam(1e-3)  # as published


def untrained(network: Network) -> Any:
    """The optimiser's first state."""
    return ADAM.init(eqx.filter(network, eqx.is_array))


@jax.jit
def pass_over(
    network: Network, state: Any, batches: tuple[jax.Array, jax.Array], fixed: Any
) -> tuple[Network, Any, jax.Array]:
    """The network after one step of Adam per batch, and each batch's mean negative bound."""

    def loss_of(network: Network, rows: jax.Array, weight: jax.Array) -> jax.Array:
        return -(network.bounds(rows, *fixed) * weight).sum() / weight.sum()

    def step(carry: Any, batch: Any) -> Any:
        network, state = carry
        loss, slope = jax.value_and_grad(loss_of)(network, *batch)
        updates, state = ADAM.update(slope, state)
        return (optax.apply_updates(network, updates), state), loss

    (network, state), losses = jax.lax.scan(step, (network, state), batches)
    return network, state, losses
