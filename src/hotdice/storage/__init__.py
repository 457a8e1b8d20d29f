"""Storage: tables and their logs, in SQLite by default or in PostgreSQL."""

from hotdice.storage.answers import Answered
from hotdice.storage.store import Store, default_url
from hotdice.storage.stored import (
    Addition,
    Conflict,
    Key,
    NoSuchTable,
    Scored,
    StorageError,
    Stored,
)

__all__ = [
    "Addition",
    "Answered",
    "Conflict",
    "Key",
    "NoSuchTable",
    "Scored",
    "StorageError",
    "Store",
    "Stored",
    "default_url",
]
