import pytest

from hotdice import UnknownGame, game_names, game_type, load_game


def test_the_five_games_are_found() -> None:
    assert set(game_names()) == {"farkle", "rogue", "cockroach", "peruke", "go500"}
    assert all(game_type(name).slug == name for name in game_names())


def test_game_names_are_normalised_and_typos_get_a_suggestion() -> None:
    assert game_type(" Farkle ").slug == "farkle"
    with pytest.raises(UnknownGame, match="There is no game 'farkel'; did you mean 'farkle'"):
        game_type("farkel")
    with pytest.raises(UnknownGame, match="the games are cockroach, farkle, go500, peruke, rogue"):
        load_game("chess")
