"""The source of a design file, and edits at positions of its syntax tree.

Offsets are bytes, as in Python's syntax trees. Text outside an edit stays as it is, including
comments, spaces and line ends.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Edit", "Source", "edited", "keyword_of"]

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Edit(NamedTuple):
    """A replacement of a byte range."""

    start: int
    end: int
    text: str


def edited(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Apply edits, which must not overlap."""
    for edit in sorted(edits, reverse=True):
        source = source[: edit.start] + edit.text.encode() + source[edit.end :]
    return source


class Source:
    """A parsed file; raises SyntaxError, or ValueError for an unusual encoding."""

    def __init__(self, content: bytes) -> None:
        content.decode()  # Offsets are those of UTF-8 without a byte order mark.
        if content.startswith(b"\xef\xbb\xbf"):
            raise ValueError("the file begins with a byte order mark")
        self.content = content
        self.tree = ast.parse(content)
        self.lines = _LINE.findall(content)
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: ast.expr | ast.keyword | ast.alias) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.keyword | ast.alias) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def line_start(self, number: int) -> int:
        return self._starts[number - 1]

    # Finding.

    def call(self, line: int, *names: str) -> ast.Call | None:
        """The call of one of these functions that begins on a line."""
        calls = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Call) and node.lineno == line and _called(node) in names
        ]
        return min(calls, key=lambda node: node.col_offset, default=None)

    def text_of(self, node: ast.expr) -> str | None:
        """The value of a string literal; None for any other expression."""
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        written = self.content[self.start(node) : self.end(node)]
        # Joined literals and escapes cannot be rewritten without changing them.
        plain = re.fullmatch(rb"\"[^\"\\\r\n]*\"|'[^'\\\r\n]*'", written)
        return ast.literal_eval(written.decode()) if is_text and plain else None

    # Editing.

    def rewritten(self, node: ast.expr, text: str) -> Edit:
        """Replace a string literal, with the same quotes."""
        start, end = self.start(node), self.end(node)
        quote = self.content[start : start + 1].decode()
        return Edit(start, end, f"{quote}{text}{quote}")

    def with_keyword(self, call: ast.Call, text: str) -> Edit:
        """Add a keyword after the last argument, on its own line if the arguments are."""
        arguments = _arguments(call)
        if not arguments:
            place = self.end(call) - 1
            return Edit(place, place, text)
        return self.behind(arguments[-1], text, call.lineno)

    def behind(self, last: ast.expr | ast.keyword, text: str, first_line: int) -> Edit:
        """Add an element after the last one; ``first_line`` is the line of the first."""
        place = self.end(last)
        if last.lineno == first_line:
            return Edit(place, place, f", {text}")
        line = self.lines[last.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())].decode()
        ending = "\r\n" if line.endswith(b"\r\n") else "\n"
        return Edit(place, place, f",{ending}{indent}{text}")

    def without_keyword(self, call: ast.Call, keyword: ast.keyword) -> Edit:
        """Remove a keyword and its comma."""
        arguments = _arguments(call)
        at = arguments.index(keyword)
        if at:
            return Edit(self.end(arguments[at - 1]), self.end(keyword), "")
        if len(arguments) > 1:
            return Edit(self.start(keyword), self.start(arguments[1]), "")
        # The last argument may have a trailing comma.
        rest = self.content[self.end(keyword) : self.end(call) - 1]
        comma = re.match(rb"\s*,[ \t]*", rest)
        end = self.end(keyword) + (comma.end() if comma else 0)
        return Edit(self.start(keyword), end, "")


def keyword_of(call: ast.Call, name: str) -> ast.keyword | None:
    """A keyword argument by name."""
    return next((each for each in call.keywords if each.arg == name), None)


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _arguments(call: ast.Call) -> Sequence[ast.expr | ast.keyword]:
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    return sorted(arguments, key=lambda node: (node.lineno, node.col_offset))
