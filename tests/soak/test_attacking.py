"""An attack that does not attack fails, as does a server that is too slow."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from tools.soak.attacking import _done
from tools.soak.attacks import ATTACKS, FULL, PROOFS, missing
from tools.soak.full_logs import add_full_logs
from tools.soak.serving import FILES

from hotdice.storage import Store


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_has_to_prove_that_it_attacked(name: str) -> None:
    assert len(missing(name, {})) == len(PROOFS[name]) > 0
    assert not missing(name, PROOFS[name])


async def said(code: str) -> dict[str, int]:
    return await _done(
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
        )
    )


async def test_an_attack_that_breaks_has_done_nothing() -> None:
    assert await said("print('{\"tables made\": 3}')") == {"tables made": 3}
    assert await said("print('no figures')") == {}


async def test_logs_are_full_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.table.log._LAST_CHAT", 50)
    monkeypatch.setattr("hotdice.table.log._LAST_AUTOMATIC", 80)
    file = tmp_path / "hotdice.db"
    await add_full_logs(file, FULL[:2])
    store = await Store.open(f"sqlite:///{file}")
    try:
        assert [len((await store.load(one)).entries) >= 80 for one in FULL[:2]] == [True, True]
    finally:
        await store.close()


async def test_a_server_under_attack_starts_with_few_files(tmp_path: Path) -> None:
    clock = tmp_path / "clock"
    clock.write_bytes(bytes(8))
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    program = (
        "import sys, types, tools.soak.serving as serving;"
        f"fake = types.ModuleType('hotdice.cli.main'); fake.run = lambda: exec({code!r});"
        f"sys.modules['hotdice.cli.main'] = fake; sys.argv = ['x', {str(clock)!r}]; serving.main()"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program),
        stdout=asyncio.subprocess.PIPE,
        env={"PYTHONPATH": str(Path(__file__).parents[2]), FILES: "321"},
    )
    answer, _ = await process.communicate()
    assert answer.strip() == b"(321, 321)"
