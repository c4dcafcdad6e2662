"""Whatever is written in the five systems, in whatever order, nothing drifts.

Histories of creates, saves (also from old readings), patches, deletes and sweeps that may be
interrupted at any call are run on the embedded engine with the real designs. After each step every
derived row, counter and index key is what its sources make it (`tests.systems.drift`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tablewright import (
    Conflict,
    ItemNotFound,
    Op,
    StoreUnavailable,
    Unit,
    check,
    create,
    patch,
    ref_of,
    save,
    sweep,
)
from tablewright.care.fsck import drift
from tablewright.design.entity import entity_of_model
from tablewright.engine.database import Database
from tablewright.errors import PlanError
from tablewright.plan.changes import derived_rows as derived
from tablewright.plan.changes import write_plan as changes
from tablewright.stores.embedded.embedded_store import EmbeddedStore
from tests.endurance.effort import Effort
from tests.systems.faces import AT, Clock
from tests.systems.families import FAMILIES, Family

Draw = Callable[[st.SearchStrategy[Any]], Any]
STEPS_MAX = 12
EXAMPLES = 30  # Of one round.
GENERATE = (Phase.generate,)


class Frail(EmbeddedStore):
    """A store that can be told to fail after so many calls."""

    calls_left: int | None = None

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if self.calls_left is not None:
            if not self.calls_left:
                raise StoreUnavailable("interrupted")
            self.calls_left -= 1
        return super().call(operation, request)


class History:
    """Writes of one family, each drawn when it is its turn."""

    def __init__(self, family: Family, store: Frail) -> None:
        self.family = family
        self.store = store
        self.read: list[BaseModel] = []

    def stored(self) -> list[BaseModel]:
        """All rows that are sources, marked ones too, in the order of their keys."""
        table = self.family.table
        found = []
        for item in self.store.call("Scan", {"TableName": table.name})["Items"]:
            entity = table.entity_of(item)
            assert entity is not None
            if entity.model in self.family.changes:
                found.append((str(entity.key_of(entity.instance(item))), entity.instance(item)))
        return [row for _, row in sorted(found, key=lambda one: one[0])]

    def step(self, draw: Draw) -> None:
        act = draw(st.sampled_from([self.create, self.create, self.save, self.patch, self.remove]))
        try:
            self.store.run(act(draw))
        except (Conflict, ItemNotFound, PlanError, StoreUnavailable):
            pass
        finally:
            self.store.calls_left = None
        # A version does not tell two rows apart that had the same key one after the other.
        rows = self.stored()
        there = {ref_of(row) for row in rows}
        self.read = [row for row in self.read if ref_of(row) in there and row not in rows] + rows

    def known(self, draw: Draw) -> BaseModel:
        """A row as it is, or as it once was."""
        if not self.read:
            raise ItemNotFound("anything", None)
        found: BaseModel = draw(st.sampled_from(self.read))
        return found

    def create(self, draw: Draw) -> Op[Any]:
        return create(draw(self.family.rows))

    def save(self, draw: Draw) -> Op[Any]:
        old = self.known(draw)
        fields = draw(self.family.changes[type(old)])
        return save(old, old.model_copy(update=fields))

    def patch(self, draw: Draw) -> Op[Any]:
        old = self.known(draw)
        keys = entity_of_model(type(old)).faces[""].fields
        op = patch(old if draw(st.booleans()) else ref_of(old))
        for name, value in draw(self.family.changes[type(old)]).items():
            if name not in keys:
                op = op.set(lambda row, name=name: getattr(row, name), value)  # type: ignore[misc]
        return op

    def remove(self, draw: Draw) -> Op[Any]:
        old = self.known(draw)
        unused = self.family.unused.get(type(old))
        children = self.family.children.get(type(old))
        if children is None:
            return Unit().delete(old, unused)
        self.store.calls_left = draw(st.none() | st.integers(0, 6))
        also = [] if unused is None else [check(ref_of(old), unused)]
        return sweep(old, children(old), AT, also=also)


@contextmanager
def opened(family: Family) -> Iterator[History]:
    clock = Clock()
    with Database.open(clock=clock) as database, Frail(database, clock=clock) as store:
        store.ensure_tables([family.table])
        history = History(family, store)
        for row in family.roots:
            store.run(create(row))
        history.read = history.stored()
        yield history


def drifted(family: Family, draw: Draw) -> list[str]:
    """What drifts in one history; it ends at the first step after which anything has."""
    with opened(family) as history:
        for _ in range(draw(st.integers(1, STEPS_MAX))):
            history.step(draw)
            wrong = drift(history.store, [family.table])
            if wrong:
                return wrong
    return []


@pytest.mark.trial("T4", weight=0.3)
@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_nothing_drifts_whatever_is_written(family: Family, effort: Effort) -> None:
    for number in effort.rounds("rounds", change=1, nightly=400, release=2_000):

        @seed(effort.random(number).getrandbits(64))
        @settings(max_examples=EXAMPLES, database=None, print_blob=True)
        @given(data=st.data())
        def history(data: st.DataObject) -> None:
            assert drifted(family, data.draw) == []

        history()
        effort.record(examples=EXAMPLES)


# The checker itself: what is planted is found, so histories do reach what they are meant to.


def is_caught(family: Family) -> bool:
    @settings(max_examples=100, database=None, derandomize=True, phases=GENERATE)
    @given(data=st.data())
    def history(data: st.DataObject) -> None:
        assert drifted(family, data.draw) == []

    try:
        history()
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("name", ["entries", "ratings", "matches", "leagues", "games"])
def test_derived_rows_that_are_never_deleted_are_found(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    honest = derived._derived_row

    def keeping(derivation: Any, key: Any, target: Any, old: Any, new: Any) -> Any:
        return None if new is None else honest(derivation, key, target, old, new)

    monkeypatch.setattr(derived, "_derived_row", keeping)
    assert is_caught(FAMILIES[name])


@pytest.mark.parametrize("name", ["ratings", "matches", "leagues", "games", "reactions"])
def test_counters_that_do_not_go_down_are_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    honest = derived.effects

    def only_up(entity: Any, old: Any, new: Any, *, counted: bool = True) -> Any:
        return honest(entity, old, new, counted=new is not None and counted)

    monkeypatch.setattr(changes, "effects", only_up)
    assert is_caught(FAMILIES[name])


@pytest.mark.parametrize("name", ["entries", "ratings", "leagues", "games"])
def test_saves_that_do_not_look_at_what_was_read_are_found(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(changes, "_as_read", lambda entity, old, stored=None: ({}, ()))
    assert is_caught(FAMILIES[name])


@pytest.mark.parametrize("name", ["ratings", "matches", "reactions"])
def test_index_keys_that_stay_behind_are_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    honest = derived.attribute_changes

    def stale(entity: Any, old: Any, new: Any) -> Any:
        sets, removes = honest(entity, old, new)
        keys = {part.name for index in entity.table.indexes.values() for part in index.attributes}
        kept = {path: value for path, value in sets.items() if str(path) not in keys}
        return kept, [path for path in removes if str(path) not in keys]

    monkeypatch.setattr(changes, "attribute_changes", stale)
    assert is_caught(FAMILIES[name])
