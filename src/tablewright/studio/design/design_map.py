"""The design map: entities → key templates → table and indexes → access patterns.

Four columns with fixed places, so the picture of a design is always the same. Everything that
belongs to one path has the names of the path's ends in ``on``: the page lights them together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.studio.items.item_row import Segment, template_parts
from tablewright.studio.shell.entity_badges import EntityBadge

if TYPE_CHECKING:
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["Map", "design_map"]

_TOP: Final = 44
_FACE_HEIGHT: Final = 50
_FACE_GAP: Final = 10
_PATTERN_HEIGHT: Final = 26
_PATTERN_GAP: Final = 6
_COLUMNS: Final = {"entity": 64, "face": 250, "index": 640, "pattern": 862}
_WIDTHS: Final = {"entity": 150, "face": 346, "index": 176, "pattern": 298}
WIDTH: Final = 1172
_LINE_CHARS: Final = 46
_NOTE_CHARS: Final = 23
NOT_SERVED: Final = "not served"  # What a pattern is that no index can answer.


@dataclass(frozen=True)
class Box:
    """A node of the map."""

    id: str
    kind: str
    x: int
    y: int
    width: int
    height: int
    label: str
    note: str
    lines: tuple[tuple[Segment, ...], ...]
    chip: EntityBadge | None
    on: tuple[str, ...]
    has_finding: bool


@dataclass(frozen=True)
class Edge:
    """A line between two nodes, as the path of an SVG."""

    path: str
    kind: str  # "key", "index", "pattern" or "derived".
    colour: int
    on: tuple[str, ...]
    has_finding: bool


@dataclass(frozen=True)
class Map:
    """The picture, in the units of its viewBox."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    columns: tuple[tuple[str, int], ...]


class _Drawing:
    """The map while it is made."""

    def __init__(self, design: LoadedDesign) -> None:
        self.design = design
        self.boxes: dict[str, Box] = {}
        self.edges: list[Edge] = []
        self.wrong = {finding.subject for finding in design.report.findings}

    def box(
        self,
        kind: str,
        id: str,  # noqa: A002 (an SVG's word)
        y: int,
        height: int,
        label: str,
        *,
        note: str = "",
        lines: Iterable[tuple[Segment, ...]] = (),
        chip: EntityBadge | None = None,
        on: Iterable[str] = (),
    ) -> None:
        self.boxes[id] = Box(
            id,
            kind,
            _COLUMNS[kind],
            y,
            _WIDTHS[kind],
            height,
            label,
            note,
            tuple(lines),
            chip,
            (id, *on),
            label in self.wrong,
        )

    def edge(self, kind: str, start: str, end: str, colour: int, *on: str) -> None:
        a, b = self.boxes[start], self.boxes[end]
        x1, y1 = a.x + a.width, a.y + a.height / 2
        x2, y2 = b.x, b.y + b.height / 2
        bend = (x2 - x1) / 2
        path = f"M{x1},{y1:g} C{x1 + bend:g},{y1:g} {x2 - bend:g},{y2:g} {x2},{y2:g}"
        is_wrong = a.has_finding or b.has_finding
        self.edges.append(Edge(path, kind, colour, (start, end, *on), is_wrong))

    def arc(self, start: str, end: str, number: int) -> None:
        """A derived entity's line, at the left of its source."""
        a, b = self.boxes[start], self.boxes[end]
        y1, y2 = a.y + a.height / 2, b.y + b.height / 2
        x = a.x - 14 - 8 * (number % 5)
        path = f"M{a.x},{y1:g} C{x},{y1:g} {x},{y2:g} {b.x},{y2:g}"
        colour = a.chip.colour if a.chip is not None else -1
        self.edges.append(Edge(path, "derived", colour, (start, end), has_finding=False))


def design_map(design: LoadedDesign) -> Map:
    """The map of a design."""
    drawing = _Drawing(design)
    below = _draw_entities(drawing)
    end = _draw_patterns(drawing)
    _draw_indexes(drawing, max(below, end))
    _draw_edges(drawing)
    titles = {"entity": "Entities", "face": "Keys", "index": "Table and indexes"}
    columns = [*titles.items(), ("pattern", "Access patterns")]
    return Map(
        WIDTH,
        max(below, end) + 12,
        tuple(drawing.boxes.values()),
        tuple(drawing.edges),
        tuple((title, _COLUMNS[kind]) for kind, title in columns),
    )


