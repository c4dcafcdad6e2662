"""3FC's multi-item writes about leagues, access, seasons, teams and sessions."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

import pytest

from tablewright import AlreadyDone, Conflict, Unit, check, create, delete, ref, save, sweep
from tablewright.care.fsck import drift
from tablewright.systems.threefc.design import Acl, League, P, Role, Season, T
from tests.systems.faces import AT, Face, after, kinds, moved, transactions
from tests.systems.ids import ulid

from .rows import acl, game, league, once, player, season, session, team

ANN = "ann@x.org"
PLACE = ref(League, league_id=ulid(1))


def founded(slug: str | None = "sunday", number: int = 1) -> Unit:
    return Unit().create(league(number, slug=slug)).create(acl(ANN, "admin", of=number))


def test_create_league_takes_four_actions_and_its_idempotency_row(face: Face) -> None:
    unit = founded().once(once())
    assert kinds(founded()) == {"Put": 4}
    assert kinds(founded(slug=None)) == {"Put": 3}
    assert kinds(unit) == {"Put": 5}
    face.run(unit)
    assert face.run(P.get_league(ulid(1)).required()).admin_count == 1
    with pytest.raises(AlreadyDone):
        face.run(unit)
    assert face.refused(founded(number=2)) == ["derive league_slug"]
    assert face.run(P.get_league(ulid(2))) is None


def test_change_league_moves_its_slug(embedded: Face) -> None:
    embedded.run(founded())
    embedded.create(league(2, slug="monday"))
    old = embedded.run(P.get_league(ulid(1)).required())
    new = moved(old, slug="tuesday", name="N")
    assert kinds(Unit(save(old, moved(old, name="N")))) == {"Update": 1}
    assert kinds(Unit(save(old, new))) == {"Delete": 1, "Put": 1, "Update": 1}
    saved = embedded.run(save(old, new))
    assert embedded.refused(save(saved, moved(saved, slug="monday"))) == ["derive league_slug"]
    assert embedded.refused(save(old, moved(old, name="M"))) == ["save League"]


def test_delete_league_needs_it_without_seasons(embedded: Face) -> None:
    embedded.run(founded())
    embedded.create(season())
    read = embedded.run(P.get_league(ulid(1)).required())
    unused = check(PLACE, lambda one: one.season_count == 0)
    assert embedded.refused(sweep(read, [], AT, also=[unused])) == ["save League and check League"]
    assert embedded.run(P.get_league(ulid(1))) == read


def test_delete_league_takes_players_grants_and_mirrors_along(face: Face) -> None:
    face.run(founded())
    face.create(*(acl(f"u{n}@x.org", "admin") for n in range(8)))
    face.create(*(player(50 + n) for n in range(30)), player(90, league_id=ulid(2)))
    read = face.run(P.get_league(ulid(1)).required())
    unused = lambda one: one.season_count == 0  # noqa: E731 (said once, used in two places)
    mark = Unit().save(read, moved(read, deleted_at=AT), unused)
    assert kinds(mark) == {"Delete": 1, "Update": 1}
    [marked] = face.run(mark)
    # The list of players is derived from them: they go by themselves.
    for page in face.pages(P.league_players(ulid(1)), 25):
        gone = Unit()
        for one in face.run(P.players([row.player_id for row in page])):
            gone.delete(one)
        assert len(gone.actions) == 2 * len(page)
        face.run(gone)
    own = face.run(P.get_acl(ulid(1), ANN).required())
    trace = face.trace(
        sweep(
            marked,
            [P.list_acl(ulid(1))],
            AT,
            last=[delete(own, uncounted=True)],
            keep=[ref(Acl, league_id=ulid(1), user_id=ANN)],
        )
    )
    assert transactions(trace) == [{"Delete": 16}, {"Delete": 3}]
    assert {key[0] for key in face.keys(T)} == {f"PLAYER#{ulid(90)}", f"LEAGUE#{ulid(2)}"}


def granted(unit: Unit) -> Unit:
    return unit.require(PLACE)


def test_grant_takes_three_actions_whoever_it_is(embedded: Face) -> None:
    embedded.run(founded())
    assert kinds(granted(Unit().create(acl("v@x.org")))) == {"ConditionCheck": 1, "Put": 2}
    assert kinds(granted(Unit().create(acl("b@x.org", "admin")))) == {"Put": 2, "Update": 1}
    embedded.run(granted(Unit().create(acl("v@x.org"))))
    embedded.run(granted(Unit().create(acl("b@x.org", "admin"))))
    assert embedded.run(P.get_league(ulid(1)).required()).admin_count == 2
    refused = embedded.refused(granted(Unit().create(acl("v@x.org"))))
    assert refused == ["create Acl", "derive user_league"]


def test_grant_is_refused_in_a_league_that_is_marked_or_unknown(embedded: Face) -> None:
    assert embedded.refused(granted(Unit().create(acl("v@x.org")))) == ["check League"]
    made = embedded.create(league())
    embedded.run(save(made, moved(made, deleted_at=AT)))
    assert embedded.refused(granted(Unit().create(acl("v@x.org")))) == ["check League"]
    both = granted(Unit().create(acl("b@x.org", "admin")))
    assert embedded.refused(both) == ["count admins_of and check League"]


@pytest.mark.parametrize(
    ("before", "later", "admins"),
    [("viewer", "admin", 2), ("admin", "viewer", 1), ("viewer", "scorekeeper", 1)],
)
def test_change_of_a_role_moves_row_mirror_and_count(
    embedded: Face, before: Role, later: Role, admins: int
) -> None:
    embedded.run(founded())
    old = embedded.create(acl("b@x.org", before))
    unit = granted(Unit().save(old, moved(old, role=later, updated_at=after(days=1))))
    assert sum(kinds(unit).values()) == 3
    embedded.run(unit)
    assert embedded.run(P.get_league(ulid(1)).required()).admin_count == admins
    [mirror] = embedded.run(P.user_leagues("b@x.org")).items
    assert (mirror.role, mirror.created_at) == (later, AT)
    assert embedded.refused(unit)[0] == "save Acl"


def test_change_of_a_role_is_refused_when_it_was_granted_anew(embedded: Face) -> None:
    embedded.is_drift_checked = False
    embedded.run(founded())
    old = embedded.create(acl("b@x.org", "viewer"))
    embedded.run(delete(old))
    embedded.create(acl("b@x.org", "admin", created_at=after(hours=1)))
    # The role lies in the envelope: no condition can say that it is as read.
    with suppress(Conflict):
        embedded.run(save(old, moved(old, role="scorekeeper")))
    assert drift(embedded, [T]) == []


def test_the_last_admin_can_neither_be_demoted_nor_leave(embedded: Face) -> None:
    embedded.run(founded())
    own = embedded.run(P.get_acl(ulid(1), ANN).required())
    others = lambda one: one.admin_count > 1  # noqa: E731 (as above)
    demoted = Unit().save(own, moved(own, role="viewer")).require(PLACE, others)
    assert embedded.refused(demoted) == ["count admins_of and check League"]
    left = Unit().delete(own).require(PLACE, others)
    assert embedded.refused(left) == ["count admins_of and check League"]
    embedded.create(acl("b@x.org", "admin"))
    assert kinds(left) == {"Delete": 2, "Update": 1}
    embedded.run(left)


def test_create_season_needs_a_league_and_its_slug(embedded: Face) -> None:
    assert embedded.refused(create(season())) == ["count seasons_of"]
    made = embedded.create(league())
    embedded.create(season(slug="2096"))
    assert embedded.refused(create(season(11, slug="2096"))) == ["derive season_slug"]
    assert embedded.refused(create(season())) == ["create Season", "derive league_season"]
    read = embedded.run(P.get_league(ulid(1)).required())
    embedded.run(save(read, moved(read, deleted_at=AT)))
    assert embedded.refused(create(season(12))) == ["count seasons_of"]
    assert made.season_count == 0


def test_change_season_keeps_both_rows_equal(embedded: Face) -> None:
    embedded.create(league())
    old = embedded.create(season(slug="a"))
    new = moved(old, starts_on=date(2096, 1, 1), slug=None)
    assert kinds(Unit(save(old, new))) == {"Delete": 1, "Update": 2}
    saved = embedded.run(save(old, new))
    [row] = embedded.run(P.list_seasons(ulid(1))).items
    assert (row.version, row.starts_on, row.slug) == (2, date(2096, 1, 1), None)
    assert embedded.refused(save(old, moved(old, name="N"))) == ["save Season"]
    assert saved.version == 2


def ended(read: Season, *teams: str) -> Unit:
    unit = Unit().delete(read, lambda one: one.session_count == 0)
    for team_id in teams:
        unit.delete(team(team_id))  # type: ignore[arg-type]
    return unit


def test_delete_season_takes_seven_actions_at_most(face: Face) -> None:
    face.create(league())
    read = face.create(season(slug="2096"))
    face.create(team("red"), team("blue"), team("yellow"))
    held = face.create(session())
    unit = ended(read, "red", "blue", "yellow")
    assert kinds(unit) == {"Delete": 6, "Update": 1}
    assert face.refused(unit) == ["delete Season"]
    face.run(delete(held))
    edited = face.run(save(read, moved(read, name="N")))
    assert face.refused(unit) == ["delete Season"]
    face.run(ended(edited, "red", "blue", "yellow"))
    assert face.keys(T) == {(f"LEAGUE#{ulid(1)}", "METADATA")}


def test_team_is_one_row_and_checks_its_season(embedded: Face) -> None:
    place = ref(Season, season_id=ulid(10))
    unit = Unit().create(team("red")).check(place)
    assert kinds(unit) == {"ConditionCheck": 1, "Put": 1}
    assert embedded.refused(unit) == ["check Season"]
    embedded.create(league())
    embedded.create(season())
    [made, _] = embedded.run(unit)
    assert embedded.refused(unit) == ["create Team"]
    saved = embedded.run(save(made, moved(made, color="#f00")))
    assert embedded.refused(save(made, moved(made, name="N"))) == ["save Team"]
    assert embedded.refused(delete(made)) == ["delete Team"]
    assert kinds(Unit(delete(saved))) == {"Delete": 1}
    embedded.run(delete(saved))


def test_create_session_needs_a_season_and_a_free_day(embedded: Face) -> None:
    assert embedded.refused(create(session())) == ["count sessions_of"]
    embedded.create(league())
    embedded.create(season())
    assert kinds(Unit(create(session()))) == {"Put": 3, "Update": 1}
    embedded.create(session())
    assert embedded.refused(create(session(21))) == ["derive session_day"]
    assert embedded.run(P.get_season(ulid(10)).required()).session_count == 1


def test_change_session_day_needs_it_as_read_and_a_free_day(embedded: Face) -> None:
    embedded.create(league())
    embedded.create(season())
    old = embedded.create(session(day=1))
    embedded.create(session(21, day=2))
    taken = moved(old, session_date=date(2096, 3, 2))
    assert embedded.refused(save(old, taken)) == ["derive session_day"]
    free = moved(old, session_date=date(2096, 3, 3))
    assert kinds(Unit(save(old, free))) == {"Delete": 1, "Put": 1, "Update": 2}
    embedded.run(save(old, free))
    assert embedded.refused(save(old, free))[0] == "save Session"
    embedded.create(session(22, day=1))


def test_delete_session_needs_that_it_has_no_game(embedded: Face) -> None:
    embedded.create(league())
    embedded.create(season())
    held = embedded.create(session())
    embedded.create(game())
    unit = Unit().delete(held, lambda one: one.game_count == 0)
    assert kinds(unit) == {"Delete": 3, "Update": 1}
    assert embedded.refused(unit) == ["delete Session"]
    embedded.run(delete(game()))
    embedded.run(unit)
    assert embedded.run(P.get_season(ulid(10)).required()).session_count == 0
