"""Challenges in real SQLite and PostgreSQL databases."""

from __future__ import annotations

import pytest

from hotdice.storage import Addition, Conflict, Scored, Store, Try
from hotdice.storage.challenges import Challenges, NoSuchChallenge, Progress
from hotdice.table.challenge import Challenge
from hotdice.table.summary import Summary
from tests.storage.test_store import stored

MADE = Challenge("c", "farkle", "", 1, ("sharp", "greedy"), "secret", "A" * 64, 5.0, 99.5)


def tried(owner: str, challenge: str = "c") -> list[Try]:
    return [Try(challenge, owner, 0, "Ann 🎲", 1.5)]


async def test_a_challenge_is_stored_once_and_loads_unchanged(store: Store) -> None:
    challenges = Challenges(store)
    await challenges.add(MADE)
    assert await challenges.find("c") == MADE
    with pytest.raises(Conflict):
        await challenges.add(MADE._replace(people=2))
    assert await challenges.find("c") == MADE
    with pytest.raises(NoSuchChallenge):
        await challenges.find("d")
    await challenges.add(MADE._replace(id="d", owner="", closes=None, created=7.0))
    await store.create(stored("t1"), tried("A" * 64, "d"))
    assert [one.id for one in await challenges.of("A" * 64, 10)] == ["d", "c"]
    assert [one.id for one in await challenges.of("A" * 64, 1)] == ["d"]
    assert await challenges.of("B" * 64, 10) == []


async def test_a_second_try_stores_nothing(store: Store) -> None:
    challenges = Challenges(store)
    await challenges.add(MADE)
    await store.create(stored("t1"), tried("A"))
    with pytest.raises(Conflict):
        await store.create(stored("t2"), tried("A"))
    with pytest.raises(Conflict):  # there is no such challenge
        await store.create(stored("t2"), tried("A", "nowhere"))
    assert await store.lengths(["t1", "t2"]) == {"t1": 1}
    await store.create(stored("t2"), tried("B"))
    assert await challenges.progress(["c", "x"], "B") == {
        "c": Progress(2, 0, "t2"),
        "x": Progress(),
    }
    assert (await challenges.progress(["c"], ""))["c"] == Progress(2)
    found = await challenges.tries(MADE, "B", 1, 10)
    assert [one.table_id for one in found] == ["t2", "t1"]  # one's own comes first
    assert [one.outcome for one in found] == [None, None]
    assert len(await challenges.tries(MADE, "B", 1, 1)) == 1


async def test_the_best_tries_come_first_and_those_after_closing_do_not_count(store: Store) -> None:
    challenges = Challenges(store)
    await challenges.add(MADE)
    ends = {"t1": ("A", 40, 50.0), "t2": ("B", 60, 50.0), "t3": ("C", 90, 100.0), "t4": ("D", 0, 0)}
    for table_id, (owner, score, at) in ends.items():
        await store.create(stored(table_id), tried(owner))
        if at:
            summary = Summary(won=True, score=score, turns=1, best=score, empty=0)
            scored = [Scored(1, 0, owner, "farkle", owner, "", at, summary)]
            await store.add(Addition(table_id, (), game=1, scores=scored))
    found = await challenges.tries(MADE, "D", 1, 10)
    assert [one.by.owner for one in found] == ["D", "C", "B", "A"]
    assert [one.outcome and one.outcome.score for one in found] == [None, None, 60, 40]


async def test_challenges_go_with_their_last_table(store: Store) -> None:
    challenges = Challenges(store)
    for name, created in (("c", 5.0), ("unplayed", 6.0), ("newer", 50.0)):
        await challenges.add(MADE._replace(id=name, created=created))
    await store.create(stored("t1"), tried("A"))  # made at 12.5
    await store.create(stored("t2"), tried("B"))
    await store.add(Addition("t1", (), gone=True))
    assert (await challenges.find("c")) == MADE
    with pytest.raises(NoSuchChallenge):
        await challenges.find("unplayed")
    assert (await challenges.find("newer")).created == 50.0
    await store.add(Addition("t2", (), gone=True))
    with pytest.raises(NoSuchChallenge):
        await challenges.find("c")
