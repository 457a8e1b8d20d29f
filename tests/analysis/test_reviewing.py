"""When positions come back, and streaks."""

from __future__ import annotations

from datetime import date

import pytest

from hotdice.analysis.reviewing import DAYS, Review, Streak, counts, longest, reviewed, streak

TODAY = date(2026, 11, 18).toordinal()


def test_what_is_right_at_once_does_not_come_back() -> None:
    assert reviewed(Review(), TODAY, right=True) == Review()


def test_a_missed_position_comes_back_later_and_later_until_it_is_learnt() -> None:
    at, day, waited = reviewed(Review(), TODAY, right=False), TODAY, []
    while at.due is not None:
        waited.append(at.due - day)
        day = at.due
        at = reviewed(at, day, right=True)
    assert tuple(waited) == DAYS == (1, 3, 7, 16, 35)
    assert at == Review()


def test_a_miss_starts_over() -> None:
    third = Review(3, TODAY)
    assert reviewed(third, TODAY, right=False) == Review(1, TODAY + 1)
    late = reviewed(third, TODAY + 9, right=True)
    assert late == Review(4, TODAY + 9 + 16)


@pytest.mark.parametrize(
    "before, is_counted",
    [
        (None, True),
        (Review(), False),
        (Review(2, TODAY + 1), False),
        (Review(2, TODAY), True),
        (Review(2, TODAY - 5), True),
    ],
)
def test_only_first_answers_and_due_ones_count(before: Review | None, is_counted: bool) -> None:
    assert counts(before, TODAY) is is_counted


@pytest.mark.parametrize(
    "days, expected",
    [
        ({}, Streak(0, 0)),
        ({0: True}, Streak(1, 1)),
        ({0: False, -1: True, -2: True}, Streak(3, 2)),
        ({-1: True, -2: True}, Streak(2, 2)),
        ({-2: True, -3: True}, Streak(0, 0)),
        ({0: True, -2: True}, Streak(1, 1)),
    ],
)
def test_a_streak_ends_today_or_yesterday(days: dict[int, bool], expected: Streak) -> None:
    answers = {TODAY + day: right for day, right in days.items()}
    assert streak(answers, TODAY) == expected


def test_the_longest_streak() -> None:
    assert longest([]) == 0
    assert longest([5, 1, 2, 9, 3, 8]) == 3
