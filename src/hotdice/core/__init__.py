"""The contract every game keeps: standard library only, nothing random, nothing mutable."""
