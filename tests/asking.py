"""HTTP clients of test servers."""

from __future__ import annotations

import ssl

import httpx

_NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Given to every client: by default, each one loads all certificates of the world."""


def client_of(address: str) -> httpx.AsyncClient:
    """A client of the server at this host and port; its time limit is only met by what hangs."""
    return httpx.AsyncClient(base_url=f"http://{address}", timeout=60, verify=_NO_CERTIFICATES)
