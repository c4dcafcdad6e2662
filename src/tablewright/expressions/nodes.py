"""Nodes: the syntax tree of an expression, independent of how it was written.

The parser builds them from text; PartiQL builds the same nodes with ``Literal`` values. Alias and
Placeholder stand for names and values that the request defines outside the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tablewright.values.attributes import Value

__all__ = [
    "AddAction",
    "Alias",
    "And",
    "Arithmetic",
    "Attribute",
    "Between",
    "Call",
    "Comparison",
    "ConditionNode",
    "DeleteAction",
    "In",
    "Literal",
    "Not",
    "Operand",
    "Or",
    "Placeholder",
    "ProjectionNode",
    "RemoveAction",
    "SetAction",
    "UpdateNode",
]


class Alias(NamedTuple):
    """A name that the request defines: ``#n``."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """A document path: a name, then names and list indexes."""

    steps: tuple[str | int | Alias, ...]


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A value that the request defines: ``:v``."""

    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A value inside the node."""

    value: Value


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its arguments: an operand or a condition."""

    function: str
    arguments: tuple[Operand, ...]


Operand = Attribute | Placeholder | Literal | Call


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right``; the operator is one of = <> < <= > >=."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    """``operand BETWEEN low AND high``."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In:
    """``operand IN (options)``."""

    operand: Operand
    options: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """``NOT operand``."""

    operand: ConditionNode


@dataclass(frozen=True, slots=True)
class And:
    """Two or more conditions that must all hold."""

    operands: tuple[ConditionNode, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Two or more conditions of which one must hold."""

    operands: tuple[ConditionNode, ...]


ConditionNode = Comparison | Between | In | Not | And | Or | Call


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``left + right`` or ``left - right``; only in SET."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class SetAction:
    """``SET target = value``."""

    target: Attribute
    value: Operand | Arithmetic


@dataclass(frozen=True, slots=True)
class RemoveAction:
    """``REMOVE target``."""

    target: Attribute


@dataclass(frozen=True, slots=True)
class AddAction:
    """``ADD target value``: a number, or members of a set."""

    target: Attribute
    value: Placeholder | Literal


@dataclass(frozen=True, slots=True)
class DeleteAction:
    """``DELETE target value``: members of a set."""

    target: Attribute
    value: Placeholder | Literal


Action = SetAction | RemoveAction | AddAction | DeleteAction


@dataclass(frozen=True, slots=True)
class UpdateNode:
    """The actions of an update, in the order written."""

    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class ProjectionNode:
    """The attributes of a projection, in the order written."""

    attributes: tuple[Attribute, ...]
