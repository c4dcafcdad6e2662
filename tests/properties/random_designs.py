"""Random designs, rows and access patterns, made to collide: short literals and close values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from random import Random
from typing import Any, Literal

from pydantic import create_model

from tablewright import BatchGet, Count, FanOut, Get, Index, Keys, Model, Query, Range, Table
from tablewright.design.entity import _ENTITIES, Entity, Face
from tablewright.design.findings import Finding, Place
from tablewright.design.patterns.pattern_model import Declared, Mode, Parameter
from tablewright.design.proofs import prove_table

__all__ = ["Case", "Design", "forget", "random_cases", "random_design"]

HERE = Place(__file__, 1)
Kind = Literal["x", "y"]
# By field: its type and a few values that are easily confused with each other.
VALUES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "a": (str, ("0", "0!", "01", "A", "z")),
    "b": (str, ("0", "0!", "A1", "a1", "~")),
    "n": (int, (0, 1, 7, 12)),
    "kind": (Kind, ("x", "y")),
    "day": (date, (date(2026, 1, 1), date(2026, 1, 2), date(2026, 12, 31))),
    "at": (
        datetime,
        (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
    ),
    "opt": (str | None, (None, "0", "1")),
}
# The second type that a field has in some entities.
OTHER_TYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {"a": (int, (0, 1)), "n": (str, ("0", "12"))}
LITERALS = ("A", "A#", "AB#", "B#", "META", "0", "#", "2026", "x#")
SPECS = {"n": ("{n:02}",), "b": ("{b}", "{b:lower}", "{b:escaped}")}


@dataclass
class Design:
    """A table without errors, its rows, and the findings about the entities left out."""

    table: Table
    rows: list[Model] = field(default_factory=list)
    refused: list[tuple[Finding, list[str]]] = field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """A pattern that a design may or may not allow."""

    declared: Declared

    def arguments(self, rng: Random) -> dict[str, Any]:
        return {p.name: _argument(rng, p) for p in self.declared.parameters}


@dataclass(frozen=True)
class _Plan:
    name: str
    fields: dict[str, tuple[Any, tuple[Any, ...]]]
    keys: dict[str, tuple[str, str]]
    model: Any


def random_design(rng: Random, name: str, *, entities_max: int = 12) -> Design:
    """A design whose entities have no errors: those that have are left out, with the finding."""
    indexes = [Index(f"GSI{n}", pk=f"G{n}PK", sk=f"G{n}SK") for n in range(rng.randint(0, 3))]
    # Keys of different entities share beginnings, as in real designs.
    stems = [_template(rng, "ab", literals=(1, 2), fields=(0, 1)) for _ in range(2)]
    sorts = [_template(rng, "abn", literals=(0, 1), fields=(1, 2)) for _ in range(2)]
    plans = [
        _plan(rng, f"E{number}", [index.name for index in indexes], stems, sorts)
        for number in range(rng.randint(2, entities_max))
    ]
    design = Design(Table(name, indexes=indexes))
    while True:
        entities = {plan.name: _declare(design.table, plan) for plan in plans}
        findings = prove_table(design.table)
        if not findings:
            break
        subjects = [finding.subject.split(", ") for finding in findings]
        design.refused += zip(findings, subjects, strict=True)
        wrong = {names[-1] for names in subjects}  # Of two that collide, the second.
        plans = [plan for plan in plans if plan.name not in wrong]
        forget(design.table)
        design.table = Table(name, indexes=indexes)
    for plan in plans:
        made = entities[plan.name]
        design.rows += _rows(rng, made, plan) if made is not None else []
    return design


def forget(table: Table) -> None:
    """Let its models be declared again, and do not keep them in memory."""
    for entity in table.entities:
        _ENTITIES.pop(entity.model, None)


def _plan(
    rng: Random,
    name: str,
    indexes: Sequence[str],
    stems: Sequence[str],
    sorts: Sequence[str],
) -> _Plan:
    fields = dict(VALUES)
    fields |= {name: about for name, about in OTHER_TYPES.items() if rng.random() < 0.1}
    keys = {"": (_stem(rng, stems), _sort(rng, sorts, "abnkinddayat"))}
    for index in indexes:
        if rng.random() < 0.7:
            keys[index] = (_stem(rng, stems), _sort(rng, sorts, "abnkinddayatopt"))
    types: Any = {field: (kind, ...) for field, (kind, _) in fields.items()}
    return _Plan(name, fields, keys, create_model(name, __base__=Model, **types))


def _stem(rng: Random, stems: Sequence[str]) -> str:
    if rng.random() < 0.8:
        return _respelt(rng, rng.choice(stems))
    return _template(rng, "ab", literals=(1, 1), fields=(0, 1))


def _sort(rng: Random, sorts: Sequence[str], names: str) -> str:
    if rng.random() < 0.5:
        return _template(rng, names, (0, 3), (0, 3))
    tail = rng.choice(("", "", "#" + _template(rng, names, (0, 2), (0, 2))))
    return _respelt(rng, rng.choice(sorts)) + tail


def _respelt(rng: Random, text: str) -> str:
    """The same template, now and then with another format of a field."""
    for spelling in SPECS["b"]:
        if spelling in text and rng.random() < 0.15:
            return text.replace(spelling, rng.choice(SPECS["b"]))
    return text


def _template(rng: Random, names: str, literals: tuple[int, int], fields: tuple[int, int]) -> str:
    known = [name for name in VALUES if name in names]
    words = [rng.choice(LITERALS) for _ in range(rng.randint(*literals))]
    chosen = rng.sample(known, min(len(known), rng.randint(*fields)))
    parts = [rng.choice(SPECS.get(name, (f"{{{name}}}",))) for name in chosen]
    # Fields are separated by the delimiter, or the template would not compile.
    text = "".join(words[:1]) + "#".join(parts)
    tail = "".join(words[1:])
    return (text + ("#" if parts and tail else "") + tail) or "ROW"


def _declare(table: Table, plan: _Plan) -> Entity[Any] | None:
    before = len(table.entities)
    pk, sk = plan.keys[""]
    indexes = {name: Keys(*keys) for name, keys in plan.keys.items() if name}
    table.entity(pk, sk, indexes=indexes)(plan.model)
    return table.entities[-1] if len(table.entities) > before else None


def _rows(rng: Random, entity: Entity[Any], plan: _Plan) -> list[Model]:
    rows: dict[str, Model] = {}
    for _ in range(8):
        row = entity.model(**{name: rng.choice(v) for name, (_, v) in plan.fields.items()})
        rows[str(entity.key_of(row))] = row
    return list(rows.values())


def random_cases(rng: Random, design: Design, count: int) -> list[Case]:
    return [_case(rng, design, number) for number in range(count)]


def _case(rng: Random, design: Design, number: int) -> Case:
    table = design.table
    leader = rng.choice(table.entities)
    face = rng.choice(list(leader.faces.values()))
    # Mostly entities of one partition, and the first fields of their keys, so that many patterns
    # are allowed.
    others = [
        entity
        for entity in table.entities
        if entity is not leader
        and (rng.random() < 0.1 or _partition(entity, face.index.name) == _partition_of(face))
    ]
    others = rng.sample(others, min(len(others), rng.choice((0, 1, 1, 2))))
    models = [entity.model for entity in (leader, *others)]
    rng.shuffle(models)
    operation: Any = rng.choice((*[Query] * 6, Get, Get, Count, FanOut, BatchGet))
    names = [field for part in face.partition for field in part.template.fields]
    sort = [field for part in face.sort for field in part.template.fields]
    names += sort[: rng.randint(0, len(sort))]
    if rng.random() < 0.1:
        names = rng.sample(list(VALUES), rng.randint(0, 3))
    names = list(dict.fromkeys(names))
    parameters = []
    for place, name in enumerate(names):
        mode: Mode = "one"
        if place == len(names) - 1 and rng.random() < 0.3:
            mode = "range"
        if operation in (FanOut, BatchGet) and place == 0:
            mode = "many"
        parameters.append(Parameter(name, VALUES[name][0], mode))
    index = rng.choice(list(table.indexes)) if table.indexes and rng.random() < 0.3 else None
    return Case(
        Declared(
            f"pattern{number}",
            operation.pattern_kind,
            tuple(models),
            tuple(parameters),
            HERE,
            index=index,
            is_descending=rng.random() < 0.2,
            operation=operation,
        )
    )


def _partition(entity: Entity[Any], index: str) -> list[str] | None:
    return _partition_of(entity.faces[index]) if index in entity.faces else None


def _partition_of(face: Face) -> list[str]:
    return [part.text for part in face.partition]


def _argument(rng: Random, parameter: Parameter) -> Any:
    values = [value for value in VALUES[parameter.name][1] if value is not None]
    if parameter.mode == "one":
        return rng.choice(values)
    if parameter.mode == "many":
        return [rng.choice(values)]
    low, high = sorted((rng.choice(values), rng.choice(values)))
    return Range(rng.choice((low, low, None)), rng.choice((high, high, None)))
