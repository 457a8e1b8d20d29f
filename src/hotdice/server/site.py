"""Checks of the ``Host`` and ``Origin`` headers.

A foreign host name that resolves to this machine (DNS rebinding) is refused, and so are requests
from pages of other sites (CSRF).
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
    """The addresses of a server."""

    def __init__(self, public: Iterable[str] = ()) -> None:
        """``public`` are the addresses of a reverse proxy, such as ``https://dice.example``."""
        self._origins = frozenset(_read_public(one) for one in public)
        self._names = frozenset(name for _, name, _ in self._origins)

    def has(self, host: str | None) -> bool:
        """Whether a ``Host`` header is ours: an IP address, our machine's name or a public name."""
        if host is None:  # browsers always send it
            return True
        name = _name(host).removesuffix(".")
        return name in self._names or name in _own_names() or _is_address(name)

    def may_act(self, scope: Scope, headers: Headers) -> bool:
        """Whether the ``Origin`` is ours; programs other than browsers send none."""
        origin = headers.get("origin")
        if origin is None:
            return True
        sent = _origin(origin)
        scheme = _SCHEMES.get(scope["scheme"], scope["scheme"])
        here = _origin(f"{scheme}://{headers.get('host', '')}")
        return sent is not None and (sent in self._origins or sent == here)


Origin = tuple[str, str, int]
"""Scheme, name and port."""


def _read_public(text: str) -> Origin:
    found = _origin(text.removesuffix("/"))
    if found is None:
        raise BadSetup(f"'{text[:80]}' is not a public address; write https://NAME.")
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
    """The names of this machine in its own network."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return frozenset({"localhost", name, short, f"{short}.local"})
