"""Peers: published methods for advice that survives a new model, to be compared with ours."""

from standfast.studies.peers.beta_rce import BetaRce
from standfast.studies.peers.roar import Roar

__all__ = ["BetaRce", "Roar"]
