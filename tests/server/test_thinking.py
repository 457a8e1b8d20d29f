"""Worker processes that answer coach and bot queries, within limits."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hotdice import load_game
from hotdice.core.due import ToChoose
from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.server.jobs import AdviseJob, ChooseJob, ReadyJob
from hotdice.server.lessons import LessonJob
from hotdice.server.limits import Limits, TooMany
from hotdice.server.thinking import Pool, Thinker, TooMuchWork
from hotdice.server.tutoring import Tutor, read_name
from hotdice.solve.coach import advise
from hotdice.table.bots import Thought


@pytest.fixture
async def thinker() -> AsyncIterator[Thinker]:
    made = Thinker()
    yield made
    await made.close()


def choosing(game: AnyGame, text: str) -> object:
    state = game.apply(game.start(2), game.read_event(text))
    assert isinstance(game.due(state), ToChoose)
    return state


async def test_a_worker_gives_the_same_answers(thinker: Thinker) -> None:
    game = load_game("farkle", "starts=seat")
    state = choosing(game, "115234")
    assert await thinker.advise("a", game, state) == advise(game, state)
    for level in ("casual", "sharp"):
        thought = Thought(level, game, state, "seed")
        assert await thinker.choose("a", thought) == thought.choice()
    assert not await thinker.is_ready("a", load_game("farkle", "starts=seat target=333"), 2)


class EndlessJob(NamedTuple):
    def run(self) -> bool:
        while True:
            pass


async def test_a_job_that_takes_too_long_is_stopped() -> None:
    pool = Pool(Limits(), 1)
    try:
        with pytest.raises(TooMuchWork, match="too long"):
            await pool.run("a", EndlessJob())
        [worker] = pool._idle  # noqa: SLF001 - to see that it goes on
        assert worker.is_alive
        assert not await pool.run("a", ReadyJob("farkle", "starts=seat target=334", 2))
    finally:
        await pool.close()


async def test_a_worker_answers_after_a_job_has_failed() -> None:
    pool = Pool(Limits(), 1)
    unknown = ReadyJob("slow", "", 2)
    try:
        with pytest.raises(HotDiceError, match="no game"):
            await pool.run("a", unknown)
        game = load_game("farkle", "starts=seat")
        state = choosing(game, "115234")
        asked = ChooseJob("farkle", "starts=seat", state, "sharp", "seed")
        assert await pool.run("a", asked) == Thought("sharp", game, state, "seed").choice()
    finally:
        await pool.close()


async def test_a_worker_that_dies_is_replaced() -> None:
    pool = Pool(Limits(), 3)
    game = load_game("farkle", "starts=seat")
    asked = ChooseJob("farkle", "starts=seat", choosing(game, "115234"), "greedy", "s")
    try:
        first = await pool.run("a", asked)
        [worker] = pool._idle  # noqa: SLF001 - to end it
        os.kill(worker._process.pid, 9)  # noqa: SLF001 - as above
        await worker._process.wait()  # noqa: SLF001 - as above
        assert await pool.run("a", asked) == first
    finally:
        await pool.close()


async def test_a_worker_that_does_not_answer_is_replaced() -> None:
    pool = Pool(Limits(), 3)
    game = load_game("farkle", "starts=seat")
    asked = ChooseJob("farkle", "starts=seat", choosing(game, "115234"), "greedy", "s")
    try:
        first = await pool.run("a", asked)
        [worker] = pool._idle  # noqa: SLF001 - to stop it
        os.kill(worker._process.pid, 19)  # noqa: SLF001 - as above
        worker._timeout = 0.2  # noqa: SLF001 - it would take longer than one wants to wait
        with pytest.raises(TooMuchWork):
            await pool.run("a", asked)
        assert await pool.run("a", asked) == first
    finally:
        await pool.close()


async def test_memory_of_a_worker_is_limited() -> None:
    """A worker without enough memory is reported, and the server goes on."""
    pool = Pool(Limits(thinking_memory=1), 3)
    game = load_game("farkle", "starts=seat")
    asked = AdviseJob("farkle", "starts=seat", choosing(game, "115234"))
    try:
        with pytest.raises(TooMuchWork):
            await pool.run("a", asked)
    finally:
        await pool.close()


async def test_questions_per_address_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(Limits(questions=2), 3)
    go_on = asyncio.Event()

    async def wait(*_given: object) -> object:
        await go_on.wait()
        raise TooMuchWork("Never mind.")

    monkeypatch.setattr("hotdice.server.thinking.Worker.run", wait)
    asked = ReadyJob("farkle", "", 2)
    first = [asyncio.create_task(pool.run("a", asked)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(TooMany, match="questions"):
        await pool.run("a", asked)
    go_on.set()
    await asyncio.gather(*first, return_exceptions=True)
    await pool.close()


class WaitingJob(NamedTuple):
    """A job that takes until a file is there."""

    gate: str

    def run(self) -> bool:
        while not Path(self.gate).exists():
            time.sleep(0.01)
        return True


async def ask(thinker: Thinker, kind: str, address: str) -> object:
    """Ask for something short of a kind of work."""
    game = load_game("peruke")
    if kind == "coach":
        return await thinker.position(address, "farkle", "starts=seat", "scores=0,0", "")
    if kind == "bots":
        return await thinker.is_ready(address, game, 2)
    if kind == "pages":
        return await thinker.careers(address, ())
    record = "hotdice record 1\ngame: farkle\nseats: Ann | Ben\n\n"
    return await thinker.analyse(address, record, "points")


KINDS = ("coach", "bots", "pages", "analysts")


@pytest.mark.parametrize("free", KINDS)
async def test_each_kind_of_work_waits_only_for_its_own(
    thinker: Thinker, free: str, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    pools: dict[str, Pool] = {kind: getattr(thinker, f"_{kind}") for kind in KINDS}
    others = [
        asyncio.create_task(pool.run("a", WaitingJob(str(gate))))
        for kind, pool in pools.items()
        if kind != free
    ]
    await asyncio.sleep(0)  # they have their turns from here on
    async with asyncio.timeout(30):
        await ask(thinker, free, "a")
    assert not any(task.done() for task in others)
    gate.touch()
    assert await asyncio.gather(*others) == [True] * len(others)


async def test_a_long_analysis_delays_no_lesson(
    thinker: Thinker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor the ratings, nor that a record is read or a position shown; and no bot delays Learn."""
    gate = tmp_path / "gate"

    def forced(*_given: Any) -> WaitingJob:
        return WaitingJob(str(gate))

    for job in ("AnalyseJob", "ChooseJob"):
        monkeypatch.setattr(f"hotdice.server.thinking.{job}", forced)
    game = load_game("farkle", "starts=seat")
    thought = Thought("sharp", game, choosing(game, "115234"), "seed")
    analysis = asyncio.create_task(thinker.analyse("a", "a long record", ""))
    choice = asyncio.create_task(thinker.choose("a", thought))
    await asyncio.sleep(0)  # they have their turns from here on
    tutor = Tutor(thinker, lambda _limit: None)
    record = "hotdice record 1\ngame: farkle\nseats: Ann | Ben\n\n"
    async with asyncio.timeout(60):
        for address in ("a", "b"):
            await tutor.lesson(address, "peruke", read_name("points-5", date.min))
            await tutor.fresh(address, "peruke")
            await tutor.wager(address, "farkle", address)
            assert (await thinker.read_record(address, record)).slug == "farkle"
            assert await thinker.careers(address, ()) == []
            await ask(thinker, "coach", address)
    assert not analysis.done()
    assert not choice.done()
    gate.touch()
    await asyncio.gather(analysis, choice)
    await tutor.close()


