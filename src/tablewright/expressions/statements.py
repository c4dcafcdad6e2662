"""PartiQL as DynamoDB has it: statements parsed into the nodes that expressions are made of.

    SELECT * | path {, path} FROM table [. index] [WHERE condition] [ORDER BY path [ASC | DESC]]
    INSERT INTO table VALUE { 'name': value {, …} }
    UPDATE table { SET path = value {, …} | REMOVE path {, …} } WHERE condition [RETURNING …]
    DELETE FROM table [WHERE condition] [RETURNING ALL OLD *]
    EXISTS ( SELECT … )

Parameters (``?``) are put in while parsing, so every value is a `Literal`. What a client nests is
bounded before it is followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tablewright.errors import ValidationError
from tablewright.expressions import nodes
from tablewright.limits import NESTING_DEPTH_MAX
from tablewright.values.attributes import Item, Value, normalise

__all__ = ["Delete", "Exists", "Insert", "Select", "Statement", "Update", "parse_statement"]

_DEPTH_MAX: Final = 2 * NESTING_DEPTH_MAX

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<comment>--[^\n]*)"
    r"|(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)"
    r"|(?P<string>'(?:[^']|'')*')"
    r'|(?P<quoted>"(?:[^"]|"")*")'
    r"|(?P<sign><<|>>|<>|!=|<=|>=|[-+=<>()\[\]{}.,:;*?])"
    r"|(?P<stray>\S))"
)
_COMPARISONS: Final = {"=": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_TESTS: Final = frozenset(("begins_with", "contains", "attribute_type"))
_ENDS: Final = frozenset(("WHERE", "RETURNING", "SET", "REMOVE", "ORDER", "AND", "OR"))


@dataclass(frozen=True, slots=True)
class Select:
    """What to read; no paths are everything."""

    table: str
    index: str | None
    paths: tuple[nodes.Attribute, ...]
    where: nodes.ConditionNode | None
    order: tuple[tuple[str, bool], ...] = ()  # Names, and whether each goes down.


@dataclass(frozen=True, slots=True)
class Insert:
    table: str
    item: Item


@dataclass(frozen=True, slots=True)
class Update:
    table: str
    update: nodes.UpdateNode
    where: nodes.ConditionNode
    returning: str | None = None  # "ALL OLD", "MODIFIED NEW", …


@dataclass(frozen=True, slots=True)
class Delete:
    table: str
    where: nodes.ConditionNode | None
    returning: str | None = None


@dataclass(frozen=True, slots=True)
class Exists:
    select: Select


Statement = Select | Insert | Update | Delete | Exists


def parse_statement(text: str, parameters: Sequence[Value] | None = None) -> Statement:
    """The statement of a text; raises ValidationError for what is none."""
    return _Parser(text, parameters or ()).statement()


class _Token(NamedTuple):
    kind: str  # "word", "quoted", "string", "number", "end", or the sign itself.
    text: str


def _tokens(text: str) -> list[_Token]:
    found = []
    at = 0
    while match := _TOKEN.match(text, at):
        kind = match.lastgroup or ""
        at = match.end()
        if kind != "comment":
            word = match[kind]
            found.append(_Token(word if kind == "sign" else kind, word))
    found.append(_Token("end", ""))
    return found


class _Parser:
    """A position in the tokens of one statement."""

    def __init__(self, text: str, parameters: Sequence[Value]) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0
        self._parameters = list(parameters)
        self._used = 0

    # Tokens.

    def _error(self) -> ValidationError:
        return ValidationError(f"Statement wasn't well formed, can't be processed: {self._text}")

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _is_word(self, *words: str, ahead: int = 0) -> bool:
        token = self._tokens[min(self._at + ahead, len(self._tokens) - 1)]
        return token.kind == "word" and token.text.upper() in words

    def _accept_word(self, *words: str) -> bool:
        if self._is_word(*words):
            self._at += 1
            return True
        return False

    def _expect_word(self, *words: str) -> str:
        if not self._is_word(*words):
            raise self._error()
        return self._take().text.upper()

    def _accept(self, sign: str) -> bool:
        if self._next.kind == sign:
            self._at += 1
            return True
        return False

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            raise self._error()

    # Statements.

    def statement(self) -> Statement:
        kinds: dict[str, Callable[[], Statement]] = {
            "SELECT": self._select,
            "INSERT": self._insert,
            "UPDATE": self._update,
            "DELETE": self._delete,
            "EXISTS": self._exists,
        }
        if self._next.kind != "word":
            raise self._error()
        parse = kinds.get(self._take().text.upper())
        if parse is None:
            raise ValidationError(
                "Invalid operation. Only select, insert, update and delete operations are valid"
            )
        found = parse()
        self._accept(";")
        if self._next.kind != "end":
            raise self._unsupported()
        if self._used != len(self._parameters):
            raise _wrong_number()
        return found

    def _unsupported(self) -> ValidationError:
        if self._is_word("LIMIT", "GROUP", "HAVING", "OFFSET", "UNION", "JOIN"):
            return ValidationError(f"Unsupported clause: {self._next.text.upper()}")
        if self._next.kind in ("word", "quoted"):
            return ValidationError("Aliasing is not supported")
        return self._error()

    def _select(self) -> Select:
        paths: list[nodes.Attribute] = []
        if not self._accept("*"):
            paths.append(self._projected())
            while self._accept(","):
                paths.append(self._projected())
        self._expect_word("FROM")
        table = self._name()
        index = self._name() if self._accept(".") else None
        if self._next.kind in ("word", "quoted") and not self._is_word("WHERE", "ORDER"):
            raise self._unsupported()
        where = self._condition() if self._accept_word("WHERE") else None
        return Select(table, index, tuple(paths), where, self._order(has_where=where is not None))

    def _projected(self) -> nodes.Attribute:
        if self._is_word("FROM"):
            raise self._error()
        path = self._path()
        if self._is_word("AS"):
            raise ValidationError("Aliasing is not supported")
        if self._next.kind == "(":
            raise ValidationError("Unexpected path component")
        return path

    def _order(self, *, has_where: bool) -> tuple[tuple[str, bool], ...]:
        if not self._accept_word("ORDER"):
            return ()
        self._expect_word("BY")
        if not has_where:
            raise ValidationError(
                "Must have WHERE clause in the statement when using ORDER BY clause."
            )
        found = []
        while True:
            name = self._name()
            goes_down = self._is_word("DESC")
            self._accept_word("ASC", "DESC")
            found.append((name, goes_down))
            if not self._accept(","):
                return tuple(found)

    def _insert(self) -> Insert:
        self._expect_word("INTO")
        table = self._name()
        self._expect_word("VALUE")
        if self._next.kind != "{":
            raise ValidationError(
                "Unsupported format in item expression. Please use struct format {...} to express "
                "item values for insert statement."
            )
        return Insert(table, self._value()["M"])

    def _update(self) -> Update:
        table = self._name()
        actions: list[nodes.Action] = []
        while self._is_word("SET", "REMOVE"):
            action = self._set if self._take().text.upper() == "SET" else self._remove
            actions.append(action())
            while self._accept(","):
                actions.append(action())
        if not actions:
            raise self._error()
        self._expect_word("WHERE")
        where = self._condition()
        return Update(table, nodes.UpdateNode(tuple(actions)), where, self._returning())

    def _set(self) -> nodes.Action:
        target = self._path()
        self._expect("=")
        if self._is_word("SET_ADD", "SET_DELETE") and self._tokens[self._at + 1].kind == "(":
            kind = nodes.AddAction if self._take().text.upper() == "SET_ADD" else nodes.DeleteAction
            self._expect("(")
            if self._path() != target:
                raise self._error()
            self._expect(",")
            members = nodes.Literal(self._value())
            self._expect(")")
            return kind(target, members)
        value = self._operand()
        if self._next.kind not in ("+", "-"):
            return nodes.SetAction(target, value)
        operator = self._take().text
        return nodes.SetAction(target, nodes.Arithmetic(operator, value, self._operand()))

    def _remove(self) -> nodes.Action:
        return nodes.RemoveAction(self._path())

    def _delete(self) -> Delete:
        self._expect_word("FROM")
        table = self._name()
        where = self._condition() if self._accept_word("WHERE") else None
        returning = self._returning()
        if returning not in (None, "ALL OLD"):
            raise ValidationError("Returning clause of a delete statement must be ALL OLD *")
        return Delete(table, where, returning)

    def _returning(self) -> str | None:
        if not self._accept_word("RETURNING"):
            return None
        what = self._expect_word("ALL", "MODIFIED")
        when = self._expect_word("OLD", "NEW")
        self._expect("*")
        return f"{what} {when}"

    def _exists(self) -> Exists:
        self._expect("(")
        self._expect_word("SELECT")
        select = self._select()
        self._expect(")")
        return Exists(select)

    # Names and paths.

    def _name(self) -> str:
        if self._next.kind == "word":
            return self._take().text
        if self._next.kind == "quoted":
            return self._take().text[1:-1].replace('""', '"')
        raise self._error()

    def _path(self) -> nodes.Attribute:
        steps: list[str | int | nodes.Alias] = [self._name()]
        while True:
            if self._accept("."):
                steps.append(self._name())
            elif self._accept("["):
                if self._next.kind == "string":
                    steps.append(_string(self._take().text))
                elif self._next.kind == "number" and self._next.text.isdigit():
                    steps.append(int(self._take().text))
                else:
                    raise self._error()
                self._expect("]")
            else:
                break
        if len(steps) > NESTING_DEPTH_MAX:
            raise self._error()
        return nodes.Attribute(tuple(steps))

    # Conditions.

    def _condition(self) -> nodes.ConditionNode:
        self._deeper()
        parts = [self._all_of()]
        while self._accept_word("OR"):
            parts.append(self._all_of())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else nodes.Or(tuple(parts))

    def _all_of(self) -> nodes.ConditionNode:
        parts = [self._term()]
        while self._accept_word("AND"):
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
            found = self._condition()
            self._expect(")")
        else:
            found = self._comparison()
        return nodes.Not(found) if negations % 2 else found

    def _opens_condition(self) -> bool:
        """Whether a parenthesis holds a condition, and not a value: what follows its end tells."""
        depth = 0
        for at in range(self._at, len(self._tokens)):
            kind = self._tokens[at].kind
            depth += (kind == "(") - (kind == ")")
            if not depth:
                follows = self._tokens[at + 1]
                is_word = follows.kind == "word" and follows.text.upper() in _ENDS
                return is_word or follows.kind in ("end", ")", ";")
        raise self._error()

    def _comparison(self) -> nodes.ConditionNode:
        left = self._operand()
        if isinstance(left, nodes.Call) and left.function in _TESTS:
            return left
        if self._next.kind in _COMPARISONS:
            operator = _COMPARISONS[self._take().text]
            return nodes.Comparison(operator, left, self._operand())
        if self._accept_word("IS"):
            return self._is(left)
        is_negated = self._accept_word("NOT")
        if self._accept_word("BETWEEN"):
            low = self._operand()
            self._expect_word("AND")
            found: nodes.ConditionNode = nodes.Between(left, low, self._operand())
        elif self._accept_word("IN"):
            found = nodes.In(left, self._options())
        else:
            raise self._error()
        return nodes.Not(found) if is_negated else found

    def _is(self, operand: nodes.Operand) -> nodes.ConditionNode:
        is_negated = self._accept_word("NOT")
        if self._expect_word("MISSING", "NULL") == "NULL":
            null = nodes.Literal({"S": "NULL"})
            found: nodes.ConditionNode = nodes.Call("attribute_type", (operand, null))
            return nodes.Not(found) if is_negated else found
        function = "attribute_exists" if is_negated else "attribute_not_exists"
        return nodes.Call(function, (operand,))

    def _options(self) -> tuple[nodes.Operand, ...]:
        opening = self._take().kind
        closing = {"[": "]", "(": ")"}.get(opening)
        if closing is None:
            raise self._error()
        found = [self._operand()]
        while self._accept(","):
            found.append(self._operand())
        self._expect(closing)
        return tuple(found)

    # Operands and values.

    def _operand(self) -> nodes.Operand:
        if self._is_word("TRUE", "FALSE", "NULL", "MISSING"):
            return nodes.Literal(self._value())
        if self._next.kind in ("word", "quoted"):
            if self._next.kind == "word" and self._tokens[self._at + 1].kind == "(":
                return self._call()
            return self._path()
        if self._accept("("):
            self._deeper()
            found = self._operand()
            self._depth -= 1
            self._expect(")")
            return found
        return nodes.Literal(self._value())

    def _call(self) -> nodes.Operand:
        function = self._take().text.lower()
        self._expect("(")
        self._deeper()
        arguments = [self._operand()]
        while self._accept(","):
            arguments.append(self._operand())
        self._depth -= 1
        self._expect(")")
        return nodes.Call(function, tuple(arguments))

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEPTH_MAX:
            raise self._error()

    def _value(self) -> Value:
        token = self._take()
        if token.kind == "?":
            return self._parameter()
        if token.kind == "string":
            return {"S": _string(token.text)}
        if token.kind in ("number", "-", "+"):
            sign = token.text if token.kind in ("-", "+") else ""
            digits = self._take() if sign else token
            if digits.kind != "number":
                raise self._error()
            return normalise({"N": sign.strip("+") + digits.text})
        if token.kind == "word" and token.text.upper() in ("TRUE", "FALSE"):
            return {"BOOL": token.text.upper() == "TRUE"}
        if token.kind == "word" and token.text.upper() == "NULL":
            return {"NULL": True}
        containers = {"[": self._list, "{": self._struct, "<<": self._set_value}
        if token.kind not in containers:
            raise self._error()
        self._deeper()
        found = containers[token.kind]()
        self._depth -= 1
        return found

    def _parameter(self) -> Value:
        if self._used >= len(self._parameters):
            raise _wrong_number()
        self._used += 1
        return normalise(self._parameters[self._used - 1])

    def _members(self, closing: str) -> list[Value]:
        found: list[Value] = []
        if self._accept(closing):
            return found
        while True:
            found.append(self._value())
            if not self._accept(","):
                self._expect(closing)
                return found

    def _list(self) -> Value:
        return {"L": self._members("]")}

    def _set_value(self) -> Value:
        members = self._members(">>")
        types = {next(iter(member)) for member in members}
        if len(types) != 1 or not types <= {"S", "N", "B"}:
            raise ValidationError("A set has members of one type: strings, numbers or binaries")
        type_ = types.pop()
        return normalise({f"{type_}S": [member[type_] for member in members]})

    def _struct(self) -> Value:
        found: dict[str, Value] = {}
        if self._accept("}"):
            return {"M": found}
        while True:
            if self._next.kind != "string":
                raise ValidationError("Tuple keys must be of type String.")
            name = _string(self._take().text)
            self._expect(":")
            if name in found:
                raise ValidationError(f"Duplicate key in struct: {name}")
            found[name] = self._value()
            if not self._accept(","):
                self._expect("}")
                return {"M": found}


def _string(text: str) -> str:
    return text[1:-1].replace("''", "'")


def _wrong_number() -> ValidationError:
    return ValidationError("Number of parameters in request and statement don't match.")
