"""``hotdice serve``: tables for people who sit apart, and pages to play on."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import sqlite3
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from hotdice.core.errors import BadSetup
from hotdice.server.app import CONNECTIONS, DATABASE, LIMITS, PUBLIC
from hotdice.server.bounds import raise_descriptors
from hotdice.server.limits import Limits
from hotdice.server.logs import STYLES, log_config
from hotdice.server.metrics import SHARED
from hotdice.server.reading import UVICORN
from hotdice.server.site import Site
from hotdice.storage import Store, default_url
from hotdice.storage.store import read_url

PORT = 8000
_MOST_WORKERS = 64
_PATIENCE = 60.0
_FEWEST_FREE = 256
"""Descriptors left for everything that is not a connection."""


def serve(
    host: str,
    port: int | None,
    database: str,
    workers: int,
    log: str,
    *,
    limits: Sequence[str] = (),
    public: Sequence[str] = (),
    proxies: Sequence[str] = (),
    show: bool,
) -> None:
    """Serve until somebody stops it; raises ``BadSetup`` or ``StorageError`` before it starts.

    Args:
        host: the address to listen at.
        port: the port; without one the usual port, or with ``show`` the next that is free.
        database: where tables are kept; without one, a file of this user's.
        workers: how many processes serve.
        log: how logs are written; without a word as suits where they go.
        limits: the limits that are not the usual ones, as ``name=number``.
        public: the addresses by which people reach a proxy in front of this server.
        proxies: the addresses of proxies that are believed when they say for whom they ask.
        show: whether to open a browser.
    """
    import uvicorn  # noqa: PLC0415 - only here

    database = database or default_url()
    log = log or ("text" if sys.stderr.isatty() else "json")
    if log not in STYLES:
        raise BadSetup(f"Logs are written as {' or '.join(STYLES)}, not as '{log}'.")
    if not 1 <= workers <= _MOST_WORKERS:
        raise BadSetup(f"There are 1 to {_MOST_WORKERS} workers, not {workers}.")
    if workers > 1 and read_url(database).get_backend_name() == "sqlite":
        raise BadSetup("Several workers share a PostgreSQL database; say --db postgresql://….")
    chosen = Limits.read(limits)
    Site(public)
    for proxy in proxies:
        _check_proxy(proxy)
    if port is None:
        port = _free_port(host) if show else PORT
    _check_port(host, port)
    asyncio.run(_check_database(database))
    os.environ[DATABASE] = database
    os.environ[LIMITS] = chosen.text()
    os.environ[PUBLIC] = " ".join(public)
    os.environ[CONNECTIONS] = str(max(_FEWEST_FREE, raise_descriptors() - _FEWEST_FREE))
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - asked for
    url = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
    with ExitStack() as stack:
        stack.enter_context(_only_one(database))
        sys.stdout.write(f"Hot Dice is at {url} (Ctrl+C stops it).\n")
        sys.stdout.flush()
        if show:
            threading.Thread(target=_show, args=(host, port, url), daemon=True).start()
        if workers > 1:
            os.environ[SHARED] = stack.enter_context(tempfile.TemporaryDirectory())
        uvicorn.run(
            "hotdice.server.app:create_app",
            factory=True,
            host=host,
            port=port,
            workers=workers,
            **{**tuned(log), "proxy_headers": bool(proxies)},
            forwarded_allow_ips=",".join(proxies) or None,
        )


def tuned(log: str) -> dict[str, Any]:
    """How uvicorn serves Hot Dice, wherever it listens."""
    return {**UVICORN, "log_config": log_config(log)}


def _show(host: str, port: int, url: str) -> None:
    """Open a browser as soon as the server listens; where there is no screen, the line says it."""
    has_screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    )
    until = time.monotonic() + _PATIENCE
    while has_screen and time.monotonic() < until:
        try:
            socket.create_connection((host, port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            webbrowser.open(url)
            return


def _free_port(host: str) -> int:
    for port in range(PORT, PORT + 100):
        try:
            _listening(host, port).close()
        except OSError:
            continue
        return port
    return PORT


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def _check_proxy(address: str) -> None:
    try:
        ipaddress.ip_network(address)
    except ValueError:
        raise BadSetup(
            f"'{address[:80]}' is no address of a proxy; write 127.0.0.1 or 10.0.0.0/8."
        ) from None


def _check_port(host: str, port: int) -> None:
    if not 0 <= port <= 65_535:
        raise BadSetup(f"A port is a number up to 65,535, not {port}.")
    try:
        _listening(host, port).close()
    except OSError as error:
        raise BadSetup(
            f"{host}:{port} cannot be used: {error.strerror}; choose another with --port."
        ) from error


@contextmanager
def _only_one(database: str) -> Iterator[None]:
    """Keep a second server away from a file: neither would hear what the other adds."""
    url = read_url(database)
    if url.get_backend_name() != "sqlite":
        yield
        return
    # A lock that every system knows, and that goes with the process however it ends.
    path = f"{Path(url.database or '').resolve()}.lock"
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(closing(sqlite3.connect(path, timeout=0.5)))
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                why = "Another Hot Dice serves this database already; use that one, or say --db."
            else:
                why = f"{path} cannot be written: {error}; make it writable, or say --db."
            raise BadSetup(why) from None
        yield


async def _check_database(database: str) -> None:
    await (await Store.open(database)).close()
