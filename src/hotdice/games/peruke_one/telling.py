"""Sentences and views of Peruke One."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hotdice.core.dice import Faces
from hotdice.core.due import Over
from hotdice.core.events import Event, Roll
from hotdice.core.view import DiscView, Gauge, Meter, Milestone, Place, Track, View
from hotdice.core.words import counted, dice_words, signed
from hotdice.games.peruke_one.state import (
    NOT_NOW,
    PASS,
    PERUKE_ONE,
    RED,
    ROUNDS,
    SAFE,
    STATUS,
    TAKEN,
    PerukeOneState,
    score_of,
    value_of,
)

if TYPE_CHECKING:
    from hotdice.games.peruke_one.game import PerukeOne


def sum_words(dice: Faces) -> str:
    """``4``, ``red 2``, or ``red 2 + 4 = 6``."""
    words = [f"red {code - RED}" if code > RED else str(code) for code in reversed(dice)]
    return words[0] if len(words) == 1 else f"{' + '.join(words)} = {value_of(dice)}"


def tell(
    game: PerukeOne, before: PerukeOneState, event: Event, after: PerukeOneState, name: str
) -> str:
    """One sentence saying what happened."""
    over = len(after.past) > len(before.past)
    ended = f" The game ends with {signed(after.past[-1])}." if over else ""
    if over and after.past[-1] == PERUKE_ONE:
        ended = " That is a Peruke One: 20!"
    if isinstance(event, Roll):
        nothing = "; nothing can be used" if over else ""
        return f"{name} rolls {dice_words(game, event.faces)}{nothing}.{ended}"
    if event == PASS:
        return f"{name} uses nothing{' more' if before.used else ''}.{ended}"
    meaning = game.meaning(before, event)
    did = "takes" if meaning.effect.startswith("Take") else "turns"
    return f"{name} uses the {sum_words(event.dice)} and {did} disc {meaning.points}.{ended}"


def show(game: PerukeOne, state: PerukeOneState) -> View:
    """Dice, discs, the round and the series."""
    past, due = state.past, game.due(state)
    most = Milestone(PERUKE_ONE, "Peruke One, the most in a game")
    track = Track(0, game.score(state, 0), None, (most,), game.at_stake(state, 0))
    uses = [choice.dice for choice in game.choices(state) if choice != PASS]
    discs = tuple(
        DiscView(
            *(value, STATUS[status], status),
            points=(status - 1) * value,
            then=status * value,
            dice=tuple(dice for dice in uses if value_of(dice) == value),
        )
        for value, status in enumerate(state.discs, start=1)
    )
    return View(
        seat=None if isinstance(due, Over) else 0,
        prompt=due.result.why if isinstance(due, Over) else _prompt(game, state),
        tracks=(track,),
        dice=game.dice_view(state.tray, Place.TRAY),
        gauge=_gauge(state),
        discs=discs,
        meters=_meters(game, state, min(len(past) + 1, game.options.games)),
        rail=False,
    )


def show_end(game: PerukeOne, final: PerukeOneState) -> View:
    """The discs and the score with which a game of the series ended."""
    number = len(final.past)
    shown = show(game, final)
    shown.seat, shown.prompt = 0, f"Game {number} ends with {signed(final.past[-1])}."
    shown.meters = _meters(game, final, number)
    return shown


def _meters(game: PerukeOne, state: PerukeOneState, number: int) -> tuple[Meter, ...]:
    marks = tuple(map(signed, state.past))
    return (
        Meter("Round", min(state.round, ROUNDS), ROUNDS),
        Meter("Game", number, game.options.games, marks=marks),
    )


def _prompt(game: PerukeOne, state: PerukeOneState) -> str:
    """What to do now, and how many uses are left in this round."""
    if state.phase != "use":
        return NOT_NOW[state.phase][0]
    left = min(game.options.uses - state.used, len(state.tray))
    if state.used:
        return f"{counted(left, 'more use is', 'more uses are').capitalize()} left in this round."
    if left == 1:
        return "Use one value on its disc, or nothing."
    return f"Use one value at a time on its disc, up to {counted(left, '', '').strip()}."


def _gauge(state: PerukeOneState) -> Gauge:
    """What the discs are worth now, as a sum."""
    taken = [str(v) for v, status in enumerate(state.discs, start=1) if status == TAKEN]
    safe = [str(v) for v, status in enumerate(state.discs, start=1) if status == SAFE]
    parts = [f"taken {' + '.join(taken)}"] if taken else []
    parts += [f"minus safe discs {' + '.join(safe)}"] if safe else []
    return Gauge(score_of(state.discs), "this game", ", ".join(parts))
