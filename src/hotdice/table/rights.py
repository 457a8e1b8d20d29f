"""Who may do what at a table, and when: ``RULES`` decides all of it.

First the server calls ``check_holder``: do the sender's secrets and player key allow the act at
all? Then the command calls ``check_moment``: does the table allow the act now?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, StrEnum, auto
from typing import NamedTuple

from hotdice.core.due import Over, ToChoose, ToRoll
from hotdice.table.log import PATIENCE, Refused, Table
from hotdice.table.sitting import ANYBODY


class Forbidden(Refused):
    """The person may not act for this seat."""


class Act(StrEnum):
    """What a person or the server can do."""

    ROLL = auto()
    CHOOSE = auto()
    UNDO = auto()
    REMATCH = auto()
    SAY = auto()
    ADVISE = auto()
    RETURN = auto()
    SIT_IN = auto()
    RELIEVE = auto()
    JOIN = auto()
    TIME_OUT = auto()
    CHAIN = auto()
    LINK = auto()
    BEGIN = auto()
    DRAW = auto()


class Holder(NamedTuple):
    """What a person's secrets and player key give access to.

    Attributes:
        seat: the seat that the person acts for.
        host: the rights of the host.
    """

    seat: bool
    host: bool = False


class Needs(Enum):
    """What a person needs for an act."""

    NONE = auto()
    SEAT = auto()
    SEAT_OR_HOST = auto()
    SERVER = auto()


Moment = Callable[[Table, int, float], None]
"""Raises ``Refused`` unless a table allows an act for a seat at a time."""


class Rule(NamedTuple):
    """Who may do something, and when."""

    needs: Needs
    moment: Moment


def check_holder(act: Act, holder: Holder) -> None:
    """Check that a person has the right to an act; raises ``Forbidden``."""
    if may_act(act, holds=holder.seat):
        return
    if not (holder.host and RULES[act].needs is Needs.SEAT_OR_HOST):
        raise Forbidden("This seat is not yours.")


def may_act(act: Act, *, holds: bool) -> bool:
    """Whether somebody has the right to an act if they hold the seat or not, host or not."""
    needs = RULES[act].needs
    return needs is Needs.NONE or (holds and needs is not Needs.SERVER)


def check_moment(act: Act, table: Table, seat: int, now: float = 0.0) -> None:
    """Check that an act is possible for a seat now; raises ``Refused``."""
    RULES[act].moment(table, seat, now)


def bot_act(holder: Holder, seat: int, other: int) -> Act:
    """The act of letting a bot play ``other``, for the player of ``seat``.

    Players may do so for their own seat and the host for any seat at once; others have to wait
    until the player of ``other`` has kept them waiting.
    """
    return Act.SIT_IN if holder.host or seat == other else Act.RELIEVE


def open_seat(table: Table, wanted: int | None) -> int:
    """The seat for somebody with the link: the one they want, or the first open one.

    Raises ``Refused`` if no seat is open; ``JOIN`` checks whether a wanted seat is.
    """
    if wanted is not None:
        return wanted
    if not table.waiting:
        raise Refused("Every seat is taken; you can watch.")
    return min(table.waiting)


# Moments --------------------------------------------------------------------------------------


def _coach_is_here(table: Table, _seat: int, _now: float) -> None:
    if not table.setup.coach:
        raise Refused("There is no coach at this table.")


def _always(_table: Table, _seat: int, _now: float) -> None:
    """Allowed at any time."""


def _dice_are_theirs(table: Table, seat: int, _now: float) -> None:
    """The seat has to roll, or a bot has to and a person rolls its real dice."""
    due = table.due
    if table.is_asked:
        raise Refused("The dice are rolling already.")
    if isinstance(due, ToRoll):
        for_bot = table.is_bot(due.seat) and seat in table.people
        if due.seat == seat or for_bot:
            return
    raise Refused("You have no dice to roll now.")


def _choice_is_theirs(table: Table, seat: int, _now: float) -> None:
    """The seat has to choose, and no bot plays it."""
    due = table.sitting.due
    if not isinstance(due, ToChoose) or due.seat != seat:
        raise Refused("You have nothing to choose now.")
    if table.sitting.seats[seat].bot:
        raise Refused("A bot plays for you; take your seat back first.")


def _move_is_theirs(table: Table, seat: int, _now: float) -> None:
    """The seat made the last move, or it is a bot's typed dice, which anybody may undo."""
    if table.undoer() not in (None, seat, ANYBODY):
        raise Refused("Only the player who made the last move can undo it.")


