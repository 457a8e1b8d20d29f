"""Compares the two verifiers of verified dice on many records, true ones and changed ones."""
