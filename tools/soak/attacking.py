"""Measures what one IP address can do to others: a victim's latencies and the server's memory."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass

import psutil

from tools.soak.arena import Arena
from tools.soak.attacks import ATTACKS, FULL, missing
from tools.soak.full_logs import add_full_logs
from tools.soak.house import House
from tools.soak.victim import Victim

_WARMING, _CALM, _ATTACKED = 4.0, 6.0, 20.0
"""Seconds to warm up, undisturbed, and under attack."""
_RATIO = 10.0
_WAIT = 5.0
_MEMORY = 1.5 * 2**30
_KILLED = 4 * 2**30
"""Memory at which the server is killed, to protect the machine."""
_ENDING = 20.0
"""Seconds for an attack to say what it did."""


@dataclass
class Figures:
    """A victim's latencies in seconds: of commands, bots, the coach and page loads."""

    p50: float
    p99: float
    bots: float
    coach: float
    page: float


async def attack(arena: Arena) -> None:
    """Run each attack against a new server."""
    for name in arena.attacks or ATTACKS:
        file = arena.folder / name / "hotdice.db"
        if name == "hellos":
            file.parent.mkdir(parents=True, exist_ok=True)
            await add_full_logs(file, FULL)
        async with arena.single(file, is_limited=True) as house:
            await _attacked(arena, house, name)


async def _attacked(arena: Arena, house: House, name: str) -> None:
    [server] = house.servers
    memory = Memory(psutil.Process(server.pid))
    watching = asyncio.create_task(memory.watch())
    words = ("-m", "tools.soak.attacks", name, str(server.port), str(_ATTACKED))
    try:
        async with Victim(server, arena.rng) as victim:
            await asyncio.sleep(_WARMING)
            _take(victim)
            await asyncio.sleep(_CALM)
            calm = _take(victim)
            attacker = await asyncio.create_subprocess_exec(
                sys.executable, *words, stdout=asyncio.subprocess.PIPE
            )
            try:
                await asyncio.sleep(_ATTACKED)
                attacked = _take(victim)
                done = await _done(attacker)
            finally:
                if attacker.returncode is None:
                    attacker.kill()
                await attacker.wait()
    finally:
        watching.cancel()
    _tell(arena, name, calm, attacked, memory, done)


async def _done(attacker: asyncio.subprocess.Process) -> dict[str, int]:
    """What an attack says that it did; nothing if it failed."""
    try:
        async with asyncio.timeout(_ENDING):
            said, _ = await attacker.communicate()
        found: dict[str, int] = json.loads(said)
    except (TimeoutError, ValueError):
        return {}
    return found


def _take(victim: Victim) -> Figures:
    commands = victim.commands.take() or [0.0]
    longest = (
        max(times.take(), default=0.0) for times in (victim.bots, victim.coach, victim.pages)
    )
    at = min(len(commands) - 1, int(0.99 * len(commands)))
    return Figures(commands[len(commands) // 2], commands[at], *longest)


def _tell(
    arena: Arena,
    name: str,
    calm: Figures,
    attacked: Figures,
    memory: Memory,
    done: dict[str, int],
) -> None:
    ratio = attacked.p99 / calm.p99 if calm.p99 else 0.0
    wrong = [f"it did not attack: {what}" for what in missing(name, done)]
    if ratio > _RATIO:
        wrong.append(f"commands p99 {ratio:.0f} x undisturbed, not {_RATIO:.0f} x")
    waits = {"bots": attacked.bots, "coach": attacked.coach, "page": attacked.page}
    wrong += [
        f"{word} took {took:.1f} s, not {_WAIT:.0f} s"
        for word, took in waits.items()
        if took > _WAIT
    ]
    if memory.peak > _MEMORY:
        wrong.append(f"memory {memory.peak / 2**30:.1f} GB, not {_MEMORY / 2**30:.1f} GB")
    if memory.killed:
        wrong.append("the server was killed for its memory")
    arena.report.other += [f"{name}: {what}" for what in wrong]
    did = ", ".join(f"{number:,} {what}" for what, number in sorted(done.items()))
    line = (
        f"  {name:<14} commands p50 {1000 * calm.p50:.1f} -> {1000 * attacked.p50:.1f} ms, "
        f"p99 {1000 * calm.p99:.1f} -> {1000 * attacked.p99:.1f} ms ({ratio:.1f} x), "
        f"bots {attacked.bots:.1f} s, coach {attacked.coach:.1f} s, page {attacked.page:.1f} s, "
        f"memory {memory.peak / 2**20:,.0f} MB ({did})"
        f"{'  FAILED' if wrong else ''}\n"
    )
    sys.stdout.write(line)
    sys.stdout.flush()


class Memory:
    """Tracks the memory of a process and its children, and kills them if it is too much."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self.peak = 0
        self.killed = False

    async def watch(self) -> None:
        """Poll several times a second."""
        while True:
            now = 0
            try:
                family = [self._process, *self._process.children(recursive=True)]
            except psutil.Error:
                return
            for one in family:
                try:
                    now += int(one.memory_info().rss)
                except psutil.Error:
                    continue
            self.peak = max(self.peak, now)
            if now > _KILLED:
                self.killed = True
                for one in reversed(family):
                    _kill(one)
            await asyncio.sleep(0.1)


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return
