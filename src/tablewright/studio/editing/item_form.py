"""An item of an entity as a form: a field for each attribute that its model declares.

A field shows the value as it is stored, so that what is not touched stays what it is, to the last
digit. Its name begins with how its text is read:

    s.title      the text itself                n.score      a number
    bool.open    true or false                  json.tags    typed JSON, for everything else

Attributes that lie in an envelope are read as plain JSON (``plain.tags``). An attribute that is
not there has an empty field, and goes with an emptied one; a text that a browser would change on
its way (an empty one, one with control characters) is typed JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

import orjson

from tablewright.errors import ItemInvalid
from tablewright.studio.editing.stage_commit import saved_item
from tablewright.studio.items.item_json import EditRefused, checked_value, read_value, typed_text

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.design.fields import Attribute
    from tablewright.values.attributes import Item, Value

__all__ = ["FieldInvalid", "FieldView", "fields_of", "filled"]

# What HTML or a form's encoding does not carry from a field to the server as it is.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LONG = 60


class FieldInvalid(EditRefused):
    """What a field holds is no value of its attribute."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@dataclass(frozen=True)
class FieldView:
    """One field."""

    name: str  # The attribute's.
    field: str  # As the form names it.
    kind: str  # "text", "number", "bool", "choice" or "json".
    type: str  # For people: "text", "number", "typed JSON".
    text: str
    choices: tuple[str, ...] = ()
    is_optional: bool = False
    is_long: bool = False
    locked: str = ""  # Why it is not to be changed.
    error: str = ""


def fields_of(
    entity: Entity[Any],
    item: Item,
    form: Mapping[str, str] | None = None,
    *,
    is_new: bool = False,
    wrong: FieldInvalid | None = None,
) -> tuple[FieldView, ...]:
    """The fields of an item; ``form`` is what was filled in before."""
    payload = _payload(entity, item)
    fields = []
    for attribute in entity.attributes.values():
        view = _field(attribute, item.get(attribute.name), payload)
        text = (form or {}).get(view.field, view.text)
        fields.append(
            FieldView(
                name=view.name,
                field=view.field,
                kind=view.kind,
                type=view.type,
                text=text.replace("\r\n", "\n"),
                choices=view.choices,
                is_optional=attribute.is_optional,
                is_long=view.kind == "json" or len(text) > _LONG or "\n" in text,
                locked="" if is_new else _lock(entity, attribute),
                error=wrong.reason if wrong is not None and wrong.name == view.name else "",
            )
        )
    return tuple(fields)


def _lock(entity: Entity[Any], attribute: Attribute) -> str:
    if attribute.field in entity.faces[""].fields:
        return "part of the key"
    if attribute.field in entity.counters:
        return "maintained counter"
    return "incremented on save" if attribute.field == entity.version else ""


def _field(
    attribute: Attribute, value: Value | None, payload: Mapping[str, Any] | None
) -> FieldView:
    name = attribute.name
    if attribute.in_envelope and payload is not None:
        return _plain_field(attribute, payload)
    kind, text = _field_text(value) if value is not None else (_kind(attribute.annotation), "")
    choices = _choices(attribute.annotation)
    if kind == "s" and choices and (text in choices or not text):
        return FieldView(name, f"s.{name}", "choice", "one of", text, choices)
    names = {"s": ("text", "text"), "n": ("number", "number"), "bool": ("bool", "yes or no")}
    shape, type_text = names.get(kind, ("json", "typed JSON"))
    return FieldView(name, f"{kind}.{name}", shape, _time(attribute.annotation) or type_text, text)


def _plain_field(attribute: Attribute, payload: Mapping[str, Any]) -> FieldView:
    value = payload.get(attribute.name)
    text = "" if value is None else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    choices = tuple(f'"{choice}"' for choice in _choices(attribute.annotation))
    if choices and (text in choices or not text):
        return FieldView(
            attribute.name, f"plain.{attribute.name}", "choice", "one of", text, choices
        )
    return FieldView(attribute.name, f"plain.{attribute.name}", "json", "JSON", text)


def _field_text(value: Value) -> tuple[str, str]:
    """How a stored value stands in a field: the beginning of the field's name, and its text."""
    [(kind, content)] = value.items()
    if kind == "S" and content and not _UNSAFE.search(content):
        return "s", content
    if kind == "N":
        return "n", content
    if kind == "BOOL":
        return "bool", "true" if content else "false"
    return "json", typed_text(value)


