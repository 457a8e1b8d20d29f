"""``hotdice games`` and ``hotdice rules``."""

from __future__ import annotations

from hotdice.cli.output import console, option_rows, print_json, print_lines
from hotdice.core.registry import game_names, game_type


def list_games(*, as_json: bool) -> None:
    """List the installed games."""
    kinds = [game_type(name) for name in game_names()]
    if as_json:
        described = [
            {
                "slug": kind.slug,
                "title": kind.title,
                "summary": kind.summary,
                "players": [kind.min_players, kind.max_players],
                "options": option_rows(kind),
            }
            for kind in kinds
        ]
        print_json({"games": described})
        return
    lines = []
    for kind in kinds:
        lines += [f"{kind.slug:10} {kind.title}, {kind.players_text()}", f"{'':10} {kind.summary}"]
    print_lines([*lines, "", "Play with 'hotdice play GAME'; read with 'hotdice rules GAME'."])


def show_rules(name: str, *, as_json: bool) -> None:
    """Show a game's rules and options."""
    kind = game_type(name)
    if as_json:
        print_json(
            {
                "game": kind.slug,
                "title": kind.title,
                "players": [kind.min_players, kind.max_players],
                "rules": kind.rules_text(),
                "options": option_rows(kind),
            }
        )
        return
    from rich.markdown import Markdown  # noqa: PLC0415 - not needed for JSON
    from rich.table import Table  # noqa: PLC0415 - not needed for JSON

    out = console()
    out.print(Markdown(kind.rules_text()), soft_wrap=False)
    table = Table(title="Options (hotdice play GAME --set option=value)", title_justify="left")
    for heading in ("option", "default", "values", "clause", "what it does"):
        table.add_column(heading, overflow="fold")
    for info in kind.options_type.describe():
        table.add_row(info.name, info.default, info.range, info.clause, info.doc)
    out.print()
    out.print(table, soft_wrap=False)
