"""Roll Model's patterns about profiles, links, comments, threads and repeated requests."""

from __future__ import annotations

from tablewright import Range, save
from tablewright.systems.roll_model.design import AthleteLink, CommentMeta, P
from tests.systems.faces import AT, Face, after, moved
from tests.systems.ids import uuid
from tests.systems.roll_model.rows import comment, entry, link, message, once, profile, thread, turn


def test_get_profile_returns_a_persons_own(face: Face) -> None:
    made = face.create(profile("ann", "athlete", "coach"))
    face.create(profile("bob", "athlete"))
    assert face.run(P.get_profile("ann")) == made
    assert face.run(P.get_profile("eve")) is None


def test_profiles_come_in_the_order_they_are_asked_for(face: Face) -> None:
    made = {name: face.create(profile(name, "coach")) for name in ("ann", "bob", "cleo")}
    op = P.profiles(["cleo", "eve", "ann"])
    assert face.run(op) == [made["cleo"], made["ann"]]
    assert face.run(op.aligned()) == [made["cleo"], None, made["ann"]]
    assert face.run(P.profiles([])) == []


def test_get_link_returns_a_revoked_link_too(face: Face) -> None:
    made = face.create(link())
    assert face.run(P.get_link("ann", "cleo")) == made
    revoked = face.run(save(made, moved(made, status="revoked")))
    assert face.run(P.get_link("ann", "cleo")) == revoked
    assert face.run(P.get_link("cleo", "ann")) is None


def test_links_are_those_of_several_athletes_with_one_coach(face: Face) -> None:
    made = [face.create(link(name, "cleo")) for name in ("ann", "bob")]
    face.create(link("ann", "dave"))
    assert face.run(P.links(["bob", "eve", "ann"], "cleo")) == [made[1], made[0]]


def test_coach_links_are_listed_by_coach_page_by_page(face: Face) -> None:
    made = [face.create(link("ann", coach)) for coach in ("zoe", "cleo", "dave")]
    face.create(link("bob", "cleo"), link("eve", "ann"))
    assert face.pages(P.coach_links("ann"), 2) == [[made[1], made[2]], [made[0]]]


def test_athlete_links_are_listed_by_athlete_and_only_while_active(face: Face) -> None:
    bob, ann, eve = (face.create(link(name)) for name in ("bob", "ann", "eve"))
    face.run(save(eve, moved(eve, status="revoked")))
    face.create(link("cleo", "dave"))
    pages = face.pages(P.athlete_links("cleo"), 1)
    assert [row.athlete_id for page in pages for row in page] == ["ann", "bob"]
    again = moved(eve, version=3)
    face.run(save(moved(eve, status="revoked", version=2), again))
    assert len(face.run(P.athlete_links("cleo")).items) == 3
    assert [ann.status, bob.status] == ["active", "active"]


def test_check_comment_permission_needs_entry_and_active_link(face: Face) -> None:
    assert face.run(P.check_comment_permission(uuid(1), "cleo")) is None
    made = face.create(entry())
    assert face.run(P.check_comment_permission(uuid(1), "cleo")) is None
    linked = face.create(link())
    trace = face.trace(P.check_comment_permission(uuid(1), "cleo"))
    assert trace.value == linked
    assert all(call.request["ConsistentRead"] for call in trace.calls)
    revoked = face.run(save(linked, moved(linked, status="revoked")))
    assert face.run(P.check_comment_permission(uuid(1), "cleo")) is None
    face.run(save(revoked, moved(revoked, status="active")))
    assert face.run(P.check_comment_permission(uuid(1), "cleo")) is not None
    face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.check_comment_permission(uuid(1), "cleo")) is None


def test_list_coaches_of_athlete_has_links_of_any_status_with_profiles(face: Face) -> None:
    active, revoked = face.create(link("ann", "cleo")), face.create(link("ann", "dave"))
    revoked = face.run(save(revoked, moved(revoked, status="revoked")))
    coach = face.create(profile("cleo", "coach"))
    page, people = face.run(P.list_coaches_of_athlete("ann"))
    assert page.items == (active, revoked)
    assert people == [coach]


def test_list_athletes_of_coach_has_active_links_with_profiles(face: Face) -> None:
    made = [face.create(link(name)) for name in ("ann", "bob", "eve")]
    face.run(save(made[1], moved(made[1], status="revoked")))
    people = [face.create(profile(name, "athlete")) for name in ("ann", "eve")]
    page, links, found = face.run(P.list_athletes_of_coach("cleo"))
    assert page.items == tuple(
        AthleteLink(athlete_id=name, coach_id="cleo", created_at=AT) for name in ("ann", "eve")
    )
    assert links == [made[0], made[2]]
    assert found == people


