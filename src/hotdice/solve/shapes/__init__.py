"""One module for each shape of game that can be solved."""
