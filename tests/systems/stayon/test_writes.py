"""StayOn's multi-item writes that its patterns do not name, and what they leave behind."""

from __future__ import annotations

from datetime import datetime

from tablewright import Unit, absent, create, patch, present, purge, ref, save
from tablewright.systems.stayon.design import PAGES, POOL, Attempt, P, Rsvp, Shareable, Vote
from tests.systems.faces import AT, Face, after, kinds, moved

from .rows import ID, attempt, checklist, epoch, event, once, poll, rsvp, slot, vote

CHECK = ["check Shareable"]


def test_create_with_an_empty_pool_puts_the_page_alone(embedded: Face) -> None:
    unit = P.create_page(checklist(), once=once())
    assert kinds(unit) == {"Put": 2}
    embedded.run(unit)
    assert embedded.refused(P.create_page(event())) == ["create Shareable"]


def test_a_stale_slot_is_deleted_alone(embedded: Face) -> None:
    stale = embedded.create(slot())
    unit = Unit().delete(stale, lambda one: one.id == stale.id)
    assert kinds(unit) == {"Delete": 1}
    embedded.run(unit)
    embedded.create(slot(short_id="XYZ-XYZ-00000"))
    assert embedded.refused(unit) == ["delete PoolSlot"]
    assert len(embedded.keys(POOL)) == 1


def test_a_slot_is_filled_once(embedded: Face) -> None:
    embedded.create(slot())
    assert embedded.refused(create(slot(short_id="XYZ-XYZ-00000"))) == ["create PoolSlot"]


def test_change_passcodes_moves_hash_and_version_together(embedded: Face) -> None:
    old = embedded.create(checklist())
    version = epoch(AT) * 1000
    new = moved(
        old,
        view_passcode="v",
        view_passcode_version=version,
        admin_passcode="a",
        admin_passcode_version=version + 1,
        passcode_version_max=version + 1,
    )
    unit = P.update_page(old, new, AT)
    assert kinds(unit) == {"Update": 1}
    [saved] = embedded.run(unit)
    removed = moved(saved, view_passcode=None, view_passcode_version=None)
    embedded.run(P.update_page(saved, removed, AT))
    [item] = embedded.items(PAGES)
    assert "viewPasscode" not in item
    assert "viewPasscodeVersion" not in item
    assert item["passcodeVersionMax"] == {"N": f"{version + 1}"}
    assert embedded.refused(P.update_page(saved, removed, AT)) == ["save Shareable"]


def open_event(unit: Unit, now: datetime, *, has_deadline: bool = True) -> Unit:
    place = ref(Shareable, short_id=ID)
    unit.check(place, lambda page: (page.entity == "event") & (page.expires_at > now))
    if has_deadline:
        unit.check(
            place,
            lambda page: absent(page.rsvp_deadline) | (present(page.rsvp_deadline) > now),
        )
    return unit


def test_change_and_delete_rsvp_check_the_page(embedded: Face) -> None:
    embedded.create(event(rsvp_deadline=after(days=2)))
    old: Rsvp = embedded.create(rsvp(guest_count=2))
    new = moved(old, response="notGoing", guest_count=None)
    assert kinds(open_event(Unit().save(old, new), AT)) == {"ConditionCheck": 1, "Update": 1}
    late = open_event(Unit().save(old, new), after(days=2))
    assert embedded.refused(late) == ["check Shareable and check Shareable"]
    [saved, *_] = embedded.run(open_event(Unit().save(old, new), after(days=1)))
    assert embedded.run(P.get_rsvp(ID, "100000")) == saved
    assert embedded.refused(open_event(Unit().delete(old), AT)) == ["delete Rsvp"]
    # A manager may delete after the deadline.
    removal = open_event(Unit().delete(saved), after(days=3), has_deadline=False)
    assert kinds(removal) == {"ConditionCheck": 1, "Delete": 1}
    embedded.run(removal)
    assert embedded.run(P.list_rsvps(ID)).items == ()


def open_poll(unit: Unit, version: int) -> Unit:
    return unit.check(
        ref(Shareable, short_id=ID),
        lambda page: (page.version == version) & (page.expires_at > AT),
    )


def test_change_and_delete_vote_check_the_page(embedded: Face) -> None:
    page = embedded.create(poll())
    old: Vote = embedded.create(vote())
    new = moved(old, name="Ann")
    assert kinds(open_poll(Unit().save(old, new), 1)) == {"ConditionCheck": 1, "Update": 1}
    embedded.run(save(page, moved(page, name="N")))
    assert embedded.refused(open_poll(Unit().save(old, new), 1)) == CHECK
    [saved, _] = embedded.run(open_poll(Unit().save(old, new), 2))
    assert embedded.refused(open_poll(Unit().save(old, new), 2)) == ["save Vote"]
    assert kinds(open_poll(Unit().delete(saved), 2)) == {"ConditionCheck": 1, "Delete": 1}
    embedded.run(open_poll(Unit().delete(saved), 2))


def test_delete_page_is_followed_by_its_answers(face: Face) -> None:
    page = face.create(event())
    face.create(*(rsvp(f"{n:06}") for n in range(60)), rsvp("1", "xyz-xyz-00000"))
    face.create(*(vote(f"{n:06}") for n in range(30)))
    face.run(P.delete_page(page))
    trace = face.trace(purge(P.list_rsvps(ID), P.tally_votes(ID)))
    assert trace.value == 90
    assert [call.operation for call in trace.calls].count("BatchWriteItem") == 5
    assert face.keys(PAGES) == {("event_rsvp#xyzxyz00000", "01#1#")}
    assert face.run(purge(P.list_rsvps(ID), P.tally_votes(ID))) == 0


def test_votes_and_answers_may_have_the_same_code(embedded: Face) -> None:
    embedded.create(rsvp("100000"))
    embedded.create(vote("100000"))
    assert len(embedded.keys(PAGES)) == 2


def failed() -> Unit:
    start = epoch(AT) * 1000
    place = ref(Attempt, short_id=ID, kind="passcode", clienthash="c1")
    counted = patch(place).add(lambda one: one.count, 1)
    return Unit().patch(counted.when(lambda one: one.window_start == start))


def test_failed_attempts_are_counted_within_their_window(embedded: Face) -> None:
    assert embedded.refused(failed()) == ["patch Attempt"]
    embedded.create(attempt())
    for _ in range(9):
        embedded.run(failed())
    assert embedded.run(P.count_failed_attempts(ID, "passcode", "c1").required()).count == 10
    # The window is over: the row counts as absent, and a new one takes its place.
    embedded.clock.now = after(seconds=600)
    assert embedded.refused(failed()) == ["patch Attempt"]
    start = epoch(embedded.clock.now)
    anew = attempt(window_start=start * 1000, ttl=start + 600)
    embedded.run(create(anew))
    assert embedded.run(P.count_failed_attempts(ID, "passcode", "c1")) == anew
    assert embedded.refused(create(anew)) == ["create Attempt"]


def test_a_page_that_has_ended_gives_its_key_free(embedded: Face) -> None:
    embedded.create(checklist())
    embedded.clock.now = after(days=396)
    again = checklist(name="Anew", ttl=epoch(after(days=800)))
    embedded.run(P.create_page(again))
    assert embedded.run(P.get_page(ID)) == again
