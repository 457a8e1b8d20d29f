"""What was luck and what was skill."""
