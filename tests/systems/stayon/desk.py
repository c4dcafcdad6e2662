"""StayOn as people use it, over HTTP: valid bodies, and the steps of many tests.

What is expected is written down in the tests; this file only makes requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from tablewright.care.fsck import drift
from tablewright.systems.stayon.app import SYSTEM
from tests.web.serving import Asking, Caller, Server, served

__all__ = ["BOTH", "CHECKLIST", "EVENT", "POLL", "Desk", "opened", "place", "refused", "vote_body"]

CHECKLIST: dict[str, Any] = {"entity": "checklist", "name": "Shopping", "items": [{"name": "Milk"}]}
EVENT: dict[str, Any] = {
    "entity": "event",
    "name": "Picnic",
    "startTime": "2026-06-01T12:00:00Z",
    "isRsvpRequired": True,
}
POLL: dict[str, Any] = {
    "entity": "poll",
    "name": "When?",
    "questions": [
        {"title": "Day", "isRequired": True, "options": [{"label": "Sat"}, {"label": "Sun"}]}
    ],
}
BOTH = {"viewPasscode": "view-1234", "adminPasscode": "admin-1234"}


def refused(
    response: httpx2.Response, status: int, code: str = "", field: str | None = None
) -> dict[str, Any]:
    """The problem that a response tells; it has to be one, with this status and code."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    assert problem["status"] == status
    assert problem["detail"]
    if code:
        assert problem["code"] == code
    assert ("errors" in problem) == (status == 400)
    if field is not None:
        assert field in [error["field"] for error in problem["errors"]]
    return problem


class Desk:
    """A server, and guests with or without a page's token. Nobody keeps cookies by accident."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def guest(self, token: str | None = None, **headers: str) -> Caller:
        told = {name.replace("_", "-"): text for name, text in headers.items()}
        if token is not None:
            told["Authorization"] = f"Bearer {token}"
        made = self.server.guest()
        made.headers.update(told)
        return made

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One call of the store, for who looks at all of it."""
        return self.server.loop.run(self.server.services.store.call(operation, request))

    @property
    def anyone(self) -> Caller:
        self.forget_cookies()
        return self.guest()

    def forget_cookies(self) -> None:
        self.server._client.cookies.clear()

    def make(self, body: dict[str, Any], **more: Any) -> dict[str, Any]:
        """A new page, as whoever made it sees it."""
        made = self.anyone.post("/pages", json={**body, **more})
        assert made.status_code == 201, made.text
        self.forget_cookies()
        page: dict[str, Any] = made.json()
        return page

    def token(self, page: dict[str, Any], level: str, passcode: str) -> str:
        """A token for a passcode."""
        asked = {"level": level, "passcode": passcode}
        told = self.anyone.post(f"/pages/{page['shortId']}/login", json=asked)
        assert told.status_code == 200, told.text
        self.forget_cookies()
        made: str = told.json()["accessToken"]
        return made

    def read(self, page: dict[str, Any], token: str | None = None) -> dict[str, Any]:
        """A page as it is now."""
        self.forget_cookies()
        told = self.guest(token).get(place(page))
        assert told.status_code == 200, told.text
        shown: dict[str, Any] = told.json()
        return shown

    def vote(self, page: dict[str, Any], *numbers: int) -> Asking:
        """A vote for these options of the first question, still to be cast."""
        return self.guest().ask("POST", f"{place(page)}/votes", json=vote_body(page, *numbers))


def vote_body(page: dict[str, Any], *numbers: int) -> dict[str, Any]:
    question = page["questions"][0]
    chosen = [question["options"][number]["pollQuestionOptionId"] for number in numbers]
    return {"answers": [{"pollQuestionId": question["pollQuestionId"], "optionIds": chosen}]}


def place(page: dict[str, Any]) -> str:
    return f"/pages/{page['shortId']}"


@contextmanager
def opened(store: str = "sqlite://:memory:") -> Iterator[Desk]:
    """A server with StayOn; what is derived is right when it ends."""
    with served(SYSTEM, store=store) as server:
        desk = Desk(server)
        yield desk
        assert drift(desk, SYSTEM.tables) == []
