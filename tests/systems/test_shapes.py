"""What plans make has the shape that the engine asks of everybody's requests.

The embedded store does not look at the shape of what operations make. So it must be right for all
of them, and for values of any kind that a model may hold.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from tablewright.design.lint.subject import patterns_in
from tablewright.engine.operations import find_operation
from tablewright.engine.requests import shapes
from tablewright.errors import ServiceError
from tablewright.explain.explainer import explain_patterns
from tablewright.explain.explanation import Explanation
from tablewright.explain.write_examples import explain_writes
from tablewright.systems.registry import PACKAGES


def calls_of(explained: Explanation) -> list[tuple[str, dict[str, Any]]]:
    own = [(call.operation, call.request) for call in explained.calls]
    return own + [call for part in explained.parts for call in calls_of(part)]


def misshapen(operation: str, request: dict[str, Any]) -> str:
    """What the engine has against the shape of a request."""
    try:
        shapes.check(find_operation(operation).shape, request)
    except ServiceError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("system", PACKAGES)
def test_every_request_of_a_system_has_its_shape(system: str) -> None:
    patterns = patterns_in(import_module(f"tablewright.systems.{PACKAGES[system]}.design"))[0]
    writes, _ = explain_writes(patterns)
    calls = [call for one in (*explain_patterns(patterns), *writes) for call in calls_of(one)]
    assert len(calls) > 20
    assert [told for call in calls if (told := misshapen(*call))] == []


def test_a_planted_request_of_another_shape_is_found() -> None:
    assert misshapen("GetItem", {"TableName": "T", "Key": {"PK": {"S": 1}}})
