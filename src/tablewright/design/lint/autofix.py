"""Automatic fixes: edits of the design file, for findings where the edit is mechanical.

A fix is a proposal. The caller must load the edited file and check that lint reports one finding
less and no new one. Rules that are not listed have no automatic fix.

    TW202   use the index that sorts by the value; else move it to the sort key; else add an index
    TW205   end the prefix with the delimiter
    TW304   remove consistent
    TW506   remove atomic=False
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
from tablewright.design.lint.source_edits import Edit, Source, keyword_of
from tablewright.design.patterns.index_selection import serve

if TYPE_CHECKING:
    from tablewright.design.findings import Finding
    from tablewright.design.lint.subject import Subject
    from tablewright.design.patterns.pattern_model import Declared

__all__ = ["Fix", "fixes_for"]


@dataclass(frozen=True)
class Fix:
    """One fix for a finding."""

    title: str  # What the edit does; one sentence.
    edits: tuple[Edit, ...]
    note: str = ""  # What happens to stored items; may be empty.


def fixes_for(finding: Finding, subject: Subject, source: Source) -> list[Fix]:
    """The automatic fixes for a finding, smallest edit first."""
    maker = _MAKERS.get(finding.code)
    return list(maker(finding, subject, source)) if maker is not None else []


# A range over a partition key.


@dataclass(frozen=True)
class _Ranged:
    """A pattern with a range over a partition key."""

    declared: Declared
    entity: Entity[Any]
    field: str  # The Python name of the field with the range.
    equal: frozenset[str]  # The fields with one value.
    call: ast.Call


def _ranges(finding: Finding, subject: Subject, source: Source) -> Iterator[Fix]:
    query = _ranged(finding, subject, source)
    if query is None:
        return
    yield from _other_index(query, source)
    yield from _regrouped(query, finding.place.file, source)
    yield from _new_index(query, finding.place.file, source)


def _ranged(finding: Finding, subject: Subject, source: Source) -> _Ranged | None:
    declared = next((d for d in subject.declared if d.place == finding.place), None)
    call = source.call(finding.place.line, "pattern")
    if declared is None or call is None or len(declared.models) != 1:
        return None
    entity: Entity[Any] = entity_of_model(declared.models[0])
    modes = {entity.names.get(p.name, p.name): p.mode for p in declared.parameters}
    ranged = [field for field, mode in modes.items() if mode == "range"]
    if len(ranged) != 1 or any(mode == "many" for mode in modes.values()):
        return None
    equal = frozenset(field for field in modes if field != ranged[0])
    return _Ranged(declared, entity, ranged[0], equal, call)


def _other_index(query: _Ranged, source: Source) -> Iterator[Fix]:
    """Use another index that already serves the pattern."""
    declared = replace(query.declared, index=None, pk=None, sk=None)
    model, wrong = serve(declared, [query.entity.table])
    if model is None or wrong:
        return
    edits = _free_choice(query.call, source)
    if edits:
        yield Fix(f"Use {model.index}, which sorts by {query.field}.", tuple(edits))


def _free_choice(call: ast.Call, source: Source) -> list[Edit]:
    """The pattern without its explicit index and condition."""
    tied = [keyword_of(call, name) for name in ("index", "pk", "sk")]
    return [source.without_keyword(call, each) for each in tied if each is not None]


def _regrouped(query: _Ranged, file: str, source: Source) -> Iterator[Fix]:
    """Move the value from the partition key of the index to the front of its sort key."""
    entity = query.entity
    call = source.call(entity.place.line, "entity") if entity.place.file == file else None
    for name, face in entity.faces.items():
        is_asked = query.declared.index in (None, name)
        if not name or not is_asked or call is None or query.declared.pk is not None:
            continue
        texts = _moved(query, face)
        nodes = _templates(call, name)
        if texts is None or nodes is None:
            continue
        if [source.text_of(node) for node in nodes] != [part.text for part in face.parts]:
            continue
        pairs = zip(nodes, texts, strict=True)
        yield Fix(
            f"Sort {name} by {query.field}, with the partition key {texts[0]}.",
            tuple(source.rewritten(node, text) for node, text in pairs),
            f"Each stored {entity.name} keeps its old keys in {name} until it is saved again.",
        )


def _moved(query: _Ranged, face: Face) -> tuple[str, str] | None:
    """The templates of the index with the value in the sort key; None if impossible."""
    if len(face.partition) != 1 or len(face.sort) != 1:
        return None
    own = {attribute.name for attribute in query.entity.attributes.values()}
    if own & {part.attribute.name for part in face.parts}:
        return None  # The key is an attribute of the model and cannot contain anything else.
    delimiter = query.entity.table.delimiter
    words = face.partition[0].text.split(delimiter)
    places = [at for at, word in enumerate(words) if _field_in(word, query) == query.field]
    if len(places) != 1:
        return None
    at = places[0]
    first = at - 1 if at and "{" not in words[at - 1] else at
    moved, rest = words[first : at + 1], words[:first] + words[at + 1 :]
    left = {_field_in(word, query) for word in rest if "{" in word}
    if not left or not left <= query.equal:
        return None
    sort = face.sort[0].text
    if query.field not in face.sort[0].template.fields:
        sort = delimiter.join([*moved, sort])
    return delimiter.join(rest), sort


def _field_in(word: str, query: _Ranged) -> str | None:
    """The field of a template part that is only a field."""
    matched = re.fullmatch(r"\{([^{}:]+)(:[^{}]*)?\}", word)
    return query.entity.names.get(matched[1]) if matched else None


def _templates(call: ast.Call, name: str) -> list[ast.expr] | None:
    """The two templates of an index in an entity's declaration."""
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


