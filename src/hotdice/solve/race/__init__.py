"""Banking races: points at stake until they are banked, first to a target.

``rules`` says what a game has to say to be solved as one, ``solver`` solves it.
"""
