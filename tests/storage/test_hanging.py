"""A PostgreSQL that does not answer costs no more than the timeout, and nothing afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tools.soak.proxy import Proxy

from hotdice.storage import StorageError, Store
from hotdice.table.entries import Entry, Kind
from tests.storage.test_store import stored

pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)


@pytest.fixture
async def behind(database: str, proxy: Proxy) -> AsyncIterator[Store]:
    """A store that reaches its database through the proxy."""
    name = database.partition("?")[0].rpartition("/")[2]
    store = await Store.open(f"postgresql://postgres@127.0.0.1:{proxy.port}/{name}")
    await store.create(stored())
    await store.lengths(["t1"])
    yield store
    await store.close()


def said(seq: int) -> list[Entry]:
    return [Entry(seq, Kind.SAY, 0, "hello", 0.0)]


@pytest.mark.parametrize("what", ["read", "write"])
async def test_a_query_is_given_up_without_asking_the_server_to_cancel_it(
    behind: Store,
    proxy: Proxy,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    what: str,
) -> None:
    """The driver would wait for ten more seconds, and log it."""
    with monkeypatch.context() as impatient:
        impatient.setattr("hotdice.storage.store.READ_TIMEOUT", 0.3)
        impatient.setattr("hotdice.storage.writing._TIMEOUT", 0.3)
        proxy.hang("all")
        with pytest.raises(StorageError, match="TimeoutError"):
            await (behind.lengths(["t1"]) if what == "read" else behind.append("t1", said(2)))
        assert not behind.is_well
        assert not [record for record in caplog.records if record.name == "psycopg"]
    proxy.hang("")
    await behind.append("t1", said(2))
    assert await behind.lengths(["t1"]) == {"t1": 2}
    assert behind.is_well


async def test_a_health_check_is_given_up_likewise(
    behind: Store, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as impatient:
        impatient.setattr("hotdice.storage.store._CHECK_TIMEOUT", 0.3)
        proxy.hang("all")
        assert await behind.problems() == ["The database does not answer."]
        assert not [record for record in caplog.records if record.name == "psycopg"]
    proxy.hang("")
    assert await behind.problems() == []
