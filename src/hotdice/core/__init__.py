"""The contract that games implement: standard library only, no randomness, no mutable state."""