def _bare(annotation: Any) -> Any:
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, UnionType):
        rest = [part for part in get_args(annotation) if part is not NoneType]
        return _bare(rest[0]) if len(rest) == 1 else annotation
    return annotation


def _kind(annotation: Any) -> str:
    """How a value that is not there yet would be written."""
    bare = _bare(annotation)
    if get_origin(bare) is Literal:
        return "s" if all(isinstance(choice, str) for choice in get_args(bare)) else "json"
    if not isinstance(bare, type):
        return "json"
    kinds: tuple[tuple[Any, str], ...] = (
        (bool, "bool"),
        (Enum, "s"),
        ((int, float, Decimal), "n"),
        ((str, date, UUID), "s"),
    )
    return next((name for types, name in kinds if issubclass(bare, types)), "json")


def _time(annotation: Any) -> str:
    bare = _bare(annotation)
    if not isinstance(bare, type) or not issubclass(bare, date):
        return ""
    return "moment" if issubclass(bare, datetime) else "day"


def _choices(annotation: Any) -> tuple[str, ...]:
    """The texts that a Literal or an enumeration has, if it has only texts."""
    bare = _bare(annotation)
    values: tuple[Any, ...] = ()
    if get_origin(bare) is Literal:
        values = get_args(bare)
    elif isinstance(bare, type) and issubclass(bare, Enum):
        values = tuple(member.value for member in bare)
    return tuple(map(str, values)) if all(isinstance(value, str) for value in values) else ()


# Back to an item.


def filled(entity: Entity[Any], old: Item, form: Mapping[str, str], *, is_new: bool) -> Item:
    """The item that a form holds; raises FieldInvalid and EditRefused.

    Where nothing was changed it is the old item itself. Where something was, the design's model
    makes the item again, with the keys of its indexes, and only what differs is taken over.
    """
    payload = _payload(entity, old)
    item, inner = dict(old), dict(payload or {})
    for field in fields_of(entity, old, is_new=is_new):
        text = form.get(field.field)
        # Lines end with one character: fields with any other ending are typed JSON.
        text = None if text is None else text.replace("\r\n", "\n").replace("\r", "\n")
        if text is None or text == field.text:
            continue
        if field.locked:
            raise FieldInvalid(field.name, f"this is {field.locked}")
        target: dict[str, Any] = inner if field.field.startswith("plain.") else item
        value = _value(field, text)
        if value is None:
            target.pop(field.name, None)
        else:
            target[field.name] = value
    if item == old and inner == (payload or {}) and not is_new:
        return old
    if payload is not None:
        assert entity.envelope is not None
        item[entity.envelope.attribute] = {"S": orjson.dumps(inner).decode()}
    try:
        new = entity.instance(item)
        return entity.item(new) if is_new else saved_item(entity, old, new)
    except ItemInvalid as error:
        name = error.attribute.partition(".")[0]
        raise FieldInvalid(_attribute_name(entity, name), error.reason) from error


def _attribute_name(entity: Entity[Any], name: str) -> str:
    field = entity.names.get(name)
    return entity.attributes[field].name if field and field in entity.attributes else name


def _payload(entity: Entity[Any], item: Item) -> dict[str, Any] | None:
    """What lies in the item's envelope; None if there is none."""
    if entity.envelope is None:
        return None
    held = item.get(entity.envelope.attribute, {}).get("S", "{}")
    try:
        payload = orjson.loads(held)
    except orjson.JSONDecodeError:
        payload = None
    if not isinstance(payload, dict):
        raise EditRefused(f"{entity.envelope.attribute} is not a JSON object: edit the typed JSON.")
    return payload


def _value(field: FieldView, text: str) -> Any:
    """The value that a field holds; None if it holds none."""
    kind, _, name = field.field.partition(".")
    if text == "" and (kind != "s" or field.is_optional or not field.text):
        return None
    try:
        if kind == "plain":
            return orjson.loads(text)
        if kind == "json":
            return read_value(text)
        if kind == "bool":
            return {"BOOL": text == "true"}
        return checked_value({"S": text} if kind == "s" else {"N": text.strip()})
    except orjson.JSONDecodeError as error:
        raise FieldInvalid(name, f"invalid JSON: {error}") from error
    except EditRefused as error:
        raise FieldInvalid(name, str(error)) from error
