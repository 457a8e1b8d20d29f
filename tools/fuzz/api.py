"""Fuzzes the HTTP API with requests generated from its OpenAPI schema by Schemathesis.

No response may be a server error or violate the schema, and the log must be free of errors.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hotdice.core.registry import game_names, game_type
from tools.fuzz.finding import Finding
from tools.fuzz.serving import Server, serving

_REFUSALS = (400, 404, 405, 409, 413, 421, 422, 429)
_WORDS = ("casual", "greedy", "random", "typed", "on", "off", "0", "1", "2", "300", "20_000", "x")
_SHOWN = 6000


def run(minutes: float, seed: int) -> str:
    """Fuzz for some minutes; returns a summary in one line."""
    again = f"python -m tools.fuzz api --minutes {minutes} --seed {seed}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(folder, again) as server:
            report = _schemathesis(server, folder, max(1, round(60 * minutes)), seed)
            server.check(again)
    done, asked = report["test_cases"], report["operations"]
    if not done["generated"] or asked["tested"] < asked["total"]:
        raise Finding("Not every operation was tested.", json.dumps(report)[:_SHOWN])
    return f"{done['generated']:,} requests to {asked['tested']} operations"


def _schemathesis(server: Server, folder: Path, seconds: int, seed: int) -> dict[str, Any]:
    """Run Schemathesis and return its report; raises ``Finding`` with its failures."""
    config, report = folder / "schemathesis.toml", folder / "report.json"
    config.write_text(_config([_new_table(server, name)["id"] for name in game_names()]), "utf-8")
    done = subprocess.run(  # noqa: S603 - our own
        [
            str(Path(sys.executable).with_name("schemathesis")),
            *("--config-file", str(config), "run", f"{server.url}/api/openapi.json"),
            *("--max-time", str(seconds), "--seed", str(seed), "--continue-on-failure"),
            *("--report-json-path", str(report), "--output-sanitize", "false"),
        ],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    said = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
    if done.returncode:
        shown = "\n".join(line[:500] for line in said.splitlines())
        start = max(0, shown.find("= FAILURES ="))
        raise Finding("A response violates the schema.", shown[start : start + _SHOWN])
    found: dict[str, Any] = json.loads(report.read_text("utf-8"))
    return found


def _new_table(server: Server, name: str) -> Any:
    names = ("Ann", "Ben")[: game_type(name).max_players]
    wanted = {"game": name, "seats": [{"name": name, "open": True} for name in names]}
    return server.ask("/api/tables", wanted)


def _config(tables: list[str]) -> str:
    """The configuration of Schemathesis: dictionaries of valid values, and expected statuses."""
    games = list(game_names())
    options = [info.name for name in games for info in game_type(name).options_type.describe()]
    refusals = json.dumps(list(_REFUSALS))
    accepted = json.dumps(["2xx", *_REFUSALS])
    return f"""
[dictionaries]
games = {{ values = {json.dumps(games)} }}
tables = {{ values = {json.dumps(tables)} }}
words = {{ values = {json.dumps([*games, *games, *options, *_WORDS])} }}

[parameters]
"path.game" = {{ dictionary = "games", probability = 0.7 }}
"path.table_id" = {{ dictionary = "tables", probability = 0.7 }}

[generation.dictionaries]
string = {{ dictionary = "words", probability = 0.4 }}

[checks]
negative_data_rejection.expected-statuses = {refusals}
positive_data_acceptance.expected-statuses = {accepted}

[[operations]]  # a repeatable header cannot have the wrong type
include-name = "GET /api/tables/{{table_id}}"
checks.negative_data_rejection.enabled = false
"""
