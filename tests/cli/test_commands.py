"""Every command, with output for people and as JSON."""

import subprocess
import sys
from pathlib import Path

import pytest

from hotdice import game_names
from tests.cli.conftest import Command

HEAVY = ("numpy", "numba", "fastapi", "textual", "sqlalchemy")


def test_games_lists_every_game(hotdice: Command) -> None:
    ran = hotdice("games")
    assert ran.code == 0
    assert all(name in ran.out for name in game_names())
    found = hotdice("games", "--json").json()["games"]
    assert [game["slug"] for game in found] == list(game_names())
    farkle = next(game for game in found if game["slug"] == "farkle")
    assert farkle["players"] == [2, 8]
    names = {option["name"] for option in farkle["options"]}
    assert {"target", "entry", "carry_over", "four_and_pair"} <= names


def test_the_toy_game_is_listed_and_played_too(hotdice: Command, toy: str) -> None:
    assert toy in hotdice("games").out
    ran = hotdice("play", toy, "--seat", "a=bot:random", "--seat", "b=bot:greedy", "--json")
    assert ran.json()["result"]["clause"] == "T2"
    assert hotdice("score", toy, "5", "--json").json()["rolls"][0]["choices"][0]["points"] == 5
    assert "T1" in hotdice("rules", toy).out


@pytest.mark.parametrize("slug", game_names())
def test_rules_are_shown_with_their_options(hotdice: Command, slug: str) -> None:
    shown = hotdice("rules", slug)
    found = hotdice("rules", slug, "--json").json()
    assert shown.code == 0
    assert found["title"] in shown.out
    for option in found["options"]:
        assert option["name"] in shown.out
    assert found["rules"].startswith(f"# {found['title']}")


def test_score_lists_keeps_best_first(hotdice: Command) -> None:
    roll = hotdice("score", "farkle", "115234", "--json").json()["rolls"][0]
    assert roll["dice"] == [1, 1, 5, 2, 3, 4]
    assert [(c["keep"], c["points"], c["left"]) for c in roll["choices"]] == [
        ([1, 1, 5], 25, 3),
        ([1, 1], 20, 4),
        ([1, 5], 15, 4),
        ([1], 10, 5),
        ([5], 5, 5),
    ]
    assert hotdice("score", "farkle", "115234").out == (
        "1-1-2-3-4-5:\n"
        "1-1-5  25  three dice left  two 1s and a 5\n"
        "1-1    20  four dice left   two 1s\n"
        "1-5    15  four dice left   a 1 and a 5\n"
        "1      10  five dice left   a 1\n"
        "5       5  five dice left   a 5\n"
    )


@pytest.mark.parametrize(
    "words, dice",
    [
        (["farkle", "1", "1", "5", "2", "3", "4"], [[1, 1, 5, 2, 3, 4]]),
        (["farkle", "1 1 5 2 3 4"], [[1, 1, 5, 2, 3, 4]]),
        (["farkle", "115234", "22", "5"], [[1, 1, 5, 2, 3, 4], [2, 2], [5]]),
        (["farkle", "1", "5", "/", "2", "2"], [[1, 5], [2, 2]]),
        (["farkle", "1 5/22"], [[1, 5], [2, 2]]),
        (["rogue", "c", "2", "2"], [["c", 2, 2]]),
        (["rogue", "c22346", "ccc"], [["c", 2, 2, 3, 4, 6], ["c", "c", "c"]]),
        (["cockroach", "12366"], [[1, 2, 3, 6, 6]]),
        (["peruke", "1", "2", "3", "4", "5", "6"], [[1, 2, 3, 4, 5, "r6"]]),
        (["go500", "black", "25", "flag", "green"], [["black:25", "flag:green"]]),
        (["go500", "black", "25", "/", "green", "50"], [["black:25"], ["green:50"]]),
        (["go500", "black 25 10", "green 50"], [["black:25", "black:10"], ["green:50"]]),
        (["farkle", "1-1-5"], [[1, 1, 5]]),
    ],
)
def test_score_reads_dice_as_people_write_them(
    hotdice: Command, words: list[str], dice: list[list[int | str]]
) -> None:
    ran = hotdice("score", *words, "--json")
    assert [roll["dice"] for roll in ran.json()["rolls"]] == dice
    assert hotdice("score", *words).code == 0


