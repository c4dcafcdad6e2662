"""Profiles and links over HTTP."""

from __future__ import annotations

import pytest

from .journal import Journal, refused

NAMES = [
    ({"name": "Ann Arm", "email": "a@b.example"}, "Ann Arm"),
    ({"email": "ann.mail@b.example"}, "ann.mail"),
    ({}, "ann"),
    ({"name": "n" * 100}, "n" * 80),
]


@pytest.mark.parametrize(("claims", "name"), NAMES)
def test_the_first_request_makes_the_profile(
    journal: Journal, claims: dict[str, str], name: str
) -> None:
    ann = journal.who("ann", "athlete", "climbers", **claims)
    reply = ann.get("/me")
    profile = reply.json()
    assert reply.headers["etag"] == '"1"'
    assert profile == {
        "userId": "ann",
        "displayName": name,
        "roles": ["athlete"],
        "createdAt": profile["createdAt"],
        "updatedAt": profile["createdAt"],
        "version": 1,
    }
    assert ann.get("/me").json() == profile


def test_a_first_request_that_fails_makes_the_profile_all_the_same(journal: Journal) -> None:
    refused(journal.cleo.post("/ai/chat", json={}), 400)
    assert journal.ann.post("/links", json={"coachId": "cleo"}).status_code == 201


def test_without_a_role_there_is_no_profile(journal: Journal) -> None:
    refused(journal.who("ann").get("/me"), 403, "role_required")
    assert journal.rows() == []


def test_first_requests_at_the_same_time_make_one_profile(journal: Journal) -> None:
    replies = journal.server.together(journal.dana.ask("GET", "/me") for _ in range(10))
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    assert len(journal.rows()) == 1


def test_roles_follow_the_token(journal: Journal) -> None:
    first = journal.ann.get("/me").json()
    journal.server.advance(60)
    both = journal.who("ann", "coach", "athlete").get("/me").json()
    assert (both["roles"], both["version"]) == (["athlete", "coach"], 2)
    assert both["createdAt"] == first["createdAt"]
    assert both["updatedAt"] > first["updatedAt"]
    assert journal.who("ann", "coach").get("/me").json()["roles"] == ["coach"]


def test_a_name_is_changed_and_stays_through_new_tokens(journal: Journal) -> None:
    before = journal.ann.get("/me").json()
    reply = journal.ann.put("/me", json={"displayName": "  Ann B. "})
    assert reply.status_code == 200
    assert reply.headers["etag"] == '"2"'
    after = reply.json()
    assert after == before | {
        "displayName": "Ann B.",
        "updatedAt": after["updatedAt"],
        "version": 2,
    }
    assert journal.who("ann", "athlete", name="Token").get("/me").json() == after
    for tag, status in (('"1"', 412), ("1", 412), ('W/"2"', 412), ('"2"', 200), ("*", 200)):
        changed = journal.ann.put("/me", json={"displayName": "X"}, headers={"If-Match": tag})
        assert changed.status_code == status, tag


def test_a_link_is_new_then_as_it_was(journal: Journal) -> None:
    journal.who("cleo", "coach", name="Cleo C.").get("/me")
    ann = journal.who("ann", "athlete", name="Ann A.")
    reply = ann.post("/links", json={"coachId": "cleo"})
    link = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert link == {
        "athleteId": "ann",
        "athleteName": "Ann A.",
        "coachId": "cleo",
        "coachName": "Cleo C.",
        "status": "active",
        "createdAt": link["createdAt"],
        "updatedAt": link["createdAt"],
        "createdBy": "ann",
        "version": 1,
    }
    again = ann.post("/links", json={"coachId": "cleo"})
    assert (again.status_code, again.json()) == (200, link)
    assert "idempotency-replayed" not in again.headers


def test_repeated_with_a_key_answers_what_it_answered(journal: Journal) -> None:
    for coach in (journal.cleo, journal.carl):
        coach.get("/me")
    key, body = {"Idempotency-Key": " once "}, {"coachId": "cleo"}
    first = journal.ann.post("/links", json=body, headers=key)
    assert journal.ann.delete("/links/cleo").status_code == 204
    again = journal.ann.post("/links", json=body, headers={"Idempotency-Key": "once"})
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["etag"] == first.headers["etag"]
    assert journal.items(journal.ann, "/links") == []
    other = journal.ann.post("/links", json={"coachId": "carl"}, headers=key)
    refused(other, 409, "idempotency_conflict")
    nobody = journal.ann.post("/links", json={"coachId": "nobody"}, headers=key)
    refused(nobody, 404)
    assert journal.ben.post("/links", json=body, headers=key).status_code == 201


def test_of_an_active_link_is_kept_under_its_key_too(journal: Journal) -> None:
    journal.link(journal.ann, "cleo", "carl")
    key = {"Idempotency-Key": "k"}
    first = journal.ann.post("/links", json={"coachId": "cleo"}, headers=key)
    journal.ann.delete("/links/cleo")
    again = journal.ann.post("/links", json={"coachId": "cleo"}, headers=key)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.content == first.content
    other = journal.ann.post("/links", json={"coachId": "carl"}, headers=key)
    refused(other, 409, "idempotency_conflict")


