"""Loads a design that is named by a file, a module or a system.

    roll-model                  one of the systems that come with Tablewright
    path/to/design.py           a file; path/to/design.py:NAME if it contains several designs
    package.module:NAME         an importable module

NAME is a class derived from Design, an instance of one, or a table.
"""

from __future__ import annotations

import importlib
import importlib.util
import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from tablewright.errors import DesignError, DesignNotLoaded

if TYPE_CHECKING:
    from tablewright.design.patterns.declarations import Design
    from tablewright.design.table import Table

__all__ = ["SYSTEMS", "DesignFile", "load_design", "load_designs"]

SYSTEMS: Final = {
    "roll-model": "tablewright.systems.roll_model.design",
    "funkedupshift": "tablewright.systems.funkedupshift.design",
    "stayon": "tablewright.systems.stayon.design",
    "3fc": "tablewright.systems.threefc.design",
    "hold-that-thought": "tablewright.systems.hold_that_thought.design",
}


@dataclass(frozen=True)
class DesignFile:
    """A loaded design; ``patterns`` is None if it has only tables."""

    name: str
    patterns: type[Design] | None
    tables: tuple[Table, ...]
    module: ModuleType
    is_named: bool = False  # Whether NAME was given.


def load_design(spec: str, *, deferred: bool = False) -> DesignFile:
    """The only design that a specification names; raises DesignNotLoaded.

    With ``deferred``, errors in the design are kept as findings instead of being raised.
    """
    designs = load_designs(spec, deferred=deferred)
    if len(designs) > 1:
        names = ", ".join(design.name for design in designs)
        raise DesignNotLoaded(f"{spec} contains several designs: {names}. Name one: {spec}:NAME")
    return designs[0]


def load_designs(spec: str, *, deferred: bool = False) -> list[DesignFile]:
    """All designs that a specification names, at least one; raises DesignNotLoaded."""
    from tablewright.design.findings import deferred_errors

    place, name = _split_spec(spec)
    with deferred_errors() if deferred else nullcontext():
        module = _module(place)
    if name:
        return [_named(module, spec, name)]
    designs = _designs_in(module)
    if not designs:
        raise DesignNotLoaded(
            f"{spec} contains no design: no class derived from Design, and no Table"
        )
    return designs


def _split_spec(spec: str) -> tuple[str, str]:
    place, _, name = spec.rpartition(":")
    # A path may contain a colon; a name is an identifier.
    return (place, name) if place and name.isidentifier() else (spec, "")


def _designs_in(module: ModuleType) -> list[DesignFile]:
    from tablewright.design.lint.subject import lone_tables_in, patterns_in

    designs = [
        DesignFile(each.__name__, each, each.__design__.tables, module)
        for each in patterns_in(module)
    ]
    tables = lone_tables_in(module)
    if tables:
        name = ", ".join(table.name for table in tables)
        designs.append(DesignFile(name, None, tuple(tables), module))
    return designs


def _named(module: ModuleType, spec: str, name: str) -> DesignFile:
    from tablewright.design.lint.subject import is_patterns
    from tablewright.design.table import Table

    value: Any = getattr(module, name, None)
    if isinstance(value, Table):
        return DesignFile(value.name, None, (value,), module, is_named=True)
    patterns: Any = value if isinstance(value, type) else type(value)
    if not is_patterns(patterns):
        known = ", ".join(design.name for design in _designs_in(module)) or "none"
        raise DesignNotLoaded(f"{spec}: {name} is not a design. Designs in the module: {known}")
    return DesignFile(
        patterns.__name__, patterns, patterns.__design__.tables, module, is_named=True
    )


# Modules.


def _module(place: str) -> ModuleType:
    """The imported module; raises DesignNotLoaded with the file and the error."""
    path = Path(place)
    if place in SYSTEMS:
        return _imported(place, SYSTEMS[place])
    if place.endswith(".py"):
        if not path.is_file():
            raise DesignNotLoaded(f"{place}: no such file")
        return _from_file(place, path.resolve())
    if not all(part.isidentifier() for part in place.split(".")):
        raise DesignNotLoaded(
            f"unknown design {place!r}. Name a file such as design.py, a module, or a system: "
            f"{', '.join(SYSTEMS)}"
        )
    with _importable_from(Path.cwd()):
        return _imported(place, place)


def _from_file(place: str, path: Path) -> ModuleType:
    linecache.checkcache(str(path))  # Suppressions are read from it; it may have been edited.
    package = path.parent
    while (package / "__init__.py").is_file():
        package = package.parent
    with _importable_from(package):
        if package == path.parent:
            return _executed(place, path)
        # A file in a package is imported as part of it, so that relative imports work.
        module = _imported(place, ".".join(path.with_suffix("").relative_to(package).parts))
    if module.__file__ is None or Path(module.__file__).resolve() != path:
        raise DesignNotLoaded(f"{place}: Python imports {module.__file__} under that name")
    return module


@contextmanager
def _importable_from(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _imported(place: str, name: str) -> ModuleType:
    with _import_errors(place):
        return importlib.import_module(name)


def _executed(place: str, path: Path) -> ModuleType:
    """The module of a file that is not in a package."""
    name = f"_design_{path.stem}_{abs(hash(str(path))):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Annotations are looked up in the module by its name.
    sys.modules[name] = module
    with _import_errors(place):
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return module


@contextmanager
def _import_errors(place: str) -> Iterator[None]:
    """Turn what a module raises into DesignNotLoaded with its file, line and error."""
    try:
        yield
    except DesignError as error:
        raise DesignNotLoaded(f"{place}: {error}") from error
    except Exception as error:
        kind = type(error).__name__
        raise DesignNotLoaded(f"{_line_of(error) or place}: {kind}: {error}") from error


def _line_of(error: Exception) -> str:
    """The file and line of the user's code that raised."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}"
    foreign = ("<", str(Path(__file__).parents[1]), str(Path(importlib.__file__).parents[1]))
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(foreign) and "site-packages" not in frame.filename
    ]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
