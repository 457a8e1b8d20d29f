"""Tables for people who sit apart: any number of processes serve the same ones."""
