"""What was changed and not written yet: a list of changes for each browser and each design.

A stage lives as long as the session of its browser, in memory, and has bounds: as many items as a
transaction has actions, and 4 MB of them, before and after together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from fastapi import Request

from tablewright.limits import TRANSACT_ACTIONS_MAX, TRANSACT_BYTES_MAX
from tablewright.studio.items.item_links import address_of
from tablewright.values.sizes import item_size

if TYPE_CHECKING:
    from tablewright.design.table import Table
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.values.attributes import Item

__all__ = ["Change", "Stage", "StageFull", "StageStore", "staged_count"]

ITEMS_MAX = TRANSACT_ACTIONS_MAX
BYTES_MAX = TRANSACT_BYTES_MAX


class StageFull(ValueError):
    """A stage has no room for one more change."""


@dataclass(frozen=True)
class Change:
    """One item before and after; None where it is not there."""

    table: Table
    old: Item | None
    new: Item | None

    @property
    def kind(self) -> Literal["create", "change", "delete"]:
        if self.old is None:
            return "create"
        return "delete" if self.new is None else "change"

    @property
    def item(self) -> Item:
        """The item as it is to be, or as it was if it goes."""
        item = self.old if self.new is None else self.new
        assert item is not None
        return item

    @property
    def key(self) -> Item:
        return {part.name: self.item[part.name] for part in self.table.primary.attributes}

    @property
    def address(self) -> str:
        return address_of(self.key)

    @property
    def size(self) -> int:
        """The bytes that it takes to keep it."""
        return item_size(self.old or {}) + item_size(self.new or {})


class Stage:
    """The changes of one browser to the items of one design, in the order of their first edit."""

    def __init__(self) -> None:
        self._changes: dict[tuple[str, str], Change] = {}

    def __len__(self) -> int:
        return len(self._changes)

    def __iter__(self) -> Iterator[Change]:
        return iter(list(self._changes.values()))

    @property
    def size(self) -> int:
        return sum(change.size for change in self._changes.values())

    def at(self, table: str, address: str) -> Change | None:
        return self._changes.get((table, address))

    def add(self, change: Change) -> None:
        """Keep a change in the place of an earlier one of the same item; raises StageFull."""
        place = change.table.name, change.address
        known = self._changes.get(place)
        if known is None and len(self) >= ITEMS_MAX:
            raise StageFull(f"The stage holds {ITEMS_MAX} items. Commit or drop some first.")
        size = self.size - (known.size if known is not None else 0) + change.size
        if size > BYTES_MAX:
            limit = "4 MB of items, before and after together"
            raise StageFull(f"The stage holds {limit}. Commit or drop some first.")
        self._changes[place] = change

    def drop(self, table: str, address: str) -> None:
        self._changes.pop((table, address), None)

    def clear(self) -> None:
        self._changes.clear()


class StageStore:
    """The stages of all browsers, by the cookie that opened the studio for them."""

    def __init__(self, port: int) -> None:
        self._cookie = f"tablewright_studio_{port}"
        self._stages: dict[tuple[str, str], Stage] = {}

    def of(self, request: Request, design: LoadedDesign) -> Stage:
        """The stage of a browser; changes of tables that the design no longer has are gone."""
        place = request.cookies.get(self._cookie, ""), design.name
        stage = self._stages.setdefault(place, Stage())
        for change in stage:
            if change.table in design.tables:
                continue
            # The design was reloaded: its table objects are new, mostly with the same names.
            stage.drop(change.table.name, change.address)
            table = design.table(change.table.name)
            if table is not None and table.primary == change.table.primary:
                stage.add(replace(change, table=table))
        return stage


def staged_count(request: Request, design: LoadedDesign | None) -> int:
    """How many items this browser has changed and not written, for the head of every page."""
    stages: StageStore | None = getattr(request.app.state, "stages", None)
    return len(stages.of(request, design)) if stages is not None and design is not None else 0