def test_list_comments_of_entry_returns_newest_first_page_by_page(face: Face) -> None:
    face.create(entry())
    made = [face.create(comment(100 + n, after(seconds=n))) for n in range(5)]
    face.create(comment(199, on=2))
    assert face.pages(P.list_comments_of_entry(uuid(1)), 2) == [
        [made[4], made[3]],
        [made[2], made[1]],
        [made[0]],
    ]


def test_list_comments_of_entry_can_leave_out_hidden_ones(face: Face) -> None:
    made = [face.create(comment(100 + n, after(seconds=n))) for n in range(4)]
    face.run(save(made[2], moved(made[2], visibility="hiddenByAthlete")))
    query = P.list_comments_of_entry(uuid(1))
    visible = query.where(lambda one: one.visibility == "visible")
    assert face.pages(visible, 2) == [[made[3], made[1]], [made[0]]]
    assert len(face.run(query).items) == 4


def test_get_comment_needs_the_whole_key(face: Face) -> None:
    made = face.create(comment())
    assert face.run(P.get_comment(uuid(1), AT, uuid(100))) == made
    assert face.run(P.get_comment(uuid(2), AT, uuid(100))) is None


def test_get_comment_meta_tells_where_a_comment_is(face: Face) -> None:
    face.create(comment())
    assert face.run(P.get_comment_meta(uuid(100))) == CommentMeta(
        comment_id=uuid(100),
        target_id=uuid(1),
        athlete_id="ann",
        coach_id="cleo",
        created_at=AT,
    )


def test_get_comment_by_id_reads_meta_and_then_the_comment(face: Face) -> None:
    made = face.create(comment())
    trace = face.trace(P.get_comment_by_id(uuid(100)))
    assert trace.value == made
    assert [call.operation for call in trace.calls] == ["GetItem", "GetItem"]
    assert face.run(P.get_comment_by_id(uuid(101))) is None


def test_list_thread_messages_returns_oldest_first_and_no_turns(face: Face) -> None:
    face.create(thread())
    made = [face.create(message(300 - n, after(seconds=n))) for n in range(5)]
    face.create(*(turn(300 - n) for n in range(5)))
    assert face.pages(P.list_thread_messages(uuid(200)), 2) == [made[:2], made[2:4], made[4:]]


def test_list_thread_messages_gives_the_newest_for_a_chats_history(face: Face) -> None:
    made = [face.create(message(300 + n, after(seconds=n))) for n in range(25)]
    face.create(message(400, after(seconds=30), visibility_scope="private"))
    newest = P.list_thread_messages(uuid(200)).newest_first()
    shared = newest.where(lambda one: one.visibility_scope == "shared").limit(20)
    assert list(reversed(face.run(shared).items)) == made[5:]


def test_messages_until_a_moment_come_newest_first(face: Face) -> None:
    made = [face.create(message(300 + n, after(seconds=n))) for n in range(5)]
    face.create(turn(303))
    query = P.messages_until(uuid(200), Range(None, after(seconds=3)))
    assert face.pages(query, 3) == [[made[3], made[2], made[1]], [made[0]]]


def test_list_threads_of_user_drops_marked_threads(face: Face) -> None:
    made = [face.create(thread(200 + n, last_active_at=after(hours=-n))) for n in range(4)]
    face.run(save(made[1], moved(made[1], deleted_at=AT)))
    face.create(thread(209, user="bob"))
    assert face.pages(P.list_threads_of_user("ann"), 2) == [[made[0], made[2]], [made[3]]]


def test_get_thread_is_found_by_its_owner_alone(face: Face) -> None:
    made = face.create(thread())
    assert face.run(P.get_thread("ann", uuid(200))) == made
    assert face.run(P.get_thread("bob", uuid(200))) is None
    face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.get_thread("ann", uuid(200))) is None


def test_get_turn_tells_how_far_a_question_has_come(face: Face) -> None:
    made = face.create(turn(301))
    assert face.run(P.get_turn(uuid(200), uuid(301))) == made
    assert face.run(P.get_turn(uuid(200), uuid(302))) is None


def test_list_turns_returns_no_messages(face: Face) -> None:
    made = [face.create(turn(300 + n)) for n in range(3)]
    face.create(message(300))
    assert face.pages(P.list_turns(uuid(200)), 2) == [made[:2], made[2:]]


def test_get_idempotency_ends_with_its_day(face: Face) -> None:
    made = face.create(once())
    assert face.run(P.get_idempotency("scope", "key")) == made
    face.clock.now = after(days=1)
    assert face.run(P.get_idempotency("scope", "key")) is None
    assert face.create(once(at=face.clock.now)).expires_at == after(days=2)
