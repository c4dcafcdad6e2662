"""The README's Python runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
PRINTED_URL = "http://127.0.0.1:8000"


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def run(block: str) -> None:
    exec(compile(block, "README.md", "exec"), {"__name__": "__main__"})


def test_readme_examples_run(
    wire_endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(README)
    assert len(blocks) == 2
    for block in blocks:
        run(block.replace(PRINTED_URL, wire_endpoint))


def test_a_planted_mistake_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("text\n\n```python\nassert 1 + 1 == 3\n```\n")
    (block,) = python_blocks(page)
    with pytest.raises(AssertionError):
        run(block)
