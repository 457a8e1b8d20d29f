"""Which scores are stored when a table changes."""

from __future__ import annotations

from dataclasses import replace

from hotdice.core.due import ToChoose, ToRoll
from hotdice.table.bots import play_bots
from hotdice.table.commands import Choose, Rematch, RollDice, Say, SitIn, Undo
from hotdice.table.log import Next, Table
from hotdice.table.scores import Scores, changed_scores
from hotdice.table.summary import summarize
from tests.table.playing import FARKLE

SHORT = replace(FARKLE, options="starts=seat entry=0 target=5", dice="typed")


def next_step(table: Table) -> Next:
    """The seat to act rolls three 1s, or banks."""
    due = table.due
    if isinstance(due, ToRoll):
        return RollDice(due.seat, "111234"[: len(due.dice)], table.seq).on(table, 0.0)
    assert isinstance(due, ToChoose)
    choice = next(c for c in table.game.choices(table.state) if c.then == "bank")
    return Choose(due.seat, table.game.event_text(choice), table.seq).on(table, 0.0)


def ended() -> tuple[Table, Table]:
    """A table before and after the move that ends its first game."""
    before = after = Table.of(SHORT)
    while not after.sitting.is_over():
        before, after = after, next_step(after).table
        assert after.sitting.is_over() == (changed_scores(before, after) is not None)
    return before, after


def test_scores_are_stored_when_a_game_ends() -> None:
    before, after = ended()
    scores = changed_scores(before, after)
    assert scores is not None
    assert scores.game == 1
    assert [(one.seat, one.name, one.bot) for one in scores.seats] == [
        (0, "Ann", ""),
        (1, "Ben", ""),
    ]
    assert tuple(one.summary for one in scores.seats) == summarize(after.record())


def test_scores_are_removed_when_the_end_is_undone_and_stored_again_after_it() -> None:
    _, over = ended()
    undoer = over.sitting.undoer()
    assert undoer is not None
    undone = Undo(undoer, over.seq).on(over, 0.0).table
    assert changed_scores(over, undone) == Scores(1, ())
    again = next_step(undone).table
    scores = changed_scores(undone, again)
    assert scores is not None
    assert len(scores.seats) == 2


def test_what_does_not_end_a_game_changes_no_scores() -> None:
    before, over = ended()
    for table in (before, over):
        assert changed_scores(table, Say(0, "well").on(table, 0.0).table) is None
        assert changed_scores(table, SitIn(0, "greedy").on(table, 0.0).table) is None
    assert changed_scores(over, Rematch(0, over.seq).on(over, 0.0).table) is None


def test_scores_name_the_bot_that_played_last() -> None:
    table = Table.of(replace(FARKLE, options="starts=seat entry=0 target=5"))
    for seat in (0, 1):
        table = SitIn(seat, "greedy").on(table, 0.0).table
    scores = changed_scores(table, play_bots(table, 0.0).table)
    assert scores is not None
    assert [one.bot for one in scores.seats] == ["greedy", "greedy"]
