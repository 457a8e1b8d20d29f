"""Luck and skill of several games: the formulas, against identities and bots of known strength."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist, fmean, stdev

import pytest

from hotdice import load_game
from hotdice.analysis.careers import outing_of
from hotdice.analysis.report import analyse_by
from hotdice.analysis.skill import (
    LAST,
    Outing,
    adjusted_of,
    busts_of,
    expected_result,
    luck_of,
    mean_of,
    play_of,
    results_of,
    skill_of,
)
from hotdice.analysis.telling import report_json
from hotdice.analysis.valuing import Valuer
from hotdice.analysis.winning import Ladder
from hotdice.core.game import AnyGame
from tests.analysis.games import SHORT, played

RULES = ("cockroach", "target=6")


def outings(levels: tuple[str, ...], games: int, slug: str, options: str) -> list[list[Outing]]:
    """The parts of all seats in some games between bots."""
    rules: AnyGame = load_game(slug, options)
    valuer = Valuer(rules, len(levels))
    found = []
    for seed in range(games):
        record = played(slug, options, levels, f"skill {seed}")
        digest = report_json(analyse_by(valuer, record))
        found.append([outing_of(digest, seat) for seat in range(len(levels))])
    return found


@pytest.mark.parametrize("slug, options, players", SHORT)
def test_the_result_without_luck_is_the_result_less_all_luck(
    slug: str, options: str, players: int
) -> None:
    for seats in outings(("casual", "random")[:players], 3, slug, options):
        for seat, one in enumerate(seats):
            theirs = sum(other.luck for n, other in enumerate(seats) if n != seat)
            assert one.adjusted == pytest.approx(one.result - one.luck + theirs, abs=1e-9)
            assert one.is_duel == (players == 2)
        if players == 2:
            assert seats[0].adjusted + seats[1].adjusted == pytest.approx(1.0, abs=1e-9)


def test_the_better_bot_has_the_better_skill_rating() -> None:
    """Within a handful of short games, in which wins say nothing yet."""
    found = {
        level: skill_of([seats[0] for seats in outings((level, "casual"), 6, *RULES)])
        for level in ("perfect", "sharp", "casual", "greedy")
    }
    ratings = [one.value if one else 0.0 for one in found.values()]
    assert ratings[0] == 1000.0
    assert ratings == sorted(ratings, reverse=True)
    assert ratings[2] - ratings[3] > 100
    assert all(one is not None and one.games == 6 for one in found.values())


def test_ratings_foretell_the_result_without_luck() -> None:
    pairs = outings(("casual", "greedy"), 8, *RULES)
    first, second = (skill_of([seats[n] for seats in pairs]) for n in (0, 1))
    assert first
    assert second
    wanted = expected_result(first.value, second.value)
    even = [seats[0].adjusted - seats[0].start + 0.5 for seats in pairs]
    assert fmean(even) == pytest.approx(wanted)
    adjusted = adjusted_of([seats[0] for seats in pairs])
    assert adjusted
    assert adjusted.value == pytest.approx(fmean(seats[0].adjusted for seats in pairs))


def test_results_without_luck_vary_less_than_results() -> None:
    mine = [seats[0] for seats in outings(("sharp", "casual"), 12, *RULES)]
    adjusted, results = adjusted_of(mine), results_of(mine)
    assert adjusted
    assert results
    assert adjusted.error is not None
    assert results.error is not None
    assert 2 * adjusted.error < results.error


def test_standard_errors() -> None:
    values = [0.3, 0.1, 0.8, 0.4, -0.2]
    found = mean_of(values)
    assert found
    assert found.value == pytest.approx(fmean(values))
    assert found.error == pytest.approx(stdev(values) / sqrt(len(values)))
    assert mean_of([7.0]) == (7.0, None, 1)
    assert mean_of([]) is None
    assert skill_of([]) is None
    assert adjusted_of([]) is None
    assert luck_of([]) is None


def test_totals_of_several_games() -> None:
    mine = [seats[0] for seats in outings(("casual", "random"), 4, *RULES)]
    luck, play, busts = luck_of(mine), play_of(mine), busts_of(mine)
    assert luck
    assert luck.total == pytest.approx(sum(one.luck for one in mine))
    assert luck.percentile == pytest.approx(
        NormalDist(0, sqrt(sum(one.deviation**2 for one in mine))).cdf(luck.total)
    )
    assert play.decisions == sum(one.decisions for one in mine)
    assert play.rating == pytest.approx(1000 * play.cost / play.decisions)
    assert play.accuracy == pytest.approx(1 - play.cost / sum(one.spread for one in mine))
    assert busts.expected == pytest.approx(sum(one.risk for one in mine))
    assert play_of([]).accuracy is None


def test_games_that_cannot_be_compared_do_not_count_for_skill() -> None:
    [[one, _]] = outings(("casual", "random"), 1, *RULES)
    others = [
        one._replace(exact=False),
        one._replace(players=3),
        one._replace(objective="points", exact=False),
    ]
    assert skill_of(others) is None
    assert skill_of([one, *others]) == skill_of([one])


def test_the_skill_rating_is_of_the_newest_games() -> None:
    [[one, _]] = outings(("casual", "random"), 1, *RULES)
    weak, strong = one._replace(cost=0.5), one._replace(cost=0.0)
    assert skill_of([weak] * 9 + [strong] * LAST) == (1000.0, 0.0, LAST)
    assert skill_of([strong] * 9 + [weak] * LAST) == (0.0, 0.0, LAST)


def test_strengths_follow_wins() -> None:
    ladder = Ladder()
    assert ladder.of("Ann") is None
    ladder.add(["Ann"], [0])  # alone
    ladder.add(["Ann", "Ben"], [])  # nobody won
    assert ladder.of("Ann") is None
    for _ in range(5):
        ladder.add(["Ann", "bot:sharp", "bot:sharp"], [0])
    ladder.add(["Ben", "bot:sharp"], [0, 1])
    ann, ben, bot = (ladder.of(who) for who in ("Ann", "Ben", "bot:sharp"))
    assert ann
    assert ben
    assert bot
    assert ann.value > 25.0 > bot.value
    assert ann.error < 25 / 3
    assert (ann.games, ben.games, bot.games) == (5, 1, 6)
    even = Ladder()
    even.add(["Ann", "Ben"], [0, 1])
    found = even.of("Ann")
    assert found
    assert found.value == pytest.approx(25.0)  # a draw between equals
