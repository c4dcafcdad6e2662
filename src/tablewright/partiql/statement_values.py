"""PartiQL values: literals and parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tablewright.errors import ValidationError
from tablewright.limits import NESTING_DEPTH_MAX
from tablewright.partiql.statement_tokens import Token, TokenCursor, malformed, unexpected
from tablewright.values.attributes import Item, Value, normalise

__all__ = ["WRONG_NUMBER", "ValueParser", "string_of"]

WRONG_NUMBER: Final = "Number of parameters in request and statement don't match."
_IN_BAG: Final = (
    "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
)
_DEPTH_MAX: Final = 2 * NESTING_DEPTH_MAX
# Replaces an invalid value while parsing continues; such a statement never runs.
_NOTHING: Final[Value] = {"NULL": True}


class ValueParser(TokenCursor):
    """Parses the values of one statement."""

    def __init__(self, text: str, parameters: Sequence[Value]) -> None:
        super().__init__(text)
        self._parameters = parameters
        self._used = 0
        self._depth = 0
        self._path: list[str] = []  # The position inside a value: ".x", "[1]".

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEPTH_MAX:
            raise malformed()

    def _value(self) -> Value:
        token = self._take()
        if len(self._path) >= NESTING_DEPTH_MAX:
            self._record_error(
                f"Nesting Levels have exceeded supported limits under {self._place()}"
            )
        if token.kind == "?":
            return self._parameter(token)
        if token.kind == "string":
            return {"S": string_of(token)}
        if token.kind in ("number", "-", "+"):
            return self._number(token)
        if token.word in ("TRUE", "FALSE"):
            return {"BOOL": token.word == "TRUE"}
        if token.word == "NULL":
            return {"NULL": True}
        containers: dict[str, Callable[[], Value]] = {
            "[": self._list,
            "{": lambda: {"M": self._struct()},
            "<<": self._set_value,
        }
        if token.kind not in containers:
            return self._no_value(token)
        self._deeper()
        value = containers[token.kind]()
        self._depth -= 1
        return value

    def _number(self, first: Token) -> Value:
        signs, digits = 0, first
        while digits.kind in ("-", "+"):
            signs += digits.kind == "-"
            digits = self._take()
        if digits.kind != "number":
            raise unexpected(digits)
        try:
            return normalise({"N": "-" * (signs % 2) + digits.text})
        except ValidationError as error:
            self._record_error(f"{error.message} under {self._place()}")
            return _NOTHING

    def _place(self) -> str:
        return "root" + "".join(self._path)

    def _no_value(self, token: Token) -> Value:
        """Record the error for a name or a call where a value is expected."""
        if token.kind not in ("word", "quoted") and token.word != "MISSING":
            raise unexpected(token)
        if self._next.kind == "(":
            self._skip_parentheses()
        self._record_error(f"Unsupported data type: {token.text} under key {self._place()}", token)
        return _NOTHING

    def _skip_parentheses(self) -> None:
        depth = 0
        while True:
            kind = self._take().kind
            if kind == "end":
                raise malformed("Unexpected term")
            depth += (kind == "(") - (kind == ")")
            if not depth:
                return

    def _parameter(self, place: Token) -> Value:
        self._used += 1
        if self._path:
            # DynamoDB: a parameter cannot be part of a literal.
            self._record_error(f"Unsupported data type: Parameter under key {self._place()}", place)
        elif self._used > len(self._parameters):
            self._record_error(WRONG_NUMBER)
        else:
            return self._parameters[self._used - 1]
        return _NOTHING

    def _list(self) -> Value:
        elements: list[Value] = []
        if self._accept("]"):
            return {"L": elements}
        while True:
            self._path.append(f"[{len(elements)}]")
            elements.append(self._value())
            self._path.pop()
            if not self._accept(","):
                self._expect("]")
                return {"L": elements}

    def _set_value(self) -> Value:
        members: list[Value] = []
        while not self._accept(">>"):
            if members:
                self._expect(",")
            if self._next.kind not in ("string", "number", "-", "+"):
                self._record_error(_IN_BAG, self._next)
            members.append(self._value())
        types = {next(iter(member)) for member in members}
        if not members:
            self._record_error("Empty bags are not supported")
        elif len(types) > 1 or not types <= {"S", "N"}:
            self._record_error(_IN_BAG)
        else:
            type_ = types.pop()
            try:
                return normalise({f"{type_}S": [member[type_] for member in members]})
            except ValidationError as error:
                self._record_error(error.message)
        return _NOTHING

    def _struct(self, *, is_item: bool = False) -> Item:
        """Parse the members of a struct after its brace; in an item, each is its own root."""
        members: Item = {}
        if self._accept("}"):
            return members
        while True:
            key = self._take()
            if key.kind == "string":
                name = string_of(key)
            elif key.kind in ("word", "quoted"):
                name = key.text
                self._record_error(
                    "Tuple keys must be of type String. Actual type: VariableReference under "
                    f"{self._place()}",
                    key,
                )
            else:
                raise malformed("Unexpected term")
            self._expect(":")
            if name in members:
                self._record_error(
                    f"Duplicate keys in tuple. Key: {name} under {self._place()}", key
                )
            steps = [] if is_item else [f".{name}"]
            self._path += steps
            members[name] = self._value()
            del self._path[len(self._path) - len(steps) :]
            if not self._accept(","):
                self._expect("}")
                return members


def string_of(token: Token) -> str:
    """The content of a string, or of a name in double quotes."""
    quote = token.text[0]
    return token.text[1:-1].replace(quote * 2, quote)
