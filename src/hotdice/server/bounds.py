"""What a process of ours may take of the machine."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress


def bound(memory: int, nice: int) -> None:
    """Let others come first, and allocate no more than so many megabytes; 0 is no limit.

    What is only mapped from files does not count: solved games are shared by all processes.
    """
    with suppress(OSError, AttributeError):  # not everywhere
        os.nice(nice)
    if not memory or sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (memory << 20, memory << 20))


def end_with_parent() -> None:
    """End this process when whoever started it has ended, however that happened."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1):
                pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def raise_descriptors(most: int = 65_536) -> int:
    """Have as many file descriptors as one may have; says how many."""
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most if hard == resource.RLIM_INFINITY else min(hard, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return soft if soft != resource.RLIM_INFINITY else most
