"""Worker processes that answer coach and bot queries, within limits."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest

from hotdice import load_game
from hotdice.core.due import ToChoose
from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.server.jobs import AdviseJob, ChooseJob, ReadyJob
from hotdice.server.limits import Limits, TooMany
from hotdice.server.thinking import Pool, Thinker, TooMuchWork
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
