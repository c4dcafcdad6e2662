"""Every exception class of the package is in the tree of ``TablewrightError`` and on its page."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import tablewright
from tablewright.errors import TablewrightError

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"

# At the edges, an exception becomes an HTTP reply, a page or an exit code; no caller sees it.
EDGES = ("tablewright.cli.", "tablewright.studio.", "tablewright.web.", "tablewright.systems.")
# Classes below the edges that are not TablewrightErrors, with the reason.
OUTSIDE = {
    "ParamValidationError": "replaces botocore's class",
    "PlainClientError": "replaces botocore's class",
    "PlainWaiterError": "replaces botocore's class",
    "Unanswered": "internal to the retries of a store",
}


def package_modules() -> list[ModuleType]:
    """Every module of the package."""
    return [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(tablewright.__path__, "tablewright.")
        if not module.name.endswith("__main__")
    ]


def exception_classes(modules: Iterable[ModuleType]) -> list[type[BaseException]]:
    """The public exception classes that the modules define."""
    return [
        value
        for module in modules
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and issubclass(value, BaseException)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]


def outside_the_tree(classes: Iterable[type[BaseException]]) -> list[str]:
    """The classes below the edges that are not TablewrightErrors."""
    return [
        f"{cls.__module__}.{cls.__name__}"
        for cls in classes
        if not issubclass(cls, TablewrightError)
        and not cls.__module__.startswith(EDGES)
        and cls.__name__ not in OUTSIDE
    ]


def undocumented(classes: Iterable[type[BaseException]], page: str) -> list[str]:
    """The TablewrightErrors that the page does not name."""
    return [
        cls.__name__
        for cls in classes
        if issubclass(cls, TablewrightError) and not re.search(rf"`{cls.__name__}`", page)
    ]


def test_every_exception_class_is_a_tablewright_error() -> None:
    assert outside_the_tree(exception_classes(package_modules())) == []


def test_every_tablewright_error_is_documented() -> None:
    assert undocumented(exception_classes(package_modules()), PAGE.read_text("utf-8")) == []


def test_the_checkers_find_planted_classes() -> None:
    planted = ModuleType("tablewright.planted")
    stray = type("Stray", (Exception,), {"__module__": planted.__name__})
    listed = type("Listed", (TablewrightError,), {"__module__": planted.__name__})
    missing = type("Missing", (TablewrightError,), {"__module__": planted.__name__})
    vars(planted).update(Stray=stray, Listed=listed, Missing=missing, _Hidden=stray)
    classes = exception_classes([planted])
    assert classes == [stray, listed, missing]
    assert outside_the_tree(classes) == ["tablewright.planted.Stray"]
    assert undocumented(classes, "see `Listed`") == ["Missing"]
