"""Loading a design by a file, a module, or the name of a system."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tablewright import Design, Table
from tablewright.cli.design_loader import SYSTEMS, load_design, load_designs
from tablewright.errors import DesignNotLoaded

TWO = """
from tablewright import Get, Model, Design, Table, pattern, served

A = Table("first")
B = Table("second")
LONE = Table("lone")


@A.entity("A#{id}", "META")
class One(Model):
    id: str


class First(Design, tables=[A]):
    @pattern()
    def one(self, id: str) -> Get[One]:
        return served()


class Second(Design, tables=[B]):
    pass


P = First()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.py"
    path.write_text(TWO)
    return path


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_are_known_by_their_names(name: str) -> None:
    design = load_design(name)
    assert design.patterns is not None
    assert issubclass(design.patterns, Design)
    assert design.tables == design.patterns.__design__.tables
    assert design.module.__name__ == SYSTEMS[name]


@pytest.mark.parametrize(
    ("name", "tables"), [("First", "first"), ("P", "first"), ("Second", "second"), ("LONE", "lone")]
)
def test_a_class_an_instance_and_a_table_can_be_named(file: Path, name: str, tables: str) -> None:
    design = load_design(f"{file}:{name}")
    assert [table.name for table in design.tables] == [tables]
    assert design.is_named
    assert (design.patterns is None) == (name == "LONE")


def test_a_file_with_several_designs_needs_a_name_for_one(file: Path) -> None:
    assert [design.name for design in load_designs(str(file))] == ["First", "Second", "lone"]
    with pytest.raises(DesignNotLoaded, match="several designs: First, Second, lone"):
        load_design(str(file))


def test_a_module_is_found_by_its_dotted_name() -> None:
    design = load_design("tablewright.systems.stayon.design:P")
    assert design.name == "StayOn"


def test_a_module_in_the_current_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_lonely_design.py").write_text(TWO)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "my_lonely_design", raising=False)
    assert load_design("my_lonely_design:First").name == "First"
    monkeypatch.delitem(sys.modules, "my_lonely_design")


def test_a_file_in_a_package_is_a_part_of_it(tmp_path: Path) -> None:
    package = tmp_path / "some_package_of_designs"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "tables.py").write_text("from tablewright import Table\nT = Table('shared')\n")
    (package / "design.py").write_text(
        "from tablewright import Design\nfrom .tables import T\n\n"
        "class Shared(Design, tables=[T]):\n    pass\n"
    )
    design = load_design(str(package / "design.py"))
    assert design.name == "Shared"
    assert isinstance(design.tables[0], Table)
    assert design.module.__name__ == "some_package_of_designs.design"


def test_a_file_is_read_again_when_it_has_changed(file: Path) -> None:
    assert load_design(f"{file}:First").name == "First"
    file.write_text(TWO.replace("First", "Changed"))
    assert load_design(f"{file}:Changed").name == "Changed"


def test_the_path_of_python_is_left_as_it_was(file: Path) -> None:
    before = list(sys.path)
    load_designs(str(file))
    load_design("stayon")
    assert sys.path == before


def test_a_wrong_design_is_not_loaded_unless_its_errors_are_deferred(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(TWO.replace('"META"', '"{nobody}"'))
    with pytest.raises(DesignNotLoaded, match=r"(?s)wrong\.py: First: the design has .*TW106"):
        load_design(f"{path}:First")
    assert load_design(f"{path}:First", deferred=True).name == "First"
