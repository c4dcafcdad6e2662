"""Drafts over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tablewright.errors import StoreUnavailable
from tablewright.systems.hold_that_thought.services.drafts import Drafts

from .family import DATE, UNKNOWN, Family, files, refused

DAY = 24 * 3600


def at(draft: dict[str, Any]) -> str:
    return f"/drafts/{draft['draftId']}"


def test_a_draft_says_how_its_scans_are_uploaded(family: Family) -> None:
    reply = family.ann.post("/drafts", json=files("a b.jpg", "ü.png", "c.pdf"))
    draft = family.made(reply)
    assert reply.headers["etag"] == '"1"'
    uploads = draft.pop("uploads")
    assert draft == {
        "draftId": draft["draftId"],
        "status": "pending",
        "uploaderId": "ann",
        "fileNames": ["a b.jpg", "ü.png", "c.pdf"],
        "extractedData": None,
        "errorMessage": None,
        "letterDate": None,
        "createdAt": draft["createdAt"],
        "updatedAt": draft["createdAt"],
        "version": 1,
    }
    keys = [f"temp/{draft['draftId']}/{name}" for name in ("1.jpg", "2.png", "3.pdf")]
    assert [upload["key"] for upload in uploads] == keys
    assert {upload["expiresIn"] for upload in uploads} == {900}
    assert family.ann.get(at(draft)).json() == draft


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "files"),
        ({"files": []}, "files"),
        (files(*["a.jpg"] * 21), "files"),
        (files("a.jpg", size=10_485_761), "files.0.size"),
        (files("a.jpg", size=0), "files.0.size"),
        (files(*["a.jpg"] * 6, size=10_485_760), "files"),
        ({"files": [{"fileName": "a", "contentType": "image/gif", "size": 1}]}, None),
        ({"files": [{"fileName": "", "contentType": "image/png", "size": 1}]}, "files.0.fileName"),
    ],
)
def test_refuses_what_does_not_fit(family: Family, body: Any, field: str | None) -> None:
    refused(family.ann.post("/drafts", json=body), 400, "invalid_request", field)
    refused(family.bob.post("/drafts", json=body), 403, "approval_required")


def test_a_repeated_request_gets_urls_that_are_good_now(family: Family) -> None:
    key, body = {"Idempotency-Key": "k"}, files("a.jpg")
    first = family.made(family.ann.post("/drafts", json=body, headers=key))
    family.server.advance(1800)
    reply = family.ann.post("/drafts", json=body, headers=key)
    again = family.made(reply)
    assert reply.headers["idempotency-replayed"] == "true"
    [old], [new] = first.pop("uploads"), again.pop("uploads")
    assert first == again
    assert (old["key"], old["url"] == new["url"]) == (new["key"], False)
    family.put(new)
    assert len(family.items(family.ann, "/drafts")) == 1


def test_ten_uploads_in_five_minutes_are_enough(family: Family) -> None:
    for _ in range(10):
        family.made(family.ann.post("/drafts", json=files("a.jpg")))
    reply = family.ann.post("/drafts", json=files("a.jpg"))
    refused(reply, 429, "too_many_requests")
    assert 1 <= int(reply.headers["retry-after"]) <= 300
    family.server.advance(300)
    family.made(family.ann.post("/drafts", json=files("a.jpg")))


def test_needs_every_scan(family: Family) -> None:
    draft = family.draft(family.ann, "a.jpg", "b.png", is_uploaded=False)
    family.put(draft["uploads"][0])
    refused(family.ann.post(f"{at(draft)}/process"), 409, "upload_incomplete")
    family.put(draft["uploads"][1])
    refused(family.ben.post(f"{at(draft)}/process"), 404)
    refused(family.bob.post(f"{at(draft)}/process"), 403, "approval_required")
    reply = family.adam.post(f"{at(draft)}/process")
    assert family.made(reply, 202)["status"] == "processing"
    assert reply.headers["etag"] == '"2"'
    family.server.settle()
    refused(family.ann.post(f"{at(draft)}/process"), 409, "invalid_transition")
    refused(family.ann.post(f"/drafts/{UNKNOWN}/process"), 404)


def test_reads_the_names_of_files(family: Family) -> None:
    draft = family.ready(family.ann, "holiday.in.rome.jpg", "b.png")
    assert draft["extractedData"] == {
        "date": "1900-01-01",
        "title": "holiday.in.rome",
        "author": None,
        "content": "[scan 1: holiday.in.rome.jpg]\n[scan 2: b.png]",
    }
    assert draft["version"] == 3
    unreal = family.ready(family.ann, "1943-02-30 x.jpg")
    assert unreal["extractedData"]["date"] == "1900-01-01"


def test_scans_wait_for_a_day(family: Family) -> None:
    draft = family.draft(family.ann)
    family.server.advance(DAY - 1)
    family.fail_next(1)
    family.made(family.ann.post(f"{at(draft)}/process"), 202)
    family.server.settle()
    # The last change was just now.
    family.server.advance(DAY - 1)
    drafts = Drafts(family.server.services)
    family.server.loop.run(drafts.remove_stale_scans())
    assert len(family.objects("temp/")) == 1
    family.server.advance(1)
    refused(family.ann.post(f"{at(draft)}/process"), 409, "upload_incomplete")
    family.server.loop.run(drafts.remove_stale_scans())
    assert family.objects("temp/") == []
    refused(family.ann.post(f"{at(draft)}/process"), 409, "upload_incomplete")


def test_goes_on_when_a_server_starts_again(family: Family) -> None:
    draft = family.draft(family.ann)
    key = {"PK": {"S": f"DRAFT#{draft['draftId']}"}, "SK": {"S": "METADATA"}}
    family.call(
        "UpdateItem",
        {
            "TableName": "HoldThatThought",
            "Key": key,
            "UpdateExpression": "SET #s = :s",
            "ExpressionAttributeNames": {"#s": "status"},
            "ExpressionAttributeValues": {":s": {"S": "processing"}},
        },
    )
    refused(family.ann.delete(at(draft)), 409, "invalid_transition")
    family.server.loop.run(Drafts(family.server.services).resume())
    family.server.settle()
    assert family.ann.get(at(draft)).json()["status"] == "ready"


def test_a_store_that_fails_for_a_while_does_not_end_it(family: Family) -> None:
    draft = family.draft(family.ann)
    store = family.server.services.store
    call, failures = store.call, ["GetItem", "UpdateItem", "UpdateItem"]
    begun: list[str] = []

    async def failing(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if begun and failures and operation == failures[0]:
            failures.pop(0)
            raise StoreUnavailable("away")
        reply = await call(operation, request)
        if operation == "UpdateItem" and "'processing'" in str(request):
            begun.append(operation)
        return reply

    store.send = failing  # type: ignore[method-assign]
    assert family.ann.post(f"{at(draft)}/process").status_code == 202
    family.server.settle()
    assert failures == []
    assert family.ann.get(at(draft)).json()["status"] == "ready"


def test_drafts_are_ones_own_or_an_admins(family: Family) -> None:
    hers = family.ready(family.ann, f"{DATE}.jpg")
    family.server.advance(1)
    his = family.draft(family.ben)
    his.pop("uploads")
    family.server.advance(1)
    done = family.ready(family.ann, "1950-01-01.jpg")
    family.made(family.ann.post(f"{at(done)}/publish"))
    assert family.items(family.ann, "/drafts") == [hers]
    assert family.items(family.adam, "/drafts") == [his, hers]
    published = family.items(family.ann, "/drafts", status="published")
    assert [one["draftId"] for one in published] == [done["draftId"]]
    assert family.items(family.ben, "/drafts", status="ready") == []
    refused(family.ann.get("/drafts", params={"status": "x"}), 400, field="status")
    refused(family.bob.get("/drafts"), 403, "approval_required")
    assert family.pages(family.adam, "/drafts", limit=1)[:2] == [[his], [hers]]
    cursor = family.adam.get("/drafts", params={"limit": 1}).json()["cursor"]
    for caller, more in ((family.ann, {}), (family.adam, {"status": "ready"})):
        refused(caller.get("/drafts", params={"cursor": cursor, **more}), 400, field="cursor")


def test_to_others_there_is_no_draft(family: Family) -> None:
    draft = family.draft(family.ann)
    draft.pop("uploads")
    for caller in (family.ann, family.adam):
        reply = caller.get(at(draft))
        assert (reply.json(), reply.headers["etag"]) == (draft, '"1"')
    refused(family.ben.get(at(draft)), 404, "not_found")
    refused(family.bob.get(at(draft)), 403, "approval_required")
    refused(family.ann.get(f"/drafts/{UNKNOWN}"), 404)
    refused(family.ann.get("/drafts/x"), 404)


def test_a_deleted_draft_takes_its_scans_with_it(family: Family) -> None:
    draft, other = family.draft(family.ann, "a.jpg", "b.png"), family.draft(family.ann)
    refused(family.ben.delete(at(draft)), 404)
    refused(family.bob.delete(at(draft)), 403, "approval_required")
    refused(family.ann.delete(at(draft), headers={"If-Match": '"2"'}), 412)
    assert family.ann.delete(at(draft), headers={"If-Match": '"1"'}).status_code == 204
    refused(family.ann.delete(at(draft)), 404)
    assert family.objects("temp/") == [other["uploads"][0]["key"]]
    assert family.adam.delete(at(other)).status_code == 204


def test_what_is_sent_wins_over_what_was_read(family: Family) -> None:
    draft = family.ready(family.ann, f"{DATE} front.jpg")
    body = {
        "date": f"{DATE}-rome",
        "title": "From Rome",
        "author": "Nonna",
        "content": "Dear all",
        "description": "found",
    }
    refused(family.ben.post(f"{at(draft)}/publish", json=body), 404)
    reply = family.adam.post(f"{at(draft)}/publish", json=body)
    letter = family.made(reply)
    assert reply.headers["etag"] == '"0"'
    assert letter == body | {
        "versionCount": 0,
        "scanCount": 1,
        "createdAt": letter["createdAt"],
        "updatedAt": letter["createdAt"],
        "updatedBy": "adam",
    }
    published = family.ann.get(at(draft)).json()
    assert (published["status"], published["letterDate"]) == ("published", f"{DATE}-rome")
    assert family.objects("temp/") == []
    assert family.objects("letters/") == [f"letters/{DATE}-rome/{draft['draftId']}/1.jpg"]
    refused(family.ann.post(f"{at(draft)}/publish", json=body), 409, "invalid_transition")


def test_without_a_body_it_is_what_was_read(family: Family) -> None:
    draft = family.ready(family.ann, f"{DATE} front.jpg")
    letter = family.made(family.ann.post(f"{at(draft)}/publish"))
    read = draft["extractedData"]
    assert [letter[name] for name in read] == [read[name] for name in read]


def test_needs_a_date_a_title_and_a_content(family: Family) -> None:
    draft = family.ready(family.ann)
    for body, field in (
        ({"date": "1943-02-30"}, "date"),
        ({"title": "x" * 301}, "title"),
        ({"content": "x" * 200_001}, "content"),
        ({"status": "published"}, "status"),
    ):
        refused(family.ann.post(f"{at(draft)}/publish", json=body), 400, field=field)
    key = {"PK": {"S": f"DRAFT#{draft['draftId']}"}, "SK": {"S": "METADATA"}}
    family.call(
        "UpdateItem",
        {
            "TableName": "HoldThatThought",
            "Key": key,
            "UpdateExpression": "REMOVE extractedData",
        },
    )
    reply = family.ann.post(f"{at(draft)}/publish", json={"title": "T"})
    problem = refused(reply, 400, "invalid_request", "date")
    assert [error["field"] for error in problem["errors"]] == ["date", "content"]
    whole = {"date": DATE, "title": "T", "content": "C"}
    family.made(family.ann.post(f"{at(draft)}/publish", json=whole))


def test_only_a_ready_draft_is_published(family: Family) -> None:
    draft = family.draft(family.ann)
    whole = {"date": DATE, "title": "T", "content": "C"}
    path = f"{at(draft)}/publish"
    refused(family.ann.post(path, json=whole), 409, "invalid_transition")
    # What is missing is told first: nothing was read yet that it could be taken from.
    problem = refused(family.ann.post(path, json={"title": "T"}), 400, "invalid_request")
    assert [error["field"] for error in problem["errors"]] == ["date", "content"]
    refused(family.ann.post(path), 400, "invalid_request", "title")
    refused(family.ann.post(f"/drafts/{UNKNOWN}/publish", json=whole), 404)


def test_of_two_at_once_one_publishes(family: Family) -> None:
    draft = family.ready(family.ann, f"{DATE}.jpg")
    ann, path = family.ann, f"{at(draft)}/publish"
    dates = [DATE, DATE, f"{DATE}-b", f"{DATE}-c"]
    replies = family.server.together(ann.ask("POST", path, json={"date": date}) for date in dates)
    assert sorted(reply.status_code for reply in replies) == [201, 409, 409, 409]
    for reply in replies:
        if reply.status_code == 409:
            assert json.loads(reply.content)["code"] in ("invalid_transition", "date_taken")
    [letter] = family.items(ann, "/letters")
    [scan] = family.items(ann, f"/letters/{letter['date']}/scans")
    assert family.fetch(scan["url"]).content == b"12345"
    # Copies for the letters that were not made are gone.
    assert len(family.objects("letters/")) == 1
    assert family.objects("temp/") == []


def test_is_repeated_under_its_key(family: Family) -> None:
    draft = family.ready(family.ann, f"{DATE}.jpg")
    ann, path, key = family.ann, f"{at(draft)}/publish", {"Idempotency-Key": "k"}
    replies = family.server.together(ann.ask("POST", path, headers=key) for _ in range(4))
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert {reply.headers["etag"] for reply in replies} == {'"0"'}
    assert len(family.objects("letters/")) == 1
