"""Reloads a design file that changes while it is shown, and reports load errors.

A file is loaded under a new module name each time, so the shown design works until the new one
is loaded. Files of installed packages are never reloaded.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import tablewright
from tablewright.design.findings import deferred_errors
from tablewright.design.lint.subject import is_patterns, lone_tables_in, patterns_in
from tablewright.design.table import Table
from tablewright.studio.shell.loaded_design import LoadedDesign

if TYPE_CHECKING:
    from tablewright.design.patterns.declarations import Design

__all__ = [
    "DesignNotLoaded",
    "LoadFailure",
    "content_digest",
    "is_changed",
    "is_own",
    "loaded",
    "own_file",
    "reloaded",
    "trial",
]

_PACKAGE: Final = Path(tablewright.__file__).parent
_LINES_AROUND: Final = 3
_numbers = itertools.count(1)


@dataclass(frozen=True)
class LoadFailure:
    """Why a file is no design, and where."""

    file: str
    line: int
    column: int  # From 1; 0 if it is not known.
    kind: str
    text: str
    lines: tuple[tuple[int, str], ...]  # Around it.


class DesignNotLoaded(ValueError):
    """A file is no design any more."""

    def __init__(self, broken: LoadFailure) -> None:
        super().__init__(f"{broken.file}:{broken.line}: {broken.kind}: {broken.text}")
        self.broken = broken


def is_own(design: LoadedDesign) -> bool:
    """Whether a design is the user's own file, not part of an installed package."""
    file = own_file(design)
    if file is None or file.is_relative_to(_PACKAGE):
        return False
    return not {"site-packages", "dist-packages"} & set(file.parts)


def own_file(design: LoadedDesign) -> Path | None:
    """The file of a design, which may be gone; None if it never had one."""
    file = design.module.__file__
    return Path(file).resolve() if file else None


def is_changed(design: LoadedDesign) -> bool:
    """Whether the file is another than the one that is shown, or gone."""
    file = own_file(design)
    if file is None or not is_own(design):
        return False
    # What was loaded is known from the first page on: it is part of every page's head.
    try:
        return content_digest(file.read_bytes()) != design.digest
    except OSError:
        return True


def content_digest(content: bytes) -> str:
    """The few characters by which a page's head names a file's content."""
    return hashlib.sha256(content).hexdigest()[:7]


def reloaded(design: LoadedDesign) -> LoadedDesign:
    """The same design as its file has it now; raises DesignNotLoaded."""
    file = own_file(design)
    assert file is not None
    linecache.checkcache(str(file))
    try:
        content = file.read_bytes()
    except OSError as error:
        message = f"The file cannot be read: {error.strerror}"
        raise DesignNotLoaded(
            LoadFailure(str(file), 0, 0, type(error).__name__, message, ())
        ) from error
    reloaded_design = loaded(design, content, str(file))
    # Of the file that was loaded, and not of one that comes later.
    vars(reloaded_design)["digest"] = content_digest(content)
    if design.module.__name__.rpartition(".")[2].startswith("_design_"):
        sys.modules.pop(design.module.__name__, None)
    return reloaded_design


@contextmanager
def trial(design: LoadedDesign, content: bytes) -> Iterator[LoadedDesign]:
    """The design as it would be with other content in its file; raises DesignNotLoaded."""
    name = f"<trial {next(_numbers)} of {design.module.__file__}>"
    # Comments that explain findings are read from here.
    lines = content.decode().splitlines(keepends=True)
    linecache.cache[name] = (len(content), None, lines, name)
    trial_design: LoadedDesign | None = None
    try:
        trial_design = loaded(design, content, name)
        yield trial_design
    finally:
        linecache.cache.pop(name, None)
        if trial_design is not None:
            sys.modules.pop(trial_design.module.__name__, None)


def loaded(design: LoadedDesign, content: bytes, file: str) -> LoadedDesign:
    """A design made of this content; raises DesignNotLoaded."""
    package = design.module.__package__ or ""
    stem = f"_design_{next(_numbers)}"
    name = f"{package}.{stem}" if package else stem
    spec = importlib.util.spec_from_loader(name, loader=None, origin=file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = file
    module.__package__ = package
    # Annotations are looked up in the module by its name.
    sys.modules[name] = module
    try:
        with _importable_from(own_file(design)), deferred_errors():
            exec(compile(content, file, "exec"), vars(module))  # noqa: S102 (the user's own design)
        return _same(design, module)
    except BaseException as error:
        sys.modules.pop(name, None)
        # A design that exits is a wrong design, and no reason to end the studio.
        if not isinstance(error, Exception | SystemExit):
            raise
        raise DesignNotLoaded(_broken(error, file, content)) from error


@contextmanager
def _importable_from(file: Path | None) -> Iterator[None]:
    """Modules beside the file can be imported, as when it was first loaded."""
    folder = file.parent if file is not None else Path()
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _same(design: LoadedDesign, module: ModuleType) -> LoadedDesign:
    """The design of a module that has the place of another; raises LookupError."""
    name = design.patterns.__name__ if design.patterns is not None else ""
    value: Any = vars(module).get(name)
    patterns: type[Design] | None = value if is_patterns(value) else None
    candidates = patterns_in(module)
    if patterns is None and len(candidates) == 1:
        patterns = candidates[0]
    if patterns is not None:
        return LoadedDesign(design.name, patterns, patterns.__design__.tables, module)
    names = {table.name for table in design.tables}
    tables = [value for value in vars(module).values() if isinstance(value, Table)]
    own = tuple(dict.fromkeys(table for table in tables if table.name in names))
    tables_left = own or tuple(lone_tables_in(module))
    if not tables_left:
        raise LookupError(f"The file has no {name or 'table'} any more.")
    return LoadedDesign(design.name, None, tables_left, module)


def _broken(error: BaseException, file: str, content: bytes) -> LoadFailure:
    line, column, text = 0, 0, str(error)
    if isinstance(error, SyntaxError) and error.filename == file:
        line, column, text = error.lineno or 0, error.offset or 0, error.msg
    else:
        frames = [
            frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file
        ]
        line = frames[-1].lineno or 0 if frames else 0
    written = content.decode("utf-8", "replace").splitlines()
    first, last = max(1, line - _LINES_AROUND), min(len(written), line + _LINES_AROUND)
    lines = tuple((at, written[at - 1]) for at in range(first, last + 1)) if line else ()
    return LoadFailure(file, line, column, type(error).__name__, text, lines)
