"""Generate the book of results: solve every game and write its page."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from hotdice.bots import LEVELS
from tools.book import cockroach, farkle, go500, peruke, rogue
from tools.book.words import percent, table

ROOT = Path(__file__).parent.parent.parent
BOOK = ROOT / "docs/book"
PAGES = {
    "farkle": farkle.page,
    "rogue": rogue.page,
    "cockroach": cockroach.page,
    "peruke": peruke.page,
    "go500": go500.page,
}
_MADE = "<!-- made by `make book`; do not edit -->"
_TITLES = {"farkle": "Farkle", "rogue": "Rogue", "cockroach": "Cockroach", "go500": "Go 500"}


def main() -> None:
    """Write all pages, or the named ones."""
    values: dict[str, Any] = {}
    found = BOOK / "values.json"
    if found.exists():
        values = json.loads(found.read_text("utf-8"))
    BOOK.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PAGES:
        if name in PAGES:
            began = time.perf_counter()
            text = PAGES[name](values)
            (BOOK / f"{name}.md").write_text(f"{_MADE}\n\n{text}\n", "utf-8")
            sys.stdout.write(f"{name}: {time.perf_counter() - began:.0f} s\n")
    found.write_text(json.dumps(dict(sorted(values.items())), indent=1) + "\n", "utf-8")
    (BOOK / "README.md").write_text(f"{_MADE}\n\n{_front(values)}\n", "utf-8")


def _front(values: dict[str, Any]) -> str:
    rows = [
        (
            name,
            f"{found['points']:.2f}",
            percent(found["win"], 2) if "win" in found else "",
        )
        for name, found in sorted(values.items())
    ]
    return "\n\n".join(
        [
            "# The book of results",
            (
                "Every figure here is computed exactly from the rules as Hot Dice plays them, unless "
                "stated otherwise. `make book` regenerates the pages, `make strength` plays the matches."
            ),
            (
                "Pages: [Farkle](farkle.md), [Rogue](rogue.md), [Cockroach](cockroach.md), "
                "[Peruke One](peruke.md), [Go 500](go500.md)."
            ),
            "## All values",
            (
                "Points of a turn (Farkle, Rogue, Cockroach), of a game (Peruke One), of a race "
                "(Go 500); the first seat's chance to win between two players, or the chance of a Peruke One in a series."
            ),
            table(("game and rules", "points", "wins"), rows),
            *_strength(),
        ]
    )


def _strength() -> list[str]:
    found = BOOK / "strength.json"
    if not found.exists():
        return []
    rows = json.loads(found.read_text("utf-8"))
    duels = [row for row in rows if row["players"] == 2]
    tables = [row for row in rows if row["players"] > 2]
    alone = [row for row in rows if row["players"] == 1]
    levels = list(LEVELS)
    parts = [
        "## The ladder",
        (
            "How often the level on the left beats the one above in two-player games, with 95 % confidence intervals. Seats alternate, and "
            "the luck of the dice is subtracted, so a share may come out slightly above 100 %."
        ),
    ]
    for slug, title in _TITLES.items():
        lines = []
        for stronger in levels[1:]:
            cells = [
                next(
                    (
                        _share(r)
                        for r in duels
                        if (r["game"], r["one"], r["others"]) == (slug, stronger, weaker)
                    ),
                    "",
                )
                for weaker in levels[:-1]
            ]
            lines.append((stronger, *cells))
        parts += [f"### {title}", table((title, *levels[:-1]), lines)]
    parts += [
        "### Peruke One",
        (
            "A solitaire, so measured by the result of a series of five games: `sharp` plays for points, "
            "`perfect` for a Peruke One."
        ),
        table(
            ("level", "total of a series", "a Peruke One in it"),
            [(row["one"], f"{row['points']:.1f}", _share(row)) for row in alone],
        ),
        "## Three and more players",
        (
            "These games are not solved exactly. `perfect` plays by an estimate: the value of a turn's end is "
            "estimated from the exact two-player chances against each opponent. The table shows its share of "
            "wins against opponents who all follow another rule; more than an equal share means that the "
            "estimate plays better. *Sharp* plays for the most points; *last lap* does so until "
            "somebody has reached the target and then plays to win; *leader* plays exactly against "
            "the strongest opponent and ignores the rest."
        ),
        table(
            ("game", "players", "against", "games", "wins", "equal share"),
            [
                (
                    _TITLES[row["game"]],
                    row["players"],
                    row["others"],
                    f"{row['games']:,}",
                    _share(row),
                    percent(1 / row["players"]),
                )
                for row in tables
            ],
        ),
    ]
    return [*parts, *_regret()]


def _regret() -> list[str]:
    found = BOOK / "regret.json"
    if not found.exists():
        return []
    rows = json.loads(found.read_text("utf-8"))
    return [
        "### What the estimate costs",
        (
            "At decisions where the estimate rates choices as about equal (within 2 %), each was "
            "played out by perfect bots. Half of the playouts picked the best choice; the other half "
            "measured how much better it is than the estimate's choice: the chance to win that such "
            "playouts would gain per decision, with a 95 % confidence interval."
        ),
        table(
            ("game", "players", "decisions", "playouts", "gain"),
            [
                (
                    _TITLES[row["game"]],
                    row["players"],
                    row["decisions"],
                    2 * row["futures"],
                    f"{100 * row['gain']:+.2f} ± {196 * row['error']:.2f} %",
                )
                for row in rows
            ],
        ),
    ]


def _share(row: dict[str, Any]) -> str:
    return f"{100 * row['share']:.1f} ± {196 * row['error']:.1f} %"


if __name__ == "__main__":
    main()
