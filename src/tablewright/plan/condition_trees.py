"""Conditions as trees, and the placeholders through which a request names and values go.

No attribute name and no value is ever spliced into an expression: names become ``#0``, ``#1`` …,
values ``:0``, ``:1`` …, so reserved words and quoting never matter. One `Names` serves all the
expressions of one request. The same tree always makes the same text:
``Compare(Path(("stars",)), ">", Literal({"N": "3"}))`` is ``#0 > :0``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

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
        found = self._names.get(attribute)
        if found is None:
            found = self._names[attribute] = f"#{len(self._names)}"
        return found

    def value(self, value: Value) -> str:
        """A new placeholder that stands for a value."""
        made = f":{len(self._values)}"
        self._values[made] = value
        return made

    def fill(self, request: dict[str, Any]) -> None:
        """Put the placeholders in use into a request."""
        if self._names:
            request["ExpressionAttributeNames"] = {made: name for name, made in self._names.items()}
        if self._values:
            request["ExpressionAttributeValues"] = self._values


@dataclass(frozen=True, slots=True)
class Path:
    """An attribute, or a member inside of one: names of members, positions in lists."""

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
    """How large an attribute is."""

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
    """A truth about an item. Joined with ``&`` and ``|``; Python's own words cannot be recorded."""

    __slots__ = ()

    def render(self, names: Names) -> str:
        raise NotImplementedError

    def inside(self, names: Names) -> str:
        """The text as a part of a longer condition."""
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
        raise TypeError(
            "a condition is recorded, not evaluated: join conditions with & and | (each in "
            "parentheses), and use not_(), one_of(), between() instead of not, in, a < b < c"
        )


def _condition(made: object) -> Condition:
    if isinstance(made, Condition):
        return made
    raise TypeError(
        f"{made!r} is not a condition on the item; for `is None` write absent(...), "
        "and decide what is known beforehand outside of the condition"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Compare(Condition):
    """Two operands and one of = <> < <= > >=."""

    left: Operand
    operator: str
    right: Operand

    def render(self, names: Names) -> str:
        return f"{self.left.render(names)} {self.operator} {self.right.render(names)}"


@dataclass(frozen=True, slots=True, eq=False)
class Between(Condition):
    """An operand between two others, both included."""

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
    """An operand equal to one of several."""

    operand: Operand
    choices: tuple[Operand, ...]

    def render(self, names: Names) -> str:
        operand = self.operand.render(names)
        return f"{operand} IN ({', '.join(choice.render(names) for choice in self.choices)})"


@dataclass(frozen=True, slots=True, eq=False)
class Function(Condition):
    """A function of DynamoDB's that is true or false: attribute_exists, begins_with, contains …"""

    function: str
    operands: tuple[Operand, ...]

    def render(self, names: Names) -> str:
        return f"{self.function}({', '.join(part.render(names) for part in self.operands)})"


@dataclass(frozen=True, slots=True, eq=False)
class All(Condition):
    """Several conditions that are all true."""

    parts: tuple[Condition, ...]

    def render(self, names: Names) -> str:
        return " AND ".join(part.inside(names) for part in self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class Either(Condition):
    """Several conditions of which one is true."""

    parts: tuple[Condition, ...]

    def render(self, names: Names) -> str:
        return " OR ".join(part.inside(names) for part in self.parts)

    def inside(self, names: Names) -> str:
        return f"({self.render(names)})"


@dataclass(frozen=True, slots=True, eq=False)
class Not(Condition):
    """A condition that is false."""

    part: Condition

    def render(self, names: Names) -> str:
        return f"NOT ({self.part.render(names)})"


def all_of(parts: Iterable[Condition]) -> Condition | None:
    """One condition that says all of these; None for none."""
    found = tuple(parts)
    if len(found) <= 1:
        return found[0] if found else None
    return All(found)
