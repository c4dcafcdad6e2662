"""The table of operations and parameters is true to the engine and to AWS's model of the API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from botocore.loaders import Loader

from tablewright.engine.operations import NAMES, find_operation

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"


def model() -> dict[str, list[str]]:
    """The parameters of every operation of DynamoDB and its streams, as AWS declares them."""
    found: dict[str, list[str]] = {}
    for service in ("dynamodb", "dynamodbstreams"):
        told: dict[str, Any] = Loader().load_service_model(service, "service-2")
        for name, operation in told["operations"].items():
            shape = operation.get("input", {}).get("shape")
            found[name] = sorted(told["shapes"][shape]["members"]) if shape else []
    return found


MODEL = model()


def rows() -> dict[str, tuple[list[str], list[str]]]:
    """What the page says of each operation: parameters that count, and those that do not."""
    found = {}
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 6 and cells[1] in MODEL:
            found[cells[1]] = (_listed(cells[2]), _listed(cells[3]))
    return found


def _listed(cell: str) -> list[str]:
    return [] if cell in ("", "none") else cell.split(", ")


def test_every_operation_has_a_row() -> None:
    assert rows().keys() == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_names_the_parameters_of_its_operation(name: str) -> None:
    taken, ignored = rows()[name]
    declared = find_operation(name).shape.fields
    assert taken == [one for one in MODEL[name] if one in declared]
    # Newer models may have more than this page knows; none of ours may be unknown to AWS.
    assert set(declared) <= set(MODEL[name])
    assert set(ignored) <= set(MODEL[name]) - set(declared)


def test_what_there_is_not_is_listed() -> None:
    told = PAGE.read_text("utf-8")
    for name in ("ImportTable", "CreateGlobalTable", "UpdateKinesisStreamingDestination"):
        assert name not in NAMES
        assert f"{name}" in told
