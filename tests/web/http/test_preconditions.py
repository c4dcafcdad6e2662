"""Versions: ETag, If-Match, and writes that lose a race."""

from __future__ import annotations

import pytest

from tablewright.errors import Conflict
from tablewright.plan.changes.write_transaction import AlreadyDone
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import ATTEMPTS_MAX, retried
from tests.web.http.test_problems import told
from tests.web.serving import Caller, Server


def made(caller: Caller) -> str:
    reply = caller.post("/notes", json={"title": "a"})
    assert reply.headers["etag"] == '"1"'
    return f"/notes/{reply.json()['noteId']}"


def test_an_answer_with_one_entity_carries_its_version(ann: Caller) -> None:
    path = made(ann)
    changed = ann.patch(path, json={"title": "b"})
    assert changed.json()["version"] == 2
    assert changed.headers["etag"] == '"2"'
    assert ann.get(path).headers["etag"] == '"2"'


@pytest.mark.parametrize("tag", ['"1"', "*", '"7", "1"', ' "1" '])
def test_the_current_tag_lets_a_change_through(ann: Caller, tag: str) -> None:
    assert ann.patch(made(ann), json={"title": "b"}, headers={"If-Match": tag}).is_success


@pytest.mark.parametrize(
    "tag", ['"2"', "1", 'W/"1"', '"01"', '""', "", "x", "'1'", '"1', '"999", *', "*, *"]
)
def test_anything_else_is_412_and_changes_nothing(ann: Caller, tag: str) -> None:
    path = made(ann)
    for method in ("PATCH", "DELETE"):
        reply = ann.request(method, path, json={"title": "b"}, headers={"If-Match": tag})
        assert told(reply) == (412, "precondition_failed")
    assert ann.get(path).json()["version"] == 1


def test_without_the_header_the_last_writer_wins(ann: Caller) -> None:
    path = made(ann)
    for title in ("b", "c"):
        ann.patch(path, json={"title": title})
    assert ann.get(path).json()["title"] == "c"


def test_several_headers_are_one_list(server: Server) -> None:
    assert IfMatch('"1", "2"').require(2) is None
    with pytest.raises(Problem):
        IfMatch('"1", "2"').require(3)
    ann = server.as_("ann")
    path = made(ann)
    headers = [*ann.headers.items(), ("If-Match", '"9"'), ("If-Match", '"1"')]
    assert server.request("DELETE", f"/example{path}", {"headers": headers}).status_code == 204


def test_404_comes_before_412(ann: Caller) -> None:
    path = made(ann)
    assert ann.delete(path).status_code == 204
    assert told(ann.delete(path, headers={"If-Match": '"9"'})) == (404, "not_found")


def test_of_many_changes_of_one_version_exactly_one_is_made(server: Server, ann: Caller) -> None:
    path = made(ann)
    replies = server.together(
        ann.ask("PATCH", path, json={"title": str(n)}, headers={"If-Match": '"1"'})
        for n in range(20)
    )
    assert sorted(reply.status_code for reply in replies) == [200] + [412] * 19
    assert ann.get(path).json()["version"] == 2


def test_many_changes_without_a_version_are_all_made(server: Server, ann: Caller) -> None:
    path = made(ann)
    replies = server.together(ann.ask("PATCH", path, json={"title": str(n)}) for n in range(12))
    assert {reply.status_code for reply in replies} == {200}
    assert ann.get(path).json()["version"] == 13


def test_a_race_that_is_lost_again_and_again_is_409(server: Server) -> None:
    pauses: list[float] = []
    tries = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def attempt() -> None:
        tries.append(1)
        raise Conflict([])

    with pytest.raises(Problem) as error:
        server.loop.run(retried(attempt, pause=pause))
    assert (error.value.status, error.value.code) == (409, "conflict")
    assert len(tries) == ATTEMPTS_MAX == 20
    assert len(set(pauses)) > 15
    assert max(pauses) <= 0.05


def test_what_was_done_already_is_not_tried_again(server: Server) -> None:
    async def attempt() -> None:
        raise AlreadyDone(Conflict([]), None)

    with pytest.raises(AlreadyDone):
        server.loop.run(retried(attempt))


@pytest.mark.parametrize("tag", ['"1"', "*", '"0"'])
def test_no_tag_names_what_is_not_there_yet(tag: str) -> None:
    IfMatch(None).require(None)
    with pytest.raises(Problem) as refused:
        IfMatch(tag).require(None)
    assert refused.value.status == 412
