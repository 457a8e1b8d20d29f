"""The conformance suite for games, built-in or third-party.

Testing a new game takes one line::

    hotdice.conformance.check_game(MyGame(), random.Random(1))

Every check raises ``AssertionError`` with a sentence that says what is broken.
"""

from __future__ import annotations

import dataclasses
import re
from functools import cache, lru_cache
from random import Random
from typing import Any

from hotdice.core.dice import MAX_PIPS, Die, Drawn, chances
from hotdice.core.due import Over, Result, ToChoose, ToRoll
from hotdice.core.errors import BadOption, BadSetup, HotDiceError, IllegalEvent, UnreadableText
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.game import AnyGame, Game
from hotdice.core.look import BadLook, poor_contrasts
from hotdice.core.perft import offers
from hotdice.core.playthrough import check as check_example
from hotdice.core.playthrough import examples
from hotdice.core.record import Record, read_record
from hotdice.core.view import Place
from hotdice.core.words import seat_name
from hotdice.server.looks import checked_look, draw_look

_MOST_EVENTS = 20_000
_CLAUSE = re.compile(r"\b[A-Z]{1,3}\d{1,2}\b")


def check_game(game: AnyGame, rng: Random, *, games: int = 3) -> None:
    """Run all checks.

    Args:
        game: the rule set.
        rng: the random numbers for random play.
        games: how many games to play for each number of players.
    """
    check_identity(game)
    check_options(game)
    check_rules(game)
    check_look(game)
    check_seats(game)
    for players in sorted({game.min_players, min(3, game.max_players), game.max_players}):
        for _ in range(games):
            check_play(game, players, rng)


def check_identity(game: AnyGame) -> None:
    """Check that names, faces and words are valid and distinct."""
    _ensure(re.fullmatch(r"[a-z][a-z0-9_]*", game.slug), f"'{game.slug}' is not a valid slug")
    _ensure(game.title and game.summary, "a game needs a title and a summary")
    _ensure(1 <= game.min_players <= game.max_players, "min_players and max_players are invalid")
    faces = [face for die in game.dice for face in die.all_faces()]
    _ensure(len({f.code for f in faces}) == len(faces), "two faces share a code")
    _ensure(len({f.token for f in faces}) == len(faces), "two faces share a token")
    for face in faces:
        _ensure(not re.search(r"[\s,;={}/|]", face.token), f"'{face.token}' cannot be a token")
        _ensure(face.token not in game.thens, f"'{face.token}' is also one of the thens")
    check_drawing(game)
    for word in (*game.verbs, *game.thens):
        _ensure(re.fullmatch(r"[a-z]+", word), f"'{word}' is not a valid word for choices")
    for word in game.verbs:
        _ensure(word not in game.codes, f"'{word}' is also a face")


def check_drawing(game: AnyGame) -> None:
    """Check that every face can be drawn and that dice differ in more than colour."""
    kinds = {die.name: die.called for die in game.dice}
    _ensure(len(set(kinds.values())) == len(kinds), "two kinds of dice have the same 'called'")
    for die in game.dice:
        for face in die.all_faces():
            drawn = face.drawn
            pips = 1 <= face.pips <= MAX_PIPS if drawn is Drawn.PIPS else face.pips == 0
            _ensure(pips, f"'{face.token}' has {face.pips} pips but is drawn as {drawn}")
            flag = bool(face.flag) == (drawn is Drawn.FLAG)
            _ensure(flag, f"'{face.token}' has flag '{face.flag}' but is drawn as {drawn}")
            shown = die.called if drawn is Drawn.BLANK else face.label
            _ensure(shown, f"'{face.token}' shows nothing")


def check_look(game: AnyGame) -> None:
    """Check that the game's look can be used, and that its colours can be read."""
    try:
        look = checked_look(type(game))
        draw_look(game, look)
    except BadLook as error:
        raise AssertionError(str(error)) from error
    for problem in poor_contrasts(look):
        raise AssertionError(problem)


def check_options(game: AnyGame) -> None:
    """Check that options are documented, bounded and survive a round trip through text."""
    kind = type(game).options_type
    for info in kind.describe():
        _ensure(info.doc.endswith("."), f"the option '{info.name}' is not documented by a sentence")
        _ensure(_CLAUSE.fullmatch(info.clause), f"the option '{info.name}' cites no clause")
    for full in (False, True):
        text = game.options.text(full=full)
        _ensure("\n" not in text, "the text of options is not one line")
        _ensure(kind.read(text) == game.options, "options change in a round trip through text")
    for field in dataclasses.fields(kind):
        for bound, past in (("low", -1), ("high", 1)):
            edge = field.metadata[bound]
            if edge is not None and not isinstance(field.default, tuple):
                _refuses(lambda n=field.name, v=edge + past: kind(**{n: v}), BadOption)
    _refuses(lambda: kind.read("no_such_option=1"), BadOption)


