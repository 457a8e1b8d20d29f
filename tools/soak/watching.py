"""Detects stalled tables and clients that fall behind."""

from __future__ import annotations

import asyncio
import time

from tools.soak.house import House
from tools.soak.playing import Match, Player

_EVERY = 0.5
BEHIND = 5.0
"""The most seconds that a client may lag behind the database."""
_ENOUGH = 2
"""Stalls after which a table is abandoned."""


class Watch:
    """Compares what clients have seen with the database.

    It is a stall if a client is behind for ``BEHIND`` seconds, or if nothing happens at a table for
    ``patience`` seconds although somebody is to act. Time in which a server was down, paused or cut
    off from the database does not count for its clients.
    """

    def __init__(self, house: House, patience: float) -> None:
        self._house = house
        self._patience = patience
        self.matches: set[Match] = set()

    async def run(self) -> None:
        """Poll all tables."""
        while True:
            await asyncio.sleep(_EVERY)
            lengths = await self._house.lengths()
            if lengths is None:
                continue
            for match in list(self.matches):
                if not match.closed.is_set():
                    await self._look(match, lengths.get(match.id, 0))

    async def _look(self, match: Match, length: int) -> None:
        match.moved(length)
        now = time.monotonic()
        for player in match.players:
            if (since := self._behind(player, length, now)) is not None:
                await self._stalled(
                    match, player, f"has seen {player.seen} of {length} for {now - since:.0f} s"
                )
                return
        actor = self._actor(match)
        fair = actor.fair_since() if actor is not None else None
        if fair is not None and now - max(fair, match.moved_at) > self._patience:
            due = {key: actor.status.get(key) for key in ("due", "seat")} if actor else {}
            waited = now - match.moved_at
            await self._stalled(match, actor, f"at {length} nothing for {waited:.0f} s, {due}")

    def _behind(self, player: Player, length: int, now: float) -> float | None:
        """Since when a client has been behind, if that is too long."""
        fair = player.fair_since()
        if fair is None or player.seen >= length:
            player.behind = None
            return None
        if player.behind is None or player.seen >= player.behind[1]:
            player.behind = (now, length)
        since = max(fair, player.behind[0])
        return since if now - since > BEHIND else None

    @staticmethod
    def _actor(match: Match) -> Player | None:
        """The client that has to act, or waits for its chat.

        If the server has to act (for a bot, with verified dice, or to hear that the last seat was
        taken, as no client comes before that), it is the longest connected.
        """
        known = [one for one in match.players if one.status]
        if not known:
            return None
        newest = max(known, key=lambda one: one.seen)
        if match.is_over(newest.status):
            return next((one for one in known if one.chats), None)
        for one in known:
            if one.acts() and one.seen == newest.seen:
                return one
        due, seat = newest.status["due"], newest.status["seat"]
        plays_bot = due == "choose" and newest.status["seats"][seat]["bot"]
        if not plays_bot and due not in ("draw", "wait"):
            return None  # the client that has to act, or roll for a bot, is disconnected
        here = [one for one in known if one.fair_since() is not None]
        return min(here, key=lambda one: one.fair_since() or 0.0, default=None)

    async def _stalled(self, match: Match, player: Player | None, what: str) -> None:
        who = f"{player.name} at {player.server.name}" if player else "everybody"
        health = await player.server.health() if player else 0
        match.stalls += 1
        match.moved_at = time.monotonic()
        match.report.stalls.append(f"{match.game} {match.id}, {who}: {what}; health {health}")
        if player is not None:
            player.behind = None
            player.vanish()  # reconnect, as a person would, so that the others can continue
        if match.stalls >= _ENOUGH:
            match.closed.set()
