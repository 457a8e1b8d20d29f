"""The part of a client in verified dice: it announces a chain and gives a link for every roll."""

from __future__ import annotations

from typing import Any

from hotdice.table.verified import Links

_LENGTH = 500
"""Links of a chain; the games of a soak test have fewer rolls."""
UNANSWERED = ("NotTaken", "TooLate")
"""Problems that belong to chains and links, not to a command of a player."""


class Device:
    """A device at a table with verified dice."""

    def __init__(self, secret: str, seat: int) -> None:
        self._links = Links(f"soak {secret}", _LENGTH)
        self._seat = seat
        self._number = self._base = -1
        self._announced = False

    def answers(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """What to send after a message of the server."""
        if message["type"] == "problem":
            self._announced = self._announced and message["kind"] != "NotTaken"
        if message["type"] == "table":
            self._announced = False  # after connecting again, the server wants to know the device
            for chain in message["chains"]:
                self._know(chain["tip"], chain["number"], chain["base"])
        if message["type"] == "news":
            for entry in message["entries"]:
                if entry["kind"] == "chain":
                    number, _, base, tip = entry["text"].split(" ")
                    self._know(tip, int(number), int(base))
        draw = message.get("status", {}).get("draw")
        if draw is None:
            return []
        return self._link(draw["ask"]) if draw["ask"] else self._announce()

    def _know(self, tip: str, number: int, base: int) -> None:
        if tip == self._links.link(0):
            self._number, self._base = number, base

    def _announce(self) -> list[dict[str, Any]]:
        if self._announced:
            return []
        self._announced = True
        return [self._said("chain", self._links.link(0))]

    def _link(self, ask: dict[str, Any]) -> list[dict[str, Any]]:
        if self._number in (-1, *ask["given"]) or ask["number"] <= self._base:
            return []
        link = self._links.link(ask["number"] - self._base)
        return [self._said("link", f"{ask['number']} {self._number} {link}")]

    def _said(self, do: str, text: str) -> dict[str, Any]:
        return {"do": do, "seat": self._seat, "seen": 0, "text": text}
