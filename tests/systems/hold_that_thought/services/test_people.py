"""Hold That Thought's patterns about people, conversations and messages."""

from __future__ import annotations

from tablewright import Range, create, patch, ref, save, ulid_time
from tablewright.systems.hold_that_thought.design import (
    Attachment,
    ConversationMember,
    P,
)
from tests.systems.faces import AT, Face, after, moved
from tests.systems.hold_that_thought.rows import (
    comment,
    letter,
    member,
    message,
    meta,
    once,
    profile,
    rate,
)
from tests.systems.ids import ulid, uuid


def test_get_profile_returns_a_persons_own(face: Face) -> None:
    relations = [{"id": "1", "type": "sister", "name": "Eve"}]
    made = face.create(profile("ann", family_relationships=relations))
    assert face.run(P.get_profile("ann")) == made
    assert face.run(P.get_profile("bob")) is None


def test_profiles_come_in_the_order_they_are_asked_for(face: Face) -> None:
    made = {name: face.create(profile(name)) for name in ("ann", "bob")}
    assert face.run(P.profiles(["bob", "eve", "ann"])) == [made["bob"], made["ann"]]


def test_list_users_returns_them_by_name_page_by_page(face: Face) -> None:
    named = {"u1": "cleo", "u2": "Ann", "u3": "#bob", "u4": "ann"}
    made = {user: face.create(profile(user, display_name=name)) for user, name in named.items()}
    face.create(letter())
    face.create(comment(user_id="u1"))
    assert face.pages(P.list_users(), 3) == [[made["u2"], made["u4"], made["u3"]], [made["u1"]]]
    renamed = face.run(save(made["u2"], moved(made["u2"], display_name="Zoe")))
    assert face.run(P.list_users()).items[-1] == renamed


def test_list_users_can_leave_out_who_is_private_or_inactive(face: Face) -> None:
    face.create(profile("ann"), profile("bob", is_profile_private=True))
    face.create(profile("eve", status="inactive"))
    shown = P.list_users().where(
        lambda one: (one.status == "active") & (one.is_profile_private == False)  # noqa: E712
    )
    assert [one.user_id for one in face.run(shown.limit(5)).items] == ["ann"]


def test_memberships_by_recency_put_the_last_message_first(face: Face) -> None:
    made = [face.create(member("ann", n, last_message_at=after(hours=n))) for n in range(4)]
    face.create(member("bob", 0))
    face.create(comment())
    assert face.pages(P.memberships_by_recency("ann"), 3) == [
        [made[3], made[2], made[1]],
        [made[0]],
    ]
    place = ref(ConversationMember, user_id="ann", conversation_id=uuid(0))
    face.run(patch(place).set(lambda one: one.last_message_at, after(hours=9)))
    first = face.run(P.memberships_by_recency("ann")).items[0]
    assert first.conversation_id == uuid(0)


def test_conversations_leave_out_marked_ones(face: Face) -> None:
    made = [face.create(meta(n)) for n in (1, 2)]
    face.run(save(made[0], moved(made[0], deleted_at=AT)))
    assert face.run(P.conversations([uuid(1), uuid(2), uuid(3)])) == [made[1]]


def test_list_my_conversations_has_the_participants_of_each(face: Face) -> None:
    metas = [face.create(meta(n, ("ann", f"u{n}", "eve"))) for n in (1, 2)]
    rows = [face.create(member("ann", n, last_message_at=after(hours=n))) for n in (1, 2)]
    page, found = face.run(P.list_my_conversations("ann"))
    assert page.items == (rows[1], rows[0])
    assert found == [metas[1], metas[0]]
    assert found[0].participant_names["u2"] == "U2"


def test_get_membership_decides_access(face: Face) -> None:
    made = face.create(member("ann"))
    assert face.run(P.get_membership("ann", uuid(1))) == made
    assert face.run(P.get_membership("eve", uuid(1))) is None


def test_members_are_the_places_of_several_people(face: Face) -> None:
    made = {name: face.create(member(name)) for name in ("ann", "bob")}
    face.create(member("ann", 2))
    assert face.run(P.members(["bob", "eve", "ann"], uuid(1))) == [made["bob"], made["ann"]]


def test_get_conversation_does_not_see_a_marked_one(face: Face) -> None:
    made = face.create(meta())
    assert face.run(P.get_conversation(uuid(1))) == made
    face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.get_conversation(uuid(1))) is None


def test_list_messages_returns_newest_first_and_not_the_meta(face: Face) -> None:
    face.create(meta())
    made = [face.create(message(n, after(seconds=n))) for n in range(5)]
    face.create(message(9, of=2))
    assert face.pages(P.list_messages(uuid(1)), 2) == [
        [made[4], made[3]],
        [made[2], made[1]],
        [made[0]],
    ]


def test_messages_until_a_time_leave_later_ones_out(face: Face) -> None:
    face.create(meta())
    made = [face.create(message(n, after(seconds=n))) for n in range(4)]
    face.create(message(9, of=2))
    until = P.messages_until(uuid(1), Range(None, after(seconds=2)))
    assert face.run(until).items == tuple(made[:3])


def test_get_message_needs_only_its_id_for_its_time(face: Face) -> None:
    files = [Attachment(s3_key="messages/1", file_name="a.pdf", content_type="application/pdf")]
    made = face.create(message(7, attachments=files))
    assert face.run(P.get_message(uuid(1), ulid_time(ulid(7)), ulid(7))) == made
    assert face.run(P.get_message(uuid(2), AT, ulid(7))) is None


def test_count_unread_since_counts_messages_of_others_after_a_time(face: Face) -> None:
    face.create(meta())
    for n in range(6):
        face.create(message(n, after(seconds=n), sender_id="ann" if n % 2 else "bob"))
    face.create(message(9, after(days=1), of=2))

    def unread(read_up_to: int) -> int:
        # The range has its ends in it: what was read last is a millisecond before.
        since = Range(after(seconds=read_up_to, ms=1))
        count = P.count_unread_since(uuid(1), since)
        return face.run(count.where(lambda one: one.sender_id != "ann"))

    assert unread(-1) == 3
    assert unread(0) == 2
    assert unread(2) == 1
    assert unread(5) == 0
    assert face.run(P.count_unread_since(uuid(1), Range())) == 6


def test_check_rate_is_of_one_person_and_action_and_window(face: Face) -> None:
    made = face.create(rate(5))
    assert face.run(P.check_rate("ann", "createComment")) == made
    assert face.run(P.check_rate("ann", "sendMessage")) is None
    assert face.run(P.check_rate("bob", "createComment")) is None
    face.clock.now = after(seconds=60)
    assert face.run(P.check_rate("ann", "createComment")) is None


def test_get_idempotency_ends_with_its_day(face: Face) -> None:
    made = face.create(once())
    assert face.run(P.get_idempotency("scope", "key")) == made
    face.clock.now = after(days=1)
    assert face.run(P.get_idempotency("scope", "key")) is None
    face.run(create(moved(made, expires_at=after(days=2))))
