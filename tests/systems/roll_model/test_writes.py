"""Roll Model's multi-item writes: how many actions, on which conditions, and nothing drifts."""

from __future__ import annotations

import pytest

from tablewright import (
    AlreadyDone,
    Unit,
    absent,
    contains,
    create,
    delete,
    patch,
    ref,
    save,
    sweep,
)
from tablewright.systems.roll_model.design import (
    AiThread,
    AiTurn,
    CoachLink,
    Comment,
    EntryMeta,
    P,
    Profile,
    T,
)
from tests.systems.faces import AT, Face, after, kinds, moved, transactions
from tests.systems.ids import uuid

from .rows import comment, entry, link, message, once, profile, thread, turn, words


def test_create_entry_takes_51_actions_at_most(face: Face) -> None:
    unit = Unit().create(entry(shared=words(0, 30), private=words(100, 30))).once(once())
    assert kinds(unit) == {"Put": 51}
    face.run(unit)
    with pytest.raises(AlreadyDone) as error:
        face.run(unit)
    assert error.value.row == once()


def test_create_entry_is_refused_where_there_is_one(embedded: Face) -> None:
    embedded.create(entry(shared="guard"))
    refused = embedded.refused(create(entry(shared="sweep")))
    assert refused == ["create Entry", "derive entry_meta"]
    assert len(embedded.keys(T)) == 3


def test_create_entry_is_refused_where_another_has_its_id(embedded: Face) -> None:
    embedded.is_drift_checked = False
    embedded.create(entry())
    assert embedded.refused(create(entry(at=after(hours=1)))) == ["derive entry_meta"]


def test_update_entry_takes_97_actions_at_most(face: Face) -> None:
    old = face.create(entry(shared=words(0), private=words(100)))
    new = moved(entry(shared=words(200), private=words(300)), updated_at=after(hours=1))
    assert kinds(Unit(save(old, new))) == {"Delete": 48, "Put": 48, "Update": 1}
    assert face.run(save(old, new)).version == 2
    assert face.run(P.find_entries_by_keyword("ann", "word000")).items == ()
    assert len(face.run(P.find_entries_by_keyword("ann", "word200")).items) == 1


def test_update_entry_moves_only_the_words_that_differ(embedded: Face) -> None:
    old = embedded.create(entry(shared="alpha beta", private="gamma delta"))
    new = entry(shared="beta gamma", private="delta")
    # "gamma" goes from one partition to the other, "alpha" goes altogether.
    assert kinds(Unit(save(old, new))) == {"Delete": 2, "Put": 1, "Update": 1}
    embedded.run(save(old, new))


def test_update_entry_needs_it_as_read_and_unmarked(embedded: Face) -> None:
    old = embedded.create(entry(shared="alpha"))
    new = embedded.run(save(old, entry(shared="beta")))
    assert embedded.refused(save(old, entry(shared="gamma"))) == ["save Entry"]
    embedded.run(save(new, moved(new, deleted_at=AT)))
    assert embedded.refused(save(new, moved(new, updated_at=after(hours=1)))) == ["save Entry"]


def test_delete_entry_marks_it_sweeps_comments_and_deletes_both_rows(face: Face) -> None:
    made = face.create(entry(shared=words(0), private=words(100)))
    face.create(*(comment(100 + n, after(seconds=n)) for n in range(30)))
    face.create(comment(199, on=2), entry(2, after(hours=1)))
    trace = face.trace(sweep(made, [P.list_comments_of_entry(uuid(1))], AT))
    first, *middle, last = transactions(trace)
    assert first == {"Delete": 48, "Update": 2}
    assert middle == [{"Delete": 60}]
    assert last == {"Delete": 2}
    assert len(face.keys(T)) == 4


def test_delete_entry_continues_where_it_was_interrupted(embedded: Face) -> None:
    made = embedded.create(entry(shared="guard"))
    embedded.create(comment())
    embedded.run(save(made, moved(made, deleted_at=AT)))
    marked = embedded.run(P.get_entry("ann", AT, uuid(1)).with_marked().required())
    embedded.run(sweep(marked, [P.list_comments_of_entry(uuid(1))], after(hours=1)))
    assert embedded.keys(T) == set()


