"""``hotdice serve``, run as a subprocess."""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets

from hotdice.cli import serving as serving_module
from hotdice.server.lan import own_addresses
from tests.asking import heard
from tests.cli.conftest import Command
from tests.databases import migrate


@contextmanager
def serving(
    *words: str, home: Path, wait: bool = True, files: int = 0
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A server on a free port, with so many descriptors; the port is 0 if it never printed one."""
    command = [str(Path(sys.executable).with_name("hotdice")), "serve", "--port", "0", *words]
    if files:
        command = ["sh", "-c", f'ulimit -n {files}; exec "$0" "$@"', *command]
    env = {**os.environ, "HOTDICE_HOME": str(home)}
    with subprocess.Popen(command, env=env, stdout=-1, stderr=-1) as server:  # noqa: S603 - ours
        try:
            if server.stdout is None:
                raise AssertionError("stdout is a pipe")
            found = re.search(rb":(\d+)/ ", server.stdout.readline())
            port = int(found[1]) if found else 0
            if wait:
                health = json.loads(_answer(f"http://127.0.0.1:{port}/api/health"))
                assert health["status"] == "ok"
            yield port, server
        finally:
            server.kill()


async def test_it_serves_until_stopped_and_closes_every_socket(tmp_path: Path) -> None:
    wanted = {"game": "peruke", "seats": [{"name": "Ann <script>"}]}
    with serving("--log", "json", home=tmp_path) as (port, server):
        made = json.loads(
            _answer(f"http://127.0.0.1:{port}/api/tables", json.dumps(wanted).encode())
        )
        url = f"ws://127.0.0.1:{port}/api/tables/{made['id']}/socket"
        async with websockets.connect(url) as opened:
            await opened.send('{"seen": 0}')
            await opened.recv()
            server.send_signal(signal.SIGTERM)
            with suppress(websockets.ConnectionClosed):
                async for _ in opened:
                    pass  # it may still say who is away
            assert opened.close_code in (1001, 1012)
        _, err = server.communicate(timeout=20)
    assert server.returncode in (0, -signal.SIGTERM)
    assert (tmp_path / "hotdice.db").exists()
    lines = [json.loads(line) for line in err.decode().splitlines()]
    assert {"at", "level", "logger", "message"} <= set(lines[0])
    [request] = [line for line in lines if line.get("path") == "/api/tables"]
    assert (request["method"], request["status"]) == ("POST", 201)
    secrets = (made["id"], made["host"], *(seat["secret"] for seat in made["seats"]))
    assert not any(secret in err.decode() for secret in secrets)


def test_a_second_server_refuses_the_same_sqlite_file(tmp_path: Path) -> None:
    """Neither would notice the other's changes."""
    with serving(home=tmp_path):
        with serving(home=tmp_path, wait=False) as (_, second):
            _, err = second.communicate(timeout=30)
        assert second.returncode == 2
        assert b"Another Hot Dice server uses this database" in err
        (tmp_path / "link").symlink_to(tmp_path / "hotdice.db")
        with serving("--db", f"sqlite:///{tmp_path}/link", home=tmp_path, wait=False) as (_, third):
            third.communicate(timeout=30)
        assert third.returncode == 2
    with serving(home=tmp_path):
        pass


def test_a_database_in_use_is_not_migrated(hotdice: Command, tmp_path: Path) -> None:
    """A newer version is started beside a running server."""
    file = tmp_path / "hotdice.db"
    migrate(f"sqlite:///{file}", "0005")
    with closing(sqlite3.connect(f"{file}.lock")) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        ran = hotdice("serve", "--port", "0", "--db", f"sqlite:///{file}")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "Another Hot Dice server uses this database" in ran.err
    with closing(sqlite3.connect(file)) as database:
        found = database.execute("SELECT version_num FROM alembic_version").fetchall()
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
    assert found == [("0005",)]
    assert ("answers",) not in tables


@pytest.mark.parametrize("kind", ["folder", "text"])
def test_an_unusable_lock_file_is_reported(tmp_path: Path, kind: str) -> None:
    lock = tmp_path / "hotdice.db.lock"
    if kind == "folder":
        lock.mkdir()
    else:
        lock.write_text("something else" * 100)
    with serving(home=tmp_path, wait=False) as (_, server):
        _, err = server.communicate(timeout=30)
    assert server.returncode == 2
    assert b"hotdice.db.lock cannot be written" in err
    assert b"Another" not in err


def test_it_serves_at_an_ipv6_address(tmp_path: Path) -> None:
    """On a machine without IPv6, one sentence says so."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        has_ipv6 = True
    except OSError:
        has_ipv6 = False
    with serving("--host", "::1", home=tmp_path, wait=False) as (port, server):
        if has_ipv6:
            assert json.loads(_answer(f"http://[::1]:{port}/api/health"))["status"] == "ok"
            server.send_signal(signal.SIGTERM)
        _, err = server.communicate(timeout=30)
    if not has_ipv6:
        assert server.returncode == 2
        assert "::1:0 cannot be used" in err.decode()


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_worker_processes_share_tables_and_metrics(database: str, tmp_path: Path) -> None:
    wanted = json.dumps({"game": "peruke", "seats": [{"name": "Ann"}]}).encode()
    with serving("--db", database, "--workers", "2", home=tmp_path) as (port, server):
        url = f"http://127.0.0.1:{port}/api"
        made = [json.loads(_answer(f"{url}/tables", wanted)) for _ in range(10)]
        for table in made:
            assert json.loads(_answer(f"{url}/tables/{table['id']}"))["status"]["due"] == "choose"
        counts = _answer(f"{url}/metrics").decode()
        assert 'hotdice_tables_created_total{game="peruke"} 10.0' in counts
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=20)


@pytest.mark.skipif(sys.platform != "linux", reason="finds the workers in /proc")
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_connections_wait_while_all_workers_are_busy(database: str, tmp_path: Path) -> None:
    """Far more than are accepted at once; otherwise each would try again seconds later."""
    with serving("--db", database, "--workers", "2", home=tmp_path) as (port, server):
        tries = 0
        while not _all_wait(port, server.pid):  # workers lengthen the queue once they have started
            tries += 1
            assert tries < 300
            time.sleep(0.1)
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=20)


def _all_wait(port: int, pid: int) -> bool:
    """Whether a hundred clients are connected although none of two workers can accept them."""
    stopped = [pid]
    os.kill(pid, signal.SIGSTOP)  # it can neither start nor end workers
    try:
        workers = _workers(pid)
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
            stopped.append(worker)
        with ExitStack() as opened:
            clients = [opened.enter_context(socket.socket()) for _ in range(100)]
            for client in clients:
                client.setblocking(False)
                client.connect_ex(("127.0.0.1", port))
            _, connected, _ = select.select([], clients, [], 0.2)
            return len(workers) == 2 and connected == clients
    finally:
        for one in stopped:
            os.kill(one, signal.SIGCONT)


def _workers(pid: int) -> list[int]:
    """The worker processes of a server."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [one for one in map(int, children) if b"spawn_main" in _command(one)]


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def test_others_in_the_network_are_let_in_and_kept_out(tmp_path: Path) -> None:
    def change(port: int, *, is_open: bool) -> Any:
        with httpx.Client() as http:
            return http.post(f"http://127.0.0.1:{port}/api/lan", json={"open": is_open}).json()

    with serving(home=tmp_path) as (port, _):
        changed = change(port, is_open=True)
        for address in own_addresses():
            assert f"http://{address}:{port}" in changed["links"]
            assert json.loads(_answer(f"http://{address}:{port}/api/health"))["status"] == "ok"
        if not own_addresses():  # a machine without a network says so
            assert "in no network" in changed["error"]
        change(port, is_open=False)
        for address in own_addresses():
            with socket.socket() as knocking:
                assert knocking.connect_ex((address, port))
        assert json.loads(_answer(f"http://127.0.0.1:{port}/api/health"))["status"] == "ok"


def test_others_can_be_let_in_from_the_start(tmp_path: Path) -> None:
    with serving("--lan", home=tmp_path) as (port, server):
        [*addresses] = own_addresses()
        told = (server.stdout if addresses else server.stderr).readline().decode()  # type: ignore[union-attr]
        wanted = [f"http://{address}:{port}" for address in addresses] or ["in no network"]
        assert all(part in told for part in wanted)


def test_listening_everywhere_prints_an_address_that_works(
    hotdice: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else can use 0.0.0.0 or 127.0.0.1; this machine's address in its network works."""
    asked = []

    def elsewhere(host: str, port: int) -> socket.socket:
        asked.append(host)
        return socket.create_server(("127.0.0.2", port))

    def knock(listening: socket.socket, *_: object, **__: object) -> None:
        reached.append("{}:{}".format(*listening.getsockname()))

    reached: list[str] = []
    monkeypatch.setattr(serving_module, "_bound", elsewhere)
    monkeypatch.setattr(serving_module, "own_addresses", lambda: ["127.0.0.2", "127.0.0.3"])
    monkeypatch.setattr(serving_module, "_run", knock)
    told = hotdice("serve", "--host", "0.0.0.0", "--port", "0").out  # noqa: S104 - nothing is bound
    assert asked == ["0.0.0.0"]  # noqa: S104
    assert told == f"Hot Dice is at http://{reached[0]}/ (Ctrl+C stops it).\n"


def test_nobody_can_let_others_in_through_a_proxy(tmp_path: Path) -> None:
    """To the server, everybody behind a proxy would seem to be at its own machine."""
    with serving("--public", "https://dice.example", home=tmp_path) as (port, _):
        shown = json.loads(_answer(f"http://127.0.0.1:{port}/api/lan"))
        assert (shown["possible"], shown["links"]) == (False, [])


def test_logs_can_be_plain_text(tmp_path: Path) -> None:
    with serving("--log", "text", home=tmp_path) as (_port, server):
        server.send_signal(signal.SIGTERM)
        _, err = server.communicate(timeout=20)
    assert "INFO request method=GET path=/api/health status=200" in err.decode()


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
async def test_a_killed_server_resumes_in_the_middle_of_a_turn(
    database: str, tmp_path: Path
) -> None:
    """After kill -9 between the two uses of a roll, the dice and the second use are still there."""
    wanted = {"game": "peruke", "seats": [{"name": "Ann"}]}
    shown: list[dict[str, object]] = []
    table: dict[str, Any] = {}
    for turn in range(2):
        with serving("--db", database, home=tmp_path) as (port, server):
            url = f"http://127.0.0.1:{port}/api/tables"
            if not turn:
                table = json.loads(_answer(url, json.dumps(wanted).encode()))
                await _use_one(f"ws://127.0.0.1:{port}/api/tables/{table['id']}/socket", table)
            shown.append(json.loads(_answer(f"{url}/{table['id']}")))
            server.kill()
    view: Any = shown[0]["view"]
    status: Any = shown[0]["status"]
    assert (status["seq"], status["due"]) == (2, "choose")
    for one in shown:
        one.pop("now")
    assert 4 <= len(view["dice"]) <= 5
    assert [disc["status"] for disc in view["discs"]].count("vulnerable") == 1
    assert shown[1] == shown[0]


@pytest.mark.skipif(sys.platform != "linux", reason="limits descriptors as Linux does")
def test_a_burst_of_connections_does_not_take_all_descriptors(tmp_path: Path) -> None:
    """The reserved ones are enough for connections that are accepted only to be refused."""
    descriptors, burst = 512, 600
    with serving("--log", "json", home=tmp_path, files=descriptors) as (port, server):
        server.send_signal(signal.SIGSTOP)
        with ExitStack() as opened:
            here = "127.0.0.1", port
            clients = [opened.enter_context(socket.create_connection(here)) for _ in range(burst)]
            server.send_signal(signal.SIGCONT)
            answered: list[socket.socket] = []
            while len(answered) < burst - descriptors // 2:  # the others may be accepted
                answered, _, _ = select.select(clients, [], [], 1)
        server.send_signal(signal.SIGTERM)
        _, err = server.communicate(timeout=20)
    levels = [json.loads(line)["level"] for line in err.decode().splitlines()]
    assert set(levels) == {"info"}, err.decode()[:500]


async def _use_one(address: str, table: dict[str, Any]) -> None:
    """Use one value of the first roll."""
    async with websockets.connect(address) as opened:
        await opened.send(json.dumps({"secrets": [table["seats"][0]["secret"]], "seen": 1}))
        text = (await heard(opened))["view"]["choices"][0]["text"]
        await opened.send(json.dumps({"do": "choose", "seat": 0, "seen": 1, "text": text}))
        assert (await heard(opened))["type"] == "news"


def _answer(url: str, sent: bytes | None = None) -> bytes:
    request = urllib.request.Request(url, sent, {"Content-Type": "application/json"})  # noqa: S310 - ours
    for _ in range(300):
        try:
            with urllib.request.urlopen(request) as found:  # noqa: S310 - our own server
                answer: bytes = found.read()
                return answer
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not answer")


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("--db", "mysql://a/b"), "SQLite or PostgreSQL"),
        (("--db", "nonsense"), "is not a database"),
        (("--workers", "0"), "1 to 64 workers"),
        (("--workers", "2"), "PostgreSQL"),
        (("--port", "99999"), "A port is"),
        (("--host", "256.1.1.1"), "cannot be used"),
        (("--log", "xml"), "text or json"),
        (("--lan", "--host", "192.0.2.1"), "without a proxy"),
        (("--limit", "tables"), "whole number"),
        (("--limit", "chairs=4"), "no limit 'chairs'"),
        (("--public", "dice.example"), "not a public address"),
        (("--proxy", "near"), "not the address of a proxy"),
    ],
)
def test_bad_options_get_one_sentence(
    hotdice: Command, words: tuple[str, ...], sentence: str
) -> None:
    ran = hotdice("serve", *words)
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


