"""The fuzz targets for what only a server reads: limits, names, notices, challenges and looks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

from pydantic import ValidationError

from hotdice.core.drawings import Drawing, Shape, read_svg
from hotdice.core.look import poor_contrasts, read_look
from hotdice.core.registry import game_names, load_game
from hotdice.server.challenge_messages import ChallengeWanted
from hotdice.server.challenges import read_wanted
from hotdice.server.clocks import TableClock, Timepiece
from hotdice.server.hub import Hub
from hotdice.server.limits import Limits
from hotdice.server.live import Live, Visitor
from hotdice.server.looks import _shown as show_look
from hotdice.server.presence import Presence, _notices
from hotdice.server.tutoring import read_name
from hotdice.storage import Key, Store
from hotdice.table.challenge import daily, daily_id, read_daily
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from tools.fuzz.values import same, split, text_of

TODAY = date(2026, 11, 16)
_NOW = 1_795_000_000.0
_CLOCK = Timepiece(lambda: _NOW, lambda: 1000.0)
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9"/></svg>'


def read_limits(data: bytes) -> None:
    """Limits as on the command line, one on a line."""
    limits = Limits.read(text_of(data).split("\n"))
    same(limits, Limits.read(limits.text().split()))


def read_position(data: bytes) -> None:
    """The name of a position to learn from."""
    name = text_of(data)
    found = read_name(name, TODAY)
    same(name, found.seed if found.daily else f"{found.objective}-{found.seed}")


def read_challenge(data: bytes) -> None:
    """A challenge: the code of a daily one, or the JSON of one that somebody makes."""
    code = text_of(data)
    if code.startswith("{"):
        _read_wanted(data)
        return
    if (found := read_daily(code)) is not None:
        same(code, daily_id(*found))
    if (challenge := daily(code, _NOW)) is not None:
        same(challenge.checked(), challenge)


def _read_wanted(data: bytes) -> None:
    try:
        wanted = ChallengeWanted.model_validate_json(data)
    except ValidationError:
        return
    hub = SimpleNamespace(timepiece=_CLOCK, new_seed=lambda _setup: "seed")
    challenge = read_wanted(cast("Hub", hub), wanted, Visitor(player="player"))
    same(challenge, challenge.checked())
    setup = challenge.setup("Ann").checked()
    same(setup, Setup.read(setup.text()))


class _Told(Live):
    """A table whose clients are told nothing, as there is no event loop."""

    def tell(self, message: Any) -> None:
        """Forget it."""


@cache
def _table() -> Table:
    return Table.of(Setup("farkle", "", (Seat("Ann"), Seat("Ben"))))


def _presence(*table_ids: str) -> Presence:
    store = SimpleNamespace(is_postgres=True)
    presence = Presence(cast("Store", store), _CLOCK)
    for table_id in table_ids:
        live = _Told(table_id, _table(), Key("h"), {}, TableClock(_CLOCK, _NOW))
        presence.came(live)
    return presence


def read_presence(data: bytes) -> None:
    """A notice of another process about who is connected to it, heard at two tables."""
    presence = _presence("t-1", "t_2")
    attended = presence._attended  # noqa: SLF001 - what it has heard
    presence.hear(text_of(data))
    others = {name for one in attended.values() for name in one.elsewhere}
    for name in others:
        seats = {
            table_id: one.elsewhere[name].seats
            for table_id, one in attended.items()
            if name in one.elsewhere
        }
        again = _presence("t-1", "t_2")
        for notice in _notices(f"{name} 1.0", seats):
            again.hear(notice)
        for table_id, one in attended.items():
            same(one.elsewhere, again._attended[table_id].elsewhere)  # noqa: SLF001 - see above


def read_looks(data: bytes) -> None:
    """GAME, then the TOML of a look, which is shown for that game."""
    slug, text = split(data, 1)
    look = read_look(text.encode("utf-8", "surrogateescape").decode(errors="replace"), _drawing)
    poor_contrasts(look)
    show_look(load_game(slug if slug in game_names() else "farkle"), look).model_dump_json()


def _drawing(_name: str) -> str:
    return _SVG


def read_drawing(data: bytes) -> None:
    """An SVG file; what is left of it is written again."""
    drawing = read_svg(data.decode(errors="replace"))
    same(drawing, read_svg(_written(drawing)))


def _written(drawing: Drawing) -> str:
    return f'<svg viewBox="{drawing.box}">{"".join(map(_written_shape, drawing.shapes))}</svg>'


def _written_shape(shape: Shape) -> str:
    attributes = "".join(f' {key}="{value}"' for key, value in shape.attributes.items())
    parts = "".join(map(_written_shape, shape.parts))
    return f"<{shape.name}{attributes}>{parts}</{shape.name}>"


SERVER_TARGETS: dict[str, Callable[[bytes], None]] = {
    "limits": read_limits,
    "positions": read_position,
    "challenges": read_challenge,
    "presence": read_presence,
    "looks": read_looks,
    "svgs": read_drawing,
}
