"""The parser: from text to nodes. Knows the grammar, not the meaning of names.

    condition  = term { OR term }            term    = factor { AND factor }
    factor     = NOT factor | ( condition ) | function ( operand {, operand} )
               | operand comparator operand | operand BETWEEN operand AND operand
               | operand IN ( operand {, operand} )
    operand    = path | :value | function ( operand {, operand} ) | ( operand )
    path       = name { . name | [ index ] }
    update     = { SET path = value {, ...} | REMOVE path {, ...} | ADD path :value {, ...}
               | DELETE path :value {, ...} }
    value      = operand | operand + operand | operand - operand | ( value )

Clients choose how deep an expression nests, so parentheses, NOT and function calls use explicit
stacks instead of recursion.
"""

from __future__ import annotations

from typing import Final

from tablewright.expressions import nodes
from tablewright.expressions.tokens import ExpressionError, Token, syntax_error, tokenise
from tablewright.limits import EXPRESSION_BYTES_MAX, OPERATORS_MAX

__all__ = ["parse_condition", "parse_projection", "parse_update"]

_COMPARATORS: Final = frozenset(("=", "<>", "<", "<=", ">", ">="))


def parse_condition(text: str) -> nodes.ConditionNode:
    """Return the node of a condition, filter or key condition, or raise ExpressionError."""
    return _ConditionParser(text).parse()


def parse_update(text: str) -> nodes.UpdateNode:
    """Return the node of an update, or raise ExpressionError."""
    return _UpdateParser(text).parse()


def parse_projection(text: str) -> nodes.ProjectionNode:
    """Return the node of a projection, or raise ExpressionError."""
    parser = _Parser(text)
    attributes = [parser.path()]
    while parser.accept(","):
        attributes.append(parser.path())
    parser.expect("end")
    return nodes.ProjectionNode(tuple(attributes))


class _Parser:
    """A position in the tokens, and the rules common to all expressions."""

    __slots__ = ("at", "has_redundant_parentheses", "operators", "text", "tokens")

    def __init__(self, text: str) -> None:
        if not text:
            raise ExpressionError("The expression can not be empty;")
        size = len(text) if text.isascii() else len(text.encode())
        if size > EXPRESSION_BYTES_MAX:
            raise ExpressionError(
                f"Expression size has exceeded the maximum allowed size; expression size: {size}"
            )
        self.text = text
        self.tokens: list[Token] = tokenise(text)
        self.at = 0
        self.operators = 0
        self.has_redundant_parentheses = False

    @property
    def kind(self) -> str:
        """The kind of the next token."""
        return self.tokens[self.at].kind

    def take(self) -> str:
        """Return the next token's text and advance."""
        self.at += 1
        return self.tokens[self.at - 1].text

    def accept(self, kind: str) -> bool:
        """Advance if the next token has this kind; return whether it does."""
        if self.tokens[self.at].kind != kind:
            return False
        self.at += 1
        return True

    def expect(self, kind: str) -> str:
        """Return the next token's text; raises ExpressionError if it has another kind."""
        if self.tokens[self.at].kind != kind:
            raise self.error()
        return self.take()

    def error(self) -> ExpressionError:
        """Return the syntax error at the next token."""
        return syntax_error(self.text, self.tokens, self.at)

    def finish(self) -> None:
        """Raise the errors that can only be detected at the end of the text."""
        self.expect("end")
        if self.has_redundant_parentheses:
            raise ExpressionError("The expression has redundant parentheses;")
        if self.operators > OPERATORS_MAX:
            # DynamoDB: counting stops at the first operator too many.
            raise ExpressionError(
                f"The expression contains too many operators; operator count: {OPERATORS_MAX + 1}"
            )

    def path(self) -> nodes.Attribute:
        """Parse a path."""
        steps: list[str | int | nodes.Alias] = [self.name()]
        while True:
            if self.accept("."):
                steps.append(self.name())
            elif self.accept("["):
                steps.append(int(self.expect("index")))
                self.expect("]")
            else:
                return nodes.Attribute(tuple(steps))

    def name(self) -> str | nodes.Alias:
        """Parse an attribute name or alias."""
        if self.kind == "word":
            return self.take()
        return nodes.Alias(self.expect("alias"))

    def starts_call(self) -> bool:
        """Whether the next tokens start a function call."""
        return self.kind == "word" and self.tokens[self.at + 1].kind == "("

    def operand(self) -> nodes.Operand:
        """Parse an operand with the calls and parentheses around it."""
        # What is open: a call as (name, arguments so far), a parenthesis as None.
        pending: list[tuple[str, list[nodes.Operand]] | None] = []
        while True:
            if self.starts_call():
                pending.append((self.take(), []))
                self.operators += 1
                self.at += 1
            elif self.accept("("):
                pending.append(None)
            else:
                node: nodes.Operand | None = self._close(pending, self._simple_operand())
                if node is not None:
                    return node

    def _simple_operand(self) -> nodes.Operand:
        if self.kind == "value":
            return nodes.Placeholder(self.take())
        return self.path()

    def _close(
        self, pending: list[tuple[str, list[nodes.Operand]] | None], node: nodes.Operand
    ) -> nodes.Operand | None:
        """Close what ends after an operand; return the outermost operand once all is closed."""
        is_wrapped = False
        while pending:
            opened = pending[-1]
            if opened is None:
                self.expect(")")
                self.has_redundant_parentheses |= is_wrapped
                is_wrapped = True
            else:
                function, arguments = opened
                arguments.append(node)
                if self.accept(","):
                    return None
                self.expect(")")
                node = nodes.Call(function, tuple(arguments))
                is_wrapped = False
            pending.pop()
        return node


