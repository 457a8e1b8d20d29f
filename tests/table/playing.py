from hotdice.table.sitting import Sitting


def play_out(sitting: Sitting) -> None:
    """Let bots play to the end."""
    while not sitting.is_over():
        event = sitting.bot_choice() or sitting.throw()
        assert event is not None
        sitting.play(event)
