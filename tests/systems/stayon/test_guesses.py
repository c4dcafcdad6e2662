"""Guessing passcodes, codes and short ids: at once, slowly, from many addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import httpx2
import pytest

from tablewright.systems.stayon import dependencies as desk_module
from tablewright.systems.stayon.app import SYSTEM
from tablewright.systems.stayon.services import guess_limits as attempts
from tablewright.web.services.rate_limits import Rate
from tests.web.serving import served

from .desk import BOTH, CHECKLIST, EVENT, POLL, Desk, place, refused, vote_body

RSVP = {"name": "Ann", "response": "going"}


@pytest.fixture
def proxied() -> Iterator[Desk]:
    """Behind a proxy that is believed, so that a test can have many addresses."""
    with served(SYSTEM, trusted_proxies=("127.0.0.1",)) as server:
        yield Desk(server)


def address(number: int) -> dict[str, str]:
    return {"X-Forwarded-For": f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"}


def guess(desk: Desk, page: dict[str, str], client: int, passcode: str) -> httpx2.Response:
    asked = {"level": "admin", "passcode": passcode}
    return desk.anyone.post(f"{place(page)}/login", json=asked, headers=address(client))


def test_of_300_passcodes_at_once_ten_are_judged(desk: Desk) -> None:
    page = desk.make(CHECKLIST, **BOTH)
    login = f"{place(page)}/login"
    tries = [{"level": "admin", "passcode": f"guess-{number}"} for number in range(299)]
    tries.append({"level": "admin", "passcode": BOTH["adminPasscode"]})
    replies = desk.server.together(desk.guest().ask("POST", login, json=body) for body in tries)
    assert Counter(reply.status_code for reply in replies) == {401: 10, 429: 290}


def test_of_300_codes_at_once_ten_are_judged(desk: Desk) -> None:
    page = desk.make(EVENT)
    code = desk.anyone.post(f"{place(page)}/rsvps", json=RSVP).json()["code"]
    unknown = [f"{number:06d}" for number in range(300) if f"{number:06d}" != code]
    replies = desk.server.together(
        desk.guest().ask("GET", f"{place(page)}/rsvps/{text}") for text in [*unknown, code]
    )
    assert Counter(reply.status_code for reply in replies)[404] == 10
    assert {reply.status_code for reply in replies} == {404, 429}


def test_right_ones_at_once_do_not_stand_in_each_others_way(desk: Desk) -> None:
    page = desk.make(EVENT, viewPasscode="view-1234")
    body = {"level": "view", "passcode": "view-1234"}
    ask = desk.guest().ask
    replies = desk.server.together(
        ask("POST", f"{place(page)}/login", json=body) for _ in range(30)
    )
    assert {reply.status_code for reply in replies} == {200}
    viewer = desk.guest(replies[0].json()["accessToken"])
    code = viewer.post(f"{place(page)}/rsvps", json=RSVP).json()["code"]
    mine = f"{place(page)}/rsvps/{code}"
    replies = desk.server.together(viewer.ask("GET", mine) for _ in range(30))
    assert {reply.status_code for reply in replies} == {200}


def test_a_run_of_guesses_from_ever_new_addresses_takes_weeks(proxied: Desk) -> None:
    page = proxied.make(CHECKLIST, **BOTH)
    client = 0
    for _ in range(5):  # Hours: 20 in each, so 10,000 take 500 hours, nearly 21 days.
        judged = 0
        for _ in range(30):
            client += 1
            judged += guess(proxied, page, client, "wrong-one").status_code == 401
        assert judged == 20
        refused(guess(proxied, page, 99_999, BOTH["adminPasscode"]), 429)
        assert 10_000 / judged > 20 * 24
        proxied.server.advance(3600)


def test_addresses_of_one_network_are_one_client(proxied: Desk) -> None:
    page = proxied.make(CHECKLIST, **BOTH)
    login, body = f"{place(page)}/login", {"level": "view", "passcode": "wrong-one"}
    told = [
        proxied.anyone.post(
            login, json=body, headers={"X-Forwarded-For": f"2001:db8::{number:x}"}
        ).status_code
        for number in range(1, 13)
    ]
    assert told == [401] * 10 + [429] * 2


def test_tokens_keep_working_while_nobody_may_log_in(proxied: Desk) -> None:
    page = proxied.make(CHECKLIST, **BOTH)
    token = proxied.token(page, "admin", BOTH["adminPasscode"])
    for client in range(21):
        guess(proxied, page, client, "wrong-one")
    waiting = guess(proxied, page, 99_999, BOTH["adminPasscode"])
    refused(waiting, 429, "too_many_requests")
    assert 0 < int(waiting.headers["retry-after"]) <= 3600
    assert proxied.guest(token).get(place(page)).status_code == 200


def test_codes_that_exist_keep_working_while_unknown_ones_are_refused(proxied: Desk) -> None:
    page = proxied.make(POLL)
    vote = proxied.anyone.post(f"{place(page)}/votes", json=vote_body(page, 0)).json()
    unknown = "000000" if vote["code"] != "000000" else "000001"
    told = Counter(
        proxied.anyone.get(f"{place(page)}/votes/{unknown}", headers=address(number)).status_code
        for number in range(110)
    )
    assert told == {404: 100, 429: 10}
    mine = f"{place(page)}/votes/{vote['code']}"
    assert proxied.anyone.get(mine, headers=address(9999)).status_code == 200


def test_a_guess_that_is_not_judged_is_given_back(desk: Desk) -> None:
    page = desk.make(EVENT, viewPasscode="view-1234")
    for _ in range(12):  # Without the right to see the page nothing is said about its codes.
        refused(desk.anyone.get(f"{place(page)}/rsvps/000000"), 401)
    refused(desk.anyone.get(f"{place(page)}/votes/000000"), 404)
    token = desk.token(page, "view", "view-1234")
    assert desk.guest(token).get(f"{place(page)}/rsvps/000000").status_code == 404


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test reaches soon; asked for before the server is made."""
    assert (attempts.UNKNOWN_RATE, desk_module.CREATION_RATE) == ((600, 3600), (2_000, 3600))
    monkeypatch.setattr(attempts, "UNKNOWN_RATE", Rate(20, 3600))
    monkeypatch.setattr(desk_module, "CREATION_RATE", Rate(20, 3600))


