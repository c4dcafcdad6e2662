"""The rooms of the house: docs/architecture.md shows the packages that there are, none is crowded,
and the folders of tests have the names of what they test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tablewright"
TESTS = ROOT / "tests"
PAGE = ROOT / "docs" / "architecture.md"

MODULES_MAX = 16
# One file per operation of DynamoDB's API; and `plan`, until it is divided.
CROWDED = {"engine/operations": 60}
# Tests across packages, and what is no package: each is described in docs/architecture.md.
ACROSS = {
    *("attacks", "conformance", "crash", "differential", "endurance", "fuzz", "permissions"),
    *("properties", "tidy", "tools", "types"),
}
# Folders inside of a mirrored folder that hold tests of a kind, not of a room.
KINDS = {"studio/browser", "wire/clients", "design/transcriptions"}


def packages(source: Path) -> set[str]:
    """The packages below a folder, as paths relative to it."""
    return {
        path.parent.relative_to(source).as_posix()
        for path in source.rglob("__init__.py")
        if path.parent != source
    }


def shown_packages(page: str) -> set[str]:
    """The packages of the page's first block: a name at the start of a line, two blanks a level."""
    block = re.search(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert block is not None
    shown, above = set(), []
    for line in block[1].splitlines():
        indent, name = re.match(r"( *)(\w+)", line).groups()  # type: ignore[union-attr]
        above[len(indent) // 2 :] = [name]
        shown.add("/".join(above))
    return shown


def named_files(page: str) -> list[str]:
    """The Python files that a page names in code type."""
    return re.findall(r"`([\w/]+\.py)`", page)


def find_crowded(source: Path, allowed: Mapping[str, int]) -> list[str]:
    """The packages with more modules than a reader can take in."""
    found = []
    for package in sorted(packages(source)):
        modules = [path for path in (source / package).glob("*.py") if path.stem != "__init__"]
        if len(modules) > allowed.get(package, MODULES_MAX):
            found.append(f"{package}: {len(modules)} modules")
    return found


def find_misplaced(folders: Iterable[str], rooms: set[str]) -> list[str]:
    """The folders of tests that are neither a room of the source nor known to be across them."""
    return sorted(
        folder
        for folder in folders
        if folder not in rooms and folder not in KINDS and folder.partition("/")[0] not in ACROSS
    )


def test_the_page_shows_every_package_and_no_other() -> None:
    assert shown_packages(PAGE.read_text("utf-8")) == packages(SOURCE)


def test_the_files_that_the_page_names_exist() -> None:
    names = named_files(PAGE.read_text("utf-8"))
    assert len(names) > 20
    beside = SOURCE / "engine" / "sqlite"  # Where the page says "beside it".
    places = (SOURCE, ROOT, beside, SOURCE / "systems" / "roll_model")
    assert [name for name in names if not any((place / name).exists() for place in places)] == []


def test_the_files_that_the_readme_names_exist() -> None:
    names = named_files((ROOT / "README.md").read_text("utf-8"))
    assert len(names) > 7
    places = (SOURCE, SOURCE / "engine" / "sqlite", SOURCE / "systems" / "hold_that_thought")
    assert [name for name in names if not any((place / name).exists() for place in places)] == []


def test_no_package_is_crowded() -> None:
    assert find_crowded(SOURCE, CROWDED) == []


def test_every_layer_has_its_folder_of_tests_and_no_folder_is_elsewhere() -> None:
    folders = packages(TESTS)
    assert find_misplaced(folders, packages(SOURCE)) == []
    layers = {package for package in packages(SOURCE) if "/" not in package}
    # What these do is tested in engine, conformance and stores.
    assert layers - folders <= {"partiql", "care"}


def test_what_is_across_packages_is_described() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in sorted(ACROSS) if f"`{name}`" not in page] == []


def test_the_checkers_find_what_is_planted(tmp_path: Path) -> None:
    for name in ("hall", "hall/cellar", "attic"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    page = "```\nhall      big\n  cellar  dark\nshed\n```\n`hall/door.py`\n"
    assert packages(tmp_path) ^ shown_packages(page) == {"attic", "shed"}
    assert named_files(page) == ["hall/door.py"]
    for number in range(MODULES_MAX + 1):
        (tmp_path / "attic" / f"trunk_{number}.py").touch()
    assert find_crowded(tmp_path, {}) == ["attic: 17 modules"]
    assert find_misplaced(["hall/cellar", "hall/loft", "tidy", "shed"], packages(tmp_path)) == [
        "hall/loft",
        "shed",
    ]
