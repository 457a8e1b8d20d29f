"""Which states of Go 500 can occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hotdice.core.errors import IllegalEvent

if TYPE_CHECKING:
    from hotdice.games.go500.game import Go500
    from hotdice.games.go500.state import Go500State


def problem(game: Go500, state: Go500State) -> str | None:
    """Why the state cannot occur; ``None`` if it can."""
    return _seats(game, state) or _card(game, state) or _dice(game, state) or _penalty(game, state)


def _seats(game: Go500, state: Go500State) -> str | None:
    players = len(state.card)
    if not game.min_players <= players <= game.max_players:
        return f"it is for {game.players_text()}"
    if not len(state.rerolls) == len(state.out) == players:
        return "card, rerolls and out name the same seats"
    if not 0 <= state.seat < players:
        return "there is no such seat"
    if not 0 <= state.segment < len(game.limits):
        return "there is no such segment"
    if any(not 0 <= left <= game.options.rerolls for left in state.rerolls):
        return "nobody has more rerolls than at the start"
    return None


def _card(game: Go500, state: Go500State) -> str | None:
    if state.phase == "over":
        whole = len(game.limits)
        if not all(
            len(raced) == whole or (out and 0 < len(raced) <= whole)
            for raced, out in zip(state.card, state.out, strict=True)
        ):
            return "the race ends when every segment is raced or nobody is left"
        return None
    if state.out[state.seat] and not state.rolls:
        return "a player who is out does not race"
    for seat, raced in enumerate(state.card):
        due = state.segment + (seat < state.seat)
        if len(raced) != due and not (state.out[seat] and 0 < len(raced) <= due):
            return "everybody races each segment once, in seat order"
        if seat == state.seat and len(raced) != state.segment:
            return "the player on the course has raced the segments before it"
    return None


def _dice(game: Go500, state: Go500State) -> str | None:
    rolling = state.phase in ("roll", "call")
    if not rolling and (state.blacks or state.greens or state.locked):
        return "dice are on the table only while a segment is rolled"
    if state.phase not in ("call", "judge"):
        if state.tray:
            return "the tray is empty until dice are rolled"
    elif not state.tray:
        return "the tray shows the dice just rolled"
    if not rolling:
        return None
    kinds = [game.kind(code) for code in state.locked]
    if kinds.count("black") + kinds.count("green") != len(kinds):
        return "black and green dice are locked"
    if not 0 <= state.blacks <= 5 - kinds.count("black"):
        return "there are five black dice"
    if not 0 <= state.greens <= 1 - kinds.count("green"):
        return "there is one green die"
    if any(game.sides[code].word for code in state.locked):
        return "a flat tyre is never locked"
    if kinds and not state.blacks + state.greens:
        return "a die is left to be rolled"
    return _call(game, state) if state.phase == "call" else None


def _call(game: Go500, state: Go500State) -> str | None:
    try:
        result = game.roll_result(state.tray)
    except IllegalEvent:
        return "the tray shows black and green dice and the flag die"
    if (result.blacks, result.greens) != (state.blacks, state.greens):
        return "the tray shows the dice that were rolled"
    if not state.rerolls[state.seat] and game.outcome(state) != "open":
        return "there is nothing to decide on this roll"
    return None


def _penalty(game: Go500, state: Go500State) -> str | None:
    if state.bonus < 0 or state.bonus % max(1, game.options.all_circled):
        return "a bonus is for all dice circled"
    if state.phase == "over" and state.bonus:
        return "a bonus is recorded with its segment"
    if state.phase not in ("yellow", "red", "judge"):
        if state.total or state.rolls or state.second:
            return "no penalty is due"
        return None
    most = max(1, *(rolls for _, rolls in game.options.penalties.bands))
    if not 1 <= state.rolls <= most:
        return "penalties are rolled as often as they are due"
    kind = state.phase if state.phase != "judge" else game.kind(state.tray[0])
    if kind not in ("yellow", "red") or len(state.tray) > 1:
        return "a penalty is one yellow or red die"
    if kind == "yellow" and (state.rolls > 1 or state.second or state.out[state.seat]):
        return "the yellow die is rolled once"
    if state.phase == "judge" and not state.rerolls[state.seat]:
        return "a penalty is decided on only with a reroll left"
    return None
