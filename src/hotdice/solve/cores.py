"""Runs kernels on all cores.

Numba has parallel loops of its own, but compiles their bodies twice and analyses every array in
them: the kernels of all games would take more than twice as long to compile.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

THREADS = min(8, os.cpu_count() or 1)
"""Each takes eight megabytes of a worker's memory, which is limited."""


def on_all_cores(kernel: Callable[..., None], count: int, *arguments: Any) -> None:
    """Call ``kernel(lower, upper, *arguments)`` for parts of ``range(count)``, at the same time.

    The kernel has to be compiled with ``nogil``. It is called once if there is nothing to do, so
    that it is compiled.
    """
    parts = max(1, min(THREADS, count))
    (first, *others) = pairwise(count * part // parts for part in range(parts + 1))
    running = [_pool().submit(kernel, *part, *arguments) for part in others]
    kernel(*first, *arguments)
    for one in running:
        one.result()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="kernel")


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_pool.cache_clear)
