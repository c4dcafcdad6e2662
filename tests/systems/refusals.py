"""What a refusal of any system looks like."""

from __future__ import annotations

from typing import Any

import httpx2

__all__ = ["refused"]


def refused(
    response: httpx2.Response, status: int, code: str = "", field: str | None = None
) -> dict[str, Any]:
    """The problem that a response tells; it has to be one, with this status and code."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert problem["type"] == "about:blank"
    assert problem["status"] == status
    assert problem["title"]
    assert problem["detail"]
    if code:
        assert problem["code"] == code
    assert ("errors" in problem) == (status == 400)
    if field is not None:
        assert field in [error["field"] for error in problem["errors"]]
    return problem
