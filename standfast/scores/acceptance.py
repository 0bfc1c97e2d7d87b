"""Whether a model accepts, without asking the estimator where its structure cannot be wrong."""

import numpy as np

from standfast.scores.additive import Additive
from standfast.scores.linear import Linear
from standfast.scores.paired import Paired
from standfast.scores.score import CLEARANCE, Bools, Matrix, Score, Structured
from standfast.scores.tree_ensemble import TreeEnsemble

# Sums differ in their last bits from kernel to kernel, of 32-bit libraries and encoders by more; a
# structure is read only if it gives the estimator's own numbers within a tenth of this.
NEAR = 1e-5


def accepted(score: Score, X: Matrix) -> Bools:
    """What `score.accepts(X)` says, asking the estimator only about rows close to the threshold.

    Further away than the arithmetic can be off, structure and estimator agree. So many models can
    be counted without loading a single estimator.
    """
    if not isinstance(score, TreeEnsemble | Linear | Additive | Paired):
        return score.accepts(X)
    values = score.score(X)
    yes: Bools = values > 0.0
    close = ~(np.abs(values) > doubt(score))
    if close.any():
        yes[close] = score.accepts(X[close])
    return yes


def doubt(score: Score) -> float:
    """How close to zero a score must be for its sign to be asked of the estimator itself.

    Trees give the sum of some of their leaves: in 64 bits, added in whatever order, it is off by
    far less than the clearance of a search, or it is another sum altogether. A steep link makes
    more of it.
    """
    near = CLEARANCE if isinstance(score, TreeEnsemble) and not score.single else NEAR
    return near * score.link.steepest if isinstance(score, Structured) else near
