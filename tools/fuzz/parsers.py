"""Fuzzes every parser: long inputs first, then coverage-guided with Atheris.

Parsers may only raise ``HotDiceError``, must round-trip what they accept, and must take at most a
second for 20,000 characters. Findings of Atheris are replayed without its instrumentation, which
slows everything down.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import traceback
from hashlib import sha256
from pathlib import Path

from tools.fuzz import seeds, targets
from tools.fuzz.finding import Finding

_LONGEST = 1.0
_KEPT = Path("fuzz-findings")
_RUNS = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


def run(minutes: float, seed: int) -> str:
    """Fuzz for some minutes; returns a summary in one line."""
    until = time.monotonic() + 60 * minutes
    targets.prepare()
    count, found = 0, list[str]()
    left = list(targets.TARGETS)
    for name in targets.TARGETS:
        seconds = (until - time.monotonic()) / len(left)
        left.remove(name)
        done, wrong = _fuzz(name, seconds, seed)
        count += done
        found += wrong
    if found:
        raise Finding(f"{len(found)} findings in {count:,} inputs:", "\n".join(found))
    return f"{count:,} inputs to {len(targets.TARGETS)} parsers"


def replay(name: str, data: bytes) -> str:
    """Feed an input to a parser; returns what is wrong, or an empty string."""
    began = time.process_time()
    try:
        targets.feed(name, data)
    except Exception as error:  # noqa: BLE001 - any exception is a finding
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error}"[:500]
        return f"{what} ({Path(last.filename).name}:{last.lineno})"
    took = time.process_time() - began
    if took > _LONGEST and len(data) <= 4 * seeds.LONGEST:
        return f"it takes {took:.1f} s"
    return ""


def _fuzz(name: str, seconds: float, seed: int) -> tuple[int, list[str]]:
    until = time.monotonic() + seconds
    count, found = 0, dict[str, str]()
    for data in seeds.long_ones(name):
        if time.monotonic() > until - seconds / 2:
            break
        count += 1
        _note(name, data, found)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        corpus = place / "corpus"
        corpus.mkdir()
        for number, data in enumerate(seeds.seeds(name)):
            (corpus / str(number)).write_bytes(data)
            _note(name, data, found)
        while (rest := until - time.monotonic()) > 1:
            done, inputs = _atheris(name, place, rest, seed)
            count += done
            for data in inputs:
                _note(name, data, found)
            if not done or (inputs and found):
                break
            seed += 1
    return count, list(found.values())


def _note(name: str, data: bytes, found: dict[str, str]) -> None:
    """Save an input that a parser fails on, one of each kind."""
    wrong = replay(name, data)
    kind = re.sub(r":.*(?= \()|[\d.]+ s$", "", wrong, flags=re.DOTALL)
    if not wrong or kind in found:
        return
    folder = _KEPT / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{sha256(data).hexdigest()[:16]}.txt"
    path.write_bytes(data)
    found[kind] = f"{name}: {wrong}\n  saved in {path}: {data[:200]!r}"


def _atheris(name: str, place: Path, seconds: float, seed: int) -> tuple[int, list[bytes]]:
    """Run Atheris; returns the number of inputs tried, and those that failed."""
    kept = place / f"kept-{seed}"
    kept.mkdir()
    words = seeds.dictionary(place / "words")
    done = subprocess.run(  # noqa: S603 - our own
        [
            *(sys.executable, "-m", "tools.fuzz.guided", name, str(place / "corpus")),
            *(f"-max_total_time={max(1, int(seconds))}", f"-seed={seed % 2**31 or 1}"),
            *(f"-max_len={seeds.LONGEST}", "-timeout=20", "-rss_limit_mb=2048"),
            *(f"-dict={words}", f"-artifact_prefix={kept}/", "-print_final_stats=1"),
        ],
        capture_output=True,
        check=False,
    )
    said = done.stderr.decode(errors="replace")
    runs = _RUNS.search(said)
    inputs = [path.read_bytes() for path in sorted(kept.iterdir())]
    if done.returncode and not inputs:
        raise Finding(f"{name}: the fuzzer ended with {done.returncode}.", said[-3000:])
    return int(runs[1]) if runs else 0, inputs
