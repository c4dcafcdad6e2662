"""Fixes that are edits of the design file, for findings where the edit is mechanical.

A mend is a proposal. It is certain once the edited file is loaded and lint finds one error less and
none that is new; whoever offers it does that first. Rules without an entry here are fixed by hand.

    TW202   ask the index that sorts by the value; else move it into the sort key; else a new index
    TW205   end the prefix with the delimiter
    TW304   leave consistent out
    TW506   leave atomic=False out
    TW902   delete the comment
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pydantic.alias_generators import to_camel

from tablewright.design.entity import Entity, Face, entity_of_model
from tablewright.design.index_selection import serve
from tablewright.design.lint.source_edits import Edit, Source, keyword_of

if TYPE_CHECKING:
    from tablewright.design.findings import Finding
    from tablewright.design.lint.subject import Subject
    from tablewright.design.pattern_model import Declared

__all__ = ["Mend", "mends"]


@dataclass(frozen=True)
class Mend:
    """One way to fix a finding."""

    title: str  # What it does, in a sentence.
    edits: tuple[Edit, ...]
    note: str = ""  # What it means for items that are stored already.


def mends(found: Finding, subject: Subject, source: Source) -> list[Mend]:
    """The ways to fix a finding by edits of its file, the least first."""
    maker = _MAKERS.get(found.code)
    return list(maker(found, subject, source)) if maker is not None else []


# A range over a partition key.


@dataclass(frozen=True)
class _Ranged:
    """A pattern that asks for a range where only equality is possible."""

    declared: Declared
    entity: Entity[Any]
    field: str  # Python's name of what has a range.
    equal: frozenset[str]  # The fields that have one value.
    call: ast.Call


def _ranges(found: Finding, subject: Subject, source: Source) -> Iterator[Mend]:
    asked = _ranged(found, subject, source)
    if asked is None:
        return
    yield from _other_index(asked, source)
    yield from _regrouped(asked, found.place.file, source)
    yield from _new_index(asked, found.place.file, source)


def _ranged(found: Finding, subject: Subject, source: Source) -> _Ranged | None:
    declared = next((d for d in subject.declared if d.place == found.place), None)
    call = source.call(found.place.line, "pattern")
    if declared is None or call is None or len(declared.models) != 1:
        return None
    entity: Entity[Any] = entity_of_model(declared.models[0])
    modes = {entity.names.get(p.name, p.name): p.mode for p in declared.parameters}
    ranged = [field for field, mode in modes.items() if mode == "range"]
    if len(ranged) != 1 or any(mode == "many" for mode in modes.values()):
        return None
    equal = frozenset(field for field in modes if field != ranged[0])
    return _Ranged(declared, entity, ranged[0], equal, call)


def _other_index(asked: _Ranged, source: Source) -> Iterator[Mend]:
    """An index that serves the pattern is there already, and another was named."""
    declared = replace(asked.declared, index=None, pk=None, sk=None)
    model, wrong = serve(declared, [asked.entity.table])
    if model is None or wrong:
        return
    edits = _free_choice(asked.call, source)
    if edits:
        yield Mend(f"Ask {model.index}, which sorts by {asked.field}.", tuple(edits))


def _free_choice(call: ast.Call, source: Source) -> list[Edit]:
    """The pattern without what ties it to an index and a condition."""
    tied = [keyword_of(call, name) for name in ("index", "pk", "sk")]
    return [source.without_keyword(call, each) for each in tied if each is not None]


def _regrouped(asked: _Ranged, file: str, source: Source) -> Iterator[Mend]:
    """The value moves from the partition of the index to the front of its sort key."""
    entity = asked.entity
    call = source.call(entity.place.line, "entity") if entity.place.file == file else None
    for name, face in entity.faces.items():
        is_asked = asked.declared.index in (None, name)
        if not name or not is_asked or call is None or asked.declared.pk is not None:
            continue
        texts = _moved(asked, face)
        nodes = _templates(call, name)
        if texts is None or nodes is None:
            continue
        if [source.text_of(node) for node in nodes] != [part.text for part in face.parts]:
            continue
        pairs = zip(nodes, texts, strict=True)
        yield Mend(
            f"Sort {name} by {asked.field}, below {texts[0]}.",
            tuple(source.rewritten(node, text) for node, text in pairs),
            f"Each stored {entity.name} has the old keys of {name} until it is saved again.",
        )


def _moved(asked: _Ranged, face: Face) -> tuple[str, str] | None:
    """The templates of an index with the value in the sort key; None if that cannot be."""
    if len(face.partition) != 1 or len(face.sort) != 1:
        return None
    own = {attribute.name for attribute in asked.entity.attributes.values()}
    if own & {part.attribute.name for part in face.parts}:
        return None  # The key is an attribute of the model: it holds that and nothing else.
    delimiter = asked.entity.table.delimiter
    words = face.partition[0].text.split(delimiter)
    places = [at for at, word in enumerate(words) if _field_in(word, asked) == asked.field]
    if len(places) != 1:
        return None
    at = places[0]
    first = at - 1 if at and "{" not in words[at - 1] else at
    moved, rest = words[first : at + 1], words[:first] + words[at + 1 :]
    left = {_field_in(word, asked) for word in rest if "{" in word}
    if not left or not left <= asked.equal:
        return None
    sort = face.sort[0].text
    if asked.field not in face.sort[0].template.fields:
        sort = delimiter.join([*moved, sort])
    return delimiter.join(rest), sort


def _field_in(word: str, asked: _Ranged) -> str | None:
    """The field that a part of a template holds, if it is just that."""
    matched = re.fullmatch(r"\{([^{}:]+)(:[^{}]*)?\}", word)
    return asked.entity.names.get(matched[1]) if matched else None


def _templates(call: ast.Call, name: str) -> list[ast.expr] | None:
    """Where the two templates of an index stand in an entity's declaration."""
    keyword = keyword_of(call, name)
    value = keyword.value if keyword is not None else None
    if value is None and (several := keyword_of(call, "indexes")) is not None:
        value = _member(several.value, name)
    if isinstance(value, ast.Tuple):
        return value.elts if len(value.elts) == 2 else None
    if isinstance(value, ast.Call) and len(value.args) == 2:
        return value.args  # Keys("…", "…").
    return None


