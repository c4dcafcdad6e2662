"""The key conditions with which an index can return exactly the rows that a pattern asks for.

A pattern asks for all rows of its entities whose fields equal the arguments, or lie in the range.
The partition keys of all entities must be one text. The condition on the sort key comes from the
beginning that their sort keys share; it is exact if each argument is fixed by the partition key or
by the condition. Rows of other entities are checked afterwards, in `index_selection`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, NamedTuple

from tablewright.design.entity import Entity, Face, KeyPart
from tablewright.design.fields import is_optional, value_types
from tablewright.design.patterns.pattern_model import (
    Declared,
    KeyCondition,
    Mode,
    Parameter,
    SortRule,
)
from tablewright.design.table_definition import Index
from tablewright.keys.beginnings import Beginning, beginning_of
from tablewright.keys.template import Field, Template

__all__ = ["Refusal", "key_conditions"]

_ONE_ROW = ("get", "batch_get")


class Refusal(NamedTuple):
    """Why an index cannot serve a pattern."""

    reason: str
    code: str | None = "TW201"  # None if an entity is not in the index.
    example: str = ""


class _Misfit(Exception):
    """Raised while conditions are built."""

    def __init__(self, reason: str, code: str | None = "TW201", example: str = "") -> None:
        super().__init__(reason)
        self.refusal = Refusal(reason, code, example)


@dataclass(frozen=True)
class _Keys:
    """The keys of one entity, with the fields that parameters bind named alike in all entities."""

    entity: Entity[Any]
    partition: tuple[KeyPart, ...]
    sort: tuple[KeyPart, ...]


def key_conditions(
    declared: Declared, entities: Sequence[Entity[Any]], index: Index
) -> list[KeyCondition] | Refusal:
    """The exact conditions, simplest first; if there is none, the reason."""
    try:
        return _conditions(declared, entities, index)
    except _Misfit as misfit:
        return misfit.refusal


def _conditions(
    declared: Declared, entities: Sequence[Entity[Any]], index: Index
) -> list[KeyCondition]:
    for entity in entities:
        if index.name not in entity.faces:
            raise _Misfit(f"{entity.name} is not in this index", None)
    if declared.kind == "batch_get" and not index.is_table:
        raise _Misfit("a batch reads rows of the table by their key; FanOut[…] can query an index")
    bound = {_canonical(p.name, entities): p.mode for p in declared.parameters}
    keys = [_keys(declared, entity, entities, index) for entity in entities]
    if declared.index is None:
        for own in keys:
            _require_all_rows(own, index, bound)
    return _Conditions(declared, keys, bound).all()


class _Conditions:
    """Builds the conditions of one index."""

    def __init__(
        self, declared: Declared, keys: Sequence[_Keys], bound: Mapping[str, Mode]
    ) -> None:
        self.declared = declared
        self.keys = keys
        self.bound = bound
        self.equal = [field for field, mode in bound.items() if mode != "range"]
        self.ranged = [field for field, mode in bound.items() if mode == "range"]
        self.fixed: set[str] = set()  # Fields whose argument the equalities fix.
        self.exact: set[str] = set()  # Those of them that are compared as they are.

    def all(self) -> list[KeyCondition]:
        partition = tuple(
            self._equality(parts)
            for parts in zip(*(own.partition for own in self.keys), strict=True)
        )
        leading, rules = self._sort([own.sort for own in self.keys])
        return [KeyCondition(partition, leading, rule) for rule in rules]

    def _equality(self, parts: Sequence[KeyPart]) -> KeyPart:
        """A partition key attribute, which must be one text for all entities."""
        for part in parts:
            for field in part.template.fields:
                if field in self.ranged:
                    raise _Misfit(
                        f"{field} is in the partition key {part.attribute.name}, "
                        "which can only be compared with =",
                        "TW202",
                        f"{part.attribute.name} BETWEEN … fails with ValidationException",
                    )
            missing = [field for field in part.template.fields if field not in self.bound]
            if missing:
                raise _Misfit(f"the partition key {part.text} also needs {', '.join(missing)}")
        shared = self._beginning(parts)
        if not shared.is_whole:
            raise _Misfit(f"the entities have different partition keys: {self._differ(parts)}")
        return self._fix(parts[0], shared)

    def _fix(self, part: KeyPart, shared: Beginning) -> KeyPart:
        """The key attribute of all entities; its fields are fixed from now on."""
        for piece in shared.parts:
            if isinstance(piece, Field):
                self.fixed.add(piece.name)
                if not piece.codec.is_lossy:
                    self.exact.add(piece.name)
        return replace(part, template=Template(part.template.text, shared.parts, "#"))

    def _beginning(self, parts: Sequence[KeyPart]) -> Beginning:
        return beginning_of([part.template.parts for part in parts], self.equal)

    def _sort(
        self, sorts: Sequence[tuple[KeyPart, ...]]
    ) -> tuple[tuple[KeyPart, ...], list[SortRule]]:
        attributes = list(zip(*sorts, strict=True))
        leading: list[KeyPart] = []
        while len(attributes) > 1 and (shared := self._beginning(attributes[0])).is_whole:
            leading.append(self._fix(attributes.pop(0)[0], shared))
        is_one_row = self.declared.kind in _ONE_ROW
        if not attributes:
            rest = self._unfixed()
            if rest:
                raise _Misfit(f"there is no sort key for {', '.join(rest)}")
            return (), [SortRule("none")]
        parts = attributes[0]
        if is_one_row and len(attributes) > 1:
            raise _Misfit(f"{parts[0].text} also needs {attributes[-1][0].text} for one row")
        if self.ranged:
            rules = [self._range(parts)]
        elif parts[0].attribute.type != "S":
            rules = [self._plain(parts)]
        else:
            rules = self._text(parts)
        return tuple(leading), rules

    # Conditions on the sort key.

    def _range(self, parts: Sequence[KeyPart]) -> SortRule:
        field = self.ranged[0]
        shared = self._beginning(parts)
        for part in parts:
            self._require_leading(part, [*self._unfixed(), field])
        if parts[0].attribute.type == "S":
            if any(part.template.is_order_kept(field) is False for part in parts):
                raise _Misfit(f"the sort key {parts[0].text} does not sort by {field}")
            if not shared.is_order_kept(field):
                raise _Misfit(f"no range has the keys of all entities: {self._differ(parts)}")
        elif any(part.template.fields != (field,) for part in parts):
            raise _Misfit(f"no range has the keys of all entities: {self._differ(parts)}")
        self._require_fixed(parts, shared)
        return SortRule("range", parts[0], shared, field)

    def _plain(self, parts: Sequence[KeyPart]) -> SortRule:
        """A number or bytes key, which is one field."""
        shared = self._beginning(parts)
        rule = SortRule("equals", parts[0], shared) if shared.is_whole else SortRule("none")
        if self.declared.kind in _ONE_ROW and rule.kind == "none":
            raise self._no_single_row(parts)
        self._require_fixed(parts, shared, is_equal=shared.is_whole)
        return rule

    def _text(self, parts: Sequence[KeyPart]) -> list[SortRule]:
        shared = self._beginning(parts)
        if shared.is_whole:
            return [SortRule("equals", parts[0], shared)] if self._is_all_fixed(shared) else []
        if self.declared.kind in _ONE_ROW:
            raise self._no_single_row(parts)
        for part in parts:
            self._require_leading(part, self._unfixed())
        beginnings = [shared]
        if len(parts) > 1:
            short = shared.shortened(self.keys[0].entity.table.delimiter)
            beginnings = list(dict.fromkeys((short, shared)))
        exact = [beginning for beginning in beginnings if self._is_exact(beginning)]
        if not exact:
            self._require_fixed(parts, shared)
        rules = [
            SortRule("prefix", parts[0], beginning) if beginning.parts else SortRule("none")
            for beginning in exact
        ]
        # By type: times begin with a digit, so a range separates them from "REACTION#…".
        if shared.has_typed_bounds:
            rules.append(SortRule("typed", parts[0], shared))
        return rules

    # What makes a condition exact.

    def _unfixed(self) -> list[str]:
        return [field for field in self.equal if field not in self.fixed]

    def _is_all_fixed(self, shared: Beginning) -> bool:
        return set(self._unfixed()) <= set(shared.fields)

    def _is_exact(self, shared: Beginning) -> bool:
        return set(self._unfixed()) <= shared.fixed and self._ends_well(shared)

    def _ends_well(self, shared: Beginning) -> bool:
        return shared.ends_in_field is None or shared.ends_in_field in self.exact

    def _require_fixed(
        self, parts: Sequence[KeyPart], shared: Beginning, *, is_equal: bool = False
    ) -> None:
        """Require that each argument is fixed by the partition or by the shared beginning."""
        fixed = set(shared.fields) if is_equal else shared.fixed
        loose = [field for field in self._unfixed() if field not in fixed]
        if not is_equal and not self._ends_well(shared):
            loose = loose or [shared.ends_in_field or ""]
        if not loose:
            return
        field = loose[0]
        if field in shared.fields and any(part.template.fields for part in parts):
            raise _Misfit(
                f"a prefix of {self._differ(parts)} would end inside {field}",
                "TW205",
                f"begins_with of {field} = '0' also matches '01'",
            )
        raise _Misfit(f"the sort keys differ before {field}: {self._differ(parts)}")

    def _require_leading(self, part: KeyPart, rest: Sequence[str]) -> None:
        """Require that the bound fields are the first fields of the sort key, in any order."""
        own = [field for field in part.template.fields if field not in self.fixed]
        stray = [field for field in rest if field not in own]
        if stray:
            raise _Misfit(f"{', '.join(stray)} is not part of the sort key {part.text}")
        if set(own[: len(rest)]) != set(rest):
            raise _Misfit(f"the sort key {part.text} begins with {own[0]}, not with {rest[0]}")

    def _no_single_row(self, parts: Sequence[KeyPart]) -> _Misfit:
        for part in parts:
            missing = [field for field in part.template.fields if field not in self.equal]
            if missing:
                return _Misfit(f"{part.text} also needs {', '.join(missing)} for one row")
        return _Misfit(f"the entities have different keys: {self._differ(parts)}")

    def _differ(self, parts: Sequence[KeyPart]) -> str:
        """The keys of the entities, for a message."""
        pairs = zip(self.keys, parts, strict=True)
        return ", ".join(f"{part.text} of {own.entity.name}" for own, part in pairs)


# The names of fields.


def _canonical(name: str, entities: Sequence[Entity[Any]]) -> str:
    """The name of a parameter's field in conditions: that of the first entity."""
    return entities[0].names.get(name, name)


