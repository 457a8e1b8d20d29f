"""Sends malformed traffic to the WebSockets of a running server while a client plays there.

The server must stay healthy with a clean log and bounded memory, and the game must go on.
"""

from __future__ import annotations

import json
import socket
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hotdice.core.registry import game_names, game_type
from tools.fuzz import wire
from tools.fuzz.attacks import ATTACKS, Place, half_header
from tools.fuzz.finding import Finding
from tools.fuzz.serving import HOST, Server, serving

_BATCH = 40
_WARM = 400
_GROWTH = 150.0
"""Megabytes by which a server may grow; tables' logs grow with every command."""
_QUIET = 0.02
_PATIENCE = 10.0
_KINDS = {"table", "news", "advice", "working", "problem", "trouble", "presence"}


class Player:
    """A client that plays both seats of a table meanwhile, and expects every response."""

    def __init__(self, server: Server, again: str) -> None:
        self._again = again
        game = next(name for name in game_names() if game_type(name).max_players > 1)
        wanted = {"game": game, "seats": [{"name": "Ann"}, {"name": "Ben"}], "coach": False}
        opened = server.ask("/api/tables", wanted)
        self._socket = connect(f"ws://{HOST}:{server.port}/api/tables/{opened['id']}/socket")
        secrets = [seat["secret"] for seat in opened["seats"]]
        self._say(secrets=secrets, seen=0)
        self._status: dict[str, Any] = {}
        self._view: dict[str, Any] = {}
        self.moves = 0
        self._hear()

    def play(self) -> None:
        """Send a command and wait for its response; raises ``Finding`` if there is none."""
        status = self._status
        seat = status["seat"] or 0
        command: dict[str, Any] = {"do": "roll", "seat": seat, "seen": status["seq"]}
        if status["due"] == "over":
            command["do"] = "rematch"
        elif status["due"] == "choose":
            command |= {"do": "choose", "text": self._view["choices"][-1]["text"]}
        self._say(**command)
        self._hear()
        self.moves += 1

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _say(self, **message: Any) -> None:
        try:
            self._socket.send(json.dumps(message))
        except ConnectionClosed as error:
            raise Finding(f"A player was disconnected: {error}.", self._again) from error

    def _hear(self) -> None:
        try:
            said = json.loads(self._socket.recv(_PATIENCE))
            while said["type"] in ("trouble", "presence"):  # not a response
                said = json.loads(self._socket.recv(_PATIENCE))
        except (TimeoutError, ConnectionClosed) as error:
            raise Finding(f"A player gets no response: {error!r}.", self._again) from error
        if said["type"] not in ("table", "news"):
            raise Finding(f"A player is refused: {said}.", self._again)
        self._status = said["status"]
        self._view = said["view"] if said["type"] == "table" else said["entries"][-1]["view"]


def run(minutes: float, seed: int) -> str:
    """Attack for some minutes; returns a summary in one line."""
    until = time.monotonic() + 60 * minutes
    again = f"python -m tools.fuzz frames --minutes {minutes} --seed {seed}"
    with tempfile.TemporaryDirectory() as name, serving(Path(name), again) as server:
        places = [_place(server, game) for game in game_names()]
        player = Player(server, again)
        done, warm = 0, 0.0
        while time.monotonic() < until:
            _batch(server, places, seed, done)
            done += _BATCH
            player.play()
            if not warm and done >= _WARM:
                warm = server.megabytes()
            if done % (25 * _BATCH) == 0:
                server.check(f"{again}, after {done} attacks")
        server.check(again)
        for _ in range(20):
            player.play()
        player.close()
        grown = server.megabytes() - (warm or server.megabytes())
        if grown > _GROWTH:
            raise Finding(f"The server has grown by {grown:.0f} MB in {done:,} attacks.", again)
    return f"{done:,} attacks, {player.moves} moves played meanwhile, {grown:+.0f} MB"


def _batch(server: Server, places: list[Place], seed: int, first: int) -> None:
    """Run some attacks over concurrent connections."""
    opened: list[tuple[str, socket.socket]] = []
    for number in range(first, first + _BATCH):
        rng = Random(f"{seed}/{number}")
        attack, place = rng.choice(ATTACKS), rng.choice(places)
        connection = wire.connected(server.port)
        opened.append((f"{attack.__name__}, seed {seed}/{number}", connection))
        with suppress(OSError):  # the server closes the connection on invalid input
            for piece in attack(rng, place):
                connection.sendall(piece)
            if attack is not half_header:
                connection.shutdown(socket.SHUT_WR)
    for again, connection in opened:
        connection.settimeout(_QUIET if again.startswith(half_header.__name__) else 2.0)
        said = wire.heard(connection)
        connection.close()
        _check(said, again)


def _check(said: bytes, again: str) -> None:
    """Check that the server sent only valid messages or refusals, no server error."""
    if said.startswith(b"HTTP/1.1 5"):
        raise Finding(f"A server error: {said[:300]!r}.", again)
    try:
        kinds = {message.get("type") for message in wire.messages(said)}
    except ValueError as error:
        raise Finding(f"The server sent invalid JSON: {said[:300]!r}.", again) from error
    if not kinds <= _KINDS:
        raise Finding(f"The server sent unexpected messages: {kinds - _KINDS}.", again)


def _place(server: Server, game: str) -> Place:
    names = ("Ann", "Ben")[: game_type(game).max_players]
    wanted = {"game": game, "coach": False, "seats": [{"name": name} for name in names]}
    opened = server.ask("/api/tables", wanted)
    choices = tuple(choice["text"] for choice in opened["table"]["view"]["choices"])[:20]
    secrets = (opened["host"], *(seat["secret"] for seat in opened["seats"]))
    return Place(server.port, opened["id"], secrets, choices)
