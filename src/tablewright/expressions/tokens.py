"""Tokens: an expression's text split into words, placeholders, numbers and signs.

Tokenising never fails: an unknown character becomes a token that no rule accepts, so that the
parser reports every syntax error in the same way.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tablewright.errors import ValidationError

__all__ = ["ExpressionError", "Token", "syntax_error", "tokenise"]

KEYWORDS: Final = frozenset(("AND", "OR", "NOT", "IN", "BETWEEN", "SET", "REMOVE", "ADD", "DELETE"))

_TOKEN: Final = re.compile(
    r"[ \t\r\n]*(?:"
    r"(?P<word>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<alias>\#[A-Za-z0-9_]+)"
    r"|(?P<value>:[A-Za-z0-9_]+)"
    # DynamoDB: an index has no leading zero; "01" is two tokens.
    r"|(?P<index>0|[1-9][0-9]*)"
    r"|(?P<sign><>|<=|>=|[<>=()\[\].,+-])"
    r"|(?P<stray>[^ \t\r\n]))"
)


class ExpressionError(ValidationError):
    """An invalid expression; the message does not yet name the parameter."""


class Token(NamedTuple):
    """A piece of the text; ``kind`` is the keyword or sign itself, else its category."""

    kind: str  # "word", "alias", "value", "index", "stray", "end", "AND", "<=" ...
    text: str
    start: int
    end: int


def tokenise(text: str) -> list[Token]:
    """Return the tokens, the last of kind "end"."""
    tokens: list[Token] = []
    at = 0
    while match := _TOKEN.match(text, at):
        kind = match.lastgroup
        assert kind is not None
        word = match[kind]
        if kind == "sign":
            kind = word
        elif kind == "word" and word.upper() in KEYWORDS:
            kind = word.upper()
        at = match.end()
        tokens.append(Token(kind, word, at - len(word), at))
    tokens.append(Token("end", "<EOF>", len(text), len(text)))
    return tokens


def syntax_error(text: str, tokens: list[Token], at: int) -> ExpressionError:
    """Return the error for an unexpected token, with its neighbours as "near"."""
    start = tokens[at - 1].start if at else 0
    end = tokens[min(at + 1, len(tokens) - 1)].end
    return ExpressionError(f'Syntax error; token: "{tokens[at].text}", near: "{text[start:end]}"')
