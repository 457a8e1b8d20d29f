"""Finds and renders the golden files."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hotdice.core.due import Over
from hotdice.core.errors import HotDiceError
from hotdice.core.perft import perft
from hotdice.core.registry import load_game

GAMES = Path(__file__).parent / "games"

PLAYTHROUGHS = [
    (path.parent.parent.name, path) for path in sorted(GAMES.glob("*/playthroughs/*.txt"))
]
PERFTS = [(path.parent.parent.name, path) for path in sorted(GAMES.glob("*/perft/*.txt"))]


def render_perft(slug: str, text: str) -> str:
    """A perft golden: four heading lines, column titles, then a row per level."""
    options, players, state, depth = (
        line.partition(":")[2].strip() for line in text.splitlines()[:4]
    )
    game = load_game(slug, options)
    start = game.read_state(state) if state else game.start(int(players))
    rows = [
        f"{at:>5} {level.states:>8} {level.decisions:>9} {level.rolls:>6} {level.ended:>6} "
        f"{level.events:>8} {level.paths:>12} {level.chance!s:>6}"
        for at, level in enumerate(perft(game, start, int(depth)))
    ]
    head = [f"options: {options}", f"players: {players}", f"from: {state}", f"depth: {depth}"]
    title = "level   states decisions  rolls  ended   events        paths chance"
    return "\n".join([*(line.rstrip() for line in head), title, *rows]) + "\n"


VIEWS = [(path.parent.name, path) for path in sorted(GAMES.glob("*/views.txt"))]
REFUSED = [(path.parent.name, path) for path in sorted(GAMES.glob("*/refused.txt"))]


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """The options and states in a file of ``@ options`` and ``= state`` lines."""
    options = ""
    for line in text.splitlines():
        if line.startswith("@"):
            options = line[1:].strip()
        elif line.startswith("="):
            yield options, line[1:].strip()


def render_views(slug: str, text: str) -> str:
    """Every state of the file with its whole view."""
    lines: list[str] = []
    before = None
    for options, state_text in blocks(text):
        game = load_game(slug, options)
        state = game.read_state(state_text)
        lines += [f"@ {options}".strip()] if options != before else []
        before = options
        lines.append(f"= {state_text}")
        view = dataclasses.asdict(game.view(state))
        for name, value in view.items():
            rows = value if isinstance(value, tuple) else (value,)
            lines += [f"{name}: {_row(row)}" for row in rows]
        lines.append(f"begins a turn: {game.begins_turn(state)}")
        due = game.due(state)
        lines += [f"over: {due.result}"] if isinstance(due, Over) else []
        lines.append("")
    return "\n".join(lines)


def _row(row: Any) -> str:
    if not isinstance(row, dict):
        return str(row)
    return " ".join(f"{key}={value}" for key, value in row.items())


def render_refused(slug: str, text: str) -> str:
    """Every impossible state of the file with the error that refuses it."""
    lines: list[str] = []
    before = None
    for options, state_text in blocks(text):
        lines += [f"@ {options}".strip()] if options != before else []
        before = options
        try:
            load_game(slug, options).read_state(state_text)
        except HotDiceError as error:
            lines += [f"= {state_text}", f": {error}"]
        else:
            raise AssertionError(f"{slug} accepts {state_text}")
    return "\n".join(lines) + "\n"
