"""Bearer tokens as FastAPI's dependencies: who calls, or a 401."""

from __future__ import annotations

from typing import Annotated, ClassVar

from fastapi import Depends, Request
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase

from tablewright.web.identity.auth import Principal

__all__ = ["Bearer", "Guest"]


class _BearerToken(SecurityBase):
    """The caller by a token; OpenAPI says that the endpoint needs one."""

    refusals: ClassVar[dict[int, list[str]]] = {401: []}

    def __init__(self) -> None:
        self.model = HTTPBearer(bearerFormat="JWT")
        self.scheme_name = "bearer"

    async def __call__(self, request: Request) -> Principal:
        principal: Principal = await request.app.state.services.auth.principal(request)
        return principal


async def _guest(request: Request) -> Principal | None:
    principal: Principal | None = await request.app.state.services.auth.guest(request)
    return principal


_guest.refusals = {401: []}  # type: ignore[attr-defined]  # A bad token; see `openapi`.

Bearer = Annotated[Principal, Depends(_BearerToken())]
Guest = Annotated[Principal | None, Depends(_guest)]
