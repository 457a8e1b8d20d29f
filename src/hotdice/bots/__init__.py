"""Bots: a state in, a choice out."""

from hotdice.bots.players import LEVELS, Bot, Level, chances, find_bot, is_ready, without_thinking

__all__ = ["LEVELS", "Bot", "Level", "chances", "find_bot", "is_ready", "without_thinking"]