class _Group:
    """The conditions read so far inside one pair of parentheses."""

    __slots__ = ("factors", "negations", "terms")

    def __init__(self) -> None:
        self.terms: list[nodes.ConditionNode] = []
        self.factors: list[nodes.ConditionNode] = []
        self.negations = 0

    def add(self, node: nodes.ConditionNode) -> None:
        for _ in range(self.negations):
            node = nodes.Not(node)
        self.negations = 0
        self.factors.append(node)

    def end_term(self) -> None:
        factors = self.factors
        self.terms.append(factors[0] if len(factors) == 1 else nodes.And(tuple(factors)))
        self.factors = []

    def end(self) -> nodes.ConditionNode:
        self.end_term()
        return self.terms[0] if len(self.terms) == 1 else nodes.Or(tuple(self.terms))

    @property
    def is_fresh(self) -> bool:
        return not (self.terms or self.factors or self.negations)


class _ConditionParser(_Parser):
    __slots__ = ("groups",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.groups = [_Group()]

    def parse(self) -> nodes.ConditionNode:
        while True:
            if self.accept("NOT"):
                self.operators += 1
                self.groups[-1].negations += 1
            elif self.accept("("):
                self.groups.append(_Group())
            elif self._after_operand(self._bare_operand()):
                node = self.groups[0].end()
                self.finish()
                return node

    def _bare_operand(self) -> nodes.Operand:
        """Parse an operand; its opening parentheses have been parsed as groups."""
        return self.operand() if self.starts_call() else self._simple_operand()

    def _after_operand(self, operand: nodes.Operand) -> bool:
        """Finish the condition that starts with an operand; return whether the text ends with it.

        Parentheses around an operand alone, ``(a) = :v``, were parsed as a group. That group is
        dropped, and parsing continues after the operand.
        """
        is_wrapped = False
        is_operand = not isinstance(operand, nodes.Call) or self._operator_follows()
        while is_operand and self.kind == ")" and len(self.groups) > 1:
            if not self.groups[-1].is_fresh:
                break
            self.at += 1
            self.groups.pop()
            self.has_redundant_parentheses |= is_wrapped
            is_wrapped = True
        return self._after_condition(self._comparison(operand))

    def _operator_follows(self) -> bool:
        """Whether a comparison follows the closing parentheses ahead."""
        ahead = self.at
        while self.tokens[ahead].kind == ")":
            ahead += 1
        kind = self.tokens[ahead].kind
        return kind in _COMPARATORS or kind in ("BETWEEN", "IN")

    def _comparison(self, operand: nodes.Operand) -> nodes.ConditionNode:
        kind = self.kind
        if kind in _COMPARATORS:
            self.operators += 1
            return nodes.Comparison(self.take(), operand, self.operand())
        if self.accept("BETWEEN"):
            self.operators += 1
            low = self.operand()
            self.expect("AND")
            return nodes.Between(operand, low, self.operand())
        if self.accept("IN"):
            self.operators += 1
            self.expect("(")
            options = [self.operand()]
            while self.accept(","):
                options.append(self.operand())
            self.expect(")")
            return nodes.In(operand, tuple(options))
        if isinstance(operand, nodes.Call):
            return operand
        raise self.error()

    def _after_condition(self, node: nodes.ConditionNode) -> bool:
        """Add a condition to its group and close groups; return whether the text ended."""
        is_wrapped = False
        while True:
            group = self.groups[-1]
            is_alone = group.is_fresh
            group.add(node)
            if self.accept("AND"):
                self.operators += 1
                return False
            if self.accept("OR"):
                self.operators += 1
                group.end_term()
                return False
            if self.kind == "end" and len(self.groups) == 1:
                return True
            if len(self.groups) == 1:
                raise self.error()
            self.expect(")")
            self.has_redundant_parentheses |= is_wrapped and is_alone
            is_wrapped = True
            self.groups.pop()
            node = group.end()


class _UpdateParser(_Parser):
    __slots__ = ("actions",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.actions: list[nodes.Action] = []

    def parse(self) -> nodes.UpdateNode:
        rules = {
            "SET": self._set_action,
            "REMOVE": self._remove_action,
            "ADD": self._add_action,
            "DELETE": self._delete_action,
        }
        sections: list[str] = []
        while True:
            if self.kind not in rules:
                raise self.error()
            section = self.take().upper()
            sections.append(section)
            self.actions.append(rules[section]())
            while self.accept(","):
                self.actions.append(rules[section]())
            if self.kind == "end":
                break
        self.finish()
        for section in sections:
            if sections.count(section) > 1:
                raise ExpressionError(
                    f'The "{section}" section can only be used once in an update expression;'
                )
        return nodes.UpdateNode(tuple(self.actions))

    def _set_action(self) -> nodes.Action:
        target = self.path()
        self.expect("=")
        return nodes.SetAction(target, self._value())

    def _remove_action(self) -> nodes.Action:
        return nodes.RemoveAction(self.path())

    def _add_action(self) -> nodes.Action:
        return nodes.AddAction(self.path(), nodes.Placeholder(self.expect("value")))

    def _delete_action(self) -> nodes.Action:
        return nodes.DeleteAction(self.path(), nodes.Placeholder(self.expect("value")))

    def _value(self) -> nodes.Operand | nodes.Arithmetic:
        """Parse the value of SET; parentheses may enclose a sum or an operand."""
        opened = 0
        while self.accept("("):
            opened += 1
        operand: nodes.Operand = self.operand()
        opened = self._close_around_operand(opened)
        value: nodes.Operand | nodes.Arithmetic = operand
        if self.kind in ("+", "-"):
            self.operators += 1
            value = nodes.Arithmetic(self.take(), operand, self.operand())
        self.has_redundant_parentheses |= opened > 1
        for _ in range(opened):
            self.expect(")")
        return value

    def _close_around_operand(self, opened: int) -> int:
        """Close the parentheses around the first operand; return the number still open."""
        closed = 0
        while closed < opened and self.accept(")"):
            closed += 1
        self.has_redundant_parentheses |= closed > 1
        return opened - closed
