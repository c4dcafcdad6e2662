"""Binds a request's placeholders to its expressions.

Expressions are compiled once per text and names, and cached in bounded size; a request adds only
its values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Final, Generic, NamedTuple, TypeVar

from tablewright.errors import ValidationError
from tablewright.expressions import nodes
from tablewright.expressions.conditions import Condition, ConditionProgram
from tablewright.expressions.key_conditions import KeyCondition, conjuncts, key_condition
from tablewright.expressions.parser import parse_condition, parse_projection, parse_update
from tablewright.expressions.projections import Projection
from tablewright.expressions.resolution import Scope
from tablewright.expressions.tokens import ExpressionError, tokenise
from tablewright.expressions.updates import Update, UpdateProgram
from tablewright.limits import (
    ATTRIBUTE_NAME_BYTES_MAX,
    PLACEHOLDER_BYTES_MAX,
    PLACEHOLDERS_MAX,
)
from tablewright.values.attributes import NestedTooDeeply, Value, normalise

__all__ = ["Placeholders", "plain_update"]

Node = TypeVar("Node")
Program = TypeVar("Program")

_CACHED_MAX: Final = 512
_KEY_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_NONE: Final[Mapping[str, str]] = {}


class Placeholders:
    """ExpressionAttributeNames and ExpressionAttributeValues of one request or action."""

    __slots__ = ("_names", "_used", "_values")

    def __init__(
        self, names: Mapping[str, Any] | None, values: Mapping[str, Value | None] | None
    ) -> None:
        """Check and normalise both; None means absent. Raises ValidationError."""
        _require_few("ExpressionAttributeNames", names)
        _require_few("ExpressionAttributeValues", values)
        self._names = _NONE if names is None else _checked_names(names)
        self._values: Mapping[str, Value] = {} if values is None else _checked_values(values)
        self._used: list[_Parsed[Any]] = []

    def condition(self, text: str, kind: str = "ConditionExpression") -> Condition:
        """Return a condition or filter; the kind is the parameter's name, for messages."""
        try:
            return self._program(_CONDITIONS, text).bind(self._values)
        except ExpressionError as error:
            raise _invalid(kind, error) from None

    def update(self, text: str) -> Update:
        """Return an update."""
        try:
            return self._program(_UPDATES, text).bind(self._values)
        except ExpressionError as error:
            raise _invalid("UpdateExpression", error) from None

    def projection(self, text: str) -> Projection:
        """Return a projection."""
        try:
            return self._program(_PROJECTIONS, text)
        except ExpressionError as error:
            raise _invalid("ProjectionExpression", error) from None

    def key_condition(self, text: str) -> KeyCondition:
        """Return a key condition. Call it after the request's other expressions.

        Unused names and values are rejected here, before the condition's form is checked.
        """
        try:
            program = self._program(_CONDITIONS, text)
            program.bind(self._values)
        except ExpressionError as error:
            raise _invalid("KeyConditionExpression", error, self._first_of(text)) from None
        self.require_all_used()
        return key_condition(program, self._values)

    def _first_of(self, text: str) -> ExpressionError | None:
        """Return the error of the condition's first invalid term."""
        # DynamoDB: in the current wording each term is checked before the next one, pinned by
        # test_validation_style.py::test_the_terms_of_a_key_condition_are_read_one_after_another.
        scope = Scope(self._names, self._values)
        try:
            for term in conjuncts(_CONDITIONS.parsed(text).node):
                ConditionProgram(scope.condition(term)).bind(self._values)
        except ExpressionError as error:
            return error
        return None

    def require_all_used(self) -> None:
        """Raise ValidationError if the request defines an unused name or value."""
        if not self._names and not self._values:
            return
        names: set[str] = set()
        values: set[str] = set()
        for parsed in self._used:
            names.update(parsed.aliases)
            values |= parsed.placeholders
        # Everything used is defined, so equal counts mean that nothing is unused.
        if len(names) != len(self._names):
            raise _unused("ExpressionAttributeNames", self._names, names)
        if len(values) != len(self._values):
            raise _unused("ExpressionAttributeValues", self._values, values)

    def _program(self, language: _Language[Node, Program], text: str) -> Program:
        parsed = language.parsed(text)
        program = language.program(parsed, self._names, self._values)
        self._used.append(parsed)
        return program


