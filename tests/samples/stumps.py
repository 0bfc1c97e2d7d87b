"""Small tree ensembles written down by hand."""

import numpy as np

from standfast import TreeEnsemble
from standfast.scores.tree_ensemble import Trees


def stumps(width, *rows, threshold=0.5):
    """Trees of one split: (input, split, value up to it, value above it) each."""
    feature, split = np.zeros(3 * len(rows), dtype=int), np.full(3 * len(rows), np.inf)
    left, value = np.arange(3 * len(rows)), np.zeros(3 * len(rows))
    for t, (j, at, low, high) in enumerate(rows):
        feature[3 * t], split[3 * t], left[3 * t] = j, at, 3 * t + 1
        value[3 * t + 1 : 3 * t + 3] = low, high
    roots, depths = np.arange(0, 3 * len(rows), 3), np.ones(len(rows), dtype=int)
    trees = Trees(feature, split, left, np.ones(len(left), dtype=bool), value, roots, depths)
    return TreeEnsemble(trees, width, threshold)