def _keys(
    declared: Declared, entity: Entity[Any], entities: Sequence[Entity[Any]], index: Index
) -> _Keys:
    face = entity.faces[index.name]
    names = {}
    for parameter in declared.parameters:
        field = _own_field(parameter.name, entity, entities, index)
        names[field] = _canonical(parameter.name, entities)
        _require_type(parameter, entity, field)
    return _Keys(entity, _renamed(face.partition, names), _renamed(face.sort, names))


def _own_field(
    name: str, entity: Entity[Any], entities: Sequence[Entity[Any]], index: Index
) -> str:
    """The field of an entity that a parameter binds.

    It has the parameter's name; or it has the place in the partition key that the parameter's
    field has in another entity: ``SITE#{id}`` and ``SITE#{siteId}`` share a partition.
    """
    if name in entity.names:
        return entity.names[name]
    for other in entities:
        field = other.names.get(name)
        twin = _twin(field, other.faces[index.name], entity.faces[index.name])
        if twin is not None:
            return twin
    raise _Misfit(f"{entity.name} has no {name}", "TW207")


def _require_type(parameter: Parameter, entity: Entity[Any], field: str) -> None:
    types = value_types(entity.annotation(field))
    if parameter.mode == "range" and datetime in types:
        types.add(date)  # A range of times may begin and end with whole days.
    given = value_types(parameter.annotation)
    if given and types and not given & types:
        names = " or ".join(sorted(form.__name__ for form in types))
        raise _Misfit(
            f"{parameter.name} is {given.pop().__name__}, but {field} of {entity.name} is {names}",
            "TW215",
        )


