"""Selects the index of a pattern, and proves that the query returns only the declared entities.

The table and each index are tried in turn. If none fits, the finding lists the reason for each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.design.entity import Entity, Face, KeyPart, entity_of_model
from tablewright.design.findings import Finding
from tablewright.design.pattern_model import Declared, PatternModel, SortRule
from tablewright.design.table_definition import Index, KeyAttribute
from tablewright.errors import KeyTemplateError
from tablewright.keys.algebra import examples, reach
from tablewright.keys.codecs import Codec, codec_for
from tablewright.keys.template import Template

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = ["serve"]

_ONE_ROW = ("get", "batch_get")


class _Misfit(Exception):
    """An index cannot serve a pattern."""

    def __init__(self, reason: str, code: str | None = "TW201", example: str = "") -> None:
        super().__init__(reason)
        self.example = example
        self.code = code  # None if the entity is not in the index.


class Leak(NamedTuple):
    """A row of another entity that the query also returns."""

    entity: Entity[Any]
    key: tuple[str, ...]


def serve(declared: Declared, tables: Sequence[Table]) -> tuple[PatternModel | None, list[Finding]]:
    """The pattern with its index, or None and the findings."""
    try:
        entities = tuple(entity_of_model(model) for model in declared.models)
    except LookupError as error:
        return None, [_finding(declared, "TW112", f"{error}.")]
    owners = {entity.table.name: entity.table for entity in entities}
    if len(owners) != 1 or entities[0].table not in tables:
        return None, [
            _finding(declared, "TW208", "its entities are not in one table of the design.")
        ]
    table = entities[0].table
    if declared.index is not None and declared.index not in table.indexes:
        return None, [_finding(declared, "TW306", f"the table has no index {declared.index!r}.")]
    indexes = table.all_indexes if declared.index is None else [table.index(declared.index)]
    if declared.pk is not None or declared.sk is not None:
        return _serve_as_written(declared, table, entities, indexes[0])
    return _choose(declared, table, entities, indexes)


def _choose(
    declared: Declared, table: Table, entities: tuple[Entity[Any], ...], indexes: Sequence[Index]
) -> tuple[PatternModel | None, list[Finding]]:
    reasons: list[tuple[Index, _Misfit]] = []
    leaking: list[tuple[PatternModel, list[Leak]]] = []
    for index in indexes:
        try:
            candidates = _candidates(declared, table, entities, index)
        except _Misfit as misfit:
            reasons.append((index, misfit))
            continue
        for pattern in candidates:
            leaks = leaks_of(pattern)
            if not leaks:
                return pattern, []
            leaking.append((pattern, leaks))
    if leaking:
        pattern, leaks = leaking[0]
        return pattern, [_leak_finding(pattern, leaks)]
    codes = {misfit.code for _, misfit in reasons if misfit.code is not None}
    code = codes.pop() if len(codes) == 1 else "TW201"
    listed = "; ".join(f"{index}: {misfit}" for index, misfit in reasons)
    example = next((misfit.example for _, misfit in reasons if misfit.code == code), "")
    cause = f"no index serves it. {listed}."
    return None, [_finding(declared, code, cause, example=example)]


def _candidates(
    declared: Declared, table: Table, entities: tuple[Entity[Any], ...], index: Index
) -> list[PatternModel]:
    """The key conditions with which an index can serve the pattern, simplest first."""
    faces = []
    for entity in entities:
        if index.name not in entity.faces:
            raise _Misfit(f"{entity.name} is not in this index", None)
        faces.append(entity.faces[index.name])
    bound = _bound_fields(declared, entities)
    partition = _partition(faces, bound)
    used = {field for part in partition for field in part.template.fields}
    rest = [field for field in bound if field not in used]
    leading, rules = _sort_rules(declared, faces, rest, bound)
    return [
        PatternModel(declared, table, index, entities, partition, leading, rule) for rule in rules
    ]


def _bound_fields(declared: Declared, entities: Sequence[Entity[Any]]) -> dict[str, str]:
    """How each parameter binds its field, by Python field name."""
    bound: dict[str, str] = {}
    for parameter in declared.parameters:
        field = entities[0].names.get(parameter.name)
        if field is None:
            raise _Misfit(f"{entities[0].name} has no {parameter.name}", "TW207")
        bound[field] = parameter.mode
    return bound


def _partition(faces: Sequence[Face], bound: dict[str, str]) -> tuple[KeyPart, ...]:
    for face in faces:
        for part in face.partition:
            fields = part.template.fields
            ranged = [field for field in fields if bound.get(field) == "range"]
            if ranged:
                raise _Misfit(
                    f"{ranged[0]} is in the partition key {part.attribute.name}, "
                    "which can only be compared with =",
                    "TW202",
                    f"{part.attribute.name} BETWEEN … fails with ValidationException",
                )
            missing = [field for field in fields if field not in bound]
            if missing:
                raise _Misfit(f"the partition key {part.text} also needs {', '.join(missing)}")
    first = faces[0].partition
    for face in faces[1:]:
        if [part.template.text for part in face.partition] != [p.template.text for p in first]:
            raise _Misfit("the entities have different partition keys")
    return first


def _sort_rules(
    declared: Declared, faces: Sequence[Face], rest: list[str], bound: dict[str, str]
) -> tuple[tuple[KeyPart, ...], list[SortRule]]:
    parts = list(faces[0].sort)
    leading: list[KeyPart] = []
    while len(parts) > 1 and set(parts[0].template.fields) <= set(rest):
        part = parts.pop(0)
        leading.append(part)
        rest = [field for field in rest if field not in part.template.fields]
    if not parts:
        if rest:
            raise _Misfit(f"there is no sort key for {', '.join(rest)}")
        return (), [SortRule("none")]
    part = parts[0]
    _require_leading(part, rest)
    if declared.kind in _ONE_ROW:
        missing = [field for field in part.template.fields if field not in rest]
        if missing or len(parts) > 1:
            raise _Misfit(
                f"{part.text} also needs {', '.join(missing) or parts[-1].text} for one row"
            )
        return tuple(leading), [SortRule("equals", part)]
    if rest and bound[rest[-1]] == "range":
        if part.attribute.type == "S" and not part.template.is_order_kept(rest[-1]):
            raise _Misfit(f"the sort key {part.text} does not sort by {rest[-1]}")
        return tuple(leading), [SortRule("range", part, tuple(rest[:-1]), rest[-1])]
    if part.attribute.type != "S":
        return tuple(leading), [SortRule("equals", part) if rest else SortRule("none")]
    if set(part.template.fields) == set(rest) and len(faces) == 1:
        return tuple(leading), [SortRule("equals", part)]
    return tuple(leading), _prefix_rules(faces, part, tuple(rest))


def _require_leading(part: KeyPart, rest: list[str]) -> None:
    """Require that the bound fields are the first fields of the sort key, in any order."""
    expected = list(part.template.fields[: len(rest)])
    stray = [field for field in rest if field not in part.template.fields]
    if stray:
        raise _Misfit(f"{', '.join(stray)} is not part of the sort key {part.text}")
    if set(expected) != set(rest):
        raise _Misfit(f"the sort key {part.text} begins with {expected[0]}, not with {rest[0]}")
    rest.sort(key=expected.index)


def _prefix_rules(faces: Sequence[Face], part: KeyPart, bound: tuple[str, ...]) -> list[SortRule]:
    if len(faces) > 1 and not bound:
        texts = {face.sort[0].template.text for face in faces}
        return [SortRule("none")] if len(texts) > 1 else [SortRule("prefix", part)]
    rules = []
    if bound or part.template.prefix({}):
        rules.append(SortRule("prefix", part, bound))
    else:
        rules.append(SortRule("none"))
    # By type: times begin with a digit, so a range separates them from "REACTION#…".
    if len(part.template.fields) > len(bound):
        rules.append(SortRule("typed", part, bound))
    return rules


# Proof that no other entity is returned.


def leaks_of(pattern: PatternModel) -> list[Leak]:
    """Rows of other entities that the pattern's key condition matches for some arguments."""
    return [
        Leak(entity, key)
        for entity in pattern.table.entities
        if entity not in pattern.entities
        and (face := entity.faces.get(pattern.index.name)) is not None
        and (key := reached(pattern, face)) is not None
    ]


