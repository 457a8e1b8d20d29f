"""Course and dice-set files: good ones, and errors that name the line."""

from pathlib import Path

import pytest

from hotdice import BadOption
from hotdice.games.go500 import Course, DiceSet, Go500, Go500Options
from hotdice.games.go500.courses import shipped_courses
from hotdice.games.go500.dice_set import Side

DICE = {
    "name": "mine",
    "black": "0 5 (10)",
    "green": "flat (20)",
    "flag": "green black",
    "yellow": "-5 lights",
    "red": "-10 crash X",
}


def dice_text(**changes: str) -> str:
    return "".join(f"{key}: {value}\n" for key, value in {**DICE, **changes}.items())


def refusal(tmp_path: Path, option: str, text: str) -> str:
    path = tmp_path / "file.txt"
    path.write_text(text)
    with pytest.raises(BadOption) as refused:
        Go500Options.read_pairs([f"{option}={path}"], files=True)
    sentence = str(refused.value)
    assert "\n" not in sentence
    return sentence


def test_four_courses_ship_two_of_them_with_both_weathers() -> None:
    courses = shipped_courses()
    assert set(courses) >= {"oval", "streets", "pass", "grand"}
    assert [name for name, course in courses.items() if len(course.weathers) == 2] == [
        "pass",
        "streets",
    ]
    assert all(segment.limits == (None,) for segment in courses["oval"].segments)
    for course in courses.values():
        assert course.name in courses
        assert course.about
        for segment in course.segments:
            good, poor = segment.limits[0], segment.limits[-1]
            if len(course.weathers) == 2 and good is not None:
                assert poor is not None
                assert poor < good, "poor weather has lower limits"


@pytest.mark.parametrize("name", shipped_courses())
def test_a_course_round_trips_as_its_name_and_as_one_line(name: str) -> None:
    course = shipped_courses()[name]
    assert Course.read(course.text()) == course
    assert course.text() == name
    other = Course("other", course.about, course.segments)
    assert Course.read(other.text()) == other


def test_a_dice_set_round_trips_as_one_line() -> None:
    mine = DiceSet.read(dice_text().replace("\n", ";"))
    assert DiceSet.read(mine.text()) == mine
    assert mine.sides[0] == (Side(0), Side(5), Side(10, "", circled=True))
    assert Go500Options().dice.text() == "house"


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "The line 'name: …' is missing."),
        ("name: a\n", "A course has 1 to 100 segments."),
        ("name: a\nsegment: Bend\n", "Line 2: A segment is written 'segment: Name = limit'."),
        ("name: a\nsegment: Bend = fast\n", "Line 2: 'fast' is not a limit"),
        ("name: a\nsegment: Bend = 0\n", "Line 2: '0' is not a limit"),
        ("name: a\nsegment: Bend = 1001\n", "Line 2: '1001' is not a limit"),
        ("name: a\nsegment: Bend = 00010\n", "Line 2: '00010' is not a limit"),
        (f"name: a\nsegment: Bend = 1{'0' * 5000}\n", "Line 2: '10000"),
        ("name: a\nsegment: = 50\n", "Line 2: A segment's name has 1 to 40"),
        (
            "name: a\nweather: good poor\nsegment: Bend = 50 / 80\n",
            "Line 3: Poor weather has no higher limit than good.",
        ),
        (
            "name: a\nweather: good poor\nsegment: Bend = 50 / none\n",
            "Line 3: Poor weather has no higher limit than good.",
        ),
        ("name: a\nsegment: Bend = 50 / 40\n", "Line 2: The segment needs one limit, after '='."),
        (
            "name: a\nweather: good poor\n\n# hm\nsegment: Bend = 50\n",
            "Line 5: The segment needs two limits, good / poor, after '='.",
        ),
        ("name: a\nweather: fog\nsegment: B = 5\n", "Line 2: Weather is 'good' or 'good poor'."),
        ("name: a\nname: b\nsegment: B = 5\n", "Line 2: 'name' is given a second time."),
        ("name: a\nspeed: 5\n", "Line 2: 'speed' is unknown; the lines are name, about, weather"),
        ("name: a\nnonsense\n", "Line 2: 'nonsense' should be 'key: value'."),
        ("name: a\nsegment:\n", "Line 2: 'segment:' should be 'key: value'."),
        (f"name: {'a' * 41}\nsegment: B = 5\n", "Line 1: A name has 1 to 40 characters"),
        ("name: a=b\nsegment: B = 5\n", "Line 1: A name has 1 to 40 characters without ; = # :"),
        (f"name: a\nabout: {'x' * 201}\nsegment: B = 5\n", "Line 2: About is at most 200"),
        (f"name: a\nsegment: {'x' * 41} = 5\n", "Line 2: A segment's name has 1 to 40"),
    ],
)
def test_a_bad_course_file_names_the_line(tmp_path: Path, text: str, sentence: str) -> None:
    found = refusal(tmp_path, "course", text)
    assert sentence in found
    assert "the course file" in found


