"""A change as a stream recorded it, as a page shows it: what became of which item, and when.

Changes of one transaction stay together. DynamoDB Streams does not say which those are; asked to
show them its way, so does this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import orjson

from tablewright.studio.history.moments import clock_text, just_after, just_before, moment_text
from tablewright.studio.items.item_row import Segment, key_text, row_of, short_text

if TYPE_CHECKING:
    from tablewright.design.table import Table
    from tablewright.engine.streams.stream_records import Recorded
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.values.attributes import Item

__all__ = [
    "OPERATIONS",
    "AttributeChange",
    "Change",
    "ChangeFilter",
    "Group",
    "changed",
    "groups_of",
]

OPERATIONS: Final = {"INSERT": "insert", "MODIFY": "modify", "REMOVE": "remove"}
_CHARS_SHOWN: Final = 2_000


@dataclass(frozen=True)
class AttributeChange:
    """One attribute: what it was and what it is, in short and at length; empty where there is none.

    At length it has its type, and even so an end.
    """

    name: str
    old: str
    new: str
    old_whole: str
    new_whole: str


@dataclass(frozen=True)
class Change:
    """One change of one item."""

    sequence: str
    at: str
    clock: str
    day: str
    operation: str  # "insert", "modify" or "remove".
    is_expiry: bool
    chip: EntityBadge
    partition: tuple[Segment, ...]
    sort: tuple[Segment, ...]
    table: str
    address: str
    attributes: tuple[AttributeChange, ...]
    has_images: bool  # Whether the stream records more than keys.
    before: str  # The moments around it.
    after: str


@dataclass(frozen=True)
class Group:
    """Changes that happened together, in their order; often only one."""

    transaction: str  # Empty for a change by itself.
    clock: str
    changes: tuple[Change, ...]
    left_out: int  # Of the same transaction, by what was asked for.


@dataclass(frozen=True)
class ChangeFilter:
    """Which changes are wanted; an empty text wants all."""

    entity: str = ""
    operation: str = ""
    prefix: str = ""
    table: str = ""

    @property
    def is_open(self) -> bool:
        return not (self.entity or self.operation or self.prefix or self.table)

    def takes(self, design: LoadedDesign, entry: Recorded) -> bool:
        if self.operation and OPERATIONS[entry.record["eventName"]] != self.operation:
            return False
        if self.table and entry.table_name != self.table:
            return False
        table, item = design.table(entry.table_name), _image(entry)
        if table is None:
            return False
        if self.prefix and not _written_key(table, item).startswith(self.prefix):
            return False
        if not self.entity:
            return True
        entity = table.entity_of(item)
        return (entity.name if entity is not None else "unknown") == self.entity


def _written_key(table: Table, item: Item) -> str:
    """A key on one line, as keys are shown: ``USER#ben / PROFILE``."""
    return " / ".join(key_text(item[part.name]) for part in table.primary.attributes)


def _image(entry: Recorded) -> Item:
    stream_record = entry.record["dynamodb"]
    image: Item = (
        stream_record.get("NewImage") or stream_record.get("OldImage") or stream_record["Keys"]
    )
    return image


def groups_of(
    design: LoadedDesign,
    recorded: Iterable[Recorded],
    sieve: ChangeFilter,
    *,
    is_plain: bool = False,
) -> list[Group]:
    """Changes in the order given, those of a transaction together unless it is to be plain."""

    def together(entry: Recorded) -> Any:
        is_alone = is_plain or not entry.transaction
        return (entry.sequence, "") if is_alone else (0, entry.transaction)

    groups = []
    for _, members in groupby(recorded, key=together):
        ordered = sorted(members)
        matching = [entry for entry in ordered if sieve.takes(design, entry)]
        if not matching:
            continue
        is_one = is_plain or len(ordered) == 1
        groups.append(
            Group(
                transaction="" if is_one else ordered[0].transaction,
                clock=clock_text(ordered[0].at),
                changes=tuple(_change(design, entry) for entry in matching),
                left_out=len(ordered) - len(matching),
            )
        )
    return groups


def _change(design: LoadedDesign, entry: Recorded) -> Change:
    table = design.table(entry.table_name)
    assert table is not None, "what is of no table of the design is not taken"
    stream_record = entry.record["dynamodb"]
    row = row_of(design, table, table.primary, _image(entry))
    machinery = {part.name for part in table.primary.attributes} | {table.type_attribute}
    return Change(
        sequence=str(entry.sequence),
        at=moment_text(entry.at),
        clock=clock_text(entry.at),
        day=clock_text(entry.at, with_day=True),
        operation=OPERATIONS[entry.record["eventName"]],
        is_expiry="userIdentity" in entry.record,
        chip=row.chip,
        partition=row.partition,
        sort=row.sort,
        table=table.name,
        address=row.address,
        attributes=tuple(
            each
            for each in changed(
                stream_record.get("OldImage") or {}, stream_record.get("NewImage") or {}
            )
            if each.name not in machinery
        ),
        has_images=stream_record["StreamViewType"] == "NEW_AND_OLD_IMAGES",
        before=just_before(entry.at),
        after=just_after(entry.at),
    )


def changed(old: Item, new: Item) -> tuple[AttributeChange, ...]:
    """The attributes that differ between two states of an item, by name."""
    changes = []
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            texts = [_texts(item.get(name)) for item in (old, new)]
            changes.append(
                AttributeChange(name, texts[0][0], texts[1][0], texts[0][1], texts[1][1])
            )
    return tuple(changes)


def _texts(value: Any) -> tuple[str, str]:
    if value is None:
        return "", ""
    [(kind, content)] = value.items()
    # An empty text is something, too.
    short = short_text(kind, content) or "“”"
    whole = content if isinstance(content, str) else orjson.dumps(content).decode()
    return short, f"{kind} {whole if len(whole) <= _CHARS_SHOWN else whole[:_CHARS_SHOWN] + '…'}"
