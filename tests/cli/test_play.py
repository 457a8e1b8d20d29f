"""Playing in the plain terminal: whole games, typed dice, undo, saving and resuming."""

from pathlib import Path

import pytest

from hotdice import game_names, read_record
from tests.cli.conftest import Command

TYPED = ("play", "farkle", "--set", "starts=seat", "--set", "target=100", "--dice", "typed")
TWO = ("--seat", "Ann", "--seat", "Ben")


@pytest.mark.parametrize("slug", game_names())
def test_bots_play_every_game_to_its_end(hotdice: Command, slug: str) -> None:
    seats = ["--seat", "A=bot:greedy"]
    seats += [] if slug == "peruke" else ["--seat", "B=bot:random"]
    ran = hotdice("play", slug, *seats, "--seed", "11", "--json")
    assert ran.code == 0
    found = ran.json()
    assert found["result"]["clause"]
    assert read_record(found["record"]).state() is not None
    assert hotdice("play", slug, *seats, "--seed", "11", "--json").json() == found


@pytest.mark.parametrize("slug", game_names())
def test_pressing_a_plays_every_game_to_its_end(hotdice: Command, slug: str) -> None:
    rogue = ["--set", "war_at=40", "--set", "target=40"]
    options = {"farkle": ["--set", "target=100"], "rogue": rogue}
    ran = hotdice("play", slug, *options.get(slug, []), "--seed", "2", typed="\na\n" * 3000)
    assert ran.code == 0
    assert "Player" in ran.out.splitlines()[0]
    clauses = {"farkle": "F11", "rogue": "R12", "cockroach": "C5", "peruke": "P8", "go500": "G3"}
    assert f"({clauses[slug]})" in ran.out


def test_a_mistake_with_real_dice_is_corrected(hotdice: Command) -> None:
    typed = "11123\n111239\n111234\nkeep 2 bank\nbank 11\nundo\nbank 111\n234466\n"
    ran = hotdice(*TYPED, *TWO, typed=typed)
    assert "Ann, roll six dice and type what they show, like 123456: " in ran.out
    assert "Six dice with 1 to 6 have to be rolled. (F2)" in ran.out
    assert "'9' is not on the dice of Farkle" in ran.out
    assert "2 does not score. (F4)" in ran.out
    assert "You need 100 to get on the pad and have 20. (F9)" in ran.out
    assert "Undone: 111234." in ran.out
    assert ran.code == 0


def test_real_dice_can_be_undone_after_a_bank(hotdice: Command) -> None:
    typed = "111234\nbank 111\nundo\nbank 111\n234466\n"
    ran = hotdice(*TYPED, *TWO, typed=typed)
    assert "Undone: keep 111 bank." in ran.out
    assert "Ann wins: Ann 100, Ben 0 (F11)" in ran.out


def test_real_dice_can_be_undone_after_the_end(hotdice: Command) -> None:
    typed = "111234\nbank 111\n234466\nundo\n111234\nbank 111\n\n"
    ran = hotdice(*TYPED, *TWO, typed=typed)
    assert "Undone: 234466." in ran.out
    assert "Ann and Ben share the win: Ann 100, Ben 100 (F11)" in ran.out


def test_a_number_means_dice_and_a_letter_a_listed_choice(hotdice: Command) -> None:
    options = ("play", "peruke", "--seed", "x", "--set", "games=1", "--dice", "typed")
    ran = hotdice(*options[:2], *options[4:], typed="1 2 2 5 6 2\n5\nb\nquit\n")
    assert "Player uses the 5 and turns disc 5." in ran.out


def test_a_blocked_bank_says_why(hotdice: Command) -> None:
    ran = hotdice(*TYPED, *TWO, typed="122346\nbank\nquit\n")
    assert "You need 100 to get on the pad. (F9)" in ran.out


def test_bots_play_with_typed_dice(hotdice: Command) -> None:
    seats = ("--seat", "Ann", "--seat", "Bo=bot:greedy")
    ran = hotdice(*TYPED, *seats, typed="234466\n111234\n")
    assert "For Bo, roll six dice and type what they show, like 123456: " in ran.out
    assert "Bo keeps 1-1-1 for 100 and banks 100, now 100." in ran.out


