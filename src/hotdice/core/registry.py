"""The games that are installed, found through the entry-point group ``hotdice.games``.

Third-party games are listed like the built-in ones.
"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from hotdice.core.errors import UnknownGame
from hotdice.core.game import AnyGame
from hotdice.core.options import Options

GROUP = "hotdice.games"


def plugins(group: str) -> dict[str, EntryPoint]:
    """The installed entry points of a group, by name."""
    return _found(group, tuple(sys.path))


@lru_cache(maxsize=8)
def _found(group: str, _path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Cached by ``sys.path``, because scanning all packages takes ten milliseconds."""
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda e: e.name)}


def game_names() -> tuple[str, ...]:
    """The slugs of all installed games, without loading them."""
    return tuple(plugins(GROUP))


def game_type(name: str) -> type[AnyGame]:
    """The class of the game with this slug; raises ``UnknownGame``."""
    entries = plugins(GROUP)
    slug = name.strip().lower()
    if slug not in entries:
        near = get_close_matches(slug, entries, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"the games are {', '.join(entries)}."
        raise UnknownGame(f"There is no game '{name}'; {hint}")
    loaded: type[AnyGame] = entries[slug].load()
    return loaded


def load_game(name: str, options: Options | str = "") -> AnyGame:
    """The game with this slug under these options (an ``Options`` value or their text)."""
    kind = game_type(name)
    return kind.with_options(options) if isinstance(options, str) else kind(options)
