"""What is not for everybody: notes of ratings, addresses, who is who on the court."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from tests.web.serving import Caller

from .catalogue import Catalogue, place, refused, site_body

NOTE, ADDRESS, EMAIL, COURT = "meniscusgraft", "198.51.100.77", "ann.secret@example.org", "Slow Joe"


@pytest.fixture
def secrets(catalogue: Catalogue) -> dict[str, Any]:
    """Ann has a note, an address and an e-mail; there is a player whom Squash alone knows."""
    site = catalogue.site()
    ann = catalogue.who("ann", name="Ann A.", email=EMAIL)
    ann.get("/me")
    catalogue.call(
        "UpdateItem",
        {
            "TableName": "fus-main",
            "Key": {"PK": {"S": "USER#ann"}, "SK": {"S": "PROFILE"}},
            "UpdateExpression": "SET lastLoginIp = :at",
            "ExpressionAttributeValues": {":at": {"S": ADDRESS}},
        },
    )
    catalogue.rate(ann, site, 4, note=NOTE)
    catalogue.comment(ann, site)
    catalogue.group("Squash")
    catalogue.put_in("Squash", "ann")
    four = [catalogue.player(COURT, email=f"joe.{EMAIL}")["playerId"], *catalogue.players(3)]
    match = catalogue.match(four)
    return {"site": site, "player": four[0], "match": match["matchId"]}


def answers(caller: Caller, secrets: dict[str, Any]) -> str:
    """All that somebody can read, as one text."""
    site, player = secrets["site"], secrets["player"]
    paths = [
        "/sites",
        place(site),
        place(site, "rating"),
        place(site, "ratings"),
        place(site, "comments"),
        "/ratings?stars=4",
        "/me",
        "/me/ratings",
        "/me/comments",
        "/me/groups",
        "/me/profile",
        "/groups",
        "/groups/Squash",
        "/groups/Squash/members",
        "/users",
        "/users/ann",
        "/users/ann/groups",
        "/squash/players",
        f"/squash/players/{player}",
        f"/squash/players/{player}/matches",
        "/squash/matches",
        f"/squash/matches/{secrets['match']}",
    ]
    replies = [caller.get(path) for path in paths]
    assert {reply.status_code for reply in replies} <= {200, 401, 403, 404}
    return "".join(f"{reply.headers}{reply.text}" for reply in replies)


def test_everybody_sees_what_is_for_her(catalogue: Catalogue, secrets: dict[str, Any]) -> None:
    court, mail = secrets["player"], f"joe.{EMAIL}"
    callers = {
        "guest": catalogue.guest,
        "ben": catalogue.ben,
        "ann": catalogue.who("ann", email=EMAIL),
        "mia": catalogue.mia,
        "ada": catalogue.ada,
    }
    texts = {name: answers(caller, secrets) for name, caller in callers.items()}
    told = (NOTE, ADDRESS, f'"{EMAIL}', COURT, court, mail, "ann")
    seen = {name: {one for one in told if one in text} for name, text in texts.items()}
    hers = {NOTE, ADDRESS, f'"{EMAIL}', "ann"}
    assert seen["guest"] == {"ann"}  # She signed her comment.
    assert seen["ben"] == {"ann"}
    assert seen["mia"] == {"ann", f'"{EMAIL}'}
    # Ann comes by the test's own address now, and her login is recorded as such.
    assert seen["ann"] == {*hers, COURT, court, mail} - {ADDRESS}
    assert seen["ada"] == {NOTE, f'"{EMAIL}', "ann", COURT, court, mail}


def test_an_address_is_for_oneself_and_admins(
    catalogue: Catalogue, secrets: dict[str, Any]
) -> None:
    assert catalogue.who("ann").get("/me/profile").json()["lastLoginIp"] == ADDRESS
    assert catalogue.who("ann", "manager").get("/users/ann").json()["lastLoginIp"] == ADDRESS
    assert catalogue.ada.get("/users/ann").json()["lastLoginIp"] == ADDRESS
    assert "lastLoginIp" not in catalogue.mia.get("/users/ann").json()
    for profile in catalogue.items(catalogue.mia, "/users"):
        assert ("lastLoginIp" in profile) == (profile["userId"] == "mia")


def test_an_address_is_that_of_the_connection_unless_a_proxy_is_trusted(
    catalogue: Catalogue,
) -> None:
    forged = {"X-Forwarded-For": "203.0.113.9"}
    assert catalogue.ben.get("/me", headers=forged).status_code == 200
    assert catalogue.ben.get("/me/profile").json()["lastLoginIp"] == "127.0.0.1"


def test_a_note_is_left_out_and_not_null(catalogue: Catalogue, secrets: dict[str, Any]) -> None:
    catalogue.rate(catalogue.ben, secrets["site"], 4)
    shown = {one["userId"]: one for one in catalogue.items(catalogue.ben, "/ratings", stars=4)}
    assert "note" not in shown["ann"]
    assert shown["ben"]["note"] is None
    # A manager is nobody special here.
    assert all("note" not in one for one in catalogue.items(catalogue.mia, "/ratings", stars=4))


def test_squash_tells_an_outsider_not_even_what_is_there(
    catalogue: Catalogue, secrets: dict[str, Any]
) -> None:
    for known, unknown in (
        (f"/squash/players/{secrets['player']}", "/squash/players/" + "0" * 8 + "-0000-4000-8000-"),
        (f"/squash/matches/{secrets['match']}", "/squash/matches/" + "0" * 8 + "-0000-4000-8000-"),
    ):
        there = catalogue.ben.get(known)
        not_there = catalogue.ben.get(f"{unknown}000000000000")
        refused(there, 403, "squash_group_required")
        assert there.content == not_there.content


def test_a_key_of_somebody_else_is_refused_as_one_that_is_not_there(catalogue: Catalogue) -> None:
    theirs = catalogue.upload(catalogue.ann, "/me/avatar-upload-url")
    missing = f"{theirs[:-8]}0000.png"
    replies = [
        catalogue.ben.patch("/me/profile", json={"avatarKey": key}) for key in (theirs, missing)
    ]
    assert replies[0].content == replies[1].content
    prefix = catalogue.who("an")  # One whose name hers begins with.
    refused(prefix.patch("/me/profile", json={"avatarKey": theirs}), 400, field="avatarKey")


@pytest.fixture
def logged() -> Iterator[Any]:
    """Everything that is logged, with what exceptions tell."""
    with structlog.testing.capture_logs() as entries:
        yield entries


def test_neither_problems_nor_the_log_tell_what_was_sent(
    catalogue: Catalogue, logged: list[Any]
) -> None:
    site = catalogue.site()
    path = place(site, "rating")
    for body in ({"stars": 9, "note": NOTE}, {"stars": 4, "note": f"{NOTE}\x00"}):
        assert NOTE not in catalogue.ann.put(path, json=body).text
    stale = {"If-Match": '"9"'}
    told = catalogue.ann.put(path, json={"stars": 4, "note": NOTE}, headers=stale)
    assert NOTE not in refused(told, 412)["detail"]
    assert NOTE not in catalogue.ada.post("/sites", json=site_body(NOTE, url=NOTE)).text
    catalogue.rate(catalogue.ann, site, 4, note=NOTE)
    catalogue.who("ann", email=EMAIL).get("/me")
    assert NOTE not in repr(logged)
    assert EMAIL not in repr(logged)


def test_the_log_of_a_failure_has_nothing_of_the_request(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A traceback tells where it was, not what the variables held."""
    from tablewright.web.server.logs import configure_logs

    site = catalogue.site()
    before = structlog.get_config(), logging.getLogger().handlers[:], logging.getLogger().level
    try:
        configure_logs()
        with monkeypatch.context() as patched:
            real = catalogue.server.services.store.call

            async def failing(operation: str, request: dict[str, Any]) -> dict[str, Any]:
                if operation == "TransactWriteItems":
                    raise RuntimeError("something went wrong")
                return await real(operation, request)

            patched.setattr(catalogue.server.services.store, "send", failing)
            reply = catalogue.ann.put(place(site, "rating"), json={"stars": 4, "note": NOTE})
    finally:
        structlog.configure(**before[0])
        logging.getLogger().handlers[:] = before[1]
        logging.getLogger().setLevel(before[2])
    refused(reply, 500, "internal_error")
    told = capfd.readouterr().err
    assert "went wrong" in told
    assert NOTE not in told
    assert NOTE not in reply.text