def test_delete_entry_needs_it_as_read(embedded: Face) -> None:
    old = embedded.create(entry())
    embedded.run(save(old, entry(shared="guard")))
    assert embedded.refused(sweep(old, [], AT)) == ["save Entry"]
    assert embedded.refused(delete(old)) == ["delete Entry"]


def posted(made: Comment) -> Unit:
    return (
        Unit()
        .create(made)
        .check(ref(EntryMeta, entry_id=made.entry_id))
        .check(
            ref(CoachLink, athlete_id=made.athlete_id, coach_id=made.coach_id),
            lambda one: one.status == "active",
        )
        .once(once())
    )


def test_post_comment_takes_five_actions(embedded: Face) -> None:
    embedded.create(entry())
    embedded.create(link())
    assert kinds(posted(comment())) == {"ConditionCheck": 2, "Put": 3}
    embedded.run(posted(comment()))
    assert embedded.run(P.get_comment_by_id(uuid(100))) == comment()


def test_post_comment_needs_entry_and_link(embedded: Face) -> None:
    assert embedded.refused(posted(comment())) == ["check EntryMeta", "check CoachLink"]
    made, linked = embedded.create(entry()), embedded.create(link())
    revoked = embedded.run(save(linked, moved(linked, status="revoked")))
    assert embedded.refused(posted(comment())) == ["check CoachLink"]
    embedded.run(save(revoked, moved(revoked, status="active")))
    embedded.run(save(made, moved(made, deleted_at=AT)))
    assert embedded.refused(posted(comment())) == ["check EntryMeta"]
    assert embedded.run(P.list_comments_of_entry(uuid(1))).items == ()


def test_post_comment_happens_once(embedded: Face) -> None:
    embedded.create(entry())
    embedded.create(link())
    embedded.run(posted(comment()))
    with pytest.raises(AlreadyDone):
        embedded.run(posted(comment(101)))
    other = Unit().create(comment()).once(once("other"))
    assert embedded.refused(other) == ["create Comment", "derive comment_meta"]
    assert embedded.run(P.get_idempotency("scope", "other")) is None


def test_edit_hide_show_comment_is_the_one_row_as_read(embedded: Face) -> None:
    old = embedded.create(comment())
    hidden = moved(old, visibility="hiddenByAthlete")
    assert kinds(Unit(save(old, hidden))) == {"Update": 1}
    assert embedded.run(save(old, hidden)).version == 2
    assert embedded.refused(save(old, moved(old, body="late"))) == ["save Comment"]


def test_delete_comment_takes_its_meta_along(embedded: Face) -> None:
    made = embedded.create(comment())
    assert kinds(Unit(delete(made))) == {"Delete": 2}
    edited = embedded.run(save(made, moved(made, body="edited")))
    assert embedded.refused(delete(made)) == ["delete Comment"]
    embedded.run(delete(edited))
    assert embedded.keys(T) == set()


def linked(unit: Unit, coach: str = "cleo") -> Unit:
    return unit.check(ref(Profile, user_id=coach), lambda one: contains(one.roles, "coach")).once(
        once()
    )


def test_link_takes_four_actions_and_needs_a_coach(embedded: Face) -> None:
    assert kinds(linked(Unit().create(link()))) == {"ConditionCheck": 1, "Put": 3}
    assert embedded.refused(linked(Unit().create(link()))) == ["check Profile"]
    known = embedded.create(profile("cleo", "athlete"))
    assert embedded.refused(linked(Unit().create(link()))) == ["check Profile"]
    embedded.run(save(known, moved(known, roles=["athlete", "coach"])))
    embedded.run(linked(Unit().create(link())))
    assert len(embedded.run(P.athlete_links("cleo")).items) == 1


def test_link_again_keeps_when_it_was_first_made(embedded: Face) -> None:
    embedded.create(profile("cleo", "coach"))
    made = embedded.create(link())
    revoked = embedded.run(save(made, moved(made, status="revoked", updated_at=after(days=1))))
    again = linked(Unit().save(revoked, moved(revoked, status="active", updated_at=after(days=2))))
    assert kinds(again) == {"ConditionCheck": 1, "Put": 2, "Update": 1}
    embedded.run(again)
    [mirror] = embedded.run(P.athlete_links("cleo")).items
    assert mirror.created_at == AT


