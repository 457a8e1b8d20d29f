"""Who learns, and what they have answered."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import NamedTuple

from fastapi import Request

from hotdice.analysis.reviewing import Review, counts, reviewed
from hotdice.core.registry import game_type
from hotdice.server.guarding import address_of
from hotdice.server.hub import Hub
from hotdice.server.live import Visitor
from hotdice.storage import Answered


class Learner(NamedTuple):
    """Who learns what: the player, the address, the game and the day."""

    hub: Hub
    owner: str
    address: str
    slug: str
    today: date

    @classmethod
    def of(cls, request: Request, player: str, game: str) -> Learner:
        """The learner that a request comes from; raises ``UnknownGame``."""
        hub: Hub = request.app.state.hub
        today = datetime.fromtimestamp(hub.timepiece.wall(), UTC).date()
        slug = game_type(game).slug
        return cls(hub, Visitor(player=player).owner, address_of(request.scope), slug, today)

    @property
    def day(self) -> int:
        """Today as a number."""
        return self.today.toordinal()

    async def answers(self, exercise: str = "", name: str = "") -> list[Answered]:
        """The learner's answers in this game, newest first."""
        if not self.owner:
            return []
        return await self.hub.store.answers(self.owner, self.slug, exercise, name)

    async def due(self, *exercises: str) -> list[Answered]:
        """What has come back by today, the longest due first."""
        kept = [one for one in await self.answers() if one.exercise in exercises]
        ripe = [(one.due, one) for one in kept if one.due is not None and one.due <= self.day]
        return [one for _, one in sorted(ripe, key=lambda pair: pair[0])]

    async def before(self, exercise: str, name: str) -> Answered | None:
        """The learner's last answer to an exercise that counted."""
        return next(iter(await self.answers(exercise, name)), None)

    def charge(self) -> None:
        """Charge the address for an answer; raises ``TooMany``."""
        self.hub.addresses.of(self.address).take("answers")

    async def keep(self, said: Said, before: Answered | None) -> tuple[bool, Review]:
        """Keep an answer if it counts: returns whether it does, and where its exercise stands."""
        review = review_of(before) if before else None
        if not counts(review, self.day):
            return False, review or Review()
        after = reviewed(review or Review(), self.day, right=said.right)
        if said.exercise == BUST:
            after = Review()  # chances are not asked for again
        if self.owner:
            at = self.hub.timepiece.wall()
            first, since = (before.first, before.since) if before else (said.right, self.day)
            kept = (self.owner, self.slug, *said[:4], first, since)
            await self.hub.store.answer(Answered(*kept, *after, at, said.chance))
        return bool(self.owner), after


class Said(NamedTuple):
    """An answer: to which exercise, what, whether it is right, and the chance to be guessed."""

    exercise: str
    name: str
    answer: str
    right: bool
    chance: float | None = None


BUST = "bust"
"""The exercise of guessing chances."""


def review_of(before: Answered) -> Review:
    """Where the exercise of an answer stands."""
    return Review(before.step, before.due)