def test_score_follows_options_and_says_when_nothing_scores(hotdice: Command) -> None:
    plain = hotdice("score", "farkle", "444455", "--json").json()["rolls"][0]["choices"][0]
    other = hotdice("score", "farkle", "444455", "--set", "four_and_pair=on", "--json")
    assert plain["points"] == 90
    assert other.json()["rolls"][0]["choices"][0]["points"] == 100
    assert hotdice("score", "farkle", "2346", "--json").json()["rolls"][0]["choices"] == []
    assert "nothing to keep" in hotdice("score", "farkle", "2346").out


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["score", "chess", "1"], "There is no game 'chess'; the games are cockroach, farkle"),
        (["score", "farkle", "1117"], "'7' is not on the dice of Farkle; the faces are 1 2 3"),
        (["score", "farkle", "1111111"], "A roll of Farkle is one to six dice with 1 to 6. (F2)"),
        (["score", "rogue", "1"], "'1' is not on the dice of Rogue"),
        (["score", "cockroach", "123456"], "A roll of Cockroach is one to five dice"),
        (["score", "peruke", "1234567"], "'7' is not on the dice of Peruke One"),
        (["score", "go500", "green", "10", "20"], "There are five black dice and one green die."),
        (["score", "go500", "black", "25", "flag"], "is not on the dice of Go 500"),
        (["score", "farkle", "1", "--set", "target=" + "9" * 30], "is at most 1,000,000"),
        (["score", "go500", "black", "5", "--set", "course=~nobody/x"], "cannot be opened"),
        (["play", "farkle", "--seat", "bot:greedy"], "write NAME or NAME=bot:LEVEL."),
        (["score", "farkle", "/"], "There are no dice to score."),
        (["score", "farkle", "1", "--set", "x=1"], "There is no option 'x'; the options are"),
        (
            ["score", "farkle", "1", "--set", "target=0"],
            "The option 'target' is at least 5, not 0.",
        ),
        (["score", "farkle"], "Missing argument 'DICE'."),
        (["score", "go500", "black", "5", "--set", "course=no/such.txt"], "cannot be opened"),
        (["rules", "chess"], "There is no game 'chess'"),
        (["replay", "no-such-file"], "no-such-file cannot be opened: No such file or directory."),
        (["play"], "Name the game to play; 'hotdice games' lists them."),
        (["play", "farkel"], "There is no game 'farkel'; did you mean 'farkle'?"),
        (["play", "farkle", "--seat", "A"], "Farkle is for 2 to 8 players, not for 1."),
        (["play", "farkle", "--seat", "A", "--seat", "a"], "Two seats have the same name"),
        (["play", "farkle", "--seat", "A=bot:x", "--seat", "B"], "There is no bot 'x'"),
        (["play", "farkle", "--seat", "A=cat", "--seat", "B"], "'A=cat' is not a seat"),
        (
            ["play", "rogue", "--first", "Zoe"],
            "'Zoe' cannot be first; the seats are Player, Greta.",
        ),
        (["play", "farkle", "--dice", "loaded"], "Dice are seeded or typed, not 'loaded'."),
        (["play", "farkle", "--dice", "typed", "--seed", "1"], "Real dice have no seed"),
        (["play", "farkle", "--seed", ""], "A seed is up to 100 printable characters."),
        (["play", "farkle", "--set", "entry=2000"], "The entry of 2,000 is above the target"),
        (["play", "farkle", "--save", "/proc/none/x"], "The game cannot be saved to /proc/none/x"),
        (
            ["play", "cockroach", *(w for n in "1234567" for w in ("--seat", n))],
            "Cockroach is for 2 to 6 players, not for 7.",
        ),
        (["juggle"], "No such command 'juggle'."),
        (["games", "--loud"], "No such option: --loud"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_2(
    hotdice: Command, words: list[str], sentence: str
) -> None:
    ran = hotdice(*words)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("hotdice: ")
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


def test_with_json_errors_are_json_too(hotdice: Command) -> None:
    ran = hotdice("score", "farkle", "9", "--json")
    assert ran.code == 2
    assert ran.json()["error"] in ran.err


def test_echoed_input_is_escaped_and_shortened(hotdice: Command) -> None:
    ran = hotdice("rules", "a\x1b[31mb")
    assert "\x1b" not in ran.err
    assert len(hotdice("rules", "x" * 5000).err) < 800


def test_help_is_shown_without_a_command(hotdice: Command) -> None:
    ran = hotdice()
    assert ran.code == 0
    assert "replay" in ran.out
    assert ran.err == ""
    assert hotdice("score", "-h").code == 0


@pytest.mark.parametrize("shell", ["{} games >&-", "{} play farkle <&-", "{} score farkle 9 2>&-"])
def test_closed_streams_cause_no_traceback(shell: str, tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("hotdice")
    done = subprocess.run(  # noqa: S602 - closed streams need a shell
        shell.format(command), shell=True, capture_output=True, check=False, cwd=tmp_path
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 2)


def test_version(hotdice: Command) -> None:
    assert hotdice("--version").out.startswith("hotdice 0.")


RUN_SCORE = """
import sys
sys.argv = ["hotdice", "score", "farkle", "115234"]
from hotdice.cli.main import run
try:
    run()
except SystemExit:
    pass
"""


@pytest.mark.parametrize("code", ["import hotdice; hotdice.load_game('farkle')", RUN_SCORE])
def test_heavy_packages_are_not_imported(tmp_path: Path, code: str) -> None:
    """Stand-ins catch an import even where the real package is not installed."""
    for name in HEAVY:
        (tmp_path / f"{name}.py").write_text("")
    check = f"\nimport sys\nassert not set({HEAVY}) & set(sys.modules)"
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", path + code + check], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_installed_command_runs_without_a_traceback() -> None:
    command = Path(sys.executable).with_name("hotdice")
    done = subprocess.run(  # noqa: S603 - our own command
        [command, "score", "farkle", "999"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_a_closed_pipe_causes_no_traceback() -> None:
    command = Path(sys.executable).with_name("hotdice")
    done = subprocess.run(  # noqa: S602 - a real pipe that closes early
        f"{command} rules farkle | head -c 10", shell=True, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr
