"""Messages about how evenly dice fall; see ``analysis.fairness``."""

from __future__ import annotations

from hotdice.analysis.fairness import Verdict
from hotdice.server.dice_messages import DieDue
from hotdice.server.messages import Message


class JudgedShown(Message):
    """How well counts fit fair dice.

    ``p`` is the chance that fair dice are at least as uneven, and ``odds`` the same in words;
    ``null`` and empty if there are too few dice to tell.
    """

    thrown: int
    chi_square: float
    freedom: int
    p: float | None
    odds: str
    verdict: Verdict
    words: str


class FaceCounted(Message):
    """How often a face was rolled and is expected, and the range of 19 in 20 such counts."""

    count: int
    expected: float
    low: float
    high: float


class CountedShown(Message):
    """The faces that somebody rolled with one kind of die, in the order of the die's faces."""

    who: str
    bot: bool
    faces: list[FaceCounted]
    judged: JudgedShown


class KindShown(Message):
    """One kind of die.

    ``parties`` are people and bots, if both rolled it, and ``rollers`` everybody who rolled it, if
    a party has several of them.
    """

    die: DieDue
    all: CountedShown
    parties: list[CountedShown]
    rollers: list[CountedShown]


class GameDice(Message):
    """The dice of one game from one source: ``seeded``, ``verified`` or ``typed``."""

    game: str
    title: str
    source: str
    games: int
    rolls: int
    kinds: list[KindShown]
    judged: JudgedShown


class SourceDice(Message):
    """All kinds of dice of all games from one source together."""

    source: str
    rolls: int
    judged: JudgedShown


class DiceShown(Message):
    """How evenly dice fell.

    ``looks`` is the number of comparisons in it, ``tables`` how many tables were read, and
    ``older`` whether there are older ones that were not.
    """

    tables: int
    older: bool
    looks: int
    games: list[GameDice]
    sources: list[SourceDice]
