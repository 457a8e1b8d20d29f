"""Soak tests: real servers, clients and faults, with a check of every update clients received."""
