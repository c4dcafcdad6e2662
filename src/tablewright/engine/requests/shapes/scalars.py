"""Shapes of single values: strings, table names, numbers, booleans, timestamps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tablewright import limits
from tablewright.engine.requests.shapes.wording import (
    MISPLACED_MAP,
    Path,
    Violations,
    reject,
    sentence,
    token_of,
    without_value,
)
from tablewright.errors import SerializationError, ValidationError

Accepts = Callable[[Any], bool]


class Shape:
    """One value of a request: its JSON type and the constraints on it."""

    java = (
        "java.lang.Object"  # The class that AWS's message names for a list in place of the value.
    )
    may_be_null = False  # Whether a list or map of these may contain null.
    is_reported_alone = False  # Whether its violation hides all others.

    def __init__(self, required: bool = False) -> None:
        self.required = required
        self.accepts: Accepts = self._compile()

    def _compile(self) -> Accepts:
        raise NotImplementedError

    def compile_all(self) -> Callable[[Iterable[Any]], bool]:
        """A test whether ``accepts`` holds for every element of a list or map."""
        accepts = self.accepts
        return lambda values: all(map(accepts, values))

    def require_types(self, value: Any) -> None:
        """Raise SerializationError unless ``value``, never null, has the right JSON types."""
        if type(value) is dict:
            raise SerializationError(MISPLACED_MAP)
        if type(value) is list:
            raise SerializationError(f"Unrecognized collection type class {self.java}")
        self._require_scalar(value)

    def _require_scalar(self, value: Any) -> None:
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """The value as Java prints it in a message."""
        return str(value)

    def declared(self, value: Any) -> Any:
        """A copy of a checked value without fields that the shape does not declare."""
        return value

    def constraints(self) -> Iterator[tuple[str, Accepts]]:
        """Every constraint on the value itself, as AWS prints them, with its test."""
        return iter(())

    def find_problems(self, value: Any, path: Path, violations: Violations) -> None:
        """Add a message for each constraint that ``value`` or a part of it violates."""
        for text, holds in self.constraints():
            if not holds(value):
                violations.append(sentence(self.text(value), path, text))
        self.find_nested(value, path, violations)

    def find_nested(self, value: Any, path: Path, violations: Violations) -> None:
        """As ``find_problems``, but only for the value's parts."""


class String(Shape):
    """A string; ``choices`` are in the order in which AWS lists them.

    ``current`` is the list in the current message, if it differs.
    """

    java = "java.lang.String"

    def __init__(
        self,
        required: bool = False,
        length: tuple[int | None, int | None] | None = None,
        pattern: str | None = None,
        choices: tuple[str, ...] | None = None,
        current: str | None = None,
        is_reported_alone: bool = False,
    ) -> None:
        self.length = length
        self.pattern = pattern
        self.choices = choices
        self.current = current
        self.is_reported_alone = is_reported_alone
        super().__init__(required)

    def _compile(self) -> Accepts:
        tests = tuple(holds for _, holds in self.constraints())
        if not tests:
            return lambda value: type(value) is str
        if self.choices is not None:
            choices = frozenset(self.choices)
            return lambda value: type(value) is str and value in choices
        if self.pattern is None:
            low, high = length_bounds(self.length)
            return lambda value: type(value) is str and low <= len(value) <= high
        return lambda value: type(value) is str and all(test(value) for test in tests)

    def _require_scalar(self, value: Any) -> None:
        if type(value) is not str:
            raise SerializationError(f"{token_of(value)} cannot be converted to String")

    def find_problems(self, value: Any, path: Path, violations: Violations) -> None:
        if self.current is None or not violations.is_current:
            super().find_problems(value, path, violations)
        elif not self.accepts(value):
            message = "Failed to satisfy constraint: Member must satisfy enum value set"
            violations.append(f"{message}: [{self.current}]")

    def constraints(self) -> Iterator[tuple[str, Accepts]]:
        yield from self._pattern_constraint()
        yield from length_constraints(self.length)
        if self.choices is not None:
            choices = frozenset(self.choices)
            yield (
                f"Member must satisfy enum value set: [{', '.join(self.choices)}]",
                choices.__contains__,
            )

    def _pattern_constraint(self) -> Iterator[tuple[str, Accepts]]:
        if self.pattern is not None:
            matches = re.compile(self.pattern).fullmatch
            yield (
                f"Member must satisfy regular expression pattern: {self.pattern}",
                lambda value: matches(value) is not None,
            )


