"""What goes between the server and its processes that think."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

LENGTH = struct.Struct("!I")
"""How the length of a message is written in front of it."""


class Job(NamedTuple):
    """Something to think about.

    Attributes:
        do: ``advise``, ``choose`` or ``ready``.
        slug: the game.
        options: its options in their line of text.
        state: where it stands.
        level: which bot thinks.
        seed: where that bot's chance comes from.
        players: how many play.
    """

    do: str
    slug: str
    options: str
    state: Any = None
    level: str = ""
    seed: str = ""
    players: int = 0


class JobResult(NamedTuple):
    """What came of a question.

    Attributes:
        value: the answer.
        error: what was wrong instead: ``slow``, ``large``, or a sentence.
        megabytes: the memory the process has.
    """

    value: Any
    error: str = ""
    megabytes: int = 0
