"""Hold That Thought's multi-item writes about letters, drafts, comments, reactions and people."""

from __future__ import annotations

import pytest

from tablewright import AlreadyDone, Unit, create, delete, patch, ref, save, sweep
from tablewright.plan.changes.cascade_delete import Sweep
from tablewright.systems.hold_that_thought.design import (
    Comment,
    Draft,
    Letter,
    P,
    RateLimit,
    Reaction,
    T,
)
from tests.systems.faces import AT, Face, after, kinds, moved, transactions
from tests.systems.ids import uuid

from .rows import DATE, comment, draft, letter, once, profile, rate, reaction

LETTER = ref(Letter, date=DATE)


def test_first_request_of_a_person_makes_the_profile_once(embedded: Face) -> None:
    unit = Unit(create(profile()))
    assert kinds(unit) == {"Put": 1}
    embedded.run(unit)
    assert embedded.refused(unit) == ["create Profile"]


# Comments and reactions.


def posted(made: Comment, key: str = "key") -> Unit:
    return Unit().create(made).check(LETTER).once(once(key))


def test_post_comment_checks_the_letter(embedded: Face) -> None:
    assert kinds(posted(comment())) == {"ConditionCheck": 1, "Put": 2}
    assert embedded.refused(posted(comment())) == ["check Letter"]
    made = embedded.create(letter())
    embedded.run(posted(comment()))
    with pytest.raises(AlreadyDone):
        embedded.run(posted(comment(2)))
    assert embedded.refused(posted(comment(), "other")) == ["create Comment"]
    embedded.run(save(made, moved(made, deleted_at=AT)))
    assert embedded.refused(posted(comment(3), "third")) == ["check Letter"]
    on_picture = Unit().create(comment(4, on=uuid(4), item_type="media")).once(once("fourth"))
    assert kinds(on_picture) == {"Put": 2}


def test_edit_comment_needs_it_as_read_and_unmarked(embedded: Face) -> None:
    old = embedded.create(comment())
    new = moved(old, comment_text="edited", updated_at=after(hours=1))
    assert kinds(Unit(save(old, new))) == {"Update": 1}
    saved = embedded.run(save(old, new))
    assert embedded.refused(save(old, new)) == ["save Comment"]
    embedded.run(save(saved, moved(saved, deleted_at=AT, comment_text=None)))
    assert embedded.refused(save(saved, moved(saved, comment_text="late"))) == ["save Comment"]


def removed(read: Comment) -> Sweep:
    marked = moved(read, deleted_at=AT, comment_text=None)
    return sweep(read, [P.list_reactions_of_comment(DATE, read.comment_id)], AT, marked=marked)


def test_delete_comment_marks_it_and_sweeps_its_reactions(face: Face) -> None:
    one, two = face.create(comment(1)), face.create(comment(2))
    face.create(*(reaction(f"u{n:02}", to=one) for n in range(30)), reaction(to=two))
    read = face.run(P.get_comment(DATE, AT, one.comment_id).required())
    trace = face.trace(removed(read))
    operations = [call.operation for call in trace.calls]
    assert operations == ["UpdateItem", "Query", "BatchWriteItem", "BatchWriteItem", "DeleteItem"]
    assert "REMOVE" in trace.calls[0].request["UpdateExpression"]
    assert len(face.keys(T)) == 2


def test_delete_comment_hides_text_and_lists_at_once_and_can_be_continued(embedded: Face) -> None:
    embedded.create(comment())
    embedded.create(reaction())
    read = embedded.run(P.get_comment(DATE, AT, comment().comment_id).required())
    embedded.run(save(read, moved(read, deleted_at=AT, comment_text=None)))
    [item] = [one for one in embedded.items(T) if one["entityType"] == {"S": "COMMENT"}]
    assert not {"GSI1PK", "GSI1SK", "commentText"} & item.keys()
    assert embedded.refused(create(reaction("eve"))) == ["count reactions_of"]
    marked = embedded.run(P.get_comment(DATE, AT, comment().comment_id).with_marked().required())
    embedded.run(removed(marked))
    assert embedded.keys(T) == set()


