"""The solvers of the games that come with Hot Dice, one place for each.

They are found through the entry-point group ``hotdice.solvers``; nothing imports them by name.
"""