def reached(pattern: PatternModel, face: Face) -> tuple[str, ...] | None:
    """An example key of a face that the pattern's condition matches, or None."""
    return reach(pattern.key_areas(), face.texts)


def _leak_finding(pattern: PatternModel, leaks: list[Leak]) -> Finding:
    names = ", ".join(leak.entity.name for leak in leaks)
    first = leaks[0]
    return _finding(
        pattern.declared,
        "TW203",
        f"{pattern.condition_text()} also returns {names}.",
        consequence="Callers get rows of other entities, pages have fewer usable rows, and every "
        "row is paid for.",
        example=f"the key {' / '.join(first.key)} of {first.entity.name} matches it",
        fix="Give the two entities different sort key prefixes.",
    )


# Explicit conditions (pk=… and sk=…).

_PLACEHOLDER = re.compile(r"\{([^{}:]+)")


def _serve_as_written(
    declared: Declared, table: Table, entities: tuple[Entity[Any], ...], index: Index
) -> tuple[PatternModel | None, list[Finding]]:
    face = next((e.faces[index.name] for e in entities if index.name in e.faces), None)
    pk = declared.pk if declared.pk is not None else (face.partition[0].text if face else "")
    parameters = {parameter.name: parameter for parameter in declared.parameters}
    findings = []
    parts = []
    texts = [pk, declared.sk] if declared.sk else [pk]
    for attribute, text in zip(index.attributes, texts, strict=False):
        part, wrong = _written_part(declared, entities[0], attribute, text, parameters)
        findings += wrong
        parts.append(part)
    if None in parts:
        return None, _with_neighbours(findings, declared, entities, index, parts[0])
    partition, *sort = [part for part in parts if part is not None]
    rule = SortRule("none")
    if sort and declared.sk:
        is_whole = declared.kind in _ONE_ROW or (
            face is not None and face.sort[0].text == sort[0].text and sort[0].template.is_literal
        )
        rule = SortRule("equals" if is_whole else "prefix", sort[0], sort[0].template.fields)
    pattern = PatternModel(declared, table, index, entities, (partition,), (), rule)
    return pattern, findings + _written_findings(pattern)


