"""Guessing the chance of a bust over HTTP."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import FastAPI, Path, Request

from hotdice.analysis.guessing import Guess, calibrate, lean_words, points
from hotdice.core.registry import game_type
from hotdice.server.headers import Player
from hotdice.server.learner import BUST, Learner, Said
from hotdice.server.learning_messages import (
    BandShown,
    CalibrationShown,
    ChanceSaid,
    GuessShown,
    RollShown,
)
from hotdice.server.refusals import Responses, refused

GOOD = 80
"""The points from which on a guess counts as right."""
_MOST = 999_999
_NOT_FOUND: Responses = {404: refused("There is no such game.")}
Number = Annotated[int, Path(ge=1, le=_MOST)]


def add_guesses(app: FastAPI) -> None:
    """Add the routes of guessing."""

    @app.get("/api/learn/{game}/roll", tags=["learning"], responses=_NOT_FOUND)
    async def roll(game: str, request: Request) -> RollShown:
        """Any roll whose chance of a bust is to be guessed."""
        learner = Learner.of(request, "", game)
        name = str(1 + secrets.randbelow(_MOST))
        found = await learner.hub.tutor.wager(learner.address, learner.slug, name)
        return RollShown(
            game=learner.slug,
            title=game_type(game).title,
            name=name,
            dice=found.dice,
            view=found.view,
        )

    @app.get("/api/learn/{game}/guesses", tags=["learning"], responses=_NOT_FOUND)
    async def guesses(game: str, request: Request, player: Player = "") -> CalibrationShown:
        """How well the player's guesses fit."""
        return await _calibration(Learner.of(request, player, game))

    @app.post("/api/learn/{game}/rolls/{name}", tags=["learning"], responses=_NOT_FOUND)
    async def guess(
        game: str, name: Number, guessed: ChanceSaid, request: Request, player: Player = ""
    ) -> GuessShown:
        """Guess the chance of a bust, and learn the exact one."""
        learner = Learner.of(request, player, game)
        learner.charge()
        found = await learner.hub.tutor.wager(learner.address, learner.slug, str(name))
        one = Guess(guessed.said, float(found.chance))
        said = Said(BUST, str(name), f"{one.said:g}", points(one) >= GOOD, one.chance)
        is_kept, _ = await learner.keep(said, await learner.before(BUST, str(name)))
        return GuessShown(
            said=one.said,
            chance=one.chance,
            fraction=f"{found.chance.numerator:,}/{found.chance.denominator:,}",
            points=points(one),
            counts=is_kept,
            calibration=await _calibration(learner),
        )


async def _calibration(learner: Learner) -> CalibrationShown:
    kept = await learner.answers(BUST)
    found = calibrate([Guess(float(one.answer), one.chance or 0.0) for one in kept])
    return CalibrationShown(
        guesses=found.guesses,
        error=found.error,
        lean=found.lean,
        words=lean_words(found.lean),
        bands=[BandShown(**band._asdict()) for band in found.bands],
    )
