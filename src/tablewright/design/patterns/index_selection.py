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
from tablewright.design.patterns.key_conditions import Refusal, key_conditions
from tablewright.design.patterns.pattern_model import Declared, PatternModel, SortRule
from tablewright.design.table_definition import Index, KeyAttribute
from tablewright.errors import KeyTemplateError
from tablewright.keys.algebra import examples, reach
from tablewright.keys.beginnings import Beginning
from tablewright.keys.codecs import Codec, codec_for
from tablewright.keys.template import Template

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = ["serve"]

_ONE_ROW = ("get", "batch_get")
_EACH = ("batch_get", "fan_out")


class Leak(NamedTuple):
    """A row of another entity that the query also returns."""

    entity: Entity[Any]
    key: tuple[str, ...]


def serve(declared: Declared, tables: Sequence[Table]) -> tuple[PatternModel | None, list[Finding]]:
    """The pattern with its index, or None and the findings."""
    try:
        entities = tuple({entity_of_model(model): None for model in declared.models})
    except LookupError as error:
        return None, [_finding(declared, "TW112", f"{error}.")]
    owners = {entity.table.name: entity.table for entity in entities}
    if len(owners) != 1 or entities[0].table not in tables:
        return None, [
            _finding(declared, "TW208", "its entities are not in one table of the design.")
        ]
    table = entities[0].table
    # The order in which a union names its entities means nothing.
    entities = tuple(entity for entity in table.entities if entity in entities)
    if declared.index is not None and declared.index not in table.indexes:
        return None, [_finding(declared, "TW306", f"the table has no index {declared.index!r}.")]
    if wrong := _unfit_parameters(declared):
        return None, [_finding(declared, "TW214", wrong)]
    indexes = table.all_indexes if declared.index is None else [table.index(declared.index)]
    if declared.pk is not None or declared.sk is not None:
        return _serve_as_written(declared, table, entities, indexes[0])
    return _choose(declared, table, entities, indexes)


def _unfit_parameters(declared: Declared) -> str:
    """Why the operation cannot have these parameters; empty if it can."""
    many = [parameter.name for parameter in declared.parameters if parameter.mode == "many"]
    ranges = [parameter.name for parameter in declared.parameters if parameter.mode == "range"]
    if declared.kind in _EACH and not many:
        return "it returns the rows of many values, but no parameter has many: write Sequence[…]."
    if declared.kind not in _EACH and many:
        return f"{many[0]} has many values, which only BatchGet[…] and FanOut[…] can take."
    if declared.kind in _ONE_ROW and ranges:
        return f"{ranges[0]} is a range, but one row has one value."
    if len(ranges) > 1:
        return f"{' and '.join(ranges)} are ranges, but a condition can have one range."
    return ""


def _choose(
    declared: Declared, table: Table, entities: tuple[Entity[Any], ...], indexes: Sequence[Index]
) -> tuple[PatternModel | None, list[Finding]]:
    refusals: list[tuple[Index, Refusal]] = []
    leaking: list[tuple[PatternModel, list[Leak]]] = []
    for index in indexes:
        conditions = key_conditions(declared, entities, index)
        if isinstance(conditions, Refusal):
            refusals.append((index, conditions))
            continue
        for condition in conditions:
            pattern = PatternModel(declared, table, index, entities, *condition)
            leaks = leaks_of(pattern)
            if not leaks:
                return pattern, []
            leaking.append((pattern, leaks))
    if leaking:
        pattern, leaks = leaking[0]
        return pattern, [_leak_finding(pattern, leaks)]
    # The reason that is more specific than a missing key part.
    codes = {refusal.code for _, refusal in refusals if refusal.code not in (None, "TW201")}
    code = (codes.pop() if len(codes) == 1 else None) or "TW201"
    listed = "; ".join(f"{index}: {refusal.reason}" for index, refusal in refusals)
    example = next((refusal.example for _, refusal in refusals if refusal.code == code), "")
    cause = f"no index serves it. {listed}."
    return None, [_finding(declared, code, cause, example=example)]


# Proof that no other entity is returned.


def leaks_of(pattern: PatternModel) -> list[Leak]:
    """Rows of other entities that the pattern's key condition matches for some arguments."""
    name, query = pattern.index.name, pattern.key_areas()
    return [
        Leak(entity, key)
        for entity in pattern.table.entities_near(name, query.areas)
        if entity not in pattern.entities
        and (key := reach(query, entity.faces[name].texts)) is not None
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
        beginning = Beginning(sort[0].template.parts, ((),))
        rule = SortRule("equals" if is_whole else "prefix", sort[0], beginning)
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
    if rule.kind == "prefix" and rule.part is not None and rule.beginning.ends_in_field:
        sample = rule.beginning.text(examples(rule.part.template))
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