def check_rules(game: AnyGame) -> None:
    """Check that the rules have clauses and that their examples hold."""
    text = game.rules_text()
    _ensure(text.startswith(f"# {game.title}"), "rules.md does not start with the title")
    _ensure(_CLAUSE.search(text), "rules.md has no clauses")
    found = list(examples(text))
    _ensure(found, "rules.md has no example")
    for example in found:
        check_example(type(game), example)


def check_seats(game: AnyGame) -> None:
    """Check that invalid numbers of players and first seats are refused."""
    for players in (0, game.min_players - 1, game.max_players + 1):
        _refuses(lambda p=players: game.start(p), BadSetup)
    _refuses(lambda: game.start(game.min_players, game.min_players), BadSetup)


def check_play(game: AnyGame, players: int, rng: Random) -> None:
    """Play one random game and check every state."""
    state = game.start(players, rng.randrange(players))
    first = next(s for s in range(players) if game.start(players, s) == state)
    names = [seat_name(seat) for seat in range(players)]
    events: list[Event] = []
    while not isinstance(game.due(state), Over):
        check_state(game, state, rng)
        event = _random_event(game, state, rng)
        after = game.apply(state, event)
        told = game.tell(state, event, after, names)
        _ensure(told.endswith((".", "!")) and "\n" not in told, f"'{told}' is not a sentence")
        events.append(event)
        state = after
        _ensure(len(events) < _MOST_EVENTS, "random play does not end")
    check_state(game, state, rng)
    check_end(game, state, players)
    record = Record(game, tuple(names), tuple(events), first)
    again = read_record(record.text(), type(game))
    _ensure(again.events == record.events, "a record changes in a round trip through text")
    _ensure(again.state() == state, "a replay ends in another state")


def check_state(game: AnyGame, state: Any, rng: Random) -> None:
    """Check the contract at one state."""
    _ensure(hash(state) == hash(state._replace()), "equal states have different hashes")
    text = game.state_text(state)
    _ensure(text and "\n" not in text, "the text of a state is not one line")
    _ensure(game.read_state(text) == state, f"'{text}' is parsed as another state")
    due, choices = game.due(state), game.choices(state)
    _ensure(len(set(choices)) == len(choices), "a choice is listed twice")
    _ensure(isinstance(due, ToChoose) == bool(choices), "choices and due disagree")
    _ensure(isinstance(due, ToRoll) == bool(game.rolls(state)), "rolls and due disagree")
    if isinstance(due, ToRoll):
        _check_chances(due.dice)
    offered = [event for event, _ in offers(game, state)]
    for event in rng.sample(offered, min(4, len(offered))):
        _check_event(game, state, event)
    _check_refusals(game, state, rng)
    _check_view(game, state)


@cache
def _check_chances(dice: tuple[Die, ...]) -> None:
    rolls = chances(dice)
    _ensure(sum(chance for _, chance in rolls) == 1, "the chances of the rolls do not sum to 1")
    _ensure(len(dict(rolls)) == len(rolls), "a roll is listed twice")


def check_end(game: AnyGame, state: Any, players: int) -> None:
    """Check the result of a finished game."""
    due = game.due(state)
    result = due.result if isinstance(due, Over) else Result((), (), "", "")
    _ensure(len(result.scores) == players, "the result does not have a score for every seat")
    _ensure(all(0 <= seat < players for seat in result.winners), "a winner is not one of the seats")
    _ensure(_CLAUSE.fullmatch(result.clause), "the result cites no clause")
    _ensure(result.why.endswith("."), "the reason of the result is not a sentence")
    _ensure(0 <= game.rematch_first(result) < players, "rematch_first is not one of the seats")


def _random_event(game: AnyGame, state: Any, rng: Random) -> Event:
    if isinstance(game.due(state), ToRoll):
        rolls = game.rolls(state)
        return rng.choices([r for r, _ in rolls], [float(chance) for _, chance in rolls])[0]
    return rng.choice(game.choices(state))


@lru_cache(maxsize=8)
def _reader(game: AnyGame) -> AnyGame:
    """A copy of the game with an empty parse cache."""
    return type(game)(game.options)


