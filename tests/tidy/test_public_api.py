"""``tablewright.__all__`` is exactly what the package shows."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import tablewright

# What a module has for its own use: its imports for typing, and `from __future__`.
OWN = {"Any", "TYPE_CHECKING", "annotations"}


def find_mismatches(module: Any) -> list[str]:
    """Names that are shown but not listed, or listed but not there."""
    shown = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name not in OWN
    }
    listed = list(module.__all__)
    found = [f"{name} is not in __all__" for name in sorted(shown - set(listed))]
    found += [f"{name} is not there" for name in listed if not hasattr(module, name)]
    if listed != sorted(set(listed)):
        found.append("__all__ is not sorted")
    return found


def test_all_is_exact() -> None:
    assert find_mismatches(tablewright) == []


def test_the_checker_finds_planted_mismatches() -> None:
    planted = ModuleType("planted")
    vars(planted).update(__all__=["listed", "absent"], listed=1, hidden=2)
    assert find_mismatches(planted) == [
        "hidden is not in __all__",
        "absent is not there",
        "__all__ is not sorted",
    ]
