"""Shapes of requests with statements, and parsing their statements."""

from __future__ import annotations

from tablewright.engine.requests.api_operation import Request
from tablewright.engine.requests.placeholders import ON_FAILURE
from tablewright.engine.requests.shapes import Attribute, List, Shape, String, Structure
from tablewright.partiql.statements import Statement, parse_statement
from tablewright.values.attributes import Value, normalise

__all__ = ["PARAMETERS", "STATEMENT", "parameters_of", "statement_of", "statement_shape"]

STATEMENT = String(required=True, length=(1, 8192))
PARAMETERS = List(Attribute(), length=(1, None))


def statement_shape(named: str, **more: Shape) -> Structure:
    """The shape of one of several statements."""
    return Structure(
        required=False,
        named=named,
        Statement=STATEMENT,
        Parameters=PARAMETERS,
        **more,
        ReturnValuesOnConditionCheckFailure=ON_FAILURE,
    )


def parameters_of(request: Request) -> list[Value]:
    """The normalised parameters of a statement; raises ValidationError."""
    return [normalise(value) for value in request.get("Parameters") or ()]


def statement_of(request: Request) -> Statement:
    """The parsed statement of a request; raises ValidationError."""
    return parse_statement(parameters=parameters_of(request), text=request["Statement"])
