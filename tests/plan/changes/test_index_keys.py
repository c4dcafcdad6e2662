"""Index keys that follow from a change and the row's own key, and those for which it is read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tablewright import Index, Keys, Model, Table, ref
from tablewright.plan.changes.index_keys import index_key_changes

K = Table("keys", indexes=[Index("byWord", pk="w", sk="wsk"), Index("byTime", pk="t", sk="tsk")])
NOW = datetime.fromisoformat("2026-03-01T10:00:00Z")


@K.entity(
    "MEMBER#{userId}",
    "CONV#{convId}",
    mark="deletedAt",
    byWord=("{word}", "{rank:03}#{userId}"),
    byTime=("USER#{userId}", "{lastAt}#{convId}"),
)
class Member(Model):
    user_id: str
    conv_id: str
    last_at: datetime | None = None
    word: str = "a"
    rank: int = 0
    unread: int = 0
    deleted_at: datetime | None = None


@K.entity("LOUD#{name:lower}", "METADATA", byWord=("{word}", "{name}"))
class Loud(Model):
    name: str
    word: str


@K.entity("QUIET#{name}", "METADATA", byWord=Keys("{word}", "{name}", unless="hiddenAt"))
class Quiet(Model):
    name: str
    word: str
    hidden_at: datetime | None = None


@K.entity("LABEL#{name}", "METADATA", byWord=("{label}", "{name}"))
class Label(Model):
    name: str
    word: str

    @property
    def label(self) -> str:
        return self.word.lower()


MEMBER = ref(Member, user_id="u", conv_id="c")


def changes(place: Any, **fields: Any) -> dict[str, Any] | None:
    created = index_key_changes(place, fields)
    return None if created is None else {str(path): value for path, value in created.items()}


def test_fields_outside_of_keys_change_none() -> None:
    assert changes(MEMBER, unread=3) == {}


def test_a_key_of_changed_fields_and_the_rows_own_key_is_known() -> None:
    assert changes(MEMBER, last_at=NOW) == {
        "t": {"S": "USER#u"},
        "tsk": {"S": "2026-03-01T10:00:00.000Z#c"},
    }
    assert changes(MEMBER, word="b", rank=7) == {"w": {"S": "b"}, "wsk": {"S": "007#u"}}


def test_a_key_that_needs_another_field_has_to_be_read() -> None:
    assert changes(MEMBER, word="b") is None


def test_a_row_that_leaves_an_index_has_to_be_read() -> None:
    assert changes(MEMBER, last_at=None) is None


def test_a_row_that_is_marked_or_moves_has_to_be_read() -> None:
    assert changes(MEMBER, deleted_at=NOW) is None
    assert changes(MEMBER, conv_id="d", last_at=NOW) is None


def test_a_key_that_was_normalised_does_not_tell_the_field() -> None:
    assert changes(ref(Loud, name="Bob"), word="b") is None


def test_an_index_that_a_row_may_be_kept_out_of_has_to_be_read() -> None:
    assert changes(ref(Quiet, name="bob"), word="b") is None


def test_a_computed_key_has_to_be_read() -> None:
    assert changes(ref(Label, name="bob"), word="b") is None
