"""The data to look at: the same every time, and such that the system takes it for its own."""

from __future__ import annotations

from collections import Counter

from tablewright.systems.hold_that_thought.demo import demo_rows, fill

from .family import Family


def test_rows_are_the_same_every_time(family: Family) -> None:
    now = family.server.services.clock.now()
    rows = list(demo_rows(now))
    assert rows == list(demo_rows(now))
    kinds = Counter(type(row).__name__ for row in rows)
    assert kinds["Profile"] == 7
    assert kinds["Letter"] == 8
    assert kinds["Comment"] >= 5


def test_the_system_serves_them(family: Family) -> None:
    family.server.loop.run(fill(family.server.services))
    rosa = family.who("rosa", "Admins", email="rosa@example.org", name="Rosa Conti")
    bob = family.who("bob")
    me = family.made(rosa.get("/me"), 200)
    assert (me["displayName"], me["version"]) == ("Rosa Conti", 1)
    assert len(family.items(rosa, "/admin/users")) == 7
    assert "dora" not in [one["userId"] for one in family.items(bob, "/users")]
    letters = family.items(bob, "/letters")
    assert [one["date"] for one in letters] == sorted((x["date"] for x in letters), reverse=True)
    for letter in letters:
        path = f"/letters/{letter['date']}"
        versions = family.items(bob, f"{path}/versions")
        assert len(versions) == letter["versionCount"]
        scans = family.items(bob, f"{path}/scans")
        assert len(scans) == letter["scanCount"]
        assert all(family.fetch(scan["url"]).status_code == 200 for scan in scans)
        for comment in family.items(bob, f"/comments/{letter['date']}"):
            one = f"/comments/{letter['date']}/{comment['commentId']}"
            assert len(family.items(bob, f"{one}/reactions")) == comment["reactionCount"]
    assert any(letter["versionCount"] for letter in letters)
    chats = family.items(bob, "/conversations")
    assert any(chat["unreadCount"] for chat in chats)
    for chat in chats:
        messages = family.items(bob, f"{family.at(chat)}/messages")
        assert messages[0]["createdAt"] == chat["lastMessageAt"]
        read = chat["lastReadAt"] or ""
        unread = [m for m in messages if m["createdAt"] > read and m["senderId"] != "bob"]
        assert len(unread) == chat["unreadCount"]
    media = family.items(bob, "/media", category="pictures")
    assert media
    assert all(family.fetch(one["url"]).status_code == 200 for one in media)
    drafts = family.items(rosa, "/drafts")
    assert "ready" in [draft["status"] for draft in drafts]
    family.require_no_drift()
