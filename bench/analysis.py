"""Luck and skill over many games: what has to hold exactly, and how long it takes.

``python bench/analysis.py [rolls]`` plays random games of every kind whose values are exact, with
short rules, until there are so many rolls of each game (100,000 by default), and checks that

- the luck of all rolls averages to nothing, within three standard errors by the exact variances;
- start, luck and costs add up to the result of every game, to 1e-9;
- perfect bots give nothing away.

It also times the analysis of a full game of Farkle, beside replaying its record. It fails if
something does not hold.
"""

from __future__ import annotations

import sys
import time
from math import sqrt
from random import Random
from typing import Any

from tests.analysis.games import SHORT
from tools.games import play

from hotdice import Record, load_game, read_record
from hotdice.analysis.report import Report, analyse, analyse_by
from hotdice.analysis.valuing import CannotBeValued, Valuer
from hotdice.solve.coach import prepare

_ERRORS = 3.0
_LEVELS = ("casual", "random", "greedy", "sharp")


def _missing(report: Report) -> float:
    """What start, luck and costs are off the result."""
    side = (1, -1)
    costs = sum(side[one.seat] * one.cost for one in report.events)
    total = report.start + sum(one.luck for one in report.events) - costs
    return abs(total - (report.seats[0].result or 0.0))


def _by_chances(record: Record) -> Report:
    """By chances to win, which perfect bots play for, or by points where there are none."""
    try:
        return analyse(record, "win")
    except CannotBeValued:
        return analyse(record)


def check_luck(slug: str, options: str, players: int, rolls: int) -> list[str]:
    """Play and analyse games of one kind; returns what does not hold."""
    game, rng = load_game(slug, options), Random(f"{slug} {options} {players}")
    valuer: Valuer[Any, Any] = Valuer(game, players)
    luck = variance = worst = 0.0
    seen = games = 0
    began = time.perf_counter()
    while seen < rolls:
        levels = [rng.choice(_LEVELS) for _ in range(players)]
        report = analyse_by(valuer, play(game, levels, rng))
        games += 1
        worst = max(worst, _missing(report))
        for one in report.events:
            if not one.choices:
                seen, luck, variance = seen + 1, luck + one.luck, variance + one.variance
    errors = luck / sqrt(variance)
    print(
        f"{slug} for {players}: {seen:,} rolls in {games:,} games, mean luck "
        f"{luck / seen:+.1e} ({errors:+.1f} standard errors), sums off by at most {worst:.0e}, "
        f"{1e6 * (time.perf_counter() - began) / seen:.0f} us a roll"
    )
    given = sum(seat.cost for seat in _by_chances(play(game, ["perfect"] * players, rng)).seats)
    found = [] if abs(errors) <= _ERRORS else [f"{slug}: luck is {errors:+.1f} standard errors off"]
    found += [] if worst <= 1e-9 else [f"{slug}: a sum is off by {worst}"]
    found += [] if given == 0.0 else [f"{slug}: perfect bots gave away {given}"]
    return found


def time_farkle() -> None:
    """Time the analysis of a full game, with its solution loaded, beside replaying it."""
    game = load_game("farkle", "")
    prepare(game, 2)
    text = play(game, ("casual", "casual"), Random(1)).text()
    analyse(read_record(text))
    began = time.perf_counter()
    record = read_record(text)
    replayed = time.perf_counter()
    report = analyse(record)
    ended = time.perf_counter()
    print(
        f"a full game of Farkle, {len(report.events)} events: "
        f"analysed in {ended - replayed:.2f} s, "
        f"{(ended - replayed) / (replayed - began):.0f} x reading its record"
    )


def main() -> None:
    """Check every kind of game, then time one."""
    rolls = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    wrong = [said for kind in SHORT for said in check_luck(*kind, rolls)]
    time_farkle()
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
