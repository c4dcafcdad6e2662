"""Answers as JSON: camelCase, times as they are stored, null for what has no value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import orjson
from fastapi.responses import Response
from pydantic import BaseModel

from tablewright.design.item_values import time_text
from tablewright.web.http.field_types import Answer
from tablewright.web.http.preconditions import etag

__all__ = ["answer", "as_json"]


def as_json(content: Any, *, is_sorted: bool = False) -> bytes:
    """JSON text of plain values, models and times; with its keys sorted, always the same text."""
    option = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
    if is_sorted:
        option |= orjson.OPT_SORT_KEYS
    return orjson.dumps(content, default=_plain, option=option)


def answer(
    content: Any,
    status: int = 200,
    *,
    version: int | None = None,
    headers: Mapping[str, str] | None = None,
    read_url: Callable[[str], str] | None = None,
) -> Response:
    """JSON of a model or of plain values. The version of what can be changed is its ETag.

    ``read_url`` makes URLs of the keys of blobs.
    """
    all_headers = dict(headers or {})
    if isinstance(content, Answer):
        body, version = content.to_json(read_url), content.etag_version
    else:
        body = as_json(content)
    if version is not None:
        all_headers["ETag"] = etag(version)
    return Response(body, status, headers=all_headers, media_type="application/json")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Answer):
        return orjson.Fragment(value.to_json())
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)
