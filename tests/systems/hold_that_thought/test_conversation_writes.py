"""Hold That Thought's multi-item writes about conversations and messages."""

from __future__ import annotations

from datetime import datetime

import pytest

from tablewright import AlreadyDone, Range, Unit, absent, delete, equals, patch, ref, save, sweep
from tablewright.plan.changes.patches import Patch
from tablewright.systems.hold_that_thought.design import (
    ConversationMember,
    ConversationMeta,
    Message,
    P,
    T,
)
from tests.systems.faces import AT, Face, after, kinds, moved, transactions
from tests.systems.ids import uuid

from .rows import member, message, meta, once

FIFTY = tuple(f"u{number:02}" for number in range(50))
META = ref(ConversationMeta, conversation_id=uuid(1))


def place(user: str) -> Patch[ConversationMember]:
    return patch(ref(ConversationMember, user_id=user, conversation_id=uuid(1)))


def begun(people: tuple[str, ...], *first: Message) -> Unit:
    unit = Unit().create(meta(people=people))
    for user in people:
        unread = len(first) if user != people[0] else 0
        unit.create(member(user, unread_count=unread))
    for one in first:
        unit.create(one)
    return unit


def sent(made: Message, people: tuple[str, ...], last: datetime = AT) -> Unit:
    now = made.created_at
    unit = Unit().create(made)
    unit.patch(
        patch(META)
        .set(lambda one: one.last_message_at, now)
        .when(lambda one: one.last_message_at == last)
    )
    for user in people:
        op = place(user).set(lambda one: one.last_message_at, now)
        unit.patch(op if user == made.sender_id else op.add(lambda one: one.unread_count, 1))
    return unit


def test_create_conversation_takes_53_actions_at_most(face: Face) -> None:
    unit = begun(FIFTY, message(1, sender_id="u00")).once(once())
    assert kinds(unit) == {"Put": 53}
    face.run(unit)
    with pytest.raises(AlreadyDone):
        face.run(unit)
    assert face.refused(begun(FIFTY[:2]))[0] == "create ConversationMeta"
    rows = face.run(P.members(FIFTY, uuid(1)))
    assert [row.unread_count for row in rows] == [0, *[1] * 49]


def test_send_message_takes_53_actions_at_most(face: Face) -> None:
    face.run(begun(FIFTY))
    unit = sent(message(1, after(seconds=1), sender_id="u00"), FIFTY).once(once())
    assert kinds(unit) == {"Put": 2, "Update": 51}
    face.run(unit)
    [row] = face.run(P.memberships_by_recency("u49")).items
    assert (row.unread_count, row.last_message_at) == (1, after(seconds=1))
    assert face.run(P.get_membership("u00", uuid(1)).required()).unread_count == 0


def test_send_message_needs_the_conversation_as_read(embedded: Face) -> None:
    one = message(1, after(seconds=1))
    assert "patch ConversationMeta" in embedded.refused(sent(one, ("ann", "bob")))
    embedded.run(begun(("ann", "bob")))
    embedded.run(sent(one, ("ann", "bob")))
    # Two messages at once: the second has to read the time of the first.
    two = message(2, after(seconds=1, ms=1))
    assert embedded.refused(sent(two, ("ann", "bob"))) == ["patch ConversationMeta"]
    embedded.run(sent(two, ("ann", "bob"), last=after(seconds=1)))
    outside = sent(message(3, after(seconds=2)), ("ann", "bob", "eve"), last=after(seconds=1, ms=1))
    assert embedded.refused(outside) == ["patch ConversationMember"]
    read = embedded.run(P.get_conversation(uuid(1)).required())
    embedded.run(save(read, moved(read, deleted_at=AT)))
    late = sent(message(4, after(seconds=3)), ("ann", "bob"), last=after(seconds=1, ms=1))
    assert embedded.refused(late) == ["patch ConversationMeta"]
    assert len(embedded.run(P.list_messages(uuid(1))).items) == 2


def marked_read(row: ConversationMember, up_to: datetime, unread: int) -> Patch[ConversationMember]:
    op = place(row.user_id).set(lambda one: one.last_read_at, up_to)
    op = op.set(lambda one: one.unread_count, unread)
    op = op.when(lambda one: one.last_message_at == row.last_message_at)
    if row.last_read_at is None:
        return op.when(lambda one: absent(one.last_read_at))
    return op.when(lambda one: equals(one.last_read_at, row.last_read_at))


