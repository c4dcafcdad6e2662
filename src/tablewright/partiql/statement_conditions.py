"""PartiQL conditions: paths, operands and WHERE clauses."""

from __future__ import annotations

from typing import Final

from tablewright.expressions import nodes
from tablewright.limits import NESTING_DEPTH_MAX
from tablewright.partiql.statement_tokens import OPERATORS, Token, malformed, unexpected
from tablewright.partiql.statement_values import ValueParser, string_of

__all__ = ["ConditionParser"]

_COMPARISONS: Final = {"=": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_TESTS: Final = frozenset(
    ("attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains")
)
_FUNCTIONS: Final = _TESTS | {"size", "if_not_exists", "list_append"}
# Keywords that are also function names.
_CALLED_KEYWORDS: Final = frozenset(
    ("EXISTS", "SIZE", "LOWER", "UPPER", "CHAR_LENGTH", "COALESCE", "NULLIF", "SUBSTRING", "TRIM")
)
_ENDS: Final = frozenset(("WHERE", "RETURNING", "SET", "REMOVE", "ORDER", "AND", "OR"))
# The types that IS supports, and those that it recognises but does not support.
_TYPES: Final = {
    "NULL": "NULL",
    "BOOL": "BOOL",
    "BOOLEAN": "BOOL",
    "BLOB": "B",
    "STRING": "S",
    "NUMERIC": "N",
    "STRUCT": "M",
    "TUPLE": "M",
    "LIST": "L",
}
_OTHER_TYPES: Final = {
    **{name: name for name in ("BAG", "CLOB", "DATE", "DECIMAL", "DOUBLE", "FLOAT", "INT4")},
    **{name: name for name in ("INT8", "INTEGER", "SEXP", "SMALLINT", "SYMBOL", "TIMESTAMP")},
    "CHAR": "CHARACTER",
    "CHARACTER": "CHARACTER",
    "INT": "INTEGER",
    "VARCHAR": "CHARACTER_VARYING",
}


class ConditionParser(ValueParser):
    """Parses the conditions of one statement."""

    # Paths.

    def _path_of(self, otherwise: str) -> nodes.Attribute:
        """Parse a path; raises ValidationError with this detail if there is none."""
        if self._next.kind not in ("word", "quoted"):
            raise malformed(otherwise)
        steps: list[str | int | nodes.Alias] = [self._name()]
        while True:
            if self._accept("."):
                if self._next.kind not in ("word", "quoted"):
                    raise malformed("Invalid path dot component")
                steps.append(self._name())
            elif self._accept("["):
                steps.append(self._step())
                self._expect("]")
            else:
                break
        if len(steps) > NESTING_DEPTH_MAX:
            raise malformed()
        return nodes.Attribute(tuple(steps))

    def _step(self) -> str | int:
        token = self._take()
        if token.kind in ("string", "quoted"):
            return string_of(token)
        if token.kind == "number" and token.text.isdigit():
            return int(token.text)
        raise malformed("Unexpected term")

    def _name(self) -> str:
        token = self._take()
        return string_of(token) if token.kind == "quoted" else token.text

    # Conditions.

    def _condition(self) -> nodes.ConditionNode:
        self._deeper()
        parts = [self._all_of()]
        while self._accept_word("OR"):
            self._require_operand()
            parts.append(self._all_of())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else nodes.Or(tuple(parts))

    def _all_of(self) -> nodes.ConditionNode:
        parts = [self._term()]
        while self._accept_word("AND"):
            self._require_operand()
            parts.append(self._term())
        if len(parts) == 1:
            return parts[0]
        flat: list[nodes.ConditionNode] = []
        for part in parts:
            flat += part.operands if isinstance(part, nodes.And) else (part,)
        return nodes.And(tuple(flat))

    def _term(self) -> nodes.ConditionNode:
        negations = 0
        while self._accept_word("NOT"):
            negations += 1
        if self._next.kind == "(" and self._opens_condition():
            self._expect("(")
            condition = self._condition()
            self._expect(")")
        else:
            condition = self._comparison()
        return nodes.Not(condition) if negations % 2 else condition

    def _opens_condition(self) -> bool:
        """Whether a parenthesis encloses a condition rather than a value: look behind its end."""
        depth = 0
        for at in range(self._at, len(self._tokens)):
            kind = self._tokens[at].kind
            depth += (kind == "(") - (kind == ")")
            if not depth:
                follows = self._tokens[at + 1]
                return follows.word in _ENDS or follows.kind in ("end", ")", ";")
        raise malformed("Unexpected term")

    def _comparison(self) -> nodes.ConditionNode:
        left = self._compared()
        if self._next.kind in _COMPARISONS:
            operator = _COMPARISONS[self._take().kind]
            self._require_operand()
            return _compared_tests(operator, left, self._compared())
        if isinstance(left, nodes.Call) and left.function in _TESTS:
            return left
        if self._next.word == "IS":
            return self._is(left)
        is_negated = self._accept_word("NOT")
        if self._accept_word("BETWEEN"):
            low = self._compared()
            if not self._accept_word("AND"):
                raise malformed("Expected expression after AND")
            condition: nodes.ConditionNode = nodes.Between(left, low, self._compared())
        elif self._accept_word("IN"):
            condition = nodes.In(left, self._options())
        elif is_negated:
            raise unexpected(self._next)
        else:
            self._record_error("WHERE clause must contain an expression that resolves to a boolean")
            condition = nodes.Call("attribute_exists", (left,))
        return nodes.Not(condition) if is_negated else condition

    def _compared(self) -> nodes.Operand:
        """Parse an operand of a condition; conditions have no arithmetic."""
        operand = self._operand()
        while self._next.kind in OPERATORS or self._next.word == "LIKE":
            operator = self._take().text.lower()
            self._record_error(
                f"Unsupported operator in Condition Expression. Operator: {operator}"
            )
            self._operand()
        return operand

    def _is(self, operand: nodes.Operand) -> nodes.ConditionNode:
        place = self._take()
        is_negated = self._accept_word("NOT")
        type_ = self._take().word
        if type_ == "MISSING":
            function = "attribute_exists" if is_negated else "attribute_not_exists"
            return nodes.Call(function, (operand,))
        if type_ in _OTHER_TYPES:
            self._accept_word("PRECISION", "VARYING")
            self._record_error(
                f"Unsupported data type for IS operator: {_OTHER_TYPES[type_]}. "
                "Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, "
                "STRUCT, TUPLE, LIST]",
                place,
            )
        elif type_ not in _TYPES:
            raise malformed("Expected type name")
        name = nodes.Literal({"S": _TYPES.get(type_, "NULL")})
        condition = nodes.Call("attribute_type", (operand, name))
        return nodes.Not(condition) if is_negated else condition

    def _options(self) -> tuple[nodes.Operand, ...]:
        closing = {"[": "]", "(": ")", "<<": ">>"}.get(self._next.kind)
        if closing is None or self._second.kind == closing:
            self._record_error(
                "IN operator must have a left hand argument of type Variable Reference and right "
                "hand argument of type Seq with at least one member"
            )
            if closing is None:
                return (self._operand(),)
        self._take()
        return self._arguments(closing)

    def _arguments(self, closing: str) -> tuple[nodes.Operand, ...]:
        """Parse operands up to the closing sign."""
        arguments: list[nodes.Operand] = []
        if self._accept(closing):
            return ()
        self._deeper()
        while True:
            arguments.append(self._operand())
            if not self._accept(","):
                break
        self._depth -= 1
        self._expect(closing)
        return tuple(arguments)

    # Operands.

    def _operand(self) -> nodes.Operand:
        token = self._next
        is_called = self._second.kind == "("
        if is_called and (token.kind == "word" or token.word in _CALLED_KEYWORDS):
            return self._call()
        if token.kind in ("word", "quoted"):
            return self._path_of("Unexpected term")
        if token.word == "MISSING":
            self._record_error("MISSING must be compared using IS operator")
        if self._accept("("):
            self._deeper()
            operand = self._operand()
            self._depth -= 1
            self._expect(")")
            return operand
        return nodes.Literal(self._value())

    def _call(self) -> nodes.Operand:
        name = self._take()
        self._expect("(")
        self._require_function(name)
        return nodes.Call(name.text.lower(), self._arguments(")"))

    def _require_function(self, name: Token) -> None:
        if name.text.lower() not in _FUNCTIONS:
            self._record_error(f"Unrecognized function: {name.text.lower()}", name)


def _compared_tests(
    operator: str, left: nodes.Operand, right: nodes.Operand
) -> nodes.ConditionNode:
    """A comparison; a test compared with a boolean becomes the test or its negation."""
    for test, boolean in ((left, right), (right, left)):
        if isinstance(test, nodes.Call) and test.function in _TESTS:
            value = boolean.value.get("BOOL") if isinstance(boolean, nodes.Literal) else None
            if value is not None and operator in ("=", "<>"):
                return test if value is (operator == "=") else nodes.Not(test)
    return nodes.Comparison(operator, left, right)
