"""Looking one roll ahead: an estimate for rules whose turns are too large to be solved.

Dice are thrown a fixed number of times, the same whenever it is asked for, and the turn then ends
the best way it can. That takes the same short time whatever the rules are.
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
"""How many events are played through for all choices together."""
_LONGEST = 60
"""A turn that does not end after so many events counts for what it has made."""


def throw(due: ToRoll, rng: Random) -> Roll:
    """The dice that are due, thrown; no list of all they can show is made for it."""
    return Roll(tuple(sorted(rng.choice(die.sides) for die in due.dice)))


class AheadSheet(Sheet[S]):
    """Points of a turn as one look ahead finds them.

    Args:
        game: the rules.
        state: a state of the turn; the more choices it leaves, the fewer throws for each.
        points: the points a seat has.
        why: why the turn is not solved, one sentence.
    """

    def __init__(
        self, game: Game[S, O], state: S, points: Callable[[S, int], int], why: str
    ) -> None:
        super().__init__(0)
        self.exact = False
        self.basis = f"Estimated points of this turn, looking one roll ahead. {why}"
        self._game, self._points = type(game)(game.options), points  # it reads rolls and is gone
        choices = max(1, len(game.choices(state)))
        self._throws = min(_MOST, max(_FEWEST, _ALL_THROWS // choices))
        self._most_work = _ALL_WORK // choices
        self._work = 0

    def going(self, state: S) -> float:
        """The mean over some throws."""
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
        """The points of a turn that goes on with dice and then ends as soon as it can."""
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
        """The most points the turn can end with here; where it cannot, none, and how it goes on.

        Choices of a kind end the turn, all of them, or go on with it: the first tells.
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
