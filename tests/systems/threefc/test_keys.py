"""Idempotency-Key: one effect and one answer, on every POST but those of signing in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .club import Club, goal_body, refused
from .house import House, housed

KEYED: tuple[tuple[str, Any, Any], ...] = (
    ("/v1/leagues", {"name": "X"}, {"name": "Y"}),
    (
        "/v1/leagues/{leagueId}/seasons",
        {"name": "X"},
        {"name": "X", "slug": "y"},
    ),
    (
        "/v1/seasons/{seasonId}/teams",
        {"teamId": "red", "name": "R"},
        {"teamId": "red", "name": "S"},
    ),
    (
        "/v1/seasons/{seasonId}/sessions",
        {"sessionDate": "2026-06-01"},
        {"sessionDate": "2026-06-02"},
    ),
    (
        "/v1/sessions/{sessionId}/games",
        {"gameStartTs": "2026-05-01T10:00:00Z"},
        {"gameStartTs": "2026-05-01T10:00:01Z"},
    ),
    ("/v1/games/{scheduledId}/start", None, None),
    ("/v1/games/{gameId}/finish", None, None),
    ("/v1/games/{finishedId}/reopen", None, None),
    (
        "/v1/leagues/{leagueId}/players",
        {"nickname": "N"},
        {"nickname": "M"},
    ),
    ("/v1/players/{idleId}/claim", None, None),
    ("/v1/games/{gameId}/goals", "a goal", "another"),
    ("/v1/games/{gameId}/goals/undo", None, None),
)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with housed() as made:
        yield made


def body_of(house: House, given: Any) -> Any:
    if given == "a goal":
        return goal_body(house.ids["scorerId"], 1, 7)
    return goal_body(house.ids["scorerId"], 1, 8) if given == "another" else given


def post(house: House, path: str, body: Any, key: str, name: str = "ann") -> Any:
    options = {} if body is None else {"json": body}
    headers = {"Idempotency-Key": key}
    return house.club.who(name).post(house.place(path), headers=headers, **options)


@pytest.mark.parametrize(("path", "given", "other"), KEYED, ids=[k[0] for k in KEYED])
def test_the_second_of_two_equal_requests_only_answers(
    house: House, path: str, given: Any, other: Any
) -> None:
    body = body_of(house, given)
    try:
        first = post(house, path, body, "k")
        assert first.status_code in (200, 201), first.text
        assert "idempotency-replayed" not in first.headers
        after = house.club.rows()
        house.club.server.advance(5)
        for key in ("k", "  k  "):
            again = post(house, path, body, key)
            assert (again.status_code, again.content) == (first.status_code, first.content)
            assert again.headers["idempotency-replayed"] == "true"
            assert again.headers["etag"] == first.headers["etag"]
        if other is not None:
            refused(post(house, path, body_of(house, other), "k"), 409, "idempotency_conflict")
        assert house.club.rows() == after
    finally:
        house.restore()


def test_a_key_is_of_one_caller_and_one_path(house: House) -> None:
    path, body = "/v1/leagues/{leagueId}/players", {"nickname": "N"}
    made = [post(house, path, body, "k", name).json() for name in ("ann", "kim", "pat")]
    elsewhere = post(house, "/v1/leagues/{emptyLeagueId}/players", body, "k").json()
    assert len({one["playerId"] for one in (*made, elsewhere)}) == 4
    house.restore()


def test_the_order_of_fields_and_spaces_does_not_matter(house: House) -> None:
    path = house.place("/v1/leagues/{leagueId}/seasons")
    headers = {"Idempotency-Key": "k"}
    first = house.club.ann.post(path, headers=headers, content=b'{"name":"X","slug":"x"}')
    again = house.club.ann.post(path, headers=headers, content=b'{ "slug": "x", "name": "X" }')
    assert (first.status_code, again.content) == (201, first.content)
    house.restore()


def test_only_successes_are_kept(house: House) -> None:
    club, path = house.club, "/v1/games/{scheduledId}/finish"
    refused(post(house, path, None, "k"), 409, "invalid_transition")
    assert club.rows() == house.before
    assert club.ann.post(house.place("/v1/games/{scheduledId}/start")).status_code == 200
    now = post(house, path, None, "k")
    assert (now.status_code, now.json()["status"]) == (200, "finished")
    assert "idempotency-replayed" not in now.headers
    house.restore()


def test_a_goal_is_answered_again_after_the_end_of_the_game(house: House) -> None:
    body = goal_body(house.ids["scorerId"], 3, 1)
    first = post(house, "/v1/games/{gameId}/goals", body, "k", "kim")
    assert first.status_code == 201
    assert house.club.kim.post(house.place("/v1/games/{gameId}/finish")).status_code == 200
    again = post(house, "/v1/games/{gameId}/goals", body, "k", "kim")
    assert (again.status_code, again.content) == (201, first.content)
    late = post(house, "/v1/games/{gameId}/goals", body, "late", "kim")
    refused(late, 409, "game_finished")
    house.restore()


def test_a_key_lasts_a_day(club: Club) -> None:
    headers = {"Idempotency-Key": "k"}
    first = club.ann.post("/v1/leagues", json={"name": "X"}, headers=headers).json()
    club.server.advance(86_398)  # Rows expire by whole seconds, up to one early.
    again = club.ann.post("/v1/leagues", json={"name": "X"}, headers=headers)
    assert again.json() == first
    club.server.advance(2)
    new = club.ann.post("/v1/leagues", json={"name": "Y"}, headers=headers)
    assert (new.status_code, new.json()["name"]) == (201, "Y")


def test_what_is_kept_is_as_it_was_designed(club: Club) -> None:
    first = club.ann.post("/v1/leagues", json={"name": "X"}, headers={"Idempotency-Key": "k"})
    [row] = [row for row in club.rows() if row["entityType"]["S"] == "idempotency"]
    assert row["pk"]["S"].startswith("IDEMPOTENCY#")
    assert row["pk"]["S"].endswith("#k")
    assert len(row["pk"]["S"].split("#")[1]) == 64
    assert row["sk"]["S"] == "METADATA"
    assert int(row["ttlEpoch"]["N"]) > 0
    assert first.json()["leagueId"] in row["data"]["S"]
