"""The acceptance scenarios, each on every kind of store."""

from __future__ import annotations

import pytest

from .catalogue import PICTURE, Catalogue, match_body, place, refused


def test_a_guest_reads_and_does_not_write(each_catalogue: Catalogue) -> None:
    site = each_catalogue.site()
    guest = each_catalogue.guest
    for path in ("/sites", place(site), place(site, "ratings"), place(site, "comments")):
        assert guest.get(path).status_code == 200
    refused(guest.post("/sites", json={"url": "https://example.org/"}), 401, "unauthorized")
    refused(guest.post(place(site, "comments"), json={"body": "Hi."}), 401, "unauthorized")


def test_only_an_admin_adds_a_site_and_its_tags_are_normalised(
    each_catalogue: Catalogue,
) -> None:
    body = {"url": "https://example.org/", "title": "Example", "tags": ["A", " a ", "b c"]}
    before = each_catalogue.items(each_catalogue.guest, "/sites")
    for caller in (each_catalogue.ann, each_catalogue.mia):
        refused(caller.post("/sites", json=body), 403, "admin_required")
        assert each_catalogue.items(each_catalogue.guest, "/sites") == before
    made = each_catalogue.ada.post("/sites", json=body)
    assert made.status_code == 201
    assert made.json()["tags"] == ["a", "b c"]
    assert each_catalogue.items(each_catalogue.guest, "/sites", tag="a") == [made.json()]


def test_a_site_is_found_by_the_tags_it_has_now(each_catalogue: Catalogue) -> None:
    site = each_catalogue.site(tags=["a", "b"])
    changed = each_catalogue.ada.patch(place(site), json={"tags": ["b", "c"]})
    assert changed.status_code == 200
    assert each_catalogue.items(each_catalogue.guest, "/sites", tag="a") == []
    for tag in "bc":
        assert each_catalogue.items(each_catalogue.guest, "/sites", tag=tag) == [changed.json()]


def test_ratings_at_the_same_time_are_all_counted_once(each_catalogue: Catalogue) -> None:
    site = each_catalogue.site()
    stars = {f"user{number}": 1 + number % 5 for number in range(20)}
    everybody = [*stars, *["user3"] * 4]
    replies = each_catalogue.server.together(
        each_catalogue.who(user).ask("PUT", place(site, "rating"), json={"stars": stars[user]})
        for user in everybody
    )
    assert {reply.status_code for reply in replies} <= {200, 201}
    assert [reply.status_code for reply in replies].count(201) == 20
    shown = each_catalogue.guest.get(place(site)).json()
    assert shown["ratingCount"] == 20
    assert shown["averageRating"] == 3.0
    assert shown["version"] == 1
    left = each_catalogue.who("user4").delete(place(site, "rating"))
    assert left.status_code == 204
    summary = each_catalogue.guest.get(place(site, "ratings")).json()
    assert summary["ratingCount"] == 19
    assert summary["distribution"] == {"1": 4, "2": 4, "3": 4, "4": 4, "5": 3}


def test_own_ratings_and_own_comments_do_not_mix(each_catalogue: Catalogue) -> None:
    sites = [each_catalogue.site(f"Site {number}") for number in range(3)]
    for site in sites:
        each_catalogue.rate(each_catalogue.ann, site, 4)
        each_catalogue.rate(each_catalogue.ben, site, 2)
    for site in (*sites, sites[0]):
        each_catalogue.comment(each_catalogue.ann, site)
        each_catalogue.comment(each_catalogue.ben, site)
    assert len(each_catalogue.items(each_catalogue.ann, "/me/ratings")) == 3
    assert len(each_catalogue.items(each_catalogue.ann, "/me/comments")) == 4


def test_squash_is_open_while_one_is_in_its_group(each_catalogue: Catalogue) -> None:
    ann, mia = each_catalogue.ann, each_catalogue.mia
    member = "/groups/Squash/members/ann"

    def closed() -> None:
        for path in ("/squash/players", "/squash/matches"):
            refused(ann.get(path), 403, "squash_group_required")

    closed()
    each_catalogue.group("Squash")
    closed()
    assert mia.put(member).status_code == 201
    for path in ("/squash/players", "/squash/matches"):
        assert ann.get(path).status_code == 200
    assert mia.delete(member).status_code == 204
    closed()
    assert mia.put(member).status_code == 201
    assert ann.get("/squash/players").status_code == 200
    assert mia.delete("/groups/Squash").status_code == 204
    closed()
    each_catalogue.group("Squash")
    closed()


