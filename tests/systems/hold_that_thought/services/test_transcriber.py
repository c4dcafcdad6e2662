"""The transcriber: what the embedded one makes of names, and what is taken from a remote one."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from tablewright.systems.hold_that_thought.services.transcriber import (
    embedded_reading,
    read_reading,
)
from tablewright.web.services.ai import Remote
from tests.systems.hold_that_thought.family import Family

GOOD = {"date": "1943-05-12", "title": "From Rome", "author": "Nonna", "content": "Dear all"}


@pytest.mark.parametrize(
    ("name", "date", "title"),
    [
        ("1943-05-12 front.jpg", "1943-05-12", "1943-05-12 front"),
        ("1943-05-12.jpg", "1943-05-12", "1943-05-12"),
        ("1943-02-30 front.jpg", "1900-01-01", "1943-02-30 front"),
        ("0000-01-01.jpg", "1900-01-01", "0000-01-01"),
        ("a.tar.gz", "1900-01-01", "a.tar"),
        ("no extension", "1900-01-01", "no extension"),
        (".jpg", "1900-01-01", ".jpg"),
        ("a/b.jpg", "1900-01-01", "a/b"),
    ],
)
def test_the_embedded_one_reads_names(name: str, date: str, title: str) -> None:
    read = embedded_reading([name, "back.png"])
    assert (read.date, read.title, read.author) == (date, title, None)
    assert read.content == f"[scan 1: {name}]\n[scan 2: back.png]"


def test_a_remotes_answer_is_taken_as_it_is() -> None:
    assert read_reading(GOOD).model_dump() == GOOD
    assert read_reading({**GOOD, "author": None}).author is None


@pytest.mark.parametrize("date", [None, "", "1943-02-30", "May 1943", 1943, "1943-05-12-b"])
def test_a_date_that_is_none_becomes_1900(date: Any) -> None:
    assert read_reading({**GOOD, "date": date}).date == "1900-01-01"


def test_a_date_that_is_missing_becomes_1900() -> None:
    told = {name: value for name, value in GOOD.items() if name != "date"}
    assert read_reading(told).date == "1900-01-01"


def test_lines_are_made_fit_for_a_letter() -> None:
    read = read_reading({**GOOD, "title": " a\nb\t" + "x" * 400, "content": "a\r\nb\x00c"})
    assert read.title is not None
    assert (read.title[:4], len(read.title), read.content) == ("a b ", 300, "a\nbc")


@pytest.mark.parametrize(
    "told",
    [
        {"title": "x"},
        {"content": "x"},
        {**GOOD, "content": " "},
        {**GOOD, "content": None},
        {**GOOD, "content": "x" * 200_001},
        {**GOOD, "content": "☕" * 190_000},
        {**GOOD, "title": 5},
        {**GOOD, "author": ["Nonna"]},
    ],
)
def test_an_answer_of_another_shape_is_refused(told: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        read_reading(told)


def remote(family: Family, monkeypatch: pytest.MonkeyPatch, content: str) -> list[Any]:
    """Have a remote provider answer so; what it is asked."""
    asked: list[Any] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        return httpx2.Response(200, json={"choices": [{"message": {"content": content}}]})

    made = Remote("http://x/v1", "m", "key", transport=httpx2.MockTransport(answer))
    monkeypatch.setattr(family.server.services.ai, "_remote", made)
    return asked


def test_a_remote_one_is_shown_the_scans(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = remote(family, monkeypatch, json.dumps(GOOD))
    draft = family.ready(family.ann, "front.jpg", "back.pdf")
    assert draft["extractedData"] == GOOD
    [message] = asked[0]["messages"]
    assert [part["type"] for part in message["content"]] == ["text", "image_url", "file"]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"title": "x"}'])
def test_a_reply_that_is_of_no_use_fails_the_draft(
    family: Family, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    remote(family, monkeypatch, content)
    draft = family.draft(family.ann)
    path = f"/drafts/{draft['draftId']}"
    family.made(family.ann.post(f"{path}/process"), 202)
    family.server.settle()
    failed = family.ann.get(path).json()
    assert (failed["status"], failed["errorMessage"]) == ("failed", "transcription failed")
    assert failed["extractedData"] is None
