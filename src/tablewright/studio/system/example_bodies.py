"""Example bodies: a minimal value that a JSON schema allows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["example_of"]

Schema = Mapping[str, Any]
_TEXTS: Final = {
    "uuid": "00000000-0000-4000-8000-000000000000",
    "date": "2026-01-31",
    "date-time": "2026-01-31T18:30:00Z",
    "email": "ann@example.org",
    "uri": "https://example.org/",
}
# For texts that have a pattern: a name, a ULID, a day, an id, a code, a picture's type.
_ODD: Final = (
    "text",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    *_TEXTS.values(),
    "lak-eee-10001",
    "100001",
    "image/png",
)
_DEPTH_MAX: Final = 8
_SHOWN: Final = 3  # Of fields that may all be left out.


def example_of(schema: Schema, schemas: Mapping[str, Schema], depth: int = 0) -> Any:
    """A value of a schema; ``schemas`` are those that it refers to."""
    if "$ref" in schema:
        named = schemas.get(str(schema["$ref"]).rpartition("/")[2], {})
        return example_of(named, schemas, depth + 1) if depth < _DEPTH_MAX else None
    for known in ("const", "default"):
        if schema.get(known) not in (None, ""):
            return schema[known]
    for known in ("enum", "examples"):
        if schema.get(known):
            return schema[known][0]
    for joined in ("anyOf", "oneOf", "allOf"):
        if schema.get(joined):
            parts = [part for part in schema[joined] if part.get("type") != "null"]
            return example_of(parts[0], schemas, depth + 1) if parts else None
    if "properties" in schema:
        return _object(schema, schemas, depth)
    return _plain(schema, schemas, depth)


def _object(schema: Schema, schemas: Mapping[str, Schema], depth: int) -> dict[str, Any]:
    """With the fields that are needed; where none is, with the first few."""
    needed = schema.get("required") or list(schema["properties"])[:_SHOWN]
    return {
        name: example_of(schema["properties"].get(name, {}), schemas, depth + 1) for name in needed
    }


def _plain(schema: Schema, schemas: Mapping[str, Schema], depth: int) -> Any:
    kind = schema.get("type")
    if kind == "array":
        item = example_of(schema.get("items", {}), schemas, depth + 1)
        return [item] * max(1, int(schema.get("minItems", 1)))
    if kind in ("integer", "number"):
        smallest = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        # Bounds can be written as 1.0, which strict models do not accept as an integer.
        return int(smallest) if kind == "integer" else smallest
    if kind == "boolean":
        return True
    if kind == "object":
        return {}
    return _text(schema)


def _text(schema: Schema) -> str:
    text = _TEXTS.get(str(schema.get("format", "")), "text")
    if pattern := schema.get("pattern"):
        text = next((odd for odd in (text, *_ODD) if re.search(pattern, odd)), text)
    short = text[: schema.get("maxLength", len(text))]
    return short.ljust(int(schema.get("minLength", 0)), "x")
