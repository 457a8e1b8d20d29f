"""Compare the two verifiers of verified dice on many records.

For a record that is written as the rules say, both have to agree. Any other record is untrue for
``hotdice verify``; the browser, which knows no rules, may take it for true, and that is counted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from hotdice import game_names
from tools.verifiers.asking import Answer, browser_answers, fits_the_rules, python_answer
from tools.verifiers.changing import changed, remade, resealed
from tools.verifiers.making import Evening

FOUND = Path("fuzz-findings/verifiers/disagreement.txt")
"""Where the first record is written on which the verifiers disagree."""
_GAMES_A_TABLE = 4
_STEPS = 60


def records(seed: int) -> Iterator[tuple[str, str]]:
    """Records without end, each with what was done to it; most of them are changed."""
    for number in range(sys.maxsize):
        for slug in game_names():
            rng = Random(f"{seed} {number} {slug}")
            evening = Evening(rng, slug)
            for _ in range(_GAMES_A_TABLE):
                text = evening.record(_STEPS)
                yield "unchanged", text
                yield "changed", _changed(rng, text)
                yield "changed", _changed(rng, text)
                yield "resealed", resealed(_changed(rng, text))
                yield "remade", remade(rng, text)


def _changed(rng: Random, text: str) -> str:
    other = text
    while other == text:
        other = changed(rng, text)
        other = changed(rng, other) if rng.random() < 0.3 else other
    return other


def disagreement(ours: Answer, theirs: Answer, *, is_by_rules: bool) -> str:
    """What is wrong with two answers; empty if nothing is."""
    if not is_by_rules:
        return "A record that breaks the rules is true." if ours.true else ""
    if ours.true != theirs.true:
        return "Only one verifier takes it for true."
    if ours.true and ours != theirs:
        return "The verifiers read different things in it."
    if ours.roll and theirs.roll and ours.roll != theirs.roll:
        return "The verifiers name different rolls."
    return ""


def compare(count: int, seed: int) -> str:
    """Compare the verifiers; returns figures, or raises ``SystemExit`` with a disagreement."""
    seen = Counter[str]()
    made = list(islice(records(seed), count))
    answers = browser_answers([text for _, text in made])
    for (kind, text), theirs in zip(made, answers, strict=True):
        ours, is_by_rules = python_answer(text), fits_the_rules(text)
        if problem := disagreement(ours, theirs, is_by_rules=is_by_rules):
            FOUND.parent.mkdir(parents=True, exist_ok=True)
            FOUND.write_text(text, "utf-8", newline="")
            raise SystemExit(
                f"{problem} It is in {FOUND} ({kind}, seed {seed}).\n"
                f"hotdice verify: {ours.why or 'true'}\nbrowser: {theirs.why or 'true'}"
            )
        seen[f"{kind} and {'true' if ours.true else 'untrue'}"] += 1
        seen["untrue only by the rules"] += theirs.true and not ours.true
    return ", ".join(f"{number:,} {what}" for what, number in sorted(seen.items()))


def main() -> None:
    """Compare and print the figures."""
    words = argparse.ArgumentParser(prog="python -m tools.verifiers", description=__doc__)
    words.add_argument("records", type=int, nargs="?", default=10_000, help="how many (10,000)")
    words.add_argument("--seed", type=int, default=1, help="random seed (1)")
    given = words.parse_args()
    began = time.monotonic()
    figures = compare(given.records, given.seed)
    sys.stdout.write(
        f"The verifiers agree on {given.records:,} records: {figures} "
        f"({time.monotonic() - began:.0f} s).\n"
    )


if __name__ == "__main__":
    main()
