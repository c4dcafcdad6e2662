"""The Python in the README and in the pages on designs and the engine runs as it is printed."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PRINTED_URL = "http://127.0.0.1:8000"


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def run(block: str, names: dict[str, Any]) -> None:
    exec(compile(block, "page.md", "exec"), names)


def new_names(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of a new module: annotations are looked up in the module they stand in."""
    module = ModuleType("printed")
    monkeypatch.setitem(sys.modules, "printed", module)
    return vars(module)


@pytest.mark.parametrize(("name", "count"), [("README.md", 1), ("docs/engine.md", 2)])
def test_the_examples_of_a_page_run(
    name: str, count: int, wire_endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(ROOT / name)
    assert len(blocks) == count
    for block in blocks:
        run(block.replace(PRINTED_URL, wire_endpoint), new_names(monkeypatch))


@pytest.mark.parametrize("name", ["tutorial", "modelling"])
def test_the_pages_on_designs_run_from_top_to_bottom(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = new_names(monkeypatch)
    blocks = python_blocks(ROOT / "docs" / f"{name}.md")
    assert len(blocks) >= 6
    for block in blocks:
        run(block, names)


def test_a_planted_mistake_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("text\n\n```python\nassert 1 + 1 == 3\n```\n")
    (block,) = python_blocks(page)
    with pytest.raises(AssertionError):
        run(block, {})
