"""What people are told when something cannot be."""

from __future__ import annotations

import logging

from hotdice.core.errors import HotDiceError
from hotdice.server.messages import Problem
from hotdice.storage import StorageError
from hotdice.table.log import Stale

_log = logging.getLogger(__name__)


def problem_of(error: HotDiceError) -> Problem:
    """An error in the words of the wire; what the database said is for the log alone."""
    if isinstance(error, StorageError):
        _log.error("the database failed: %s", error)
        return Problem(error=error.public, kind=StorageError.__name__)
    kind = Stale if isinstance(error, Stale) else type(error)
    return Problem(error=str(error), kind=kind.__name__)
