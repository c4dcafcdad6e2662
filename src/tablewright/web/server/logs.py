"""The log: lines for people on a terminal, JSON for machines everywhere else."""

from __future__ import annotations

import logging
import sys
from typing import Any, TextIO

import orjson
import structlog

__all__ = ["configure_logs"]


def configure_logs(level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Send everything that is logged, also by libraries, to standard error."""
    out = stream or sys.stderr
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    # A traceback shows where, never with what: the values may be people's secrets.
    if out.isatty():
        plain = structlog.dev.plain_traceback
        renderers: list[Any] = [structlog.dev.ConsoleRenderer(exception_formatter=plain)]
    else:
        structure = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        renderers = [
            structlog.processors.ExceptionRenderer(structure),
            structlog.processors.JSONRenderer(_json),
        ]
    # Every request is a line: our own go to the stream at once, not by way of `logging`.
    structlog.configure(
        processors=[*shared, *renderers],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    unwrapped = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared, processors=[unwrapped, *renderers]
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "httpx2", "httpcore2", "botocore"):
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


def _json(event: Any, **_options: Any) -> str:
    return orjson.dumps(event, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()
