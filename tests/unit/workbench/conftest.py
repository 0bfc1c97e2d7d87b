from collections.abc import Iterator

import pytest
from samples.workbench import Running, running, service

from standfast.workbench.service import Service


@pytest.fixture(scope="session")
def bench() -> Service:
    return service()


@pytest.fixture(scope="session")
def server(bench: Service) -> Iterator[Running]:
    with running(bench) as found:
        yield found
