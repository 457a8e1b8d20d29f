"""Learning over HTTP: positions to solve, chances to guess, and how far a player is.

A position is sent without its answer; the player's choice is posted, and judged here. What counts
is kept for the player key; without one, everything works but nothing is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, NamedTuple

from fastapi import FastAPI, Path, Request

from hotdice.analysis.reviewing import Streak, counts, longest, streak
from hotdice.analysis.training import difficulty_word
from hotdice.core.errors import HotDiceError
from hotdice.core.registry import game_names, game_type, load_game
from hotdice.server.guesses import add_guesses
from hotdice.server.headers import Player
from hotdice.server.learner import BUST, Learner, Said, review_of
from hotdice.server.learning_messages import (
    AnswerShown,
    ChoiceMade,
    Exercise,
    GameLearnt,
    LearnShown,
    LessonShown,
    MissShown,
    StreakShown,
)
from hotdice.server.lessons import LessonFound
from hotdice.server.messages import Working
from hotdice.server.mistakes import add_mistakes, find_mistake, is_mistake
from hotdice.server.refusals import Responses, refused
from hotdice.server.showing import show_advice
from hotdice.server.tutoring import StillSolving, read_name
from hotdice.storage import Answered

DAILY: Exercise = "daily"
TRAINER: Exercise = "trainer"
_NOT_FOUND: Responses = {404: refused("There is no such game.")}
_TASKS = {
    "win": "Find the choice with the best chance to win.",
    "points": "Find the choice that makes the most points on average.",
}
Name = Annotated[str, Path(max_length=128)]


class Unsuitable(HotDiceError):
    """This is not a choice of the position."""


class Question(NamedTuple):
    """A position that a learner is asked about."""

    exercise: Exercise
    name: str
    options: str
    found: LessonFound
    played: str = ""


def add_learning(app: FastAPI) -> None:
    """Add the routes of learning."""
    add_mistakes(app)
    add_guesses(app)
    _add_lessons(app)

    @app.get("/api/learn", tags=["learning"])
    async def overview(request: Request, player: Player = "") -> LearnShown:
        """How far the player is with all games."""
        names = game_names()
        learner = Learner.of(request, player, names[0])
        kept = await learner.hub.store.answers(learner.owner) if learner.owner else []
        days = _days(kept)
        return LearnShown(
            today=learner.today.isoformat(),
            streak=_streak(streak(days, learner.day)),
            longest=longest(days),
            games=[
                _learnt(slug, [one for one in kept if one.slug == slug], learner.day)
                for slug in names
            ],
        )


def _add_lessons(app: FastAPI) -> None:
    @app.get("/api/learn/{game}/next", tags=["learning"], responses=_NOT_FOUND)
    async def following(game: str, request: Request, player: Player = "") -> LessonShown | Working:
        """A position to practise: one that is due, or else a new one."""
        learner = Learner.of(request, player, game)
        for one in await learner.due(DAILY, TRAINER):
            return await _asked(learner, one.name)
        try:
            name, found = await learner.hub.tutor.fresh(learner.address, learner.slug)
        except StillSolving as error:
            return _working(error)
        return _shown(learner, Question(TRAINER, name, "", found))

    @app.get("/api/learn/{game}/today", tags=["learning"], responses=_NOT_FOUND)
    async def today(game: str, request: Request, player: Player = "") -> LessonShown | Working:
        """Today's position, the same for everybody."""
        learner = Learner.of(request, player, game)
        return await _asked(learner, learner.today.isoformat())

    @app.get("/api/learn/{game}/positions/{name}", tags=["learning"], responses=_NOT_FOUND)
    async def position(
        game: str, name: Name, request: Request, player: Player = ""
    ) -> LessonShown | Working:
        """A position by its name, such as win-17 or a date."""
        return await _asked(Learner.of(request, player, game), name)

    @app.post("/api/learn/{game}/positions/{name}", tags=["learning"], responses=_NOT_FOUND)
    async def answer(
        game: str, name: Name, made: ChoiceMade, request: Request, player: Player = ""
    ) -> AnswerShown:
        """Choose at a position, and learn what is best."""
        learner = Learner.of(request, player, game)
        learner.charge()
        question = await _question(learner, name)
        before = await learner.before(question.exercise, name)
        return await _judged(learner, question, made.choice, before)