def test_equal_requests_at_once_are_answered_equally(journal: Journal) -> None:
    journal.cleo.get("/me")
    journal.ann.get("/me")
    replies = journal.server.together(
        journal.ann.ask(
            "POST", "/links", json={"coachId": "cleo"}, headers={"Idempotency-Key": "k"}
        )
        for _ in range(8)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1


def test_a_key_is_forgotten_after_a_day(journal: Journal) -> None:
    journal.cleo.get("/me")
    key = {"Idempotency-Key": "k"}
    assert journal.ann.post("/links", json={"coachId": "cleo"}, headers=key).status_code == 201
    journal.server.advance(24 * 3600)
    assert journal.ann.post("/links", json={"coachId": "cleo"}, headers=key).status_code == 200


def test_links_are_listed_by_coach_and_status(journal: Journal) -> None:
    coaches = ["Carl", "amy", "bea", "cleo"]
    journal.link(journal.ann, *reversed(coaches))
    journal.link(journal.ben, "cleo")
    journal.ann.delete("/links/bea")

    def listed(**params: str) -> list[str]:
        return [link["coachId"] for link in journal.items(journal.ann, "/links", **params)]

    assert listed() == ["Carl", "amy", "cleo"]
    assert listed(status="revoked") == ["bea"]
    assert listed(status="all") == coaches
    pages = journal.pages(journal.ann, "/links", status="all", limit=3)
    assert [[link["coachId"] for link in page] for page in pages] == [coaches[:3], coaches[3:]]
    journal.who("cleo", "coach").put("/me", json={"displayName": "New name"})
    assert journal.items(journal.ann, "/links")[-1]["coachName"] == "New name"


def test_one_link_whatever_its_status(journal: Journal) -> None:
    journal.link(journal.ann, "cleo")
    reply = journal.ann.get("/links/cleo")
    assert (reply.json()["status"], reply.headers["etag"]) == ("active", '"1"')
    journal.ann.delete("/links/cleo")
    reply = journal.ann.get("/links/cleo")
    assert (reply.json()["status"], reply.headers["etag"]) == ("revoked", '"2"')
    refused(journal.ann.get("/links/carl"), 404)


def test_a_revoke_is_of_an_active_link_at_its_version(journal: Journal) -> None:
    refused(journal.ann.delete("/links/cleo"), 404)
    journal.link(journal.ann, "cleo")
    refused(journal.ann.delete("/links/cleo", headers={"If-Match": '"2"'}), 412)
    assert journal.items(journal.cleo, "/athletes")
    reply = journal.ann.delete("/links/cleo", headers={"If-Match": '"1"'})
    assert (reply.status_code, reply.content) == (204, b"")
    assert journal.items(journal.cleo, "/athletes") == []
    refused(journal.ann.delete("/links/cleo", headers={"If-Match": '"9"'}), 404)


def test_athletes_are_listed_by_id_while_they_are_linked(journal: Journal) -> None:
    for athlete in ("zoe", "ann", "ben", "mia"):
        journal.link(journal.who(athlete, "athlete", name=athlete.title()), "cleo")
    journal.ben.delete("/links/cleo")
    links = journal.items(journal.cleo, "/athletes")
    assert [link["athleteId"] for link in links] == ["ann", "mia", "zoe"]
    assert [link["athleteName"] for link in links] == ["Ann", "Mia", "Zoe"]
    assert {link["status"] for link in links} == {"active"}
    assert links[0] == journal.ann.get("/links/cleo").json()
    pages = journal.pages(journal.cleo, "/athletes", limit=2)
    assert [len(page) for page in pages] == [2, 1]


def test_a_link_without_a_status_counts_as_active(journal: Journal) -> None:
    """As rows of the first design are."""
    entry = journal.log(journal.ann)
    journal.link(journal.ann, "cleo")
    key = {"PK": {"S": "USER#ann"}, "SK": {"S": "COACH#cleo"}}
    journal.call(
        "UpdateItem",
        {
            "TableName": "RollModel",
            "Key": key,
            "UpdateExpression": "REMOVE #s",
            "ExpressionAttributeNames": {"#s": "status"},
        },
    )
    assert journal.ann.get("/links/cleo").json()["status"] == "active"
    assert journal.comment(journal.cleo, entry)
    assert len(journal.items(journal.cleo, "/athletes")) == 1
    assert journal.ann.delete("/links/cleo").status_code == 204
    refused(journal.cleo.get(f"/entries/{entry['entryId']}"), 404)


def test_cursors_fit_their_list_their_filters_and_their_caller(journal: Journal) -> None:
    journal.link(journal.ann, "cleo", "carl")
    journal.link(journal.ben, "cleo", "carl")
    first = journal.ann.get("/links", params={"limit": 1, "status": "all"}).json()
    cursor = first["cursor"]

    def asked(caller: object, **params: object) -> int:
        told = {"status": "all", "cursor": cursor, **params}
        status: int = caller.get("/links", params=told).status_code  # type: ignore[attr-defined]
        return status

    assert asked(journal.ann) == 200
    assert asked(journal.ann, limit=100) == 200
    assert asked(journal.ann, status="active") == 400
    assert asked(journal.ben) == 400
    assert asked(journal.ann, cursor=cursor[:-1]) == 400
    assert asked(journal.ann, cursor=f"{cursor}x") == 400
    assert journal.ann.get("/ai/threads", params={"cursor": cursor}).status_code == 400
    assert journal.ann.get("/entries", params={"cursor": cursor}).status_code == 400
