"""The games, each in its own package; they depend on the core but not on each other."""