async def test_lessons_take_turns_between_addresses(thinker: Thinker, tmp_path: Path) -> None:
    """Who asks for many has another's one among them, and no more than so many."""
    gate, order = tmp_path / "gate", list[str]()

    async def one(address: str, job: Any) -> None:
        await thinker.learn(address, job)
        order.append(address)

    lesson = LessonJob("peruke", "5", "points")
    asked = [asyncio.create_task(one("a", WaitingJob(str(gate))))]
    asked += [asyncio.create_task(one("a", lesson)) for _ in range(Limits().questions - 1)]
    await asyncio.sleep(0)
    asked.append(asyncio.create_task(one("b", lesson)))
    await asyncio.sleep(0)
    with pytest.raises(TooMany, match="questions"):
        await thinker.learn("a", lesson)
    gate.touch()
    await asyncio.gather(*asked)
    assert order[:3] in (["a", "a", "b"], ["a", "b", "a"])


async def test_a_lesson_has_limits_of_its_own() -> None:
    thinker = Thinker(Limits(page_seconds=1))
    try:
        with pytest.raises(TooMuchWork):
            await thinker.learn("a", EndlessJob())
        assert await thinker.learn("a", LessonJob("peruke", "5", "points"))
    finally:
        await thinker.close()


async def test_a_worker_without_work_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(Limits(), 3)
    asked = ReadyJob("farkle", "starts=seat target=334", 2)
    try:
        await pool.run("a", asked)
        [worker] = pool._idle  # noqa: SLF001 - to see it end
        monkeypatch.setattr("hotdice.server.thinking._IDLE", 0.01)
        await pool.run("a", asked)
        async with asyncio.timeout(10):
            await worker._process.wait()  # noqa: SLF001 - as above
        assert not pool._idle  # noqa: SLF001 - as above
        assert not await pool.run("a", asked)
    finally:
        await pool.close()


async def test_a_worker_at_work_is_not_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.thinking._IDLE", 0.01)
    pool, gate = Pool(Limits(), 3), tmp_path / "gate"
    ready = ReadyJob("farkle", "starts=seat target=334", 2)
    try:
        found = asyncio.gather(pool.run("a", ready), pool.run("a", WaitingJob(str(gate))))
        await asyncio.sleep(0.2)
        gate.touch()
        assert list(await found) == [False, True]
    finally:
        await pool.close()
