"""Leagues and access over HTTP."""

from __future__ import annotations

import pytest

from tablewright import save
from tablewright.systems.threefc.design import P

from .club import UNKNOWN, Club, Row, refused


@pytest.fixture
def league(club: Club) -> Row:
    """Ann's league, where Kim keeps score and Vic looks on."""
    made = club.league(club.ann, "Sunday Three")
    club.grant(club.ann, made, "kim", "scorekeeper")
    club.grant(club.ann, made, "vic", "viewer")
    return made


def at(league: Row) -> str:
    return f"/v1/leagues/{league['leagueId']}"


def access(league: Row, name: str = "") -> str:
    return f"{at(league)}/access" + (f"/{name}@x.org" if name else "")


def test_lists_ones_leagues_with_the_role_in_each(club: Club, league: Row) -> None:
    own = [club.league(club.kim, f"Own {number}") for number in range(4)]
    listed = club.items(club.kim, "/v1/leagues")
    assert [one["leagueId"] for one in listed] == [one["leagueId"] for one in (league, *own)]
    assert [one["role"] for one in listed] == ["scorekeeper", *["admin"] * 4]
    assert "createdByUserId" not in listed[0]
    assert listed[1:] == own
    pages = club.pages(club.kim, "/v1/leagues", limit=2)
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [one for page in pages for one in page] == listed
    cursor = club.kim.get("/v1/leagues", params={"limit": 2}).json()["cursor"]
    refused(club.ann.get("/v1/leagues", params={"cursor": cursor}), 400, field="cursor")
    assert club.items(club.ben, "/v1/leagues") == []


@pytest.mark.parametrize("limit", ["0", "201", "x", "-1", "1.5"])
def test_refuses_limits_out_of_range(club: Club, limit: str) -> None:
    refused(club.ann.get("/v1/leagues", params={"limit": limit}), 400, field="limit")


def test_shows_the_league_to_its_creator(club: Club) -> None:
    reply = club.ann.post("/v1/leagues", json={"name": "  Sunday  "})
    league = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert league == {
        "leagueId": league["leagueId"],
        "name": "Sunday",
        "slug": "sunday",
        "createdByUserId": "ann@x.org",
        "role": "admin",
        "createdAt": league["createdAt"],
        "updatedAt": league["createdAt"],
        "version": 1,
    }


def test_makes_slugs_of_names(club: Club) -> None:
    made = [club.league(club.ann, name)["slug"] for name in ("Ü & Ä", "Aé  Bö!", "Aé Bö", "a b")]
    assert made == [None, "a-b", "a-b-2", "a-b-3"]
    long = [club.league(club.ann, "x" * 60)["slug"] for _ in range(2)]
    assert long == ["x" * 48, f"{'x' * 46}-2"]
    assert club.league(club.ann, "Given", slug="a-b-4")["slug"] == "a-b-4"
    assert club.league(club.ann, "A B", slug="")["slug"] == "a-b-5"
    assert club.league(club.ann, "A B", slug=None)["slug"] == "a-b-6"


def test_gives_up_after_ninety_nine(club: Club) -> None:
    club.league(club.ann, "X", slug="x")
    for number in range(2, 100):
        club.league(club.ann, "Taken", slug=f"x-{number}")
    refused(club.ann.post("/v1/leagues", json={"name": "X"}), 409, "slug_taken")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "x", "slug": "A"}, "slug"),
        ({"name": "x", "slug": "a--b"}, "slug"),
        ({"name": "x", "slug": "a" * 49}, "slug"),
        ({"name": "x", "other": 1}, "other"),
    ],
)
def test_refuses_bad_bodies(club: Club, body: Row, field: str) -> None:
    refused(club.ann.post("/v1/leagues", json=body), 400, "invalid_request", field)
    assert club.rows() == []


def test_is_repeated_under_its_key(club: Club) -> None:
    key = {"Idempotency-Key": "k"}
    first = club.ann.post("/v1/leagues", json={"name": "X"}, headers=key)
    again = club.ann.post("/v1/leagues", json={"name": "X"}, headers=key)
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["etag"] == '"1"'
    assert len(club.items(club.ann, "/v1/leagues")) == 1
    other = club.ann.post("/v1/leagues", json={"name": "Y"}, headers=key)
    refused(other, 409, "idempotency_conflict")
    assert club.ben.post("/v1/leagues", json={"name": "Y"}, headers=key).status_code == 201


