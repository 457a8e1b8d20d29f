"""A soak: real servers, real clients and real faults, and a check of everything they were told."""
