"""What players have answered when learning: reading and replacing, limited for each player."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, Row, Select, delete, insert, select

from hotdice.storage import schema

Values = tuple[object, ...]
"""The values of a row."""
MOST = 2000
"""The answers to one exercise that are kept of a player; of more, the oldest are deleted."""


class Answered(NamedTuple):
    """A player's last answer to an exercise, of those that count.

    Attributes:
        owner: the hash of the player's key.
        slug: which game it is.
        exercise: the kind of the exercise.
        name: which one of them it is.
        answer: what the player said.
        correct: whether it was right.
        first: whether the first one was right.
        since: the day of the first one.
        step: which time it comes back next; 0 if it was never missed.
        due: the day on which it comes back; ``None`` if it does not.
        at: when it was.
        chance: the exact chance, if one was to be guessed.
    """

    owner: str
    slug: str
    exercise: str
    name: str
    answer: str
    correct: bool
    first: bool
    since: int
    step: int
    due: int | None
    at: float
    chance: float | None = None


def answers_of(owner: str, slug: str = "", exercise: str = "", name: str = "") -> Select[Values]:
    """A player's answers, newest first: all, or those to some exercises."""
    columns = schema.answers.c
    query = select(schema.answers).where(columns.owner == owner)
    for column, wanted in (
        (columns.slug, slug),
        (columns.exercise, exercise),
        (columns.name, name),
    ):
        if wanted:
            query = query.where(column == wanted)
    return query.order_by(columns.at.desc(), columns.name)


def read_answers(rows: Iterable[Row[Values]]) -> list[Answered]:
    """Answers from their rows."""
    return [Answered._make(row) for row in rows]


def add_answer(connection: Connection, answered: Answered) -> None:
    """Store an answer in place of an earlier one, and delete the oldest of too many."""
    columns = schema.answers.c
    mine = columns.owner == answered.owner, columns.exercise == answered.exercise
    same = columns.slug == answered.slug, columns.name == answered.name
    connection.execute(delete(schema.answers).where(*mine, *same))
    connection.execute(insert(schema.answers), answered._asdict())
    last = select(columns.at).where(*mine).order_by(columns.at.desc()).offset(MOST).limit(1)
    oldest = connection.execute(last).scalar_one_or_none()
    if oldest is not None:
        connection.execute(delete(schema.answers).where(*mine, columns.at <= oldest))


def forget_answers(connection: Connection, before: float) -> None:
    """Delete answers from before a time."""
    connection.execute(delete(schema.answers).where(schema.answers.c.at < before))
