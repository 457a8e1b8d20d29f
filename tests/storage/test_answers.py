"""Answers of players: replaced, limited for each player, and forgotten."""

from __future__ import annotations

import pytest

from hotdice.storage import Addition, Answered, Store, answers

ANN, BEN = "a" * 64, "b" * 64


def answered(name: str = "win-1", owner: str = ANN, at: float = 1.0, **more: object) -> Answered:
    plain = Answered(
        owner, "farkle", "trainer", name, "keep 1 roll", True, True, 700_000, 0, None, at
    )
    return plain._replace(**more)  # type: ignore[arg-type] # fields by name


async def test_an_answer_replaces_the_one_before_it(store: Store) -> None:
    await store.answer(answered(correct=False, first=False, step=1, due=700_001))
    later = answered(first=False, step=2, due=700_004, at=2.0)
    await store.answer(later)
    await store.answer(answered("win-2", at=3.0, chance=0.25))
    found = await store.answers(ANN)
    assert [one.name for one in found] == ["win-2", "win-1"]
    assert found[1] == later
    assert await store.answers(ANN, "farkle", "trainer", "win-1") == [later]
    assert await store.answers(ANN, "rogue") == []
    assert await store.answers(BEN) == []


async def test_the_oldest_of_too_many_answers_are_deleted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "MOST", 3)
    await store.answer(answered("old", BEN, at=0.0))
    for number in range(5):
        await store.answer(answered(f"win-{number}", at=float(number)))
    assert [one.name for one in await store.answers(ANN)] == ["win-4", "win-3", "win-2"]
    assert len(await store.answers(BEN)) == 1


async def test_old_answers_are_forgotten(store: Store) -> None:
    await store.answer(answered("old", at=10.0))
    await store.answer(answered("new", at=20.0))
    await store.add(Addition("", (), forgotten=15.0))
    assert [one.name for one in await store.answers(ANN)] == ["new"]
