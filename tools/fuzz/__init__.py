"""Fuzzes everything that takes input: HTTP requests, WebSockets, commands and parsers.

    python -m tools.fuzz all --minutes 5       # what `make fuzz` runs
    python -m tools.fuzz frames --minutes 1 --seed 7

Each part prints one line about what it did. It stops at a finding and prints how to reproduce it.
"""
