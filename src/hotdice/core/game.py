"""The contract that games implement.

A game is a rule set with its options fixed. It never rolls dice and never changes a
state: ``apply`` returns the next state or raises ``IllegalEvent`` (K1, K2).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from hotdice.core.caching import put
from hotdice.core.dice import Die, Face, Faces, chances
from hotdice.core.die_views import die_views, unused
from hotdice.core.due import Due, Over, Result, ToRoll
from hotdice.core.errors import BadSetup, IllegalEvent, IllegalState, UnreadableText
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.options import Options
from hotdice.core.parsing import pick_choice, read_choice, read_faces, sort_roll
from hotdice.core.state_text import read_state, write_faces, write_state
from hotdice.core.view import Blocked, ChoiceView, DieView, Place, View
from hotdice.core.words import die_name, quoted

if TYPE_CHECKING:
    from fractions import Fraction

    from hotdice.core.look import Look

S = TypeVar("S", bound=tuple[Any, ...])
O = TypeVar("O", bound=Options)  # noqa: E741 - the conventional initial of its bound


__all__ = ["AnyGame", "Game", "Keep", "Meaning", "O", "S"]

_CACHE_SIZE = 5000
_MOST_QUOTED = 120
"""Long enough for a whole roll of dice with long names."""


class Game(ABC, Generic[S, O]):
    """A rule set with its options fixed; games subclass this and nothing else."""

    slug: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    min_players: ClassVar[int]
    max_players: ClassVar[int]
    options_type: ClassVar[type[Options]]
    state_type: ClassVar[type[tuple[Any, ...]]]
    verbs: ClassVar[tuple[str, ...]]
    thens: ClassVar[tuple[str, ...]] = ()
    risky: ClassVar[bool] = True
    """Whether a roll can lose what a turn has made; if not, a poor roll only ends the turn."""
    goal: ClassVar[str] = ""
    """What a single player can win, as a noun; empty if only points count without opponents."""
    quick: ClassVar[Mapping[str, str]] = {}
    """The options of *Play now*: the first seat begins, and what the game is about is in it."""

    options: O
    dice: tuple[Die, ...]
    """Every kind of die the game may roll under its options."""

    def __init__(self, options: O | None = None) -> None:
        self.options = options if options is not None else self._default_options()
        self.dice = self.make_dice()

    @classmethod
    def _default_options(cls) -> Any:
        return cls.options_type()

    @classmethod
    def with_options(cls, options: str) -> Self:
        """The game with options given as text, for instance ``target=500``."""
        read: Any = cls.options_type.read(options)
        return cls(read)

    # Implemented by games ---------------------------------------------------------------

    @abstractmethod
    def make_dice(self) -> tuple[Die, ...]:
        """The kinds of dice of this rule set."""

    @abstractmethod
    def begin(self, players: int, first: int) -> S:
        """The state before the first event; ``players`` and ``first`` are valid."""

    @abstractmethod
    def due(self, state: S) -> Due:
        """What has to happen next: a roll, a choice, or nothing because the game is over."""

    @abstractmethod
    def players(self, state: S) -> int:
        """How many seats play."""

    @abstractmethod
    def score(self, state: S, seat: int) -> int:
        """The recorded points of a seat."""

    @abstractmethod
    def choices(self, state: S) -> tuple[Choice, ...]:
        """Every legal choice once, in a stable order; empty if no choice is due."""

    @abstractmethod
    def rolled(self, state: S, faces: Faces) -> S:
        """The state after this roll; raises ``IllegalEvent``."""

    @abstractmethod
    def chosen(self, state: S, choice: Choice) -> S:
        """The state after this choice; raises ``IllegalEvent``."""

    @abstractmethod
    def meaning(self, state: S, choice: Choice) -> Meaning:
        """What a legal choice does in this state."""

    @abstractmethod
    def keeps(self, faces: Faces) -> tuple[Keep, ...]:
        """Every way to use a roll of these dice, best first; raises ``IllegalEvent``."""

    @abstractmethod
    def begins_turn(self, state: S) -> bool:
        """Whether the state is the start of a turn."""

    @abstractmethod
    def tell(self, before: S, event: Event, after: S, names: Sequence[str]) -> str:
        """One short sentence saying what just happened."""

    @abstractmethod
    def show(self, state: S) -> View:
        """The view of the state, without its choices."""

    @abstractmethod
    def problem(self, state: S) -> str | None:
        """Why the state cannot occur with these options; ``None`` if it can."""

    def at_stake(self, state: S, seat: int) -> int:
        """The points of a seat's current turn that are not recorded yet."""
        return 0

    def set_aside(self, state: S) -> Faces:
        """The dice that lie aside, where choices have put them."""
        return ()

    def turn_key(self, state: S) -> Hashable:
        """The part of a state that matters within its turn, apart from points and scores.

        Solvers merge states with equal keys, but not states whose key is ``None``.
        """
        return None

    def turn_over(self, before: S, event: Event, after: S) -> bool:
        """Whether the event ended the turn."""
        acted, due = self.due(before), self.due(after)
        if isinstance(due, Over) or isinstance(acted, Over) or due.seat != acted.seat:
            return True
        fresh = isinstance(event, Roll) or not self.begins_turn(before)
        return fresh and self.begins_turn(after)

    def blocked(self, state: S) -> tuple[Blocked, ...]:
        """Actions that a player may expect but that are not allowed here, with the reason."""
        return ()

    def idle(self, state: S) -> tuple[int, ...] | None:
        """The dice in the tray that no choice takes, sorted; ``None`` to try all choices."""
        return None

    def why_unused(self, state: S, code: int) -> str:
        """Why no choice takes this die of the tray now, as a sentence."""
        return f"No choice takes the {die_name(self, code)} now."

    def taking(self, state: S) -> str:
        """How dice may be taken together, as a sentence; empty if any selection will do."""
        return ""

    def pointless(self, state: S, choice: Choice) -> bool:
        """Whether a choice rolls dice although another makes no less whatever they show."""
        return False

    def series(self, state: S) -> tuple[int, ...]:
        """The points of each finished game, where the rules add up several to a series."""
        return ()

    def show_end(self, before: S, event: Event) -> View | None:
        """The last view of a game of a series that an event ended, if the next one has begun."""
        return None

    def rematch_first(self, result: Result) -> int:
        """The seat that is first in a rematch."""
        return 0

    # Derived ------------------------------------------------------------------------------

    def start(self, players: int, first: int = 0) -> S:
        """The state before the first event.

        Args:
            players: how many seats play.
            first: the seat that comes first, where no rule decides it.
        """
        if not self.min_players <= players <= self.max_players:
            raise BadSetup(f"{self.title} is for {self.players_text()}, not for {players}.")
        if not 0 <= first < players:
            raise BadSetup(f"Seat {first + 1} cannot be first; there are {players} seats.")
        return self.begin(players, first)

    def apply(self, state: S, event: Event) -> S:
        """The state after the event; raises ``IllegalEvent``."""
        if isinstance(event, Roll):
            return self.rolled(state, event.faces)
        return self.chosen(state, event)

    def rolls(self, state: S) -> tuple[tuple[Roll, Fraction], ...]:
        """Every distinct roll with its exact probability; empty if no roll is due."""
        due = self.due(state)
        if not isinstance(due, ToRoll):
            return ()
        return tuple((Roll(faces), chance) for faces, chance in chances(due.dice))

    @classmethod
    def players_text(cls) -> str:
        """How many may play, for instance ``2 to 8 players``."""
        low, high = cls.min_players, cls.max_players
        if low != high:
            return f"{low} to {high} players"
        return f"{low} player" if low == 1 else f"{low} players"

    @classmethod
    def rules_text(cls) -> str:
        """The game's ``rules.md``, which is next to its code."""
        from importlib.resources import files  # noqa: PLC0415 - play needs no rule text

        return files(cls.__module__.rpartition(".")[0]).joinpath("rules.md").read_text("utf-8")

    @classmethod
    def look(cls) -> Look:
        """The game's look, from the folder ``look`` next to its code; raises ``BadLook``."""
        from hotdice.core.look import find_look  # noqa: PLC0415 - play needs no look

        return find_look(cls.__module__.rpartition(".")[0])

    # Text ---------------------------------------------------------------------------------

    @cached_property
    def faces(self) -> Mapping[int, Face]:
        """Every face of every die by its code."""
        return {face.code: face for die in self.dice for face in die.all_faces()}

    @cached_property
    def tokens(self) -> Mapping[int, str]:
        """The text of every face by its code."""
        return {code: face.token for code, face in self.faces.items()}

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The code of every face by its text."""
        return {token: code for code, token in self.tokens.items()}

    def dice_text(self, faces: Faces) -> str:
        """Dice as text: ``115`` or ``black:25,flag:green``."""
        return write_faces(faces, self.tokens)

    def state_text(self, state: S) -> str:
        """The state as one line."""
        return write_state(state, self.tokens)

    def read_state(self, text: str) -> S:
        """The state a line describes; raises ``UnreadableText`` or ``IllegalState``."""
        state: S = read_state(text, self.state_type, self.codes)  # type: ignore[assignment]
        problem = self.problem(state)
        if problem:
            raise IllegalState(f"This state cannot occur in {self.title}: {problem}.")
        return state

    def event_text(self, event: Event) -> str:
        """The event as one line."""
        text = self._text_cache.get(event)
        if text is None:
            text = self._event_text(event)
            put(self._text_cache, event, text, _CACHE_SIZE)
            if isinstance(event, Roll) and event.faces:
                put(self._parse_cache, text, event, _CACHE_SIZE)  # pre-fill: the log parses it next
        return text

    def _event_text(self, event: Event) -> str:
        if isinstance(event, Roll):
            return self.dice_text(event.faces)
        words = (event.verb, self.dice_text(event.dice) if event.dice else "", event.then)
        return " ".join(word for word in words if word)

    @cached_property
    def _text_cache(self) -> dict[Event, str]:
        """The cache of ``event_text``."""
        return {}

    def read_event(self, text: str) -> Event:
        """The event a line describes; raises ``UnreadableText``."""
        event = self._parse_cache.get(text)
        if event is None:
            event = self._read_event(text)
            put(self._parse_cache, text, event, _CACHE_SIZE)
        return event

    @cached_property
    def words_cache(self) -> dict[Faces, str]:
        """The cache of ``words.dice_words``."""
        return {}

    @cached_property
    def _parse_cache(self) -> dict[str, Event]:
        """The cache of ``read_event``."""
        return {}

    def _read_event(self, text: str) -> Event:
        first = text.split(maxsplit=1)[0] if text.strip() else ""
        if first in self.verbs:
            return read_choice(text, self.thens, self.codes)
        words = text.split(",") if "," in text or text in self.codes else list(text)
        if not words or any(word not in self.codes for word in words):
            raise UnreadableText(
                f"{quoted(text, _MOST_QUOTED)} is neither a roll nor a choice of {self.title}."
            )
        return Roll(tuple(self.codes[word] for word in words))

    def read_dice(self, text: str) -> Faces:
        """Parse typed dice, in the order given: ``1 1 5``, ``115``, ``black 25 flag green``."""
        return read_faces(text, self.dice, self.title)

    def read_roll(self, state: S, text: str) -> Roll:
        """Parse a typed roll of the dice that are due."""
        due = self.due(state)
        if not isinstance(due, ToRoll):
            raise IllegalEvent("No dice have to be rolled now.", "K2")
        return Roll(sort_roll(text, due.dice, self.title))

    def pick(self, state: S, text: str) -> Choice:
        """The legal choice that a text means; raises if it is unreadable, ambiguous or illegal."""
        return pick_choice(self, state, text)

    # Views --------------------------------------------------------------------------------

    def view(self, state: S, names: Sequence[str] = ()) -> View:
        """Everything a surface shows of the state, choices included.

        Args:
            state: the state.
            names: the seats' names, for choices that speak of a seat; none if nobody knows them.
        """
        shown = self.show(state)
        if choices := self.choices(state):
            shown.choices = self.choice_views(state, choices, names)
            shown.blocked = self.blocked(state)
            shown.taking = self.taking(state)
            shown.unused = unused(self, state, shown, choices)
        return shown

    def choice_views(
        self, state: S, choices: Sequence[Choice], names: Sequence[str] = ()
    ) -> tuple[ChoiceView, ...]:
        """The views of choices; this runs for every event of every table."""
        shown = []
        for one in choices:
            points, left, words, effect, ends_turn, _ = self.meaning(state, one).named(names)
            view = ChoiceView(self.event_text(one), *one, points, left, words, effect, ends_turn)
            shown.append(view)
        return tuple(shown)

    def dice_view(self, faces: Faces, place: Place) -> tuple[DieView, ...]:
        """The views of dice in one place."""
        if not faces:
            return ()
        shown = self._die_views[place]
        return tuple([shown[code] for code in faces])

    @cached_property
    def _die_views(self) -> Mapping[Place, Mapping[int, DieView]]:
        """The view of every face in every place."""
        return die_views(self)


AnyGame = Game[Any, Any]
"""A game with any types of state and options."""