def _member(value: ast.expr, name: str) -> ast.expr | None:
    if not isinstance(value, ast.Dict):
        return None
    pairs = zip(value.keys, value.values, strict=True)
    return next((v for k, v in pairs if isinstance(k, ast.Constant) and k.value == name), None)


def _new_index(asked: _Ranged, file: str, source: Source) -> Iterator[Mend]:
    """One more index, made for the question."""
    entity, table = asked.entity, asked.entity.table
    if {entity.place.file, table.place.file} != {file}:
        return
    declared = source.call(entity.place.line, "entity")
    made = source.call(table.place.line, "Table")
    imported = _imported(source)
    name = _free_name(asked)
    if declared is None or made is None or imported is None or name is None:
        return
    delimiter = table.delimiter
    label = entity.type_name or entity.name.upper()
    values = [
        entity.attributes[field].name for field in sorted(asked.equal & entity.attributes.keys())
    ]
    below = delimiter.join([label, *(f"{{{value}}}" for value in values)])
    used = asked.equal | {asked.field}
    rest = [f for part in entity.faces[""].parts for f in part.template.fields if f not in used]
    by = [entity.attributes[f].name for f in (asked.field, *rest) if f in entity.attributes]
    sort = delimiter.join(f"{{{each}}}" for each in dict.fromkeys(by))
    index = f'Index("{name}", "{name}PK", "{name}SK")'
    yield Mend(
        f"Add an index {name}, which sorts by {asked.field} below {below}.",
        (
            *imported,
            _with_index(made, index, source),
            source.with_keyword(declared, f'{name}=("{below}", "{sort}")'),
            *_free_choice(asked.call, source),
        ),
        f"The table needs the index, and each {entity.name} that is stored is in it only once it "
        "is saved again.",
    )


def _with_index(made: ast.Call, index: str, source: Source) -> Edit:
    known = keyword_of(made, "indexes")
    if known is None or not isinstance(known.value, ast.List) or not known.value.elts:
        if known is not None:
            return Edit(source.start(known.value), source.end(known.value), f"[{index}]")
        return source.with_keyword(made, f"indexes=[{index}]")
    return source.behind(known.value.elts[-1], index, known.value.lineno)


def _free_name(asked: _Ranged) -> str | None:
    table = asked.entity.table
    own = {attribute.name for entity in table.entities for attribute in entity.attributes.values()}
    camel = to_camel(asked.field)
    for name in (f"by{camel[:1].upper()}{camel[1:]}", to_camel(asked.declared.name)):
        if name not in table.indexes and not own & {f"{name}PK", f"{name}SK"}:
            return name
    return None


def _imported(source: Source) -> list[Edit] | None:
    """What it takes for the file to know Index; None if that is not clear."""
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "tablewright" and not node.level:
            if any(each.name == "Index" and each.asname in (None, "Index") for each in node.names):
                return []
            place = source.start(node.names[0])
            return [Edit(place, place, "Index, ")]
    return None


# Single arguments, and comments.


def _prefix(found: Finding, subject: Subject, source: Source) -> Iterator[Mend]:
    declared = next((d for d in subject.declared if d.place == found.place), None)
    call = source.call(found.place.line, "pattern")
    keyword = keyword_of(call, "sk") if call is not None else None
    if declared is None or keyword is None:
        return
    text = source.text_of(keyword.value)
    if text:
        delimiter = entity_of_model(declared.models[0]).table.delimiter
        edit = source.rewritten(keyword.value, text + delimiter)
        yield Mend(f"End the prefix with {delimiter}.", (edit,))


def _without(function: str, name: str) -> Callable[[Finding, Subject, Source], Iterator[Mend]]:
    """A fix that leaves an argument out."""

    def maker(found: Finding, _subject: Subject, source: Source) -> Iterator[Mend]:
        call = source.call(found.place.line, function)
        keyword = keyword_of(call, name) if call is not None else None
        if call is not None and keyword is not None:
            yield Mend(f"Leave {name} out.", (source.without_keyword(call, keyword),))

    return maker


_IGNORE: Final = re.compile(rb"[ \t]*#\s*tw:\s*ignore\[\s*[A-Z0-9]+\s*\][^\r\n]*")


def _comment(found: Finding, _subject: Subject, source: Source) -> Iterator[Mend]:
    """The comment goes; one that explains other findings as well is left to people."""
    line = source.lines[found.place.line - 1]
    matched = _IGNORE.search(line)
    if matched is None:
        return
    start = source.line_start(found.place.line)
    is_whole = not line[: matched.start()].strip()
    end = start + (len(line) if is_whole else matched.end())
    edit = Edit(start if is_whole else start + matched.start(), end, "")
    yield Mend("Delete the comment.", (edit,))


_MAKERS: Final[dict[str, Callable[[Finding, Subject, Source], Iterator[Mend]]]] = {
    "TW202": _ranges,
    "TW205": _prefix,
    "TW304": _without("pattern", "consistent"),
    "TW506": _without("derive", "atomic"),
    "TW902": _comment,
}
