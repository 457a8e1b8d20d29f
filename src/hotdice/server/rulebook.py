"""A game's rules for the browser: text as HTML, and its examples run step by step."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt

from hotdice.core.game import AnyGame
from hotdice.core.playthrough import Playthrough, headings_of
from hotdice.core.registry import game_type
from hotdice.server.catalogue import ExampleStep, RulesBlock, RulesShown

_EXAMPLE = re.compile(r"^```play\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CLAUSE = re.compile(r"<strong>([A-Z]\d+)\b")
# A region that scrolls has to be focusable for keyboard users.
_SCROLLS = '<div class="scroll" role="group" aria-label="Table" tabindex="0">'
_PEOPLE = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal")
"""Who plays in examples."""
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=32)
def show_rules(slug: str) -> RulesShown:
    """The rules of a game; each clause has an anchor with its name."""
    kind = game_type(slug)
    blocks = []
    for at, text in enumerate(_EXAMPLE.split(kind.rules_text())):
        blocks.append(_run(kind, text) if at % 2 else _text(text))
    return RulesShown(slug=kind.slug, title=kind.title, blocks=blocks)


def _text(text: str) -> RulesBlock:
    html = _CLAUSE.sub(r'<strong id="\1">\1', _MARKDOWN.render(text))
    html = html.replace("<table>", f"{_SCROLLS}<table>").replace("</table>", "</table></div>")
    return RulesBlock(html=html, heading="", example=[], names=[])


def _run(kind: type[AnyGame], text: str) -> RulesBlock:
    lines = [line for line in text.splitlines() if line.strip()]
    headings = headings_of(lines)
    playthrough = Playthrough(kind, headings)
    playthrough.names = _PEOPLE[: len(playthrough.names)]
    steps = []
    for line in lines:
        if line[0] not in ">!?":
            continue
        answers = [said[1:].strip() for said in playthrough.run(line) if said[0] == ":"]
        view = playthrough.game.view(playthrough.state) if line[0] == ">" else None
        steps.append(
            ExampleStep(sign=line[0], text=line[1:].strip(), told=answers, view=view)  # type: ignore[arg-type]
        )
    heading = playthrough.game.options.words()
    return RulesBlock(html="", heading=heading, example=steps, names=list(playthrough.names))
