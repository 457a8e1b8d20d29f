"""``hotdice serve``: tables for people who sit apart."""

from __future__ import annotations

import asyncio
import os
import socket

from hotdice.core.errors import BadSetup
from hotdice.server.app import DATABASE
from hotdice.storage import Store, default_url
from hotdice.storage.store import read_url

_MOST_WORKERS = 64


def serve(host: str, port: int, database: str, workers: int) -> None:
    """Serve until somebody stops it; raises ``BadSetup`` or ``StorageError`` before it starts."""
    import uvicorn  # noqa: PLC0415 - only here

    database = database or default_url()
    if not 1 <= workers <= _MOST_WORKERS:
        raise BadSetup(f"There are 1 to {_MOST_WORKERS} workers, not {workers}.")
    if workers > 1 and read_url(database).get_backend_name() == "sqlite":
        raise BadSetup("Several workers share a PostgreSQL database; say --db postgresql://….")
    _check_port(host, port)
    asyncio.run(_check_database(database))
    os.environ[DATABASE] = database
    uvicorn.run(
        "hotdice.server.app:create_app",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        ws="websockets-sansio",
        log_level="info",
    )


def _check_port(host: str, port: int) -> None:
    if not 0 <= port <= 65_535:
        raise BadSetup(f"A port is a number up to 65,535, not {port}.")
    try:
        with socket.create_server((host, port)):
            pass
    except OSError as error:
        raise BadSetup(
            f"{host}:{port} cannot be used: {error.strerror}; choose another with --port."
        ) from error


async def _check_database(database: str) -> None:
    await (await Store.open(database)).close()