def test_go_500_dice_are_typed_by_name_or_label(hotdice: Command) -> None:
    typed = "take black black green\nblack 5-10 green 50 flag green\nlock 10 50\n"
    ran = hotdice("play", "go500", "--seat", "A", "--dice", "typed", typed=typed)
    assert "like black 0 5 green 20 flag black: " in ran.out
    assert "A locks black 10, green 50." in ran.out


def test_virtual_dice_cannot_be_undone_past_a_roll(hotdice: Command) -> None:
    ran = hotdice("play", "rogue", *TWO, "--seed", "1", typed="undo\n\nundo\nquit\n")
    assert "There is nothing to undo." in ran.out
    assert "Virtual dice have been rolled since" in ran.out


def test_with_virtual_dice_a_choice_can_be_undone_until_the_next_roll(hotdice: Command) -> None:
    ran = hotdice("play", "rogue", *TWO, "--seed", "1", typed="\na\nundo\nquit\n")
    assert "Undone: keep" in ran.out


def test_help_rules_and_all_choices_are_shown_on_request(hotdice: Command) -> None:
    ran = hotdice(
        "play",
        "cockroach",
        *TWO,
        "--set",
        "starts=seat",
        "--seed",
        "4",
        typed="what\nhelp\nrules\n\nall\nquit\n",
    )
    assert "Press Enter to roll; 'help' lists the commands." in ran.out
    assert "take back the last move" in ran.out
    assert "C1" in ran.out
    assert "more; 'all' lists them." in ran.out
    assert "The game is left unfinished." in ran.out


def test_unreadable_and_ambiguous_input_is_explained(hotdice: Command) -> None:
    ran = hotdice(*TYPED, *TWO, typed="111555\nfrobnicate\n111\nquit\n")
    assert "'frobnicate' is not a choice; try 'keep 111555 bank'." in ran.out
    assert "'111' could mean 'keep 111 bank', 'keep 111 roll'; say which." in ran.out


def test_first_sets_who_starts(hotdice: Command) -> None:
    ran = hotdice("play", "rogue", *TWO, "--first", "Ben", typed="")
    assert "Ben, press Enter to roll six dice: " in ran.out


def test_end_of_input_leaves_the_game_unfinished(hotdice: Command) -> None:
    ran = hotdice(*TYPED, *TWO, typed="")
    assert ran.code == 0
    assert "The game is left unfinished." in ran.out


def test_a_saved_game_is_resumed_and_replayed(hotdice: Command, tmp_path: Path) -> None:
    path = tmp_path / "game.hotdice"
    first = hotdice(*TYPED, *TWO, "--save", str(path), typed="111234\nquit\n")
    assert f"Saved; resume with: hotdice play --save {path}" in first.out.replace("\n", "")
    assert "111234" in path.read_text()
    ran = hotdice("play", "--save", str(path), typed="bank 111\n234466\n")
    assert "Resuming after one event." in ran.out
    assert "Ann wins: Ann 100, Ben 0 (F11)" in ran.out
    told = hotdice("replay", str(path))
    assert "Ann keeps 1-1-1 for 100 and banks 100, now 100." in told.out
    assert "Ann wins: Ann 100, Ben 0 (F11)" in told.out
    found = hotdice("replay", str(path), "--json").json()
    assert [event["event"] for event in found["events"]] == ["111234", "keep 111 bank", "234466"]
    assert found["result"]["winners"] == ["Ann"]


def test_replay_says_that_a_game_is_unfinished(hotdice: Command, tmp_path: Path) -> None:
    path = tmp_path / "game"
    hotdice(*TYPED, *TWO, "--save", str(path), typed="111234\n")
    assert "The game is not over yet." in hotdice("replay", str(path)).out
    assert hotdice("replay", str(path), "--json").json()["result"] is None


def test_negative_results_have_a_true_minus(hotdice: Command, tmp_path: Path) -> None:
    path = tmp_path / "game"
    options = ("--set", "rerolls=0", "--set", "course=name: test; segment: Only = none")
    typed = "take\nflag red\nred -100\n\n"
    ran = hotdice(
        *("play", "go500", *options, "--seat", "A", "--dice", "typed", "--save", str(path)),
        typed=typed,
    )
    assert "A wins: A \u2212100 (G3)" in ran.out
    assert "A wins: A \u2212100 (G3)" in hotdice("replay", str(path)).out
    assert "result: A wins: A -100 (G3)" in path.read_text("utf-8")


