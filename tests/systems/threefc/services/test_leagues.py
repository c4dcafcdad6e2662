"""3FC's patterns about leagues, access, seasons, teams and sign-in."""

from __future__ import annotations

import orjson
import pytest

from tablewright import Unit, absent, patch, ref, save
from tablewright.systems.threefc.design import (
    LeagueSeason,
    LeagueSlug,
    MagicToken,
    P,
    SeasonSlug,
    T,
    UserLeague,
)
from tests.systems.faces import AT, Face, after, moved
from tests.systems.ids import ulid
from tests.systems.threefc.rows import (
    acl,
    counter,
    identity,
    league,
    login,
    once,
    player,
    season,
    session,
    team,
    token,
)


def test_get_league_does_not_see_a_marked_one(face: Face) -> None:
    made = face.create(league(slug="sunday"))
    assert face.run(P.get_league(ulid(1))) == made
    assert face.run(P.get_league(ulid(2))) is None
    face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.get_league(ulid(1))) is None
    assert face.run(P.get_league(ulid(1)).with_marked()) is not None


def test_get_league_shows_payload_and_counters_alike(face: Face) -> None:
    face.create(league())
    face.create(acl("ann@x.org", "admin"))
    face.create(season())
    [item] = [one for one in face.items(T) if one["entityType"] == {"S": "league"}]
    assert {name for name, value in item.items() if "S" in value} == {
        "pk",
        "sk",
        "entityType",
        "createdAt",
        "updatedAt",
        "data",
    }
    assert [item[name] for name in ("version", "adminCount", "seasonCount")] == [{"N": "1"}] * 3
    assert orjson.loads(item["data"]["S"]) == {
        "leagueId": ulid(1),
        "name": "League 1",
        "slug": None,
        "createdByUserId": "ann@x.org",
    }
    found = face.run(P.get_league(ulid(1)).required())
    assert (found.admin_count, found.season_count, found.version) == (1, 1, 1)


def test_leagues_come_in_the_order_they_are_asked_for(face: Face) -> None:
    made = [face.create(league(n)) for n in (1, 2, 3)]
    face.run(save(made[1], moved(made[1], deleted_at=AT)))
    assert face.run(P.leagues([ulid(3), ulid(2), ulid(9), ulid(1)])) == [made[2], made[0]]


def test_list_seasons_returns_them_in_creation_order_page_by_page(face: Face) -> None:
    face.create(league(), league(2))
    face.create(*(season(n) for n in (12, 10, 11)), season(13, of=2))
    face.create(acl("ann@x.org"))
    face.create(player())
    pages = face.pages(P.list_seasons(ulid(1)), 2)
    assert [[row.season_id for row in page] for page in pages] == [
        [ulid(10), ulid(11)],
        [ulid(12)],
    ]


def test_list_seasons_has_payload_and_version_of_the_season(face: Face) -> None:
    face.create(league())
    made = face.create(season(slug="2096"))
    new = face.run(save(made, moved(made, name="N", updated_at=after(hours=1))))
    [row] = face.run(P.list_seasons(ulid(1))).items
    assert row == LeagueSeason.model_validate(new.model_dump(exclude={"session_count"}))
    assert row.version == 2


def test_list_teams_returns_blue_red_yellow(face: Face) -> None:
    face.create(league())
    face.create(season())
    face.create(session())
    made = {name: face.create(team(name)) for name in ("yellow", "red", "blue")}
    face.create(team("red", of=11))
    assert face.run(P.list_teams(ulid(10))).items == (made["blue"], made["red"], made["yellow"])


def test_list_acl_returns_grants_by_person_page_by_page(face: Face) -> None:
    face.create(league(), league(2))
    made = {name: face.create(acl(f"{name}@x.org")) for name in ("eve", "ann", "bob")}
    face.create(acl("ann@x.org", of=2))
    face.create(player())
    assert face.pages(P.list_acl(ulid(1)), 2) == [[made["ann"], made["bob"]], [made["eve"]]]


def test_get_acl_tells_a_persons_role(face: Face) -> None:
    face.create(league())
    made = face.create(acl("ann@x.org", "scorekeeper"))
    assert face.run(P.get_acl(ulid(1), "ann@x.org")) == made
    assert face.run(P.get_acl(ulid(1), "bob@x.org")) is None
    assert face.run(P.get_acl(ulid(2), "ann@x.org")) is None


def test_user_leagues_come_in_creation_order_page_by_page(face: Face) -> None:
    face.create(*(league(n) for n in (1, 2, 3)))
    face.create(*(acl("ann@x.org", "admin", of=n) for n in (3, 1, 2)), acl("bob@x.org"))
    pages = face.pages(P.user_leagues("ann@x.org"), 2)
    assert [[row.league_id for row in page] for page in pages] == [[ulid(1), ulid(2)], [ulid(3)]]
    assert pages[0][0] == UserLeague(
        league_id=ulid(1), user_id="ann@x.org", role="admin", created_at=AT, updated_at=AT
    )


