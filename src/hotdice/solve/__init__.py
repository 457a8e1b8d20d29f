"""Exact values and best play, computed from the rules themselves."""