# Positions --------------------------------------------------------------------------------------


async def _question(learner: Learner, name: str) -> Question:
    """The position with a name; raises ``StillSolving`` or ``Unnamed``."""
    if is_mistake(name):
        return Question("mistake", name, *await find_mistake(learner, name))
    named = read_name(name, learner.today)
    found = await learner.hub.tutor.lesson(learner.address, learner.slug, named)
    return Question(DAILY if named.daily else TRAINER, name, "", found)


async def _asked(learner: Learner, name: str) -> LessonShown | Working:
    """A position without its answer, or with it if it was answered before and is not due."""
    try:
        question = await _question(learner, name)
    except StillSolving as error:
        return _working(error)
    before = await learner.before(question.exercise, name)
    if before is None or counts(review_of(before), learner.day):
        return _shown(learner, question, due=before is not None)
    answer = await _judged(learner, question, before.answer, before)
    return _shown(learner, question, answer=answer)


def _working(error: StillSolving) -> Working:
    return Working(what="Computing the chances to win", part=error.part)


def _shown(
    learner: Learner, question: Question, *, due: bool = False, answer: AnswerShown | None = None
) -> LessonShown:
    return LessonShown(
        game=learner.slug,
        title=game_type(learner.slug).title,
        name=question.name,
        exercise=question.exercise,
        options=question.options,
        task=_TASKS.get(question.found.advice.objective, _TASKS["win"]),
        view=question.found.view,
        due=due,
        answer=answer,
    )


async def _judged(
    learner: Learner, question: Question, choice: str, before: Answered | None
) -> AnswerShown:
    """Judge an answer, and keep it if it counts; raises ``Unsuitable``."""
    exercise, name, options, found, played = question
    game = load_game(learner.slug, options)
    advice = show_advice(game, 0, found.advice)
    chosen = next((one for one in advice.counsels if one.text == choice), None)
    if chosen is None:
        raise Unsuitable("That is not one of the choices of this position.")
    said = Said(exercise, name, choice, chosen.cost <= _EQUAL)
    is_kept, after = await learner.keep(said, before)
    again = None if after.due is None or not learner.owner else after.due - learner.day
    history = await learner.answers(exercise)
    rated = found.rated
    return AnswerShown(
        right=said.right,
        counts=is_kept,
        chosen=choice,
        state=found.text,
        options=options,
        advice=advice,
        difficulty=rated.difficulty if rated else None,
        level=difficulty_word(rated.difficulty) if rated else "",
        misses=[
            MissShown(level=level, chance=chance)
            for level, chance in (rated.misses if rated else {}).items()
        ],
        again=again,
        run=_run(history),
        streak=_streak(streak(_days(history), learner.day)) if exercise == DAILY else None,
        played=played,
    )


_EQUAL = 1e-9
"""Choices whose values differ by less are equally good."""


def _run(history: Iterable[Answered]) -> int:
    """How many of the last answers were right in a row."""
    run = 0
    for one in history:
        if not one.correct:
            break
        run += 1
    return run


# How far a player is ----------------------------------------------------------------------------


def _days(kept: Iterable[Answered]) -> dict[int, bool]:
    """The days on which a position of that day was answered, and whether one was right at once.

    The position of a former day does not count.
    """
    found: dict[int, bool] = {}
    for one in kept:
        if one.exercise == DAILY and one.name == date.fromordinal(one.since).isoformat():
            found[one.since] = found.get(one.since, False) or one.first
    return found


def _streak(found: Streak) -> StreakShown:
    return StreakShown(days=found.days, right=found.right)


def _learnt(slug: str, kept: list[Answered], today: int) -> GameLearnt:
    positions = [one for one in kept if one.exercise != BUST]
    waiting = [one.due for one in positions if one.due is not None]
    days = _days(kept)
    return GameLearnt(
        game=slug,
        title=game_type(slug).title,
        today=days.get(today),
        streak=_streak(streak(days, today)),
        due=sum(due <= today for due in waiting),
        later=sum(due > today for due in waiting),
        tried=len(positions),
        right=sum(one.correct for one in positions),
    )
