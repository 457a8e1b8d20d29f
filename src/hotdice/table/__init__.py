"""One sitting: seats, a dice source, undo and the record; what every surface drives."""
