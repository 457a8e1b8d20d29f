"""The golden files, found once for all tests that use them."""

from __future__ import annotations

from pathlib import Path

from hotdice.core.perft import perft
from hotdice.core.registry import load_game

GAMES = Path(__file__).parent / "games"

PLAYTHROUGHS = [
    (path.parent.parent.name, path) for path in sorted(GAMES.glob("*/playthroughs/*.txt"))
]
PERFTS = [(path.parent.parent.name, path) for path in sorted(GAMES.glob("*/perft/*.txt"))]


def render_perft(slug: str, text: str) -> str:
    """A perft golden: three heading lines, then a line per level."""
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
