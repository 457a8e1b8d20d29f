"""``hotdice serve``: the browser client, and tables for remote players."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import sqlite3
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from hotdice.core.errors import BadSetup
from hotdice.server.app import CONNECTIONS, DATABASE, LIMITS, PROXIES, PUBLIC
from hotdice.server.bounds import raise_descriptors
from hotdice.server.lan import CannotLetIn, is_this_machine, own_addresses
from hotdice.server.limits import Limits
from hotdice.server.logs import STYLES, log_config
from hotdice.server.metrics import SHARED
from hotdice.server.protocols import UVICORN
from hotdice.server.site import Site
from hotdice.storage import Store, default_url
from hotdice.storage.opening import make_folder, read_url

PORT = 8000
_MOST_WORKERS = 64
_RESERVED = 256
"""File descriptors reserved for everything that is not a connection."""


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
    lan: bool = False,
    show: bool,
) -> None:
    """Serve until stopped; raises ``BadSetup`` or ``StorageError`` before it starts.

    Args:
        host: the address to listen on.
        port: the port; by default ``PORT``, or with ``show`` the next free port.
        database: the URL of the database; by default a file of this user.
        workers: the number of server processes.
        log: the style of logs; by default text on a terminal, else JSON.
        limits: limits that differ from the defaults, as ``name=number``.
        public: the public addresses of a proxy in front of this server.
        proxies: the addresses of proxies whose X-Forwarded headers are trusted.
        lan: whether to let others in the same network in from the start.
        show: whether to open a browser.
    """
    database = database or default_url()
    log = log or ("text" if sys.stderr.isatty() else "json")
    if log not in STYLES:
        raise BadSetup(f"Logs are written as {' or '.join(STYLES)}, not as '{log}'.")
    if not 1 <= workers <= _MOST_WORKERS:
        raise BadSetup(f"There can be 1 to {_MOST_WORKERS} workers, not {workers}.")
    if lan and (workers > 1 or public or proxies or not is_this_machine(host)):
        raise BadSetup("--lan is for one process at 127.0.0.1 without a proxy; leave it out.")
    kind = read_url(database).get_backend_name()
    if workers > 1 and kind == "sqlite":
        raise BadSetup("Several workers need a PostgreSQL database; add --db postgresql://….")
    chosen = Limits.read(limits)
    Site(public)
    for proxy in proxies:
        _check_proxy(proxy)
    listening = _listening(host, port, show=show)
    port = int(listening.getsockname()[1])
    with ExitStack() as stack:
        stack.enter_context(listening)
        stack.enter_context(_lock(database))
        asyncio.run(_check_database(database))  # migrates it, so nobody else may use it
        os.environ[DATABASE] = database
        os.environ[LIMITS] = chosen.text()
        os.environ[PUBLIC] = " ".join(public)
        os.environ[PROXIES] = " ".join(proxies)
        descriptors = raise_descriptors()
        os.environ[CONNECTIONS] = str(max(descriptors - _RESERVED, descriptors // 2))
        everywhere = host in ("0.0.0.0", "::")  # noqa: S104 - asked for
        shown = next(iter(own_addresses()), "127.0.0.1") if everywhere else host
        url = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
        sys.stdout.write(f"Hot Dice is at {url} (Ctrl+C stops it).\n")
        sys.stdout.flush()
        if show:
            threading.Thread(target=_open_browser, args=(url,), daemon=True).start()
        if workers > 1:
            os.environ[SHARED] = stack.enter_context(tempfile.TemporaryDirectory())
        _run(
            listening,
            "hotdice.server.app:create_app",
            factory=True,
            lan=lan,
            behind_proxy=bool(public or proxies),
            workers=workers,
            **{**tuned(log), "proxy_headers": bool(proxies)},
            forwarded_allow_ips=",".join(proxies) or None,
        )


def _run(
    listening: socket.socket, app: str, *, lan: bool, behind_proxy: bool, **tuning: Any
) -> None:
    """Serve on a socket that is already bound, so that no other process can take its port."""
    import uvicorn  # noqa: PLC0415 - only here
    from uvicorn.supervisors import Multiprocess  # noqa: PLC0415 - only here

    from hotdice.server.listening import ListeningServer, lengthen  # noqa: PLC0415 - import uvicorn

    if tuning["workers"] > 1:
        config = uvicorn.Config(app, callback_notify=partial(lengthen, listening), **tuning)
        with suppress(KeyboardInterrupt):
            Multiprocess(config, [listening]).run()
        return

    class Server(ListeningServer):
        """Lets others in once it has started, if they are to be."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            host, port = listening.getsockname()[:2]
            if not self.started or behind_proxy or not is_this_machine(host):
                return  # behind a proxy, everybody would seem to be at this machine
            self.lan.attach(port, self.listen_too)
            if not lan:
                return
            try:
                await self.lan.open()
            except CannotLetIn as error:
                sys.stderr.write(f"hotdice: {error}\n")
            else:
                sys.stdout.write(f"Others find it at {' or '.join(self.lan.links)}.\n")
                sys.stdout.flush()

    server = Server(uvicorn.Config(app, **tuning))
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    if not server.started:
        sys.exit(3)


def tuned(log: str) -> dict[str, Any]:
    """The settings of uvicorn."""
    return {**UVICORN, "log_config": log_config(log)}


def _open_browser(url: str) -> None:
    """Open a browser, if there is a screen."""
    has_screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    )
    if has_screen:
        webbrowser.open(url)


def _listening(host: str, port: int | None, *, show: bool) -> socket.socket:
    """A listening socket on the given or default port, or with ``show`` on the next free one."""
    if port is None and show:
        for following in range(PORT, PORT + 100):
            with suppress(OSError):
                return _bound(host, following)
    port = PORT if port is None else port
    if not 0 <= port <= 65_535:
        raise BadSetup(f"A port is a number up to 65,535, not {port}.")
    try:
        return _bound(host, port)
    except OSError as error:
        raise BadSetup(
            f"{host}:{port} cannot be used: {error.strerror}; choose another with --port."
        ) from error


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.create_server((host, port), family=family, backlog=2048)
    bound.set_inheritable(True)
    return bound


def _check_proxy(address: str) -> None:
    try:
        ipaddress.ip_network(address)
    except ValueError:
        raise BadSetup(
            f"'{address[:80]}' is not the address of a proxy; write 127.0.0.1 or 10.0.0.0/8."
        ) from None


@contextmanager
def _lock(database: str) -> Iterator[None]:
    """Lock an SQLite file: two servers would not notice each other's changes."""
    url = read_url(database)
    if url.get_backend_name() != "sqlite":
        yield
        return
    make_folder(url)
    # SQLite's own lock works on every system and is released however the process ends.
    path = f"{Path(url.database or '').resolve()}.lock"
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(closing(sqlite3.connect(path, timeout=0.5)))
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                why = "Another Hot Dice server uses this database; use that one, or change --db."
            else:
                why = f"{path} cannot be written: {error}; make it writable, or change --db."
            raise BadSetup(why) from None
        yield


async def _check_database(database: str) -> None:
    await (await Store.open(database)).close()
