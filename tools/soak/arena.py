"""The environment of a scenario: servers with many tables, subjected to faults for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tools.soak.checking import check
from tools.soak.house import House, postgres_house, sqlite_house
from tools.soak.playing import Habits, Match, set_up
from tools.soak.postgres import Postgres
from tools.soak.proxy import Proxy
from tools.soak.report import Report
from tools.soak.watching import Watch

_ENDING = 60.0
"""Seconds for all tables to finish after the faults."""
_LONGEST_GAME = 4.0
"""The time budget per game, if games are counted instead of minutes."""
_LONGEST_KILL = 10.0
"""The time budget per kill, if kills are counted instead of minutes."""
_CLOSING = 15.0
"""Seconds for clients to disconnect."""

Disturb = Callable[[], Awaitable[None]]


@dataclass
class Arena:
    """The parameters and resources of a scenario.

    Attributes:
        postgres: the PostgreSQL server of all scenarios.
        folder: the folder for files.
        rng: the source of randomness.
        seconds: how long it lasts, without the time for tables to finish.
        games: the number of games to play instead; 0 for none.
        kills: the number of servers to kill instead; 0 for none.
        tables: how many tables are played concurrently in a house.
        patience: the timeout without progress after which a table has stalled.
        report: the results.
        attacks: which attacks to run; empty for all.
        outages: whether servers may log errors about their database.
    """

    postgres: Postgres
    folder: Path
    rng: Random
    seconds: float
    games: int
    kills: int
    tables: int
    patience: float
    report: Report
    attacks: tuple[str, ...] = ()
    outages: bool = False

    @asynccontextmanager
    async def pair(self) -> AsyncIterator[House]:
        """Run two server processes on PostgreSQL."""
        proxies = [Proxy(self.postgres.socket, self.rng) for _ in range(2)]
        house = await postgres_house(self.postgres, proxies, self.folder)
        async with self._running(house):
            yield house

    @asynccontextmanager
    async def single(
        self, file: Path | None = None, *, is_limited: bool = False
    ) -> AsyncIterator[House]:
        """Run one server process on SQLite, with or without the limits per IP address."""
        file = file or self.folder / f"{self.report.name}-sqlite" / "hotdice.db"
        file.parent.mkdir(parents=True, exist_ok=True)
        house = sqlite_house(file, self.folder)
        for server in house.servers:
            server.is_limited = is_limited
        async with self._running(house):
            yield house

    @asynccontextmanager
    async def _running(self, house: House) -> AsyncIterator[House]:
        try:
            await house.start()
            yield house
        finally:
            await house.end()
            for server in house.servers:
                self.report.kills += server.kills
                if server.log.exists():
                    self.report.other += server.complaints(outages=self.outages)

    async def play(self, house: House, habits: Habits, *disturbers: Disturb) -> list[Match]:
        """Play tables while faults occur; then let all tables finish, and check everything.

        Each disturber causes a fault and repairs it again; it is called repeatedly.
        """
        watch = Watch(house, self.patience)
        watching = asyncio.create_task(watch.run())
        until = time.monotonic() + (_LONGEST_KILL * self.kills or self.seconds)
        left = self.games
        played: list[Match] = []

        async def keep_playing(seed: str) -> None:
            nonlocal left
            rng = Random(seed)
            while left > 0 if self.games else self._goes_on(until):
                match = await set_up(house.servers, rng, self.report, habits)
                left -= match.games
                played.append(match)
                watch.matches.add(match)
                await match.play()
                watch.matches.discard(match)

        seed = self.rng.random()
        players = [
            asyncio.create_task(keep_playing(f"{seed}/{number}")) for number in range(self.tables)
        ]
        try:
            await asyncio.gather(*(self._repeat(one, until, players) for one in disturbers))
            left_over = until - time.monotonic() if self._goes_on(until) else 0.0
            left_over = _LONGEST_GAME * self.games or left_over
            await asyncio.wait(players, timeout=left_over)
            _, late = await asyncio.wait(players, timeout=_ENDING)
            for match in watch.matches if late else ():
                self.report.stalls.append(f"{match.game} {match.id}: did not end")
                match.stalls += 1
                match.closed.set()
            ended, stuck = await asyncio.wait(players, timeout=_CLOSING)
            if stuck:
                self.report.stalls.append(f"{len(stuck)} tables could not be set up")
            for task in ended:
                task.result()
        finally:
            for task in (*players, watching):
                task.cancel()
            await asyncio.gather(*players, watching, return_exceptions=True)
        if watching.done() and not watching.cancelled() and (error := watching.exception()):
            raise error
        await check(house, played, self.report)
        return played

    def _goes_on(self, until: float) -> bool:
        """Whether there is time left, or there are servers left to kill."""
        enough = self.kills and self.report.faults["kill"] >= self.kills
        return time.monotonic() < until and not enough

    async def _repeat(
        self, disturb: Disturb, until: float, players: list[asyncio.Task[None]]
    ) -> None:
        while self._goes_on(until) and not _failed(players):
            await disturb()

    async def expect_health(self, house: House, well: bool, within: float) -> None:  # noqa: FBT001 - always passed by name
        """Wait for every server's health to change; report those that take too long."""
        began = time.monotonic()
        waiting = [server for server in house.servers if server.alive]
        while waiting and time.monotonic() - began < within:
            codes = [await server.health() for server in waiting]
            waiting = [
                server
                for server, code in zip(waiting, codes, strict=True)
                if code != (200 if well else 503)
            ]
            await asyncio.sleep(0.1)
        for server in waiting:
            word = "healthy" if well else "unhealthy"
            self.report.other.append(f"{server.name} did not become {word} within {within:.0f} s")


def _failed(tasks: list[asyncio.Task[None]]) -> bool:
    return any(task.done() and not task.cancelled() and task.exception() for task in tasks)
