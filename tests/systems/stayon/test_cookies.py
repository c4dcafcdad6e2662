"""Cookies as tokens: pages of other origins cannot use them; and what a repeated creation gives."""

from __future__ import annotations

from typing import Any

import pytest

from .desk import BOTH, CHECKLIST, POLL, Desk, place, refused, vote_body

EVIL = {"Origin": "https://evil.example"}
OWN = {"Origin": "http://127.0.0.1:8080"}
CHANGE = {"name": "Other", "items": [{"name": "Tea"}]}


def cookie_of(page: dict[str, Any]) -> dict[str, str]:
    name = page["shortId"].replace("-", "")
    return {"Cookie": f"{page['level']}_{name}={page['accessToken']}"}


def test_a_page_of_another_origin_changes_nothing_by_a_cookie(desk: Desk) -> None:
    page = desk.make(CHECKLIST, **BOTH)
    cookie = cookie_of(page)
    told = desk.anyone.put(place(page), json=CHANGE, headers=cookie | EVIL)
    refused(told, 403, "forbidden_origin")
    for method, path in (("DELETE", ""), ("POST", "/clone"), ("PUT", "/passcodes")):
        reply = desk.anyone.request(method, place(page) + path, json={}, headers=cookie | EVIL)
        refused(reply, 403, "forbidden_origin")
    null = desk.anyone.delete(place(page), headers=cookie | {"Origin": "null"})
    refused(null, 403, "forbidden_origin")
    assert desk.read(page, page["accessToken"])["version"] == 1


def test_reading_by_a_cookie_is_not_refused(desk: Desk) -> None:
    page = desk.make(CHECKLIST, **BOTH)
    assert desk.anyone.get(place(page), headers=cookie_of(page) | EVIL).status_code == 200


@pytest.mark.parametrize("origin", [{}, OWN, {"Origin": "http://localhost:8080"}])
def test_own_pages_and_clients_without_an_origin_change_by_a_cookie(
    desk: Desk, origin: dict[str, str]
) -> None:
    page = desk.make(CHECKLIST, **BOTH)
    headers = cookie_of(page) | origin
    assert desk.anyone.put(place(page), json=CHANGE, headers=headers).status_code == 200
    assert desk.anyone.delete(place(page), headers=headers).status_code == 204


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_form_can_send_is_no_body_where_a_cookie_counts(desk: Desk, kind: str) -> None:
    page = desk.make(CHECKLIST, **BOTH)
    headers = cookie_of(page) | ({"Content-Type": kind} if kind else {})
    body = b'{"name":"Other","items":[{"name":"Tea"}]}'
    refused(desk.anyone.put(place(page), content=body, headers=headers), 400, field="Content-Type")
    assert desk.read(page, page["accessToken"])["version"] == 1


def test_a_bearer_token_counts_wherever_it_comes_from(desk: Desk) -> None:
    page = desk.make(CHECKLIST, **BOTH)
    manager = desk.guest(page["accessToken"])
    headers = EVIL | {"Content-Type": "text/plain"} | cookie_of(page)
    body = b'{"name":"Other","items":[{"name":"Tea"}]}'
    assert manager.put(place(page), content=body, headers=headers).status_code == 200


def test_where_no_cookie_counts_any_origin_may_answer(desk: Desk) -> None:
    page = desk.make(POLL)
    reply = desk.anyone.post(f"{place(page)}/votes", json=vote_body(page, 0), headers=EVIL)
    assert reply.status_code == 201


# Repeated creations.


def test_a_repeated_creation_gives_a_token_of_the_first_passcode_only(desk: Desk) -> None:
    key = {"Idempotency-Key": "0123456789abcdef"}
    body = {**CHECKLIST, **BOTH}
    page = desk.anyone.post("/pages", json=body, headers=key).json()
    again = desk.anyone.post("/pages", json=body, headers=key)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json().keys() == page.keys()
    fresh = again.json()["accessToken"]
    assert desk.read(page, fresh)["access"] == "admin"
    owner = desk.guest(page["accessToken"])
    changed = owner.put(f"{place(page)}/passcodes", json={"adminPasscode": "other-1234"})
    assert changed.status_code == 200
    desk.forget_cookies()
    late = desk.anyone.post("/pages", json=body, headers=key)
    assert late.json().keys() == page.keys()
    assert "set-cookie" not in late.headers
    stranger = desk.guest(late.json()["accessToken"])
    refused(stranger.get(place(page)), 401)
    refused(stranger.put(place(page), json=CHANGE), 401)


def test_a_change_of_content_leaves_the_token_of_a_repeated_creation_good(desk: Desk) -> None:
    key = {"Idempotency-Key": "0123456789abcdef"}
    body = {**CHECKLIST, **BOTH}
    page = desk.anyone.post("/pages", json=body, headers=key).json()
    desk.forget_cookies()
    assert desk.guest(page["accessToken"]).put(place(page), json=CHANGE).status_code == 200
    again = desk.anyone.post("/pages", json=body, headers=key).json()
    assert desk.read(page, again["accessToken"])["access"] == "admin"
