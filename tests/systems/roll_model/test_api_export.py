"""Exports over HTTP."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from .journal import Journal, entry_body


@pytest.fixture
def made(journal: Journal) -> dict[str, Any]:
    """Ann's journal with something of everything, and other people's beside it."""
    entries = [
        journal.log(journal.ann, 'said "ow"', private="one, two\nthree", tags=("a;b", "c")),
        journal.log(journal.ann, "second", private="ünïcode"),
    ]
    journal.link(journal.ann, "cleo", "carl")
    comments = []
    for number in range(4):
        journal.server.advance(1)
        comments.append(journal.comment(journal.cleo, entries[number % 2], f"{number}"))
    comments[1] = journal.hide(journal.ann, comments[1])
    journal.ann.delete("/links/carl")
    turns = [journal.chat(journal.ann, "?", context={"includePrivate": True}) for _ in range(2)]
    journal.log(journal.ben)
    journal.chat(journal.cleo, context={"athleteId": "ann"})
    gone = journal.log(journal.ann)
    journal.ann.delete(f"/entries/{gone['entryId']}")
    ids = sorted(turn["threadId"] for turn in turns)
    return {
        "entries": entries,
        "comments": comments,
        "links": journal.items(journal.ann, "/links", status="all"),
        "threads": [journal.ann.get(f"/ai/threads/{one}").json() for one in ids],
        "messages": {one: journal.messages(journal.ann, one) for one in ids},
        "profile": journal.ann.get("/me").json(),
    }


def test_full_has_everything_nested(journal: Journal, made: dict[str, Any]) -> None:
    reply = journal.ann.get("/export")
    assert reply.headers["content-type"] == "application/json"
    first, second = made["entries"]
    comments = made["comments"]
    assert reply.json() == {
        "schemaVersion": "1",
        "generatedAt": reply.json()["generatedAt"],
        "athleteId": "ann",
        "profile": made["profile"],
        "entries": [
            first | {"comments": [comments[0], comments[2]]},
            second | {"comments": [comments[1], comments[3]]},
        ],
        "links": made["links"],
        "threads": [t | {"messages": made["messages"][t["threadId"]]} for t in made["threads"]],
    }
    assert [link["coachId"] for link in made["links"]] == ["carl", "cleo"]
    assert journal.ann.get("/export", params={"mode": "full", "format": "json"}).status_code == 200


def test_tidy_has_everything_side_by_side(journal: Journal, made: dict[str, Any]) -> None:
    found = journal.ann.get("/export", params={"mode": "tidy"}).json()
    messages = sorted(
        (message for one in made["messages"].values() for message in one),
        key=lambda message: (message["createdAt"], message["messageId"]),
    )
    assert found == {
        "schemaVersion": "1",
        "generatedAt": found["generatedAt"],
        "athlete": made["profile"],
        "entries": made["entries"],
        "comments": made["comments"],
        "links": made["links"],
        "threads": made["threads"],
        "messages": messages,
        "relationships": {
            "entryComments": [
                {"entryId": c["entryId"], "commentId": c["commentId"]} for c in made["comments"]
            ],
            "threadMessages": [
                {"threadId": m["threadId"], "messageId": m["messageId"]} for m in messages
            ],
        },
    }


def test_csv_has_the_entries(journal: Journal, made: dict[str, Any]) -> None:
    reply = journal.ann.get("/export", params={"format": "csv"})
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"
    text = reply.content.decode()
    header = (
        "entryId,createdAt,updatedAt,durationMinutes,intensity,rounds,giOrNoGi,tags,shared,private"
    )
    assert text.startswith(f"{header}\r\n")
    assert '"said ""ow"""' in text
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["entryId"] for row in rows] == [e["entryId"] for e in made["entries"]]
    assert rows[0]["tags"] == "a;b;c"
    assert rows[0]["private"] == "one, two\nthree"
    assert rows[1]["private"] == "ünïcode"
    assert rows[0]["createdAt"] == made["entries"][0]["createdAt"]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t"])
def test_csv_has_no_formulas(journal: Journal, sign: str) -> None:
    formula = f"{sign}HYPERLINK(1)"
    body = entry_body(shared=f"x{formula}", private=f"{formula}", tags=(f"{formula}",))
    stored = journal.ann.post("/entries", json=body).json()
    [row] = csv.DictReader(io.StringIO(journal.ann.get("/export?format=csv").text, newline=""))
    assert stored["sections"]["private"] == formula
    assert row["private"] == f"'{formula}"
    assert row["tags"][:1] not in ("=", "+", "-", "@")
    assert row["shared"] == stored["sections"]["shared"]
    assert (row["durationMinutes"], row["intensity"]) == ("60", "7")
    # What is not for a spreadsheet is as it was written.
    [entry] = journal.ann.get("/export").json()["entries"]
    assert entry["sections"] == stored["sections"]


def test_of_somebody_new_is_empty(journal: Journal) -> None:
    found = journal.ann.get("/export").json()
    assert (found["entries"], found["links"], found["threads"]) == ([], [], [])
    assert found["profile"]["userId"] == "ann"
    assert journal.ann.get("/export?format=csv").text.count("\r\n") == 1
