"""Log formats of the server: readable lines, or lines of JSON."""

from __future__ import annotations

import json
import logging

STYLES = ("text", "json")
_ORDINARY = {*vars(logging.makeLogRecord({})), "message", "asctime", "color_message", "taskName"}


class JsonFormatter(logging.Formatter):
    """A line of JSON per record, with its extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        fields: dict[str, object] = {
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
    """A readable line per record, with its extra fields at the end."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        extra = " ".join(f"{name}={value}" for name, value in _extra(record).items())
        return f"{super().format(record)} {extra}".rstrip()


def _extra(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in _ORDINARY}


def log_config(style: str) -> dict[str, object]:
    """The logging configuration; uvicorn's access log is off, as it would show links to tables."""
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
            # It warns about every message to a client that has just disconnected.
            "asyncio": {"handlers": ["shown"], "level": "ERROR", "propagate": False},
        },
        "root": {"handlers": ["shown"], "level": "WARNING"},
    }