def test_matches_are_kept_by_managers_inside_the_group(each_catalogue: Catalogue) -> None:
    body = match_body(each_catalogue.players(4))
    each_catalogue.group("Squash")
    mia, ann = each_catalogue.mia, each_catalogue.ann
    refused(mia.post("/squash/matches", json=body), 403, "squash_group_required")
    refused(mia.put("/groups/Squash/members/mia"), 403, "own_membership")
    refused(mia.post("/squash/matches", json=body), 403, "squash_group_required")
    each_catalogue.put_in("Squash", "mia", "ann")
    assert mia.post("/squash/matches", json=body).status_code == 201
    refused(ann.post("/squash/matches", json=body), 403, "manager_required")
    assert len(each_catalogue.items(ann, "/squash/matches")) == 1


def test_matches_of_a_day_and_of_some_days(each_catalogue: Catalogue) -> None:
    players = each_catalogue.players(4)
    days = ["2026-03-09", "2026-03-02", "2026-03-01", "2026-03-02"]
    made = {each_catalogue.match(players, day)["matchId"]: day for day in days}
    ada = each_catalogue.ada
    on_the_second = each_catalogue.ids(ada, "/squash/matches", "matchId", date="2026-03-02")
    assert on_the_second == sorted(one for one, day in made.items() if day == "2026-03-02")
    found = each_catalogue.items(ada, "/squash/matches", dateFrom="2026-03-01", dateTo="2026-03-05")
    assert [match["date"] for match in found] == ["2026-03-01", "2026-03-02", "2026-03-02"]
    assert len({match["matchId"] for match in found}) == 3
    refused(ada.get("/squash/matches", params={"dateFrom": "2026-03-01"}), 400, "invalid_request")


def test_a_match_is_never_seen_half_changed(each_catalogue: Catalogue) -> None:
    first, second, third, fourth, fifth, sixth = each_catalogue.players(6)
    line_ups = ([first, second, third, fourth], [first, fifth, third, sixth])
    made = each_catalogue.match(line_ups[0])
    ada, path = each_catalogue.ada, f"/squash/matches/{made['matchId']}"
    swaps = [ada.ask("PUT", path, json=match_body(line_ups[number % 2])) for number in range(1, 21)]
    reads = [ada.ask("GET", path) for _ in range(20)]
    replies = each_catalogue.server.together(
        asked for pair in zip(swaps, reads, strict=True) for asked in pair
    )
    assert {reply.status_code for reply in replies} == {200}
    seats = ("teamAPlayer1Id", "teamAPlayer2Id", "teamBPlayer1Id", "teamBPlayer2Id")
    for reply in replies:
        assert [reply.json()[seat] for seat in seats] in line_ups
    last = ada.get(path).json()
    assert last["version"] == 21
    named = {last[seat] for seat in seats}
    for player in (first, second, third, fourth, fifth, sixth):
        listed = each_catalogue.items(ada, f"/squash/players/{player}/matches")
        assert listed == ([last] if player in named else [])


def test_players_who_never_met_have_no_match_together(each_catalogue: Catalogue) -> None:
    p, q, *others = each_catalogue.players(8)
    with_p = each_catalogue.match([p, *others[:3]])
    with_q = each_catalogue.match([q, *others[3:]])
    each_catalogue.match(others[:4])
    ada, both = each_catalogue.ada, f"{p},{q}"
    assert each_catalogue.items(ada, "/squash/matches", playerIds=both) == []
    found = each_catalogue.ids(ada, "/squash/matches", "matchId", playerIds=both, playerMode="or")
    assert found == sorted([with_p["matchId"], with_q["matchId"]])


def test_a_match_that_cannot_have_been_is_not_stored(each_catalogue: Catalogue) -> None:
    players = each_catalogue.players(4)
    wrong = [
        match_body(players, winningTeam="B", teamAGames=3, teamBGames=2),
        match_body([*players[:3], players[0]]),
        match_body(players, teamAGames=3, teamBGames=3),
        match_body(players, teamAGames=2, teamBGames=1),
        match_body(players, "2026-02-31"),
    ]
    fields = ["teamBGames", "teamBPlayer2Id", "teamBGames", "teamAGames", "date"]
    for body, field in zip(wrong, fields, strict=True):
        reply = each_catalogue.ada.post("/squash/matches", json=body)
        refused(reply, 400, "invalid_request", field=field)
    assert each_catalogue.items(each_catalogue.ada, "/squash/matches") == []
    assert "SQUASH_MATCH" not in each_catalogue.kinds()


