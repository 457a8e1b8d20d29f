"""One-roll lookahead: a Monte Carlo estimate for rules whose turns are too large to solve.

Each sample rolls the dice and then ends the turn as well as possible. Sampling is seeded by the
state, so results are reproducible, and the total work is bounded whatever the rules are.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from hotdice.core.due import Over, ToChoose, ToRoll, seat_of
from hotdice.core.events import Roll
from hotdice.core.game import Game, O, S
from hotdice.solve.sheet import Sheet

_ALL_THROWS = 1200
_FEWEST, _MOST = 12, 200
_ALL_WORK = 15_000
"""The limit on events played for all choices together."""
_LONGEST = 60
"""A turn is cut off after this many events and counts the points made so far."""


def throw(due: ToRoll, rng: Random) -> Roll:
    """Roll the dice that are due, without listing every possible roll."""
    return Roll(tuple(sorted(rng.choice(die.sides) for die in due.dice)))


class LookaheadSheet(Sheet[S]):
    """The points of a turn, estimated by one-roll lookahead.

    Args:
        game: the rules.
        state: a state of the turn; the more choices it has, the fewer samples each gets.
        points: the points a seat has.
        why: why the turn is not solved, in one sentence.
    """

    def __init__(
        self, game: Game[S, O], state: S, points: Callable[[S, int], int], why: str
    ) -> None:
        super().__init__(0)
        self.exact = False
        self.basis = f"Estimated points of this turn, looking one roll ahead. {why}"
        # A separate game object, so that random rolls do not fill the shared one's caches.
        self._game, self._points = type(game)(game.options), points
        choices = max(1, len(game.choices(state)))
        self._throws = min(_MOST, max(_FEWEST, _ALL_THROWS // choices))
        self._most_work = _ALL_WORK // choices
        self._work = 0

    def going(self, state: S) -> float:
        """The mean over the samples."""
        game, seat = self._game, seat_of(self._game.due(state))
        rng = Random(f"{game.slug} {game.state_text(state)}")  # noqa: S311 - an estimate
        made: list[float] = []
        self._work = 0
        while len(made) < self._throws and self._work < self._most_work:
            made.append(self._play(state, seat, rng))
        return sum(made) / len(made)

    def ending(self, before: S, after: S) -> float:
        """The points of the turn."""
        seat = seat_of(self._game.due(before))
        return float(self._points(after, seat) - self._points(before, seat))

    def _play(self, state: S, seat: int, rng: Random) -> float:
        """Roll, then end the turn as soon as possible; returns the points made."""
        game, had = self._game, self._points(state, seat)
        for _ in range(_LONGEST):
            due = game.due(state)
            if isinstance(due, Over):
                break
            if isinstance(due, ToChoose):
                made, state = self._end(state, seat)
                if made is not None:
                    return made - had
                continue
            roll = throw(due, rng)
            before, state = state, game.apply(state, roll)
            self._work += 1
            if game.turn_over(before, roll, state):
                break
        return self._points(state, seat) - had

    def _end(self, state: S, seat: int) -> tuple[int | None, S]:
        """The most points the turn can end with here, or ``None`` and a state that continues it.

        Choices with the same verb and ``then`` either all end the turn or all continue it, so one
        of each kind is enough to tell.
        """
        game = self._game
        ends: dict[tuple[str, str], bool] = {}
        found: list[int] = []
        following = state
        for choice in game.choices(state):
            kind = choice.verb, choice.then
            if not ends.get(kind, True):
                continue
            after = game.apply(state, choice)
            self._work += 1
            ends[kind] = game.turn_over(state, choice, after)
            if ends[kind]:
                found.append(self._points(after, seat))
            elif following is state:
                following = after
        return (max(found), state) if found else (None, following)
