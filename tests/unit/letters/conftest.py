import pytest
from samples.letters import PEOPLE, advice_for, marked_up


@pytest.fixture
def advice():
    return advice_for(PEOPLE)


@pytest.fixture
def named():
    return marked_up()
