"""The book of results, written by ``make book`` from the running product."""
