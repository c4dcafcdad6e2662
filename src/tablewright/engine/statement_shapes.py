"""The shapes that requests with statements share."""

from __future__ import annotations

from tablewright.engine.requests import ON_FAILURE
from tablewright.engine.shapes import Attribute, List, Shape, String, Structure

__all__ = ["PARAMETERS", "STATEMENT", "statement"]

STATEMENT = String(required=True, length=(1, 8192))
PARAMETERS = List(Attribute(), length=(1, None))


def statement(named: str, **more: Shape) -> Structure:
    """One of several statements."""
    return Structure(
        required=False,
        named=named,
        Statement=STATEMENT,
        Parameters=PARAMETERS,
        **more,
        ReturnValuesOnConditionCheckFailure=ON_FAILURE,
    )
