"""How much one may keep, and what killed uploads leave."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from tablewright.web.http.problems import Problem
from tablewright.web.services.blobs import open_blobs
from tablewright.web.services.clock import Clock
from tablewright.web.services.quotas import Quota, make_room, require_room
from tests.web.serving import Server


def keep(server: Server, *names: str, size: int = 10) -> None:
    for name in names:
        server.loop.run(server.services.blobs.write(f"a/{name}", "image/png", b"x" * size))


def ask(server: Server, size: int, quota: Quota) -> None:
    server.loop.run(require_room(server.services.blobs, ["a/"], size, quota))


def test_there_is_room_up_to_the_quota(server: Server) -> None:
    keep(server, "1", "2")
    ask(server, 10, Quota(3, 30))
    for size, quota in ((10, Quota(2, 1000)), (11, Quota(9, 30))):
        with pytest.raises(Problem) as refused:
            ask(server, size, quota)
        assert refused.value.status == 413


def test_room_is_made_of_what_was_not_used_for_a_day(server: Server) -> None:
    blobs, clock, quota = server.services.blobs, server.services.clock, Quota(3, 1000)
    keep(server, "old", "used")
    server.advance(24 * 3600)
    keep(server, "new")
    server.loop.run(make_room(blobs, clock, "a/", 1, quota, used="a/used"))
    assert [blob.key for blob in server.loop.run(blobs.under("a/"))] == ["a/new", "a/used"]
    keep(server, "newer")
    with pytest.raises(Problem) as refused:
        server.loop.run(make_room(blobs, clock, "a/", 1, quota, used="a/used"))
    assert refused.value.status == 413


def test_a_start_removes_what_killed_uploads_left_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    left, going, kept = (folder / name for name in ("~upload-x", "~upload-y", "upload-z"))
    for path in (left, going, kept):
        path.write_bytes(b"12345")
        os.utime(path, (1, 1))
    with going.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # As an upload to another server does.
        open_blobs(f"file:{tmp_path}", "http://here", b"k", Clock())
    assert sorted(path.name for path in folder.iterdir()) == ["upload-z", "~upload-y"]
