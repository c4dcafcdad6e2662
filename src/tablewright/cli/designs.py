"""Loading a design by what a person types: a file, a module, or the name of a system.

    roll-model                  one of the systems that come with Tablewright
    path/to/design.py           a file; path/to/design.py:NAME if it has several designs
    package.module:NAME         a module that Python can import

NAME is a class derived from Patterns, an instance of it, or a table. What a design holds is not
known here.
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

if TYPE_CHECKING:
    from tablewright.design.patterns import Patterns
    from tablewright.design.table import Table

__all__ = ["SYSTEMS", "Design", "DesignNotLoaded", "load_design", "load_designs"]

SYSTEMS: Final = {
    "roll-model": "tablewright.systems.roll_model.design",
    "funkedupshift": "tablewright.systems.funkedupshift.design",
    "stayon": "tablewright.systems.stayon.design",
    "3fc": "tablewright.systems.threefc.design",
    "hold-that-thought": "tablewright.systems.hold_that_thought.design",
}


class DesignNotLoaded(Exception):
    """There is no such design, or its module cannot be imported."""


@dataclass(frozen=True)
class Design:
    """A design and where it came from; without patterns it is only tables."""

    name: str
    patterns: type[Patterns] | None
    tables: tuple[Table, ...]
    module: ModuleType
    is_named: bool = False  # Whether this one was asked for, not whatever the module has.


def load_design(spec: str, *, deferred: bool = False) -> Design:
    """The one design that a specification names; raises DesignNotLoaded.

    A design that is wrong raises too, unless its errors are ``deferred`` and stay findings.
    """
    found = load_designs(spec, deferred=deferred)
    if len(found) > 1:
        names = ", ".join(design.name for design in found)
        raise DesignNotLoaded(f"{spec} has several designs: {names}; name one as {spec}:NAME")
    return found[0]


def load_designs(spec: str, *, deferred: bool = False) -> list[Design]:
    """Every design that a specification names, at least one; raises DesignNotLoaded."""
    from tablewright.design.findings import deferred_errors

    place, name = _divided(spec)
    with deferred_errors() if deferred else nullcontext():
        module = _module(place)
    if name:
        return [_named(module, spec, name)]
    found = _designs_in(module)
    if not found:
        raise DesignNotLoaded(f"{spec} has no design: no class derived from Patterns, no Table")
    return found


def _divided(spec: str) -> tuple[str, str]:
    place, _, name = spec.rpartition(":")
    # A path may have a colon in it; a name is one word.
    return (place, name) if place and name.isidentifier() else (spec, "")


def _designs_in(module: ModuleType) -> list[Design]:
    from tablewright.design.lint.subject import lone_tables_in, patterns_in

    found = [Design(made.__name__, made, made.tables, module) for made in patterns_in(module)]
    lone = lone_tables_in(module)
    if lone:
        name = ", ".join(table.name for table in lone)
        found.append(Design(name, None, tuple(lone), module))
    return found


def _named(module: ModuleType, spec: str, name: str) -> Design:
    from tablewright.design.lint.subject import is_patterns
    from tablewright.design.table import Table

    value: Any = getattr(module, name, None)
    if isinstance(value, Table):
        return Design(value.name, None, (value,), module, is_named=True)
    made: Any = value if isinstance(value, type) else type(value)
    if not is_patterns(made):
        known = ", ".join(design.name for design in _designs_in(module)) or "none"
        raise DesignNotLoaded(f"{spec}: {name} is no design; there are: {known}")
    return Design(made.__name__, made, made.tables, module, is_named=True)


# Modules.


def _module(place: str) -> ModuleType:
    """The imported module; raises DesignNotLoaded, which names the file and the error."""
    path = Path(place)
    if place in SYSTEMS:
        return _imported(place, SYSTEMS[place])
    if place.endswith(".py"):
        if not path.is_file():
            raise DesignNotLoaded(f"{place}: there is no such file")
        return _from_file(place, path.resolve())
    if not all(part.isidentifier() for part in place.split(".")):
        raise DesignNotLoaded(
            f"{place}: no design of that name; give a file such as design.py, a module, "
            f"or one of {', '.join(SYSTEMS)}"
        )
    with _importable_from(Path.cwd()):
        return _imported(place, place)


def _from_file(place: str, path: Path) -> ModuleType:
    linecache.checkcache(str(path))  # Explanations are read from it; it may have been edited.
    package = path.parent
    while (package / "__init__.py").is_file():
        package = package.parent
    with _importable_from(package):
        if package == path.parent:
            return _executed(place, path)
        # Inside a package it is imported as a part of it, so that relative imports work.
        module = _imported(place, ".".join(path.with_suffix("").relative_to(package).parts))
    if module.__file__ is None or Path(module.__file__).resolve() != path:
        raise DesignNotLoaded(f"{place}: Python finds {module.__file__} under its name instead")
    return module


@contextmanager
def _importable_from(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _imported(place: str, name: str) -> ModuleType:
    with _explained(place):
        return importlib.import_module(name)


def _executed(place: str, path: Path) -> ModuleType:
    """A file that is no part of a package, run as a module of its own."""
    name = f"_design_{path.stem}_{abs(hash(str(path))):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Annotations are looked up in the module by its name.
    sys.modules[name] = module
    with _explained(place):
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return module


@contextmanager
def _explained(place: str) -> Iterator[None]:
    """Whatever a module's code raises is told with its file, its line and the error."""
    from tablewright.errors import DesignError

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
