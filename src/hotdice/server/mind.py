"""A process that thinks: one question after another, each within bounds of time and memory.

Questions come in over standard input and answers go out over standard output, each a pickle with
its length in front. It ends when its input does.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.core.registry import load_game
from hotdice.server.bounds import bound
from hotdice.server.jobs import LENGTH, Job, JobResult
from hotdice.solve.coach import advise, ready
from hotdice.table.bots import Thought


class TooSlow(Exception):
    """It has taken more time than it may."""


@lru_cache(maxsize=32)
def _game(slug: str, options: str) -> AnyGame:
    return load_game(slug, options)


def answer(question: Job) -> Any:
    """Think."""
    game = _game(question.slug, question.options)
    if question.do == "advise":
        return advise(game, question.state)
    if question.do == "choose":
        return Thought(question.level, game, question.state, question.seed).choice()
    return ready(game, question.players)


def _within(question: Job, seconds: int) -> JobResult:
    _alarm(seconds)
    try:
        return JobResult(answer(question))
    except HotDiceError as error:
        return JobResult(None, str(error))
    except TooSlow:
        return JobResult(None, "slow")
    except MemoryError:
        return JobResult(None, "large")
    finally:
        _alarm(0)


def _alarm(seconds: int) -> None:
    """Raise ``TooSlow`` after so many seconds of computing; waiting for others does not count."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _ring(*_given: object) -> None:
    raise TooSlow


def _megabytes() -> int:
    """The memory this process has; where that is not told, the most it has had."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return _most_megabytes()
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def _most_megabytes() -> int:
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - not on every system

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most >> (20 if sys.platform == "darwin" else 10)


def _read(source: BinaryIO) -> Job | None:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    found: Job = pickle.loads(source.read(LENGTH.unpack(head)[0]))  # noqa: S301 - from our parent
    return found


def main(memory: str, seconds: str) -> None:
    """JobResult until there are no more questions, or until memory has run out once."""
    bound(int(memory), nice=2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it says when it ends
    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, _ring)
    while (question := _read(sys.stdin.buffer)) is not None:
        try:
            found = _within(question, int(seconds))
        except TooSlow:  # it rang in the moment it was done
            found = JobResult(None, "slow")
        found = found._replace(megabytes=_megabytes())
        if not _told(pickle.dumps(found)) or found.error == "large":
            return


def _told(packed: bytes) -> bool:
    """Write an answer; says whether the server is still there to read it."""
    left = memoryview(LENGTH.pack(len(packed)) + packed)
    try:
        while left:
            left = left[os.write(sys.stdout.fileno(), left) :]
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
