"""Who may do what at a table, and when: every such decision is made by the table of rules here.

Commands ask ``check_moment`` whether the table allows an act now. The server asks ``check_holder``
first, whether the secrets and the player key of the person who sent it allow the act at all.
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
    """What somebody may want to do."""

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


class Holder(NamedTuple):
    """What a person's secrets and player key open.

    Attributes:
        seat: whether they open the seat that the person acts for.
        host: whether they open the host's rights.
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
    """Check that a person may do something at all; raises ``Forbidden``."""
    needs = RULES[act].needs
    if needs is Needs.NONE or (holder.seat and needs is not Needs.SERVER):
        return
    if not (holder.host and needs is Needs.SEAT_OR_HOST):
        raise Forbidden("This seat is not yours.")


def check_moment(act: Act, table: Table, seat: int, now: float = 0.0) -> None:
    """Check that something may be done for a seat now; raises ``Refused``."""
    RULES[act].moment(table, seat, now)


def bot_act(holder: Holder, seat: int, other: int) -> Act:
    """What it is to let a bot play ``other``, for who acts for ``seat``.

    A player's own seat, and any seat by the host: at once. The seat of somebody else: only once
    that player has kept the table waiting.
    """
    return Act.SIT_IN if holder.host or seat == other else Act.RELIEVE


def open_seat(table: Table, wanted: int | None) -> int:
    """The seat that somebody with the link may ask for: the one they want, or the first open one.

    Raises ``Refused`` if no seat is open. Whether the wanted one is open, ``JOIN`` decides.
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
    """Whoever has the key may do it at any time."""


def _dice_are_theirs(table: Table, seat: int, _now: float) -> None:
    """The seat has to roll, or a bot has and a person rolls its real dice."""
    due = table.due
    if isinstance(due, ToRoll):
        for_bot = table.is_bot(due.seat) and seat in table.people
        if due.seat == seat or for_bot:
            return
    raise Refused("You have no dice to roll now.")


def _choice_is_theirs(table: Table, seat: int, _now: float) -> None:
    """The seat has to choose, and no bot plays it."""
    due = table.sitting.due
    if not isinstance(due, ToChoose) or due.seat != seat:
        raise Refused("It is not your choice now.")
    if table.sitting.seats[seat].bot:
        raise Refused("A bot plays for you; take your seat back first.")


def _move_is_theirs(table: Table, seat: int, _now: float) -> None:
    """The seat made the last move, also if a bot sits there now; anybody typed a bot's dice."""
    if table.sitting.undoer() not in (None, seat, ANYBODY):
        raise Refused("Only who did the last thing can take it back.")


def _game_is_over(table: Table, _seat: int, _now: float) -> None:
    if not isinstance(table.due, Over):
        raise Refused("The game is not over yet.")


def _seat_is_open(table: Table, seat: int, _now: float) -> None:
    if seat not in table.waiting:
        raise Refused("This seat is taken; choose another, or watch.")


def _seat_is_a_persons(table: Table, seat: int, _now: float) -> None:
    if seat not in table.people:
        raise Refused("Nobody has that seat who could come back to it.")


def _seat_keeps_others_waiting(table: Table, seat: int, now: float) -> None:
    """Everybody has waited for the seat for as long as patience demands."""
    due = table.due
    if isinstance(due, Over) or due.seat != seat or table.waiting:
        raise Refused("Nobody waits for that seat now.")
    left = PATIENCE if table.moved is None else table.moved + PATIENCE - now
    if left > 0:
        raise Refused(f"Wait {left:.0f} seconds more; then a bot may sit in.")


def _clock_has_run_out(table: Table, _seat: int, now: float) -> None:
    deadline = table.deadline()
    if deadline is None or deadline > now:
        raise Refused("The clock has not run out.")


RULES: Mapping[Act, Rule] = {
    Act.ROLL: Rule(Needs.SEAT, _dice_are_theirs),
    Act.CHOOSE: Rule(Needs.SEAT, _choice_is_theirs),
    Act.UNDO: Rule(Needs.SEAT, _move_is_theirs),
    Act.REMATCH: Rule(Needs.SEAT, _game_is_over),
    Act.SAY: Rule(Needs.SEAT, _always),
    Act.ADVISE: Rule(Needs.SEAT, _coach_is_here),
    Act.RETURN: Rule(Needs.SEAT, _seat_is_a_persons),
    Act.SIT_IN: Rule(Needs.SEAT_OR_HOST, _always),
    Act.RELIEVE: Rule(Needs.SEAT, _seat_keeps_others_waiting),
    Act.JOIN: Rule(Needs.NONE, _seat_is_open),
    Act.TIME_OUT: Rule(Needs.SERVER, _clock_has_run_out),
}
"""The rules, one for each act. Watching needs no key beside the id of the table."""