def test_delete_comment_by_two_at_once_ends_well(embedded: Face) -> None:
    embedded.create(comment())
    read = embedded.run(P.get_comment(DATE, AT, comment().comment_id).required())
    embedded.run(save(read, moved(read, deleted_at=AT, comment_text=None)))
    marked = embedded.run(P.get_comment(DATE, AT, comment().comment_id).with_marked().required())
    # Somebody else's mark came later than what this sweep has read.
    embedded.run(save(marked, moved(marked, deleted_at=after(hours=1))))
    embedded.run(removed(marked))
    embedded.run(removed(marked))
    assert embedded.keys(T) == set()


def count(face: Face) -> int:
    return face.run(P.get_comment(DATE, AT, comment().comment_id).required()).reaction_count


def test_react_counts_on_the_comment(embedded: Face) -> None:
    assert embedded.refused(create(reaction())) == ["count reactions_of"]
    embedded.create(comment())
    assert kinds(Unit(create(reaction()))) == {"Put": 1, "Update": 1}
    embedded.create(reaction(), reaction("eve"))
    assert embedded.refused(create(reaction())) == ["create Reaction"]
    assert count(embedded) == 2


def test_un_react_takes_it_back_once(embedded: Face) -> None:
    embedded.create(comment())
    made = embedded.create(reaction())
    assert kinds(Unit(delete(made))) == {"Delete": 1, "Update": 1}
    embedded.run(delete(made))
    assert embedded.refused(delete(made)) == ["delete Reaction", "count reactions_of"]
    assert count(embedded) == 0


def test_change_of_a_reactions_type_leaves_the_count(embedded: Face) -> None:
    embedded.create(comment())
    made: Reaction = embedded.create(reaction())
    heart = Unit().save(made, moved(made, reaction_type="heart"))
    assert kinds(heart) == {"Update": 1}
    embedded.run(heart)
    assert embedded.refused(heart) == ["save Reaction"]
    assert count(embedded) == 1


# Letters.


def test_create_letter_is_refused_while_a_marked_one_has_its_date(embedded: Face) -> None:
    unit = Unit().create(letter()).once(once())
    assert kinds(unit) == {"Put": 2}
    [made, _] = embedded.run(unit)
    embedded.run(save(made, moved(made, deleted_at=AT)))
    assert embedded.refused(create(letter(title="Another"))) == ["create Letter"]


def test_edit_and_revert_letter_keep_the_replaced_text(embedded: Face) -> None:
    old = embedded.create(letter())
    new = moved(old, content="Dear both", updated_at=after(hours=1), updated_by="bob")
    assert kinds(Unit(save(old, new))) == {"Put": 1, "Update": 1}
    edited = embedded.run(save(old, new))
    assert embedded.refused(save(old, new)) == ["save Letter", "history replaced_text"]
    [version] = embedded.run(P.list_letter_versions(DATE)).items
    assert (version.content, version.version_number, version.updated_by) == ("Dear all", 1, "ann")
    back = moved(edited, content=version.content, updated_at=after(hours=2))
    assert embedded.run(save(edited, back)).version_count == 2
    assert len(embedded.run(P.list_letter_versions(DATE)).items) == 2


def test_edit_letter_within_one_millisecond_is_refused_by_the_version_row(embedded: Face) -> None:
    old = embedded.create(letter())
    one = embedded.run(save(old, moved(old, content="one", updated_at=after(hours=1))))
    same = moved(one, content="two", updated_at=after(hours=1))
    assert embedded.refused(save(one, same)) == ["history replaced_text"]
    embedded.run(save(one, moved(same, updated_at=after(hours=1, ms=1))))


