"""The soak test notices stalls, and entries that clients get twice or not at all."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tools.soak.house import House
from tools.soak.playing import Habits, Match, Player
from tools.soak.report import Report
from tools.soak.servers import Server
from tools.soak.watching import BEHIND, Watch

PATIENCE = 10.0


def status(due: str, *, bot: bool = False, seq: int = 5) -> dict[str, Any]:
    seats = [{"bot": "casual" if bot else ""}, {"bot": ""}]
    return {"due": due, "seat": 0, "seats": seats, "seq": seq, "game": 1}


class Scene:
    """A table with a client, connected long ago, which has seen all five entries."""

    def __init__(self, folder: Path) -> None:
        self.server = Server("s", "", folder)
        self.server.fair_since = time.monotonic() - 100
        self.match = Match("t", "farkle", 1, [self.server], Random(1), Report("test"), Habits())
        self.player = Player(self.match, 0, "", 0)
        self.player.connected_at = time.monotonic() - 100
        self.player.seen, self.player.status = 5, status("roll")
        self.match.players.append(self.player)
        self.match.seq, self.match.moved_at = 5, time.monotonic() - 100
        self.watch = Watch(House([self.server], [], "sqlite:///x"), PATIENCE)

    async def stalls(self, length: int = 5) -> list[str]:
        await self.watch._look(self.match, length)  # noqa: SLF001 - instead of a poll
        return self.match.report.stalls


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


@pytest.mark.parametrize("due", ["roll", "choose", "draw", "wait"])
@pytest.mark.parametrize("bot", [False, True])
async def test_a_table_where_nothing_happens_stalls(scene: Scene, due: str, *, bot: bool) -> None:
    scene.player.status = status(due, bot=bot)
    [stall] = await scene.stalls()
    assert f"{due!r}" in stall


@pytest.mark.parametrize("due", ["roll", "choose", "draw", "wait"])
async def test_a_table_that_has_just_moved_does_not(scene: Scene, due: str) -> None:
    scene.player.status = status(due)
    assert not await scene.stalls(6)


async def test_faults_of_the_server_are_no_stalls(scene: Scene) -> None:
    scene.player.status = status("draw")
    scene.server.fair_since = None
    assert not await scene.stalls()
    scene.server.fair_since = time.monotonic()
    assert not await scene.stalls()


async def test_a_game_that_is_over_does_not_stall(scene: Scene) -> None:
    scene.player.status = status("over")
    assert not await scene.stalls()


async def test_a_client_that_stays_behind_stalls(scene: Scene) -> None:
    assert not await scene.stalls(7)
    assert scene.player.behind
    scene.player.behind = (time.monotonic() - BEHIND - 1, 7)
    [stall] = await scene.stalls(7)
    assert "has seen 5 of 7" in stall


async def test_a_client_that_catches_up_does_not_stall(scene: Scene) -> None:
    scene.player.behind = (time.monotonic() - BEHIND - 1, 5)
    assert not await scene.stalls(7)


def hear(player: Player, *numbers: int) -> None:
    lines = [
        {"seq": seq, "kind": "say", "seat": 1, "at": 1.0, "text": "x", "view": {}}
        for seq in numbers
    ]
    news = {"type": "news", "entries": lines, "status": status("roll", seq=numbers[-1])}
    player.hear(json.dumps(news))


def test_entries_in_order_are_right(scene: Scene) -> None:
    hear(scene.player, 6, 7)
    hear(scene.player, 8)
    assert not scene.match.report.failed
    assert scene.match.seq == 8


def test_an_entry_that_comes_twice_is_doubled(scene: Scene) -> None:
    hear(scene.player, 6, 7)
    hear(scene.player, 7)
    assert ["entry 7" in one for one in scene.match.report.doubled] == [True]
    assert not scene.match.report.lost


def test_a_gap_between_entries_is_a_loss(scene: Scene) -> None:
    hear(scene.player, 6)
    hear(scene.player, 8)
    assert ["6 was followed by 8" in one for one in scene.match.report.lost] == [True]
    assert not scene.match.report.doubled
