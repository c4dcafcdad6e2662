"""The document is true: answers fit their shapes, and every particular refusal is in it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from tablewright.systems.funkedupshift import schemas, squash_schemas
from tablewright.systems.funkedupshift.demo import fill
from tablewright.web.http.field_types import ListOf
from tablewright.web.services.blobs import UploadAnswer

from .catalogue import Catalogue, match_body, place, site_body

RATINGS = ListOf[schemas.RatingAnswer | schemas.PublicRatingAnswer]
PROFILES = ListOf[schemas.ProfileAnswer | schemas.PublicProfileAnswer]


def fits(shape: Any, response: Any) -> Any:
    """The answer as its shape; unknown members are refused there."""
    assert response.status_code in (200, 201), response.text
    assert TypeAdapter(shape).validate_json(response.content) is not None
    return response.json()


def test_answers_about_the_catalogue_fit_their_shapes(catalogue: Catalogue) -> None:
    catalogue.server.loop.run(fill(catalogue.server.services))
    ada, ann, guest = catalogue.ada, catalogue.ann, catalogue.guest
    site = fits(ListOf[schemas.SiteAnswer], guest.get("/sites"))["items"][-1]
    fits(ListOf[schemas.SiteAnswer], guest.get("/sites", params={"tag": "python", "q": "a"}))
    fits(schemas.SiteAnswer, ada.post("/sites", json=site_body()))
    fits(schemas.SingleSiteAnswer, guest.get(place(site)))
    fits(schemas.SiteAnswer, ada.patch(place(site), json={"title": "T"}))
    picture = {"contentType": "image/png", "size": 1}
    fits(UploadAnswer, ada.post(place(site, "logo-upload-url"), json=picture))
    fits(schemas.RatingAnswer, ann.put(place(site, "rating"), json={"stars": 4}))
    fits(schemas.RatingAnswer, ann.get(place(site, "rating")))
    fits(schemas.SummaryAnswer, guest.get(place(site, "ratings")))
    fits(ListOf[schemas.RatingAnswer], ann.get("/me/ratings"))
    for caller in (ada, ann):
        fits(
            RATINGS,
            caller.get("/ratings", params={"stars": 4}),
        )
    comment = fits(schemas.CommentAnswer, ann.post(place(site, "comments"), json={"body": "B"}))
    where = place(site, "comments", comment["commentId"])
    fits(ListOf[schemas.CommentAnswer], guest.get(place(site, "comments")))
    fits(schemas.CommentAnswer, guest.get(where))
    fits(schemas.CommentAnswer, ann.put(where, json={"body": "C"}))
    fits(ListOf[schemas.CommentAnswer], ann.get("/me/comments"))


def test_answers_about_people_and_squash_fit_their_shapes(catalogue: Catalogue) -> None:
    catalogue.server.loop.run(fill(catalogue.server.services))
    ada, ann, mia = catalogue.ada, catalogue.ann, catalogue.mia
    fits(ListOf[schemas.GroupAnswer], ann.get("/groups"))
    fits(schemas.GroupAnswer, mia.post("/groups", json={"name": "New", "joinPolicy": "open"}))
    fits(schemas.GroupAnswer, ann.get("/groups/Squash"))
    fits(schemas.GroupAnswer, mia.patch("/groups/New", json={"description": "d"}))
    fits(ListOf[schemas.MembershipAnswer], mia.get("/groups/Squash/members"))
    fits(schemas.MembershipAnswer, mia.put("/groups/New/members/ben"))
    fits(schemas.MeAnswer, ann.get("/me"))
    fits(ListOf[schemas.MembershipAnswer], ann.get("/me/groups"))
    fits(schemas.MembershipAnswer, ann.post("/me/groups", json={"groupName": "New"}))
    fits(schemas.ProfileAnswer, ann.get("/me/profile"))
    fits(schemas.ProfileAnswer, ann.patch("/me/profile", json={"description": "d"}))
    picture = {"contentType": "image/png", "size": 1}
    fits(UploadAnswer, ann.post("/me/avatar-upload-url", json=picture))
    for caller in (ada, mia):
        fits(PROFILES, caller.get("/users"))
        fits(schemas.ProfileAnswer | schemas.PublicProfileAnswer, caller.get("/users/ann"))
    fits(ListOf[schemas.MembershipAnswer], mia.get("/users/ann/groups"))
    listed = fits(ListOf[squash_schemas.PlayerAnswer], ann.get("/squash/players"))["items"]
    player = fits(squash_schemas.PlayerAnswer, mia.post("/squash/players", json={"name": "Z"}))
    path = f"/squash/players/{player['playerId']}"
    fits(squash_schemas.PlayerAnswer, ann.get(path))
    fits(squash_schemas.PlayerAnswer, mia.patch(path, json={"name": "Y"}))
    fits(
        ListOf[squash_schemas.MatchAnswer],
        ann.get(f"/squash/players/{listed[0]['playerId']}/matches"),
    )
    fits(ListOf[squash_schemas.MatchAnswer], ann.get("/squash/matches"))
    body = match_body([one["playerId"] for one in listed[:4]])
    match = fits(squash_schemas.MatchAnswer, mia.post("/squash/matches", json=body))
    path = f"/squash/matches/{match['matchId']}"
    fits(squash_schemas.MatchAnswer, ann.get(path))
    fits(squash_schemas.MatchAnswer, mia.put(path, json=body))


def test_an_answer_with_more_in_it_does_not_fit(catalogue: Catalogue) -> None:
    catalogue.site()
    with pytest.raises(ValidationError):
        fits(schemas.SiteAnswer, catalogue.guest.get("/sites"))
    with pytest.raises(ValidationError):
        fits(ListOf[schemas.GroupAnswer], catalogue.guest.get("/sites"))


def told(catalogue: Catalogue) -> dict[str, dict[str, Any]]:
    paths: dict[str, dict[str, Any]] = catalogue.guest.get("/openapi.json").json()["paths"]
    return paths


def codes(paths: dict[str, dict[str, Any]], method: str, path: str, status: str) -> set[str]:
    found = paths[path][method]["responses"][status]["content"]["application/problem+json"]
    enum: list[str] = found["schema"]["allOf"][1]["properties"]["code"]["enum"]
    return set(enum)


# What the contract says of each endpoint, in its own words.
PARTICULAR = (
    ("post", "/sites", "403", {"admin_required"}),
    ("patch", "/sites/{siteId}", "403", {"admin_required"}),
    ("delete", "/sites/{siteId}", "403", {"admin_required"}),
    ("post", "/sites/{siteId}/logo-upload-url", "403", {"admin_required"}),
    ("put", "/sites/{siteId}/comments/{commentId}", "403", {"forbidden"}),
    ("delete", "/sites/{siteId}/comments/{commentId}", "403", {"forbidden"}),
    ("post", "/groups", "403", {"manager_required"}),
    ("post", "/groups", "409", {"conflict", "idempotency_conflict"}),
    ("patch", "/groups/{name}", "403", {"manager_required"}),
    ("delete", "/groups/{name}", "403", {"manager_required"}),
    ("get", "/groups/{name}/members", "403", {"manager_required"}),
    ("put", "/groups/{name}/members/{userId}", "403", {"manager_required", "own_membership"}),
    ("delete", "/groups/{name}/members/{userId}", "403", {"manager_required", "own_membership"}),
    ("post", "/me/groups", "403", {"invite_only"}),
    ("get", "/users", "403", {"manager_required"}),
    ("get", "/users/{userId}", "403", {"manager_required"}),
    ("get", "/users/{userId}/groups", "403", {"manager_required"}),
    ("delete", "/users/{userId}", "403", {"admin_required"}),
    ("delete", "/users/{userId}", "409", {"conflict"}),
    ("get", "/squash/players", "403", {"squash_group_required"}),
    ("post", "/squash/players", "403", {"manager_required", "squash_group_required"}),
    (
        "post",
        "/squash/players",
        "409",
        {"player_link_taken", "conflict", "idempotency_conflict"},
    ),
    ("patch", "/squash/players/{playerId}", "409", {"player_link_taken", "conflict"}),
    ("delete", "/squash/players/{playerId}", "409", {"player_has_matches", "conflict"}),
    ("get", "/squash/players/{playerId}/matches", "403", {"squash_group_required"}),
    ("put", "/squash/matches/{matchId}", "403", {"manager_required", "squash_group_required"}),
)


def test_the_document_tells_every_refusal_that_is_particular(catalogue: Catalogue) -> None:
    paths = told(catalogue)
    for method, path, status, wanted in PARTICULAR:
        assert codes(paths, method, path, status) == wanted, (method, path)
    assert sum(len(methods) for methods in paths.values()) == 49
    for path, methods in paths.items():
        for method, about in methods.items():
            responses = set(about["responses"])
            assert "401" in responses, (method, path)
            assert "422" not in responses
            names = {parameter["name"] for parameter in about.get("parameters", [])}
            assert ("412" in responses) == ("If-Match" in names), (method, path)
            assert ("{" not in path) or "404" in responses, (method, path)


VERSIONED = {
    ("patch", "/sites/{siteId}"),
    ("delete", "/sites/{siteId}"),
    ("put", "/sites/{siteId}/rating"),
    ("delete", "/sites/{siteId}/rating"),
    ("put", "/sites/{siteId}/comments/{commentId}"),
    ("delete", "/sites/{siteId}/comments/{commentId}"),
    ("patch", "/groups/{name}"),
    ("delete", "/groups/{name}"),
    ("patch", "/me/profile"),
    ("patch", "/squash/players/{playerId}"),
    ("delete", "/squash/players/{playerId}"),
    ("put", "/squash/matches/{matchId}"),
    ("delete", "/squash/matches/{matchId}"),
}


def test_the_document_tells_where_versions_and_keys_count(catalogue: Catalogue) -> None:
    paths = told(catalogue)
    named = {
        (method, path): {parameter["name"] for parameter in about.get("parameters", [])}
        for path, methods in paths.items()
        for method, about in methods.items()
    }
    assert {place for place, names in named.items() if "If-Match" in names} == VERSIONED
    assert {place for place, names in named.items() if "Idempotency-Key" in names} == {
        ("post", "/sites"),
        ("post", "/sites/{siteId}/comments"),
        ("post", "/groups"),
        ("post", "/me/groups"),
        ("post", "/squash/players"),
        ("post", "/squash/matches"),
    }
    lists = {place for place, names in named.items() if "cursor" in names}
    assert len(lists) == 13
    for method, path in lists:
        parameters = paths[path][method]["parameters"]
        [limit] = [one["schema"] for one in parameters if one["name"] == "limit"]
        wanted = (60 if path == "/users" else 200, 20 if path.endswith("/comments") else 50)
        if path == "/me/comments":
            wanted = (200, 50)
        assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, *wanted), path


def test_the_document_names_every_field_of_the_contract(catalogue: Catalogue) -> None:
    schemas = catalogue.guest.get("/openapi.json").json()["components"]["schemas"]
    words = {
        "SiteAnswer": "siteId url title description tags logoUrl averageRating ratingCount "
        "createdAt updatedAt version",
        "RatingAnswer": "siteId siteTitle userId stars note createdAt updatedAt version",
        "CommentAnswer": "commentId siteId userId userName body createdAt updatedAt version",
        "GroupAnswer": "name description permissions joinPolicy createdAt updatedAt version",
        "MembershipAnswer": "groupName userId addedAt addedBy",
        "ProfileAnswer": "userId name email description avatarKey avatarUrl createdAt updatedAt "
        "lastLoginAt lastLoginIp version",
        "PlayerAnswer": "playerId name email userId matchCount createdAt updatedAt version",
        "MatchAnswer": "matchId date teamAPlayer1Id teamAPlayer2Id teamBPlayer1Id teamBPlayer2Id "
        "winningTeam teamAGames teamBGames createdAt updatedAt version",
    }
    for name, fields in words.items():
        assert set(schemas[name]["properties"]) == set(fields.split()), name