def test_revoke_needs_an_active_link_as_read(embedded: Face) -> None:
    made = embedded.create(link())

    def revoke(one: CoachLink) -> Unit:
        return Unit().save(one, moved(one, status="revoked"), lambda it: it.status == "active")

    assert kinds(revoke(made)) == {"Delete": 1, "Update": 1}
    [revoked] = embedded.run(revoke(made))
    assert embedded.refused(revoke(made)) == ["save CoachLink"]
    assert embedded.refused(revoke(revoked)) == ["save CoachLink"]


def asked(first: Unit) -> Unit:
    return first.create(message(300)).create(turn(300))


def test_chat_first_step_makes_or_checks_the_thread(embedded: Face) -> None:
    there = Unit().check(ref(AiThread, user_id="ann", thread_id=uuid(200)))
    assert kinds(asked(Unit().create(thread()))) == {"Put": 3}
    assert kinds(asked(there)) == {"ConditionCheck": 1, "Put": 2}
    assert embedded.refused(there) == ["check AiThread"]
    embedded.run(asked(Unit().create(thread())))
    again = Unit().check(ref(AiThread, user_id="ann", thread_id=uuid(200)))
    assert embedded.refused(asked(again)) == ["create AiMessage", "create AiTurn"]


def answered(number: int = 400, at_ms: int = 1) -> Unit:
    now = after(ms=at_ms)
    return (
        Unit()
        .create(message(number, now, "assistant"))
        .patch(
            patch(ref(AiTurn, thread_id=uuid(200), message_id=uuid(300)))
            .set(lambda one: one.assistant_message_id, uuid(number))
            .set(lambda one: one.assistant_created_at, now)
            .when(lambda one: absent(one.assistant_message_id))
        )
        .patch(
            patch(ref(AiThread, user_id="ann", thread_id=uuid(200)))
            .set(lambda one: one.last_active_at, now)
            .when(lambda one: one.last_active_at < now)
            .quietly()
        )
    )


def test_chat_second_step_answers_once_and_leaves_the_threads_version(embedded: Face) -> None:
    assert kinds(answered()) == {"Put": 1, "Update": 2}
    assert embedded.refused(answered()) == ["patch AiTurn", "patch AiThread"]
    embedded.run(asked(Unit().create(thread())))
    embedded.run(answered())
    assert "patch AiTurn" in embedded.refused(answered(401, at_ms=2))
    found = embedded.run(P.get_turn(uuid(200), uuid(300)).required())
    assert found.assistant_message_id == uuid(400)
    kept = embedded.run(P.get_thread("ann", uuid(200)).required())
    assert (kept.version, kept.last_active_at) == (1, after(ms=1))
    assert len(embedded.run(P.list_thread_messages(uuid(200))).items) == 2


def test_chat_second_step_never_turns_the_threads_clock_back(embedded: Face) -> None:
    embedded.run(asked(Unit().create(thread(last_active_at=after(hours=1)))))
    assert embedded.refused(answered()) == ["patch AiThread"]


def test_delete_thread_marks_it_and_sweeps_messages_and_turns(embedded: Face) -> None:
    made = embedded.create(thread())
    for n in range(30):
        embedded.create(message(300 + n, after(seconds=n)))
        embedded.create(turn(300 + n))
    other = embedded.create(thread(201))
    children = [P.list_thread_messages(uuid(200)), P.list_turns(uuid(200))]
    trace = embedded.trace(sweep(made, children, AT))
    assert trace.calls[0].operation == "UpdateItem"
    assert transactions(trace) == []
    assert embedded.run(P.list_threads_of_user("ann")).items == (other,)
    assert len(embedded.keys(T)) == 1
    assert embedded.refused(sweep(made, children, AT)) == ["save AiThread"]


def test_rename_thread_and_edit_profile_write_one_row_as_read(embedded: Face) -> None:
    old, person = embedded.create(thread()), embedded.create(profile("ann", "athlete"))
    assert embedded.run(save(old, moved(old, title="Sweeps"))).version == 2
    assert embedded.refused(save(old, moved(old, title="Chokes"))) == ["save AiThread"]
    assert embedded.run(save(person, moved(person, display_name="Ann B."))).version == 2
    assert embedded.refused(save(person, moved(person, roles=["coach"]))) == ["save Profile"]
