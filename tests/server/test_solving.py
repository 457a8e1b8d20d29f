"""Solvers that run for tables: begun and given up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hotdice.server.hub import Hub
from hotdice.server.limits import TooMany
from hotdice.server.live import Live
from hotdice.storage import Store
from hotdice.table.sitting import Seat
from tests.server.hubs import SETUP, act, counted, person_due, until

WITH_BOT = replace(SETUP, seats=(Seat("Bo", "perfect"), Seat("Ann")))


class Solvers:
    """Stands in for solver processes: they end when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = self.given_up = 0
        self.asked = asyncio.Event()
        self.may_end = asyncio.Event()
        monkeypatch.setattr("hotdice.server.thinking.Solver._solve", self._solve)
        monkeypatch.setattr("hotdice.server.thinking.Thinker.is_ready", self._is_ready)

    async def _solve(self, *_given: Any) -> None:
        self.begun += 1
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise

    async def _is_ready(self, *_given: Any) -> bool:
        self.asked.set()
        return self.may_end.is_set()


@pytest.fixture
def solvers(monkeypatch: pytest.MonkeyPatch) -> Solvers:
    return Solvers(monkeypatch)


@pytest.fixture
async def hub(tmp_path: Path) -> AsyncIterator[Hub]:
    store = await Store.open(f"sqlite:///{tmp_path / 'hotdice.db'}")
    made = Hub(store)
    async with made.running():
        yield made
    await store.close()


async def a_few_steps() -> None:
    """Let all tasks do what they can do without waiting for anything."""
    for _ in range(50):
        await asyncio.sleep(0)


async def opened(hub: Hub) -> Live:
    return await hub.open((await hub.create(WITH_BOT)).id)


async def test_nothing_is_solved_before_somebody_watches(
    hub: Hub, solvers: Solvers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.driving._AUDIENCE", 0.0)
    live = await opened(hub)
    await solvers.asked.wait()
    await a_few_steps()
    assert (solvers.begun, hub.thinker.solving) == (0, 0)
    async with hub.watch(live, live.table.seq):
        await until(lambda: solvers.begun == 1)


async def test_solving_is_given_up_when_nobody_watches_any_more(
    hub: Hub, solvers: Solvers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot waits too, and begins anew with the next client."""
    monkeypatch.setattr("hotdice.server.solving._RELOADING", 0.0)
    live = await opened(hub)
    async with hub.watch(live, live.table.seq):
        await until(lambda: solvers.begun == 1)
    await until(lambda: solvers.given_up == 1)
    await a_few_steps()
    assert not live.table.sitting.has_chosen()
    async with hub.watch(live, live.table.seq):
        await until(lambda: solvers.begun == 2)


async def test_a_page_that_is_loaded_again_loses_no_solution(hub: Hub, solvers: Solvers) -> None:
    live = await opened(hub)
    async with hub.watch(live, live.table.seq):
        await until(lambda: solvers.begun == 1)
    await a_few_steps()
    async with hub.watch(live, live.table.seq):
        await a_few_steps()
        assert (solvers.begun, solvers.given_up) == (1, 0)


async def test_a_solution_that_others_wait_for_is_not_given_up(
    hub: Hub, solvers: Solvers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.solving._RELOADING", 0.0)
    async with AsyncExitStack() as stack:
        one, other = await opened(hub), await opened(hub)
        await stack.enter_async_context(hub.watch(other, other.table.seq))
        async with hub.watch(one, one.table.seq):
            await until(lambda: solvers.begun == 1)
            [solver] = hub.thinker._solvers.values()  # noqa: SLF001 - who waits for it
            await until(lambda: len(solver.listeners) == 2)
        await until(lambda: len(solver.listeners) == 1)
        assert (solvers.begun, solvers.given_up) == (1, 0)
        solvers.may_end.set()
        await until(lambda: person_due(other, 1))


async def test_solving_for_the_coach_is_given_up_too(
    hub: Hub, solvers: Solvers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.solving._RELOADING", 0.0)
    live = await hub.open((await hub.create(SETUP)).id)
    async with hub.watch(live, live.table.seq):
        hub._driver.solving.in_background(live)  # noqa: SLF001 - as after advice
        await until(lambda: solvers.begun == 1)
    await until(lambda: solvers.given_up == 1)


async def test_a_refused_solver_is_counted_and_the_table_is_told_once(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_given: Any) -> None:
        raise TooMany("Too many games are being solved for your address.", "solving")

    monkeypatch.setattr("hotdice.server.thinking.Thinker.is_ready", refuse)
    opened = await hub.create(WITH_BOT)
    live = await hub.open(opened.id)
    async with hub.watch(live, live.table.seq) as watcher:
        while counted(hub, "solving") < 2:
            await until(lambda: person_due(live, 1))
            await act(hub, live, opened)
        texts = [json.loads(text or "{}") for text in watcher.texts]
        [told] = [one["error"] for one in texts if one["type"] == "problem"]
        assert told.endswith("for your address. The perfect bot plays for points meanwhile.")
        before = counted(hub, "solving")
        hub._driver.solving.in_background(live)  # noqa: SLF001 - as after advice
        await until(lambda: counted(hub, "solving") > before)


async def test_a_client_that_is_too_far_behind_is_counted(hub: Hub) -> None:
    live = await hub.open((await hub.create(SETUP)).id)
    async with hub.watch(live, live.table.seq):
        for _ in range(300):
            live.tell("news")
    assert counted(hub, "queue") == 1
