"""Paginators as in boto3: iterators over pages that pass on the start of the next page."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from tablewright.client.value_conversion import from_json, to_json

Call = Callable[..., dict[str, Any]]
Page = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Paging:
    """The parameters and fields with which an operation pages."""

    start: str
    next: str
    items: str
    counts: tuple[str, ...] = ()
    other_lists: tuple[str, ...] = ()


_READS = Paging(
    "ExclusiveStartKey",
    "LastEvaluatedKey",
    "Items",
    ("Count", "ScannedCount"),
    ("ConsumedCapacity",),
)
PAGINGS: Final = {
    "list_tables": Paging("ExclusiveStartTableName", "LastEvaluatedTableName", "TableNames"),
    "query": _READS,
    "scan": _READS,
}


class Paginator:
    """The result of ``get_paginator``."""

    def __init__(self, call: Call, paging: Paging) -> None:
        self._call = call
        self._paging = paging

    def paginate(
        self, *, PaginationConfig: dict[str, Any] | None = None, **parameters: Any
    ) -> PageIterator:
        """The pages of a call. PaginationConfig: MaxItems, PageSize, StartingToken."""
        return PageIterator(self._call, self._paging, PaginationConfig or {}, parameters)


class PageIterator:
    """Pages, one call each. ``resume_token`` is set if MaxItems ended the iteration early."""

    def __init__(
        self, call: Call, paging: Paging, config: dict[str, Any], parameters: dict[str, Any]
    ) -> None:
        self._call = call
        self._paging = paging
        self._parameters = dict(parameters)
        self._skip = 0
        most = config.get("MaxItems")
        self._most = None if most is None else int(most)
        if "PageSize" in config:
            self._parameters["Limit"] = int(config["PageSize"])
        if config.get("StartingToken") is not None:
            start, self._skip = _decode_token(config["StartingToken"])
            if start is not None:
                self._parameters[paging.start] = start
        self.resume_token: str | None = None

    def __iter__(self) -> Iterator[Page]:
        parameters = dict(self._parameters)
        remaining, skip = self._most, self._skip
        self.resume_token = None
        while True:
            page = self._call(**parameters)
            items = page.get(self._paging.items, [])
            if skip:
                items = page[self._paging.items] = items[skip:]
            start = page.get(self._paging.next)
            if remaining is not None and len(items) > remaining:
                page[self._paging.items] = items[:remaining]
                self.resume_token = _encode_token(
                    parameters.get(self._paging.start), skip + remaining
                )
                yield page
                return
            yield page
            if start is None:
                return
            if remaining is not None:
                remaining -= len(items)
                if remaining == 0:
                    self.resume_token = _encode_token(start, 0)
                    return
            skip = 0
            parameters[self._paging.start] = start

    def build_full_result(self) -> dict[str, Any]:
        """All pages merged into one: items concatenated, counts added."""
        paging = self._paging
        whole: dict[str, Any] = {paging.items: []} | dict.fromkeys(paging.counts, 0)
        for page in self:
            whole[paging.items] += page.get(paging.items, [])
            for name in paging.counts:
                whole[name] += page.get(name, 0)
            for name in paging.other_lists:
                if name in page:
                    whole.setdefault(name, page[name])
        if self.resume_token is not None:
            whole["NextToken"] = self.resume_token
        return whole


def _encode_token(start: Any, skip: int) -> str:
    return base64.b64encode(orjson.dumps([to_json(start), skip])).decode("ascii")


def _decode_token(token: str) -> tuple[Any, int]:
    try:
        start, skip = orjson.loads(base64.b64decode(token, validate=True))
        return from_json(start), int(skip)
    except (binascii.Error, ValueError, TypeError):
        raise ValueError(f"Bad starting token: {token}") from None
