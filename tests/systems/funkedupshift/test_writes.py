"""FunkedUpShift's multi-item writes: how many actions, on which conditions, and nothing drifts."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest

from tablewright import (
    AlreadyDone,
    Conflict,
    Unit,
    create,
    delete,
    patch,
    purge,
    put,
    ref,
    save,
    sweep,
)
from tablewright.care.fsck import drift
from tablewright.plan.changes.cascade_delete import Sweep
from tablewright.systems.funkedupshift.design import (
    Group,
    Match,
    Membership,
    P,
    Player,
    Profile,
    Site,
    T,
)
from tests.systems.faces import AT, Face, after, kinds, moved, transactions
from tests.systems.ids import uuid

from .rows import DAY, comment, group, match, membership, once, player, profile, rating, site

TAGS = [f"tag{number:02}" for number in range(40)]


# Sites.


def test_create_site_takes_22_actions_at_most(face: Face) -> None:
    unit = Unit().create(site(tags=TAGS[:20])).once(once())
    assert kinds(unit) == {"Put": 22}
    face.run(unit)
    with pytest.raises(AlreadyDone):
        face.run(unit)
    assert face.refused(create(site(url="https://other.example/"))) == ["create Site"]


def test_update_site_takes_41_actions_at_most(face: Face) -> None:
    old = face.create(site(tags=TAGS[:20]))
    new = moved(old, tags=TAGS[20:])
    assert kinds(Unit(save(old, new))) == {"Delete": 20, "Put": 20, "Update": 1}
    assert face.run(save(old, new)).version == 2


def test_update_site_moves_the_tags_that_differ_if_it_is_as_read(embedded: Face) -> None:
    old = embedded.create(site(tags=["a", "b"]))
    new = moved(old, tags=["b", "c"], title="T")
    assert kinds(Unit(save(old, new))) == {"Delete": 1, "Put": 1, "Update": 1}
    saved = embedded.run(save(old, new))
    assert embedded.refused(save(old, moved(old, title="U"))) == ["save Site"]
    embedded.run(save(saved, moved(saved, deleted_at=AT)))
    assert embedded.refused(save(saved, moved(saved, title="U"))) == ["save Site"]


def swept(read: Site) -> Sweep:
    ratings = P.ratings_of_site([1, 2, 3, 4, 5], read.id).queries
    return sweep(read, [*ratings, P.list_comments_of_site(read.id)], AT)


def test_delete_site_marks_it_and_sweeps_ratings_and_comments(face: Face) -> None:
    face.create(site(tags=TAGS[:20]), site(2))
    face.create(*(rating(f"u{n}", stars=1 + n % 5) for n in range(12)), rating("u1", 2))
    face.create(*(comment(n, after(seconds=n), user=f"u{n}") for n in range(30)))
    face.create(comment(99, on=2))
    read = face.run(P.get_site(uuid(1)).required())
    trace = face.trace(swept(read))
    assert transactions(trace) == [{"Delete": 20, "Update": 1}]
    assert trace.calls[-1].operation == "DeleteItem"
    assert len(face.keys(T)) == 3
    assert face.run(P.list_sites()).items == (face.run(P.get_site(uuid(2)).required()),)


def test_delete_site_needs_it_as_read_and_can_be_continued(embedded: Face) -> None:
    old = embedded.create(site(tags=["a"]))
    embedded.create(rating())
    read = embedded.run(P.get_site(uuid(1)).required())
    edited = embedded.run(save(read, moved(read, title="T")))
    assert embedded.refused(swept(old)) == ["save Site"]
    embedded.run(save(edited, moved(edited, deleted_at=AT)))
    marked = embedded.run(P.get_site(uuid(1)).with_marked().required())
    embedded.run(swept(marked))
    assert embedded.keys(T) == set()


# Ratings and comments.


def test_rate_moves_the_totals_by_the_exact_difference(embedded: Face) -> None:
    embedded.create(site())
    assert kinds(Unit(create(rating()))) == {"Put": 1, "Update": 1}
    made = embedded.create(rating(stars=2))
    again = embedded.run(save(made, moved(made, note="same stars")))
    assert kinds(Unit(save(made, moved(made, note="same stars")))) == {"Update": 1}
    assert kinds(Unit(save(again, moved(again, stars=5)))) == {"Update": 2}
    embedded.run(save(again, moved(again, stars=5)))
    read = embedded.run(P.get_site(uuid(1)).required())
    assert (read.total_stars_sum, read.total_stars_count, read.version) == (5, 1, 1)


def test_rate_needs_a_site_and_the_rating_as_read(embedded: Face) -> None:
    assert embedded.refused(create(rating())) == ["count stars_given and count ratings_given"]
    made = embedded.create(site())
    given = embedded.create(rating(stars=2))
    assert embedded.refused(create(rating(stars=3))) == ["create Rating"]
    embedded.run(save(given, moved(given, stars=3)))
    assert embedded.refused(save(given, moved(given, stars=4))) == ["save Rating"]
    read = embedded.run(P.get_site(uuid(1)).required())
    embedded.run(save(read, moved(read, deleted_at=AT)))
    assert embedded.refused(create(rating("bob"))) == ["count stars_given and count ratings_given"]
    assert made.total_stars_count == 0


def test_rate_with_the_stars_as_read_is_safe_from_a_rating_given_anew(embedded: Face) -> None:
    embedded.create(site())
    old = embedded.create(rating(stars=2))
    embedded.run(delete(old))
    embedded.create(rating(stars=5))
    late = save(old, moved(old, stars=1), lambda one: one.stars == old.stars)
    assert embedded.refused(late) == ["save Rating"]


def test_rate_is_refused_when_the_rating_was_given_anew(embedded: Face) -> None:
    embedded.is_drift_checked = False
    embedded.create(site())
    old = embedded.create(rating(stars=2))
    embedded.run(delete(old))
    embedded.create(rating(stars=5, created_at=after(hours=1)))
    with suppress(Conflict):
        embedded.run(save(old, moved(old, stars=1)))
    assert drift(embedded, [T]) == []


def test_un_rate_takes_the_totals_back(embedded: Face) -> None:
    embedded.create(site())
    made, other = embedded.create(rating("ann", stars=2)), embedded.create(rating("bob", stars=5))
    assert kinds(Unit(delete(made))) == {"Delete": 1, "Update": 1}
    embedded.run(delete(made))
    assert embedded.refused(delete(made))[0] == "delete Rating"
    read = embedded.run(P.get_site(uuid(1)).required())
    assert (read.total_stars_sum, read.total_stars_count) == (5, 1)
    embedded.run(save(other, moved(other, stars=1)))
    assert embedded.refused(delete(other)) == [
        "delete Rating",
        "count stars_given and count ratings_given",
    ]


def test_un_rate_of_a_site_that_is_gone_deletes_the_rating_alone(embedded: Face) -> None:
    late = rating(of=9)
    embedded.plant(late)
    assert embedded.refused(delete(late)) == ["count stars_given and count ratings_given"]
    assert kinds(Unit(delete(late, uncounted=True))) == {"Delete": 1}
    embedded.run(delete(late, uncounted=True))
    assert embedded.keys(T) == set()


def test_post_comment_checks_the_site(embedded: Face) -> None:
    unit = Unit().create(comment()).check(ref(Site, id=uuid(1))).once(once())
    assert kinds(unit) == {"ConditionCheck": 1, "Put": 2}
    assert embedded.refused(unit) == ["check Site"]
    made = embedded.create(site())
    embedded.run(unit)
    again = Unit().create(comment()).check(ref(Site, id=uuid(1))).once(once("other"))
    assert embedded.refused(again) == ["create Comment"]
    embedded.run(save(made, moved(made, deleted_at=AT)))
    late = Unit().create(comment(2)).check(ref(Site, id=uuid(1)))
    assert embedded.refused(late) == ["check Site"]


# Groups.


def test_create_group_is_refused_even_while_a_marked_one_is_there(embedded: Face) -> None:
    unit = Unit().create(group()).once(once())
    assert kinds(unit) == {"Put": 2}
    [made, _] = embedded.run(unit)
    embedded.run(save(made, moved(made, deleted_at=AT)))
    assert embedded.refused(create(group(created_at=after(days=1)))) == ["create Group"]


def test_delete_group_marks_it_and_sweeps_its_members(embedded: Face) -> None:
    made = embedded.create(group())
    embedded.create(*(membership(f"u{n:02}") for n in range(60)), membership("u01", "other"))
    trace = embedded.trace(sweep(made, [P.list_group_members("Squash")], AT))
    assert [call.operation for call in trace.calls] == [
        "UpdateItem",
        "Query",
        *["BatchWriteItem"] * 3,
        "DeleteItem",
    ]
    assert embedded.keys(T) == {("USER#u01", "MEMBERSHIP#other")}
    assert embedded.refused(sweep(made, [], AT)) == ["save Group"]
    assert embedded.create(group(created_at=after(days=1))).version == 1


def test_delete_group_takes_it_out_of_lists_at_once(embedded: Face) -> None:
    made = embedded.create(group())
    unit = Unit(save(made, moved(made, deleted_at=AT)))
    assert kinds(unit) == {"Update": 1}
    embedded.run(unit)
    assert embedded.run(P.list_groups()).items == ()
    [item] = embedded.items(T)
    assert "entitySk" not in item


def joined(row: Membership, *, by_herself: bool) -> Unit:
    place = ref(Group, name=row.group_name)
    unit = Unit().put(row)
    return (
        unit.check(place, lambda it: it.join_policy == "open") if by_herself else unit.check(place)
    )


def test_add_member_and_join_check_the_group(embedded: Face) -> None:
    assert kinds(joined(membership(), by_herself=True)) == {"ConditionCheck": 1, "Put": 1}
    assert embedded.refused(joined(membership(), by_herself=False)) == ["check Group"]
    made = embedded.create(group())
    embedded.run(joined(membership(), by_herself=False))
    assert embedded.refused(joined(membership("bob"), by_herself=True)) == ["check Group"]
    made = embedded.run(save(made, moved(made, join_policy="open")))
    embedded.run(joined(membership("bob"), by_herself=True))
    embedded.run(save(made, moved(made, deleted_at=AT)))
    assert embedded.refused(joined(membership("eve"), by_herself=False)) == ["check Group"]


def test_add_member_again_leaves_a_row_that_counts(embedded: Face) -> None:
    embedded.create(group())
    kept = embedded.create(membership())
    again = membership(added_at=after(days=1), added_by="max")
    assert embedded.refused(create(again)) == ["create Membership"]
    # A row of an earlier group of that name does not count, and is replaced.
    stale = put(again, lambda it: it.group_created_at != AT)
    assert embedded.refused(stale) == ["put Membership"]
    assert embedded.run(P.get_membership("ann", "Squash")) == kept


# Squash.


def test_create_player_guards_the_person(embedded: Face) -> None:
    unit = Unit().create(player(1, user_id="ann")).once(once())
    assert kinds(unit) == {"Put": 3}
    embedded.run(unit)
    assert kinds(Unit(create(player(2)))) == {"Put": 1}
    assert embedded.refused(create(player(2, user_id="ann"))) == ["derive one_player_per_person"]
    assert embedded.run(P.get_player(uuid(2))) is None


def test_update_player_moves_the_guard(embedded: Face) -> None:
    old = embedded.create(player(1, user_id="ann"))
    other = embedded.create(player(2, user_id="eve"))
    new = moved(old, user_id="bob")
    assert kinds(Unit(save(old, new))) == {"Delete": 1, "Put": 1, "Update": 1}
    saved = embedded.run(save(old, new))
    assert embedded.refused(save(other, moved(other, user_id="bob"))) == [
        "derive one_player_per_person"
    ]
    assert embedded.refused(save(old, moved(old, name="N"))) == ["save Player"]
    freed = embedded.run(save(saved, moved(saved, user_id=None)))
    assert embedded.run(P.get_player_of_user("bob")) is None
    assert freed.user_id is None


def gone(one: Player) -> Unit:
    return Unit().delete(one, lambda it: it.match_count == 0)


def test_delete_player_needs_that_he_played_no_match(embedded: Face) -> None:
    made = [embedded.create(player(n, user_id=f"u{n}")) for n in range(1, 5)]
    assert kinds(gone(made[0])) == {"Delete": 2}
    played = embedded.create(match())
    assert embedded.refused(gone(made[0])) == ["delete Player"]
    embedded.run(delete(played))
    renamed = embedded.run(save(made[0], moved(made[0], name="N")))
    assert embedded.refused(gone(made[0])) == ["delete Player"]
    embedded.run(gone(renamed))
    assert embedded.run(P.get_player_of_user("u1")) is None


@pytest.fixture
def players(face: Face) -> Face:
    face.create(*(player(n) for n in range(1, 9)))
    return face


def counts(face: Face) -> list[int]:
    return [face.run(P.get_player(uuid(n)).required()).match_count for n in range(1, 9)]


def test_create_match_takes_ten_actions(players: Face) -> None:
    unit = Unit().create(match()).once(once())
    assert kinds(unit) == {"Put": 6, "Update": 4}
    players.run(unit)
    assert counts(players) == [1, 1, 1, 1, 0, 0, 0, 0]
    unknown = match(101, (1, 2, 3, 9))
    assert players.refused(create(unknown)) == ["count matches_played"]
    assert players.refused(create(match()))[0] == "create Match"


def test_update_match_takes_17_actions_at_most(players: Face) -> None:
    old = players.create(match())
    new = match(players=(5, 6, 7, 8), date=DAY + timedelta(days=1))
    assert kinds(Unit(save(old, new))) == {"Delete": 4, "Put": 4, "Update": 9}
    players.run(save(old, new))
    assert counts(players) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert players.refused(save(old, moved(old, team_b_games=2))) == ["save Match"]


def test_update_match_writes_what_differs(players: Face) -> None:
    old = players.create(match())
    swapped = match(players=(2, 1, 3, 4))
    assert kinds(Unit(save(old, swapped))) == {"Update": 1}
    other_day = moved(old, date=DAY + timedelta(days=1))
    assert kinds(Unit(save(old, other_day))) == {"Update": 5}
    one_other = match(players=(1, 2, 3, 8))
    assert kinds(Unit(save(old, one_other))) == {"Delete": 1, "Put": 1, "Update": 3}
    saved = players.run(save(old, one_other))
    assert counts(players) == [1, 1, 1, 0, 0, 0, 0, 1]
    unknown = match(players=(1, 2, 3, 99), version=saved.version)
    assert players.refused(save(saved, unknown)) == ["count matches_played"]


def test_delete_match_takes_nine_actions(players: Face) -> None:
    made = players.create(match())
    assert kinds(Unit(delete(made))) == {"Delete": 5, "Update": 4}
    edited = players.run(save(made, moved(made, team_b_games=2)))
    assert players.refused(delete(made)) == ["delete Match"]
    players.run(delete(edited))
    assert counts(players) == [0] * 8


# People.


def test_delete_user_leaves_no_row_of_hers(embedded: Face) -> None:
    embedded.create(site(1), site(2))
    embedded.create(*(rating("ann", n, stars=n + 1) for n in (1, 2)), rating("bob", 1))
    embedded.create(*(comment(n, after(seconds=n), on=1 + n % 2) for n in range(5)))
    embedded.create(membership("ann"), membership("bob"))
    made = embedded.create(player(1, user_id="ann"))
    embedded.create(profile("ann"))
    removed = embedded.run(
        purge(P.ratings_of_user("ann"), P.comments_of_user("ann"), P.memberships_of_user("ann"))
    )
    assert removed == 8
    embedded.run(save(made, moved(made, user_id=None)))
    embedded.run(delete(ref(Profile, user_id="ann")))
    assert not [key for key in embedded.keys(T) if key[0] == "USER#ann"]
    read = embedded.run(P.get_site(uuid(1)).required())
    assert (read.total_stars_sum, read.total_stars_count) == (4, 1)


def test_last_login_never_raises_the_version(embedded: Face) -> None:
    login = patch(ref(Profile, user_id="ann")).set(lambda one: one.last_login_ip, "10.0.0.1")
    login = login.set(lambda one: one.last_login_at, after(days=1)).quietly()
    assert embedded.refused(Unit(login)) == ["patch Profile"]
    embedded.create(profile("ann"))
    trace = embedded.trace(login)
    assert [call.operation for call in trace.calls] == ["UpdateItem"]
    assert (trace.value.version, trace.value.last_login_at) == (1, after(days=1))
    assert embedded.refused(create(profile("ann"))) == ["create Profile"]


def test_a_match_counts_every_seat(embedded: Face) -> None:
    # Four distinct players are the service's rule; counters add up all the same.
    embedded.create(*(player(n) for n in range(1, 4)))
    made: Match = embedded.create(match(players=(1, 1, 2, 3)))
    assert embedded.run(P.get_player(uuid(1)).required()).match_count == 2
    embedded.run(delete(made))
    assert embedded.run(P.get_player(uuid(1)).required()).match_count == 0
