"""Nonsense for everything that reads something: requests, sockets, commands, texts.

    python -m tools.fuzz all --minutes 5       # what `make fuzz` runs
    python -m tools.fuzz frames --minutes 1 --seed 7

Each part says in one line what it did. A finding ends it with the input that shows it again.
"""
