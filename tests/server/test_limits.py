"""Limits on connections, requests, commands and turns, and checks of hosts and origins."""

from __future__ import annotations

import asyncio
from ipaddress import ip_network

import pytest
from starlette.datastructures import Headers

from hotdice.core.errors import BadSetup
from hotdice.server.fair_queue import FairQueue
from hotdice.server.limits import Addresses, Limits, TooMany, network_of
from hotdice.server.site import Site


class Now:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_limits_round_trip() -> None:
    limits = Limits.read(["tables=7", "open-tables=0"])
    assert (limits.tables, limits.open_tables) == (7, 0)
    assert Limits.read(limits.text().split()) == limits
    assert Limits().text() == ""
    assert set(Limits.describe()) >= {"connections", "sockets", "tables", "days"}


@pytest.mark.parametrize(
    "word", ["tables", "tables=", "tables=-1", "tables=many", "x=1", "=", "²=1"]
)
def test_bad_limits_are_refused(word: str) -> None:
    with pytest.raises(BadSetup) as told:
        Limits.read([word])
    assert str(told.value).endswith(".")


def test_a_used_up_allowance_refills_with_time() -> None:
    now = Now()
    one = Addresses(Limits(commands=10), now).of("10.0.0.1")
    for _ in range(40):
        one.take("commands")
    with pytest.raises(TooMany, match="wait a moment") as told:
        one.take("commands")
    assert told.value.limit == "commands"
    assert told.value.after == pytest.approx(0.1)
    now.seconds = 0.25
    one.take("commands")
    one.take("commands")
    with pytest.raises(TooMany):
        one.take("commands")


def test_addresses_have_separate_allowances() -> None:
    known = Addresses(Limits(tables=1), Now())
    known.of("10.0.0.1").take("tables")
    known.of("10.0.0.2").take("tables")
    with pytest.raises(TooMany, match="new tables"):
        known.of("10.0.0.1").take("tables")
    known.of("2001:db8::1").take("tables")
    with pytest.raises(TooMany):  # the same /64 network
        known.of("2001:db8::2").take("tables")
    known.of("2001:db8:0:1::1").take("tables")


def test_addresses_are_normalised() -> None:
    assert network_of("::ffff:10.0.0.1") == network_of("10.0.0.1") == "10.0.0.1"
    assert network_of("::1") != network_of("::ffff:10.0.0.1")
    assert network_of("2001:db8::1%eth0") == network_of("2001:db8::2") == "2001:db8::/64"
    assert network_of("testclient") == "testclient"


def test_expensive_requests_use_more_of_the_allowance() -> None:
    now = Now()
    one = Addresses(Limits(requests=10), now).of("10.0.0.1")
    one.take("requests", 30)
    with pytest.raises(TooMany) as told:
        one.take("requests", 30)
    assert told.value.after == pytest.approx(2.0)
    now.seconds = 100.0
    one.take("requests", 1e9)  # capped at a full allowance


def test_proxies_may_open_any_number_of_connections() -> None:
    known = Addresses(Limits(connections=2), Now())
    known.proxies = (ip_network("10.1.0.0/16"),)
    assert all(known.admit("10.1.2.3") for _ in range(10))
    assert [bool(known.admit("10.2.0.1")) for _ in range(3)] == [True, True, False]


def test_limits_can_be_switched_off() -> None:
    one = Addresses(Limits().without("tables", "sockets", "requests"), Now()).of("10.0.0.1")
    for _ in range(5000):
        one.take("tables")
        one.take("requests")
    one.sockets = 10**6
    one.check_sockets()


def test_connections_are_limited_by_address_and_in_total() -> None:
    known = Addresses(Limits(connections=2), Now())
    known.most_connections = 3
    first = known.admit("10.0.0.1")
    assert first
    assert known.admit("10.0.0.1")
    assert known.admit("10.0.0.1") is None
    assert known.admit("10.0.0.2")
    assert known.admit("10.0.0.3") is None
    known.leave(first)
    assert known.admit("10.0.0.3")


def test_addresses_without_connections_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hotdice.server.limits._ADDRESSES", 3)
    known = Addresses(Limits(), Now())
    first = known.admit("10.0.0.0")
    for number in range(1, 10):
        known.of(f"10.0.0.{number}")
    assert known.of("10.0.0.0") is first


async def test_addresses_take_turns() -> None:
    queue, order = FairQueue(1, 10, "questions", "Too many."), []

    async def work(address: str, number: int) -> None:
        await queue.acquire(address)
        order.append(f"{address}{number}")
        await asyncio.sleep(0)
        queue.release(address)

    await asyncio.gather(
        *(work("m", number) for number in range(5)), work("a", 0), work("b", 0), work("a", 1)
    )
    assert order == ["m0", "m1", "a0", "b0", "m2", "a1", "m3", "m4"]
    assert queue.waiting == 0


async def test_a_cancelled_waiter_passes_its_turn_on() -> None:
    queue = FairQueue(1, 3, "questions", "Too many.")
    await queue.acquire("a")
    gone = [asyncio.create_task(queue.acquire(name)) for name in ("b", "c")]
    last = asyncio.create_task(queue.acquire("d"))
    await asyncio.sleep(0)
    gone[0].cancel()
    await asyncio.sleep(0)
    queue.release("a")  # c has it now, and is cancelled at once
    gone[1].cancel()
    await asyncio.gather(*gone, return_exceptions=True)
    await last
    queue.release("d")
    await queue.acquire("e")


async def test_turns_per_address_are_limited() -> None:
    queue = FairQueue(2, 2, "questions", "Too many questions.")
    await queue.acquire("a")
    await queue.acquire("a")
    with pytest.raises(TooMany, match="questions"):
        await queue.acquire("a")
    queue.release("a")
    await queue.acquire("a")


# Hosts and origins --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host, ours",
    [
        ("127.0.0.1:8000", True),
        ("192.168.1.20", True),
        ("[::1]:8000", True),
        ("localhost:8000", True),
        ("LOCALHOST", True),
        ("localhost.", True),
        ("dice.example", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example:8000", False),
        ("", False),
        ("[::1", False),
        (None, True),
    ],
)
def test_unknown_host_names_are_refused(host: str | None, ours: bool) -> None:
    assert Site(["https://dice.example"]).has(host) == ours


@pytest.mark.parametrize(
    "origin, ours",
    [
        (None, True),
        ("http://127.0.0.1:8000", True),
        ("https://127.0.0.1:8000", False),
        ("http://127.0.0.1:8001", False),
        ("http://127.0.0.1", False),
        ("https://dice.example", True),
        ("http://dice.example", False),
        ("http://evil.example", False),
        ("null", False),
        ("http://[", False),
    ],
)
def test_foreign_origins_may_not_act(origin: str | None, ours: bool) -> None:
    headers = {"host": "127.0.0.1:8000", **({"origin": origin} if origin else {})}
    site = Site(["https://dice.example"])
    for scheme in ("http", "ws"):
        assert site.may_act({"scheme": scheme}, Headers(headers)) == ours


@pytest.mark.parametrize("public", ["https://Dice.Example", "https://dice.example:443/"])
def test_public_addresses_are_normalised(public: str) -> None:
    site = Site([public])
    headers = Headers({"host": "127.0.0.1:8000", "origin": "https://dice.example"})
    assert site.has("dice.example")
    assert site.may_act({"scheme": "http"}, headers)


@pytest.mark.parametrize("public", ["dice.example", "ftp://x", "https://", "https://x/y", "x y"])
def test_bad_public_addresses_are_refused(public: str) -> None:
    with pytest.raises(BadSetup, match="public address"):
        Site([public])
