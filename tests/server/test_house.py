"""Seeds: tests can fix them, but nobody can choose those of a public server."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature

from hotdice.cli.serving import serve
from hotdice.server.hub import Hub, secret_seed
from hotdice.server.messages import TableWanted
from hotdice.storage import Store
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat

BY_DEFAULT = signature(Hub).parameters["seeds"].default  # before tests fix their dice
SETUP = Setup("farkle", "starts=seat", (Seat("Ann"), Seat("Ben")))


async def _seed(hub: Hub, setup: Setup) -> str:
    return (await hub.store.load((await hub.create(setup)).id)).setup.seed


async def test_seeds_come_from_the_function_given_to_the_hub(store: Store) -> None:
    hub = Hub(store, seeds=lambda setup: f"dice of {setup.game}")
    assert await _seed(hub, SETUP) == "dice of farkle"
    assert await _seed(hub, replace(SETUP, seed="own")) == "own"
    assert await _seed(hub, replace(SETUP, dice="typed")) == ""


async def test_nobody_can_choose_the_seeds_of_a_public_server(store: Store) -> None:
    assert BY_DEFAULT is secret_seed
    hub = Hub(store, seeds=secret_seed)
    seeds = {await _seed(hub, SETUP) for _ in range(3)}
    assert len(seeds) == 3
    assert min(map(len, seeds)) >= 32
    assert not [name for name in signature(serve).parameters if "seed" in name]
    assert not [name for name in TableWanted.model_fields if "seed" in name]
