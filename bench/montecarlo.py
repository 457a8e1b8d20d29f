"""Compares games played by the bots with their solved values, using luck as a control variate.

The luck of a roll is the value after it minus the value before it; its expectation is 0. The result
of a game between perfect players minus its luck is exactly the value at the start, whatever was
rolled. The benchmark fails if any of these checks fails:

- the identity, in every single game;
- the average luck over all rolls, at positions from these games: the identity alone would also
  hold with wrong probabilities;
- the dice: the mean luck of all games and the frequency of each face, in standard errors.

For three players, where values are only estimates, the luck is subtracted from the results in the
same way, and these are compared with the matches in the book of results.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import hotdice
from hotdice.bots import find_bot
from hotdice.core.dice import Die
from hotdice.core.due import Over, Result, ToChoose
from hotdice.core.game import AnyGame
from hotdice.solve.coach import luck_of, prepare
from hotdice.solve.finding import find_solver
from hotdice.solve.sheet import Sheet
from hotdice.solve.solver import AnySolver, Question

sys.path.insert(0, str(Path(__file__).parent.parent))
from tools.strength import RESULT, RULES, play_fairly, throw

PARTS = 2
CLOSE = 1e-9
"""The largest allowed difference between a game's result without luck and its solved value."""
FAR = 4.0
"""The largest allowed deviation in standard errors."""
LOOKS = 25
"""How many positions are sampled to average the luck of all rolls, in each part of a trial."""
RARELY = 0.02
"""The probability of sampling a position."""


class Trial(NamedTuple):
    """Games between equal bots, solved exactly for an objective."""

    game: str
    options: str
    players: int
    level: str
    objective: str
    games: int


class Match(NamedTuple):
    """Games of one perfect bot against two sharp ones, compared with the book of results."""

    game: str
    games: int


TRIALS = (
    Trial("farkle", "starts=seat", 2, "perfect", "win", 1500),
    Trial("rogue", "", 2, "perfect", "win", 1500),
    Trial("cockroach", "starts=seat", 2, "perfect", "win", 3000),
    Trial("go500", "", 2, "perfect", "win", 1500),
    Trial("go500", "course=pass weather=poor", 1, "sharp", "points", 1500),
    Trial("peruke", "", 1, "perfect", "win", 2000),
    Trial("peruke", "games=1", 1, "sharp", "points", 5000),
)
MATCHES = (Match("farkle", 100), Match("rogue", 200), Match("cockroach", 200), Match("go500", 60))


