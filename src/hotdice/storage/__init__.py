"""Storage: tables and their logs, in SQLite by default or in PostgreSQL."""

from hotdice.storage.answers import Answered
from hotdice.storage.store import Store, default_url
from hotdice.storage.stored import (
    NEWEST,
    Addition,
    Analysis,
    Conflict,
    Finished,
    Key,
    Mark,
    NoSuchTable,
    Scored,
    StorageError,
    Stored,
    Try,
)

__all__ = [
    "NEWEST",
    "Addition",
    "Analysis",
    "Answered",
    "Conflict",
    "Finished",
    "Key",
    "Mark",
    "NoSuchTable",
    "Scored",
    "StorageError",
    "Store",
    "Stored",
    "Try",
    "default_url",
]