def test_a_deleted_site_takes_everything_along(each_catalogue: Catalogue) -> None:
    site, other = each_catalogue.site(), each_catalogue.site("Other")
    ann, ada = each_catalogue.ann, each_catalogue.ada
    for kept in (site, other):
        each_catalogue.rate(ann, kept, 4)
        each_catalogue.comment(ann, kept)
    key = each_catalogue.upload(ada, place(site, "logo-upload-url"))
    logo_url = ada.patch(place(site), json={"logoKey": key}).json()["logoUrl"]
    assert each_catalogue.server.root.get(logo_url).content == PICTURE
    assert ada.delete(place(site)).status_code == 204
    refused(each_catalogue.guest.get(place(site)), 404, "not_found")
    refused(each_catalogue.guest.get(place(site, "comments")), 404, "not_found")
    refused(ann.get(place(site, "rating")), 404, "not_found")
    assert each_catalogue.ids(ann, "/me/ratings", "siteId") == [other["siteId"]]
    assert each_catalogue.ids(ann, "/me/comments", "siteId") == [other["siteId"]]
    refused(each_catalogue.server.root.get(logo_url), 404)
    refused(ada.delete(place(site)), 404, "not_found")
    assert sorted(each_catalogue.kinds()) == ["COMMENT", "RATING", "SITE", "SITE_TAG"]


def test_a_player_is_deleted_after_his_matches(each_catalogue: Catalogue) -> None:
    players = each_catalogue.players(4)
    match = each_catalogue.match(players)
    ada, player = each_catalogue.ada, f"/squash/players/{players[0]}"
    refused(ada.delete(player), 409, "player_has_matches")
    assert ada.delete(f"/squash/matches/{match['matchId']}").status_code == 204
    assert ada.delete(player).status_code == 204
    refused(ada.get(player), 404, "not_found")


def test_an_avatar_is_ones_own_upload(each_catalogue: Catalogue) -> None:
    ann, root = each_catalogue.ann, each_catalogue.server.root
    key = each_catalogue.upload(ann, "/me/avatar-upload-url")
    stolen = each_catalogue.ben.patch("/me/profile", json={"avatarKey": key})
    refused(stolen, 400, "invalid_request", field="avatarKey")
    profile = ann.patch("/me/profile", json={"avatarKey": key})
    assert profile.status_code == 200
    url = profile.json()["avatarUrl"]
    assert root.get(url).content == PICTURE
    assert ann.delete("/me/avatar").status_code == 204
    refused(root.get(url), 404)
    assert ann.get("/me/profile").json()["avatarUrl"] is None


def test_one_joins_open_groups_only(each_catalogue: Catalogue) -> None:
    each_catalogue.group("Runners", joinPolicy="open")
    each_catalogue.group("Squash")
    ann = each_catalogue.ann
    assert ann.post("/me/groups", json={"groupName": "Runners"}).status_code == 201
    refused(ann.post("/me/groups", json={"groupName": "Squash"}), 403, "invite_only")
    opening = each_catalogue.mia.patch("/groups/Squash", json={"joinPolicy": "open"})
    refused(opening, 400, "invalid_request", field="joinPolicy")
    assert each_catalogue.ids(ann, "/me/groups", "groupName") == ["Runners"]


def test_a_deleted_user_takes_her_ratings_back(each_catalogue: Catalogue) -> None:
    sites = [each_catalogue.site(f"Site {number}") for number in range(3)]
    ann = each_catalogue.ann
    ann.get("/me")
    for stars, site in enumerate(sites, 1):
        each_catalogue.rate(ann, site, stars)
    each_catalogue.rate(each_catalogue.ben, sites[0], 5)
    assert each_catalogue.ada.delete("/users/ann").status_code == 204
    shown = [each_catalogue.guest.get(place(site)).json() for site in sites]
    assert [site["ratingCount"] for site in shown] == [1, 0, 0]
    assert [site["averageRating"] for site in shown] == [5.0, None, None]
    refused(each_catalogue.ada.get("/users/ann"), 404, "not_found")


@pytest.mark.parametrize("attempt", range(3))
def test_of_two_players_for_one_person_one_is_made(each_catalogue: Catalogue, attempt: int) -> None:
    user = f"ann{attempt}"
    replies = each_catalogue.server.together(
        each_catalogue.ada.ask("POST", "/squash/players", json={"name": name, "userId": user})
        for name in ("Ann", "Anna")
    )
    assert sorted(reply.status_code for reply in replies) == [201, 409]
    [lost] = [reply for reply in replies if reply.status_code == 409]
    refused(lost, 409, "player_link_taken")
    assert len(each_catalogue.items(each_catalogue.ada, "/squash/players")) == 1
