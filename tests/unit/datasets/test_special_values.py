"""The published sets with all their columns: codes as missing values, categories by name."""

import os

import numpy as np
import pytest

from standfast.datasets import german_credit, heloc
from standfast.errors import InputError

needs_files = pytest.mark.skipif("STANDFAST_DATA" not in os.environ, reason="no real files")


@needs_files
def test_helocs_special_codes_are_missing_values_and_everybody_is_there():
    data = heloc(special="keep")
    assert data.table.shape == (10_459, 23)
    lacking = data.schema.lacking(data.schema.matrix(data.table))
    assert (lacking == (data.table.to_numpy() < 0)).all()
    assert int(lacking.all(axis=1).sum()) == 588
    assert not any(data.schema.doubts(data.schema.matrix(data.table)))


@needs_files
def test_german_credit_has_all_its_columns_by_name():
    data = german_credit(release="corrected", named=True)
    assert data.table.shape == (1_000, 20)
    scales = german_credit(release="corrected")
    assert ((data.table["telephone"] == "yes") == (scales.table["telephone"] == 1)).all()
    owner = data.table["housing"] == "own"
    assert (owner == (scales.table["owner"] == 1)).all()
    codes = data.schema.matrix(data.table)
    position = data.schema.names.index("employment_duration")
    assert np.array_equal(codes[:, position], scales.table["employment"])


def test_the_first_release_has_no_names_that_are_true():
    with pytest.raises(InputError, match="corrected release"):
        german_credit(named=True)


def test_special_codes_are_dropped_or_kept():
    with pytest.raises(InputError, match="it must be 'drop' or 'keep'"):
        heloc(special="fill")
