"""Logs of the server: a line for people, or a line of JSON for machines."""

from __future__ import annotations

import json
import logging
from typing import Any

STYLES = ("text", "json")
_ORDINARY = {*vars(logging.makeLogRecord({})), "message", "asctime", "color_message", "taskName"}


class JsonFormatter(logging.Formatter):
    """One line of JSON for each record, its extra fields included."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        fields: dict[str, Any] = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_extra(record),
        }
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False, default=str)


class TextFormatter(logging.Formatter):
    """A readable line for each record, its extra fields behind it."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        extra = " ".join(f"{name}={value}" for name, value in _extra(record).items())
        return f"{super().format(record)} {extra}".rstrip()


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in _ORDINARY}


def log_config(style: str) -> dict[str, Any]:
    """How the server logs; requests are logged by the server itself, without links to tables."""
    formatters = {
        "json": {"()": JsonFormatter},
        "text": {"()": TextFormatter, "format": "%(asctime)s %(levelname)s %(message)s"},
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"shown": formatters[style]},
        "handlers": {
            "shown": {
                "class": "logging.StreamHandler",
                "formatter": "shown",
                "stream": "ext://sys.stderr",
            }
        },
        "loggers": {
            "hotdice": {"handlers": ["shown"], "level": "INFO", "propagate": False},
            "uvicorn": {"handlers": ["shown"], "level": "WARNING", "propagate": False},
            # It warns of every message to somebody who has just gone.
            "asyncio": {"handlers": ["shown"], "level": "ERROR", "propagate": False},
        },
        "root": {"handlers": ["shown"], "level": "WARNING"},
    }
