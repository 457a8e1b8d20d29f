"""The socket of a client at a table, on bare ASGI."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hotdice.server.clocks import Timepiece
from hotdice.server.hub import Hub
from hotdice.server.limits import Limits
from hotdice.server.live import Live, Visitor
from hotdice.server.sockets import Wire, follow
from hotdice.storage import Store
from hotdice.table.commands import Say
from tests.server.hubs import SETUP, counted, until

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


class Line:
    """The ASGI side of a socket: what a client sends to a table, and what it gets."""

    def __init__(self, hub: Hub, table_id: str, host: str) -> None:
        self.got: list[dict[str, Any]] = []
        self.fails_at = ""
        self._said: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self._said.put_nowait({"type": "websocket.connect"})
        scope = {"type": "websocket", "headers": [], "client": (host, 1)}
        self.task = asyncio.create_task(
            follow(Wire(scope, self._said.get, self._send), hub, table_id)
        )

    async def _send(self, message: Any) -> None:
        if message["type"] != "websocket.send":
            return
        said: dict[str, Any] = json.loads(message["text"])
        if said["type"] == self.fails_at:
            raise ValueError("what nobody thought of")
        self.got.append(said)

    def say(self, **said: Any) -> None:
        self._said.put_nowait({"type": "websocket.receive", "text": json.dumps(said)})

    async def hear(self, kind: str) -> dict[str, Any]:
        """The last message of a kind, once it has come."""
        await until(lambda: any(said["type"] == kind for said in self.got))
        found = [said for said in self.got if said["type"] == kind][-1]
        self.got.clear()
        return found

    def hang_up(self) -> None:
        self._said.put_nowait({"type": "websocket.disconnect"})


@asynccontextmanager
async def at(hub: Hub, live: Live, host: str, *secrets: str) -> AsyncIterator[Line]:
    line = Line(hub, live.id, host)
    try:
        line.say(secrets=secrets, seen=0)
        await line.hear("table")
        yield line
        line.hang_up()
        await line.task
    finally:
        line.task.cancel()


async def test_only_people_who_sit_at_a_table_pay_for_its_bots(store: Store) -> None:
    """A stranger could use up their allowance, and the bots would play badly."""
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(SETUP, address="10.0.0.1")
        live = await hub.open(opened.id)
        async with at(hub, live, "10.0.0.9") as stranger:
            for said in ({"do": "say", "text": "hello"}, {"do": "chain", "text": "0" * 64}):
                stranger.say(seat=0, seen=0, **said)
                assert (await stranger.hear("problem"))["kind"] == "Forbidden"
                assert live.payer == "10.0.0.1"
        async with (
            at(hub, live, "10.0.0.2", opened.seats[1]) as ben,
            at(hub, live, "10.0.0.1", opened.seats[0]),
        ):
            ben.say(do="rematch", seat=1, seen=live.table.seq)
            await ben.hear("problem")
            assert live.payer == "10.0.0.1"
            ben.say(do="say", seat=1, seen=0, text="hello")
            await ben.hear("news")
            assert live.payer == "10.0.0.2"


async def test_a_stranger_pays_only_until_a_player_is_back(store: Store) -> None:
    """After a restart, nobody has acted yet."""
    opened = await Hub(store).create(SETUP)
    hub = Hub(store)
    live = await hub.open(opened.id)
    ann = Visitor([opened.seats[0]])
    async with hub.watch(live, 1, address="10.0.0.9"):
        assert live.payer == "10.0.0.9"
        async with hub.watch(live, 1, ann, address="10.0.0.1"):
            assert live.payer == "10.0.0.1"
    async with hub.watch(live, 1, address="10.0.0.8"):
        assert live.payer == "10.0.0.1"


async def test_a_socket_that_cannot_be_told_the_news_is_closed(store: Store) -> None:
    """The client connects again; otherwise it would never hear anything more."""
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    ann = Visitor([opened.seats[0]])
    line = Line(hub, opened.id, "10.0.0.1")
    line.say(seen=0)
    await line.hear("table")
    line.fails_at = "news"
    await hub.act(live, ann, Say(0, "well?"))
    with pytest.raises(ValueError, match="nobody thought of"):
        await line.task
    assert not live.watchers


async def test_entries_of_an_address_are_limited_and_it_goes_on_slowly(store: Store) -> None:
    seconds = 0.0
    hub = Hub(store, limits=Limits(entries=3600), timepiece=Timepiece(steady=lambda: seconds))
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    hub.addresses.of("10.0.0.1").charge_entries(3599)
    async with at(hub, live, "10.0.0.1", opened.seats[0]) as ann:
        for text in ("one", "two"):
            ann.say(do="say", seat=0, seen=0, text=text)
            await ann.hear("news")
        for sent in ({"do": "say", "text": "three"}, {"do": "bot", "text": "greedy", "other": 0}):
            ann.say(seat=0, seen=0, **sent)
            problem = await ann.hear("problem")
            assert problem["kind"] == "TooMany"
            assert "from here on it goes slowly" in problem["error"]
        assert counted(hub, "entries") == 2
        seconds = 1.0
        ann.say(do="say", seat=0, seen=0, text="three")
        await ann.hear("news")


async def test_others_have_their_turn_between_mistakes(store: Store) -> None:
    """Refusing takes little, but thousands of messages fit into one read."""
    messages, counts = 100, []

    async def count(client: Line) -> None:
        while len(client.got) < messages:
            counts.append(len(client.got))
            await asyncio.sleep(0)

    hub = Hub(store)
    async with hub.running():
        live = await hub.open((await hub.create(SETUP)).id)
        async with at(hub, live, "10.0.0.9") as client:
            for _ in range(messages):
                client.say(do="nothing known")
            await count(client)
    assert set(counts) == set(range(messages))


async def test_messages_over_the_limit_are_read_only_as_fast_as_it_allows(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    sleep = asyncio.sleep

    async def wait(seconds: float) -> None:
        waited.append(seconds)
        await sleep(0)

    hub = Hub(store, limits=Limits(commands=2), timepiece=Timepiece(steady=lambda: 0.0))
    async with hub.running():
        live = await hub.open((await hub.create(SETUP)).id)
        async with at(hub, live, "10.0.0.9") as client:
            monkeypatch.setattr(asyncio, "sleep", wait)
            for _ in range(10):  # four times as many as a second are allowed at once
                client.say(do="nothing known")
            while len(client.got) < 10:
                await sleep(0)
            monkeypatch.undo()
    assert waited == [0] * 8 + [0.5] * 2


async def test_clients_that_never_say_hello_are_disconnected_and_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.sockets._HELLO", 0.0)
    hub = Hub(store)
    opened = await hub.create(SETUP)
    await Line(hub, opened.id, "10.0.0.1").task
    assert counted(hub, "hellos") == 1
