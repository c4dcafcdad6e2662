"""The palette: pages, entities, patterns, writes, endpoints, rules and keys by a few letters.

The store is not read. A typed key is a search result whether or not there
is an item.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from tablewright.design.rule_catalog import RULES
from tablewright.errors import KeyTextMismatch
from tablewright.studio.patterns.saved_queries import saved_queries
from tablewright.studio.shell.navigation import NAVIGATION

if TYPE_CHECKING:
    from pathlib import Path

    from tablewright.keys.template import Template
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.system.system_documents import SystemDocument

__all__ = ["Hit", "PaletteView", "palette_view"]

HITS_MAX: Final = 12
KEY_CHARS_MAX: Final = 2048  # Bytes that a partition key may have.


@dataclass(frozen=True)
class Hit:
    """Somewhere to go. Its path is that of the studio, without where that is mounted."""

    kind: str
    label: str
    note: str
    path: str


@dataclass(frozen=True)
class PaletteView:
    """What was found, the best first."""

    text: str
    hits: tuple[Hit, ...]
    total: int


def palette_view(
    design: LoadedDesign, document: SystemDocument | None, folder: Path | None, text: str
) -> PaletteView:
    """What fits a text; without one, the pages."""
    if not text:
        hits = tuple(_pages(design))
        return PaletteView("", hits, len(hits))
    ranked = [
        (rank, hit)
        for hit in _everything(design, document, folder)
        if (rank := _rank(text, hit)) is not None
    ]
    ranked.sort(key=lambda pair: pair[0])  # Stable: what comes first elsewhere comes first here.
    matches = [*_keys(design, text), *[hit for _, hit in ranked]]
    return PaletteView(text, tuple(matches[:HITS_MAX]), len(matches))


# What there is.


def _everything(
    design: LoadedDesign, document: SystemDocument | None, folder: Path | None
) -> Iterator[Hit]:
    here = f"/{design.name}"
    yield from _pages(design)
    for name in design.chips:
        yield Hit(
            "entity", name, "on the map", f"{here}/map?{urlencode({'focus': f'entity:{name}'})}"
        )
    for name in design.pattern_names:
        yield Hit("pattern", name, "read", f"{here}/patterns/{quote(name)}")
    for name in design.write_names:
        yield Hit("write", name, "transaction", f"{here}/writes/{quote(name)}")
    for query in saved_queries(folder, design):
        if not query.error:
            yield Hit("saved", query.name, query.pattern, f"{here}{query.path}")
    if document is not None:
        for operation in document.operations.values():
            place = f"{here}/openapi#{operation.anchor}"
            yield Hit("endpoint", f"{operation.method} {operation.path}", operation.summary, place)
    for code, rule in RULES.items():
        yield Hit("rule", code, rule.title, f"{here}/lint/{code}")


def _pages(design: LoadedDesign) -> Iterator[Hit]:
    for place in NAVIGATION:
        yield Hit("page", place.label, f"g {place.key}", f"/{design.name}{place.path}")


def _keys(design: LoadedDesign, text: str) -> Iterator[Hit]:
    """The collections that a text could be the partition key of."""
    if len(text) > KEY_CHARS_MAX:
        return
    for table, index in design.places:
        faces = [(e.name, e.faces[index.name]) for e in table.entities if index.name in e.faces]
        names = [
            name
            for name, face in faces
            if len(face.partition) == 1 and _can_be(face.partition[0].template, text)
        ]
        if names:
            query = {"table": table.name, "index": index.name, "pk": text}
            query_string = urlencode({name: value for name, value in query.items() if value})
            note = f"{index.name or table.name}: {', '.join(names[:3])}"
            yield Hit("key", text, note, f"/{design.name}/collections?{query_string}")


def _can_be(template: Template, text: str) -> bool:
    # A key of one field alone could be any text at all, and would be found for every word.
    if template.is_plain:
        return False
    try:
        template.parse(text)
    except KeyTextMismatch:
        return False
    return True


# What fits.


def _rank(text: str, hit: Hit) -> tuple[int, int] | None:
    """How well a text fits, less is better; None if it does not."""
    needle, label = text.lower(), hit.label.lower()
    if label.startswith(needle):
        return 0, len(label)
    words = label.replace("_", " ").replace("/", " ").replace(".", " ").split()
    if any(word.startswith(needle) for word in words):
        return 1, len(label)
    if needle in label:
        return 2, len(label)
    both = f"{label} {hit.note} {hit.kind}".lower()
    if all(part in both for part in needle.split()):
        return 3, len(label)
    return None
