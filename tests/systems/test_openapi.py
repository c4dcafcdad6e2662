"""Every system answers what its document says, whatever a machine thinks of sending it.

Examples are the same in every run but those of ``./dev endure``. Each operation gets requests that
its document allows and requests that it does not; no answer may be a 5xx, of an undocumented
status, or of another shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tablewright.systems.registry import find_fill, find_systems
from tests.endurance.effort import Effort
from tests.web.example import SYSTEM as EXAMPLE
from tests.web.serving import LiveServer, live

SYSTEMS = find_systems()
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)
EXAMPLES = 6  # Of an operation in one round; half as many for a change.
# People of the demo data who may do everything that a role allows.
CALLERS: dict[str, dict[str, Any]] = {
    "roll-model": {"sub": "ann", "groups": ["athlete", "coach"]},
    "hold-that-thought": {"sub": "rosa", "groups": ["Admins"]},
    "3fc": {"sub": "ann", "email": "ann@example.org"},
}


@pytest.fixture(scope="module", params=SYSTEMS)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, LiveServer]]:
    """A system under its own server, filled with its demo data."""
    name = request.param
    with live(SYSTEMS[name], fill=find_fill(name)) as server:
        yield name, server


def answer_as_documented(
    name: str,
    server: LiveServer,
    mode: GenerationMode,
    examples_seed: int = 1,
    examples: int = EXAMPLES,
) -> int:
    """Send examples to every operation of a system; returns how many operations it has."""
    document = httpx2.get(f"{server.url}/{name}/openapi.json", timeout=60).json()
    schema = schemathesis.openapi.from_dict(document)
    headers = server.as_(**CALLERS.get(name, {"sub": "ann", "groups": ["admin"]})).headers
    operations = [found.ok() for found in schema.get_all_operations()]
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and not _can_be_wrong(operation):
            continue

        @seed(examples_seed)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def answers(case: schemathesis.Case) -> None:
            case.call_and_validate(
                base_url=f"{server.url}/{name}", headers=headers, checks=list(CHECKS), timeout=60
            )

        answers()
    return len(operations)


def _can_be_wrong(operation: Any) -> bool:
    """Whether an operation takes anything that could be of the wrong form."""
    definition = operation.definition.raw
    return bool(definition.get("parameters") or definition.get("requestBody"))


@pytest.mark.trial("T11")
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_a_system_answers_as_its_document_says(
    served: tuple[str, LiveServer], mode: GenerationMode, effort: Effort
) -> None:
    name, server = served
    examples = effort.pick(change=EXAMPLES // 2, nightly=EXAMPLES, release=EXAMPLES)
    for number in effort.rounds("rounds", change=1, nightly=100, release=1_200):
        operations = answer_as_documented(name, server, mode, effort.seed + number, examples)
        assert operations > 10
        effort.record(examples=operations * examples)


def test_the_harness_finds_an_answer_that_is_not_documented() -> None:
    """The example system has an endpoint that always fails."""
    with (
        live(EXAMPLE) as server,
        pytest.raises(BaseException, match="(?i)server error|broken") as found,
    ):
        answer_as_documented("example", server, GenerationMode.POSITIVE)
    assert not isinstance(found.value, KeyboardInterrupt)
