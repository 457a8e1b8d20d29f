"""Commands for those who work on Hot Dice."""
