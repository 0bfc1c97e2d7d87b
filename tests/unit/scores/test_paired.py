"""A scorecard with trees for pairs of inputs."""

import pickle

import numpy as np
import pytest

import standfast as sf
from standfast.readers.cells import Cells, Table, trees_of
from standfast.scores import Paired
from standfast.scores.score import LOGISTIC, surely_accepts

A, B = Cells(np.array([2.0, 5.0])), Cells(np.array([1.0]))
AMOUNTS = np.array([[9.0, 1.0, 2.0], [8.0, 0.0, 0.0], [7.0, -1.0, 3.0], [6.0, -1.0, 0.25]])


def model(**settings):
    trees = trees_of([Table((0, 1), (A, B), AMOUNTS)], gapped=[0])
    return Paired([np.negative, np.zeros_like], 0.5, trees, **settings)


def test_a_table_of_two_inputs_gives_its_entry_on_below_and_above_every_edge():
    a, b = [0.0, np.nextafter(2.0, 0.0), 2.0, 4.0, 5.0, 9.0, -np.inf], [0.0, 1.0, 7.0]
    X = np.array([(x, y) for x in a for y in b])
    cell_a, cell_b = [1, 1, 2, 2, 3, 3, 0], [1, 2, 2]
    wanted = np.array([AMOUNTS[i, j] for i in cell_a for j in cell_b])
    assert np.array_equal(model().ensemble.raw(X), wanted)


def test_the_raw_value_adds_functions_and_trees():
    X = np.array([[3.0, 2.0], [6.0, 0.0]])
    assert model().raw(X).tolist() == [0.5 - 3.0 + 3.0, 0.5 - 6.0 - 1.0]
    assert model().accepts(X).tolist() == [True, False]
    assert surely_accepts(model(threshold=0.4), X).tolist() == [True, False]


def test_the_link_and_the_threshold_count_and_change_the_fingerprint():
    logistic = model(link=LOGISTIC, threshold=0.7)
    assert logistic.probability
    assert logistic.cutoff() == pytest.approx(np.log(0.7 / 0.3))
    assert logistic.digest != model(link=LOGISTIC, threshold=0.6).digest != model().digest


def test_it_can_be_pickled():
    before = model()
    after = pickle.loads(pickle.dumps(before))
    X = np.array([[3.0, 2.0]])
    assert after.digest == before.digest
    assert np.array_equal(after.raw(X), before.raw(X))


def test_trees_that_read_an_input_there_is_not_are_refused():
    trees = trees_of([Table((0, 7), (A, B), AMOUNTS)], gapped=[])
    with pytest.raises(sf.InputError, match="the trees read input 7 but there are 2"):
        Paired([np.zeros_like, np.zeros_like], 0.0, trees)