def _draw_entities(drawing: _Drawing) -> int:
    """Entities beside their keys; returns where the columns end."""
    design, y = drawing.design, _TOP
    for entity in design.entities.values():
        first = y
        for name, face in entity.faces.items():
            lines = [_joined(face.partition), *([_joined(face.sort)] if face.sort else [])]
            face_id, entity_id = f"face:{entity.name}:{name}", f"entity:{entity.name}"
            drawing.box(
                "face",
                face_id,
                y,
                _FACE_HEIGHT,
                "",
                lines=lines,
                chip=design.chip(entity.name),
                on=[entity_id],
            )
            y += _FACE_HEIGHT + _FACE_GAP
        middle = (first + y - _FACE_GAP - _FACE_HEIGHT) // 2
        derived = design.sources_of(entity)
        drawing.box(
            "entity",
            f"entity:{entity.name}",
            middle,
            _FACE_HEIGHT,
            entity.name,
            note=f"from {derived[0][0]}" if derived else _fields(len(entity.attributes)),
            chip=design.chip(entity.name),
        )
    return y


def _fields(count: int) -> str:
    return f"{count} field{'' if count == 1 else 's'}"


def _joined(parts: Iterable[object]) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    for part in parts:
        segments += [Segment(" / ")] if segments else []
        segments += template_parts(part)  # type: ignore[arg-type]
    return _cut(segments)


def _cut(segments: list[Segment]) -> tuple[Segment, ...]:
    """The segments that fit on a line."""
    room, fitting = _LINE_CHARS, []
    for segment in segments:
        if len(segment.text) > room:
            fitting.append(Segment(f"{segment.text[: max(0, room - 1)]}…", segment.field))
            break
        fitting.append(segment)
        room -= len(segment.text)
    return tuple(fitting)


def _draw_patterns(drawing: _Drawing) -> int:
    design, y = drawing.design, _TOP
    patterns = design.patterns
    if patterns is None:
        return y
    models = patterns.__design__.patterns
    order = [
        name
        for _, index in design.places
        for name in design.pattern_names
        if name in models and models[name].index is index
    ]
    order += [name for name in design.pattern_names if name in patterns.__design__.composed]
    broken = [stub.name for stub in patterns.__design__.declared if stub.name not in models]
    for name in [*order, *broken]:
        if name in broken:
            chip, note, on = None, NOT_SERVED, []
        elif name in models:
            model = models[name]
            chip = design.chip(model.entities[0].name)
            note, on = model.kind.replace("_", " "), [f"entity:{e.name}" for e in model.entities]
            on += [f"face:{e.name}:{model.index.name}" for e in model.entities]
        else:
            chip, note = None, "composed"
            on = [f"pattern:{part}" for part in patterns.__design__.composed[name].parts]
        drawing.box(
            "pattern", f"pattern:{name}", y, _PATTERN_HEIGHT, name, note=note, chip=chip, on=on
        )
        y += _PATTERN_HEIGHT + _PATTERN_GAP
    return y


def _draw_indexes(drawing: _Drawing, height: int) -> None:
    """Each table and index beside the middle of what it serves, none on top of another."""
    design = drawing.design
    places = design.places
    step = _FACE_HEIGHT + 14
    placements = []
    for table, index in places:
        near = [
            box.y + box.height / 2
            for entity in table.entities
            if (box := drawing.boxes.get(f"face:{entity.name}:{index.name}")) is not None
        ]
        placements.append((sum(near) / len(near) if near else height / 2, table, index))
    y = _TOP
    for number, (middle, table, index) in enumerate(
        sorted(placements, key=lambda placement: placement[0])
    ):
        latest = height - (len(placements) - number) * step
        y = int(min(max(y, middle - _FACE_HEIGHT / 2), max(y, latest)))
        keys = " · ".join(part.name for part in index.attributes)
        keys = keys if len(keys) <= _NOTE_CHARS else f"{keys[: _NOTE_CHARS - 1]}…"
        drawing.box(
            "index",
            _index_id(table.name, index.name),
            y,
            _FACE_HEIGHT,
            index.name or table.name,
            note=keys,
        )
        y += step


def _index_id(table: str, index: str) -> str:
    return f"index:{table}/{index}"


def _draw_edges(drawing: _Drawing) -> None:
    design = drawing.design
    arcs = 0
    for entity in design.entities.values():
        colour, entity_id = design.chip(entity.name).colour, f"entity:{entity.name}"
        for name in entity.faces:
            face_id, index_id = f"face:{entity.name}:{name}", _index_id(entity.table.name, name)
            drawing.edge("key", entity_id, face_id, colour)
            drawing.edge("index", face_id, index_id, colour, entity_id)
        for source in dict.fromkeys(source for source, _ in design.sources_of(entity)):
            if f"entity:{source}" in drawing.boxes and source != entity.name:
                drawing.arc(f"entity:{source}", entity_id, arcs)
                arcs += 1
    patterns = design.patterns
    for name, model in (patterns.__design__.patterns if patterns is not None else {}).items():
        chip = design.chip(model.entities[0].name)
        index_id = _index_id(model.table.name, model.index.name)
        on = [
            each
            for e in model.entities
            for each in (f"entity:{e.name}", f"face:{e.name}:{model.index.name}")
        ]
        drawing.edge("pattern", index_id, f"pattern:{name}", chip.colour, *on)
