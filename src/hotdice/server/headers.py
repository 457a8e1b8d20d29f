"""The headers by which requests say who asks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

from hotdice.server.messages import PLAYER

Secrets = Annotated[
    list[str] | None, Header(alias="X-Seat-Secret", description="Secrets of seats or of the host.")
]
Player = Annotated[
    str,
    Header(alias="X-Player", pattern=PLAYER, description="A key that the player's device made up."),
]