def test_delete_letter_marks_it_and_sweeps_all_that_hangs_on_it(face: Face) -> None:
    old = face.create(letter())
    for n in range(3):
        old = face.run(save(old, moved(old, content=f"{n}", updated_at=after(hours=n))))
    said = [face.create(comment(n)) for n in range(4)]
    face.create(*(reaction(f"u{n}", to=one) for one in said[:2] for n in range(10)))
    face.create(letter(f"{DATE}-b"))
    mark = Unit(save(old, moved(old, deleted_at=AT)))
    assert kinds(mark) == {"Update": 1}
    children = [
        P.list_letter_versions(DATE),
        *(P.list_reactions_of_comment(DATE, one.comment_id) for one in said),
        P.list_comments_of_item(DATE),
    ]
    trace = face.trace(sweep(old, children, AT))
    # Reactions count on comments that are still there.
    assert transactions(trace) == [{"Delete": 10, "Update": 1}] * 2
    assert face.keys(T) == {(f"LETTER#{DATE}-b", "CURRENT")}
    face.create(letter())


def test_delete_letter_needs_it_as_read_and_makes_no_version(embedded: Face) -> None:
    old = embedded.create(letter())
    new = embedded.run(save(old, moved(old, title="T", updated_at=after(hours=1))))
    assert embedded.refused(sweep(old, [], AT)) == ["save Letter"]
    embedded.run(save(new, moved(new, deleted_at=AT)))
    assert len(embedded.keys(T)) == 2


# Drafts.


def test_request_upload_takes_two_actions(embedded: Face) -> None:
    unit = Unit().create(draft()).once(once())
    assert kinds(unit) == {"Put": 2}
    embedded.run(unit)
    assert embedded.refused(create(draft())) == ["create Draft"]


def test_process_draft_goes_on_only_from_where_it_may(embedded: Face) -> None:
    place = ref(Draft, draft_id=uuid(1))

    def started() -> Unit:
        op = patch(place).set(lambda one: one.status, "processing")
        return Unit(op.when(lambda one: (one.status == "pending") | (one.status == "failed")))

    def ended(status: str) -> Unit:
        op = patch(place).set(lambda one: one.status, status)
        return Unit(op.when(lambda one: one.status == "processing"))

    assert embedded.refused(started()) == ["patch Draft"]
    embedded.create(draft())
    assert kinds(started()) == {"Update": 1}
    assert embedded.refused(ended("ready")) == ["patch Draft"]
    embedded.run(started())
    assert embedded.refused(started()) == ["patch Draft"]
    embedded.run(ended("failed"))
    embedded.run(started())
    embedded.run(ended("ready"))
    found = embedded.run(P.get_draft(uuid(1)).required())
    assert (found.status, found.version) == ("ready", 5)


def test_publish_draft_makes_the_letter_and_ends_the_draft(embedded: Face) -> None:
    ready = embedded.create(draft(status="ready"))

    def published(read: Draft) -> Unit:
        new = moved(read, status="published", letter_date=DATE)
        return Unit().create(letter()).save(read, new, lambda one: one.status == "ready")

    assert kinds(published(ready)) == {"Put": 1, "Update": 1}
    [_, done] = embedded.run(published(ready))
    assert embedded.refused(published(done)) == ["create Letter", "save Draft"]
    other = embedded.create(draft(2, status="ready"))
    assert embedded.refused(published(other)) == ["create Letter"]
    assert embedded.run(P.get_draft(uuid(2)).required()).status == "ready"


# Rates.


def test_rate_limit_counts_within_its_window_and_begins_anew(embedded: Face) -> None:
    place = ref(RateLimit, user_id="ann", action="createComment")
    first = rate()

    def counted() -> Unit:
        op = patch(place).add(lambda one: one.count, 1)
        return Unit(op.when(lambda one: one.window_start == first.window_start))

    assert embedded.refused(counted()) == ["patch RateLimit"]
    embedded.run(create(first))
    assert embedded.refused(create(first)) == ["create RateLimit"]
    for _ in range(19):
        embedded.run(counted())
    assert embedded.run(P.check_rate("ann", "createComment").required()).count == 20
    embedded.clock.now = after(seconds=60)
    embedded.run(create(rate(start=after(seconds=60))))
    assert embedded.refused(counted()) == ["patch RateLimit"]
    assert embedded.run(P.check_rate("ann", "createComment").required()).count == 1