class TableName(String):
    """A table's name or, unless ``arn`` is false, its ARN.

    ``control`` marks table operations, which have another message for a missing name.
    """

    def __init__(self, required: bool = True, arn: bool = True, control: bool = False) -> None:
        self.control = control
        name = f"[a-zA-Z0-9_.-]{{{limits.TABLE_NAME_CHARS_MIN},{limits.TABLE_NAME_CHARS_MAX}}}"
        arns = rf"arn:[a-z-]+:dynamodb:[a-z0-9-]*:[0-9]*:table/{name}"
        self._matches = re.compile(f"{name}|{arns}" if arn else name).fullmatch
        super().__init__(
            required, (limits.TABLE_NAME_CHARS_MIN, limits.TABLE_NAME_CHARS_MAX), "[a-zA-Z0-9_.-]+"
        )

    def _compile(self) -> Accepts:
        matches = self._matches
        return lambda value: type(value) is str and matches(value) is not None

    def constraints(self) -> Iterator[tuple[str, Accepts]]:
        # DynamoDB: unlike that of other names, the pattern comes last; pinned by
        # test_shapes.py::test_the_length_of_a_table_name_is_reported_before_its_pattern.
        yield from length_constraints(self.length)
        yield from self._pattern_constraint()

    def find_problems(self, value: Any, path: Path, violations: Violations) -> None:
        if value == "":
            # DynamoDB: the field is 1 to 1024 characters long because it accepts ARNs; the rules
            # of a name come after that.
            text = "Member must have length greater than or equal to 1"
            violations.append(
                without_value(path.spelt, text)
                if violations.is_current
                else sentence(value, path, text)
            )
        elif not self.accepts(value):
            super().find_problems(value, path, violations)

    def require_name(self, field: str, value: Any, *, is_current: bool) -> None:
        """Raise ValidationError for a bad name, before the rest of the request is checked."""
        if value is None:
            if self.control and self.required:
                raise ValidationError(
                    f"The parameter '{field}' is required but was not present in the request"
                )
            return
        violations = Violations(is_current=is_current)
        self.find_problems(value, Path().field(field), violations)
        if violations.sentences:
            reject(violations.sentences)


class Integer(Shape):
    """A whole number; ``long`` only changes the type's name in messages."""

    def __init__(
        self,
        required: bool = False,
        range: tuple[int | None, int | None] | None = None,  # noqa: A002 -- the API's word.
        long: bool = False,
    ) -> None:
        self.low, self.high = range or (None, None)
        self.java = "java.lang.Long" if long else "java.lang.Integer"
        self.bits = 64 if long else 32
        super().__init__(required)

    def _compile(self) -> Accepts:
        largest = 2 ** (self.bits - 1) - 1
        low = -largest - 1 if self.low is None else self.low
        high = largest if self.high is None else self.high
        return lambda value: type(value) is int and low <= value <= high

    def _require_scalar(self, value: Any) -> None:
        kind = self.java.rpartition(".")[2]
        if type(value) is not int:
            raise SerializationError(f"{token_of(value)} cannot be converted to {kind}")
        if not -(2 ** (self.bits - 1)) <= value < 2 ** (self.bits - 1):
            primitive = "long" if self.bits == 64 else "int"
            raise SerializationError(f"Numeric value ({value}) out of range of {primitive}")

    def constraints(self) -> Iterator[tuple[str, Accepts]]:
        low, high = self.low, self.high
        if high is not None:
            text = f"Member must have value less than or equal to {high}"
            yield text, lambda value: value <= high
        if low is not None:
            text = f"Member must have value greater than or equal to {low}"
            yield text, lambda value: value >= low


class Boolean(Shape):
    """True or false."""

    java = "java.lang.Boolean"

    def _compile(self) -> Accepts:
        return lambda value: type(value) is bool

    def _require_scalar(self, value: Any) -> None:
        if type(value) is str:
            raise SerializationError("Unexpected token received from parser")
        if type(value) is not bool:
            raise SerializationError(f"{token_of(value)} cannot be converted to Boolean")


class Timestamp(Shape):
    """Seconds since 1970, whole or not."""

    java = "java.util.Date"

    def _compile(self) -> Accepts:
        return lambda value: type(value) is int or type(value) is float

    def _require_scalar(self, value: Any) -> None:
        if type(value) is str or type(value) is bool:
            raise SerializationError(
                f"{token_of(value)} cannot be converted to milliseconds since epoch"
            )


class Bytes(Shape):
    """The content of B: base64 text; ``values.attributes`` checks its alphabet."""

    java = "java.nio.ByteBuffer"

    def _compile(self) -> Accepts:
        return lambda value: type(value) is str

    def _require_scalar(self, value: Any) -> None:
        if type(value) is not str:
            raise SerializationError("only base-64-encoded strings are convertible to bytes")


def length_constraints(
    length: tuple[int | None, int | None] | None,
) -> Iterator[tuple[str, Accepts]]:
    """The constraints on a length within these bounds."""
    low, high = length or (None, None)
    if high is not None:
        text = f"Member must have length less than or equal to {high}"
        yield text, lambda value: len(value) <= high
    if low is not None:
        text = f"Member must have length greater than or equal to {low}"
        yield text, lambda value: len(value) >= low


def length_bounds(length: tuple[int | None, int | None] | None) -> tuple[float, float]:
    """The bounds as numbers, infinite if absent."""
    low, high = length or (None, None)
    return 0 if low is None else low, float("inf") if high is None else high
