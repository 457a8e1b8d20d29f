"""The games, each in a folder of its own; they know the core and nothing of each other."""