def _game_is_over(table: Table, _seat: int, _now: float) -> None:
    if not isinstance(table.due, Over):
        raise Refused("The game is not over yet.")


def _rematch_is_allowed(table: Table, seat: int, now: float) -> None:
    """The game is over and not that of a challenge, which would have the same dice again."""
    _game_is_over(table, seat, now)
    if table.setup.challenge:
        raise Refused("A challenge is played only once.")


def _bots_may_sit_in(table: Table, _seat: int, _now: float) -> None:
    if table.setup.challenge:
        raise Refused("In a challenge nobody can play for somebody else.")


def _seat_is_open(table: Table, seat: int, _now: float) -> None:
    if seat not in table.waiting:
        raise Refused("This seat is taken; choose another, or watch.")


def _seat_is_a_persons(table: Table, seat: int, _now: float) -> None:
    if seat not in table.people:
        raise Refused("That seat does not belong to a person.")


def _seat_keeps_others_waiting(table: Table, seat: int, now: float) -> None:
    """The seat has kept everybody waiting for ``PATIENCE`` seconds."""
    due = table.due
    if isinstance(due, Over) or due.seat != seat or table.waiting or table.is_asked:
        raise Refused("Nobody is waiting for that seat.")
    left = PATIENCE if table.moved is None else table.moved + PATIENCE - now
    if left > 0:
        raise Refused(f"Wait {left:.0f} more seconds; then a bot may sit in.")


def _clock_has_run_out(table: Table, _seat: int, now: float) -> None:
    deadline = table.deadline()
    if deadline is None or deadline > now:
        raise Refused("The clock has not run out.")


def _dice_are_verified(table: Table, _seat: int, _now: float) -> None:
    if table.drawing is None:
        raise Refused("The dice of this table are not verified.")


def _dice_wait_for_devices(table: Table, _seat: int, _now: float) -> None:
    if not table.lacks_devices():
        raise Refused("The dice wait for no device.")


def _dice_are_asked_for(table: Table, _seat: int, _now: float) -> None:
    if not table.is_asked:
        raise Refused("No dice have been asked for.")


RULES: Mapping[Act, Rule] = {
    Act.ROLL: Rule(Needs.SEAT, _dice_are_theirs),
    Act.CHOOSE: Rule(Needs.SEAT, _choice_is_theirs),
    Act.UNDO: Rule(Needs.SEAT, _move_is_theirs),
    Act.REMATCH: Rule(Needs.SEAT, _rematch_is_allowed),
    Act.SAY: Rule(Needs.SEAT, _always),
    Act.ADVISE: Rule(Needs.SEAT, _coach_is_here),
    Act.RETURN: Rule(Needs.SEAT, _seat_is_a_persons),
    Act.SIT_IN: Rule(Needs.SEAT_OR_HOST, _bots_may_sit_in),
    Act.RELIEVE: Rule(Needs.SEAT, _seat_keeps_others_waiting),
    Act.JOIN: Rule(Needs.NONE, _seat_is_open),
    Act.TIME_OUT: Rule(Needs.SERVER, _clock_has_run_out),
    Act.CHAIN: Rule(Needs.SEAT, _dice_are_verified),
    Act.LINK: Rule(Needs.SEAT, _dice_are_verified),
    Act.BEGIN: Rule(Needs.SERVER, _dice_wait_for_devices),
    Act.DRAW: Rule(Needs.SERVER, _dice_are_asked_for),
}
"""The rules, one for each act. Watching only needs the id of the table."""