def _check_event(game: AnyGame, state: Any, event: Event) -> None:
    text = game.event_text(event)
    _ensure(_reader(game).read_event(text) == event, f"'{text}' is parsed as another event")
    before = game.state_text(state)
    after = game.apply(state, event)
    _ensure(game.apply(state, event) == after, f"'{text}' does not always lead to the same state")
    _ensure(game.state_text(state) == before, f"'{text}' changed the state it was applied to")
    if isinstance(event, Choice):
        meaning = game.meaning(state, event)
        _ensure(meaning.words and meaning.effect, f"'{text}' is not described")
        if meaning.whose is not None:
            names = seat_name(meaning.whose) in meaning.words
            _ensure(names, f"the words of '{text}' do not name the seat they speak of")
        over = game.turn_over(state, event, after)
        _ensure(meaning.ends_turn == over, f"ends_turn of '{text}' is wrong")
        _ensure(game.pick(state, text) == event, f"'{text}' picks another choice")
    else:
        mixed = Roll(tuple(reversed(event.faces)))
        _ensure(game.apply(state, mixed) == after, "the order of the dice matters")


def _check_refusals(game: AnyGame, state: Any, rng: Random) -> None:
    """Check that illegal events are refused with a clause and change nothing."""
    before = game.state_text(state)
    due = game.due(state)
    codes = sorted(game.codes.values())
    wrong: list[Event] = [Roll(()), Roll((-1,) * 3), Roll(tuple(rng.choices(codes, k=9)))]
    wrong += [Choice("juggle"), Choice(game.verbs[0], (-1,)), Choice("", ())]
    if not isinstance(due, ToRoll):
        wrong.append(Roll((codes[0],)))
    legal = set(game.choices(state))
    wrong += [choice._replace(then=f"{choice.then}x") for choice in sorted(legal)[:3]]
    for verb in game.verbs:
        dice = tuple(sorted(rng.choices(codes, k=rng.randrange(4))))
        wrong += [Choice(verb, dice, then) for then in ("", *game.thens)]
    for event in wrong:
        if event in legal:
            continue
        try:
            game.apply(state, event)
        except IllegalEvent as error:
            _ensure(_CLAUSE.fullmatch(error.clause), f"the refusal of {event} cites no clause")
            _ensure(str(error), f"the refusal of {event} has no message")
        else:
            raise AssertionError(f"{event} is illegal but accepted at {before}")
    _ensure(game.state_text(state) == before, "a refused event changed the state")
    _refuses(lambda: game.read_event("no such event"), UnreadableText)
    _refuses(lambda: game.read_state("no such state"), UnreadableText)


def _check_view(game: AnyGame, state: Any) -> None:
    view = game.view(state)
    due = game.due(state)
    seats = range(game.players(state))
    tracks = [(track.seat, track.value, track.pending) for track in view.tracks]
    facts = [(seat, game.score(state, seat), game.at_stake(state, seat)) for seat in seats]
    _ensure(tracks == facts, "the tracks differ from score and at_stake")
    _ensure(view.prompt.endswith((".", "!")), f"'{view.prompt}' is not a sentence")
    seat = None if isinstance(due, Over) else due.seat
    _ensure(view.seat == seat, "the view has the wrong seat to act")
    shown = [choice.text for choice in view.choices]
    offered = [game.event_text(choice) for choice in game.choices(state)]
    _ensure(shown == offered, "the view does not list the legal choices")
    plain = Game.choice_views(game, state, game.choices(state))
    _ensure(view.choices == plain, "the views of the choices differ from their meanings")
    tray = [die.code for die in view.dice if die.place in (Place.TRAY, Place.KEPT)]
    for choice in view.choices:
        for code in set(choice.dice):
            _ensure(choice.dice.count(code) <= tray.count(code), "a choice uses dice not shown")
    taken = {code for choice in view.choices for code in choice.dice}
    idle = {die.code for die in view.dice if die.place is Place.TRAY} - taken
    told = [one.code for one in view.unused]
    _ensure(told == (sorted(idle) if view.choices else []), "other dice are unused than it says")
    for blocked in view.blocked:
        _ensure(blocked.reason.endswith("."), "the reason of a blocked action is not a sentence")


def _ensure(held: object, broken: str) -> None:
    if not held:
        raise AssertionError(broken)


def _refuses(call: Any, error: type[HotDiceError]) -> None:
    try:
        call()
    except error:
        return
    raise AssertionError(f"{error.__name__} was not raised")