def test_list_leagues_of_user_has_the_role_in_each(face: Face) -> None:
    made = [face.create(league(n)) for n in (1, 2)]
    face.create(acl("ann@x.org", "viewer", of=1), acl("ann@x.org", "scorekeeper", of=2))
    face.run(save(made[1], moved(made[1], deleted_at=AT)))
    page, found = face.run(P.list_leagues_of_user("ann@x.org"))
    assert [(row.league_id, row.role) for row in page.items] == [
        (ulid(1), "viewer"),
        (ulid(2), "scorekeeper"),
    ]
    assert found == [made[0]]


def test_get_league_slug_tells_whose_it_is(face: Face) -> None:
    face.create(league(slug="sunday"))
    found = face.run(P.get_league_slug("sunday"))
    assert found == LeagueSlug(slug="sunday", league_id=ulid(1), created_at=AT, updated_at=AT)


def test_get_league_by_slug_follows_the_slug(face: Face) -> None:
    made = face.create(league(slug="sunday"))
    assert face.run(P.get_league_by_slug("sunday")) == made
    assert face.run(P.get_league_by_slug("monday")) is None
    moved_on = face.run(save(made, moved(made, slug="monday")))
    assert face.run(P.get_league_by_slug("sunday")) is None
    assert face.run(P.get_league_by_slug("monday")) == moved_on
    face.run(save(moved_on, moved(moved_on, deleted_at=AT)))
    assert face.run(P.get_league_by_slug("monday")) is None


def test_get_season_returns_one(face: Face) -> None:
    face.create(league())
    made = face.create(season())
    assert face.run(P.get_season(ulid(10))) == made
    assert face.run(P.get_season(ulid(11))) is None
    face.create(session())
    assert face.run(P.get_season(ulid(10)).required()).session_count == 1


def test_get_season_slug_is_of_one_league(face: Face) -> None:
    face.create(league(), league(2))
    face.create(season(10, slug="2096"), season(11, of=2, slug="2096"))
    assert face.run(P.get_season_slug(ulid(2), "2096")) == SeasonSlug(
        slug="2096", league_id=ulid(2), season_id=ulid(11), created_at=AT, updated_at=AT
    )
    assert face.run(P.get_season_slug(ulid(3), "2096")) is None


def test_get_season_by_slug_follows_the_slug_within_its_league(face: Face) -> None:
    face.create(league(), league(2, slug="2096"))
    face.create(season(10, slug="2096"), season(11, of=2, slug="2096"))
    found = face.run(P.get_season_by_slug(ulid(1), "2096"))
    assert found is not None
    assert found.season_id == ulid(10)
    assert face.run(P.get_season_by_slug(ulid(1), "2097")) is None


def test_get_magic_token_is_used_once_and_ends_with_its_time(face: Face) -> None:
    made = face.create(token())
    assert face.run(P.get_magic_token("t1")) == made
    place = ref(MagicToken, token_id="t1")
    use = patch(place).set(lambda one: one.used_at, AT).when(lambda one: absent(one.used_at))
    face.run(use)
    assert face.refused(Unit(use)) == ["patch MagicToken"]
    face.clock.now = after(seconds=900)
    assert face.run(P.get_magic_token("t1")) is None
    [item] = face.items(T)
    assert "data" not in item


def test_get_login_session_ends_with_its_time(face: Face) -> None:
    made = face.create(login())
    assert face.run(P.get_login_session("s1")) == made
    face.clock.now = after(seconds=900)
    assert face.run(P.get_login_session("s1")) is None


def test_get_start_counter_is_of_one_address(face: Face) -> None:
    made = face.create(counter(3))
    assert face.run(P.get_start_counter("ann@x.org")) == made
    assert face.run(P.get_start_counter("bob@x.org")) is None


def test_get_identity_is_of_one_address(face: Face) -> None:
    made = face.create(identity())
    assert face.run(P.get_identity("ann@x.org")) == made
    assert face.run(P.get_identity("bob@x.org")) is None


def test_get_idempotency_ends_with_its_day(face: Face) -> None:
    made = face.create(once())
    assert face.run(P.get_idempotency("scope", "key")) == made
    face.clock.now = after(days=1)
    assert face.run(P.get_idempotency("scope", "key")) is None
    [item] = face.items(T)
    assert int(item["ttlEpoch"]["N"]) == int(after(days=1).timestamp())


@pytest.mark.parametrize("nickname", ["a#b", "", "a\nb"])
def test_nicknames_that_cannot_stand_in_a_key_are_refused(embedded: Face, nickname: str) -> None:
    from tablewright import KeyValueInvalid, create

    with pytest.raises(KeyValueInvalid):
        embedded.run(create(player(nickname=nickname).model_copy(update={"nickname": nickname})))
