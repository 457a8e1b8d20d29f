"""Errors as messages for clients."""

from __future__ import annotations

import logging

from hotdice.core.errors import HotDiceError
from hotdice.server.messages import Problem
from hotdice.storage import StorageError
from hotdice.table.log import Stale

_log = logging.getLogger(__name__)


def problem_of(error: HotDiceError) -> Problem:
    """The message for an error; details of a database error are only logged."""
    if isinstance(error, StorageError):
        _log.error("the database failed: %s", error)
        return Problem(error=error.public, kind=StorageError.__name__)
    kind = Stale if isinstance(error, Stale) else type(error)
    return Problem(error=str(error), kind=kind.__name__)
