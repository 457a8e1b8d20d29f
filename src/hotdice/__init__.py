"""Hot Dice: the home of push-your-luck dice games.

>>> import hotdice
>>> game = hotdice.load_game("farkle", "starts=seat")
>>> state = game.start(players=2)
>>> state = game.apply(state, game.read_event("111234"))
>>> game.event_text(game.choices(state)[0])
'keep 111 bank'
"""

from hotdice.core.dice import Die, Drawn, Face, Faces, numbered_die
from hotdice.core.due import Due, Over, Result, ToChoose, ToRoll
from hotdice.core.errors import (
    AmbiguousText,
    BadOption,
    BadSetup,
    HotDiceError,
    IllegalEvent,
    IllegalState,
    UnknownGame,
    UnreadableText,
)
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.game import Game
from hotdice.core.look import Look
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.options import Options, option
from hotdice.core.record import Record, read_record
from hotdice.core.registry import game_names, game_type, load_game
from hotdice.core.view import (
    Badge,
    Blocked,
    ChoiceView,
    DieView,
    DiscView,
    Gauge,
    Group,
    Meter,
    Milestone,
    Mood,
    Place,
    Stage,
    Track,
    Unused,
    View,
    Wanted,
)

__version__ = "0.1.0"

__all__ = [
    "AmbiguousText",
    "BadOption",
    "BadSetup",
    "Badge",
    "Blocked",
    "Choice",
    "ChoiceView",
    "Die",
    "DieView",
    "DiscView",
    "Drawn",
    "Due",
    "Event",
    "Face",
    "Faces",
    "Game",
    "Gauge",
    "Group",
    "HotDiceError",
    "IllegalEvent",
    "IllegalState",
    "Keep",
    "Look",
    "Meaning",
    "Meter",
    "Milestone",
    "Mood",
    "Options",
    "Over",
    "Place",
    "Record",
    "Result",
    "Roll",
    "Stage",
    "ToChoose",
    "ToRoll",
    "Track",
    "UnknownGame",
    "UnreadableText",
    "Unused",
    "View",
    "Wanted",
    "__version__",
    "game_names",
    "game_type",
    "load_game",
    "numbered_die",
    "option",
    "read_record",
]
