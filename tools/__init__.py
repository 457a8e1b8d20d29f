"""Developer tools for Hot Dice."""
