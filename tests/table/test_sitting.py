from pathlib import Path

import pytest

from hotdice import (
    BadSetup,
    HotDiceError,
    IllegalEvent,
    Roll,
    game_type,
    load_game,
    read_record,
)
from hotdice.core.due import Over
from hotdice.core.playthrough import Playthrough
from hotdice.table.bots import bot_choice
from hotdice.table.dice_sources import ScriptedDice, SeededDice, TypedDice
from hotdice.table.files import BadFile, PersonalBests, data_folder, load_record, save_record
from hotdice.table.sitting import CannotUndo, Seat, Sitting, resume
from tests.goldens import PLAYTHROUGHS
from tests.table.playing import play_out

FARKLE = load_game("farkle", "starts=seat target=300")
TWO = [Seat("Ann"), Seat("Ben")]


def test_seeded_dice_depend_on_the_seed_alone() -> None:
    game = load_game("go500")
    one, same, other = SeededDice("a"), SeededDice("a"), SeededDice("b")
    hand = (*game.dice, *game.dice)
    throws = [one.throw(hand, n) for n in range(50)]
    assert throws == [same.throw(hand, n) for n in range(50)]
    assert throws != [other.throw(hand, n) for n in range(50)]


def test_seeded_dice_are_fair() -> None:
    flag = load_game("go500").dice[2]
    source = SeededDice("fair")
    shown = [source.throw((flag,), n).faces[0] for n in range(6000)]
    for face in flag.faces:
        assert abs(shown.count(face.code) / 6000 - face.weight / 6) < 0.03


def test_the_same_seed_gives_the_same_game() -> None:
    def play(seed: str) -> str:
        sitting = Sitting.of(
            FARKLE, [Seat("a", "random"), Seat("b", "greedy")], SeededDice(seed), first=0
        )
        return play_out(sitting).record().text()

    assert play("1") == play("1")
    assert play("1") != play("2")


def test_an_illegal_event_leaves_the_log_unchanged() -> None:
    sitting = Sitting.of(FARKLE, TWO, TypedDice())
    with pytest.raises(IllegalEvent):
        sitting.played(Roll((1,)))
    assert sitting.events == ()


def test_real_dice_can_be_undone_without_limit() -> None:
    sitting = Sitting.of(FARKLE, TWO, TypedDice())
    start = sitting
    for text in ("111234", "keep 111 bank", "234466", "111234"):
        sitting = sitting.played(FARKLE.read_event(text))
    texts = []
    for _ in range(4):
        texts.append(FARKLE.event_text(sitting.events[-1]))
        sitting = sitting.undone()
    assert texts == ["111234", "234466", "keep 111 bank", "111234"]
    assert sitting == start
    with pytest.raises(CannotUndo, match="nothing to undo"):
        sitting.undone()


def test_real_dice_can_be_undone_after_the_end() -> None:
    sitting = Sitting.of(load_game("farkle", "starts=seat target=100"), TWO, TypedDice())
    for text in ("111234", "keep 111 bank", "234466"):
        sitting = sitting.played(FARKLE.read_event(text))
    assert isinstance(sitting.due, Over)
    assert not sitting.undone().is_over()


def test_virtual_dice_can_be_undone_until_the_next_roll_is_seen() -> None:
    rolls = [Roll((1, 1, 1, 2, 3, 4)), Roll((2, 3, 4, 4, 6, 6))]
    sitting = Sitting.of(FARKLE, TWO, ScriptedDice(tuple(rolls)))
    sitting = sitting.played(sitting.throw() or Roll(()))
    sitting = sitting.played(FARKLE.read_event("keep 111 bank"))
    assert FARKLE.event_text(sitting.events[-1]) == "keep 111 bank"
    sitting = sitting.undone()
    with pytest.raises(CannotUndo, match="Virtual dice"):
        sitting.undone()
    assert sitting.played(FARKLE.read_event("keep 11 roll")).undone() == sitting
    sitting = sitting.played(FARKLE.read_event("keep 111 bank"))
    sitting = sitting.played(sitting.throw() or Roll(()))
    with pytest.raises(CannotUndo):
        sitting.undone()


def test_undo_steps_back_over_a_bots_choice() -> None:
    game = load_game("farkle", "starts=seat")
    sitting = Sitting.of(game, [Seat("Ann"), Seat("Bot", "greedy")], TypedDice())
    for text in ("111234", "keep 111 bank", "111234", "keep 111 bank", "fresh", "111234"):
        sitting = sitting.played(game.read_event(text))
    sitting = sitting.played(game.read_event("keep 111 bank"))
    choice = bot_choice(sitting)
    assert choice is not None
    sitting = sitting.played(choice)
    assert len(sitting.undone().events) == 6


