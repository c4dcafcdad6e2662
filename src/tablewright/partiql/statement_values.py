"""The values of PartiQL: literals, and the parameters that stand for values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tablewright.errors import ValidationError
from tablewright.limits import NESTING_DEPTH_MAX
from tablewright.partiql.statement_tokens import Cursor, Token, malformed, unexpected
from tablewright.values.attributes import Item, Value, normalise

__all__ = ["WRONG_NUMBER", "ValueParser", "string_of"]

WRONG_NUMBER: Final = "Number of parameters in request and statement don't match."
_IN_BAG: Final = (
    "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
)
_DEPTH_MAX: Final = 2 * NESTING_DEPTH_MAX
# What stands for a value that was complained of: no statement that has one is run.
_NOTHING: Final[Value] = {"NULL": True}


class ValueParser(Cursor):
    """Values in the tokens of one statement."""

    def __init__(self, text: str, parameters: Sequence[Value]) -> None:
        super().__init__(text)
        self._parameters = parameters
        self._used = 0
        self._depth = 0
        self._path: list[str] = []  # Where in a value a part of it is: ".x", "[1]".

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEPTH_MAX:
            raise malformed()

    def _value(self) -> Value:
        token = self._take()
        if len(self._path) >= NESTING_DEPTH_MAX:
            self._complain(f"Nesting Levels have exceeded supported limits under {self._place()}")
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
        found = containers[token.kind]()
        self._depth -= 1
        return found

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
            self._complain(f"{error.message} under {self._place()}")
            return _NOTHING

    def _place(self) -> str:
        return "root" + "".join(self._path)

    def _no_value(self, token: Token) -> Value:
        """Complain of a word where a value should be, and of what it is called with."""
        if token.kind not in ("word", "quoted") and token.word != "MISSING":
            raise unexpected(token)
        if self._next.kind == "(":
            self._skip_parentheses()
        self._complain(f"Unsupported data type: {token.text} under key {self._place()}", token)
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
            # DynamoDB: a parameter is a value of its own, and no part of one.
            self._complain(f"Unsupported data type: Parameter under key {self._place()}", place)
        elif self._used > len(self._parameters):
            self._complain(WRONG_NUMBER)
        else:
            return self._parameters[self._used - 1]
        return _NOTHING

    def _list(self) -> Value:
        found: list[Value] = []
        if self._accept("]"):
            return {"L": found}
        while True:
            self._path.append(f"[{len(found)}]")
            found.append(self._value())
            self._path.pop()
            if not self._accept(","):
                self._expect("]")
                return {"L": found}

    def _set_value(self) -> Value:
        members: list[Value] = []
        while not self._accept(">>"):
            if members:
                self._expect(",")
            if self._next.kind not in ("string", "number", "-", "+"):
                self._complain(_IN_BAG, self._next)
            members.append(self._value())
        types = {next(iter(member)) for member in members}
        if not members:
            self._complain("Empty bags are not supported")
        elif len(types) > 1 or not types <= {"S", "N"}:
            self._complain(_IN_BAG)
        else:
            type_ = types.pop()
            try:
                return normalise({f"{type_}S": [member[type_] for member in members]})
            except ValidationError as error:
                self._complain(error.message)
        return _NOTHING

    def _struct(self, *, is_item: bool = False) -> Item:
        """The members of a struct whose brace is taken; those of an item are roots themselves."""
        found: Item = {}
        if self._accept("}"):
            return found
        while True:
            key = self._take()
            if key.kind == "string":
                name = string_of(key)
            elif key.kind in ("word", "quoted"):
                name = key.text
                self._complain(
                    "Tuple keys must be of type String. Actual type: VariableReference under "
                    f"{self._place()}",
                    key,
                )
            else:
                raise malformed("Unexpected term")
            self._expect(":")
            if name in found:
                self._complain(f"Duplicate keys in tuple. Key: {name} under {self._place()}", key)
            steps = [] if is_item else [f".{name}"]
            self._path += steps
            found[name] = self._value()
            del self._path[len(self._path) - len(steps) :]
            if not self._accept(","):
                self._expect("}")
                return found


def string_of(token: Token) -> str:
    """What a string, or a name in double quotes, is."""
    quote = token.text[0]
    return token.text[1:-1].replace(quote * 2, quote)
