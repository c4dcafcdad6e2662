"""The design language, plans, explanations, stores and the command line raise only our errors."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "tablewright"
PACKAGES = ("keys", "design", "plan", "explain", "stores", "care", "cli")
# Not seen by callers: assertions, abstract methods, attribute access, and errors that the same
# package catches and converts.
INTERNAL = {
    "AssertionError",
    "AttributeError",
    "NotImplementedError",
    "FileNotFoundError",
    "design/derived_targets.py: LookupError",
    "design/lint/source_edits.py: ValueError",
    "cli/token.py: OSError",
    "cli/token.py: ValueError",
}


def foreign_raises(file: Path) -> Iterator[str]:
    """The built-in exceptions that a file raises."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = getattr(node.exc.func, "id", "")
            if isinstance(getattr(builtins, name, None), type):
                yield name


def test_built_in_exceptions_are_not_raised_to_callers() -> None:
    raised = [
        f"{file.relative_to(SOURCE).as_posix()}: {name}"
        for package in PACKAGES
        for file in sorted((SOURCE / package).rglob("*.py"))
        for name in foreign_raises(file)
        if name not in INTERNAL
    ]
    assert [text for text in raised if text not in INTERNAL] == []


def test_the_checker_finds_what_is_planted(tmp_path: Path) -> None:
    file = tmp_path / "planted.py"
    file.write_text("def f():\n    raise ValueError('x')\n    raise PlanError('y')\n")
    assert list(foreign_raises(file)) == ["ValueError"]
