"""A heterogeneous variational autoencoder: how mixed tables of people are distributed."""

from standfast.autoencoder.autoencoder import Autoencoder
from standfast.autoencoder.training import fit

__all__ = ["Autoencoder", "fit"]
