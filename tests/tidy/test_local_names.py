"""Locals are named for the thing that they hold, not for what happened to it.

A page is called ``page`` and not ``found``. That holds for all that is assigned in a module:
parameters, loop variables, what ``with`` and ``case`` bind, and the fields of classes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tablewright"

BANNED = {"told", "made", "found", "one"}


def bound_names(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines and names that a node itself binds, without those of its children."""
    match node:
        case ast.Name(id=str(name), ctx=ast.Store(), lineno=line):
            yield line, name
        case ast.arg(arg=str(name), lineno=line):
            yield line, name
        case ast.ExceptHandler(name=str(name), lineno=line):
            yield line, name
        case ast.MatchAs(name=str(name), lineno=line) | ast.MatchStar(name=str(name), lineno=line):
            yield line, name
        case ast.MatchMapping(rest=str(name), lineno=line):
            yield line, name


def find_names(text: str) -> list[str]:
    """The banned names that a module binds, each with its line."""
    bindings = sorted(name for node in ast.walk(ast.parse(text)) for name in bound_names(node))
    return [f"{line}: {name}" for line, name in bindings if name in BANNED]


def test_locals_are_named_for_what_they_hold() -> None:
    names = [
        f"{path.relative_to(ROOT)}:{name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for name in find_names(path.read_text("utf-8"))
    ]
    assert names == []


PLANTED = """\
def f(told, *made, **found):
    one = told
    for one in made: pass
    with g() as told: pass
    try: pass
    except E as found: pass
    match one:
        case [one, *found]: pass
        case {**told}: pass
        case E() as made: pass
    if (made := 1): pass
    a, (found, *one) = [told for told in (lambda made: made)]
"""


def test_planted_names_are_found() -> None:
    assert find_names(PLANTED) == [
        *("1: found", "1: made", "1: told", "2: one", "3: one", "4: told", "6: found"),
        *("8: found", "8: one", "9: told", "10: made", "11: made"),
        *("12: found", "12: made", "12: one", "12: told"),
    ]


def test_attributes_keywords_and_other_names_are_not_meant() -> None:
    assert find_names("x.found = f(told=1)\none_of = maker['made']\ndef found_of(): 'told'") == []
