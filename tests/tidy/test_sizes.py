"""Files stay under 400 lines and functions under 70: what outgrows that is missing a concept.

Docstrings are not counted. A few files may go up to 600; no function may be longer than 70. A
design is a list of declarations, laid beside its document: it is one file, however long.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"

FILE_LINES = 400
FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
FUNCTION_LINES_P90 = 30

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache  # Parsing everything takes longer than all tests here.
def parsed(path: Path, _modified: int) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def sources(folder: Path) -> dict[Path, ast.Module]:
    return {path: parsed(path, path.stat().st_mtime_ns) for path in sorted(folder.rglob("*.py"))}


@cache
def line_count(node: ast.Module | Function) -> int:
    """How many lines a function or file has, its docstrings not counted."""
    last = max(
        (part.end_lineno or 0 for part in ast.walk(node) if hasattr(part, "lineno")), default=0
    )
    first = 1 if isinstance(node, ast.Module) else node.lineno
    inner = [node] if not isinstance(node, ast.Module) else list(ast.walk(node))
    return last - first + 1 - sum(docstring_lines(part) for part in inner)


def docstring_lines(node: ast.AST) -> int:
    if not isinstance(node, ast.Module | ast.ClassDef | Function):
        return 0
    if ast.get_docstring(node, clean=False) is None:
        return 0
    return (node.body[0].end_lineno or 0) - node.body[0].lineno + 1


def functions(tree: ast.Module) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def find_oversized(folder: Path) -> list[str]:
    """Every file and function in the folder that is longer than any may be."""
    found = []
    for path, tree in sources(folder).items():
        if line_count(tree) > FILE_LINES_MAX and path.name != "design.py":
            found.append(f"{path.name}: {line_count(tree)} lines")
        found += [
            f"{path.name}:{node.lineno} {node.name}: {line_count(node)} lines"
            for node in functions(tree)
            if line_count(node) > FUNCTION_LINES_MAX
        ]
    return found


def test_no_file_or_function_is_oversized() -> None:
    assert find_oversized(SOURCE) == []


def test_hardly_any_file_is_large() -> None:
    files = {path: tree for path, tree in sources(SOURCE).items() if path.name != "design.py"}
    counts = {path.name: line_count(tree) for path, tree in files.items()}
    large = {name: count for name, count in counts.items() if count > FILE_LINES}
    assert len(large) <= len(counts) // 20, large


def test_nine_in_ten_functions_are_short() -> None:
    counts = sorted(
        line_count(node) for tree in sources(SOURCE).values() for node in functions(tree)
    )
    assert counts[len(counts) * 9 // 10] <= FUNCTION_LINES_P90


def test_the_checker_finds_a_planted_function_and_file(tmp_path: Path) -> None:
    body = "    x = 1\n"
    (tmp_path / "fits.py").write_text("def fits():\n" + body * 69)
    assert find_oversized(tmp_path) == []
    (tmp_path / "long.py").write_text("async def grown():\n" + body * 70)
    (tmp_path / "large.py").write_text("x = 1\n" * 601)
    found = find_oversized(tmp_path)
    assert found == ["large.py: 601 lines", "long.py:1 grown: 71 lines"]


def test_docstrings_are_not_counted(tmp_path: Path) -> None:
    docstring = '    """First.\n' + "\n    More.\n" * 50 + '    """\n'
    (tmp_path / "described.py").write_text("def described():\n" + docstring + "    return 1\n")
    assert find_oversized(tmp_path) == []
