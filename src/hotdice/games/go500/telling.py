"""Sentences and views of Go 500."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hotdice.core.dice import Faces
from hotdice.core.due import Over
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.meaning import Meaning
from hotdice.core.view import DieView, Gauge, Meter, Mood, Place, Stage, Track, View
from hotdice.core.words import counted, dice_words, listed, signed
from hotdice.games.go500.dice_set import blank

if TYPE_CHECKING:
    from hotdice.games.go500.game import Go500
    from hotdice.games.go500.state import Go500State

NOT_NOW = {
    "take": ("Choose your dice for this segment.", "G4"),
    "roll": ("Roll the dice.", "G5"),
    "call": ("Decide on this roll.", "G5"),
    "yellow": ("Roll the yellow die.", "G10"),
    "red": ("Roll the red die.", "G10"),
    "judge": ("Take the penalty, or spend a reroll.", "G5"),
    "over": ("The race is over.", "G3"),
}

_PENALTIES = {"lights": "traffic lights", "crash": "a crash", "x": "an X"}


def meaning(game: Go500, state: Go500State, choice: Choice) -> Meaning:
    """What a choice scores and what follows."""
    if choice.verb == "take":
        return _taking(choice.dice)
    if choice.verb == "reroll":
        left = state.rerolls[state.seat] - 1
        effect = f"Spend a reroll, which leaves {counted(left, '', '').strip() if left else 'none'}"
        points = _mean_penalty(game, state) if state.phase == "judge" else 0
        if points:
            effect += f"; {signed(points)} on average"
        dice = len(state.tray)
        others = dice - (state.phase == "call")  # the flag is not counted, as for a lock
        words = f"Roll {'it' if dice == 1 else 'these dice'} again"
        return Meaning(points, others, words, effect, ends_turn=False)
    if state.phase == "judge":
        return _accepting_penalty(game, state)
    total = game.total(state)
    if choice.verb == "lock":
        value = sum(game.sides[code].value for code in (*state.locked, *choice.dice))
        left = len(game.roll_result(state.tray).lockable) - len(choice.dice)
        words = f"Lock {dice_words(game, choice.dice)}"
        effect = f"Roll {counted(left, 'die', 'dice')} and the flag with {value} locked"
        if not left:
            effect = f"Score {value}"
        return Meaning(value, left, words, effect, ends_turn=not left)
    points, words, effect = {
        "bonus": (game.options.all_circled, "Accept", _all_circled(game)),
        "black": (0, "Accept the black flag", "Score 0"),
        "yellow": (total, "Accept the yellow flag", f"{total}, minus the yellow die"),
        "red": (total, "Accept the red flag", f"{total}, minus the red die"),
        "speeding": (total, "Accept", _speeding(game, state, total)),
        "complete": (total, "Accept", f"Score {total}"),
        "open": (total, "Stop", f"Score {total}"),
    }[game.outcome(state)]
    after = game.chosen(state, choice)
    ends = game.turn_over(state, choice, after)
    return Meaning(points, 0, words, effect, ends_turn=ends)


def _mean_penalty(game: Go500, state: Go500State) -> int:
    """What the penalty die just rolled costs on average, rounded against the player."""
    sides = game.options.dice.numbered(game.kind(state.tray[0]))
    return sum(side.value * times for _, (side, times) in sides) // sum(n for _, (_, n) in sides)


def hand_words(blacks: int, greens: int) -> str:
    """``two black dice and the green die``, ``the green die``, ``no dice``."""
    words = [counted(blacks, "black die", "black dice")] if blacks else []
    words += ["the green die"] if greens else []
    return listed(words) or "no dice"


def _taking(dice: Faces) -> Meaning:
    greens = dice.count(blank("green"))
    words = f"Take {hand_words(len(dice) - greens, greens)}"
    effect = (
        f"Roll {'it' if len(dice) == 1 else 'them'} and the flag" if dice else "Roll the flag alone"
    )
    return Meaning(0, len(dice), words, effect, ends_turn=False)


def _accepting_penalty(game: Go500, state: Go500State) -> Meaning:
    side = game.sides[state.tray[0]]
    if side.word in ("crash", "x") and not state.second:
        return Meaning(0, 1, "Accept", "The red die is rolled once more", ends_turn=False)
    last = state.rolls == 1
    total = signed(state.total)
    effect = f"{total} stands"
    if not side.word:
        effect = f"{total} \u2212 {-side.value} = {signed(state.total + side.value)}"
    if side.word == "x":
        effect = f"{total} stands, and your race is over"
    more = "" if last else f"; {counted(state.rolls - 1, 'roll is', 'rolls are')} due"
    words = "Accept the penalty" if side.value or side.word == "x" else "Go on without a penalty"
    return Meaning(side.value, 0, words, effect + more, ends_turn=last)


def _all_circled(game: Go500) -> str:
    return f"All circled: {game.options.all_circled:,}, and the segment once more"


def _minus(rolls: int, kind: str) -> str:
    """What penalty rolls take off, for instance ``minus two rolls of the red die``."""
    return f"minus the {kind} die" if rolls == 1 else f"minus {rolls} rolls of the {kind} die"


def _speeding(game: Go500, state: Go500State, total: int) -> str:
    excess = total - (game.limits[state.segment] or 0)
    rolls = game.options.penalties.rolls(excess)
    if not rolls:
        return f"{excess} over the limit: {total} stands"
    return f"{excess} over the limit: {total}, {_minus(rolls, 'red')}"


def why_unused(game: Go500, state: Go500State, code: int) -> str:
    """Why a die cannot be locked now (G7 to G10)."""
    if state.phase == "judge":
        return "Penalties are not locked: accept this one, or spend a reroll."
    outcome = game.outcome(state)
    if outcome == "bonus":
        return "All dice are circled, so there is nothing to lock."
    if outcome == "speeding":
        return "Above the limit no dice can be locked."
    if outcome not in ("open", "complete"):
        return f"Under a {outcome} flag no dice can be locked."
    side = game.sides[code]
    if game.kind(code) == "flag":
        return "The flag can't be locked."
    if side.word == "flat":
        return "A flat tyre can't be locked."
    return "The last die can't be locked: the segment is complete."


def tell(
    game: Go500, before: Go500State, event: Event, after: Go500State, names: Sequence[str]
) -> str:
    """One sentence saying what happened."""
    name = names[before.seat]
    done = _consequence(game, before, after)
    if isinstance(event, Roll):
        again = " once more" if before.second else ""
        return f"{name} rolls {_rolled_words(game, event.faces)}{again}.{done}"
    if event.verb == "take":
        words = meaning(game, before, event).words
        return f"{name} takes{words.removeprefix('Take')}."
    if event.verb == "lock":
        return f"{name} locks {dice_words(game, event.dice)}.{done}"
    if event.verb == "reroll":
        left = after.rerolls[before.seat]
        return f"{name} spends a reroll; {counted(left, 'reroll is', 'rerolls are')} left."
    if after.phase in ("yellow", "red") and not before.rolls:
        times = "" if after.rolls == 1 else f" {counted(after.rolls, 'time', 'times')}"
        return f"{name} accepts and must roll the {after.phase} die{times}."
    return f"{name} {'stops' if event.verb == 'stop' else 'accepts'}.{done}"


def _rolled_words(game: Go500, faces: Faces) -> str:
    """The dice of a roll, or what a penalty die shows."""
    return _PENALTIES.get(game.sides[faces[0]].word) or dice_words(game, faces)


def _consequence(game: Go500, before: Go500State, after: Go500State) -> str:
    """The consequence: a segment recorded, a bonus, or penalties due."""
    seat = before.seat
    if len(after.card[seat]) > len(before.card[seat]):
        segment = game.options.course.segments[before.segment].name
        out = " The race is over for them." if after.out[seat] else ""
        return f" {segment}: {signed(after.card[seat][-1])}.{out}"
    if after.bonus > before.bonus:
        return f" {_all_circled(game)}."
    if after.phase == "yellow" and not before.rolls:
        return " The yellow die is due."
    if after.phase == "red" and not before.rolls:
        rolls = counted(after.rolls, "roll of the red die is", "rolls of the red die are")
        return f" {rolls.capitalize()} due."
    return ""


def show(game: Go500, state: Go500State) -> View:
    """The course, the dice, the totals and the rerolls."""
    due = game.due(state)
    players = range(len(state.card))
    tracks = tuple(
        Track(
            seat,
            game.score(state, seat),
            pending=game.at_stake(state, seat),
            standing="out of the race" if state.out[seat] else "",
        )
        for seat in players
    )
    rerolls = tuple(
        Meter("Rerolls", state.rerolls[seat], game.options.rerolls, seat) for seat in players
    )
    rolls = (Meter("Red rolls due", state.rolls),) if state.rolls > 1 else ()
    return View(
        seat=None if isinstance(due, Over) else due.seat,
        prompt=due.result.why if isinstance(due, Over) else _prompt(game, state),
        tracks=tracks,
        dice=_dice(game, state),
        gauge=_gauge(game, state),
        meters=rerolls + rolls,
        course=_course(game, state),
        notices=_notices(state),
        mood=Mood.RAIN if game.options.weather == "poor" else Mood.CALM,
    )


def _prompt(game: Go500, state: Go500State) -> str:
    """What to do now; a penalty die may cost nothing."""
    if state.phase == "judge":
        side = game.sides[state.tray[0]]
        if not side.value and (state.second or side.word == "lights") and side.word != "x":
            return "No penalty: go on, or spend a reroll."
    return NOT_NOW[state.phase][0]


def _dice(game: Go500, state: Go500State) -> tuple[DieView, ...]:
    if state.phase == "take":
        most = (blank("black"),) * 5 + (blank("green"),)
        return game.dice_view(most, Place.TRAY)
    waiting = (blank("black"),) * state.blacks + (blank("green"),) * state.greens
    tray = waiting if state.phase == "roll" else state.tray
    return game.dice_view(tray, Place.TRAY) + game.dice_view(state.locked, Place.LOCKED)


def _gauge(game: Go500, state: Go500State) -> Gauge:
    """The total of the segment against its limit; from the first penalty on it is dangerous.

    The limit counts under a green flag only (G8, G9); other flags show their cards.
    """
    value, label = game.at_stake(state, state.seat), "this segment"
    if state.phase in ("yellow", "red", "judge"):
        return _penalty(game, state)
    flag = game.outcome(state) if state.phase == "call" else ""
    if flag in ("yellow", "red", "black"):
        words = "the segment is lost" if flag == "black" else f"minus the {flag} die"
        return Gauge(value, f"{flag} flag", words, card=flag)
    limit = game.limits[state.segment] if state.phase != "over" else None
    if limit is None:
        return Gauge(value, label, "no limit")
    bands = game.options.penalties.bands
    danger = limit + bands[0][0] if bands else None
    return Gauge(value, label, f"limit {limit}", limit, danger)


def _penalty(game: Go500, state: Go500State) -> Gauge:
    """The total, and what a yellow or red die takes off it."""
    if state.phase != "judge":
        return Gauge(state.total, "penalty", _minus(state.rolls, state.phase), card=state.phase)
    side = game.sides[state.tray[0]]
    label = side.word or f"penalty {signed(side.value)}"
    words = _accepting_penalty(game, state).effect
    return Gauge(state.total, label, words, card=game.kind(state.tray[0]))


def _course(game: Go500, state: Go500State) -> tuple[Stage, ...]:
    now = state.segment if state.phase != "over" else len(game.limits)
    return tuple(
        Stage(
            segment.name,
            limit,
            "now" if at == now else "done" if at < now else "ahead",
            tuple(raced[at] if at < len(raced) else None for raced in state.card),
        )
        for at, (segment, limit) in enumerate(
            zip(game.options.course.segments, game.limits, strict=True)
        )
    )


def _notices(state: Go500State) -> tuple[str, ...]:
    if state.phase == "over":
        return ()
    return (f"{state.bonus:,} bonus points so far; this is an extra turn.",) if state.bonus else ()
