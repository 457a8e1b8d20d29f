"""Solvers and their processes: within limits, in turn, and noticed when they hang."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotdice import load_game
from hotdice.core.errors import HotDiceError
from hotdice.server import preparing
from hotdice.server.clocks import Timepiece
from hotdice.server.hub import Hub
from hotdice.server.limits import Limits, TooMany
from hotdice.server.tutoring import StillSolving, read_name
from hotdice.solve import solutions
from hotdice.storage import Store
from tests.server.hubs import counted
from tests.server.test_learning import TODAY
from tests.server.test_solving import a_few_steps

GAME = load_game("farkle", "starts=seat")
PID = 12


class Process:
    """Stands in for a solver process: it makes progress and ends when the test says so."""

    pid = PID

    def __init__(self) -> None:
        self.stdout = asyncio.StreamReader()
        self.returncode: int | None = None

    def report(self, part: float) -> None:
        self.stdout.feed_data(f"{part}\n".encode())

    def end(self, code: int) -> None:
        self.returncode = code
        self.stdout.feed_eof()

    def kill(self) -> None:
        self.end(-signal.SIGKILL)

    async def wait(self) -> int | None:
        return self.returncode


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    """The solver processes that have been started."""
    started: list[Process] = []

    async def start(*words: str, **_given: Any) -> Process:
        assert preparing.__name__ in words
        started.append(Process())
        return started[-1]

    async def is_ready(*_given: Any, **_more: Any) -> bool:
        return False

    monkeypatch.setattr("hotdice.server.thinking.asyncio.create_subprocess_exec", start)
    monkeypatch.setattr("hotdice.server.thinking.Thinker.is_ready", is_ready)
    return started


@pytest.fixture
def clock() -> SimpleNamespace:
    return SimpleNamespace(now=0.0)


@pytest.fixture
async def hub(tmp_path: Path, clock: SimpleNamespace) -> AsyncIterator[Hub]:
    store = await Store.open(f"sqlite:///{tmp_path / 'hotdice.db'}")
    made = Hub(store, limits=Limits(solving=1), timepiece=Timepiece(steady=lambda: clock.now))
    async with made.running():
        yield made
    await store.close()


async def test_a_solver_without_progress_is_a_problem_of_the_server(
    hub: Hub, processes: list[Process], clock: SimpleNamespace
) -> None:
    parts: list[float] = []
    async with hub.thinker.preparing("a", GAME, 2, parts.append) as solver:
        await a_few_steps()
        clock.now = 60.0
        assert await hub.problems() == []
        clock.now = 61.0
        [problem] = await hub.problems()
        assert problem.startswith("A solver makes no progress")
        processes[0].report(0.5)
        await a_few_steps()
        assert (parts, await hub.problems()) == ([0.5], [])
        clock.now = 122.0
        assert await hub.problems() == [problem]
        processes[0].end(0)
        await solver.task
        assert await hub.problems() == []


async def test_a_solver_that_waits_for_its_turn_is_not_stuck(
    hub: Hub, processes: list[Process], clock: SimpleNamespace
) -> None:
    """Solvers run one at a time, and the next one starts when one has ended."""
    async with AsyncExitStack() as stack:
        first, second = [
            await stack.enter_async_context(hub.thinker.preparing(address, GAME, players, print))
            for address, players in (("a", 2), ("b", 3))
        ]
        await a_few_steps()
        clock.now = 59.0
        assert (len(processes), second.started.is_set()) == (1, False)
        processes[0].end(0)
        await first.task
        await a_few_steps()
        clock.now = 61.0
        assert (len(processes), await hub.problems()) == (2, [])


@pytest.mark.parametrize("code", [None, 0, 3])
async def test_unfinished_files_of_a_solver_are_deleted_when_it_ends(
    hub: Hub,
    processes: list[Process],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: int | None,
) -> None:
    """However it ends: given up, finished or failed."""
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path))
    part = solutions.solutions_folder() / f".{PID}-farkle.part"
    async with hub.thinker.preparing("a", GAME, 2, print) as solver:
        await a_few_steps()
        part.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        if code is not None:
            processes[0].end(code)
            await asyncio.wait({solver.task})
    assert not part.exists()


NEVER = math.inf
SOON = 601.0


@pytest.mark.parametrize(
    "code, again, problem",
    [
        (None, SOON, ""),
        (-signal.SIGKILL, SOON, ""),
        (preparing.UNKEPT, SOON, "Solved games cannot be saved"),
        (3, NEVER, ""),
        (-signal.SIGXCPU, NEVER, ""),
    ],
    ids=["not started", "killed", "unkept", "memory", "time"],
)
async def test_a_game_is_solved_again_if_the_reason_may_have_passed(
    hub: Hub,
    processes: list[Process],
    clock: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    code: int | None,
    again: float,
    problem: str,
) -> None:
    """Not at once, and never if the rules are too much for this server."""
    start = asyncio.create_subprocess_exec
    if code is None:

        async def refuse(*_words: str, **_given: Any) -> Process:
            raise BlockingIOError

        monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)
    async with hub.thinker.preparing("a", GAME, 2, print) as solver:
        await a_few_steps()
        if code is not None:
            processes[0].end(code)
        await asyncio.wait({solver.task})
    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    started = len(processes)
    told = " ".join(await hub.problems())
    assert told.startswith(problem)
    assert bool(told) == bool(problem)
    with pytest.raises(HotDiceError, match=str(solver.task.exception())):
        async with hub.thinker.preparing("b", GAME, 2, print):
            pass
    clock.now += SOON
    assert await hub.problems() == []
    try:
        async with hub.thinker.preparing("b", GAME, 2, print):
            await a_few_steps()
    except HotDiceError:
        assert again == NEVER
    assert len(processes) == started + (again == SOON)


async def test_solvers_for_learners_are_limited_and_refusals_counted(
    hub: Hub, processes: list[Process]
) -> None:
    named = read_name("win-17", TODAY)
    async with hub.thinker.preparing("a", GAME, 2, print):
        await a_few_steps()
        with pytest.raises(StillSolving):
            await hub.tutor.lesson("a", "peruke", named)
        await a_few_steps()
        assert counted(hub, "solving") == 1
        async with hub.thinker.preparing("a", GAME, 3, print) as refused:
            await a_few_steps()
            assert refused.started.is_set()
            assert isinstance(refused.task.exception(), TooMany)
        with pytest.raises(StillSolving):
            await hub.tutor.lesson("b", "peruke", named)  # others are not refused
        await a_few_steps()
        assert (hub.thinker.solving, counted(hub, "solving")) == (2, 1)


@pytest.mark.parametrize(
    "solve, limits, code",
    [
        ("bytearray(2 << 30)", ("900", "0"), 3),
        ("while time.process_time() < 4: pass", ("0", "1"), -signal.SIGXCPU),
        ("time.sleep(20)", ("0", "0"), 1),
        ("return True", ("0", "0"), preparing.UNKEPT),
    ],
    ids=["memory", "time", "parent", "unkept"],
)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit less")
def test_a_solver_process_ends_at_its_limits_and_with_its_parent(
    solve: str, limits: tuple[str, str], code: int, tmp_path: Path
) -> None:
    """Standard input is closed, as if the parent had ended, only for the one that sleeps.

    The last one says that it has solved the game, but there is no solution.
    """
    script = (
        f"import time\nfrom hotdice.server import preparing\n"
        f"def solve(*given):\n    {solve}\n"
        f"preparing.prepare = solve\npreparing.main('farkle', '', '2', *{limits})"
    )
    env = {**os.environ, "HOTDICE_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=env) as process:  # noqa: S603 - ours
        if process.stdin is None:
            raise AssertionError("started with a pipe")
        if "sleep" in solve:
            process.stdin.close()
        assert process.wait() == code
