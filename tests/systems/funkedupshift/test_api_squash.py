"""Squash over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .catalogue import UNKNOWN, Catalogue, match_body, refused

PLAYERS, MATCHES = "/squash/players", "/squash/matches"


def test_players_are_listed_by_name(catalogue: Catalogue) -> None:
    for name in ("cleo", "#Bob", "Anna", "ann", "Dan"):
        catalogue.player(name)
    names = ["ann", "Anna", "#Bob", "cleo", "Dan"]
    assert catalogue.ids(catalogue.ada, PLAYERS, "name") == names
    pages = catalogue.pages(catalogue.ada, PLAYERS, limit=2)
    assert [len(page) for page in pages] == [2, 2, 1]


def test_a_player_may_be_a_person(catalogue: Catalogue) -> None:
    told = {"name": " Ann ", "email": "Ann@Example.org", "userId": "ann"}
    reply = catalogue.ada.post(PLAYERS, json=told)
    player = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert player == {
        "playerId": player["playerId"],
        "name": "Ann",
        "email": "ann@example.org",
        "userId": "ann",
        "matchCount": 0,
        "createdAt": player["createdAt"],
        "updatedAt": player["createdAt"],
        "version": 1,
    }
    taken = catalogue.ada.post(PLAYERS, json={"name": "Other", "userId": "ann"})
    refused(taken, 409, "player_link_taken")
    bare = catalogue.player("Ben", email="", userId=None)
    assert (bare["email"], bare["userId"]) == (None, None)
    for body, field in (
        ({}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "A", "email": "nobody"}, "email"),
        ({"name": "A", "userId": "a#b"}, "userId"),
        ({"name": "A", "matchCount": 3}, "matchCount"),
    ):
        refused(catalogue.ada.post(PLAYERS, json=body), 400, "invalid_request", field=field)
    assert len(catalogue.items(catalogue.ada, PLAYERS)) == 2


def test_is_repeated_under_its_key(catalogue: Catalogue) -> None:
    key, body = {"Idempotency-Key": "k"}, {"name": "Ann", "userId": "ann"}
    replies = catalogue.server.together(
        catalogue.ada.ask("POST", PLAYERS, json=body, headers=key) for _ in range(6)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    other = catalogue.ada.post(PLAYERS, json={"name": "Ben"}, headers=key)
    refused(other, 409, "idempotency_conflict")
    assert len(catalogue.items(catalogue.ada, PLAYERS)) == 1


def test_one_player(catalogue: Catalogue) -> None:
    player = catalogue.player("Ann")
    reply = catalogue.ada.get(f"{PLAYERS}/{player['playerId']}")
    assert (reply.json(), reply.headers["etag"]) == (player, '"1"')
    refused(catalogue.ada.get(f"{PLAYERS}/{UNKNOWN}"), 404)
    refused(catalogue.ada.get(f"{PLAYERS}/x"), 404)


def test_a_player_is_renamed_and_linked_anew(catalogue: Catalogue) -> None:
    player = catalogue.player("Ann", email="a@example.org", userId="ann")
    path = f"{PLAYERS}/{player['playerId']}"
    reply = catalogue.ada.patch(path, json={"name": "Zoe"}, headers={"If-Match": '"1"'})
    changed = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert changed == player | {"name": "Zoe", "updatedAt": changed["updatedAt"], "version": 2}
    assert catalogue.ada.patch(path, json={"userId": "ann"}).status_code == 200
    other = catalogue.player("Ben")
    elsewhere = f"{PLAYERS}/{other['playerId']}"
    refused(catalogue.ada.patch(elsewhere, json={"userId": "ann"}), 409, "player_link_taken")
    bare = catalogue.ada.patch(path, json={"email": None, "userId": ""}).json()
    assert (bare["email"], bare["userId"]) == (None, None)
    assert catalogue.ada.patch(elsewhere, json={"userId": "ann"}).json()["userId"] == "ann"


def test_is_refused_in_order(catalogue: Catalogue) -> None:
    catalogue.player("Ann", userId="ann")
    path = f"{PLAYERS}/{catalogue.player('Ben')['playerId']}"
    for body in ({}, {"name": None}, {"name": ""}, {"matchCount": 1}):
        refused(catalogue.ada.patch(path, json=body), 400, "invalid_request")
    refused(catalogue.ada.patch(f"{PLAYERS}/{UNKNOWN}", json={"userId": "ann"}), 404)
    taken = {"userId": "ann"}
    refused(catalogue.ada.patch(path, json=taken, headers={"If-Match": '"9"'}), 412)
    refused(catalogue.ada.patch(path, json=taken), 409, "player_link_taken")


def test_a_player_without_matches_goes_and_frees_the_person(catalogue: Catalogue) -> None:
    player = catalogue.player("Ann", userId="ann")
    path = f"{PLAYERS}/{player['playerId']}"
    refused(catalogue.ada.delete(path, headers={"If-Match": '"2"'}), 412)
    assert catalogue.ada.delete(path, headers={"If-Match": '"1"'}).status_code == 204
    refused(catalogue.ada.delete(path), 404)
    assert catalogue.rows() == []
    players = catalogue.players(4)
    catalogue.match(players)
    busy = f"{PLAYERS}/{players[3]}"
    refused(catalogue.ada.delete(busy, headers={"If-Match": '"2"'}), 412)
    refused(catalogue.ada.delete(busy, headers={"If-Match": '"1"'}), 409, "player_has_matches")


@pytest.fixture
def played(catalogue: Catalogue) -> tuple[list[str], list[dict[str, Any]]]:
    """Six players and their matches on 1, 2, 2, 5 and 9 March, by date and id."""
    players = catalogue.players(6)
    days = ("09", "02", "05", "01", "02")
    seats = ((0, 1, 2, 3), (0, 1, 2, 4), (1, 2, 3, 4), (0, 2, 3, 4), (0, 1, 4, 5))
    made = [
        catalogue.match([players[n] for n in four], f"2026-03-{day}")
        for day, four in zip(days, seats, strict=True)
    ]
    return players, sorted(made, key=lambda match: (match["date"], match["matchId"]))


Played = tuple[list[str], list[dict[str, Any]]]


def has(match: dict[str, Any], *players: str) -> bool:
    return all(player in match.values() for player in players)


def test_the_matches_of_a_player_by_date(catalogue: Catalogue, played: Played) -> None:
    players, made = played
    for player in players:
        path = f"{PLAYERS}/{player}/matches"
        mine = [match for match in made if has(match, player)]
        assert catalogue.items(catalogue.ada, path) == mine
        assert catalogue.items(catalogue.ada, path, order="desc") == mine[::-1]
        pages = catalogue.pages(catalogue.ada, path, limit=2, order="desc")
        assert [match for page in pages for match in page] == mine[::-1]
    path = f"{PLAYERS}/{players[0]}/matches"
    some = catalogue.items(catalogue.ada, path, dateFrom="2026-03-02", dateTo="2026-03-05")
    assert [match["date"] for match in some] == ["2026-03-02", "2026-03-02"]
    assert catalogue.items(catalogue.ada, path, date="2026-03-05") == []
    refused(catalogue.ada.get(path, params={"dateTo": "2026-03-05"}), 400, field="dateFrom")
    refused(catalogue.ada.get(f"{PLAYERS}/{UNKNOWN}/matches"), 404)
    for bad in ({"cursor": "x"}, {"date": "x"}, {"limit": 0}):
        refused(catalogue.ada.get(f"{PLAYERS}/{UNKNOWN}/matches", params=bad), 400)


def test_matches_by_date_both_ways(catalogue: Catalogue, played: Played) -> None:
    _, made = played
    for params, days in (
        ({}, ("01", "02", "05", "09")),
        ({"date": "2026-03-02"}, ("02",)),
        ({"dateFrom": "2026-03-02", "dateTo": "2026-03-05"}, ("02", "05")),
        ({"dateFrom": "2026-03-02", "dateTo": "2026-03-02"}, ("02",)),
        ({"date": "2026-03-09", "dateFrom": "2026-03-01", "dateTo": "2026-03-02"}, ("09",)),
        ({"date": "2026-03-09", "dateFrom": "2026-03-01"}, ("09",)),
        ({"date": "2026-04-01"}, ()),
    ):
        wanted = [match for match in made if match["date"][-2:] in days]
        assert catalogue.items(catalogue.ada, MATCHES, **params) == wanted
        for limit in (1, 2):
            pages = catalogue.pages(catalogue.ada, MATCHES, **params, limit=limit, order="desc")
            assert [match for page in pages for match in page] == wanted[::-1]
            assert all(len(page) == limit for page in pages[:-1])


def test_matches_of_several_players(catalogue: Catalogue, played: Played) -> None:
    players, made = played
    a, b, _, d, _, f = players
    for ids in ([a], [a, b], [b, d], [d, f], [a, b, d], [a, a]):
        asked = ",".join(ids)
        both = [match for match in made if has(match, *ids)]
        assert catalogue.items(catalogue.ada, MATCHES, playerIds=asked) == both
        either = [match for match in made if any(has(match, player) for player in ids)]
        told = {"playerIds": asked, "playerMode": "or"}
        assert catalogue.items(catalogue.ada, MATCHES, **told) == either
        pages = catalogue.pages(catalogue.ada, MATCHES, **told, limit=2, order="desc")
        assert [match for page in pages for match in page] == either[::-1]
        day = [match for match in either if match["date"] == "2026-03-02"]
        assert catalogue.items(catalogue.ada, MATCHES, **told, date="2026-03-02") == day
    assert catalogue.items(catalogue.ada, MATCHES, playerIds=UNKNOWN) == []
    assert catalogue.items(catalogue.ada, MATCHES, playerIds=f"{a},{UNKNOWN}") == []


def test_what_is_wrong_is_named(catalogue: Catalogue) -> None:
    for params, field in (
        ({"dateFrom": "2026-03-01"}, "dateTo"),
        ({"dateTo": "2026-03-01"}, "dateFrom"),
        ({"dateFrom": "2026-03-02", "dateTo": "2026-03-01"}, "dateFrom"),
        ({"date": "2026-02-31"}, "date"),
        ({"date": "today"}, "date"),
        ({"playerIds": "x"}, "playerIds"),
        ({"playerIds": ","}, "playerIds"),
        ({"playerIds": ",".join([UNKNOWN] * 11)}, "playerIds"),
        ({"playerMode": "xor"}, "playerMode"),
        ({"order": "up"}, "order"),
    ):
        reply = catalogue.ada.get(MATCHES, params=params)
        refused(reply, 400, "invalid_request", field=field)


def test_a_cursor_is_of_its_players_days_and_order(catalogue: Catalogue, played: Played) -> None:
    a, b, *_ = played[0]
    ada = catalogue.ada

    def cursor(**params: str) -> str:
        found: str = ada.get(MATCHES, params={"limit": 1, **params}).json()["cursor"]
        return found

    both = f"{a},{b}"
    turned = {"playerIds": f"{b},{a}", "cursor": cursor(playerIds=both)}
    assert ada.get(MATCHES, params=turned).status_code == 200
    for made, used in (
        ({}, {"order": "desc"}),
        ({}, {"date": "2026-03-02"}),
        ({}, {"playerIds": a}),
        ({"playerIds": a}, {}),
        ({"playerIds": both}, {"playerIds": a}),
        ({"playerIds": both}, {"playerIds": both, "playerMode": "or"}),
        ({"playerIds": a}, {"playerIds": a, "order": "desc"}),
        ({"playerIds": a}, {"playerIds": a, "date": "2026-03-02"}),
    ):
        reply = ada.get(MATCHES, params={"cursor": cursor(**made), **used})
        refused(reply, 400, field="cursor")
    elsewhere = ada.get(f"{PLAYERS}/{a}/matches", params={"cursor": cursor(playerIds=a)})
    refused(elsewhere, 400, field="cursor")


def test_a_match_counts_for_its_four_players(catalogue: Catalogue) -> None:
    players = catalogue.players(4)
    body = match_body(players, winningTeam="b", teamAGames=0, teamBGames=3)
    reply = catalogue.ada.post(MATCHES, json=body)
    match = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert match == body | {
        "matchId": match["matchId"],
        "winningTeam": "B",
        "createdAt": match["createdAt"],
        "updatedAt": match["createdAt"],
        "version": 1,
    }
    shown = catalogue.items(catalogue.ada, PLAYERS)
    assert [(player["matchCount"], player["version"]) for player in shown] == [(1, 1)] * 4


def test_a_wrong_field_of_a_match_is_named(catalogue: Catalogue) -> None:
    players = catalogue.players(4)
    for told, field in (
        ({"teamBPlayer1Id": players[1]}, "teamBPlayer1Id"),
        ({"teamAPlayer2Id": "x"}, "teamAPlayer2Id"),
        ({"winningTeam": "C"}, "winningTeam"),
        ({"winningTeam": None}, "winningTeam"),
        ({"teamAGames": 4}, "teamAGames"),
        ({"teamBGames": -1}, "teamBGames"),
        ({"teamAGames": "3"}, "teamAGames"),
        ({"teamAGames": 2}, "teamAGames"),
        ({"teamBGames": 3}, "teamBGames"),
        ({"date": "2026-2-3"}, "date"),
        ({"version": 1}, "version"),
    ):
        reply = catalogue.ada.post(MATCHES, json=match_body(players) | told)
        refused(reply, 400, "invalid_request", field=field)
    unknown = match_body([*players[:3], UNKNOWN])
    refused(catalogue.ada.post(MATCHES, json=unknown), 404)
    assert catalogue.items(catalogue.ada, MATCHES) == []
    assert {player["matchCount"] for player in catalogue.items(catalogue.ada, PLAYERS)} == {0}


def test_adding_a_match_is_repeated_under_its_key(catalogue: Catalogue) -> None:
    players, key = catalogue.players(4), {"Idempotency-Key": "k"}
    replies = catalogue.server.together(
        catalogue.ada.ask("POST", MATCHES, json=match_body(players), headers=key) for _ in range(6)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    other = catalogue.ada.post(MATCHES, json=match_body(players[::-1]), headers=key)
    refused(other, 409, "idempotency_conflict")
    unknown = catalogue.ada.post(MATCHES, json=match_body([*players[:3], UNKNOWN]), headers=key)
    refused(unknown, 404)
    assert len(catalogue.items(catalogue.ada, MATCHES)) == 1


def test_one_match(catalogue: Catalogue) -> None:
    match = catalogue.match(catalogue.players(4))
    reply = catalogue.ada.get(f"{MATCHES}/{match['matchId']}")
    assert (reply.json(), reply.headers["etag"]) == (match, '"1"')
    refused(catalogue.ada.get(f"{MATCHES}/{UNKNOWN}"), 404)


def test_a_match_moves_to_other_players_and_another_day(catalogue: Catalogue) -> None:
    players = catalogue.players(6)
    match = catalogue.match(players[:4])
    path = f"{MATCHES}/{match['matchId']}"
    body = match_body(players[2:], "2026-03-09", teamBGames=0)
    reply = catalogue.ada.put(path, json=body, headers={"If-Match": '"1"'})
    changed = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert changed == match | body | {"updatedAt": changed["updatedAt"], "version": 2}
    counts = [catalogue.ada.get(f"{PLAYERS}/{one}").json()["matchCount"] for one in players]
    assert counts == [0, 0, 1, 1, 1, 1]
    assert catalogue.items(catalogue.ada, MATCHES, date="2026-03-02") == []
    assert catalogue.items(catalogue.ada, MATCHES, date="2026-03-09") == [changed]
    assert catalogue.items(catalogue.ada, f"{PLAYERS}/{players[2]}/matches") == [changed]


def test_replacing_a_match_is_refused_in_order(catalogue: Catalogue) -> None:
    players = catalogue.players(4)
    path = f"{MATCHES}/{catalogue.match(players)['matchId']}"
    unknown = match_body([*players[:3], UNKNOWN])
    stale = {"If-Match": '"7"'}
    refused(catalogue.ada.put(path, json=match_body(players, teamAGames=1), headers=stale), 400)
    refused(catalogue.ada.put(path, json={"date": "2026-03-02"}), 400)
    refused(catalogue.ada.put(f"{MATCHES}/{UNKNOWN}", json=match_body(players)), 404)
    refused(catalogue.ada.put(path, json=unknown, headers=stale), 404)
    refused(catalogue.ada.put(path, json=match_body(players), headers=stale), 412)


def test_a_deleted_match_counts_no_more(catalogue: Catalogue) -> None:
    match = catalogue.match(catalogue.players(4))
    path = f"{MATCHES}/{match['matchId']}"
    refused(catalogue.ada.delete(path, headers={"If-Match": '"2"'}), 412)
    assert catalogue.ada.delete(path, headers={"If-Match": '"1"'}).status_code == 204
    refused(catalogue.ada.delete(path), 404)
    assert {player["matchCount"] for player in catalogue.items(catalogue.ada, PLAYERS)} == {0}
    assert set(catalogue.kinds()) == {"SQUASH_PLAYER"}


def test_squash_asks_for_the_role_then_the_group_then_the_body(catalogue: Catalogue) -> None:
    catalogue.group("Squash")
    catalogue.put_in("Squash", "ben", "max")
    for method, path in (
        ("POST", PLAYERS),
        ("PATCH", f"{PLAYERS}/{UNKNOWN}"),
        ("DELETE", f"{PLAYERS}/{UNKNOWN}"),
        ("POST", MATCHES),
        ("PUT", f"{MATCHES}/{UNKNOWN}"),
        ("DELETE", f"{MATCHES}/{UNKNOWN}"),
    ):
        refused(catalogue.guest.request(method, path, json={}), 401)
        for caller in (catalogue.ann, catalogue.ben):
            refused(caller.request(method, path, json={}), 403, "manager_required")
        refused(catalogue.mia.request(method, path, json={}), 403, "squash_group_required")
        expected = 404 if method == "DELETE" else 400
        for caller in (catalogue.max, catalogue.ada):
            refused(caller.request(method, path, json={}), expected)
    for path in (PLAYERS, f"{PLAYERS}/{UNKNOWN}", f"{PLAYERS}/{UNKNOWN}/matches", MATCHES):
        refused(catalogue.guest.get(path), 401)
        for caller in (catalogue.ann, catalogue.mia):
            reply = caller.get(path, params={"limit": "x"})
            refused(reply, 403, "squash_group_required")
        assert catalogue.ben.get(path).status_code in (200, 404)
