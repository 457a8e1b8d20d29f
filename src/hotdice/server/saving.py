"""A report as one HTML file that needs neither a server nor a network."""

from __future__ import annotations

import json
from pathlib import Path

from hotdice.analysis.report import Report
from hotdice.analysis.telling import report_json
from hotdice.core.due import ToChoose
from hotdice.core.errors import HotDiceError
from hotdice.server.looks import show_look
from hotdice.server.pages import STATIC
from hotdice.server.reports import PositionShown, ReportShown
from hotdice.server.showing import show_advice
from hotdice.solve.coach import advise

_PAGE = Path(__file__).parent / "saved" / "report.html"


class NotBuilt(HotDiceError):
    """The pages of this installation are missing."""


def report_page(report: Report) -> str:
    """The page of a report; raises ``NotBuilt``."""
    try:
        page = _PAGE.read_text("utf-8")
        icons = (STATIC / "sprite.svg").read_text("utf-8")
    except OSError as error:
        raise NotBuilt(
            "The pages of Hot Dice have not been built; run `pip install .` in its folder."
        ) from error
    game = report.record.game
    data = {
        "report": ReportShown.model_validate(report_json(report)).model_dump(mode="json"),
        "look": show_look(game.slug, game.options.text()).model_dump(mode="json"),
        "positions": [one.model_dump(mode="json") for one in _positions(report)],
    }
    # With "<" escaped, no text can end the script that the data stands in.
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    symbols = icons.replace("<svg ", '<svg class="symbols" aria-hidden="true" ', 1)
    return page.replace("<!--icons-->", symbols, 1).replace("<!--data-->", text, 1)


def _positions(report: Report) -> list[PositionShown]:
    """The position before each event."""
    game, names = report.record.game, report.record.names
    text = game.options.text()
    found = []
    for one in report.events:
        state = game.read_state(one.state)
        chooses = isinstance(game.due(state), ToChoose)
        advice = advise(game, state, report.objective) if chooses else None
        found.append(
            PositionShown(
                game=game.slug,
                title=game.title,
                changed=text,
                state=one.state,
                view=game.view(state, names),
                advice=show_advice(game, 0, advice, names) if advice else None,
            )
        )
    return found
