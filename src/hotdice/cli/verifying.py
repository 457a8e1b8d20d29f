"""``hotdice verify``: check the dice of a saved game."""

from __future__ import annotations

from pathlib import Path

import typer

from hotdice.cli.output import console, print_json
from hotdice.core.errors import HotDiceError
from hotdice.core.record import read_record
from hotdice.core.words import counted
from hotdice.table.files import load_text
from hotdice.table.verification import Verdict, verify


def verify_file(path: Path, *, as_json: bool) -> None:
    """Say whether all dice of a record are true, or what is wrong first."""
    text = load_text(path)
    try:
        verdict = verify(text)
    except HotDiceError as error:
        if as_json:
            print_json({"true": False, "why": str(error)})
        else:
            console().print(f"Not true: {error}", style="bold red", markup=False)
        raise typer.Exit(1) from error
    names = read_record(text).names
    if as_json:
        without = {names[seat]: count for seat, count in verdict.skipped.items()}
        print_json({"true": True, "rolls": verdict.rolls, "without": without})
        return
    console().print(verdict_words(verdict, names), markup=False)


def verdict_words(verdict: Verdict, names: tuple[str, ...]) -> str:
    """What a true record says about its dice, in a sentence."""
    skips = [f"{count} without {names[seat]}" for seat, count in sorted(verdict.skipped.items())]
    rest = f" ({', '.join(skips)})" if skips else ""
    return (
        f"True: all dice of {counted(verdict.rolls, 'roll', 'rolls')} follow from the links{rest}."
    )
