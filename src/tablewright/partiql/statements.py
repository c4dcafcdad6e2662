"""DynamoDB's PartiQL statements, parsed into the nodes of the expression language.

    SELECT * | path {, path} FROM table [. index] [WHERE condition] [ORDER BY path [ASC | DESC]]
    INSERT INTO table VALUE { 'name': value {, …} }
    UPDATE table { SET path = value {, …} | REMOVE path {, …} } [WHERE condition] [RETURNING …]
    FROM table [WHERE condition] { SET … | REMOVE … } [RETURNING …]
    DELETE FROM table [WHERE condition] [RETURNING ALL OLD *]
    EXISTS ( SELECT … )

Parameters (``?``) are inserted while parsing, so every value is a `Literal`. Nesting is limited
before it is parsed. Syntax errors take precedence over unsupported features, wherever they are; so
the parser records an unsupported feature and continues.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tablewright.errors import ValidationError
from tablewright.expressions import nodes
from tablewright.partiql.statement_conditions import ConditionParser
from tablewright.partiql.statement_tokens import OPERATORS, Token, malformed, unexpected
from tablewright.partiql.statement_values import WRONG_NUMBER
from tablewright.values.attributes import Item, Value

__all__ = [
    "EXISTS_ELSEWHERE",
    "Delete",
    "Exists",
    "Insert",
    "Select",
    "Statement",
    "Update",
    "parse_statement",
]

EXISTS_ELSEWHERE: Final = "EXISTS can only be used in ExecuteTransaction write requests."


@dataclass(frozen=True, slots=True)
class Select:
    """A read; no paths means all attributes."""

    table: str
    index: str | None
    paths: tuple[nodes.Attribute, ...]
    where: nodes.ConditionNode | None
    order: tuple[tuple[str, bool], ...] = ()  # Names, and whether each is descending.
    # DynamoDB: an invalid select list is reported only if the table exists.
    refusal: ValidationError | None = None


@dataclass(frozen=True, slots=True)
class Insert:
    table: str
    item: Item


@dataclass(frozen=True, slots=True)
class Update:
    table: str
    update: nodes.UpdateNode
    where: nodes.ConditionNode | None
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


def parse_statement(text: str, parameters: Sequence[Value] = ()) -> Statement:
    """Parse a statement with normalised parameters; raises ValidationError."""
    return _Parser(text, parameters).statement()


class _Parser(ConditionParser):
    """Parses one statement."""

    def statement(self) -> Statement:
        kinds: dict[str, Callable[[], Statement]] = {
            "SELECT": self._select,
            "INSERT": self._insert,
            "UPDATE": self._update,
            "FROM": self._from_first,
            "DELETE": self._delete,
            "EXISTS": self._exists,
        }
        parse = kinds.get(self._next.word)
        if parse is None:
            raise self._no_statement()
        self._take()
        statement = parse()
        self._require_end()
        if self._first_error is not None:
            raise self._first_error
        if self._used != len(self._parameters):
            raise ValidationError(WRONG_NUMBER)
        return statement

    def _require_end(self) -> None:
        has_ended = self._accept(";")
        if self._next.kind != "end":
            raise malformed(
                "Unexpected token after semicolon. (Only one query is allowed.)"
                if has_ended
                else "Unexpected token after expression"
            )

    def _no_statement(self) -> ValidationError:
        """DynamoDB: text that does not start as a statement is parsed as an expression."""
        first = self._next
        operand = self._operand()
        operation = _operation_of(first, operand)
        if self._next.word == "IS":
            self._is(operand)
            operation = "IsType"
        while self._next.kind in OPERATORS:
            self._take()
            if self._accept_word("FROM"):
                self._from_first()
            else:
                self._operand()
            operation = None
        self._require_end()
        # DynamoDB: a computed expression is taken for an EXISTS check.
        return ValidationError(
            EXISTS_ELSEWHERE if operation is None else f"Unsupported operation: {operation}"
        )

    # Tables.

    def _source(self, otherwise: str = "Unexpected term") -> tuple[str, str | None]:
        """Parse a table and its index; aliases are not supported."""
        source = self._table_path(otherwise)
        if self._accept_word("AS") or self._next.kind in ("word", "quoted"):
            self._record_error("Aliasing is not supported")
            self._take()
        return source

    def _table_path(self, otherwise: str) -> tuple[str, str | None]:
        names = [str(step) for step in self._path_of(otherwise).steps]
        if len(names) > 2:
            self._record_error("A path may contain at most 2 components in the FROM clause")
        if "" in names:
            self._record_error("Path component cannot be an empty string")
        return names[0], names[1] if len(names) > 1 else None

    def _written_table(self, otherwise: str = "Expected identifier for simple path") -> str:
        """Parse the table of a write."""
        table, index = self._source(otherwise)
        if index is not None:
            self._record_error("This operation is not supported on an index")
        return table

    # Reading.

    def _select(self) -> Select:
        if self._next.word == "FROM":
            raise malformed("Cannot have empty SELECT list")
        if self._next.word in ("DISTINCT", "VALUE"):
            raise self._unsupported_selection()
        paths: list[nodes.Attribute] = []
        refusal = None
        if not self._accept("*"):
            refusal = self._select_path(paths)
            while self._accept(","):
                refusal = refusal or self._select_path(paths)
        elif self._next.kind == ",":
            raise malformed(
                "Other expressions may not be present in the select list when '*' is used without "
                "dot notation."
            )
        if not self._accept_word("FROM"):
            raise malformed("Expected FROM after SELECT list")
        table, index = self._source()
        if self._next.kind == "," or self._next.word in ("JOIN", "INNER", "LEFT", "CROSS"):
            raise ValidationError("Only select from a single table or index is supported.")
        where = self._where()
        order = self._order(has_where=where is not None)
        if self._next.word in ("LIMIT", "GROUP", "HAVING"):
            raise self._unsupported_clause()
        return Select(table, index, tuple(paths), where, order, refusal)

    def _unsupported_selection(self) -> ValidationError:
        if self._next.word == "DISTINCT":
            return ValidationError("Unsupported token in expression: DISTINCT")
        return ValidationError("Select projection doesn't support value or pivot keywords")

    def _unsupported_clause(self) -> ValidationError:
        clause = {"GROUP": "GROUP BY"}.get(self._next.word, self._next.word)
        where = f" at {self._second.place}" if clause == "LIMIT" else ""
        return ValidationError(f"Unsupported clause: {clause}{where}")

    def _select_path(self, paths: list[nodes.Attribute]) -> ValidationError | None:
        """Parse an entry of the select list; return the error if it is not a path."""
        first = self._next
        is_called = self._second.kind == "(" and first.word != ""
        refusal = None
        if first.kind in ("word", "quoted") and not is_called:
            paths.append(self._path_of("Unexpected term"))
        else:
            if is_called:
                self._take()
                self._skip_parentheses()
            else:
                self._operand()
            refusal = ValidationError(f"Unexpected path component at {first.place}")
        if self._accept_word("AS") or self._next.kind in ("word", "quoted"):
            self._record_error("Aliasing is not supported")
            self._take()
        return refusal

    def _where(self) -> nodes.ConditionNode | None:
        return self._condition() if self._accept_word("WHERE") else None

    def _order(self, *, has_where: bool) -> tuple[tuple[str, bool], ...]:
        if not self._accept_word("ORDER"):
            return ()
        if not self._accept_word("BY"):
            raise unexpected(self._next)
        if not has_where:
            self._record_error(
                "Must have WHERE clause in the statement when using ORDER BY clause."
            )
        order = []
        while True:
            name = str(self._path_of("Unexpected term").steps[0])
            is_descending = self._next.word == "DESC"
            self._accept_word("ASC", "DESC")
            order.append((name, is_descending))
            if not self._accept(","):
                return tuple(order)

    def _exists(self) -> Exists:
        self._expect("(")
        if not self._accept_word("SELECT"):
            raise unexpected(self._next)
        select = self._select()
        self._expect(")")
        return Exists(select)

    # Writing.

    def _insert(self) -> Insert:
        if not self._accept_word("INTO"):
            raise malformed("Unexpected keyword")
        table, index = self._table_path("Expected identifier for simple path")
        if index is not None:
            self._record_error("FROM clause may only contain a single table name")
        has_value = self._accept_word("VALUE")
        item: Item = {}
        place = self._next
        if has_value and self._accept("{"):
            item = self._struct(is_item=True)
        else:
            self._record_error(
                "Unsupported format in item expression. Please use struct format {...} to express "
                "item values for insert statement.",
                place,
            )
            self._operand()
        if self._returning() is not None:
            self._record_error("RETURNING is not supported in INSERT")
        return Insert(table, item)

    def _update(self) -> Update:
        table = self._written_table()
        update = self._actions()
        return Update(table, update, self._where(), self._returning())

    def _from_first(self) -> Update:
        table = self._written_table("Unexpected term")
        where = self._where()
        return Update(table, self._actions(), where, self._returning())

    def _actions(self) -> nodes.UpdateNode:
        actions: list[nodes.Action] = []
        while self._next.word in ("SET", "REMOVE"):
            action = self._set if self._take().word == "SET" else self._remove
            actions.append(action())
            while self._accept(","):
                actions.append(action())
        if not actions:
            raise malformed("Expected data manipulation")
        return nodes.UpdateNode(tuple(actions))

    def _set(self) -> nodes.Action:
        target = self._target()
        if not self._accept("="):
            raise malformed("Expected '='")
        if self._next.word in ("SET_ADD", "SET_DELETE") and self._second.kind == "(":
            return self._changed_set(target)
        value = self._operand()
        if self._next.kind in ("+", "-"):
            operator = self._take().kind
            self._require_operand()
            return nodes.SetAction(target, nodes.Arithmetic(operator, value, self._operand()))
        if self._next.kind in ("*", "/", "%", "||"):
            operator = self._take().kind
            self._record_error(f"Unsupported operator in Update Expression. Operator: {operator}")
            self._operand()
        return nodes.SetAction(target, value)

    def _changed_set(self, target: nodes.Attribute) -> nodes.Action:
        """Parse ``SET a = set_add(a, <<…>>)`` or ``set_delete``."""
        name = self._take()
        self._expect("(")
        first = self._next
        arguments = self._arguments(")")
        members = arguments[1] if len(arguments) > 1 else None
        if len(arguments) != 2:
            self._record_error(f"{name.word} must have exactly two arguments", name)
        elif arguments[0] != target:
            self._record_error(
                f"The first argument to {name.word} must equal the assignment value", name
            )
        elif not isinstance(members, nodes.Literal) or not _is_set(members.value):
            # DynamoDB: the position is that of the first argument.
            self._record_error(
                f"The second argument to {name.word} must be a value with type SET", first
            )
        kind = nodes.AddAction if name.word == "SET_ADD" else nodes.DeleteAction
        return kind(target, members if isinstance(members, nodes.Literal) else _EMPTY)

    def _remove(self) -> nodes.Action:
        return nodes.RemoveAction(self._target())

    def _target(self) -> nodes.Attribute:
        return self._path_of("Expected identifier for simple path")

    def _delete(self) -> Delete:
        if not self._accept_word("FROM"):
            raise malformed("Expected FROM after DELETE")
        table = self._written_table()
        where = self._where()
        returning = self._returning()
        if returning not in (None, "ALL OLD"):
            self._record_error(
                f"Invalid returning clause: RETURNING {returning} *. Only RETURNING ALL OLD * is "
                "allowed in DELETE statements."
            )
        return Delete(table, where, returning)

    def _returning(self) -> str | None:
        if not self._accept_word("RETURNING"):
            return None
        scope, version = self._take(), self._take()
        if scope.word not in ("ALL", "MODIFIED") or version.word not in ("OLD", "NEW"):
            raise malformed("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.")
        if self._next.kind in ("word", "quoted"):
            self._path_of("Unexpected term")
            self._record_error(
                "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"
            )
        elif not self._accept("*"):
            raise malformed("Unsupported syntax in RETURNING columns.")
        return f"{scope.word} {version.word}"


# Replaces invalid members while parsing continues.
_EMPTY: Final = nodes.Literal({"NULL": True})


def _is_set(value: Value) -> bool:
    return not {"SS", "NS", "BS"}.isdisjoint(value)


def _operation_of(first: Token, expression: nodes.Operand) -> str | None:
    """DynamoDB's name for an expression, by its first token; None for a computed one."""
    if isinstance(expression, nodes.Attribute):
        return "VariableReference" if len(expression.steps) == 1 else "Path"
    if isinstance(expression, nodes.Call):
        return None
    kinds = {"[": "Seq", "<<": "Seq", "{": "Struct", "?": "Parameter"}
    return kinds.get(first.kind, "Literal")
