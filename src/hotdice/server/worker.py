"""A worker process: runs one job after another, each with limits on time and memory.

Jobs come in over standard input and results go out over standard output. It ends at the end of its
input.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from pathlib import Path
from typing import BinaryIO, TypeVar

from hotdice.core.errors import HotDiceError
from hotdice.server.bounds import limit_process
from hotdice.server.jobs import LENGTH, Done, Failed, Job

T = TypeVar("T")


class TooSlow(Exception):
    """A job has used up its time."""


def _run(job: Job[T], seconds: int) -> Done[T] | Failed:
    _set_timer(seconds)
    try:
        return Done(job.run())
    except HotDiceError as error:
        return Failed(str(error))
    except TooSlow:
        return Failed("slow")
    except MemoryError:
        return Failed("large")
    finally:
        _set_timer(0)


def _set_timer(seconds: int) -> None:
    """Raise ``TooSlow`` after so many seconds of CPU time; 0 cancels the timer."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _on_timer(*_given: object) -> None:
    raise TooSlow


def _megabytes() -> int:
    """The memory this process uses, or its peak if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return _peak_megabytes()
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def _peak_megabytes() -> int:
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - not on every system

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak >> (20 if sys.platform == "darwin" else 10)


def _read(source: BinaryIO) -> Job[object] | None:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    job: Job[object] = pickle.loads(source.read(LENGTH.unpack(head)[0]))  # noqa: S301 - from our parent
    return job


def main(memory: str, seconds: str) -> None:
    """Run jobs until the input ends or a job runs out of memory."""
    limit_process(int(memory), nice=2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends it
    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, _on_timer)
    while (job := _read(sys.stdin.buffer)) is not None:
        found: Done[object] | Failed
        try:
            found = _run(job, int(seconds))
        except TooSlow:  # the timer fired just before it was cancelled
            found = Failed("slow")
        found = found._replace(megabytes=_megabytes())
        out_of_memory = isinstance(found, Failed) and found.error == "large"
        if not _write(pickle.dumps(found)) or out_of_memory:
            return


def _write(packed: bytes) -> bool:
    """Write a result; returns whether the server is still there to read it."""
    left = memoryview(LENGTH.pack(len(packed)) + packed)
    try:
        while left:
            left = left[os.write(sys.stdout.fileno(), left) :]
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