def test_an_offer_calls_the_other_player_by_name(hotdice: Command) -> None:
    typed = "111234\nbank 111\n" * 2 + "all\ncoach\nquit\n"
    ran = hotdice(*TYPED[:2], "--set", "starts=seat", "--dice", "typed", *TWO, typed=typed)
    assert "Take Ben's 100 and roll three dice." in ran.out
    assert "Seat 2" not in ran.out


@pytest.mark.parametrize(
    "content, sentence",
    [
        ("Dear diary\n", "cannot be used: This is not a record"),
        ("hotdice record 7\ngame: farkle\n", "version 7, newer than this Hot Dice can read"),
        ("hotdice record 1\ngame: farkle\nseats: A | B\n\n1. 9\n", "Line 5: The record is damaged"),
    ],
)
def test_a_file_that_is_not_a_saved_game_is_left_untouched(
    hotdice: Command, tmp_path: Path, content: str, sentence: str
) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    for words in (["play", "--save", str(path)], ["replay", str(path)]):
        ran = hotdice(*words, typed="111234\n")
        assert ran.code == 2
        assert sentence in ran.err
    assert path.read_text() == content


def test_a_saved_game_is_not_overwritten_by_another(hotdice: Command, tmp_path: Path) -> None:
    path = tmp_path / "game"
    hotdice(*TYPED, *TWO, "--save", str(path), typed="111234\n")
    content = path.read_text()
    other = hotdice("play", "rogue", "--save", str(path))
    assert "holds a game of Farkle; name another file." in other.err
    again = hotdice(*TYPED, *TWO, "--save", str(path))
    assert "already holds a game" in again.err
    assert (other.code, again.code) == (2, 2)
    assert path.read_text() == content


def test_unusable_save_paths_are_refused(hotdice: Command, tmp_path: Path) -> None:
    for name in ("none/game", "x" * 300):
        ran = hotdice("play", "rogue", *TWO, "--save", str(tmp_path / name))
        assert ran.code == 2
        assert ran.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
    missing = hotdice("play", "--save", str(tmp_path / "evning"))
    assert "There is no saved game" in missing.err


def test_devices_are_not_read_or_written(hotdice: Command) -> None:
    for words in (["replay", "/dev/zero"], ["play", "--save", "/dev/zero"]):
        ran = hotdice(*words)
        assert (ran.code, "it is not a file" in ran.err) == (2, True)


def test_a_symlink_to_a_saved_game_stays_a_symlink(hotdice: Command, tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    link.symlink_to(real)
    hotdice(*TYPED, *TWO, "--save", str(real), typed="111234\n")
    real.chmod(0o640)
    hotdice("play", "--save", str(link), typed="bank 111\n")
    assert link.is_symlink()
    assert "keep 111 bank" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_game_ends_normally_if_personal_bests_cannot_be_saved(
    hotdice: Command, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "bests.json").write_text("{")
    options = ("play", "peruke", "--set", "games=1", "--seed", "4", "--json")
    ran = hotdice(*options, typed="\na\na\n" * 50)
    assert ran.code == 0
    assert ran.json()["result"]["clause"] in ("P2", "P5")
    assert "could not be saved" in ran.err


def test_personal_bests_are_reported_for_solitaire_games(hotdice: Command) -> None:
    options = ("play", "peruke", "--set", "games=1", "--seed", "4")
    first = hotdice(*options, typed="\na\na\n" * 50)
    assert "A new personal best" in first.out
    second = hotdice(*options, typed="\na\na\n" * 50)
    assert "Your personal best stays" in second.out
    bot = hotdice(*options, "--seat", "B=bot:greedy")
    assert "personal best" not in bot.out


def test_go_500_can_be_played_with_custom_files(hotdice: Command, tmp_path: Path) -> None:
    course = tmp_path / "ring.txt"
    course.write_text("name: ring\nsegment: Bend = 40\n")
    ran = hotdice("play", "go500", "--seat", "A=bot:greedy", "--set", f"course={course}", "--json")
    assert ran.json()["options"]["course"] == "name: ring; segment: Bend = 40"
    course.write_text("name: ring\nsegment: Bend = 40\nsegment: Turn = fast\n")
    bad = hotdice("play", "go500", "--set", f"course={course}")
    assert bad.code == 2
    assert "Line 3: 'fast' is not a limit" in bad.err
