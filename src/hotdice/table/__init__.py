"""A table and its games: seats, dice, the log, commands and the rights to them."""
