"""Many at a time: everybody is answered, few searches run, and too many are told so."""

import threading
import time
from functools import partial

import anyio
import pytest
from samples import workbench as sample

from standfast.errors import InputError
from standfast.workbench import server as room
from standfast.workbench.refusals import BusyError
from standfast.workbench.serve import _made
from standfast.workbench.server import _Line


def test_fifty_sessions_are_all_answered_alike(server, monkeypatch):
    monkeypatch.setattr(room, "PATIENCE", 600.0)  # however busy the machine is
    who, found = sample.refused(), []

    def session():
        for name in ("person", "advise"):
            status, shown = server.ask(name, {"person": who})
            found.append((name, status, shown.get("sentence", shown.get("label"))))

    threads = [threading.Thread(target=session) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert len(found) == 100
    assert {status for _, status, _ in found} == {200}
    assert len({(name, said) for name, _, said in found}) == 2


def test_the_page_is_there_while_the_service_is_made():
    ready, shown = threading.Event(), []

    def make():
        ready.wait(60)
        return sample.service()

    with sample.running(_made(make).result) as server:
        asking = threading.Thread(target=lambda: shown.append(server.get("/api/world")))
        asking.start()
        assert [server.get(f"/assets/{name}")[0] for name in ("app.js", "style.css")] == [200, 200]
        assert "workbench" in server.get("/")[1]
        assert shown == []
        ready.set()
        asking.join(60)
    assert [status for status, _ in shown] == [200]


def test_a_service_that_cannot_be_made_is_said():
    def make():
        raise InputError("there is nothing to show")

    with sample.running(_made(make).result) as server:
        assert server.get("/api/world") == (422, '{"error":"There is nothing to show."}')


def test_verdicts_wait_for_no_search():
    begun, ready = threading.Semaphore(0), threading.Event()
    service = sample.service()

    def make():
        if held:
            held.pop()
            begun.release()
            ready.wait(60)
        return service

    held = [1] * room.WORKERS
    with sample.running(make) as busy:
        body = {"person": sample.refused()}
        searches = [
            threading.Thread(target=busy.ask, args=("advise", body)) for _ in range(room.WORKERS)
        ]
        for search in searches:
            search.start()
        for _ in searches:
            assert begun.acquire(timeout=60)
        assert busy.ask("person", body)[0] == 200  # every thread that searches is occupied
        ready.set()
        for search in searches:
            search.join(60)


def test_few_searches_run_at_a_time():
    now, most, guard = [0], [0], threading.Lock()

    def answer(body):
        with guard:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.005)
        with guard:
            now[0] -= 1
        return body

    async def everybody():
        line, found = _Line(2), []

        async def one(k):
            found.append(await line.run(partial(answer, k)))

        async with anyio.create_task_group() as group:
            for k in range(30):
                group.start_soon(one, k)
        return found

    assert sorted(anyio.run(everybody)) == list(range(30))
    assert most[0] <= 2


def test_who_cannot_be_answered_in_time_is_told_so(monkeypatch):
    monkeypatch.setattr(room, "WAITING", 3)
    shown, release = [], threading.Event()

    async def everybody():
        line = _Line(1)

        async def one():
            try:
                await line.run(lambda: release.wait(60))
            except BusyError as error:
                shown.append(str(error))
                release.set()

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(one)

    anyio.run(everybody)
    assert len(shown) >= 1
    assert set(shown) == {"Too many requests; try again in a moment."}


def test_waiting_ends_after_a_while(monkeypatch):
    monkeypatch.setattr(room, "PATIENCE", 0.05)

    async def two():
        line, release = _Line(1), threading.Event()

        async def first():
            await line.run(lambda: release.wait(60))

        async with anyio.create_task_group() as group:
            group.start_soon(first)
            await anyio.sleep(0.01)
            with pytest.raises(TimeoutError):
                await line.run(lambda: None)
            release.set()

    anyio.run(two)
