"""Packages import only packages below them; import-linter's contracts are in pyproject.toml."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import grimp
import pytest
from importlinter.api import read_configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

ROOT = Path(__file__).parents[2]
CONTRACTS = {"layers": LayersContract, "forbidden": ForbiddenContract}


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    """Every import of the package."""
    return grimp.build_graph("tablewright", include_external_packages=True, cache_dir=None)


def broken_contracts(imports: grimp.ImportGraph) -> list[str]:
    """The names of the contracts that these imports break."""
    configuration = read_configuration(str(ROOT / "pyproject.toml"))
    broken = []
    for options in configuration["contracts_options"]:
        contract = CONTRACTS[options["type"]](
            name=options["name"],
            session_options=configuration["session_options"],
            contract_options=options,
        )
        if not contract.check(deepcopy(imports), verbose=False).kept:
            broken.append(contract.name)
    return broken


def test_the_layers_hold(imports: grimp.ImportGraph) -> None:
    assert broken_contracts(imports) == []


@pytest.mark.parametrize(
    ("module", "planted", "contract"),
    [
        ("values", "tablewright.engine.tables.table_schema", "Arrows point down only"),
        ("client.client", "tablewright.wire.protocol", "Arrows point down only"),
        ("wire.protocol", "apsw", "SQLite is spoken in two files"),
        ("client.client", "botocore", "The AWS SDK is known in three files"),
        (
            "plan.changes.row_writes",
            "tablewright.engine.tables.table_schema",
            "Designs speak DynamoDB, not our engine",
        ),
        ("web.services.clock", "tablewright.systems.registry", "Arrows point down only"),
        ("web.services.blobs", "botocore", "The AWS SDK is known in three files"),
        ("stores.async_store", "fastapi", "HTTP frameworks are known from the web layer upwards"),
        ("keys.template", "pydantic", "Pydantic is known from designs upwards"),
    ],
)
def test_a_planted_import_breaks_its_contract(
    imports: grimp.ImportGraph, module: str, planted: str, contract: str
) -> None:
    importer = f"tablewright.{module}"
    assert {importer, planted} <= imports.modules
    changed = deepcopy(imports)
    changed.add_import(importer=importer, imported=planted)
    assert contract in broken_contracts(changed)
