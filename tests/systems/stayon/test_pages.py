"""StayOn's patterns about pages, the pool of short ids, and wrong guesses."""

from __future__ import annotations

import pytest

from tablewright import AlreadyDone, Unit, create, save
from tablewright.systems.stayon.design import PAGES, POOL, ChecklistItem, P
from tests.systems.faces import Face, after, kinds, moved
from tests.systems.ids import uuid

from .rows import ID, LAST, attempt, checklist, epoch, event, once, poll, rsvp, slot, vote


def test_claim_short_id_returns_the_first_free_one_of_a_bucket(face: Face) -> None:
    made = [face.create(slot(n, short_id=f"ABC-DEF-{n:05}")) for n in (11, 3, 20)]
    face.create(slot(0, bucket=8))
    assert face.run(P.claim_short_id(7).limit(1)).items == (made[1],)
    assert face.run(P.claim_short_id(7).first()) == made[1]
    assert face.pages(P.claim_short_id(7), 2) == [[made[1], made[0]], [made[2]]]
    assert face.run(P.claim_short_id(9).first()) is None
    stored = next(item for item in face.items(POOL) if item["sk"] == {"S": "available#03"})
    assert stored["pk"] == {"N": "7"}


def test_create_page_takes_its_slot_out_of_the_pool(face: Face) -> None:
    taken = face.create(slot())
    unit = P.create_page(checklist(), taken, once())
    assert kinds(unit) == {"Delete": 1, "Put": 2}
    tables = {next(iter(action.values()))["TableName"] for _, action in unit.actions}
    assert tables == {PAGES.name, POOL.name}
    face.run(unit)
    assert face.run(P.claim_short_id(7)).items == ()
    assert face.run(P.get_page(ID)) == checklist()


def test_create_page_is_refused_when_the_slot_is_lost(face: Face) -> None:
    face.create(slot(short_id="XYZ-XYZ-00000"))
    assert face.refused(P.create_page(checklist(), slot())) == ["delete PoolSlot"]
    assert face.run(P.get_page(ID)) is None


def test_create_page_is_refused_when_the_id_is_taken(face: Face) -> None:
    face.create(checklist())
    taken = face.create(slot())
    assert face.refused(P.create_page(poll(), taken)) == ["create Shareable"]
    assert face.run(P.claim_short_id(7)).items == (taken,)


def test_create_page_happens_once(face: Face) -> None:
    unit = P.create_page(checklist(), once=once())
    assert kinds(unit) == {"Put": 2}
    face.run(unit)
    with pytest.raises(AlreadyDone) as error:
        face.run(P.create_page(checklist("xyz-xyz-00000"), once=once()))
    assert error.value.row == once()
    assert face.run(P.get_page("xyz-xyz-00000")) is None


def test_get_page_takes_the_id_in_any_form(face: Face) -> None:
    items = [ChecklistItem(checklist_item_id=uuid(1), name="Milk")]
    made = face.create(checklist(items=items, note="n"))
    for form in (ID, ID.upper(), "abcdef12345", "ABCDEF12345"):
        assert face.run(P.get_page(form)) == made
    assert face.run(P.get_page("abc-def-12346")) is None
    assert face.keys(PAGES) == {("shareable#abcdef12345", "01#")}


def test_get_page_ends_with_its_ttl(face: Face) -> None:
    made = face.create(event())
    face.clock.now = after(days=394)
    assert face.run(P.get_page(ID)) == made
    face.clock.now = after(days=395)
    assert face.run(P.get_page(ID)) is None


def test_update_page_needs_it_as_read_and_not_expired(face: Face) -> None:
    old = face.create(poll())
    closed = moved(old, is_closed=True)
    unit = P.update_page(old, closed, after(days=1))
    assert kinds(unit) == {"Update": 1}
    [saved] = face.run(unit)
    assert saved.version == 2
    assert face.refused(P.update_page(old, moved(old, name="N"), after(days=1))) == [
        "save Shareable"
    ]
    assert face.refused(P.update_page(saved, moved(saved, name="N"), after(days=30))) == [
        "save Shareable"
    ]
    face.run(P.update_page(saved, moved(saved, name="N"), after(days=30, ms=-1)))


def test_delete_page_needs_it_as_read(face: Face) -> None:
    old = face.create(checklist())
    new = face.run(save(old, moved(old, name="N")))
    assert face.refused(P.delete_page(old)) == ["delete Shareable"]
    assert kinds(P.delete_page(new)) == {"Delete": 1}
    face.run(P.delete_page(new))
    assert face.run(P.get_page(ID)) is None


def test_login_reads_the_hashes_of_the_page(face: Face) -> None:
    made = face.create(
        checklist(view_passcode="hash", view_passcode_version=1, passcode_version_max=1)
    )
    assert face.run(P.login(ID)) == made
    assert face.run(P.login("xyz-xyz-00000")) is None


def test_clone_page_reads_the_source_even_after_it_has_expired(face: Face) -> None:
    made = face.create(event())
    face.create(slot())
    face.clock.now = after(days=60)
    assert face.run(P.clone_page(ID)) == made
    assert face.run(P.claim_short_id(7).first()) == slot()


def test_count_failed_attempts_are_of_one_kind_page_and_client(face: Face) -> None:
    made = face.create(attempt(3))
    face.create(attempt(kind="code"), attempt(clienthash="c2"))
    assert face.run(P.count_failed_attempts(ID, "passcode", "c1")) == made
    assert face.run(P.count_failed_attempts("xyz-xyz-00000", "passcode", "c1")) is None
    assert ("attempt#abcdef12345", "01#passcode#c1#") in face.keys(PAGES)
    face.clock.now = after(seconds=600)
    assert face.run(P.count_failed_attempts(ID, "passcode", "c1")) is None


def test_get_idempotency_ends_with_its_day(face: Face) -> None:
    made = face.create(once())
    assert face.run(P.get_idempotency("scope", "hash")) == made
    assert face.keys(PAGES) == {("idempotency#scope#hash", "01#")}
    face.clock.now = after(days=1)
    assert face.run(P.get_idempotency("scope", "hash")) is None
    face.run(create(moved(made, expires_at=after(days=2))))


def test_rows_say_what_they_are_and_when_they_end(embedded: Face) -> None:
    embedded.run(Unit().create(event()).create(rsvp()).create(vote()).create(once()))
    kinds_of = {item["pk"]["S"].split("#")[0]: item for item in embedded.items(PAGES)}
    told = {kind: item.get("entityType", {}).get("S") for kind, item in kinds_of.items()}
    assert told == {
        "shareable": None,
        "event_rsvp": "event_rsvp",
        "poll_vote": "poll_vote",
        "idempotency": "idempotency",
    }
    assert kinds_of["shareable"]["entity"] == {"S": "event"}
    ends = {kind: int(item["ttl"]["N"]) for kind, item in kinds_of.items()}
    assert ends.pop("idempotency") == epoch(after(days=1))
    assert set(ends.values()) == {LAST}
