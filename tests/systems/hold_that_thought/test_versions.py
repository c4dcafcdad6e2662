"""Versions: ETags, and If-Match on everything that has one."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from .family import DATE, Family, place, refused


class Change(NamedTuple):
    """A change of something with a version: who makes it, and what the version is before."""

    method: str
    path: str
    body: Any = None
    version: int = 1
    caller: str = "ann"

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


CHANGES = (
    Change("PATCH", "/me", {"bio": "Me."}),
    Change("PATCH", "/admin/users/bob", {"status": "inactive"}, caller="adam"),
    Change("PUT", f"/letters/{DATE}", {"title": "T", "content": "c"}, version=0),
    Change("DELETE", f"/letters/{DATE}", version=0, caller="adam"),
    Change("DELETE", "/drafts/{draftId}"),
    Change("PUT", "{comment}", {"commentText": "Better."}),
    Change("DELETE", "{comment}"),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_change_of_another_version_is_412_and_changes_nothing(
    family: Family, change: Change
) -> None:
    family.meet(family.bob, family.adam)
    family.letter()
    ids = {
        "draftId": family.draft(family.ann)["draftId"],
        "comment": place(family.comment(family.ann)),
    }
    path, caller = change.path.format(**ids), getattr(family, change.caller)

    def ask(if_match: str | None) -> Any:
        options: dict[str, Any] = {} if change.body is None else {"json": change.body}
        headers = {} if if_match is None else {"If-Match": if_match}
        return caller.request(change.method, path, headers=headers, **options)

    def stored() -> list[dict[str, Any]]:
        return [one for one in family.rows() if one["entityType"]["S"] != "RATE_LIMIT"]

    before, current = stored(), f'"{change.version}"'
    for wrong in (
        f'"{change.version + 1}"',
        '"-1"',
        str(change.version),
        f"W/{current}",
        '""',
        "",
        "x",
        '"1.0"',
    ):
        refused(ask(wrong), 412, "precondition_failed")
    assert stored() == before
    family.server.advance(60)  # So often is too often for a profile.
    reply = ask(current)
    assert reply.is_success, reply.text
    if change.method == "DELETE":
        refused(ask("*"), 404)
        return
    assert reply.headers["etag"] == f'"{change.version + 1}"'
    refused(ask(current), 412)
    last = ask("*")
    assert last.headers["etag"] == f'"{change.version + 2}"'
    told = last.json()
    assert told.get("version", told.get("versionCount")) == change.version + 2
    if change.name == "PATCH /me":
        assert ask(None).headers["etag"] == '"4"'


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/letters/1950-01-01", {"title": "T", "content": "c"}),
        ("DELETE", "/letters/1950-01-01", None),
        ("PATCH", "/admin/users/nobody", {"status": "active"}),
    ],
)
def test_what_is_not_there_is_404_whatever_version_is_meant(
    family: Family, method: str, path: str, body: Any
) -> None:
    for if_match in ("*", '"1"', "x"):
        reply = family.adam.request(method, path, json=body, headers={"If-Match": if_match})
        refused(reply, 404)


def test_ones_own_status_is_412_before_it_is_409(family: Family) -> None:
    path, body = "/admin/users/adam", {"status": "inactive"}
    refused(family.adam.patch(path, json=body, headers={"If-Match": '"7"'}), 412)
    refused(family.adam.patch(path, json=body, headers={"If-Match": '"1"'}), 409, "conflict")
    assert family.adam.get("/me").json()["version"] == 1


def test_a_draft_that_is_processed_is_412_before_it_is_409(
    family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = family.draft(family.ann)
    path = f"/drafts/{draft['draftId']}"
    monkeypatch.setattr(family.server.services.background, "start", lambda work, name: work.close())
    family.made(family.ann.post(f"{path}/process"), 202)
    refused(family.ann.delete(path, headers={"If-Match": '"1"'}), 412)
    refused(family.ann.delete(path, headers={"If-Match": '"2"'}), 409, "invalid_transition")
    refused(family.ann.post(f"{path}/process"), 409, "invalid_transition")
    refused(family.ann.post(f"{path}/publish", json={"title": "T"}), 400)


def test_what_has_no_version_ignores_if_match(family: Family) -> None:
    family.meet(family.bob)
    comment = family.comment(family.ann)
    chat = family.talk(family.ann, "bob")
    message = family.say(family.ann, chat)
    at, stale = family.at(chat), {"If-Match": '"99"'}
    assert family.bob.delete(f"{place(comment)}/reactions", headers=stale).status_code == 204
    read = family.bob.put(f"{at}/read", headers=stale)
    assert (read.status_code, "etag" in read.headers) == (200, False)
    one = f"{at}/messages/{message['messageId']}"
    assert family.ann.delete(one, headers=stale).status_code == 204
    assert family.ann.delete(at, headers=stale).status_code == 204


def test_every_answer_of_one_thing_has_its_tag(family: Family) -> None:
    letter = f"/letters/{DATE}"
    family.letter()
    draft = family.draft(family.ann)
    comment = family.comment(family.ann)
    family.meet(family.bob)
    tags = {
        path: caller.get(path).headers.get("etag")
        for caller, path in (
            (family.ann, "/me"),
            (family.ann, "/users/bob"),
            (family.bob, letter),
            (family.ann, f"/drafts/{draft['draftId']}"),
            (family.bob, place(comment)),
        )
    }
    assert list(tags.values()) == ['"1"', '"1"', '"0"', '"1"', '"1"']
    edited = family.made(family.ann.put(letter, json={"title": "T", "content": "c"}), 200)
    version = family.ann.get(f"{letter}/versions/{edited['updatedAt']}")
    assert (version.status_code, "etag" in version.headers) == (200, False)


def test_counters_do_not_raise_a_version(family: Family) -> None:
    comment = family.comment(family.ann)
    family.toggle(family.bob, comment)
    family.toggle(family.bob, comment, reactionType="heart")
    shown = family.ann.get(place(comment)).json()
    assert (shown["version"], shown["updatedAt"], shown["isEdited"]) == (1, None, False)
    before = family.ann.get("/me").json()
    family.media(family.ann)
    assert family.ann.get("/me").json() == before | {"mediaUploadCount": 1}
