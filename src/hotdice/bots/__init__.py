"""Bots: a state in, a choice out."""

from hotdice.bots.players import LEVELS, Bot, find_bot

__all__ = ["LEVELS", "Bot", "find_bot"]
