"""Bad input gets a clear 400, or a 404 for what cannot be an id, and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from .desk import BOTH, CHECKLIST, EVENT, POLL, Desk, place, refused

TWO = [{"label": "a"}, {"label": "b"}]
ID = "00000000-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "entity"),
        ({"entity": "party", "name": "x"}, "entity"),
        ({**CHECKLIST, "name": ""}, "name"),
        ({**CHECKLIST, "name": "x" * 201}, "name"),
        ({**CHECKLIST, "name": "two\nlines"}, "name"),
        ({**CHECKLIST, "name": 5}, "name"),
        ({**CHECKLIST, "items": []}, "items"),
        ({**CHECKLIST, "items": [{"name": "x", "checklistItemId": ID}]}, "items.0.checklistItemId"),
        ({**CHECKLIST, "items": [{"note": "x"}]}, "items.0.name"),
        ({**CHECKLIST, "expiresAfter": 2}, "expiresAfter"),
        ({**CHECKLIST, "expiresAfter": "7"}, "expiresAfter"),
        ({**CHECKLIST, "startTime": "2026-06-01T12:00:00Z"}, "startTime"),
        ({**CHECKLIST, "startTime": None}, "startTime"),
        ({**CHECKLIST, "version": 7}, "version"),
        ({**CHECKLIST, "viewPasscode": "abc"}, "viewPasscode"),
        ({**CHECKLIST, "viewPasscode": "same1", "adminPasscode": "same1"}, "adminPasscode"),
        ({**EVENT, "startTime": "2026-06-01T12:00:00"}, "startTime"),
        ({**EVENT, "endTime": "2026-06-01T11:00:00Z"}, "endTime"),
        ({**EVENT, "isRsvpRequired": "yes"}, "isRsvpRequired"),
        ({**EVENT, "type": "InPerson"}, "type"),
        ({**POLL, "isClosed": False}, "isClosed"),
        ({**POLL, "questions": [{"title": "x", "options": TWO[:1]}]}, "questions.0.options"),
        (
            {**POLL, "questions": [{"title": "x", "options": TWO, "pollQuestionId": ID}]},
            "questions.0.pollQuestionId",
        ),
    ],
)
def test_a_page_that_is_not_valid_is_refused(desk: Desk, body: dict[str, Any], field: str) -> None:
    refused(desk.anyone.post("/pages", json=body), 400, "invalid_request", field)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"text"', b"null"])
def test_a_body_that_is_no_object_is_refused(desk: Desk, content: bytes) -> None:
    refused(desk.anyone.post("/pages", content=content), 400, field="body")


@pytest.mark.parametrize(
    "short_id", ["abc", "abc-def-1234", "ab1-def-12345", "abcdef-12345", "%00"]
)
def test_what_cannot_be_a_short_id_is_not_found(desk: Desk, short_id: str) -> None:
    for method, path in (("GET", ""), ("PUT", ""), ("POST", "/login"), ("GET", "/results")):
        refused(desk.anyone.request(method, f"/pages/{short_id}{path}"), 404)


def test_paths_of_one_kind_are_not_found_on_another(desk: Desk) -> None:
    checklist, event = desk.make(CHECKLIST), desk.make(EVENT)
    answer = {"name": "Ann", "response": "going"}
    refused(desk.anyone.post(f"{place(checklist)}/rsvps", json=answer), 404)
    refused(desk.anyone.get(f"{place(checklist)}/rsvps"), 404)
    for method, path in (("POST", "/close"), ("POST", "/reopen"), ("GET", "/results")):
        refused(desk.anyone.request(method, f"{place(event)}{path}"), 404)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"response": "going"}, "name"),
        ({"name": "Ann", "response": "perhaps"}, "response"),
        ({"name": "Ann", "response": "going", "guestCount": 100}, "guestCount"),
        ({"name": "Ann", "response": "going", "guestCount": True}, "guestCount"),
        ({"name": "Ann", "response": "going", "code": "123456"}, "code"),
    ],
)
def test_an_answer_that_is_not_valid_is_refused(
    desk: Desk, body: dict[str, Any], field: str
) -> None:
    page = desk.make(EVENT)
    refused(desk.anyone.post(f"{place(page)}/rsvps", json=body), 400, field=field)
    assert desk.anyone.get(f"{place(page)}/rsvps").json()["items"] == []


def test_a_change_that_would_have_expired_the_page_is_refused(desk: Desk) -> None:
    page = desk.make(CHECKLIST)
    desk.server.advance(2 * 24 * 3600)
    change = {"name": "x", "items": [{"name": "y"}], "expiresAfter": 1}
    refused(desk.anyone.put(place(page), json=change), 400, field="expiresAfter")


def test_the_entity_of_a_page_stays(desk: Desk) -> None:
    page = desk.make(CHECKLIST)
    change = {"entity": "poll", "name": "x", "items": [{"name": "y"}]}
    refused(desk.anyone.put(place(page), json=change), 400, field="entity")


def test_a_new_passcode_must_differ_from_the_one_that_stays(desk: Desk) -> None:
    page = desk.make(CHECKLIST, **BOTH)
    manager = desk.guest(desk.token(page, "admin", BOTH["adminPasscode"]))
    change = {"viewPasscode": BOTH["adminPasscode"]}
    refused(manager.put(f"{place(page)}/passcodes", json=change), 400)


def test_a_page_that_is_too_large_is_refused(desk: Desk) -> None:
    items = [{"name": "x" * 200, "note": "y" * 1000} for _ in range(400)]
    refused(desk.anyone.post("/pages", json={**CHECKLIST, "items": items}), 413)


@pytest.mark.parametrize("code", ["abc", "12345", "1234567", "١٢٣٤٥٦"])
def test_what_cannot_be_a_code_is_no_guess(desk: Desk, code: str) -> None:
    page = desk.make(POLL, resultsVisibility="afterSubmit", adminPasscode="admin-1234")
    results = f"{place(page)}/results"
    for _ in range(11):
        refused(desk.anyone.get(results, params={"code": code}), 400, field="code")
    refused(desk.anyone.get(results, params={"code": "000000"}), 403, "results_hidden")


def test_a_code_that_nobody_has_counts_as_a_guess_whatever_the_results_need(desk: Desk) -> None:
    page = desk.make(POLL)
    results = f"{place(page)}/results"
    for _ in range(10):
        assert desk.anyone.get(results, params={"code": "000000"}).status_code == 200
    refused(desk.anyone.get(results, params={"code": "000000"}), 429)
    assert desk.anyone.get(results).status_code == 200


@pytest.mark.parametrize("value", ["0", "201", "x", "1.5", "-1"])
def test_a_limit_out_of_range_is_refused(desk: Desk, value: str) -> None:
    page = desk.make(EVENT)
    refused(desk.anyone.get(f"{place(page)}/rsvps", params={"limit": value}), 400, field="limit")


def test_what_is_wrong_with_a_body_counts_before_the_state_of_its_page(desk: Desk) -> None:
    poll, checklist = desk.make(POLL), desk.make(CHECKLIST)
    event = desk.make(EVENT, expiresAfter=1, **BOTH)
    stale = {"If-Match": '"7"'}
    unknown = {"name": "x", "items": [{"name": "y", "checklistItemId": ID}]}
    refused(desk.guest(if_match='"7"').put(place(checklist), json=unknown), 400)
    same = {"viewPasscode": "same1", "adminPasscode": "same1"}
    for path, method in (("/passcodes", "PUT"), ("/clone", "POST")):
        refused(desk.anyone.request(method, place(event) + path, json=same, headers=stale), 400)
    refused(desk.anyone.get(f"{place(event)}/rsvps", params={"cursor": "x"}), 400, field="cursor")
    desk.server.advance(31 * 24 * 3600)
    refused(desk.anyone.post(f"{place(poll)}/votes", json={"answers": []}), 400, field="answers")
    change = {"name": "x", "items": [{"name": "y"}], "expiresAfter": 1}
    refused(desk.anyone.put(place(checklist), json=change), 410)


def test_who_may_not_see_a_poll_learns_nothing_of_its_questions(desk: Desk) -> None:
    page = desk.make(POLL, **BOTH)
    told = refused(desk.anyone.post(f"{place(page)}/votes", json={"answers": []}), 401)
    assert "Day" not in str(told)


@pytest.mark.parametrize("value", [True, 1.0, "1", 0, [1]])
def test_days_are_whole_numbers(desk: Desk, value: Any) -> None:
    refused(desk.anyone.post("/pages", json={**CHECKLIST, "expiresAfter": value}), 400)


@pytest.mark.parametrize("content", [b"[]", b"{", b'{"name": ""}', b'{"entity": "poll"}', b"{}"])
def test_what_was_sent_comes_before_whether_the_page_exists(desk: Desk, content: bytes) -> None:
    unknown = "/pages/zzz-zzz-00000"
    refused(desk.anyone.put(unknown, content=content), 400, "invalid_request")
    refused(desk.anyone.put(unknown, json={"name": "x", "items": [{"name": "y"}]}), 404)
