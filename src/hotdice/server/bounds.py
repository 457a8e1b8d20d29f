"""Resource limits of our processes."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress


def limit_process(memory: int, nice: int) -> None:
    """Lower the priority of this process and limit its memory in megabytes; 0 is no limit.

    Files that are only mapped do not count: all processes share the solved games.
    """
    with suppress(OSError, AttributeError):  # not on every system
        os.nice(nice)
    if not memory or sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (memory << 20, memory << 20))


def end_with_parent() -> None:
    """End this process when its parent has ended: standard input is closed then."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1):
                pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def raise_descriptors(most: int = 65_536) -> int:
    """Raise the limit on file descriptors as far as allowed; returns the new limit."""
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
