"""What lasts: tables and their logs, in SQLite by default or in PostgreSQL."""

from hotdice.storage.store import Conflict, NoSuchTable, Store, Stored, default_url

__all__ = ["Conflict", "NoSuchTable", "Store", "Stored", "default_url"]
