from tests.storage.conftest import database, postgres, store

__all__ = ["database", "postgres", "store"]
