"""Banking races: points are at stake until banked, and the first to a target wins.

``rules`` is the interface a game implements to be solved as one; ``solver`` solves it.
"""
