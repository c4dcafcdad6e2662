"""How large a row may be: a little less than DynamoDB allows, and the same on every store."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from tablewright.design.entity import entity_of_model
from tablewright.values.sizes import item_size
from tablewright.web.http.problems import Problem

__all__ = ["ROW_BYTES_MAX", "require_small"]

ROW_BYTES_MAX: Final = 400_000
# Rows with less JSON than this are small, whatever they become: names and keys repeat values, but
# a key has 3 KB at most.
_SURELY_SMALL: Final = 20_000


def require_small(row: BaseModel) -> None:
    """Raise 413 for a row that would be too large to store."""
    try:
        if len(row.__pydantic_serializer__.to_json(row)) < _SURELY_SMALL:
            return
    except PydanticSerializationError:
        pass  # Bytes that are no text: the row itself is measured.
    if item_size(entity_of_model(type(row)).item(row)) > ROW_BYTES_MAX:
        raise Problem(413)
