"""Services of a system as FastAPI's dependencies.

An app keeps its services in ``app.state.provided``, one of each class:
``Annotated[Entries, Depends(service(Entries))]``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from fastapi import Request

__all__ = ["Provided", "service"]

S = TypeVar("S")


class Provided:
    """The services of one app, by their class."""

    def __init__(self, *services: object) -> None:
        self.by_class = {type(instance): instance for instance in services}

    def get(self, kind: type[S]) -> S:
        return cast("S", self.by_class[kind])


def service(kind: type[S]) -> Callable[[Request], S]:
    """A dependency: the service of this class that the request's app has."""

    def find(request: Request) -> S:
        return cast("S", request.scope["app"].state.provided.by_class[kind])

    return find
