"""What headers do: Idempotency-Key where something is made, If-Match where it is changed."""

from __future__ import annotations

from typing import Any

from .catalogue import UNKNOWN, Catalogue, match_body, refused, site_body

FOUR = [f"00000000-0000-4000-8000-00000000000{number}" for number in range(4)]
CREATES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/sites", site_body()),
    (f"/sites/{UNKNOWN}/comments", {"body": "Hi."}),
    ("/groups", {"name": "Runners"}),
    ("/me/groups", {"groupName": "Runners"}),
    ("/squash/players", {"name": "Ann"}),
    ("/squash/matches", match_body(FOUR)),
)


def test_idempotency_keys_of_the_wrong_form(catalogue: Catalogue) -> None:
    """Before it is looked whether what is named is there."""
    for path, body in CREATES:
        for key in ("", "   ", "a#b", "x" * 129, "tab\tbed"):
            reply = catalogue.ada.post(path, json=body, headers={"Idempotency-Key": key})
            refused(reply, 400, "invalid_request", "Idempotency-Key")
    assert catalogue.rows() == []


def test_an_idempotency_key_is_ignored_where_nothing_is_made(catalogue: Catalogue) -> None:
    site = catalogue.site()
    odd = {"Idempotency-Key": "a#b"}
    picture = {"contentType": "image/png", "size": 1}
    for reply in (
        catalogue.ada.post(f"/sites/{site['siteId']}/logo-upload-url", json=picture, headers=odd),
        catalogue.ann.post("/me/avatar-upload-url", json=picture, headers=odd),
        catalogue.ann.put(f"/sites/{site['siteId']}/rating", json={"stars": 4}, headers=odd),
        catalogue.ann.get("/me", headers=odd),
        catalogue.ada.delete(f"/sites/{site['siteId']}", headers=odd),
    ):
        assert reply.is_success, reply.text


def test_a_key_is_of_its_caller_and_path_and_lasts_a_day(catalogue: Catalogue) -> None:
    key, first, second = {"Idempotency-Key": " k "}, catalogue.site(), catalogue.site()
    body = {"body": "Once."}

    def post(site: dict[str, Any], who: Any) -> Any:
        return who.post(f"/sites/{site['siteId']}/comments", json=body, headers=key)

    made = post(first, catalogue.ann)
    assert (made.status_code, made.headers.get("idempotency-replayed")) == (201, None)
    for site, who in ((second, catalogue.ann), (first, catalogue.ben)):
        assert "idempotency-replayed" not in post(site, who).headers
    again = post(first, catalogue.ann)
    assert (again.status_code, again.content) == (201, made.content)
    assert (again.headers["idempotency-replayed"], again.headers["etag"]) == ("true", '"1"')
    # It is the same key without the spaces, and the same body whatever the order of its members.
    trimmed = catalogue.ann.post(
        f"/sites/{first['siteId']}/comments", json=body, headers={"Idempotency-Key": "k"}
    )
    assert trimmed.content == made.content
    catalogue.server.advance(24 * 3600 - 60)
    assert post(first, catalogue.ann).content == made.content
    catalogue.server.advance(61)
    assert post(first, catalogue.ann).json()["commentId"] != made.json()["commentId"]


def test_only_successes_are_kept_for_a_key(catalogue: Catalogue) -> None:
    key = {"Idempotency-Key": "k"}
    join = {"groupName": "Runners"}
    refused(catalogue.ann.post("/me/groups", json=join, headers=key), 404)
    catalogue.group("Runners", joinPolicy="open")
    assert catalogue.ann.post("/me/groups", json=join, headers=key).status_code == 201
    players = catalogue.players(3)
    body = match_body([*players, UNKNOWN])
    refused(catalogue.ada.post("/squash/matches", json=body, headers=key), 404)
    good = match_body([*players, catalogue.player("Zoe")["playerId"]])
    assert catalogue.ada.post("/squash/matches", json=good, headers=key).status_code == 201


# If-Match.


def test_only_the_current_tag_lets_a_change_through(catalogue: Catalogue) -> None:
    site = catalogue.site()
    catalogue.rate(catalogue.ada, site, 5)
    comment = catalogue.comment(catalogue.ada, site)
    catalogue.group("Runners")
    catalogue.ada.get("/me")
    *four, idle = catalogue.players(5)
    match = catalogue.match(four)
    path = f"/sites/{site['siteId']}"
    player = f"/squash/players/{idle}"
    changes: list[tuple[str, str, Any]] = [
        ("PUT", f"{path}/rating", {"stars": 1}),
        ("PUT", f"{path}/comments/{comment['commentId']}", {"body": "B"}),
        ("PATCH", path, {"title": "T"}),
        ("PATCH", "/groups/Runners", {"description": "d"}),
        ("PATCH", "/me/profile", {"description": "d"}),
        ("PATCH", player, {"name": "N"}),
        ("PUT", f"/squash/matches/{match['matchId']}", match_body(four)),
    ]
    deletions: list[tuple[str, str, Any]] = [
        ("DELETE", where, None) for _, where, _ in changes if where != "/me/profile"
    ]
    for version, kind in ((1, changes), (2, changes), (3, deletions)):
        for method, where, body in kind:
            told: dict[str, Any] = {} if body is None else {"json": body}
            stale = (version - 1, version + 1)
            tags = [f'"{number}"' for number in stale]
            before = catalogue.rows()
            for tag in (*tags, str(version), f'W/"{version}"', '"x"', "", f'"{version}', "'1'"):
                reply = catalogue.ada.request(method, where, headers={"If-Match": tag}, **told)
                refused(reply, 412, "precondition_failed")
            assert catalogue.rows() == before
        for method, where, body in kind:
            told = {} if body is None else {"json": body}
            tag = "*" if version == 2 else f'"{version}"'
            reply = catalogue.ada.request(method, where, headers={"If-Match": tag}, **told)
            assert reply.is_success, reply.text
            if body is not None:
                assert reply.headers["etag"] == f'"{version + 1}"'
                assert reply.json()["version"] == version + 1
