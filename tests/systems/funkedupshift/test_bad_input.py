"""What no endpoint takes: bodies and parameters of the wrong form, each a 400 by name.

One server serves all of it. The sites, groups, players and matches that are named are not there:
what was sent is looked at first. At the end of each test nothing is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from .catalogue import UNKNOWN, UNKNOWN_COMMENT, Catalogue, match_body, opened, refused, site_body

SITE = f"/sites/{UNKNOWN}"
COMMENT = f"{SITE}/comments/{UNKNOWN_COMMENT}"
PLAYER, MATCH = f"/squash/players/{UNKNOWN}", f"/squash/matches/{UNKNOWN}"
FOUR = [f"00000000-0000-4000-8000-00000000000{number}" for number in range(4)]


class Taken(NamedTuple):
    """An endpoint that reads a body: a valid one, and values that its fields do not take."""

    method: str
    path: str
    valid: dict[str, Any]
    wrong: dict[str, list[Any]]
    required: list[str] = []

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


TEXT: list[Any] = [7, True, [], {}, "bell \x07", "a\rb", "\x00", "del \x7f"]
LINE: list[Any] = [*TEXT, "two\nlines", "a\tb", "a\u2028b"]
NUMBER: list[Any] = ["5", True, False, 1.0, 1.5, [], {}, "", 10**30]
URL: list[Any] = [
    7,
    [],
    "ftp://a.example/",
    "//a.example/",
    "a.example",
    "https://",
    "javascript:1",
]
TAGS: list[Any] = [
    "a",
    {},
    7,
    [7],
    [None],
    ["a#b"],
    [""],
    ["  "],
    ["x" * 41],
    ["a\x00"],
    ["\ufffe"],
]
USER: list[Any] = [1, [], "#", "a#b", "-a", "a b", " ann", "x" * 129, "é"]
UUID: list[Any] = [1, [], "", "no", UNKNOWN.upper(), UNKNOWN.replace("-", ""), f" {UNKNOWN}"]
DAY: list[Any] = [1, [], "2026-02-31", "2026-2-3", "20260203", "2026-03-01T00:00:00Z", "0000-01-01"]
EMAIL: list[Any] = [7, [], "nobody", "a@b", "a b@c.example", "a@b@c.example", "a#b@c.example"]
PICTURE_WRONG: dict[str, list[Any]] = {
    "contentType": ["image/svg+xml", "image/PNG", "png", "", 7, "image/png; charset=utf-8"],
    "size": [*NUMBER, 0, -1, 5_242_881],
    "fileName": ["a.png"],
}
SITE_WRONG: dict[str, list[Any]] = {
    "url": [*URL, "https://a.example/" + "x" * 2031, "https://a b.example/", "", None],
    "title": [*LINE, "   ", "x" * 301],
    "description": [*TEXT, "x" * 5001],
    "scrapedContent": [*TEXT, "x" * 102_401],
    "tags": [*TAGS, [f"t{number}" for number in range(21)]],
    "siteId": [UNKNOWN],
    "createdAt": ["2026-03-01T00:00:00.000Z"],
    "totalStarsSum": [5],
}
GROUP_WRONG: dict[str, list[Any]] = {
    "description": [*TEXT, "x" * 501],
    "permissions": [
        "p",
        {},
        [7],
        [None],
        [""],
        [" "],
        ["x" * 65],
        ["a\nb"],
        ["p"] * 1 + ["p"] * 50,
    ],
    "joinPolicy": ["closed", "OPEN", 7, True, ["open"]],
    "createdAt": ["2026-03-01T00:00:00.000Z"],
}
PLAYER_WRONG: dict[str, list[Any]] = {
    "name": [*LINE, "", "  ", None, "x" * 101, "\ufffe"],
    "email": [*EMAIL, "x" * 250 + "@a.example"],
    "userId": USER,
    "matchCount": [0],
}
MATCH_WRONG: dict[str, list[Any]] = {
    "date": [*DAY, ""],
    "teamAPlayer1Id": [*UUID, FOUR[1], FOUR[2]],
    "teamAPlayer2Id": UUID,
    "teamBPlayer1Id": UUID,
    "teamBPlayer2Id": [*UUID, FOUR[0]],
    "winningTeam": ["C", "AB", "", 1, True, " A", ["A"]],
    "teamAGames": [*NUMBER, -1, 4, 0, 1, 2],
    "teamBGames": [*NUMBER, -1, 4, 3],
    "matchId": [UNKNOWN],
}
MATCH_REQUIRED = [name for name in MATCH_WRONG if name != "matchId"]
WORDS: list[Any] = [*TEXT, "", "  \n ", "x" * 2001]

BODIES = (
    Taken("POST", "/sites", site_body(), SITE_WRONG, ["url"]),
    Taken(
        "PATCH",
        SITE,
        {"title": "T"},
        {**SITE_WRONG, "logoKey": [7, [], f"logos/{UNKNOWN}/x.png", "x" * 1025, " "]},
    ),
    Taken(
        "POST",
        f"{SITE}/logo-upload-url",
        {"contentType": "image/png", "size": 1},
        PICTURE_WRONG,
        ["contentType", "size"],
    ),
    Taken(
        "PUT",
        f"{SITE}/rating",
        {"stars": 4, "note": "good"},
        {"stars": [*NUMBER, 0, 6, -1], "note": [*TEXT, "x" * 1001], "userId": ["ben"]},
        ["stars"],
    ),
    Taken(
        "POST",
        f"{SITE}/comments",
        {"body": "Nice."},
        {"body": WORDS},
        ["body"],
    ),
    Taken(
        "PUT",
        COMMENT,
        {"body": "Nice."},
        {"body": WORDS, "userName": ["Somebody"]},
        ["body"],
    ),
    Taken(
        "POST",
        "/groups",
        {"name": "Squash"},
        {
            **GROUP_WRONG,
            "name": [
                "",
                " ",
                "a b",
                "a#b",
                "x" * 65,
                "é",
                "g\n",
                " g",
                7,
                "Admin",
                "MANAGER",
                "user",
            ],
            "joinPolicy": [*GROUP_WRONG["joinPolicy"], "open"],
        },
        ["name"],
    ),
    Taken(
        "PATCH",
        "/groups/Squash",
        {"description": "d"},
        {
            **GROUP_WRONG,
            "name": ["Other"],
            "joinPolicy": [*GROUP_WRONG["joinPolicy"], "open"],
        },
    ),
    Taken(
        "POST",
        "/me/groups",
        {"groupName": "none"},
        {"groupName": ["", " ", "a b", "x" * 65, 7, []], "userId": ["ben"]},
        ["groupName"],
    ),
    Taken(
        "PATCH",
        "/me/profile",
        {"description": "d", "avatarKey": None},
        {
            "description": [*LINE, "x" * 101],
            "avatarKey": [
                7,
                [],
                "x",
                "profile/avatars/ann/x.png",
                "profile/avatars/ben/x.png",
                " ",
            ],
            "name": ["Ann"],
            "lastLoginIp": ["127.0.0.1"],
        },
    ),
    Taken(
        "POST",
        "/me/avatar-upload-url",
        {"contentType": "image/webp", "size": 5_242_880},
        PICTURE_WRONG,
        ["contentType", "size"],
    ),
    Taken("POST", "/squash/players", {"name": "Ann"}, PLAYER_WRONG, ["name"]),
    Taken("PATCH", PLAYER, {"email": "a@b.example"}, PLAYER_WRONG),
    Taken(
        "POST",
        "/squash/matches",
        match_body(FOUR),
        MATCH_WRONG,
        MATCH_REQUIRED,
    ),
    Taken("PUT", MATCH, match_body(FOUR), MATCH_WRONG, MATCH_REQUIRED),
)


@pytest.fixture(scope="module")
def house() -> Iterator[Catalogue]:
    with opened() as made:
        yield made


@pytest.fixture
def empty(house: Catalogue) -> Iterator[Catalogue]:
    """A server on which nothing is stored, before and after."""
    yield house
    assert house.rows() == []


@pytest.fixture(params=BODIES, ids=[taken.name for taken in BODIES])
def taken(request: pytest.FixtureRequest) -> Taken:
    found: Taken = request.param
    return found


def wrong_bodies(taken: Taken) -> Iterator[tuple[str, dict[str, Any]]]:
    for field, values in taken.wrong.items():
        for value in values:
            yield field, taken.valid | {field: value}
    for field in taken.required:
        yield field, {name: held for name, held in taken.valid.items() if name != field}
        yield field, taken.valid | {field: None}
    yield "unknownField", {**taken.valid, "unknownField": 1}


def named(problem: dict[str, Any], field: str) -> bool:
    """Whether a problem is about a field, or something in it."""
    fields = [error["field"] for error in problem["errors"]]
    return any(name == field or name.startswith(f"{field}.") for name in fields)


def seat_named(problem: dict[str, Any]) -> bool:
    """Whether a problem is about one of the seats: of a player named twice, it is the second."""
    return any("Player" in error["field"] for error in problem["errors"])


def test_wrong_fields_are_named(empty: Catalogue, taken: Taken) -> None:
    for field, body in wrong_bodies(taken):
        reply = empty.ada.request(taken.method, taken.path, json=body)
        problem = refused(reply, 400, "invalid_request")
        is_named = named(problem, field) or ("Player" in field and seat_named(problem))
        assert is_named, (field, body.get(field), problem["errors"])
        assert all(error["message"] for error in problem["errors"])


def test_what_is_not_a_json_object_is_no_body(empty: Catalogue, taken: Taken) -> None:
    bodies = [b"", b" ", b"{", b"[]", b'"text"', b"1", b"null", b"\xff\xfe", b"{'a': 1}", b"NaN"]
    for content in bodies:
        reply = empty.ada.request(taken.method, taken.path, content=content)
        refused(reply, 400, "invalid_request", "body")


def test_an_empty_object_changes_nothing_and_lacks_something(
    empty: Catalogue, taken: Taken
) -> None:
    reply = empty.ada.request(taken.method, taken.path, json={})
    field = "body" if taken.method == "PATCH" else taken.required[0]
    refused(reply, 400, "invalid_request", field)


def test_a_valid_body_gets_past_the_checks(catalogue: Catalogue, taken: Taken) -> None:
    """Otherwise the others would show nothing."""
    reply = catalogue.ada.request(taken.method, taken.path, json=taken.valid)
    assert reply.status_code in (200, 201, 404), reply.text


# The longest and shortest that is taken.


def test_fields_are_taken_up_to_their_limits(catalogue: Catalogue) -> None:
    ada = catalogue.ada
    url = "https://a.example/" + "x" * 2030
    site = catalogue.site(
        "t" * 300,
        url=url,
        description="d" * 5000,
        scrapedContent=" " + "s" * 102_398 + "\n",
        tags=["x" * 40, *[f"t{number}" for number in range(19)]],
    )
    assert len(url) == 2048
    shown = catalogue.guest.get(f"/sites/{site['siteId']}").json()
    assert (len(shown["description"]), len(shown["scrapedContent"])) == (5000, 102_400)
    assert (len(shown["title"]), len(shown["tags"])) == (300, 20)
    assert catalogue.rate(ada, site, 5, note="n" * 1000)["note"] == "n" * 1000
    assert catalogue.comment(ada, site, "c" * 2000)["body"] == "c" * 2000
    group = catalogue.group("g" * 64, description="d" * 500, permissions=["p" * 64] * 50)
    assert (len(group["description"]), len(group["permissions"])) == (500, 50)
    player = catalogue.player("n" * 100, userId="u" * 128, email="x" * 244 + "@a.example")
    assert (len(player["email"]), len(player["userId"])) == (254, 128)
    # What is trimmed is counted afterwards.
    assert catalogue.site(f"  {'t' * 300}\n")["title"] == "t" * 300
    assert catalogue.comment(ada, site, f"\n{'c' * 2000}\t ")["body"] == "c" * 2000


def test_characters_are_counted_not_bytes(catalogue: Catalogue) -> None:
    site = catalogue.site("🥎" * 300, tags=["🥎" * 40, "Ä" * 40, "ß  ß"])
    assert site["tags"] == ["🥎" * 40, "ä" * 40, "ß ß"]
    assert len(catalogue.items(catalogue.guest, "/sites", tag="Ä" * 40)) == 1
    assert len(catalogue.items(catalogue.guest, "/sites", tag="🥎" * 40, q="🥎🥎")) == 1
    assert catalogue.player("🥎" * 100)["name"] == "🥎" * 100
    assert catalogue.rate(catalogue.ann, site, 5, note="🥎" * 1000)["note"] == "🥎" * 1000


def test_a_tag_is_lower_cased_and_its_spaces_are_one(catalogue: Catalogue) -> None:
    site = catalogue.site(tags=["  Open \t GUARD ", "open guard", "a\nb", "A  B", "c"])
    assert site["tags"] == ["open guard", "a b", "c"]
    changed = catalogue.ada.patch(f"/sites/{site['siteId']}", json={"tags": ["C", " c"]})
    assert changed.json()["tags"] == ["c"]


def test_a_body_over_a_mebibyte_is_413_before_all_else(empty: Catalogue) -> None:
    for method, path in (("POST", "/sites"), ("PATCH", "/me/profile"), ("POST", "/nowhere")):
        reply = empty.guest.request(method, path, content=b" " * (1024 * 1024 + 1))
        refused(reply, 413, "payload_too_large")


def test_a_site_that_no_row_holds_is_413(catalogue: Catalogue) -> None:
    """102 400 characters of four bytes each: the row would have more than 400 000 bytes."""
    huge = site_body(scrapedContent="🥎" * 102_400)
    refused(catalogue.ada.post("/sites", json=huge), 413, "payload_too_large")
    assert catalogue.rows() == []
    site = catalogue.site(scrapedContent="🥎" * 95_000)
    more = {"description": "🥎" * 5000, "title": "🥎" * 300}
    path = f"/sites/{site['siteId']}"
    # It comes before what else may be wrong with it.
    reply = catalogue.ada.patch(path, json=more, headers={"If-Match": '"9"'})
    refused(reply, 413, "payload_too_large")
    assert catalogue.items(catalogue.guest, "/sites") == [site]
    assert catalogue.rate(catalogue.ann, site, 5)["stars"] == 5
    assert catalogue.ada.delete(path).status_code == 204


# Parameters.

LISTS = {
    "/sites": 200,
    "/me/ratings": 200,
    f"{SITE}/comments": 200,
    "/me/comments": 200,
    "/groups": 200,
    "/groups/none/members": 200,
    "/me/groups": 200,
    "/users": 60,
    "/users/nobody/groups": 200,
    "/squash/players": 200,
    f"{PLAYER}/matches": 200,
    "/squash/matches": 200,
}


@pytest.mark.parametrize(("path", "most"), LISTS.items())
def test_limits_and_cursors_of_the_wrong_form(empty: Catalogue, path: str, most: int) -> None:
    for limit in ("0", str(most + 1), "-1", "ten", "1.5", "1e2", "１", "", "+1", " 1"):
        reply = empty.ada.get(path, params={"limit": limit})
        refused(reply, 400, "invalid_request", "limit")
    for cursor in ("x", "é", "a.b.c", "eyJ9", "0" * 5000):
        problem = refused(empty.ada.get(path, params={"cursor": cursor}), 400, "invalid_request")
        assert problem["errors"][0]["field"] == "cursor"
    for limit in ("1", str(most)):
        assert empty.ada.get(path, params={"limit": limit}).status_code in (200, 404)


PARAMETERS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("/sites", "tag", {"tag": "x" * 41}),
    ("/sites", "tag", {"tag": " "}),
    ("/sites", "tag", {"tag": "a#b"}),
    ("/sites", "q", {"q": "x" * 101}),
    ("/sites", "q", {"q": "  "}),
    ("/sites", "q", {"q": "a\nb"}),
    ("/ratings", "stars", {}),
    ("/ratings", "stars", {"stars": "0"}),
    ("/ratings", "stars", {"stars": "6"}),
    ("/ratings", "stars", {"stars": "4.0"}),
    ("/ratings", "stars", {"stars": "true"}),
    ("/ratings", "limit", {"stars": "4", "limit": "201"}),
    ("/ratings", "cursor", {"stars": "4", "cursor": "x"}),
    ("/me/comments", "siteId", {"siteId": UNKNOWN.upper()}),
    ("/me/comments", "siteId", {"siteId": "x"}),
    ("/squash/matches", "date", {"date": "2026-02-31"}),
    ("/squash/matches", "date", {"date": "2026-3-1"}),
    ("/squash/matches", "dateFrom", {"dateFrom": "x", "dateTo": "2026-03-01"}),
    ("/squash/matches", "dateTo", {"dateFrom": "2026-03-01"}),
    ("/squash/matches", "dateFrom", {"dateTo": "2026-03-01"}),
    ("/squash/matches", "dateFrom", {"dateFrom": "2026-03-02", "dateTo": "2026-03-01"}),
    ("/squash/matches", "playerIds", {"playerIds": ""}),
    ("/squash/matches", "playerIds", {"playerIds": ","}),
    ("/squash/matches", "playerIds", {"playerIds": f"{UNKNOWN},"}),
    ("/squash/matches", "playerIds", {"playerIds": f"{UNKNOWN};{UNKNOWN}"}),
    ("/squash/matches", "playerIds", {"playerIds": UNKNOWN.upper()}),
    ("/squash/matches", "playerIds", {"playerIds": ",".join([UNKNOWN] * 11)}),
    ("/squash/matches", "playerMode", {"playerMode": "AND"}),
    ("/squash/matches", "order", {"order": "newest"}),
    (f"{PLAYER}/matches", "dateTo", {"dateFrom": "2026-03-01"}),
    (f"{PLAYER}/matches", "order", {"order": "newest"}),
)


def test_parameters_of_the_wrong_form(empty: Catalogue) -> None:
    for path, field, params in PARAMETERS:
        refused(empty.ada.get(path, params=params), 400, "invalid_request", field)


def test_ten_players_are_not_too_many(empty: Catalogue) -> None:
    ids = ",".join(f"00000000-0000-4000-8000-{number:012}" for number in range(10))
    for mode in ("and", "or"):
        assert empty.items(empty.ada, "/squash/matches", playerIds=ids, playerMode=mode) == []


def test_unknown_parameters_and_needless_bodies_are_ignored(catalogue: Catalogue) -> None:
    site = catalogue.site()
    catalogue.group("Runners", joinPolicy="open")
    assert catalogue.items(catalogue.guest, "/sites", colour="blue") == [site]
    for method, path in (
        ("GET", "/me"),
        ("PUT", "/groups/Runners/members/ann"),
        ("DELETE", "/groups/Runners/members/ann"),
        ("DELETE", f"/sites/{site['siteId']}"),
    ):
        assert catalogue.ada.request(method, path, content=b"{not json").is_success