def test_hides_from_others_whether_a_league_exists(club: Club, league: Row) -> None:
    seen = club.vic.get(at(league))
    assert seen.headers["etag"] == '"1"'
    shown = {name: value for name, value in league.items() if name != "createdByUserId"}
    assert seen.json() == shown | {"role": "viewer"}
    there = refused(club.ben.get(at(league)), 403, "league_access_required")
    assert refused(club.ben.get(f"/v1/leagues/{UNKNOWN}"), 403) == there
    refused(club.ben.get("/v1/leagues/not-an-id"), 404, "not_found")


def test_finds_a_league_by_its_slug(club: Club, league: Row) -> None:
    assert club.ann.get("/v1/leagues/by-slug/sunday-three").json() == league
    there = refused(club.ben.get("/v1/leagues/by-slug/sunday-three"), 403, "league_access_required")
    assert refused(club.ann.get("/v1/leagues/by-slug/monday"), 403) == there
    for impossible in ("Sunday", "a_b", "-a", "a" * 49):
        refused(club.ann.get(f"/v1/leagues/by-slug/{impossible}"), 404, "not_found")


def test_changes_what_is_given(club: Club, league: Row) -> None:
    club.server.advance(1)
    reply = club.ann.patch(at(league), json={"name": "Monday"}, headers={"If-Match": '"1"'})
    changed = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert changed == league | {
        "name": "Monday",
        "updatedAt": changed["updatedAt"],
        "version": 2,
    }
    assert changed["updatedAt"] > league["updatedAt"]
    assert club.ann.patch(at(league), json={"slug": "monday"}).json()["slug"] == "monday"
    refused(club.ann.get("/v1/leagues/by-slug/sunday-three"), 403)
    assert club.ann.patch(at(league), json={"slug": None}).json()["slug"] is None
    refused(club.ann.get("/v1/leagues/by-slug/monday"), 403)
    refused(club.ann.patch(at(league), json={"name": "X"}, headers={"If-Match": '"1"'}), 412)


def test_refuses_what_is_taken_wrong_or_not_allowed(club: Club, league: Row) -> None:
    club.league(club.ben, "Taken")
    refused(club.ann.patch(at(league), json={"slug": "taken"}), 409, "slug_taken")
    stale = club.ann.patch(at(league), json={"slug": "taken"}, headers={"If-Match": '"9"'})
    refused(stale, 412, "precondition_failed")
    for body in ({}, {"name": None}, {"name": ""}, {"slug": "A"}, {"createdByUserId": "x"}):
        refused(club.ann.patch(at(league), json=body), 400)
    refused(club.kim.patch(at(league), json={"name": "X"}), 403, "admin_required")
    refused(club.ben.patch(f"/v1/leagues/{UNKNOWN}", json={"name": "X"}), 403, "admin_required")
    same = club.ann.patch(at(league), json={"slug": "sunday-three"})
    assert (same.status_code, same.json()["slug"]) == (200, "sunday-three")


def test_deletes_a_league_with_its_players_and_grants(club: Club, league: Row) -> None:
    for number in range(90):
        club.player(club.kim, league, f"P{number}")
    refused(club.kim.delete(at(league)), 403, "admin_required")
    refused(club.ann.delete(at(league), headers={"If-Match": '"7"'}), 412)
    assert club.ann.delete(at(league), headers={"If-Match": '"1"'}).status_code == 204
    assert club.rows() == []
    refused(club.ann.get(at(league)), 403, "league_access_required")
    refused(club.ann.delete(at(league)), 403, "admin_required")
    assert club.league(club.ben, "Sunday Three")["slug"] == "sunday-three"


def test_goes_on_where_it_was_interrupted(club: Club, league: Row) -> None:
    club.player(club.kim, league, "P")
    read = club.server.run(P.get_league(league["leagueId"]).required())
    at_once = club.server.services.clock.now()
    club.server.run(save(read, read.model_copy(update={"deleted_at": at_once})))
    refused(club.ann.get(at(league)), 403, "league_access_required")
    refused(club.ann.patch(at(league), json={"name": "X"}), 403, "admin_required")
    new = club.kim.post(f"{at(league)}/players", json={"nickname": "X"})
    refused(new, 403, "scorekeeper_required")
    assert club.items(club.ann, "/v1/leagues") == []
    refused(club.kim.delete(at(league)), 403, "admin_required")
    assert club.ann.delete(at(league)).status_code == 204
    assert club.rows() == []
    refused(club.ann.delete(at(league)), 403, "admin_required")