def _twin(field: str | None, face: Face, own: Face) -> str | None:
    """The field in the partition key that stands where another face has this field."""
    for part, own_part in zip(face.partition, own.partition, strict=True):
        for piece, own_piece in zip(part.template.parts, own_part.template.parts, strict=False):
            if isinstance(piece, Field) and piece.name == field and isinstance(own_piece, Field):
                return own_piece.name
    return None


def _renamed(parts: tuple[KeyPart, ...], names: Mapping[str, str]) -> tuple[KeyPart, ...]:
    if all(field == name for field, name in names.items()):
        return parts
    return tuple(replace(part, template=_renamed_template(part.template, names)) for part in parts)


def _renamed_template(template: Template, names: Mapping[str, str]) -> Template:
    parts = tuple(
        replace(part, name=names.get(part.name, part.name)) if isinstance(part, Field) else part
        for part in template.parts
    )
    return Template(template.text, parts, template.delimiter)


def _require_all_rows(own: _Keys, index: Index, bound: Collection[str]) -> None:
    """Require that all rows are in the index, which is chosen and not named by the pattern."""
    if index.is_table:
        return
    entity, face = own.entity, own.entity.faces[index.name]
    hidden = sorted(
        part.name
        for key, renamed in zip(face.parts, own.partition + own.sort, strict=True)
        for part, canonical in zip(key.template.parts, renamed.template.parts, strict=True)
        if isinstance(part, Field)
        and isinstance(canonical, Field)
        and canonical.name not in bound
        and is_optional(entity.annotation(part.name))
    )
    if hidden:
        reason = f"rows of {entity.name} without {hidden[0]} are not in it"
    elif face.unless is not None:
        reason = f"rows of {entity.name} with {face.unless} are not in it"
    else:
        return
    raise _Misfit(f"{reason}; name it, index={index.name!r}, to read only the rows in it", "TW213")
