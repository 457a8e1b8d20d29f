"""Sentences and views of Farkle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hotdice.core.due import Over
from hotdice.core.events import Event, Roll
from hotdice.core.opening import RollOff
from hotdice.core.view import Gauge, Mood, Place, Track, View
from hotdice.core.words import counted, dice_words
from hotdice.games.farkle.scoring import DICE

if TYPE_CHECKING:
    from hotdice.games.farkle.game import Farkle, FarkleState

NOT_NOW = {
    "start": ("The players roll for the start.", "F1"),
    "lot": ("The lot for the start is drawn.", "F1"),
    "offer": ("Take the dice that are left, or start fresh.", "F10"),
    "roll": ("Roll the dice.", "F2"),
    "choose": ("Keep dice that score, then roll or bank.", "F4"),
    "over": ("The game is over.", "F11"),
}


def tell(
    game: Farkle, before: FarkleState, event: Event, after: FarkleState, names: Sequence[str]
) -> str:
    """One sentence saying what happened."""
    name = names[before.seat]
    if isinstance(event, Roll) and before.phase == "start":
        return RollOff(before.contenders, before.totals).tell(event.faces[0], names)
    if before.phase == "lot":
        return f"The lot falls on {names[after.seat]}, who starts."
    if isinstance(event, Roll):
        rolled = f"{name} rolls {dice_words(game, event.faces)}"
        if after.phase == "choose":
            return f"{rolled}."
        lost = f"{before.total:,} lost" if before.total else "nothing lost"
        return f"{rolled}: farkle, {lost}."
    if event.verb == "continue":
        stopper = names[before.seat - 1]
        dice = counted(DICE - len(before.kept), "die", "dice")
        return f"{name} takes {stopper}'s {before.total:,} and rolls {dice}."
    if event.verb == "fresh":
        return f"{name} starts fresh."
    score = after.scores[before.seat]
    total = after.total if event.then == "roll" else score - before.scores[before.seat]
    kept = f"{name} keeps {dice_words(game, event.dice)} for {total - before.total:,}"
    if event.then == "roll":
        hot = ": hot dice," if len(event.dice) == len(before.tray) else ""
        return f"{kept}{hot} and rolls on with {total:,}."
    return f"{kept} and banks {total:,}, now {score:,}."


def show(game: Farkle, state: FarkleState) -> View:
    """Tray, kept dice, score tracks and the running total."""
    target, marks, stake = game.options.target, game.milestones, game.at_stake
    due = game.due(state)
    tracks = [
        Track(seat, score, target, marks, stake(state, seat))
        for seat, score in enumerate(state.scores)
    ]
    return View(
        None if isinstance(due, Over) else due.seat,
        due.result.why if isinstance(due, Over) else NOT_NOW[state.phase][0],
        tuple(tracks),
        game.dice_view(state.tray, Place.TRAY) + game.dice_view(state.kept, Place.KEPT),
        _gauge(game, state),
        notices=_notices(game, state),
        mood=_mood(state),
    )


def _notices(game: Farkle, state: FarkleState) -> tuple[str, ...]:
    found = []
    if state.closer >= 0 and state.phase != "over":
        found.append("Last lap: one last turn each.")
    if state.phase == "offer":
        dice = counted(DICE - len(state.kept), "die", "dice")
        found.append(f"{dice.capitalize()} and {state.total:,} points are there to take.")
    entry = game.options.entry
    if state.phase in ("roll", "choose") and entry and not state.scores[state.seat]:
        found.append(f"{entry:,} in one turn gets you on the pad.")
    return tuple(found)


def _gauge(game: Farkle, state: FarkleState) -> Gauge:
    """The running total, and the chance that a roll now loses it."""
    left = len(state.tray) if state.phase == "choose" else DICE - len(state.kept)
    label = "on offer" if state.phase == "offer" else "at stake"
    return Gauge(state.total, label, heat=game.farkle_chances[left] if state.total else 0.0)


def _mood(state: FarkleState) -> Mood:
    if state.phase == "over":
        return Mood.CALM
    if state.phase in ("roll", "choose") and state.total and not state.kept:
        return Mood.HOT  # F7: until something of the six dice is kept
    return Mood.LAST if state.closer >= 0 else Mood.CALM