class _Parsed(NamedTuple, Generic[Node]):
    """An expression's node and the placeholders in it."""

    text: str
    node: Node
    aliases: tuple[str, ...]
    placeholders: frozenset[str]


class _Language(Generic[Node, Program]):
    """One kind of expression: how to parse, resolve and compile it, and the caches of both."""

    __slots__ = ("_compile", "_parse", "_parsed", "_programs", "_resolve")

    def __init__(
        self,
        parse: Callable[[str], Node],
        resolve: Callable[[Scope, Node], Node],
        compile_: Callable[[Node], Program],
    ) -> None:
        self._parse = parse
        self._resolve = resolve
        self._compile = compile_
        self._parsed: dict[str, _Parsed[Node]] = {}
        self._programs: dict[tuple[str, tuple[str | None, ...]], Program] = {}

    def parsed(self, text: str) -> _Parsed[Node]:
        """Return the parsed text, from the cache if possible."""
        expression = self._parsed.get(text)
        if expression is None:
            node = self._parse(text)
            tokens = tokenise(text)
            aliases = {token.text: None for token in tokens if token.kind == "alias"}
            values = frozenset([token.text for token in tokens if token.kind == "value"])
            expression = _Parsed(text, node, tuple(aliases), values)
            _keep(self._parsed, text, expression)
        return expression

    def program(
        self, parsed: _Parsed[Node], names: Mapping[str, str], values: Mapping[str, Value]
    ) -> Program:
        """Return the compiled text for these names, or raise if a placeholder is undefined."""
        named = tuple(map(names.get, parsed.aliases)) if parsed.aliases else ()
        key = (parsed.text, named)
        program = self._programs.get(key)
        if program is not None and parsed.placeholders <= values.keys():
            return program
        # Resolving again raises for the first undefined placeholder in the text.
        program = self._compile(self._resolve(Scope(names, values), parsed.node))
        _keep(self._programs, key, program)
        return program


def plain_update(text: str, values: dict[str, Value]) -> Update | None:
    """Fast path: the update of a request without names and with normalised values.

    None means that the request needs full validation; it may still be valid.
    """
    if not values or len(text) > PLACEHOLDER_BYTES_MAX:
        return None
    try:
        parsed = _UPDATES.parsed(text)
        # Placeholders in a text this short are well-formed, so equal values are too.
        if parsed.aliases or parsed.placeholders != values.keys():
            return None
        return _UPDATES.program(parsed, _NONE, values).bind(values)
    except ExpressionError:
        return None


_Key = TypeVar("_Key")
_Kept = TypeVar("_Kept")


def _keep(cache: dict[_Key, _Kept], key: _Key, entry: _Kept) -> None:
    """Add to a cache; when it is full, evict the oldest entry."""
    while len(cache) >= _CACHED_MAX:
        # Another thread may have evicted the same entry, or be changing the cache right now.
        try:
            cache.pop(next(iter(cache)), None)
        except (RuntimeError, StopIteration):
            break
    cache[key] = entry


_CONDITIONS: Final[_Language[nodes.ConditionNode, ConditionProgram]] = _Language(
    parse_condition, Scope.condition, ConditionProgram
)
_UPDATES: Final[_Language[nodes.UpdateNode, UpdateProgram]] = _Language(
    parse_update, Scope.update, UpdateProgram
)
_PROJECTIONS: Final[_Language[nodes.ProjectionNode, Projection]] = _Language(
    parse_projection, Scope.projection, Projection
)