@dataclass
class Mean:
    """A running mean and its standard error."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, one: float) -> None:
        """Add a sample."""
        self.count, self.total = self.count + 1, self.total + one
        self.squares += one * one

    def join(self, other: Mean) -> None:
        """Merge another mean into this one."""
        self.count, self.total = self.count + other.count, self.total + other.total
        self.squares += other.squares

    @property
    def mean(self) -> float:
        """The mean."""
        return self.total / self.count

    @property
    def error(self) -> float:
        """Its standard error."""
        return sqrt(max(self.squares / self.count - self.mean**2, 0.0) / self.count)


@dataclass
class Played:
    """The results of games.

    Attributes:
        plain: the first seat's result.
        luck: its luck.
        off: the result without luck, minus the solved value.
        worst: the largest absolute value of that.
        bias: the largest average luck over all rolls at a position.
        thrown: how often each die was rolled.
        shown: how often each face came up.
    """

    plain: Mean = field(default_factory=Mean)
    luck: Mean = field(default_factory=Mean)
    off: Mean = field(default_factory=Mean)
    worst: float = 0.0
    bias: float = 0.0
    thrown: Counter[Die] = field(default_factory=Counter)
    shown: Counter[int] = field(default_factory=Counter)

    def join(self, other: Played) -> None:
        """Merge other results into these."""
        self.plain.join(other.plain)
        self.luck.join(other.luck)
        self.off.join(other.off)
        self.worst = max(self.worst, other.worst)
        self.bias = max(self.bias, other.bias)
        self.thrown += other.thrown
        self.shown += other.shown


def sheet_of(solver: AnySolver, state: Any, objective: str) -> Sheet[Any]:
    """The solved values of a turn."""
    sheet = solver.sheet(state, objective)
    if sheet is None:
        raise AssertionError("there is no sheet for a solved game")
    return sheet


def run(trial: Trial, value: float, part: int) -> Played:
    """Play a part of a trial's games."""
    game = hotdice.load_game(trial.game, trial.options)
    prepare(game, trial.players)
    solver, bot = find_solver(game), find_bot(trial.level)
    rng, looking = Random(f"{trial} {part}"), Random(f"look {trial} {part}")
    played, looks = Played(), 0
    for _ in range(trial.games // PARTS):
        state, luck = game.start(trial.players), 0.0
        while not isinstance(due := game.due(state), Over):
            if isinstance(due, ToChoose):
                state = game.apply(state, bot(game, state, rng))
                continue
            roll = throw(due.dice, rng)
            played.thrown.update(due.dice)
            played.shown.update(roll.faces)
            sheet = sheet_of(solver, state, trial.objective)
            change = luck_of(game, sheet, state, roll)
            luck += change if due.seat == 0 else -change
            if looks < LOOKS and looking.random() < RARELY:
                looks += 1
                played.bias = max(played.bias, abs(average_luck(game, sheet, state)))
            state = game.apply(state, roll)
        made = earned(due.result, trial.objective)
        played.plain.add(made)
        played.luck.add(luck)
        played.off.add(made - luck - value)
        played.worst = max(played.worst, abs(made - luck - value))
    return played


def average_luck(game: AnyGame, sheet: Sheet[Any], state: Any) -> float:
    """The average luck of all rolls at a position, weighted by their chances."""
    return sum(
        float(chance) * luck_of(game, sheet, state, roll) for roll, chance in game.rolls(state)
    )


def earned(result: Result, objective: str) -> float:
    """The first seat's result: its points, or its share of the win."""
    if objective == "points":
        return float(result.scores[0])
    return (0 in result.winners) / max(1, len(result.winners))


def run_match(match: Match, part: int) -> tuple[Mean, Mean]:
    """Play a part of a match; returns the perfect bot's share of wins with and without luck."""
    game = hotdice.load_game(match.game, RULES[match.game])
    prepare(game, 3)
    rng = Random(f"{match} {part} bench")
    plain, fair = Mean(), Mean()
    for number in range(match.games // PARTS):
        seat = number % 3
        bots = [find_bot("perfect" if at == seat else "sharp") for at in range(3)]
        result, shares = play_fairly(game, game.start(3), bots, rng)
        plain.add((seat in result.winners) / max(1, len(result.winners)))
        fair.add(shares[seat])
    return plain, fair


def unevenness(played: Played) -> float:
    """The chi-square statistic of the faces, in standard errors (Wilson and Hilferty)."""
    expected: defaultdict[int, float] = defaultdict(float)
    for die, times in played.thrown.items():
        weight = sum(face.weight for face in die.faces)
        for face in die.faces:
            expected[face.code] += times * face.weight / weight
    square = sum((played.shown[code] - due) ** 2 / due for code, due in expected.items())
    free = 2 / (9 * (len(expected) - len(played.thrown)))
    return float(((square * 4.5 * free) ** (1 / 3) - (1 - free)) / sqrt(free))


def main() -> None:
    """Play everything; exit with 1 if any check fails."""
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with ProcessPoolExecutor(PARTS) as pool:
        wrong = [
            *(fault for trial in TRIALS for fault in check_trial(pool, trial, scale)),
            *(fault for match in MATCHES for fault in check_match(pool, match, scale)),
        ]
    for fault in wrong:
        print(f"WRONG: {fault}")
    sys.exit(1 if wrong else 0)


def check_trial(pool: ProcessPoolExecutor, full: Trial, scale: float) -> list[str]:
    """Play a trial and print its results; returns failed checks."""
    trial = full._replace(games=max(int(full.games * scale) // PARTS, 1) * PARTS)
    game = hotdice.load_game(trial.game, trial.options)
    value = find_solver(game).solve(Question(trial.objective)).value
    played = Played()
    for part in [pool.submit(run, trial, value, part) for part in range(PARTS)]:
        played.join(part.result())
    name = " ".join(filter(None, (trial.game, trial.options, trial.objective)))
    luck = played.luck.mean / played.luck.error
    faces = unevenness(played)
    print(
        f"{name}: solved {value:.4f}, played {played.plain.mean:.4f} in {trial.games:,} games; "
        f"without luck at most {played.worst:.0e} off, all rolls at most {played.bias:.0e}; "
        f"standard error {sharper(played.plain.error, played.off.error)}; "
        f"luck {luck:+.2f}, faces {faces:+.2f} standard errors",
        flush=True,
    )
    checks = {
        f"a game without its luck ends {played.worst:.1e} from its value": played.worst > CLOSE,
        f"the luck of all rolls averages to {played.bias:.1e}": played.bias > CLOSE,
        f"the dice are lucky by {luck:+.2f} standard errors": abs(luck) > FAR,
        f"the faces are uneven by {faces:+.2f} standard errors": faces > FAR,
    }
    return [f"{name}: {fault}" for fault, found in checks.items() if found]


def check_match(pool: ProcessPoolExecutor, full: Match, scale: float) -> list[str]:
    """Play a match and print its results; returns failed checks."""
    match = full._replace(games=max(int(full.games * scale) // PARTS, 3) * PARTS)
    kind = match.game, 3, "perfect", "sharp"
    rows = json.loads(RESULT.read_text("utf-8"))
    book = next(r for r in rows if (r["game"], r["players"], r["one"], r["others"]) == kind)
    plain, fair = Mean(), Mean()
    for part in [pool.submit(run_match, match, part) for part in range(PARTS)]:
        for whole, found in zip((plain, fair), part.result(), strict=True):
            whole.join(found)
    away = (fair.mean - book["share"]) / sqrt(fair.error**2 + book["error"] ** 2)
    name = f"{match.game}, perfect against two sharp"
    print(
        f"{name}: played {plain.mean:.4f} in {match.games:,} games, without luck {fair.mean:.4f}, "
        f"in the book {book['share']:.4f}; standard error {sharper(plain.error, fair.error)}; "
        f"{away:+.2f} standard errors",
        flush=True,
    )
    return [f"{name}: {away:+.2f} standard errors from the book"] if abs(away) > FAR else []


def sharper(old: float, new: float) -> str:
    """A standard error with and without luck, and the ratio of the two."""
    return f"{old:.1e} with luck, {new:.1e} without, {old / max(new, 1e-16):.1e} times sharper"


if __name__ == "__main__":
    main()
