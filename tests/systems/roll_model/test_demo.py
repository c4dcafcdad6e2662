"""The data to look at: the same every time, and such that the system takes it for its own."""

from __future__ import annotations

from collections import Counter

from tablewright.systems.roll_model.demo import demo_rows, fill

from .journal import Journal


def test_rows_are_the_same_every_time() -> None:
    rows = list(demo_rows())
    assert rows == list(demo_rows())
    kinds = Counter(type(row).__name__ for row in rows)
    assert kinds["Entry"] == 40
    assert kinds["Comment"] >= 10
    assert kinds["AiThread"] == 1


def test_the_system_serves_them(journal: Journal) -> None:
    journal.server.loop.run(fill(journal.server.services))
    me = journal.ann.get("/me").json()
    assert (me["displayName"], me["version"]) == ("Ann Armbar", 1)
    assert len(journal.items(journal.ann, "/entries")) == 18
    assert {link["athleteId"] for link in journal.items(journal.cleo, "/athletes")} == {
        "ann",
        "ben",
    }
    assert journal.found(journal.cleo, "half guard", athleteId="ann")
    assert len(journal.items(journal.ann, "/links", status="all")) == 3
    [thread] = journal.items(journal.ann, "/ai/threads")
    question, answer, *_ = journal.messages(journal.ann, thread["threadId"])
    again = journal.chat(
        journal.ann,
        question["content"],
        threadId=thread["threadId"],
        messageId=question["messageId"],
        context={"includePrivate": True},
    )
    assert again["assistantText"] == answer["content"]
    exported = journal.ann.get("/export").json()
    assert {c["visibility"] for e in exported["entries"] for c in e["comments"]} == {
        "visible",
        "hiddenByAthlete",
    }
