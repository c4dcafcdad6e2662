"""Another request, or a crash, exactly where it hurts: between two calls of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from tests.web.serving import Asking

from .family import DATE, Family

__all__ = ["before_writes", "crashing", "is_write", "reads_comments", "until_done"]

WRITES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")


def is_write(operation: str, request: dict[str, Any]) -> bool:
    """Whether something is written, other than a number of calls."""
    return operation in WRITES and "RATE#" not in repr(request)


def reads_comments(operation: str, request: dict[str, Any]) -> bool:
    return operation == "Query" and f"COMMENT#{DATE}" in repr(request)


@contextmanager
def before_writes(
    family: Family,
    other: Callable[[], Asking],
    times: int = 1,
    skip: int = 0,
    at: Callable[[str, dict[str, Any]], bool] = is_write,
) -> Iterator[list[httpx2.Response]]:
    """Before so many writes, after some are skipped, another request is made; its answers."""
    store, answers = family.server.services.store, list[httpx2.Response]()
    real, is_inside, seen = store.call, False, 0

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        nonlocal is_inside, seen
        if at(operation, request) and not is_inside:
            seen += 1
            if seen > skip and len(answers) < times:
                is_inside = True
                try:
                    answers.append(await other())
                finally:
                    is_inside = False
        return await real(operation, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "send", call)
        yield answers
    assert answers, "nothing happened in between"


class Crash(RuntimeError):
    """The machine is gone."""


@contextmanager
def crashing(family: Family, after: int) -> Iterator[list[str]]:
    """The store takes so many writes, then no more; what it was asked to write."""
    store, asked = family.server.services.store, list[str]()
    real = store.call

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if is_write(operation, request):
            asked.append(operation)
            if len(asked) > after:
                raise Crash
        return await real(operation, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "send", call)
        yield asked


def until_done(
    family: Family, ask: Callable[[], httpx2.Response], check: Callable[[], None]
) -> int:
    """Crash a request after 0, 1, 2… writes, check what is seen then; how often until it is done.

    Each time it goes on where it stopped.
    """
    for crashes in range(30):
        with crashing(family, 1 if crashes else 0) as asked:
            reply = ask()
        if reply.status_code == 204 and len(asked) <= 1:
            return crashes
        assert reply.status_code == 500
        if crashes:
            check()
    raise AssertionError("it never ends")
