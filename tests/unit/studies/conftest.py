"""A small study that several tests look at."""

import pytest

import standfast as sf
from standfast.studies import Settings, Sizes, study

TINY = Sizes(
    rows=600,
    people=8,
    joint=6,
    linear=4,
    forests=2,
    boxes=300,
    rows_seen=20_000,
    frontier=4,
    fresh=6,
    promised=3,
    histories=2,
)


@pytest.fixture(scope="session")
def credit():
    return sf.datasets.twin("give_me_some_credit", n=TINY.rows, seed=0)


@pytest.fixture(scope="session")
def small(credit, tmp_path_factory):
    """The study's folder and what came of it."""
    folder = tmp_path_factory.mktemp("study")
    return folder, study([credit], Settings(sizes=TINY, frontier=True), folder)
