"""The dice of challenges: the same for everybody, at the same place of a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from hotdice.analysis.fairness import fit
from hotdice.core.due import Over, ToChoose, ToRoll, seat_of
from hotdice.core.events import Choice, Roll
from hotdice.core.game import AnyGame
from hotdice.core.registry import game_names, load_game
from hotdice.table.bots import bot_choice, play_bots, thought_of
from hotdice.table.commands import Choose, Rematch, RollDice, SitIn, Undo
from hotdice.table.dice_sources import ChallengeDice, Occasion
from hotdice.table.log import Refused, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import CannotUndo, Seat, Sitting
from tests.table.playing import matches_its_log, play_out

GAMES = ("cockroach", "farkle", "go500", "peruke", "rogue")
STARTS = ("farkle starts=seat", "farkle starts=random")
DICE, OTHERS = ChallengeDice("secret"), ChallengeDice("another")
Slot = tuple[Occasion, str, int]


def sitting_of(game: AnyGame, levels: tuple[str, ...], source: ChallengeDice = DICE) -> Sitting:
    players = min(len(levels), game.max_players)
    seats = [Seat(f"{n} {level}", level) for n, level in enumerate(levels[:players])]
    return Sitting.of(game, seats, source)


def course_of(sitting: Sitting) -> Iterator[Sitting]:
    """The sitting before every event, until the end."""
    while not sitting.is_over():
        yield sitting
        sitting = sitting.played(bot_choice(sitting) or sitting.throw() or Roll(()))


def counted(sitting: Sitting) -> Occasion:
    """Where a game is, counted from its beginning."""
    game, seat = sitting.game, seat_of(sitting.due)
    turn = rolls = choices = 0
    is_new = True
    for before, event, after, _ in sitting.moves:
        if seat_of(game.due(before)) == seat:
            if is_new and game.begins_turn(before):
                turn, rolls, choices = turn + 1, 0, 0
            rolls += isinstance(event, Roll)
            choices += isinstance(event, Choice)
        is_new = game.turn_over(before, event, after)
    if is_new and game.begins_turn(sitting.state):
        return Occasion(seat, turn + 1)
    return Occasion(seat, turn, rolls, choices)


def faces_of(start: Sitting) -> dict[Slot, int]:
    """The face of every die of a game, by where it was rolled."""
    found: dict[Slot, int] = {}
    for sitting in course_of(start):
        if not isinstance(sitting.due, ToRoll) or (roll := sitting.throw()) is None:
            continue
        slots: Counter[str] = Counter()
        occasion = sitting.occasion()._replace(choices=0)
        for die, face in zip(sitting.due.dice, roll.faces, strict=True):
            slot = occasion, die.name, slots[die.name]
            assert slot not in found  # no die is used twice
            found[slot] = face
            slots[die.name] += 1
    return found


def test_the_games_are_all_installed_ones() -> None:
    assert set(GAMES) == set(game_names())


@pytest.mark.parametrize("words", [*GAMES, "pig", *STARTS])
def test_whoever_chooses_differently_meets_the_same_dice(words: str, toy: str) -> None:
    slug, _, options = words.partition(" ")
    game = load_game(slug, options)
    games = [
        faces_of(sitting_of(game, levels))
        for levels in [("greedy", "greedy"), ("random", "greedy"), ("greedy", "random")]
    ]
    for one, other in [(games[0], games[1]), (games[0], games[2])]:
        shared = one.keys() & other.keys()
        assert len(shared) >= 5
        assert {slot: one[slot] for slot in shared} == {slot: other[slot] for slot in shared}
    assert games[0] != faces_of(sitting_of(game, ("greedy", "greedy"), OTHERS))


@pytest.mark.parametrize("slug", [*GAMES, "pig"])
def test_equal_choices_give_equal_games(slug: str, toy: str) -> None:
    game = load_game(slug)
    one, other = (play_out(sitting_of(game, ("random", "greedy"))) for _ in range(2))
    assert one.record() == other.record()
    assert "seed" not in one.record().tags


@pytest.mark.parametrize("slug", [*GAMES, "pig"])
def test_turns_and_rolls_are_counted_from_the_start_of_each_turn(slug: str, toy: str) -> None:
    game = load_game(slug)
    last: dict[int, Occasion] = {}
    for sitting in course_of(sitting_of(game, ("random", "random"))):
        now = sitting.occasion()
        assert now == counted(sitting)
        before = last.get(now.seat)
        if before is not None and now.turn == before.turn:
            assert (now.rolls + now.choices) == (before.rolls + before.choices) + 1
        else:
            assert (now.rolls, now.choices) == (0, 0)
            assert now.turn == before.turn + 1 if before else now.turn in (0, 1)
        last[now.seat] = now
    assert last[0].turn >= 3


def test_rolls_for_the_start_come_before_the_first_turn() -> None:
    sitting = sitting_of(load_game("farkle", "starts=highest"), ("greedy",) * 4)
    opening: Counter[int] = Counter()
    while not sitting.game.begins_turn(sitting.state):
        occasion = sitting.occasion()
        assert (occasion.turn, occasion.rolls) == (0, opening[occasion.seat])
        opening[occasion.seat] += 1
        sitting = sitting.played(sitting.throw() or Roll(()))
    assert sitting.occasion() == Occasion(sitting.occasion().seat, 1, 0, 0)


def test_whoever_rolls_fewer_dice_gets_the_first_ones() -> None:
    source, [die] = DICE, load_game("rogue").dice
    place = Occasion(0, 5, 2, 2)
    six = source.throw((die,) * 6, place).faces
    for count in range(1, 6):
        assert source.throw((die,) * count, place).faces == six[:count]
    assert source.throw((die,) * 6, place._replace(choices=7)).faces == six


def test_every_part_of_the_place_changes_the_dice() -> None:
    source, [die] = DICE, load_game("rogue").dice
    hand = (die,) * 20
    places = [Occasion(*place, 0) for place in product(range(3), range(3), range(3))]
    assert len({source.throw(hand, place) for place in places}) == len(places)
    odd = replace(die, name="odd")
    assert source.throw((odd,) * 20, places[0]) != source.throw(hand, places[0])
    mixed = source.throw((die, odd) * 10, places[0]).faces
    assert mixed[::2] == source.throw(hand, places[0]).faces[:10]


@pytest.mark.parametrize("slug", [*GAMES, "pig"])
def test_the_faces_of_every_kind_of_die_are_equally_likely(slug: str, toy: str) -> None:
    source = ChallengeDice("fair")
    for die in load_game(slug).dice:
        shown: Counter[int] = Counter()
        for seat, turn, rolls in product(range(2), range(1, 41), range(5)):
            shown.update(source.throw((die,) * 6, Occasion(seat, turn, rolls, 0)).faces)
        found = fit(die, shown)
        assert found.thrown == 2400
        assert found.p is not None
        assert found.p > 0.005, die.name


def test_neighbouring_dice_are_independent() -> None:
    """Pairs of slots, of rolls, of turns and of seats are equally likely, too."""
    source, [die] = ChallengeDice("pairs"), load_game("rogue").dice
    steps = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)]
    for step in steps:
        pairs: Counter[tuple[int, int]] = Counter()
        for place in product(range(0, 4, 2), range(0, 60, 2), range(0, 6, 2)):
            one = Occasion(*place, 0)
            two = Occasion(*(a + b for a, b in zip(one, step, strict=True)))
            hands = [source.throw((die,) * 12, at).faces for at in (one, two)]
            pairs.update(zip(*hands, strict=True))
        total = sum(pairs.values())
        chi = sum((pairs[a, b] - total / 36) ** 2 for a in range(1, 7) for b in range(1, 7))
        assert chi / (total / 36) < 66.6  # 35 degrees of freedom: one in a thousand


def test_bots_have_the_same_character_whatever_came_before() -> None:
    game = load_game("farkle", "starts=seat")
    seeds = [
        {
            sitting.occasion(): thought_of(sitting, "random").seed
            for sitting in course_of(sitting_of(game, ("random", level)))
            if isinstance(sitting.due, ToChoose)
        }
        for level in ("random", "greedy")
    ]
    assert len(set(seeds[0].values())) == len(seeds[0])
    shared = seeds[0].keys() & seeds[1].keys()
    assert len(shared) > 20
    assert all(seeds[0][place] == seeds[1][place] for place in shared)


# At a table -------------------------------------------------------------------------------------

SETUP = Setup(
    "farkle",
    "starts=seat entry=0 target=500",
    (Seat("Ann"), Seat("Bo", "greedy")),
    dice="challenge",
    seed="the secret",
    coach=False,
    challenge="c",
)


def moved(table: Table, then: str = "bank") -> Table:
    """After somebody rolls, or keeps what comes first and banks."""
    table = play_bots(table, 0.0).table
    seat = table.seat_due
    if isinstance(table.due, Over):
        return table
    if isinstance(table.due, ToRoll):
        return RollDice(seat, "", table.seq).on(table, 0.0).table
    choices = table.game.choices(table.state)
    chosen = next((one for one in choices if one.then == then), choices[0])
    return Choose(seat, table.game.event_text(chosen), table.seq).on(table, 0.0).table


def test_undo_replay_and_another_process_give_the_same_dice() -> None:
    plain = "starts=seat entry=0 carry_over=no"
    setup = replace(SETUP, options=plain, seats=(Seat("Ann"), Seat("Ben")))
    table = Table.of(setup)
    while table.sitting.rolls < 3 or table.undoer() is None:  # people start their turns themselves
        table = moved(table)
    assert isinstance(table.due, ToRoll)
    assert matches_its_log(table)
    [seat, chosen] = table.undoer() or 0, table.game.event_text(table.sitting.moves[-1].event)
    undone = Undo(seat, table.seq).on(table, 1.0).table
    again = Table.of(setup, undone.entries)
    assert again == undone
    redone = Choose(seat, chosen, again.seq).on(again, 2.0).table
    assert redone.sitting.occasion() == table.sitting.occasion() == counted(table.sitting)
    assert redone.sitting.throw() == table.sitting.throw()


def test_a_challenge_is_final_and_nobody_plays_for_others() -> None:
    table = Table.of(SETUP)
    with pytest.raises(Refused, match="nobody can play for"):
        SitIn(0, "perfect").on(table, 0.0)
    over = table
    while not isinstance(over.due, Over):
        over = moved(over)
    assert over.undoer() is None
    with pytest.raises(CannotUndo, match="challenge is over"):
        Undo(0, over.seq).on(over, 0.0)
    with pytest.raises(Refused, match="played only once"):
        Rematch(0, over.seq).on(over, 0.0)
    assert SETUP.seed not in over.record().text()
    assert SETUP.seed not in repr(over.sitting.source)
