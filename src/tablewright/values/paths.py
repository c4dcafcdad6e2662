"""Document paths: an attribute's name, then map keys and list indexes.

``a.b[2]`` is ``("a", "b", 2)``. Items are immutable by convention, so a change builds new
containers along its path and shares everything else with the item it started from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.errors import TablewrightError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tablewright.values.attributes import Item, Value

__all__ = ["MissingParent", "Path", "child", "get", "has_parent", "pick", "remove", "replace"]

Path = tuple[str | int, ...]


class MissingParent(TablewrightError):
    """The container of a path is missing or of the wrong type; callers handle it."""


def get(item: Item, path: Path) -> Value | None:
    """Return the value at the path, or None when nothing is there."""
    value: Any = item.get(path[0])  # type: ignore[arg-type]  # The first is a name.
    for step in path[1:]:
        if value is None:
            return None
        value = child(value, step)
    result: Value | None = value
    return result


def child(value: Value, step: str | int) -> Value | None:
    """Return a container's element, or None when it or a container of that type is missing."""
    if isinstance(step, str):
        members: dict[str, Value] | None = value.get("M")
        return None if members is None else members.get(step)
    elements: list[Value] | None = value.get("L")
    return None if elements is None or step >= len(elements) else elements[step]


def replace(item: Item, path: Path, value: Value) -> Item:
    """Return the item with the value at the path; beyond a list's end it is appended.

    Raises MissingParent when the container of the value does not exist.
    """
    parents = _parents(item, path)
    grown: Value = value
    for parent, step in zip(reversed(parents), reversed(path[1:]), strict=True):
        if isinstance(step, str):
            grown = {"M": {**parent["M"], step: grown}}
        else:
            elements = list(parent["L"])
            elements[step : step + 1] = [grown]
            grown = {"L": elements}
    return {**item, path[0]: grown}  # type: ignore[dict-item]


def remove(item: Item, path: Path) -> Item:
    """Return the item without the value at the path; the same item when there is none.

    Raises MissingParent when the container of the value does not exist.
    """
    parents = _parents(item, path)
    if not parents:
        return {name: value for name, value in item.items() if name != path[0]}
    last = path[-1]
    holder = parents[-1]
    if isinstance(last, str):
        if last not in holder["M"]:
            return item
        shrunk: Value = {"M": {name: value for name, value in holder["M"].items() if name != last}}
    else:
        if last >= len(holder["L"]):
            return item
        shrunk = {"L": holder["L"][:last] + holder["L"][last + 1 :]}
    return replace(item, path[:-1], shrunk)


def _parents(item: Item, path: Path) -> list[Value]:
    """Return the containers along the path, each of the kind that the next step needs."""
    parents: list[Value] = []
    value: Value | None = item.get(path[0])  # type: ignore[arg-type]
    for step in path[1:]:
        if value is None or ("M" if isinstance(step, str) else "L") not in value:
            raise MissingParent
        parents.append(value)
        value = child(value, step)
    return parents


def has_parent(item: Item, path: Path) -> bool:
    """Return whether the container of the path's last step exists and has the right type."""
    if len(path) == 1:
        return True
    try:
        _parents(item, path)
    except MissingParent:
        return False
    return True


def pick(item: Item, paths: Iterable[Path]) -> Item:
    """Return only the values at the paths, inside the maps and lists that lead to them.

    A list keeps the picked elements in order without gaps, as in DynamoDB.
    The paths must not overlap.
    """
    picked: dict[str, Any] = {}
    for path in paths:
        value = get(item, path)
        if value is not None:
            _plant(picked, path, value)
    return {name: _grow(branch) for name, branch in picked.items()}


class _Branch(dict[Any, Any]):
    """Picked children by step, until all are known."""

    __slots__ = ()


def _plant(branches: dict[Any, Any], path: Path, value: Value) -> None:
    for step in path[:-1]:
        branches = branches.setdefault(step, _Branch())
    branches[path[-1]] = value


def _grow(branch: Any) -> Value:
    """Turn a branch into a value; depth is bounded by the item's own nesting."""
    if not isinstance(branch, _Branch):
        return branch  # type: ignore[no-any-return]
    if isinstance(next(iter(branch)), int):
        return {"L": [_grow(branch[index]) for index in sorted(branch)]}
    return {"M": {name: _grow(child) for name, child in branch.items()}}
