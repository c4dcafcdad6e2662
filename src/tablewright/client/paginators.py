"""Paginators as boto3's: an iterator over pages that carries the start of the next one along."""

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
    """How an operation pages: where a page starts, where the next one does, and what it holds."""

    start: str
    next: str
    items: str
    counts: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


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
    """What ``get_paginator`` returns."""

    def __init__(self, call: Call, paging: Paging) -> None:
        self._call = call
        self._paging = paging

    def paginate(
        self, *, PaginationConfig: dict[str, Any] | None = None, **parameters: Any
    ) -> PageIterator:
        """The pages of a call. PaginationConfig: MaxItems, PageSize, StartingToken."""
        return PageIterator(self._call, self._paging, PaginationConfig or {}, parameters)


class PageIterator:
    """Pages, one call each. ``resume_token`` is set where MaxItems ended the iteration early."""

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
        left, skip = self._most, self._skip
        self.resume_token = None
        while True:
            page = self._call(**parameters)
            items = page.get(self._paging.items, [])
            if skip:
                items = page[self._paging.items] = items[skip:]
            start = page.get(self._paging.next)
            if left is not None and len(items) > left:
                page[self._paging.items] = items[:left]
                self.resume_token = _encode_token(parameters.get(self._paging.start), skip + left)
                yield page
                return
            yield page
            if start is None:
                return
            if left is not None:
                left -= len(items)
                if left == 0:
                    self.resume_token = _encode_token(start, 0)
                    return
            skip = 0
            parameters[self._paging.start] = start

    def build_full_result(self) -> dict[str, Any]:
        """All pages as one: items joined, counts added."""
        paging = self._paging
        whole: dict[str, Any] = {paging.items: []} | dict.fromkeys(paging.counts, 0)
        for page in self:
            whole[paging.items] += page.get(paging.items, [])
            for name in paging.counts:
                whole[name] += page.get(name, 0)
            for name in paging.others:
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
