"""The scenarios: the faults they inject, and their checks besides the common ones."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from websockets.asyncio.client import connect

from tools.soak.arena import Arena, Disturb
from tools.soak.disks import small_disk
from tools.soak.house import House
from tools.soak.playing import Habits, set_up
from tools.soak.servers import Server

Scenario = Callable[[Arena], Coroutine[Any, Any, None]]
Fault = Callable[[Arena, House], Coroutine[Any, Any, None]]

_STRANGE = (
    "",
    " ",
    "nobody",
    "nobody nothing",
    "nobody -1",
    "nobody 1 2 3",
    "nobody \u0663",
    "nobody " + "9" * 5000,
    "9" * 5000,
    '{"table": null}',
)
_HEARD = 10.0
"""Seconds for the health check to report an unavailable database or a dead listener."""
_WELL = 15.0
"""Seconds to become healthy again."""
_NOTICED = 2.0
"""Seconds for a server to notice that its database was deleted."""
_CLOCK = 6
_TOO_LATE = 4.0


async def split(arena: Arena) -> None:
    """Players of one table at two processes, with a slightly slow database."""
    async with arena.pair() as house:
        for proxy in house.proxies:
            proxy.delay = 0.003
        await arena.play(house, Habits(joins=True))


async def kill(arena: Arena) -> None:
    """Servers killed with SIGKILL and restarted, on both kinds of databases."""
    async with arena.pair() as pair, arena.single() as single:
        await asyncio.gather(
            arena.play(pair, Habits(), partial(_kill, arena, pair)),
            arena.play(single, Habits(), partial(_kill, arena, single)),
        )


async def _kill(arena: Arena, house: House) -> None:
    """Kill one server or all of them and restart them, or pause one for a while."""
    await asyncio.sleep(arena.rng.uniform(0.2, 2))
    chance = arena.rng.random()
    if chance < 0.2:
        await _pause(arena, arena.rng.choice(house.servers))
        return
    killed = house.servers if chance < 0.35 else [arena.rng.choice(house.servers)]
    for server in killed:
        arena.report.faults["kill"] += 1
        server.kill()
    await asyncio.gather(*(server.start() for server in killed))


async def _pause(arena: Arena, server: Server) -> None:
    server.pause()
    arena.report.faults["pause"] += 1
    try:
        await asyncio.sleep(arena.rng.uniform(0.5, 3))
    finally:
        server.resume()


async def listen(arena: Arena) -> None:
    """Notifications between processes lost, late, hung or malformed."""
    arena.outages = True
    async with arena.pair() as house:
        faults = [_terminate_listener, _strangers, _drop_notices, _late_notices, _hang_listener]
        await arena.play(house, Habits(), _in_turn(arena, house, faults))


def _in_turn(arena: Arena, house: House, faults: Sequence[Fault]) -> Disturb:
    """A disturber that cycles through all faults in random order, with pauses in between."""
    turns: list[Fault] = []

    async def disturb() -> None:
        if not turns:
            turns.extend(arena.rng.sample(faults, len(faults)))
        fault = turns.pop()
        arena.report.faults[fault.__name__.strip("_").replace("_", " ")] += 1
        await fault(arena, house)
        await asyncio.sleep(arena.rng.uniform(1, 3))

    return disturb


async def _terminate_listener(arena: Arena, house: House) -> None:
    await arena.postgres.terminate(house.name, listening=True)


async def _strangers(arena: Arena, house: House) -> None:
    for payload in _STRANGE:
        await arena.postgres.notify(house.name, payload)
    await arena.expect_health(house, well=True, within=_WELL)


async def _drop_notices(arena: Arena, house: House) -> None:
    proxy = arena.rng.choice(house.proxies)
    proxy.drops_notices = True
    await asyncio.sleep(8)
    proxy.drops_notices = False


async def _late_notices(arena: Arena, house: House) -> None:
    proxy = arena.rng.choice(house.proxies)
    proxy.notice_delay = 0.5
    await asyncio.sleep(6)
    proxy.notice_delay = 0.0


async def _hang_listener(arena: Arena, house: House) -> None:
    number = arena.rng.randrange(len(house.proxies))
    house.proxies[number].hang("listening")
    deaf = House([house.servers[number]], [], house.address)
    await arena.expect_health(deaf, well=False, within=_HEARD)
    await asyncio.sleep(3)
    house.proxies[number].hang("")
    await arena.expect_health(deaf, well=True, within=_WELL)


async def restart(arena: Arena) -> None:
    """PostgreSQL restarted, and its connections terminated or hung."""
    arena.outages = True
    async with arena.pair() as house:
        await arena.play(
            house, Habits(), _in_turn(arena, house, [_stop, _terminate_all, _hang_all])
        )


async def _stop(arena: Arena, house: House) -> None:
    house.cut_off()
    await arena.postgres.stop()
    await arena.expect_health(house, well=False, within=_HEARD)
    await asyncio.sleep(arena.rng.uniform(0, 2))
    await arena.postgres.start()
    house.connected()
    await arena.expect_health(house, well=True, within=_WELL)


async def _terminate_all(arena: Arena, house: House) -> None:
    await arena.postgres.terminate(house.name, listening=False)
    await arena.expect_health(house, well=True, within=_WELL)


async def _hang_all(arena: Arena, house: House) -> None:
    number = arena.rng.randrange(len(house.proxies))
    server = house.servers[number]
    server.fair_since = None
    house.proxies[number].hang("all")
    cut = House([server], [], house.address)
    await arena.expect_health(cut, well=False, within=_HEARD)
    await asyncio.sleep(arena.rng.uniform(0, 8))  # shorter and longer than the timeouts
    house.proxies[number].hang("")
    server.fair_since = time.monotonic()
    await arena.expect_health(cut, well=True, within=_WELL)


async def race(arena: Arena) -> None:
    """Concurrent requests for the same seat at two processes."""
    async with arena.pair() as house:
        await arena.play(house, Habits(joins=True, rivals=3))


async def leave(arena: Arena) -> None:
    """Clients that keep reconnecting to a process that lags behind them."""
    async with arena.pair() as house:
        house.proxies[1].notice_delay = 0.5
        await arena.play(house, Habits(joins=True, hop=0.3))


async def disk(arena: Arena) -> None:
    """SQLite on a disk that is full for a while; then a database deleted while in use."""
    arena.outages = True
    folder = arena.folder / "small"
    with small_disk(folder) as small:
        async with arena.single(folder / "hotdice.db") as house:
            [server] = house.servers

            async def fill() -> None:
                await asyncio.sleep(arena.rng.uniform(2, 4))
                arena.report.faults["full disk"] += 1
                house.cut_off()
                small.fill(server.pid)
                await arena.expect_health(house, well=False, within=_HEARD)
                small.empty(server.pid)
                house.connected()
                await arena.expect_health(house, well=True, within=_WELL)

            await arena.play(house, Habits(), fill)
    await _deleted(arena)


async def _deleted(arena: Arena) -> None:
    """Delete the database of a running server, which then must not acknowledge anything."""
    file = arena.folder / "deleted" / "hotdice.db"
    async with arena.single(file) as house:
        match = await set_up(house.servers, arena.rng, arena.report, Habits(hop=0.0))
        match.games = 1000
        playing = asyncio.create_task(match.play())
        await asyncio.sleep(2)
        arena.report.faults["deleted database"] += 1
        for part in ("", "-wal", "-shm"):
            file.with_name(file.name + part).unlink(missing_ok=True)
        await asyncio.sleep(_NOTICED)
        told = match.seq
        await arena.expect_health(house, well=False, within=_HEARD)
        if match.seq > told:
            what = f"{match.id}: entries {told + 1} to {match.seq} were sent after the database"
            arena.report.lost.append(f"{what} had been deleted")
        match.closed.set()
        await playing


async def clock(arena: Arena) -> None:
    """The wall clock jumps by an hour; the clocks of tables must not be affected."""
    async with arena.pair() as house:
        matches = await arena.play(house, Habits(clock=30), partial(_jump, arena, house))
    for match in matches:
        if any(told.kind == "late" for player in match.players for told in player.told.values()):
            arena.report.other.append(f"{match.id}: a clock ran out too early")


async def _jump(arena: Arena, house: House) -> None:
    """Let a table's clock run out while the wall clock jumps."""
    server = arena.rng.choice(house.servers)
    body = {"game": "farkle", "seats": [{"name": "Ann"}, {"name": "Ben"}], "clock": _CLOCK}
    began = time.monotonic()
    code, made = await server.post("/api/tables", {**body, "options": {"starts": "seat"}})
    if code != 201:
        arena.report.other.append(f"{server.name} returned {code} for a table with a clock")
        return
    async with connect(server.socket(made["id"]), max_size=None) as socket:
        await socket.send('{"seen": 0}')
        await asyncio.sleep(2)
        hour = arena.rng.choice((-3600.0, 3600.0))
        server.jump(hour)
        arena.report.faults["jump"] += 1
        late = None
        try:
            while late is None:
                left = began + _CLOCK + _TOO_LATE - time.monotonic()
                message = json.loads(await asyncio.wait_for(socket.recv(), left))
                lines = message.get("log") or message.get("entries") or ()
                if any(line["kind"] == "late" for line in lines):
                    late = time.monotonic() - began
        except TimeoutError:
            pass
        server.jump(0.0)
        if late is None or late < _CLOCK - 0.5:
            word = "did not run out" if late is None else f"ran out after {late:.1f} s"
            arena.report.other.append(
                f"{server.name}: a clock of {_CLOCK} s {word} when the time jumped {hour:+.0f} s"
            )


SCENARIOS: dict[str, Scenario] = {
    "split": split,
    "kill": kill,
    "listen": listen,
    "restart": restart,
    "disk": disk,
    "clock": clock,
    "race": race,
    "leave": leave,
}
"""All scenarios by name, in the order they run."""
WEIGHTS = {"listen": 2, "restart": 2}
"""Relative durations of scenarios with more faults; 1 for all others."""
