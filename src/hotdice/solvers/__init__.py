"""The solvers of the games that come with Hot Dice.

They are loaded through the entry-point group ``hotdice.solvers``, never imported directly.
"""