def test_by_two_admins_at_once_leaves_nothing(club: Club, league: Row) -> None:
    club.grant(club.ann, league, "ben", "admin")
    for number in range(5):
        club.player(club.kim, league, f"P{number}")
    replies = club.server.together(
        caller.ask("DELETE", at(league)) for caller in (club.ann, club.ben)
    )
    assert {reply.status_code for reply in replies} <= {204, 403}
    assert 204 in {reply.status_code for reply in replies}
    assert club.rows() == []


def test_lists_grants_by_address(club: Club, league: Row) -> None:
    listed = club.items(club.ann, access(league))
    assert [(one["userId"], one["role"]) for one in listed] == [
        ("ann@x.org", "admin"),
        ("kim@x.org", "scorekeeper"),
        ("vic@x.org", "viewer"),
    ]
    assert listed[0] == {
        "leagueId": league["leagueId"],
        "userId": "ann@x.org",
        "role": "admin",
        "grantedByUserId": "ann@x.org",
        "createdAt": league["createdAt"],
        "updatedAt": league["createdAt"],
        "version": 1,
    }
    assert [len(page) for page in club.pages(club.ann, access(league), limit=2)] == [2, 1]
    for caller in (club.kim, club.vic, club.ben):
        refused(caller.get(access(league)), 403, "admin_required")


def test_shows_grants_to_admins_and_ones_own_to_oneself(club: Club, league: Row) -> None:
    whole = club.ann.get(access(league, "vic"))
    assert (whole.status_code, whole.headers["etag"]) == (200, '"1"')
    assert whole.json()["grantedByUserId"] == "ann@x.org"
    own = club.vic.get(access(league, "VIC")).json()
    assert own == {n: v for n, v in whole.json().items() if n != "grantedByUserId"}
    refused(club.ann.get(access(league, "ben")), 404, "not_found")
    refused(club.vic.get(access(league, "kim")), 403, "admin_required")
    refused(club.vic.get(access(league, "nobody")), 403, "admin_required")
    refused(club.ben.get(access(league, "ben")), 403, "admin_required")
    refused(club.ann.get(f"{at(league)}/access/not-an-address"), 404, "not_found")


def test_grants_and_changes_roles(club: Club, league: Row) -> None:
    new = club.ann.put(access(league, "BEN"), json={"role": "viewer"})
    assert (new.status_code, new.headers["etag"]) == (201, '"1"')
    assert (new.json()["userId"], new.json()["role"]) == ("ben@x.org", "viewer")
    same = club.ann.put(access(league, "ben"), json={"role": "viewer"})
    assert (same.status_code, same.json()) == (200, new.json())
    club.server.advance(1)
    changed = club.ann.put(access(league, "ben"), json={"role": "admin"})
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    assert changed.json()["createdAt"] == new.json()["createdAt"]
    assert club.ben.get(at(league)).json()["role"] == "admin"
    assert club.items(club.ben, "/v1/leagues")[0]["role"] == "admin"


def test_refuses_stale_wrong_and_forbidden_grants(club: Club, league: Row) -> None:
    viewer = {"role": "viewer"}
    stale = club.ann.put(access(league, "kim"), json=viewer, headers={"If-Match": '"2"'})
    refused(stale, 412)
    for tag in ('"1"', "*"):
        none = club.ann.put(access(league, "ben"), json=viewer, headers={"If-Match": tag})
        refused(none, 412)
    for body in ({}, {"role": "owner"}, {"role": None}):
        refused(club.ann.put(access(league, "ben"), json=body), 400, field="role")
    refused(club.kim.put(access(league, "ben"), json=viewer), 403, "admin_required")
    refused(club.ben.put(access(league, "ben"), json=viewer), 403, "admin_required")
    for form in ("ben", "b#n@x.org", "@x.org", f"{'x' * 250}@x.org"):
        path = f"{at(league)}/access/{form.replace('#', '%23')}"
        refused(club.ann.put(path, json=viewer), 404, "not_found")
    assert len(club.items(club.ann, access(league))) == 3


def test_takes_access_away_or_gives_it_up(club: Club, league: Row) -> None:
    refused(club.vic.delete(access(league, "kim")), 403, "admin_required")
    refused(club.ann.delete(access(league, "kim"), headers={"If-Match": '"5"'}), 412)
    assert club.ann.delete(access(league, "kim")).status_code == 204
    refused(club.ann.delete(access(league, "kim")), 404, "not_found")
    assert club.vic.delete(access(league, "vic")).status_code == 204
    refused(club.vic.delete(access(league, "vic")), 403, "admin_required")
    refused(club.vic.get(at(league)), 403, "league_access_required")
    assert club.items(club.vic, "/v1/leagues") == []
