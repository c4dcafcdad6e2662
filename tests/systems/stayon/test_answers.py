"""StayOn's patterns about answers to events and votes in polls."""

from __future__ import annotations

import pytest

from tablewright import AlreadyDone, save
from tablewright.systems.stayon.design import PAGES, P, PollAnswer
from tests.systems.faces import AT, Face, after, kinds, moved
from tests.systems.ids import uuid

from .rows import ID, checklist, event, once, poll, rsvp, vote

CHECK = ["check Shareable"]


def test_create_rsvp_needs_an_event_that_takes_answers(face: Face) -> None:
    unit = P.create_rsvp(rsvp(), AT, once())
    assert kinds(unit) == {"ConditionCheck": 1, "Put": 2}
    assert face.refused(unit) == CHECK
    page = face.create(event())
    face.run(unit)
    page = face.run(save(page, moved(page, is_rsvp_required=False)))
    assert face.refused(P.create_rsvp(rsvp("2"), AT)) == CHECK
    page = face.run(save(page, moved(page, is_rsvp_required=True, rsvp_deadline=after(days=2))))
    face.run(P.create_rsvp(rsvp("3"), after(days=1)))
    assert face.refused(P.create_rsvp(rsvp("4"), after(days=2))) == CHECK
    face.run(save(page, moved(page, rsvp_deadline=None)))
    assert face.refused(P.create_rsvp(rsvp("5"), after(days=30))) == CHECK
    assert {row.code for row in face.run(P.list_rsvps(ID)).items} == {"100000", "3"}


def test_create_rsvp_is_refused_on_other_pages_and_for_a_code_that_is_taken(face: Face) -> None:
    face.create(poll("xyz-xyz-00000"), checklist("xyz-xyz-00001"), event())
    for short_id in ("xyz-xyz-00000", "xyz-xyz-00001"):
        assert face.refused(P.create_rsvp(rsvp(short_id=short_id), AT)) == CHECK
    face.run(P.create_rsvp(rsvp(), AT))
    assert face.refused(P.create_rsvp(rsvp(name="Bob"), AT)) == ["create Rsvp"]


def test_create_rsvp_happens_once(face: Face) -> None:
    face.create(event())
    face.run(P.create_rsvp(rsvp(), AT, once()))
    with pytest.raises(AlreadyDone):
        face.run(P.create_rsvp(rsvp("200000"), AT, once()))
    assert len(face.run(P.list_rsvps(ID)).items) == 1


def test_get_rsvp_is_found_by_page_and_code(face: Face) -> None:
    made = face.create(rsvp("012345", guest_count=None, response="notGoing"))
    assert face.run(P.get_rsvp(ID, "012345")) == made
    assert face.run(P.get_rsvp(ID.upper(), "012345")) == made
    assert face.run(P.get_rsvp(ID, "012346")) is None
    assert face.keys(PAGES) == {("event_rsvp#abcdef12345", "01#012345#")}


def test_list_rsvps_returns_one_pages_answers_page_by_page(face: Face) -> None:
    made = [face.create(rsvp(f"{n}", created_at=after(hours=-n))) for n in (3, 1, 2)]
    face.create(rsvp("1", "xyz-xyz-00000"))
    face.create(vote("1"))
    face.create(event())
    assert face.pages(P.list_rsvps(ID), 2) == [[made[1], made[2]], [made[0]]]
    # The order of codes says nothing; in memory they come by time.
    rows = face.run(P.list_rsvps(ID).all())
    assert sorted(rows, key=lambda one: (one.created_at, one.code)) == [made[0], made[2], made[1]]


def test_list_rsvps_leaves_out_what_has_expired(face: Face) -> None:
    face.create(rsvp())
    face.clock.now = after(days=395)
    assert face.run(P.list_rsvps(ID)).items == ()


def test_create_vote_needs_the_poll_as_it_was_checked(face: Face) -> None:
    page = poll()
    unit = P.create_vote(vote(), page, AT, once())
    assert kinds(unit) == {"ConditionCheck": 1, "Put": 2}
    assert face.refused(unit) == CHECK
    face.create(page)
    face.run(unit)
    edited = face.run(save(page, moved(page, name="N")))
    assert face.refused(P.create_vote(vote("2"), page, AT)) == CHECK
    timed = face.run(save(edited, moved(edited, closes_at=after(days=1))))
    face.run(P.create_vote(vote("3"), timed, after(days=1, ms=-1)))
    assert face.refused(P.create_vote(vote("4"), timed, after(days=1))) == CHECK
    closed = face.run(save(timed, moved(timed, closes_at=None, is_closed=True)))
    assert face.refused(P.create_vote(vote("5"), closed, AT)) == CHECK
    opened = face.run(save(closed, moved(closed, is_closed=False)))
    assert face.refused(P.create_vote(vote("6"), opened, after(days=30))) == CHECK
    assert face.refused(P.create_vote(vote("3"), opened, AT)) == ["create Vote"]


def test_get_vote_is_found_by_page_and_code(face: Face) -> None:
    answers = [PollAnswer(poll_question_id=uuid(10), option_ids=[uuid(1)])]
    made = face.create(vote("012345", answers=answers))
    assert face.run(P.get_vote(ID, "012345")) == made
    assert face.run(P.get_vote("xyz-xyz-00000", "012345")) is None
    assert face.run(P.get_rsvp(ID, "012345")) is None
    assert face.keys(PAGES) == {("poll_vote#abcdef12345", "01#012345#")}


def test_tally_votes_reads_all_pages_of_one_poll(face: Face) -> None:
    made = [face.create(vote(f"{n}")) for n in range(5)]
    face.create(vote("9", "xyz-xyz-00000"))
    face.create(rsvp("9"))
    assert face.run(P.tally_votes(ID).all()) == made
    assert face.pages(P.tally_votes(ID), 2) == [made[:2], made[2:4], made[4:]]
