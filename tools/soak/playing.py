"""The clients: players and spectators with a WebSocket each, which keep everything they receive."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import websockets
from websockets.asyncio.client import ClientConnection, connect

from tools.soak.devices import UNANSWERED, Device
from tools.soak.report import Report
from tools.soak.servers import Server

GAMES: dict[str, dict[str, str]] = {
    "farkle": {"target": "150", "entry": "0"},
    "rogue": {"target": "150", "war_at": "100"},
    "cockroach": {"target": "6"},
    "peruke": {"games": "1"},
    "go500": {"course": "name: yard; segment: Gate = none; segment: Pond = 60", "rerolls": "1"},
}
"""The games, with options that make them short."""
_ALONE = ("peruke",)
_BOTS = ("random", "greedy", "casual", "sharp")
_RETRY = 0.3
_DENIED = 4000
"""Close codes from here on deny access; a well-behaved client never gets one."""


class Told(NamedTuple):
    """An entry as a client received it; without its text if it came with the log."""

    kind: str
    seat: int
    at: float
    text: str | None


@dataclass
class Habits:
    """The behaviour of clients.

    Attributes:
        pause: the maximum delay before they act, in seconds.
        hop: the probability to drop the connection after an act and reconnect to another process.
        chat: the probability of a chat message.
        undo: the probability of an undo.
        late: the maximum delay before another client opens the table, in seconds.
        joins: whether seats are open and taken by link, at another process than the socket's.
        rivals: how many clients at each process request an open seat concurrently.
        spectators: how many clients only watch.
        clock: seconds for a turn; 0 for none.
    """

    pause: float = 0.02
    hop: float = 0.02
    chat: float = 0.04
    undo: float = 0.03
    late: float = 0.5
    joins: bool = False
    rivals: int = 0
    spectators: int = 1
    clock: int = 0


class Player:
    """A client with a socket to a table: a player, or a spectator."""

    def __init__(self, match: Match, seat: int | None, secret: str, at: int) -> None:
        self.match = match
        self.seat = seat
        self.name = f"seat {seat}" if seat is not None else "spectator"
        self._secret = secret
        self._device = None if seat is None else Device(secret, seat)
        self._at = at
        self.told: dict[int, Told] = {}
        self.seen = 0
        self.status: dict[str, Any] = {}
        self.view: dict[str, Any] = {}
        self.connected_at: float | None = None
        self.behind: tuple[float, int] | None = None
        self._socket: ClientConnection | None = None
        self.waits = False
        """Whether its last command has not been answered."""
        self._silent_until = 0.0
        self.chats = False
        """Whether a chat message of its own has neither been refused nor come back."""

    @property
    def server(self) -> Server:
        """The server it is connected to, or will be."""
        servers = self.match.servers
        return servers[self._at % len(servers)]

    def fair_since(self) -> float | None:
        """Since when there has been no fault that excuses its server; ``None`` during a fault."""
        if self.connected_at is None or self.server.fair_since is None:
            return None
        return max(self.connected_at, self.server.fair_since)

    def vanish(self) -> None:
        """Abort the connection."""
        self.connected_at = None
        if self._socket is not None:
            self._socket.transport.abort()

    async def run(self) -> None:
        """Follow the table, reconnecting whenever the connection ends."""
        while not self.match.closed.is_set():
            try:
                async with connect(
                    self.server.socket(self.match.id),
                    open_timeout=5,
                    close_timeout=0.5,
                    ping_interval=None,
                    max_size=None,
                ) as self._socket:
                    await self._follow(self._socket)
            except websockets.ConnectionClosed as closed:
                if closed.rcvd is not None and closed.rcvd.code >= _DENIED:
                    self.match.report.other.append(
                        f"{self._where()}: rejected with {closed.rcvd.code} "
                        f"{closed.rcvd.reason!r} after entry {self.seen}"
                    )
            except (OSError, websockets.WebSocketException, TimeoutError):
                pass
            self.connected_at = None
            self._at += 1
            await asyncio.sleep(_RETRY)

    async def _follow(self, socket: ClientConnection) -> None:
        secrets = [self._secret] if self._secret else []
        await socket.send(json.dumps({"secrets": secrets, "seen": self.seen}))
        self.connected_at = None
        self.waits = True
        self.chats = False
        rng = self.match.rng
        while not self.match.closed.is_set():
            pause = None if self.waits else rng.random() * self.match.habits.pause
            pause = pause if pause is None else max(pause, self._silent_until - time.monotonic())
            try:
                text = await asyncio.wait_for(socket.recv(), pause)
            except TimeoutError:
                self.waits = True
                if (command := self._command()) is not None:
                    self.chats |= command["do"] == "say"  # an earlier one may still be on its way
                    await socket.send(json.dumps(command))
                    if rng.random() < self.match.habits.hop and command["do"] != "say":
                        await self._hop(socket)
                continue
            self.hear(text)
            for said in self._device.answers(json.loads(text)) if self._device else ():
                await socket.send(json.dumps(said))

    async def _hop(self, socket: ClientConnection) -> None:
        """Drop the connection after a command, with or without waiting for its response.

        This is not done after chat messages: they have no ``seen`` check, so one could still arrive
        after everybody has seen the end.
        """
        if self.match.rng.random() < 0.5:
            with suppress(TimeoutError):
                self.hear(await asyncio.wait_for(socket.recv(), 5))
        self.vanish()

    def hear(self, text: str | bytes) -> None:
        """Take a message of the server."""
        message = json.loads(text)
        kind = message["type"]
        if kind == "table":
            self.connected_at = time.monotonic()
            lines = message["log"]
            self.view = message["view"]
            if self.seat is not None and self.seat not in message["yours"]:
                self.match.report.other.append(f"{self._where()}: lost its seat")
        elif kind == "news":
            lines = message["entries"]
            self.view = lines[-1]["view"]
        else:
            if kind == "problem" and message["kind"] not in UNANSWERED:
                self.waits = False
                self.chats &= message["kind"] == "Stale"  # chat never is
                self._refused(message)
            return
        self._keep(lines, from_news=kind == "news")
        self.status = message["status"]
        if self.seen != self.status["seq"]:
            self.match.report.other.append(
                f"{self._where()}: is at {self.seen}, but the status says {self.status['seq']}"
            )
        self.waits = False

    def _keep(self, lines: list[dict[str, Any]], *, from_news: bool) -> None:
        report = self.match.report
        for line in lines:
            seq = line["seq"]
            told = Told(line["kind"], line["seat"], line["at"], line.get("text"))
            if seq in self.told:
                report.doubled.append(f"{self._where()}: entry {seq} was sent again: {told}")
            elif seq != self.seen + 1:
                report.lost.append(f"{self._where()}: entry {self.seen} was followed by {seq}")
            self.told[seq] = told
            if told.kind == "say" and told.seat == self.seat:
                self.chats = False
            self.seen = max(seq, self.seen)
            self.match.moved(seq)

    def _refused(self, message: dict[str, Any]) -> None:
        if message["kind"] in ("StorageError", "TooMany"):
            self._silent_until = time.monotonic() + 0.5
        elif message["kind"] in ("Forbidden", "Unreadable"):
            self._silent_until = time.monotonic() + 2
            self.match.report.other.append(f"{self._where()}: refused: {message['error']}")

    def acts(self) -> bool:
        """Whether it is this client's turn to act."""
        status, match = self.status, self.match
        if self.seat is None or not status:
            return False
        if status["due"] == "over":
            return status["game"] < match.games and self.seat == match.first_person
        if status["due"] in ("wait", "draw") or self.seat in match.silent:
            return False
        if status["seats"][status["seat"]]["bot"]:
            return bool(status["due"] == "roll" and self.seat == match.first_person)
        return bool(status["seat"] == self.seat)

    def _command(self) -> dict[str, Any] | None:
        """The next command, if any."""
        rng, habits, status = self.match.rng, self.match.habits, self.status
        if self.seat is None or not status or self.seat in self.match.silent:
            return None
        base = {"seat": self.seat, "seen": status["seq"]}
        undoes = status["undoer"] == self.seat and not self.match.is_over(status)
        if undoes and rng.random() < habits.undo:
            return {"do": "undo", **base}
        if not self.acts():
            return None
        if rng.random() < habits.chat:
            return {"do": "say", **base, "text": f"well rolled {rng.randrange(1000)}"}
        if status["due"] == "over":
            return {"do": "rematch", **base}
        if status["due"] == "roll":
            typed = [rng.choice(die["faces"])["token"] for die in status["rolling"]]
            return {"do": "roll", **base, "text": " ".join(typed)}
        choices = self.view["choices"]
        home = [one for one in choices if one["ends_turn"] and one["points"] > 0]
        return {"do": "choose", **base, "text": rng.choice(home or choices)["text"]}

    def _where(self) -> str:
        return f"{self.match.game} {self.match.id}, {self.name} at {self.server.name}"


