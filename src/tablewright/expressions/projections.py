"""Projections: the parts of an item that a read returns, and the check for overlapping paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.expressions.resolution import path_of, show_path
from tablewright.expressions.tokens import ExpressionError
from tablewright.values import paths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tablewright.expressions import nodes
    from tablewright.values.attributes import Item
    from tablewright.values.paths import Path

__all__ = ["Projection", "require_apart"]


class Projection:
    """A projection compiled for its text and names."""

    __slots__ = ("_flat_names", "nested_names", "paths", "top_level_names")

    def __init__(self, node: nodes.ProjectionNode) -> None:
        self.paths: tuple[Path, ...] = tuple(map(path_of, node.attributes))
        require_apart(self.paths)
        self.top_level_names: frozenset[str] = frozenset([str(path[0]) for path in self.paths])
        # The names used with a map key or a list index.
        self.nested_names: frozenset[str] = frozenset(
            [str(path[0]) for path in self.paths if len(path) > 1]
        )
        self._flat_names = None if self.nested_names else tuple([str(p[0]) for p in self.paths])

    def apply(self, item: Item) -> Item:
        """Return the parts of the item at the projection's paths."""
        if self._flat_names is None:
            return paths.pick(item, self.paths)
        return {name: item[name] for name in self._flat_names if name in item}


def require_apart(all_paths: Iterable[Path]) -> None:
    """Raise if paths overlap, or if two paths use the same value as a map and as a list."""
    prefixes: dict[Path, Path] = {}  # Every prefix seen so far, with a path that has it.
    ends: set[Path] = set()
    kinds: dict[Path, tuple[type, Path]] = {}  # Whether a prefix is a map or a list.
    for path in all_paths:
        for length in range(1, len(path)):
            prefix = path[:length]
            if prefix in ends:
                raise _overlap_error("overlap", prefix, path)
            kind, other = kinds.setdefault(prefix, (type(path[length]), path))
            if kind is not type(path[length]):
                raise _overlap_error("conflict", other, path)
        if path in prefixes:
            raise _overlap_error("overlap", prefixes[path], path)
        ends.add(path)
        for length in range(1, len(path) + 1):
            prefixes.setdefault(path[:length], path)


def _overlap_error(verb: str, first: Path, second: Path) -> ExpressionError:
    return ExpressionError(
        f"Two document paths {verb} with each other; must remove or rewrite one of these paths; "
        f"path one: {show_path(first)}, path two: {show_path(second)}"
    )
