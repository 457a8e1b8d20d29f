"""Which addresses are ours: pages of other sites may neither act here nor read what is here.

A browser says in ``Host`` which name led it here and in ``Origin`` which page asks. A name of a
stranger's that leads to this machine (DNS rebinding) is refused, and so is a page from elsewhere.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from functools import cache
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from hotdice.core.errors import BadSetup

_SCHEMES = {"ws": "http", "wss": "https"}
_PORTS = {"http": 80, "https": 443}


class Site:
    """The addresses a server is reached at."""

    def __init__(self, public: Iterable[str] = ()) -> None:
        """Public addresses such as ``https://dice.example`` are those of a proxy in front."""
        self._origins = frozenset(_read_public(one) for one in public)
        self._names = frozenset(name for _, name, _ in self._origins)

    def has(self, host: str | None) -> bool:
        """Whether a ``Host`` header names this server: an address, this machine, a public name."""
        if host is None:  # no browser leaves it out
            return True
        name = _name(host).removesuffix(".")
        return name in self._names or name in _own_names() or _is_address(name)

    def may_act(self, scope: Scope, headers: Headers) -> bool:
        """Whether the page that asks is one of ours; programs that are no browsers say nothing."""
        origin = headers.get("origin")
        if origin is None:
            return True
        asks = _origin(origin)
        scheme = _SCHEMES.get(scope["scheme"], scope["scheme"])
        here = _origin(f"{scheme}://{headers.get('host', '')}")
        return asks is not None and (asks in self._origins or asks == here)


Origin = tuple[str, str, int]
"""Scheme, name and port."""


def _read_public(text: str) -> Origin:
    found = _origin(text.removesuffix("/"))
    if found is None:
        raise BadSetup(f"'{text[:80]}' is no public address; write https://NAME.")
    return found


def _origin(text: str) -> Origin | None:
    try:
        parts = urlsplit(text)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname or port is None or parts.scheme not in _PORTS or parts.path:
        return None
    return parts.scheme, parts.hostname, port


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@cache
def _own_names() -> frozenset[str]:
    """What this machine is called in its own network."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return frozenset({"localhost", name, short, f"{short}.local"})