def test_mark_read_loses_no_message_that_comes_meanwhile(embedded: Face) -> None:
    embedded.run(begun(("ann", "bob")))
    times = [after(seconds=n) for n in (1, 2, 3)]
    for n, at in enumerate(times):
        embedded.run(sent(message(n, at), ("ann", "bob"), last=times[n - 1] if n else AT))
    row = embedded.run(P.get_membership("bob", uuid(1)).required())
    since = Range(after(seconds=2, ms=1))
    unread = embedded.run(P.count_unread_since(uuid(1), since))
    assert unread == 1
    op = marked_read(row, after(seconds=2), unread)
    assert kinds(Unit(op)) == {"Update": 1}
    embedded.run(op)
    assert embedded.refused(Unit(op)) == ["patch ConversationMember"]
    read = embedded.run(P.get_membership("bob", uuid(1)).required())
    assert (read.unread_count, read.last_read_at) == (1, after(seconds=2))
    embedded.run(sent(message(9, after(seconds=9)), ("ann", "bob"), last=times[2]))
    assert embedded.refused(Unit(marked_read(read, after(seconds=3), 0))) == [
        "patch ConversationMember"
    ]


def withdrawn(made: Message, unread_of: list[ConversationMember]) -> Unit:
    unit = Unit().delete(made)
    for row in unread_of:
        op = place(row.user_id).add(lambda one: one.unread_count, -1)
        op = op.when(lambda one, row=row: one.unread_count == row.unread_count)  # type: ignore[misc]
        if row.last_read_at is None:
            op = op.when(lambda one: absent(one.last_read_at))
        unit.patch(op)
    return unit


def test_delete_message_lowers_the_count_of_those_who_have_not_read_it(face: Face) -> None:
    face.run(begun(FIFTY))
    said = message(1, after(seconds=1), sender_id="u00")
    face.run(sent(said, FIFTY))
    rows = face.run(P.members(FIFTY[1:], uuid(1)))
    unit = withdrawn(said, rows)
    assert kinds(unit) == {"Delete": 1, "Update": 49}
    face.run(unit)
    assert {row.unread_count for row in face.run(P.members(FIFTY, uuid(1)))} == {0}
    assert face.refused(unit)[0] == "delete Message"


def test_delete_message_is_refused_when_somebody_read_meanwhile(embedded: Face) -> None:
    embedded.run(begun(("ann", "bob", "eve")))
    said = message(1, after(seconds=1))
    embedded.run(sent(said, ("ann", "bob", "eve")))
    rows = embedded.run(P.members(["bob", "eve"], uuid(1)))
    embedded.run(marked_read(rows[0], after(seconds=1), 0))
    assert embedded.refused(withdrawn(said, rows)) == ["patch ConversationMember"]
    embedded.run(withdrawn(said, rows[1:]))


def test_delete_conversation_marks_it_and_takes_every_member_out(face: Face) -> None:
    face.run(begun(FIFTY))
    face.create(*(message(n, after(seconds=n)) for n in range(30)), message(99, of=2))
    read = face.run(P.get_conversation(uuid(1)).required())
    gone = [delete(ref(ConversationMember, user_id=one, conversation_id=uuid(1))) for one in FIFTY]
    trace = face.trace(sweep(read, [P.list_messages(uuid(1))], AT, also=gone))
    assert transactions(trace) == [{"Delete": 50, "Update": 1}]
    assert trace.calls[-1].operation == "DeleteItem"
    assert {key[0] for key in face.keys(T)} == {f"CONV#{uuid(2)}"}


def test_delete_conversation_can_be_continued(embedded: Face) -> None:
    embedded.run(begun(("ann", "bob"), message(1)))
    read = embedded.run(P.get_conversation(uuid(1)).required())
    unit = Unit().save(read, moved(read, deleted_at=AT))
    for user in ("ann", "bob"):
        unit.delete(ref(ConversationMember, user_id=user, conversation_id=uuid(1)))
    embedded.run(unit)
    assert embedded.refused(unit)[0] == "save ConversationMeta"
    marked = embedded.run(P.get_conversation(uuid(1)).with_marked().required())
    embedded.run(sweep(marked, [P.list_messages(uuid(1))], AT))
    assert embedded.keys(T) == set()
