"""A study's invented tables, and ways to change them."""

import pytest
from samples.study import sample_tables

from standfast.studies.tables import TIDY


@pytest.fixture
def tables():
    return sample_tables()


@pytest.fixture
def one_scene(tables):
    """The study with its first scene only."""
    first = tables["scenes"].iloc[0]
    return {
        name: table[
            (table["data"] == first["data"]) & (table["reference"] == first["reference"])
        ].reset_index(drop=True)
        for name, table in tables.items()
    }


@pytest.fixture
def empty(tables):
    """A study in which nothing happened."""
    return {name: tables[name].iloc[:0] for name in TIDY}
