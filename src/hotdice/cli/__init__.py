"""The command line: thin, and loading nothing a command does not need."""
