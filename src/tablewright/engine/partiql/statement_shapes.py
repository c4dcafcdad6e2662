"""What requests with statements share: shapes, and the statements themselves."""

from __future__ import annotations

from tablewright.engine.requests.api_operation import Request
from tablewright.engine.requests.placeholders import ON_FAILURE
from tablewright.engine.requests.shapes import Attribute, List, Shape, String, Structure
from tablewright.partiql.statements import Statement, parse_statement
from tablewright.values.attributes import Value, normalise

__all__ = ["PARAMETERS", "STATEMENT", "parameters_of", "parsed", "statement"]

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


def parameters_of(request: Request) -> list[Value]:
    """The parameters of a statement, which are looked at before it is; raises ValidationError."""
    return [normalise(value) for value in request.get("Parameters") or ()]


def parsed(request: Request) -> Statement:
    """The statement of a request; raises ValidationError for what is none."""
    return parse_statement(parameters=parameters_of(request), text=request["Statement"])
