"""The history of one item: every version that the store still knows, with what each changed.

A table with point-in-time recovery knows them all; without it, its stream knows those of a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.engine.backups.point_in_time import Version
from tablewright.studio.history.change_view import AttributeChange, changed
from tablewright.studio.history.moments import AsOf, clock_text, just_after, moment_text
from tablewright.studio.history.retention import NOT_EMBEDDED, database_of
from tablewright.studio.items.item_links import address_of
from tablewright.studio.items.item_row import Row, row_of
from tablewright.studio.items.item_view import place_of
from tablewright.studio.shell.request_log import LoggedStore
from tablewright.values.sizes import item_size

if TYPE_CHECKING:
    from tablewright.design.table import Table
    from tablewright.engine.database import Database
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.values.attributes import Item

__all__ = ["HistoryView", "VersionLine", "history_view"]

VERSIONS_SHOWN: Final = 100
RECORDS_READ: Final = 5_000  # Of a stream, to find one item's.
_ALL: Final = 1 << 62  # A sequence number behind all others.


@dataclass(frozen=True)
class VersionLine:
    """What an item was from a moment on."""

    number: int
    at: str  # Empty where it is older than what is known.
    text: str
    kind: str  # "made", "changed", "removed" or "known".
    is_now: bool
    moment: str  # To see it as of then; empty where that cannot be seen.
    size: int
    attributes: tuple[AttributeChange, ...]


@dataclass(frozen=True)
class HistoryView:
    """The page."""

    row: Row
    partition: str
    versions: tuple[VersionLine, ...]
    source: str  # Where the versions are from: "history", "stream" or nowhere.
    is_there: bool  # Whether there is an item now.
    is_cut: bool  # Whether there are older versions.
    as_of: AsOf
    tab: str = "history"


async def history_view(
    design: LoadedDesign, store: LoggedStore, name: str, address: str
) -> HistoryView:
    """The page; raises LookupError if nothing was ever known under this key, AddressInvalid."""
    table, key = place_of(design, name, address)
    database = database_of(store.store)
    request = {"TableName": table.name, "Key": key, "ConsistentRead": True}
    item = (await store.call("GetItem", request)).get("Item")
    versions, source = ([], "") if database is None else _versions(database, table, key)
    known = [version.item for version in versions if version.item is not None]
    if item is None and not known:
        raise LookupError("No item with this key is recorded.")
    hidden = frozenset(part.name for part in table.primary.attributes)
    clock = store.as_of if database is not None else AsOf(reason=NOT_EMBEDDED)
    return HistoryView(
        row=row_of(design, table, table.primary, item or known[0]),
        partition=address_of({part.name: key[part.name] for part in table.primary.partition}),
        versions=_lines(versions, hidden, can_travel=source == "history" and not clock.reason),
        source=source,
        is_there=item is not None,
        is_cut=len(versions) >= VERSIONS_SHOWN,
        as_of=clock,
    )


def _versions(database: Database, table: Table, key: Item) -> tuple[list[Version], str]:
    """The versions, newest first, and where they are from."""
    if database.restorable_since(table.name) is not None:
        return database.versions(table.name, key, VERSIONS_SHOWN), "history"
    versions: list[Version] = []
    oldest: Item | None = None
    for entry in database.recorded_before([table.name], _ALL, RECORDS_READ):
        stream_record = entry.record["dynamodb"]
        if stream_record["Keys"] != key or len(versions) == VERSIONS_SHOWN:
            continue
        if stream_record["StreamViewType"] != "NEW_AND_OLD_IMAGES":
            return [], ""
        versions.append(Version(entry.at, stream_record.get("NewImage")))
        oldest = stream_record.get("OldImage")
    if not versions:
        return [], ""
    return [*versions, Version(None, oldest)], "stream"


def _lines(
    versions: list[Version], hidden: frozenset[str], *, can_travel: bool
) -> tuple[VersionLine, ...]:
    lines = []
    for place, version in enumerate(versions):
        is_first = version.since is None
        if is_first and version.item is None:
            continue  # Before it was made there was nothing to tell.
        is_oldest = place + 1 == len(versions)
        before = None if is_oldest else versions[place + 1].item
        lines.append(
            VersionLine(
                number=len(versions) - place,
                at="" if version.since is None else moment_text(version.since),
                text="" if version.since is None else clock_text(version.since, with_day=True),
                kind=_kind(before, version.item, is_first=is_first, is_oldest=is_oldest),
                is_now=place == 0,
                moment=_moment(version) if can_travel else "",
                size=0 if version.item is None else item_size(version.item),
                # What the oldest that is shown changed is not known.
                attributes=() if is_oldest else _changed(before, version.item, hidden),
            )
        )
    return tuple(lines)


def _changed(
    old: Item | None, new: Item | None, hidden: frozenset[str]
) -> tuple[AttributeChange, ...]:
    """What differs, but for the key, which never does."""
    return tuple(change for change in changed(old or {}, new or {}) if change.name not in hidden)


def _kind(before: Item | None, item: Item | None, *, is_first: bool, is_oldest: bool) -> str:
    if item is None:
        return "removed"
    if is_first or is_oldest:
        return "known"
    return "changed" if before is not None else "made"


def _moment(version: Version) -> str:
    is_shown = version.since is not None and version.item is not None
    return just_after(version.since) if is_shown and version.since is not None else ""