def _new_index(query: _Ranged, file: str, source: Source) -> Iterator[Fix]:
    """Add an index for the pattern."""
    entity, table = query.entity, query.entity.table
    if {entity.place.file, table.place.file} != {file}:
        return
    declared = source.call(entity.place.line, "entity")
    table_call = source.call(table.place.line, "Table")
    imported = _imported(source)
    name = _free_name(query)
    if declared is None or table_call is None or imported is None or name is None:
        return
    delimiter = table.delimiter
    label = entity.type_name or entity.name.upper()
    values = [
        entity.attributes[field].name for field in sorted(query.equal & entity.attributes.keys())
    ]
    below = delimiter.join([label, *(f"{{{value}}}" for value in values)])
    used = query.equal | {query.field}
    rest = [f for part in entity.faces[""].parts for f in part.template.fields if f not in used]
    by = [entity.attributes[f].name for f in (query.field, *rest) if f in entity.attributes]
    sort = delimiter.join(f"{{{each}}}" for each in dict.fromkeys(by))
    index = f'Index("{name}", "{name}PK", "{name}SK")'
    yield Fix(
        f"Add an index {name} that sorts by {query.field}, with the partition key {below}.",
        (
            *imported,
            _with_index(table_call, index, source),
            source.with_keyword(declared, f'{name}=("{below}", "{sort}")'),
            *_free_choice(query.call, source),
        ),
        f"The index must be added to the table. A stored {entity.name} is in it only after it "
        "is saved again.",
    )


def _with_index(table_call: ast.Call, index: str, source: Source) -> Edit:
    known = keyword_of(table_call, "indexes")
    if known is None or not isinstance(known.value, ast.List) or not known.value.elts:
        if known is not None:
            return Edit(source.start(known.value), source.end(known.value), f"[{index}]")
        return source.with_keyword(table_call, f"indexes=[{index}]")
    return source.behind(known.value.elts[-1], index, known.value.lineno)


def _free_name(query: _Ranged) -> str | None:
    table = query.entity.table
    own = {attribute.name for entity in table.entities for attribute in entity.attributes.values()}
    camel = to_camel(query.field)
    for name in (f"by{camel[:1].upper()}{camel[1:]}", to_camel(query.declared.name)):
        if name not in table.indexes and not own & {f"{name}PK", f"{name}SK"}:
            return name
    return None


def _imported(source: Source) -> list[Edit] | None:
    """The edit that imports Index; None if that is not clear."""
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "tablewright" and not node.level:
            if any(each.name == "Index" and each.asname in (None, "Index") for each in node.names):
                return []
            place = source.start(node.names[0])
            return [Edit(place, place, "Index, ")]
    return None


# Single arguments, and comments.


def _prefix(finding: Finding, subject: Subject, source: Source) -> Iterator[Fix]:
    declared = next((d for d in subject.declared if d.place == finding.place), None)
    call = source.call(finding.place.line, "pattern")
    keyword = keyword_of(call, "sk") if call is not None else None
    if declared is None or keyword is None:
        return
    text = source.text_of(keyword.value)
    if text:
        delimiter = entity_of_model(declared.models[0]).table.delimiter
        edit = source.rewritten(keyword.value, text + delimiter)
        yield Fix(f"End the prefix with {delimiter}.", (edit,))


def _without(function: str, name: str) -> Callable[[Finding, Subject, Source], Iterator[Fix]]:
    """A fix that removes an argument."""

    def maker(finding: Finding, _subject: Subject, source: Source) -> Iterator[Fix]:
        call = source.call(finding.place.line, function)
        keyword = keyword_of(call, name) if call is not None else None
        if call is not None and keyword is not None:
            yield Fix(f"Remove {name}.", (source.without_keyword(call, keyword),))

    return maker


_IGNORE: Final = re.compile(rb"[ \t]*#\s*tw:\s*ignore\[\s*[A-Z0-9]+\s*\][^\r\n]*")


def _comment(finding: Finding, _subject: Subject, source: Source) -> Iterator[Fix]:
    """Delete the comment, unless it also suppresses other findings."""
    line = source.lines[finding.place.line - 1]
    matched = _IGNORE.search(line)
    if matched is None:
        return
    start = source.line_start(finding.place.line)
    is_whole = not line[: matched.start()].strip()
    end = start + (len(line) if is_whole else matched.end())
    edit = Edit(start if is_whole else start + matched.start(), end, "")
    yield Fix("Delete the comment.", (edit,))


_MAKERS: Final[dict[str, Callable[[Finding, Subject, Source], Iterator[Fix]]]] = {
    "TW202": _ranges,
    "TW205": _prefix,
    "TW304": _without("pattern", "consistent"),
    "TW506": _without("derive", "atomic"),
    "TW902": _comment,
}