def test_short_ids_that_nobody_has_have_a_budget_and_pages_that_are_there_do_not(
    small_limits: None, desk: Desk
) -> None:
    page = desk.make(CHECKLIST)
    told = [desk.anyone.get(f"/pages/zzz-zzz-{n:05d}").status_code for n in range(25)]
    assert told == [404] * 20 + [429] * 5
    assert desk.anyone.get(place(page)).status_code == 200
    desk.server.advance(3600)
    refused(desk.anyone.get("/pages/zzz-zzz-00000"), 404)


def test_guesses_on_a_page_that_is_not_there_leave_no_row(desk: Desk) -> None:
    body = {"level": "admin", "passcode": "wrong-one"}
    refused(desk.anyone.post("/pages/zzz-zzz-00000/login", json=body), 404)
    refused(desk.anyone.get("/pages/zzz-zzz-00000/rsvps/000000"), 404)
    scanned = desk.call("Scan", {"TableName": "StayOnPage"})
    assert scanned["Items"] == []


def test_a_client_makes_only_so_many_pages_in_an_hour(small_limits: None, proxied: Desk) -> None:
    ask = proxied.guest().ask
    made = proxied.server.together(
        ask("POST", "/pages", json=CHECKLIST, headers=address(1)) for _ in range(25)
    )
    assert Counter(reply.status_code for reply in made) == {201: 20, 429: 5}
    other = proxied.anyone.post("/pages", json=CHECKLIST, headers=address(2))
    assert other.status_code == 201