def _with_neighbours(
    findings: list[Finding],
    declared: Declared,
    entities: tuple[Entity[Any], ...],
    index: Index,
    partition: KeyPart | None,
) -> list[Finding]:
    """The findings about an invalid sort condition, with an example of what else matches."""
    if partition is None:
        return findings
    table = entities[0].table
    whole = PatternModel(declared, table, index, entities, (partition,), (), SortRule("none"))
    names = ", ".join(leak.entity.name for leak in leaks_of(whole))
    if not names:
        return findings
    example = f"without it {partition.attribute.name} = {partition.text} also returns {names}"
    return [replace(finding, example=finding.example or example) for finding in findings]


def _written_part(
    declared: Declared,
    entity: Entity[Any],
    attribute: KeyAttribute,
    text: str,
    parameters: dict[str, Any],
) -> tuple[KeyPart | None, list[Finding]]:
    names = {name: entity.names.get(name, name) for name in _PLACEHOLDER.findall(text)}
    bound = {entity.names.get(name, name): p for name, p in parameters.items()}
    unbound = [name for name, field in names.items() if field not in bound]
    if unbound:
        return None, [
            _finding(
                declared,
                "TW206",
                f"the condition on {attribute.name} needs {', '.join(unbound)}, which is not a "
                "parameter.",
                consequence="A query needs the value of every part of its prefix.",
                fix="Add a parameter for the part, or query the range of its type.",
            )
        ]

    def codec(field: str, spec: str) -> Codec:
        about = entity.attributes.get(field)
        annotation = about.annotation if about else bound[field].annotation
        table = entity.table
        return codec_for(annotation, spec, delimiter=table.delimiter, unchecked=table.unchecked)

    python_text = re.sub(r"\{([^{}:]+)", lambda m: "{" + names[m[1]], text)
    try:
        template = Template.compile(python_text, codec, entity.table.delimiter)
    except KeyTemplateError as error:
        return None, [_finding(declared, "TW109", str(error))]
    return KeyPart(attribute, template, text), []


def _written_findings(pattern: PatternModel) -> list[Finding]:
    declared, rule = pattern.declared, pattern.sort
    findings = []
    missed = [
        entity.name
        for entity in pattern.entities
        if (face := entity.faces.get(pattern.index.name)) is None or reached(pattern, face) is None
    ]
    if missed:
        findings.append(
            _finding(
                declared,
                "TW204",
                f"{pattern.condition_text()} never matches {', '.join(missed)}: no row has such "
                "a key.",
                consequence="The result is always empty.",
                example="; ".join(_stored_under(entity) for entity in pattern.entities),
                fix="Store the entity under that key, or query the key that it has.",
            )
        )
    elif leaks := leaks_of(pattern):
        findings.append(_leak_finding(pattern, leaks))
    if rule.kind == "prefix" and rule.part is not None:
        template = rule.part.template
        if template.fields and template.prefix_ends_in_field(rule.bound):
            sample = template.prefix(examples(template))
            findings.append(
                _finding(
                    declared,
                    "TW205",
                    f"the prefix {rule.part.text} ends inside a value, before the delimiter.",
                    consequence="It also matches longer values.",
                    example=f"begins_with {sample!r} matches {sample + 'bar'!r}",
                    fix="End the prefix with the delimiter.",
                )
            )
    return findings


def _stored_under(entity: Entity[Any]) -> str:
    keys = " / ".join(part.text for part in entity.faces[""].parts)
    return f"{entity.name} is stored under {keys}"


def _finding(
    declared: Declared,
    code: str,
    cause: str,
    *,
    consequence: str = "",
    example: str = "",
    fix: str = "",
) -> Finding:
    return Finding(code, "error", declared.name, cause, consequence, example, fix, declared.place)
