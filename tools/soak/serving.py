"""``hotdice`` with a wall clock that the soak can move: ``python -m tools.soak.serving CLOCK …``.

CLOCK is a file of eight bytes, the seconds to add to the time. Monotonic time is left alone.
"""

from __future__ import annotations

import mmap
import struct
import sys
import time
from pathlib import Path

OFFSET = struct.Struct("d")


def main() -> None:
    """Move the clock, then do what the other words say."""
    with Path(sys.argv[1]).open("rb") as file:
        offset = mmap.mmap(file.fileno(), OFFSET.size, access=mmap.ACCESS_READ)
    true_time = time.time
    time.time = lambda: true_time() + float(OFFSET.unpack_from(offset)[0])
    from hotdice.cli.main import run  # noqa: PLC0415 - after the clock is moved

    sys.argv = ["hotdice", *sys.argv[2:]]
    run()


if __name__ == "__main__":
    main()