@pytest.mark.parametrize(
    "text, seat",
    [
        ("Ann", Seat("Ann")),
        ("Greta=bot:greedy", Seat("Greta", "greedy")),
        ("  Zoë   B ", Seat("Zoë B")),
    ],
)
def test_seats_are_read(text: str, seat: Seat) -> None:
    assert Seat.read(text) == seat


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("Ann=human", "'Ann=human' is not a seat; write NAME or NAME=bot:LEVEL."),
        ("Ann=bot:best", "There is no bot 'best'"),
        ("=bot:greedy", "A name has 1 to 40 characters."),
        ("", "A name has 1 to 40 characters."),
    ],
)
def test_bad_seats_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(HotDiceError) as refused:
        Seat.read(text)
    assert sentence in str(refused.value)


def test_two_seats_need_two_names() -> None:
    with pytest.raises(BadSetup, match="Two seats have the same name"):
        Sitting.of(FARKLE, [Seat("Ann"), Seat("ann")], TypedDice())


def test_a_resumed_game_rolls_the_same_dice(tmp_path: Path) -> None:
    seats = [Seat("a", "random"), Seat("b", "greedy")]
    whole = Sitting.of(FARKLE, seats, SeededDice("x"))
    whole = play_out(whole)
    half = Sitting.of(FARKLE, seats, SeededDice("x"), events=whole.events[:9])
    path = tmp_path / "game.txt"
    save_record(path, half.record())
    again = resume(load_record(path))
    assert again.seats == half.seats
    again = play_out(again)
    assert again.events == whole.events


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ("bots: random | greedy", "bots: random", "does not say which seats are bots"),
        ("bots: random | greedy", "bots: random | clever", "There is no bot 'clever'"),
        ("dice: seeded", "dice: marked", "was played with marked dice and cannot be resumed"),
    ],
)
def test_a_saved_game_without_valid_bots_or_dice_is_refused(
    old: str, new: str, sentence: str
) -> None:
    sitting = Sitting.of(FARKLE, [Seat("a", "random"), Seat("b", "greedy")], SeededDice("x"))
    text = sitting.record().text()
    assert old in text
    with pytest.raises(HotDiceError) as refused:
        resume(read_record(text.replace(old, new)))
    assert sentence in str(refused.value)


def test_files_that_are_not_records_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be opened: No such file"):
        load_record(tmp_path / "none")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\x00")
    with pytest.raises(BadFile, match="it is not text"):
        load_record(binary)
    letter = tmp_path / "letter"
    letter.write_text("Dear Ann,\n")
    with pytest.raises(BadFile, match="cannot be used: This is not a record"):
        load_record(letter)
    with pytest.raises(BadFile, match="cannot be saved"):
        save_record(tmp_path / "letter" / "game", Sitting.of(FARKLE, TWO, TypedDice()).record())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["binary", "letter"]


def test_personal_bests_are_stored(tmp_path: Path) -> None:
    game, short = load_game("peruke"), load_game("peruke", "games=1")
    assert PersonalBests(tmp_path).best(game, "Ann") is None
    assert PersonalBests(tmp_path).note(game, "Ann", 12)
    assert not PersonalBests(tmp_path).note(game, "Ann", 12)
    assert not PersonalBests(tmp_path).note(game, "Ann", -3)
    assert PersonalBests(tmp_path).note(game, "Ann", 13)
    assert PersonalBests(tmp_path).note(short, "Ann", 1)
    assert PersonalBests(tmp_path).best(game, "Ann") == 13
    assert PersonalBests(tmp_path).best(game, "Ben") is None


@pytest.mark.parametrize("damage", ["{", "[]", '{"a": "b"}'])
def test_damaged_personal_bests_are_not_overwritten(tmp_path: Path, damage: str) -> None:
    (tmp_path / "bests.json").write_text(damage)
    with pytest.raises(BadFile, match="personal bests"):
        PersonalBests(tmp_path).note(load_game("peruke"), "Ann", 12)
    assert (tmp_path / "bests.json").read_text() == damage


def test_the_data_folder_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOTDICE_HOME", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("HOTDICE_HOME")
    assert data_folder().name == "hotdice"


@pytest.mark.parametrize(
    "slug, path", PLAYTHROUGHS, ids=lambda value: getattr(value, "stem", value)
)
def test_a_sitting_agrees_with_every_golden(slug: str, path: Path) -> None:
    """Goldens played through a sitting reach the same states; refused events change nothing."""
    lines = path.read_text("utf-8").splitlines()
    words = ("options", "seats", "first")
    heads = dict(line.split(" ", 1) for line in lines if line.split(" ")[0] in words)
    if any(line.startswith("from ") for line in lines):
        return
    reference = Playthrough(game_type(slug), heads)
    seats = [Seat(name) for name in reference.names]
    sitting = Sitting.of(reference.game, seats, TypedDice(), first=int(heads.get("first", "1")) - 1)
    for line in lines:
        if line.startswith("> "):
            sitting = sitting.played(reference.game.read_event(line[2:]))
        elif line.startswith("= "):
            assert reference.game.state_text(sitting.state) == line[2:]
        elif line.startswith("! "):
            before = sitting.events
            with pytest.raises(HotDiceError):
                sitting.played(reference.game.read_event(line[2:]))
            assert sitting.events == before