def test_bad_options_are_reported_even_if_the_default_port_is_taken(
    hotdice: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr("hotdice.cli.serving.PORT", taken.getsockname()[1])
        assert "is not a database" in hotdice("serve", "--db", "nonsense").err
        assert "choose another with --port" in hotdice("serve").err


def test_a_port_that_is_taken_is_reported(hotdice: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = hotdice("serve", "--port", str(taken.getsockname()[1]))
    assert "choose another with --port" in ran.err


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_players_can_be_split_between_two_processes(database: str, tmp_path: Path) -> None:
    """Ann plays through one process, Ben through another, a bot through either: one game."""
    wanted = {
        "game": "farkle",
        "options": {"starts": "seat", "entry": "0", "target": "200"},
        "seats": [{"name": "Ann"}, {"name": "Ben"}, {"name": "Bo", "bot": "greedy"}],
    }
    with (
        serving("--db", database, home=tmp_path / "one") as (one, _),
        serving("--db", database, home=tmp_path / "other") as (other, _),
    ):
        made = json.loads(
            _answer(f"http://127.0.0.1:{one}/api/tables", json.dumps(wanted).encode())
        )
        people = [
            await websockets.connect(f"ws://127.0.0.1:{port}/api/tables/{made['id']}/socket")
            for port in (one, other)
        ]
        results = await asyncio.gather(
            *(_play_out(opened, made["seats"][seat]) for seat, opened in enumerate(people))
        )
        for opened in people:
            await opened.close()
    assert results[0] == results[1]
    assert results[0][0] is not None


async def _play_out(opened: Any, own: dict[str, Any]) -> tuple[Any, list[str]]:
    """Play a seat until the game is over; returns the result and the log."""
    await opened.send(json.dumps({"secrets": [own["secret"]]}))
    told: list[str] = []
    while True:
        said = await heard(opened)
        told += [line["told"] for line in said.get("log", said.get("entries", []))]
        status = said["status"]
        if status["due"] == "over":
            return status["result"], told
        if status["seat"] != own["seat"]:
            continue
        view = said["view"] if said["type"] == "table" else said["entries"][-1]["view"]
        home = [c["text"] for c in view["choices"] if c["ends_turn"]]
        text = (home or [c["text"] for c in view["choices"]] or [""])[0]
        command = {"do": status["due"], "seat": own["seat"], "seen": status["seq"], "text": text}
        await opened.send(json.dumps(command))


def test_the_command_lets_nobody_choose_a_seed(hotdice: Command) -> None:
    assert "seed" not in hotdice("serve", "--help").out.lower()
    assert hotdice("serve", "--seed", "mine").code == 2
