"""Generates parts of the docs: commands, games, pictures, and the API schema.

``make docs`` writes them, and a test checks that they are up to date.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from hotdice import game_names, game_type
from tools.vectors import vectors_file

ROOT = Path(__file__).parent.parent
COMMANDS = (
    "",
    "games",
    "rules",
    "score",
    "play",
    "replay",
    "analyse",
    "verify",
    "solve",
    "advise",
    "solutions",
    "serve",
)
_MADE = "<!-- made by `make docs`; do not edit -->"


def commands_page() -> str:
    """The help of every command."""
    parts = ["# Commands", "", _MADE, ""]
    for name in COMMANDS:
        words = ["hotdice", *([name] if name else [])]
        parts += [f"## {' '.join(words)}", "", "```text", _run([*words, "--help"]), "```", ""]
    return "\n".join(parts)


def games_page() -> str:
    """Every game with its options."""
    parts = ["# Games and their options", "", _MADE, ""]
    for name in game_names():
        kind = game_type(name)
        parts += [
            f"## {kind.title} (`{kind.slug}`)",
            "",
            f"{kind.summary} For {kind.players_text()}. Rules: `hotdice rules {kind.slug}`.",
            "",
            "| option | default | values | clause | what it does |",
            "|---|---|---|---|---|",
            *(
                f"| `{i.name}` | `{i.default}` | {i.range or i.kind} | {i.clause} | {i.doc} |"
                for i in kind.options_type.describe()
            ),
            "",
        ]
    return "\n".join(parts)


def _run(words: list[str], typed: str = "", **more: str) -> str:
    """The output of a command, without colours, 90 columns wide."""
    command = [str(Path(sys.executable).with_name(words[0])), *words[1:]]
    env = {**os.environ, "COLUMNS": "90", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    env |= more
    done = subprocess.run(  # noqa: S603 - our own command
        command, input=typed, capture_output=True, text=True, check=True, env=env
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


SHOWN = ["hotdice", "play", "farkle", "--seat", "Ann", "--seat", "Greta=bot:greedy"]
SHOWN += ["--set", "starts=seat", "--seed", "table"]
TYPED = ("", "c", "a", "bank 1")


def play_picture() -> str:
    """A turn of Farkle as the terminal shows it, as an SVG."""
    from rich.console import Console  # noqa: PLC0415 - only pictures need it
    from rich.text import Text  # noqa: PLC0415 - only pictures need it

    shown = _run(SHOWN, typed="\n".join(TYPED) + "\n")
    lines = shown.splitlines()[:27]
    console = Console(record=True, width=90, file=io.StringIO())
    console.print(Text(f"$ {' '.join(SHOWN)}", style="bold green"))
    answers = iter(TYPED)
    for line in lines:
        text = Text(line)
        question, colon, rest = line.partition(": ")
        if colon and (question.endswith(("your choice", "dice"))):
            said = (f"{next(answers, '')}\n", "bold yellow")
            text = Text.assemble((f"{question}: ", "bold"), said, rest)
        console.print(text)
    return console.export_svg(title="hotdice", code_format=_SVG, unique_id="hotdice")


ADVISED = ["hotdice", "advise", "farkle", "scores=300,450", "phase=choose", "tray=112355"]


def advise_picture() -> str:
    """The coach's advice on a roll of Farkle before the game is solved, as an SVG."""
    from rich.console import Console  # noqa: PLC0415 - only pictures need it
    from rich.text import Text  # noqa: PLC0415 - only pictures need it

    with tempfile.TemporaryDirectory() as empty:
        shown = _run(ADVISED, HOTDICE_CACHE=empty)
    console = Console(record=True, width=90, file=io.StringIO())
    console.print(Text(f"$ {' '.join(ADVISED)}", style="bold green"))
    for line in shown.splitlines()[:16]:
        console.print(Text(line, style="bold" if line[:1].isspace() and line[7:8] != " " else ""))
    return console.export_svg(title="hotdice", code_format=_SVG, unique_id="hotdice")


_SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Consolas, monospace; font-size: {char_height}px;
  line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g></svg>
"""


def schema_file() -> str:
    """The server's OpenAPI schema, from which the browser client's types are generated."""
    from hotdice.server.app import create_app  # noqa: PLC0415 - only here

    schema = create_app("sqlite:///:memory:").openapi()
    schema["info"]["version"] = "any"  # so that a release does not change the file
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


PAGES = {
    "docs/commands.md": commands_page,
    "docs/games.md": games_page,
    "docs/pictures/play.svg": play_picture,
    "docs/pictures/advise.svg": advise_picture,
    "docs/verified-dice.json": vectors_file,
    "web/openapi.json": schema_file,
}


def main() -> None:
    """Write every page."""
    for path, page in PAGES.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