def _invalid(
    kind: str, error: ExpressionError, current: ExpressionError | None = None
) -> ValidationError:
    current_reason = (current or error).message
    return ValidationError(f"Invalid {kind}: {error.message}", f"Invalid {kind}: {current_reason}")


def _require_few(parameter: str, placeholders: Mapping[str, Any] | None) -> None:
    """Reject more placeholders than expressions can use, before checking each of them."""
    if placeholders is not None and len(placeholders) > PLACEHOLDERS_MAX:
        # Differs: AWS lists all unused placeholders; here a message lists at most ten of thousands.
        raise _unused(parameter, islice(placeholders, 10), set())


def _checked_names(names: Mapping[str, Any]) -> Mapping[str, str]:
    parameter = "ExpressionAttributeNames"
    if not names:
        raise ValidationError(f"{parameter} must not be empty")
    for key, name in names.items():
        _require_key(parameter, key, "#")
        if not name:
            raise _invalid_value(parameter, "Empty attribute name", key)
        if len(name) > ATTRIBUTE_NAME_BYTES_MAX // 4 and (
            len(name.encode()) > ATTRIBUTE_NAME_BYTES_MAX
        ):
            reason = "Attribute name is too large, must be less than 65536 bytes"
            raise _invalid_value(parameter, reason, key)
    return names


def _checked_values(values: Mapping[str, Value | None]) -> Mapping[str, Value]:
    parameter = "ExpressionAttributeValues"
    if not values:
        raise ValidationError(f"{parameter} must not be empty")
    checked: dict[str, Value] = {}
    for key, value in values.items():
        _require_key(parameter, key, ":")
        try:
            checked[key] = normalise(value)
        except NestedTooDeeply:
            # DynamoDB: this message does not name the key.
            raise
        except ValidationError as error:
            # DynamoDB: the current message does not name the key.
            older = _invalid_value(parameter, error.message, key).message
            raise ValidationError(older, error.current) from None
    return checked


def _require_key(parameter: str, key: str, sign: str) -> None:
    if (
        key[:1] == sign
        and len(key) <= PLACEHOLDER_BYTES_MAX
        and _KEY_WORD.fullmatch(key, 1) is not None
    ):
        return
    size = len(key.encode())
    if not key:
        reason = "The expression attribute map contains an empty key;"
    elif size > PLACEHOLDER_BYTES_MAX:
        # DynamoDB: the message omits the size for a value's placeholder; pinned by
        # test_limits.py::test_a_placeholder_has_at_most_255_bytes.
        size_note = f" size of key: {size}" if sign == "#" else ""
        reason = f"The expression attribute map contains a key that is too long;{size_note}"
    else:
        reason = f'Syntax error; key: "{key}"'
    raise ValidationError(f"{parameter} contains invalid key: {reason}")


def _invalid_value(parameter: str, reason: str, key: str) -> ValidationError:
    return ValidationError(f"{parameter} contains invalid value: {reason} for key {key}")


def _unused(parameter: str, placeholders: Iterable[str], used: set[str]) -> ValidationError:
    listed = ", ".join(_in_hash_order([key for key in placeholders if key not in used]))
    return ValidationError(
        f"Value provided in {parameter} unused in expressions: keys: {{{listed}}}"
    )


def _in_hash_order(keys: list[str]) -> list[str]:
    """Return the keys in the iteration order of a Java HashSet."""
    # DynamoDB: the message lists unused keys in this order, pinned by
    # test_binding.py::test_unused_keys_are_listed_in_the_order_of_a_hash_set.
    buckets = 16
    while len(keys) > buckets * 3 // 4:
        buckets *= 2
    return sorted(keys, key=lambda key: _java_hash(key) & (buckets - 1))


def _java_hash(key: str) -> int:
    hashed = 0
    for char in key:
        hashed = (hashed * 31 + ord(char)) & 0xFFFFFFFF
    return hashed ^ (hashed >> 16)