@dataclass(eq=False)
class Match:
    """A table in play, with all its clients."""

    id: str
    game: str
    games: int
    servers: list[Server]
    rng: Random
    report: Report
    habits: Habits
    players: list[Player] = field(default_factory=list)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    silent: set[int] = field(default_factory=set)
    seq: int = 0
    moved_at: float = field(default_factory=time.monotonic)
    stalls: int = 0

    @property
    def first_person(self) -> int:
        """The first seat of a person, who starts rematches and rolls physical dice for bots."""
        return min(player.seat for player in self.players if player.seat is not None)

    def moved(self, seq: int) -> None:
        """Note the table's progress."""
        if seq > self.seq:
            self.seq, self.moved_at = seq, time.monotonic()

    def is_over(self, status: dict[str, Any]) -> bool:
        """Whether all its games have been played."""
        return bool(status) and status["due"] == "over" and status["game"] >= self.games

    def agreed(self) -> bool:
        """Whether all clients have seen the end, and no chat message can follow it."""
        return all(
            self.is_over(one.status) and one.seen == self.seq and not one.chats
            for one in self.players
        )

    async def play(self) -> None:
        """Play until all clients have seen the end, or the match is closed from outside."""
        tasks = [asyncio.create_task(self._come(n, one)) for n, one in enumerate(self.players)]
        try:
            while not self.closed.is_set() and not self.agreed():  # noqa: ASYNC110 - no single event
                await asyncio.sleep(0.05)
        finally:
            self.closed.set()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _come(self, number: int, player: Player) -> None:
        if number:
            await asyncio.sleep(self.rng.random() * self.habits.late)
        await player.run()


