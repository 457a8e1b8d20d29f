from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from hotdice import Die, Drawn, Face
from hotdice.core.dice import chances, numbered_die, numbered_face, selections, without

D6 = numbered_die("die", "white")
RED = numbered_die("red", "red", base=10, prefix="r")
LOADED = Die("loaded", "blue", (Face(20, "x", "x", 3), Face(21, "y", "y", 1)))


@pytest.mark.parametrize(
    "dice", [(D6,), (D6,) * 4, (D6, D6, RED), (LOADED,) * 3, (LOADED, D6, RED), ()]
)
def test_chances_agree_with_counting_every_throw(dice: tuple[Die, ...]) -> None:
    sides = [[f.code for f in die.faces for _ in range(f.weight)] for die in dice]
    throws = Counter(tuple(sorted(throw)) for throw in product(*sides))
    whole = sum(throws.values())
    counted = {faces: Fraction(n, whole) for faces, n in throws.items()}
    assert dict(chances(dice)) == counted
    assert [faces for faces, _ in chances(dice)] == sorted(counted)


def test_six_dice_have_462_distinct_rolls() -> None:
    assert len(chances((D6,) * 6)) == 462
    assert dict(chances((D6,) * 6))[1, 2, 3, 4, 5, 6] == Fraction(720, 46656)


def test_selections_are_distinct_and_not_empty() -> None:
    assert list(selections((1, 1, 5))) == [(5,), (1,), (1, 5), (1, 1), (1, 1, 5)]
    assert list(selections(())) == []


def test_without_removes_dice_or_raises() -> None:
    assert without((5, 1, 1), (1,)) == (1, 5)
    with pytest.raises(ValueError, match="not in list"):
        without((5, 1), (2,))


def test_small_numbers_are_drawn_as_pips_and_others_as_text() -> None:
    assert (numbered_face(6, "6", 6).drawn, numbered_face(6, "6", 6).pips) == (Drawn.PIPS, 6)
    assert (numbered_face(7, "7", 7).drawn, numbered_face(7, "7", 7).label) == (Drawn.TEXT, "7")


def test_dice_that_are_drawn_differently_are_different() -> None:
    plain = Die("die", "white", tuple(Face(n, str(n), str(n)) for n in range(1, 7)))
    assert plain != D6
    assert hash(plain) == hash(D6)  # leaves the drawing out, to be fast
