"""The scenarios: what is disturbed, how, and what has to hold beside the common checks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from tools.soak.arena import Arena
from tools.soak.house import House
from tools.soak.playing import Habits
from tools.soak.servers import Server

Scenario = Callable[[Arena], Coroutine[Any, Any, None]]

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
"""Seconds in which health tells of a database that is away, or of a listener that hears nothing."""
_WELL = 15.0
"""Seconds in which health is good again."""


async def split(arena: Arena) -> None:
    """Players of one table at two processes, with a database that is a little slow."""
    async with arena.pair() as house:
        for proxy in house.proxies:
            proxy.delay = 0.003
        await arena.play(house, Habits(joins=True))


async def kill(arena: Arena) -> None:
    """Servers killed with -9 and started again, on both kinds of databases."""
    async with arena.pair() as pair, arena.single() as single:
        disturbers = [partial(_kill, arena, server) for server in (*pair.servers, *single.servers)]
        await asyncio.gather(
            arena.play(pair, Habits(), *disturbers[:-1]),
            arena.play(single, Habits(), disturbers[-1]),
        )


async def _kill(arena: Arena, server: Server) -> None:
    await asyncio.sleep(arena.rng.uniform(0.2, 2))
    if arena.rng.random() < 0.2:
        await _pause(arena, server)
    else:
        server.kill()
        await server.start()


async def _pause(arena: Arena, server: Server) -> None:
    server.pause()
    arena.report.faults["pause"] += 1
    try:
        await asyncio.sleep(arena.rng.uniform(0.5, 3))
    finally:
        server.resume()


async def listen(arena: Arena) -> None:
    """Processes that do not hear of each other: notices lost, late, hung, malformed."""
    arena.outages = True
    async with arena.pair() as house:

        async def disturb() -> None:
            fault = arena.rng.choice(
                (_terminate_listener, _strangers, _drop_notices, _late_notices, _hang_listener)
            )
            arena.report.faults[fault.__name__.strip("_").replace("_", " ")] += 1
            await fault(arena, house)
            await asyncio.sleep(arena.rng.uniform(0.5, 2))

        await arena.play(house, Habits(), disturb)


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
    """PostgreSQL stopped and started, its connections cut or hung."""
    arena.outages = True
    async with arena.pair() as house:

        async def disturb() -> None:
            fault = arena.rng.choice((_stop, _terminate_all, _hang_all))
            arena.report.faults[fault.__name__.strip("_").replace("_", " ")] += 1
            await fault(arena, house)
            await asyncio.sleep(arena.rng.uniform(2, 4))

        await arena.play(house, Habits(), disturb)


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
    house.proxies[number].hang("")
    server.fair_since = time.monotonic()
    await arena.expect_health(cut, well=True, within=_WELL)


async def race(arena: Arena) -> None:
    """Two processes asked for the same seat at the same moment; whoever gets it plays elsewhere."""
    async with arena.pair() as house:
        await arena.play(house, Habits(joins=True, rivals=3))


async def leave(arena: Arena) -> None:
    """Clients that vanish all the time and come back elsewhere, knowing more than that process."""
    async with arena.pair() as house:
        house.proxies[1].notice_delay = 0.5
        await arena.play(house, Habits(joins=True, hop=0.3))


SCENARIOS: dict[str, Scenario] = {
    "split": split,
    "kill": kill,
    "listen": listen,
    "restart": restart,
    "race": race,
    "leave": leave,
}
"""Every scenario by its name, in the order they are run."""
