"""Races between real threads, through real sockets, on a server under uvicorn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx2
import pytest

from tablewright.stores.embedded.embedded_store import EmbeddedStore
from tablewright.systems.funkedupshift.app import SYSTEM
from tests.systems.threads import drift_of, together
from tests.web.serving import Caller, LiveServer, live

from .catalogue import PICTURE, SEATS, match_body, refused, site_body

Call = Callable[[], httpx2.Response]


@pytest.fixture(scope="module")
def shared() -> Iterator[LiveServer]:
    with live(SYSTEM) as made:
        yield made


@pytest.fixture
def server(shared: LiveServer) -> Iterator[LiveServer]:
    """A server on which other races have been; after each, what is derived must be right."""
    yield shared
    assert drift_of(shared) == []


@pytest.fixture
def ada(server: LiveServer) -> Caller:
    return server.as_("ada", groups=["admin"])


@pytest.fixture
def ann(server: LiveServer) -> Caller:
    return server.as_("ann")


def made(reply: httpx2.Response) -> dict[str, Any]:
    assert reply.status_code == 201, reply.text
    found: dict[str, Any] = reply.json()
    return found


def new_site(ada: Caller) -> str:
    return f"/sites/{made(ada.post('/sites', json=site_body()))['siteId']}"


def new_players(ada: Caller, count: int) -> list[str]:
    names = [f"Player {number}" for number in range(count)]
    return [made(ada.post("/squash/players", json={"name": n}))["playerId"] for n in names]


def statuses(replies: list[httpx2.Response]) -> list[int]:
    return sorted(reply.status_code for reply in replies)


def stored(server: LiveServer) -> list[dict[str, Any]]:
    store = EmbeddedStore(server.services.store.database)  # type: ignore[attr-defined]
    found: list[dict[str, Any]] = []
    request: dict[str, Any] = {"TableName": SYSTEM.tables[0].name}
    while True:
        reply = store.call("Scan", request)
        found += reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return found
        request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def of(server: LiveServer, text: str) -> set[str]:
    """The kinds of all rows in which a text occurs, but for stored answers."""
    kinds = {row["entityType"]["S"] for row in stored(server) if text in repr(row)}
    return kinds - {"IDEMPOTENCY"}


def test_everybody_who_rates_at_once_is_counted_once(server: LiveServer, ada: Caller) -> None:
    path = new_site(ada)
    stars = {f"rater{number}": 1 + number % 5 for number in range(20)}

    def rate(user: str) -> Call:
        caller = server.as_(user)
        return lambda: caller.put(f"{path}/rating", json={"stars": stars[user]})

    replies = together([rate(user) for user in [*stars, *["rater7"] * 4]])
    assert statuses(replies) == [200] * 4 + [201] * 20
    shown = ada.get(path).json()
    assert (shown["ratingCount"], shown["averageRating"], shown["version"]) == (20, 3.0, 1)
    assert server.as_("rater0").delete(f"{path}/rating").status_code == 204
    summary = ada.get(f"{path}/ratings").json()
    assert summary["ratingCount"] == 19
    assert summary["distribution"] == {"1": 3, "2": 4, "3": 4, "4": 4, "5": 4}


def test_one_who_rates_and_takes_back_at_once_leaves_exact_totals(
    server: LiveServer, ada: Caller, ann: Caller
) -> None:
    path = new_site(ada)
    rate = [lambda n=n: ann.put(f"{path}/rating", json={"stars": 1 + n % 5}) for n in range(8)]
    replies = together([*rate, *[lambda: ann.delete(f"{path}/rating")] * 4])
    assert {reply.status_code for reply in replies} <= {200, 201, 204, 404}
    left = ann.get(f"{path}/rating")
    shown = ada.get(path).json()
    average = left.json()["stars"] if left.status_code == 200 else None
    assert (shown["averageRating"], shown["ratingCount"]) == (average, left.status_code == 200)


def test_a_match_is_never_seen_half_changed(ada: Caller) -> None:
    first, second, third, fourth, fifth, sixth = new_players(ada, 6)
    line_ups = ([first, second, third, fourth], [first, fifth, third, sixth])
    match = made(ada.post("/squash/matches", json=match_body(line_ups[0])))
    path = f"/squash/matches/{match['matchId']}"

    def swap() -> list[httpx2.Response]:
        return [ada.put(path, json=match_body(line_ups[n % 2])) for n in range(1, 21)]

    def look() -> list[httpx2.Response]:
        return [ada.get(path) for _ in range(20)]

    replies = [reply for many in together([swap, look, look]) for reply in many]
    assert {reply.status_code for reply in replies} == {200}
    assert all([reply.json()[seat] for seat in SEATS] in line_ups for reply in replies)
    last = ada.get(path).json()
    assert last["version"] == 21
    for player in (first, second, third, fourth, fifth, sixth):
        listed = ada.get(f"/squash/players/{player}/matches").json()["items"]
        is_in = player in [last[seat] for seat in SEATS]
        assert listed == ([last] if is_in else [])
        assert ada.get(f"/squash/players/{player}").json()["matchCount"] == is_in


def test_of_many_players_for_one_person_one_is_made(ada: Caller) -> None:
    for number in range(5):
        body = {"name": "Somebody", "userId": f"linked{number}"}
        replies = together([lambda b=body: ada.post("/squash/players", json=b)] * 6)  # type: ignore[misc]
        assert statuses(replies) == [201] + [409] * 5
        for lost in replies:
            if lost.status_code == 409:
                refused(lost, 409, "player_link_taken")


def test_two_players_who_want_the_same_person_do_not_both_get_her(ada: Caller) -> None:
    paths = [f"/squash/players/{player}" for player in new_players(ada, 4)]

    def link(path: str, user_id: str | None) -> Call:
        return lambda: ada.patch(path, json={"userId": user_id})

    replies = together([link(path, "wanted") for path in paths])
    assert statuses(replies) == [200, 409, 409, 409]
    for _ in range(3):
        both = [link(path, user) for path in paths for user in ("wanted", None)]
        replies = together(both)
        assert {reply.status_code for reply in replies} <= {200, 409}
        linked = [path for path in paths if ada.get(path).json()["userId"] == "wanted"]
        assert len(linked) <= 1


def test_equal_requests_with_one_key_have_one_effect(
    server: LiveServer, ada: Caller, ann: Caller
) -> None:
    made(ada.post("/groups", json={"name": "Joggers", "joinPolicy": "open"}))
    site, players = new_site(ada), new_players(ada, 4)
    requests: list[tuple[Caller, str, dict[str, Any]]] = [
        (ada, "/sites", site_body("once only")),
        (ann, f"{site}/comments", {"body": "once only"}),
        (ada, "/groups", {"name": "Once_only"}),
        (ann, "/me/groups", {"groupName": "Joggers"}),
        (ada, "/squash/players", {"name": "once only", "userId": "once"}),
        (ada, "/squash/matches", match_body(players)),
    ]
    for caller, path, body in requests:
        key = {"Idempotency-Key": f"key of {path}"}
        replies = together(
            [lambda c=caller, p=path, b=body, k=key: c.post(p, json=b, headers=k)] * 8  # type: ignore[misc]
        )
        assert {reply.status_code for reply in replies} == {201}, replies[0].text
        assert len({reply.content for reply in replies}) == 1
        replayed = [r for r in replies if r.headers.get("idempotency-replayed") == "true"]
        assert len(replayed) == 7
    kinds = [row["entityType"]["S"] for row in stored(server) if "once only" in repr(row)]
    assert sorted(kind for kind in kinds if kind != "IDEMPOTENCY") == [
        "COMMENT",
        "SITE",
        "SQUASH_PLAYER",
    ]
    assert {ada.get(f"/squash/players/{one}").json()["matchCount"] for one in players} == {1}


def test_of_many_changes_of_one_version_one_wins(ada: Caller) -> None:
    path = new_site(ada)

    def change(number: int) -> Call:
        body = {"title": f"Title {number}", "tags": [f"tag {number}", "both"]}
        return lambda: ada.patch(path, json=body, headers={"If-Match": '"1"'})

    replies = together([change(number) for number in range(8)])
    assert statuses(replies) == [200] + [412] * 7
    [winner] = [reply.json() for reply in replies if reply.status_code == 200]
    assert winner["version"] == 2
    for number in range(8):
        listed = ada.get("/sites", params={"tag": f"tag {number}"}).json()["items"]
        assert listed == ([winner] if winner["title"] == f"Title {number}" else [])


def test_without_a_version_all_changes_succeed_and_the_last_one_stays(ada: Caller) -> None:
    path = new_site(ada)
    replies = together(
        [lambda n=n: ada.patch(path, json={"tags": [f"last {n}"]}) for n in range(8)]  # type: ignore[misc]
    )
    assert statuses(replies) == [200] * 8
    assert sorted(reply.json()["version"] for reply in replies) == list(range(2, 10))
    last = max((reply.json() for reply in replies), key=lambda site: site["version"])
    for number in range(8):
        listed = ada.get("/sites", params={"tag": f"last {number}"}).json()["items"]
        assert listed == ([last] if last["tags"] == [f"last {number}"] else [])


def test_nothing_is_left_of_a_site_that_is_deleted_while_people_use_it(
    server: LiveServer, ada: Caller
) -> None:
    def use(path: str, caller: Caller) -> list[int]:
        found = []
        for stars in (1, 5, 3):
            found.append(caller.put(f"{path}/rating", json={"stars": stars}))
            found.append(caller.post(f"{path}/comments", json={"body": "Quick."}))
        return [reply.status_code for reply in found]

    def delete(path: str) -> list[int]:
        return [ada.delete(path).status_code]

    visitors = [server.as_(f"visitor{number}") for number in range(6)]
    for _ in range(3):
        path = new_site(ada)
        uses = [partial(use, path, caller) for caller in visitors]
        *used, first, second = together([*uses, *[partial(delete, path)] * 2])
        assert {status for one in used for status in one} <= {200, 201, 404}
        assert [204] in (first, second)
        assert {*first, *second} <= {204, 404}
        assert ada.get(path).status_code == 404
        assert of(server, path.removeprefix("/sites/")) == set()


def test_of_many_groups_of_one_name_one_is_made(ada: Caller) -> None:
    replies = together([lambda: ada.post("/groups", json={"name": "Unique"})] * 8)
    assert statuses(replies) == [201] + [409] * 7


def test_who_is_put_in_and_joins_at_once_is_in_once(ada: Caller, ann: Caller) -> None:
    made(ada.post("/groups", json={"name": "Crowd", "joinPolicy": "open"}))
    put = [lambda: ada.put("/groups/Crowd/members/ann")] * 4
    join = [lambda: ann.post("/me/groups", json={"groupName": "Crowd"})] * 4
    replies = together([*put, *join])
    assert statuses(replies) == [200] * 7 + [201]
    assert len({reply.content for reply in replies}) == 1
    gone = [lambda: ada.delete("/groups/Crowd/members/ann")] * 3
    leave = [lambda: ann.delete("/me/groups/Crowd")] * 3
    assert statuses(together([*gone, *leave])) == [204] + [404] * 5


def test_a_group_made_anew_starts_with_nobody_whatever_happens(
    server: LiveServer, ada: Caller
) -> None:
    """Who was let in before it was made anew is out; who is told 201 afterwards is in."""
    for _ in range(4):
        made(ada.post("/groups", json={"name": "Phoenix", "joinPolicy": "open"}))

        def join(number: int) -> Callable[[], list[httpx2.Response]]:
            caller = server.as_(f"member{number}")
            body = {"groupName": "Phoenix"}
            return lambda: [caller.post("/me/groups", json=body) for _ in range(4)]

        def anew() -> list[httpx2.Response]:
            gone = ada.delete("/groups/Phoenix")
            return [gone, ada.post("/groups", json={"name": "Phoenix", "joinPolicy": "open"})]

        *joined, again = together([*[join(number) for number in range(5)], anew])
        assert [reply.status_code for reply in again] == [204, 201]
        replies = [reply for many in joined for reply in many]
        assert {reply.status_code for reply in replies} <= {200, 201, 404}
        members = ada.get("/groups/Phoenix/members").json()["items"]
        told = {tuple(sorted(reply.json().items())) for reply in replies if reply.is_success}
        assert all(tuple(sorted(one.items())) in told for one in members)
        assert all(one["addedAt"] >= again[1].json()["createdAt"] for one in members)
        assert ada.delete("/groups/Phoenix").status_code == 204
    assert of(server, "Phoenix") == set()


def test_no_match_names_a_player_who_is_gone(ada: Caller) -> None:
    for _ in range(4):
        *three, fourth, fifth = new_players(ada, 5)
        match = made(ada.post("/squash/matches", json=match_body([*three, fifth])))
        path = f"/squash/matches/{match['matchId']}"

        def add(four: tuple[str, ...] = (*three, fourth)) -> httpx2.Response:
            return ada.post("/squash/matches", json=match_body(four))

        def move(path: str = path, four: tuple[str, ...] = (*three, fourth)) -> httpx2.Response:
            return ada.put(path, json=match_body(four))

        def drop(player: str = fourth) -> httpx2.Response:
            return ada.delete(f"/squash/players/{player}")

        calls: list[Call] = [add, move, drop, drop]
        added, moved, dropped, again = together(calls)
        outcome = (added.status_code, moved.status_code)
        assert outcome in ((201, 200), (404, 404))
        gone = statuses([dropped, again])
        assert gone == ([204, 404] if outcome == (404, 404) else [409, 409])


def test_a_person_who_is_deleted_while_she_is_busy_can_be_deleted_to_the_end(
    server: LiveServer, ada: Caller
) -> None:
    sites = [new_site(ada) for _ in range(3)]
    eve = server.as_("eve")

    def busy() -> list[int]:
        found = [eve.get("/me")]
        for path in sites:
            found.append(eve.put(f"{path}/rating", json={"stars": 4}))
            found.append(eve.post(f"{path}/comments", json={"body": "Busy."}))
        return [reply.status_code for reply in found]

    def delete() -> list[int]:
        return [ada.delete("/users/eve").status_code for _ in range(3)]

    first, second, *gone = together([busy, busy, delete, delete])
    assert {*first, *second} <= {200, 201}
    assert {status for one in gone for status in one} <= {204, 404}
    assert ada.delete("/users/eve").status_code in (204, 404)
    assert ada.delete("/users/eve").status_code == 404
    assert of(server, "USER#eve") == set()
    assert {ada.get(path).json()["ratingCount"] for path in sites} == {0}


def test_a_picture_that_is_shown_is_there_however_it_is_changed(
    server: LiveServer, ann: Caller
) -> None:
    def upload() -> str:
        to = ann.post(
            "/me/avatar-upload-url", json={"contentType": "image/png", "size": len(PICTURE)}
        ).json()
        put = server.root.put(to["url"], content=PICTURE, headers=to["headers"])
        assert put.status_code == 200
        key: str = to["key"]
        return key

    for _ in range(4):
        keys = [upload() for _ in range(3)]
        shows = [
            lambda k=key: ann.patch("/me/profile", json={"avatarKey": k}) for key in [*keys, *keys]
        ]
        replies = together([*shows, lambda: ann.delete("/me/avatar")])
        assert {reply.status_code for reply in replies} <= {200, 204, 400, 404}
        url = ann.get("/me/profile").json()["avatarUrl"]
        assert url is None or server.root.get(url).content == PICTURE


def test_comments_made_at_once_are_all_there_newest_first(server: LiveServer, ada: Caller) -> None:
    path = f"{new_site(ada)}/comments"

    def write(number: int) -> Callable[[], list[str]]:
        caller = server.as_(f"writer{number}")
        texts = [f"{number} {n}" for n in range(5)]
        return lambda: [made(caller.post(path, json={"body": t}))["commentId"] for t in texts]

    written = together([write(number) for number in range(6)])
    listed = ada.get(path, params={"limit": 200}).json()["items"]
    ids = [comment["commentId"] for comment in listed]
    assert sorted(ids) == sorted(one for many in written for one in many)
    assert [(c["createdAt"], c["commentId"]) for c in listed] == sorted(
        ((c["createdAt"], c["commentId"]) for c in listed), reverse=True
    )
    for many in written:  # What one person wrote stands in the order she wrote it.
        assert [one for one in ids[::-1] if one in many] == many


def test_a_total_that_is_wrong_would_be_seen() -> None:
    with live(SYSTEM) as server:
        path = new_site(server.as_("ada", groups=["admin"]))
        assert server.as_("ann").put(f"{path}/rating", json={"stars": 4}).status_code == 201
        assert drift_of(server) == []
        store = EmbeddedStore(server.services.store.database)  # type: ignore[attr-defined]
        store.call(
            "UpdateItem",
            {
                "TableName": SYSTEM.tables[0].name,
                "Key": {
                    "PK": {"S": f"SITE#{path.removeprefix('/sites/')}"},
                    "SK": {"S": "METADATA"},
                },
                "UpdateExpression": "ADD totalStarsSum :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            },
        )
        assert any("total_stars_sum" in told for told in drift_of(server))