async def set_up(servers: list[Server], rng: Random, report: Report, habits: Habits) -> Match:
    """Create a table of a random game, with clients that are not connected yet."""
    game = rng.choice([one for one in sorted(GAMES) if not habits.rivals or one not in _ALONE])
    seats = _seats(game, rng, joins=habits.joins)
    body = {
        "game": game,
        "options": GAMES[game],
        "seats": seats,
        "dice": rng.choice(("typed", "seeded", "seeded", "verified")),
        "clock": habits.clock,
    }
    at = rng.randrange(len(servers))
    made = await _made(servers, at, "/api/tables", body)
    match = Match(made["id"], game, 2 if rng.random() < 0.3 else 1, servers, rng, report, habits)
    for number, seat in enumerate(made["seats"]):
        match.players.append(Player(match, seat["seat"], seat["secret"], at + number))
    for seat in [number for number, one in enumerate(seats) if one.get("open")]:
        where, secret = await _joined(match, seat, at + seat)
        match.players.append(Player(match, seat, secret, where + 1))
    for number in range(habits.spectators):
        match.players.append(Player(match, None, "", at + 1 + number))
    return match


async def _joined(match: Match, seat: int, at: int) -> tuple[int, str]:
    """Take an open seat; returns the server's index and the secret. Only one rival may succeed."""
    path = f"/api/tables/{match.id}/seats"
    rivals = match.habits.rivals
    if not rivals:
        return at, (await _made(match.servers, at, path, {"name": "Jo", "seat": seat}))["secret"]
    places = [at + number for number in range(rivals * len(match.servers))]
    asked = [
        match.servers[place % len(match.servers)].post(path, {"name": f"J{place}", "seat": seat})
        for place in places
    ]
    answers = await asyncio.gather(*asked)
    taken = [
        (place, str(found["secret"]))
        for place, (code, found) in zip(places, answers, strict=True)
        if code == 201
    ]
    if len(taken) != 1 or {code for code, _ in answers} - {201, 409, 422}:
        codes = [code for code, _ in answers]
        match.report.other.append(f"{match.id}: rivals for a seat got the statuses {codes}")
    return taken[0] if taken else (at, "")


def _seats(game: str, rng: Random, *, joins: bool) -> list[dict[str, Any]]:
    seats: list[dict[str, Any]] = [{"name": "Ann"}]
    if game in _ALONE:
        return seats
    seats.append({"name": "Ben", "open": joins})
    if rng.random() < 0.5:
        seats.append({"name": "Greta", "bot": rng.choice(_BOTS)})
    rng.shuffle(seats)
    return seats


async def _made(servers: list[Server], at: int, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """POST until one of the servers succeeds; returns its response."""
    while True:
        code, found = await servers[at % len(servers)].post(path, body)
        if code == 201:
            return found
        if code not in (0, 409, 503):
            raise AssertionError(f"{path} returned {code}: {found}")
        at += 1
        await asyncio.sleep(_RETRY)
