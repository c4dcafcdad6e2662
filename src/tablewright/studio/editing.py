"""S6, editing: an item as typed JSON, the difference attribute by attribute, and then the write.

Nothing is lost on the way: what is edited is DynamoDB's own JSON. An item of an entity is saved as
the design saves it, so that derived items and counters move along, and only if the design would
store exactly what was typed. An item of no entity is put back as it is. Either is written only
over the item that was shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from tablewright.errors import Conflict, ItemInvalid, ServiceError
from tablewright.plan.operation import Call
from tablewright.plan.unit import Unit
from tablewright.studio.addresses import key_at
from tablewright.studio.asking import Asking, Snippets, snippets_of
from tablewright.studio.rows import Row, row_of, short_text
from tablewright.values.attributes import normalise_item

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.design.table import Table
    from tablewright.studio.subjects import Subject
    from tablewright.values.attributes import Item

__all__ = ["EditRefused", "EditView", "edit_view"]

_CHANGED: Final = "The item was changed in the meantime. Look at it again."


class EditRefused(ValueError):
    """What was typed cannot be stored in the place of the item."""


@dataclass(frozen=True)
class Difference:
    """One attribute that changes; an empty text where it is not there."""

    name: str
    old: str
    new: str


@dataclass(frozen=True)
class EditView:
    """The page."""

    row: Row
    typed: str
    old: str
    differences: tuple[Difference, ...]
    request: Snippets | None
    is_previewed: bool
    is_done: bool
    error: str


async def edit_view(
    subject: Subject, asking: Asking, place: tuple[str, str], given: Mapping[str, str]
) -> EditView:
    """The page; raises LookupError if there is no such item, and AddressInvalid."""
    table, key = subject.table(place[0]), key_at(place[1])
    if table is None or key.keys() != {part.name for part in table.primary.attributes}:
        raise LookupError("This is no key of a table of this design.")
    request = {"TableName": table.name, "Key": key, "ConsistentRead": True}
    stored = (await asking.call("GetItem", request)).get("Item")
    if stored is None:
        raise LookupError("There is no item with this key.")
    shown, error, is_done = _text(stored), "", False
    differences: tuple[Difference, ...] = ()
    snippets = None
    if given:
        try:
            new = _read(given.get("typed", ""))
            # Browsers send lines with other ends than they were given: texts cannot be compared.
            if given.get("old") and _read(given["old"]) != stored:
                raise EditRefused(_CHANGED)
            differences = _differences(stored, new)
            write = _write(subject, table, stored, new)
            snippets = snippets_of(_calls(write), "us-east-1")
            if given.get("commit") == "yes" and differences:
                await _commit(asking, write)
                # A save may have moved more than was typed: the version, say.
                stored = (await asking.call("GetItem", request)).get("Item", new)
                is_done, shown = True, _text(stored)
        except (EditRefused, ItemInvalid) as refused:
            error = str(refused)
        except (Conflict, ServiceError) as refused:
            error = f"The store refused it: {refused}"
    return EditView(
        row=row_of(subject, table, table.primary, stored),
        typed=shown if is_done else given.get("typed", shown),
        old=given.get("old", shown) if error else shown,
        differences=differences,
        request=snippets,
        is_previewed=bool(given) and not error and bool(differences),
        is_done=is_done,
        error=error or ("Nothing is changed." if given and not differences else ""),
    )


def _text(item: Item) -> str:
    option = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    return orjson.dumps(item, option=option).decode()


def _read(text: str) -> Item:
    """The item that was typed, in the form that DynamoDB stores; raises EditRefused."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise EditRefused(f"This is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise EditRefused("An item is a JSON object of attributes.")
    wrong = [name for name, value in found.items() if not _is_value(value)]
    if wrong:
        raise EditRefused(f'{wrong[0]}: an attribute is a type and its value, as {{"S": "text"}}.')
    try:
        return normalise_item(found)
    except ServiceError as error:
        raise EditRefused(str(error)) from error


def _is_value(value: Any) -> bool:
    """Whether something has the shape of an attribute value, all the way down."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    [(kind, content)] = value.items()
    if kind in ("S", "N", "B"):
        return isinstance(content, str)
    if kind in ("BOOL", "NULL"):
        return isinstance(content, bool)
    if kind in ("SS", "NS", "BS"):
        return isinstance(content, list) and all(isinstance(each, str) for each in content)
    if kind == "L":
        return isinstance(content, list) and all(_is_value(each) for each in content)
    return kind == "M" and isinstance(content, dict) and all(map(_is_value, content.values()))


def _differences(old: Item, new: Item) -> tuple[Difference, ...]:
    found = []
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            texts = [_shown(item[name]) if name in item else "" for item in (old, new)]
            found.append(Difference(name, *texts))
    return tuple(found)


def _shown(value: Any) -> str:
    [(kind, content)] = value.items()
    return f"{kind} {short_text(kind, content)}"


# What is written.

_Write = Unit | Call


def _write(subject: Subject, table: Table, old: Item, new: Item) -> _Write:
    """The write that puts one item in the place of another; raises EditRefused, ItemInvalid."""
    for part in table.primary.attributes:
        if old[part.name] != new.get(part.name):
            raise EditRefused(
                f"{part.name} is the item's key, which stays. Make a new item instead."
            )
    entity = table.entity_of(old)
    if entity is None:
        return _put(table, old, new)
    if subject.is_derived(entity):
        source = subject.sources_of(entity)[0][0]
        raise EditRefused(f"This item is derived. Change its {source} instead.")
    return Unit().save(entity.instance(old), _fitting(entity, new))


def _fitting(entity: Entity[Any], item: Item) -> Any:
    """The instance that an item is, if the design stores just this of it."""
    made = entity.instance(item)
    rendered = entity.item(made)
    names = sorted(n for n in item.keys() | rendered.keys() if item.get(n) != rendered.get(n))
    if names:
        told = ", ".join(names)
        raise EditRefused(f"The design of {entity.name} would store {told} in another way.")
    return made


def _put(table: Table, old: Item, new: Item) -> Call:
    """A PutItem that succeeds only over the item that was shown."""
    names = {f"#{at}": name for at, name in enumerate(old)}
    values = {f":{at}": value for at, value in enumerate(old.values())}
    terms = [f"#{at} = :{at}" for at in range(len(old))]
    for name in new.keys() - old.keys():
        short = f"#{len(names)}"
        names[short] = name
        terms.append(f"attribute_not_exists({short})")
    return Call(
        "PutItem",
        {
            "TableName": table.name,
            "Item": new,
            "ConditionExpression": " AND ".join(terms),
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        },
    )


def _calls(write: _Write) -> list[Call]:
    if isinstance(write, Call):
        return [write]
    actions = [action for _, action in write.actions]
    return [Call("TransactWriteItems", {"TransactItems": actions})]


async def _commit(asking: Asking, write: _Write) -> None:
    if isinstance(write, Call):
        await asking.call(write.operation, write.request)
    else:
        await asking.trace(write)
