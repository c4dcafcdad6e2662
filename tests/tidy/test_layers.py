"""Arrows between layers point down only; import-linter's contracts are in pyproject.toml."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", "--config", str(root / "pyproject.toml")],
        check=False,
        capture_output=True,
        text=True,
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "src")},
    )


def test_the_layers_hold() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("module", "planted", "contract"),
    [
        (
            "values/__init__.py",
            "import tablewright.engine.tables.table_schema",
            "Arrows point down only",
        ),
        ("client/client.py", "import tablewright.wire.protocol", "Arrows point down only"),
        ("wire/protocol.py", "import apsw", "SQLite is spoken in two files"),
        ("client/client.py", "import botocore.exceptions", "The AWS SDK is known in three files"),
        (
            "plan/row_writes.py",
            "import tablewright.engine.tables.table_schema",
            "Designs speak DynamoDB, not our engine",
        ),
        ("web/services/clock.py", "import tablewright.systems.registry", "Arrows point down only"),
        ("web/services/blobs.py", "import botocore.session", "The AWS SDK is known in three files"),
        (
            "stores/async_store.py",
            "import fastapi",
            "HTTP frameworks are known from the web layer upwards",
        ),
        ("keys/template.py", "import pydantic", "Pydantic is known from designs upwards"),
    ],
)
def test_a_planted_import_is_found(
    tmp_path: Path, module: str, planted: str, contract: str
) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src")
    path = tmp_path / "src" / "tablewright" / module
    path.write_text(path.read_text("utf-8") + f"\n{planted}\n", "utf-8")
    result = lint(tmp_path)
    assert result.returncode == 1
    assert f"{contract} BROKEN" in result.stdout
