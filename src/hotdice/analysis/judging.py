"""Words for single events: how good a choice was, and how lucky a roll.

Chances are judged by their size. Points are judged in units of the spread that the dice of a whole
game give its result, so that the same words fit every game.
"""

from __future__ import annotations

from enum import StrEnum

NOTHING = 1e-9
"""What is less than this is a rounding error."""
SLIP, MISTAKE, BLUNDER = 0.0, 0.01, 0.04
"""From which cost on a choice is called so, in chances to win."""
LUCKY, JOKER = 0.06, 0.2
"""From which luck on a roll is called so, in chances to win."""


class Verdict(StrEnum):
    """How good a choice was."""

    PERFECT = "perfect"
    SLIP = "slip"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


class Fortune(StrEnum):
    """How lucky a roll was, for who rolled."""

    PLAIN = ""
    LUCKY = "lucky"
    JOKER = "joker"
    UNLUCKY = "unlucky"
    DISASTER = "disaster"


def verdict(cost: float, scale: float = 1.0) -> Verdict:
    """How good a choice with this cost was; ``scale`` is what a whole win is worth."""
    if cost <= NOTHING:
        return Verdict.PERFECT
    for word, least in ((Verdict.BLUNDER, BLUNDER), (Verdict.MISTAKE, MISTAKE)):
        if cost >= least * scale:
            return word
    return Verdict.SLIP


def fortune(luck: float, scale: float = 1.0) -> Fortune:
    """How lucky a roll with this luck was; ``scale`` is what a whole win is worth."""
    size = abs(luck) / scale if scale else 0.0
    if size < LUCKY:
        return Fortune.PLAIN
    if luck > 0:
        return Fortune.JOKER if size >= JOKER else Fortune.LUCKY
    return Fortune.DISASTER if size >= JOKER else Fortune.UNLUCKY
