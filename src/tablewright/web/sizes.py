"""How large a row may be: a little less than DynamoDB allows, and the same on every store."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

from tablewright.design.entity import entity_of_model
from tablewright.values.sizes import item_size
from tablewright.web.problems import Problem

__all__ = ["ROW_BYTES_MAX", "require_small"]

ROW_BYTES_MAX: Final = 400_000


def require_small(row: BaseModel) -> None:
    """Raise 413 for a row that would be too large to store."""
    if item_size(entity_of_model(type(row)).item(row)) > ROW_BYTES_MAX:
        raise Problem(413)
