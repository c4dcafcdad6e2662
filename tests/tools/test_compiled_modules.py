"""Compiled modules are found for the sources that they were made from, and for no others."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import compiled_modules
import compiler
from compiled_modules import LAYERS, LIBRARY, MODULES, Finder, digest
from tablewright.values import sizes

SOURCE = Path(compiler.SOURCE)

needs_compiled = pytest.mark.skipif(
    sizes.__file__.endswith(".py"), reason="nothing is compiled; ./dev compile does it"
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of small files, which takes the place of the real one where finders look."""
    place = tmp_path / "tablewright"
    for layer in LAYERS:
        path = place / layer if layer.endswith(".py") else place / layer / "__init__.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    (place / "values" / "sizes.py").write_text("SIZE = 1\n", encoding="utf-8")
    stand_in = ModuleType("tablewright")
    stand_in.__path__ = [str(place)]
    monkeypatch.setitem(sys.modules, "tablewright", stand_in)
    return place


@pytest.fixture
def compile_stub(package: Path, tmp_path: Path) -> Callable[[], Path]:
    """Makes what a compilation of the package would leave, but for its content."""

    def make() -> Path:
        home = tmp_path / "compiled" / digest(str(package))
        for name in (*MODULES, LIBRARY):
            file = home.joinpath("tablewright", *name.split("."))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.with_suffix(compiled_modules.suffix()).touch()
        return home

    return make


def found(tmp_path: Path, name: str = "tablewright.values.sizes") -> str | None:
    spec = Finder(str(tmp_path / "compiled")).find_spec(name)
    if spec is None:
        return None
    assert isinstance(spec.loader, ExtensionFileLoader)
    return spec.origin


def test_what_was_compiled_is_found(compile_stub: Callable[[], Path], tmp_path: Path) -> None:
    home = compile_stub()
    for name in (*MODULES, LIBRARY):
        origin = found(tmp_path, f"tablewright.{name}")
        assert origin is not None
        assert Path(origin).is_relative_to(home)


def test_other_modules_are_left_to_python(compile_stub: Callable[[], Path], tmp_path: Path) -> None:
    compile_stub()
    for name in ("tablewright", "tablewright.engine", "tablewright.engine.database", "json"):
        assert found(tmp_path, name) is None


@pytest.mark.parametrize("edited", ["values/sizes.py", "limits.py", "engine/new.py"])
def test_an_edit_leaves_plain_python(
    compile_stub: Callable[[], Path], package: Path, tmp_path: Path, edited: str
) -> None:
    compile_stub()
    (package / edited).write_text("SIZE = 2\n", encoding="utf-8")
    assert found(tmp_path) is None
    (package / edited).write_text("SIZE = 1\n", encoding="utf-8")
    assert (found(tmp_path) is None) == (edited != "values/sizes.py")


def test_a_file_that_is_gone_or_renamed_leaves_plain_python(
    compile_stub: Callable[[], Path], package: Path, tmp_path: Path
) -> None:
    compile_stub()
    (package / "values" / "sizes.py").rename(package / "values" / "weights.py")
    assert found(tmp_path) is None


def test_what_nothing_compiled_imports_may_change(
    compile_stub: Callable[[], Path], package: Path, tmp_path: Path
) -> None:
    compile_stub()
    (package / "design").mkdir()
    (package / "design" / "table.py").write_text("SIZE = 2\n", encoding="utf-8")
    assert found(tmp_path) is not None


def test_half_of_what_was_compiled_is_not_used(
    compile_stub: Callable[[], Path], tmp_path: Path
) -> None:
    finder = Finder(str(tmp_path / "compiled"))
    home = compile_stub()
    assert finder.find_spec("tablewright.values.sizes") is not None
    shutil.rmtree(home)
    with pytest.raises(ImportError, match="has gone"):
        finder.find_spec("tablewright.values.paths")


def test_every_module_that_is_to_be_compiled_exists() -> None:
    files = set(compiled_modules.sources(str(SOURCE)))
    assert {f"{SOURCE}/{name.replace('.', '/')}.py" for name in MODULES} <= files


def test_a_machine_that_cannot_compile_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -O9")
    assert compiler.main() == compiler.UNAVAILABLE
    assert capsys.readouterr().err == (
        "• Not compiled, since there is no C compiler (no-such-compiler); "
        "plain Python runs as well\n"
    )


# From here on with what has really been compiled.


def origin_in(source: Path, **environment: str) -> str:
    """Where a Python that imports the package from this folder has a hot module from."""
    command = [
        sys.executable,
        "-c",
        "import tablewright.engine.sqlite.rows as rows; print(rows.__file__)",
    ]
    variables = {name: value for name, value in os.environ.items() if name != "TABLEWRIGHT_PURE"}
    variables |= {"PYTHONPATH": str(source), **environment}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    copy = tmp_path / "clone"
    shutil.copytree(SOURCE, copy / "tablewright", ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@needs_compiled
def test_a_clone_is_served_until_it_is_edited(clone: Path) -> None:
    assert origin_in(clone).endswith(compiled_modules.suffix())
    with (clone / "tablewright" / "limits.py").open("a", encoding="utf-8") as file:
        file.write("# Edited.\n")
    assert origin_in(clone) == str(clone / "tablewright" / "engine" / "sqlite" / "rows.py")


@needs_compiled
def test_plain_python_runs_where_it_is_asked_for(clone: Path) -> None:
    plain = origin_in(clone, TABLEWRIGHT_PURE="1")
    assert plain == str(clone / "tablewright" / "engine" / "sqlite" / "rows.py")


@needs_compiled
def test_a_wheel_has_what_was_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    import wheel_hook

    home = compiler.PLACE / digest(str(SOURCE))
    monkeypatch.setattr(compiler, "renewed", lambda: home)
    hook = wheel_hook.CompiledModules(str(compiler.ROOT), {}, None, None, "", "wheel")  # type: ignore[arg-type]
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", data)
    assert (data["pure_python"], data["infer_tag"]) == (False, True)
    places = {place.split(".")[0] for place in data["force_include"].values()}
    assert places == {f"tablewright/{name.replace('.', '/')}" for name in (*MODULES, LIBRARY)}
