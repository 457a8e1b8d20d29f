"""``hotdice`` with an adjustable wall clock: ``python -m tools.soak.serving CLOCK …``.

CLOCK is a file with the offset in seconds, as a double. Monotonic time is not changed. The
environment variable SOAK_FILES limits open files before the server counts how many it may have.
"""

from __future__ import annotations

import mmap
import os
import resource
import struct
import sys
import time
from pathlib import Path

OFFSET = struct.Struct("d")
FILES = "SOAK_FILES"


def main() -> None:
    """Patch the clock, then run ``hotdice`` with the other arguments."""
    with Path(sys.argv[1]).open("rb") as file:
        offset = mmap.mmap(file.fileno(), OFFSET.size, access=mmap.ACCESS_READ)
    if files := os.environ.get(FILES):
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(files), int(files)))
    true_time = time.time
    time.time = lambda: true_time() + float(OFFSET.unpack_from(offset)[0])
    from hotdice.cli.main import run  # noqa: PLC0415 - after patching the clock

    sys.argv = ["hotdice", *sys.argv[2:]]
    run()


if __name__ == "__main__":
    main()
