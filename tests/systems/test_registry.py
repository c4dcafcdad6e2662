"""Finding systems by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.systems import registry
from tablewright.systems.registry import PACKAGES, SystemUnknown, find_fill, find_systems


def test_systems_are_found_by_their_names_in_their_order() -> None:
    found = find_systems()
    assert list(found) == [name for name in PACKAGES if name in found]
    assert "roll-model" in found
    assert all(system.name == name for name, system in found.items())
    assert list(find_systems(["roll-model", "roll-model"])) == ["roll-model"]


def test_a_name_that_nobody_has_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(SystemUnknown, match="roll-model"):
        find_systems(["other"])
    assert find_fill("other") is None


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package among the systems, without modules."""
    import tablewright.systems

    package = tmp_path / "planted"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.setattr(tablewright.systems, "__path__", [str(tmp_path)])
    monkeypatch.setitem(registry.PACKAGES, "planted", "planted")
    yield package
    for name in [name for name in sys.modules if name.startswith("tablewright.systems.planted")]:
        del sys.modules[name]


def test_only_a_module_that_does_not_exist_is_passed_over(planted: Path) -> None:
    assert find_fill("planted") is None
    with pytest.raises(SystemUnknown):
        find_systems(["planted"])
    (planted / "app.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
        find_systems(["planted"])