@pytest.mark.parametrize(
    "text, sentence",
    [
        (dice_text(black="0 5 five"), "Line 2: 'five' cannot be on a black die; a number can."),
        (dice_text(green="flat (flat)"), "Line 3: '(flat)' cannot be on a green die; flat, a"),
        (dice_text(flag="green blue"), "Line 4: 'blue' cannot be on a flag die; green, yellow"),
        (dice_text(flag="green 5"), "Line 4: '5' cannot be on a flag die"),
        (dice_text(yellow="-5 (lights)"), "Line 5: Only black and green numbers are circled."),
        (dice_text(red="-5 10"), "Line 6: A penalty of 10 is above 0; write -10."),
        (dice_text(yellow="5"), "Line 5: A penalty of 5 is above 0; write -5."),
        (dice_text(black="1001"), "Line 2: Numbers go from -1000 to 1000."),
        (dice_text(black="0000000005000"), "Line 2: Numbers go from -1000 to 1000."),
        (dice_text(black="-1001"), "Line 2: Numbers go from -1000 to 1000."),
        (dice_text(black=" ".join(["1"] * 21)), "Line 2: A die has at most 20 sides."),
        (dice_text(blue="1"), "Line 7: 'blue' is unknown; the lines are name, black, green"),
        ("name: a\nblack: 1\n", "The line 'green: …' is missing."),
    ],
)
def test_a_bad_dice_file_names_the_line(tmp_path: Path, text: str, sentence: str) -> None:
    found = refusal(tmp_path, "dice", text)
    assert sentence in found
    assert "the dice-set file" in found


def test_files_that_cannot_be_opened_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(BadOption, match="cannot be opened"):
            Go500Options.read_pairs([f"course={path}/"], files=True)
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadOption, match="is not text"):
        Go500Options.read_pairs([f"dice={binary}"], files=True)
    with pytest.raises(BadOption, match="it is written out, not in a file"):
        Go500Options.read_pairs(["penalties=a/b"], files=True)


def test_long_files_are_refused(tmp_path: Path) -> None:
    assert "too long" in refusal(tmp_path, "course", "name: a\n" + "#" * 30_000)


def test_extreme_but_valid_files_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "edge.txt"
    path.write_text(dice_text(black=" ".join(["1000"] * 20), red="0 -1000", yellow="0"))
    options = Go500Options.read_pairs([f"dice={path}"], files=True)
    black = Go500(options).dice[0]
    assert (len(black.sides), len(black.faces), black.faces[0].weight) == (20, 1, 20)
    course = tmp_path / "course.txt"
    course.write_text(f"name: {'n' * 40}\nabout: {'x' * 200}\n" + "segment: B = 1000\n" * 100)
    assert len(Go500Options.read_pairs([f"course={course}"], files=True).course.segments) == 100


def test_a_circled_and_a_plain_side_have_different_tokens() -> None:
    game = Go500(Go500Options(dice=DiceSet.read(dice_text(black="5 (5)").replace("\n", ";"))))
    assert [face.token for face in game.dice[0].faces] == ["black:5", "black:5o"]
    assert [face.ring for face in game.dice[0].faces] == [False, True]
