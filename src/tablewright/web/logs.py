"""The log: lines for people on a terminal, JSON for machines everywhere else."""

from __future__ import annotations

import logging
import sys
from typing import Any, TextIO

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
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    shown: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    # A traceback shows where, never with what: the values may be people's secrets.
    if out.isatty():
        plain = structlog.dev.plain_traceback
        shown.append(structlog.dev.ConsoleRenderer(exception_formatter=plain))
    else:
        structure = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        shown.append(structlog.processors.ExceptionRenderer(structure))
        shown.append(structlog.processors.JSONRenderer())
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=shown)
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "httpx2", "httpcore2", "botocore"):
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
