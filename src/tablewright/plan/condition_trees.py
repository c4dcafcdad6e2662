"""Condition trees, and the placeholders for names and values in a request.

Attribute names and values are never inserted into an expression: names become ``#0``, ``#1`` …, and
values ``:0``, ``:1`` …, so reserved words and quoting do not matter. One `Names` serves all
expressions of a request. The same tree always renders the same text:
``Compare(Path(("stars",)), ">", Literal({"N": "3"}))`` is ``#0 > :0``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from tablewright.errors import UsageError
from tablewright.values.attributes import Value

__all__ = [
    "All",
    "Between",
    "Compare",
    "Condition",
    "Either",
    "Function",
    "Literal",
    "Names",
    "Not",
    "OneOf",
    "Operand",
    "Path",
    "Size",
    "all_of",
]


class Names:
    """The placeholders of one request."""

    __slots__ = ("_names", "_values")

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, Value] = {}

    def name(self, attribute: str) -> str:
        """The placeholder of an attribute's name; the same for the same name."""
        placeholder = self._names.get(attribute)
        if placeholder is None:
            placeholder = self._names[attribute] = f"#{len(self._names)}"
        return placeholder

    def value(self, value: Value) -> str:
        """A new placeholder for a value."""
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = value
        return placeholder

    def fill(self, request: dict[str, Any]) -> None:
        """Add the used placeholders to a request."""
        if self._names:
            request["ExpressionAttributeNames"] = {
                value: name for name, value in self._names.items()
            }
        if self._values:
            request["ExpressionAttributeValues"] = self._values


@dataclass(frozen=True, slots=True)
class Path:
    """The path of an attribute, or of a member inside one."""

    steps: tuple[str | int, ...]

    def render(self, names: Names) -> str:
        first, *inner = self.steps
        assert isinstance(first, str)
        text = names.name(first)
        for step in inner:
            text += f"[{step}]" if isinstance(step, int) else f".{names.name(step)}"
        return text

    def __str__(self) -> str:
        first, *inner = self.steps
        return f"{first}" + "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in inner)


@dataclass(frozen=True, slots=True)
class Size:
    """The size of an attribute."""

    path: Path

    def render(self, names: Names) -> str:
        return f"size({self.path.render(names)})"


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """A value to compare with."""

    value: Value

    def render(self, names: Names) -> str:
        return names.value(self.value)


Operand: TypeAlias = Path | Size | Literal


class Condition:
    """A condition on an item. Combine with ``&`` and ``|``; ``and`` and ``or`` are not recorded."""

    __slots__ = ()

    def render(self, names: Names) -> str:
        raise NotImplementedError

    def inside(self, names: Names) -> str:
        """The text as part of a longer condition, in parentheses if needed."""
        return self.render(names)

    def __and__(self, other: object) -> Condition:
        return All((self, _condition(other)))

    def __or__(self, other: object) -> Condition:
        return Either((self, _condition(other)))

    def __rand__(self, other: object) -> Condition:
        return _condition(other) & self

    def __ror__(self, other: object) -> Condition:
        return _condition(other) | self

    def __bool__(self) -> NoReturn:
        raise UsageError(
            "a condition has no truth value: combine conditions with & and | (each in "
            "parentheses), and use not_(), one_of(), between() instead of not, in, a < b < c"
        )


def _condition(value: object) -> Condition:
    if isinstance(value, Condition):
        return value
    raise UsageError(
        f"{value!r} is not a condition on the item. For `is None` write absent(...), "
        "and evaluate Python values outside the condition"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Compare(Condition):
    """A comparison of two operands with =, <>, <, <=, > or >=."""

    left: Operand
    operator: str
    right: Operand

    def render(self, names: Names) -> str:
        return f"{self.left.render(names)} {self.operator} {self.right.render(names)}"


@dataclass(frozen=True, slots=True, eq=False)
class Between(Condition):
    """An operand between two others, inclusive."""

    operand: Operand
    low: Operand
    high: Operand

    def render(self, names: Names) -> str:
        low, high = self.low, self.high
        return f"{self.operand.render(names)} BETWEEN {low.render(names)} AND {high.render(names)}"

    def inside(self, names: Names) -> str:
        return f"({self.render(names)})"


@dataclass(frozen=True, slots=True, eq=False)
class OneOf(Condition):
    """An operand that equals one of several."""

    operand: Operand
    choices: tuple[Operand, ...]

    def render(self, names: Names) -> str:
        operand = self.operand.render(names)
        return f"{operand} IN ({', '.join(choice.render(names) for choice in self.choices)})"


@dataclass(frozen=True, slots=True, eq=False)
class Function(Condition):
    """A boolean function of DynamoDB: attribute_exists, begins_with, contains …"""

    function: str
    operands: tuple[Operand, ...]

    def render(self, names: Names) -> str:
        return f"{self.function}({', '.join(part.render(names) for part in self.operands)})"


@dataclass(frozen=True, slots=True, eq=False)
class All(Condition):
    """A conjunction."""

    parts: tuple[Condition, ...]

    def render(self, names: Names) -> str:
        return " AND ".join(part.inside(names) for part in self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class Either(Condition):
    """A disjunction."""

    parts: tuple[Condition, ...]

    def render(self, names: Names) -> str:
        return " OR ".join(part.inside(names) for part in self.parts)

    def inside(self, names: Names) -> str:
        return f"({self.render(names)})"


@dataclass(frozen=True, slots=True, eq=False)
class Not(Condition):
    """A negation."""

    part: Condition

    def render(self, names: Names) -> str:
        return f"NOT ({self.part.render(names)})"


def all_of(parts: Iterable[Condition]) -> Condition | None:
    """The conjunction of these conditions; None for none."""
    conditions = tuple(parts)
    if len(conditions) <= 1:
        return conditions[0] if conditions else None
    return All(conditions)
