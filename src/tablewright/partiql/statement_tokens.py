"""PartiQL tokens: a statement's text as tokens, and a cursor over them.

DynamoDB parses statements with PartiQL's own parser and repeats its errors: no detail for text
that cannot be tokenised, an expectation for a misplaced token. Features that parse but are not
supported have DynamoDB's own messages, mostly with the position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tablewright.errors import ValidationError

__all__ = ["OPERATORS", "Token", "TokenCursor", "malformed", "unexpected"]

# Arithmetic operators; only SET supports any, and only the first two.
OPERATORS: Final = frozenset(("+", "-", "*", "/", "%", "||"))

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<number>(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)"
    r"|(?P<string>'(?:[^']|'')*')"
    r'|(?P<quoted>"(?:[^"]|"")*")'
    r"|(?P<sign><<|>>|<>|!=|<=|>=|\|\||/(?!\*)|[-+=<>()\[\]{}.,:;*?%])"
    r"|(?P<stray>\S))",
    re.DOTALL,
)
# Possessive quantifiers, here and above: text that does not match causes no backtracking.
_NUMBER: Final = re.compile(r"\d*+\.?(\d*+)[eE](.+)")
# Operators that cannot start a term. A star can: it is a term.
_INFIX: Final = frozenset(
    ("=", "<>", "!=", "<", "<=", ">", ">=", "||", "/", "%", "AND", "OR", "IS", "IN", "LIKE")
)
# DynamoDB: these can be attribute names only in double quotes.
_KEYWORDS: Final = frozenset(
    """
    absolute action add all allocate alter and any are as asc assertion at authorization avg bag
    begin between bit bit_length blob bool boolean by cascade cascaded case cast catalog char
    char_length character character_length check clob close coalesce collate collation column
    commit conflict connect connection constraint constraints continue convert corresponding count
    create cross current current_date current_time current_timestamp current_user cursor date
    date_add date_diff deallocate dec decimal declare default deferrable deferred delete desc
    describe descriptor diagnostics disconnect distinct do domain double drop else end escape
    except exception exec execute exists external extract false fetch first float for foreign found
    from full get global go goto grant group having identity immediate in index indicator
    initially inner input insensitive insert int integer intersect interval into is isolation join
    key language last left let level like limit list local lower match max min missing modified
    module names national natural nchar new next no not nothing null nullif numeric octet_length
    of old on only open option or order outer output overlaps pad partial pivot position precision
    prepare preserve primary prior privileges procedure public read real references relative
    remove restrict returning revoke right rollback rows schema scroll section select session
    session_user set sexp size smallint some space sql sqlcode sqlerror sqlstate string struct
    substring sum symbol system_user table temporary then time timestamp to transaction translate
    translation trim true tuple union unique unknown unpivot update upper usage user using value
    values varchar varying view when whenever where with work write zone
    """.split()  # noqa: SIM905 - Words, not a list of texts.
)


class Token(NamedTuple):
    kind: str  # "word", "keyword", "quoted", "string", "number", "end", or the sign itself.
    text: str
    place: str = ""  # Line, column and length.

    @property
    def word(self) -> str:
        """The word in capitals; empty for other kinds."""
        return self.text.upper() if self.kind in ("word", "keyword") else ""


def malformed(detail: str = "") -> ValidationError:
    """The error for text that is not a statement, with the PartiQL parser's detail."""
    return ValidationError(f"Statement wasn't well formed, can't be processed: {detail}")


def unexpected(token: Token) -> ValidationError:
    """The parser's error for a token where a term is expected."""
    if token.kind in _INFIX or token.word in _INFIX:
        return malformed("Unexpected operator")
    return malformed("Unexpected keyword" if token.kind == "keyword" else "Unexpected term")


def _tokens(text: str) -> Iterator[Token]:
    at, line, line_start, last_start = 0, 1, 0, 0
    while match := _TOKEN.match(text, at):
        kind = match.lastgroup or ""
        start, at = match.span(kind)
        line += text.count("\n", match.start(), start)
        # Search only after the last token, so that no part of the text is searched twice.
        line_start = max(line_start, text.rfind("\n", last_start, start) + 1)
        last_start = start
        token_text = match[kind]
        place = f"{line}:{start - line_start + 1}:{len(token_text)}"
        if kind == "comment":
            line += token_text.count("\n")
        elif kind == "stray":
            raise malformed()
        elif kind == "sign":
            yield Token(token_text, token_text, place)
        elif kind == "word":
            yield Token("keyword" if token_text.lower() in _KEYWORDS else "word", token_text, place)
        else:
            if kind == "number":
                _require_scale(token_text)
            yield Token(kind, token_text, place)
    yield Token("end", "")


def _require_scale(number: str) -> None:
    """DynamoDB: a number whose exponent exceeds 32 bits is a syntax error."""
    match = _NUMBER.fullmatch(number)
    if match is not None:
        exponent = int(match[2]) if len(match[2]) <= 12 else 2**31
        if abs(exponent) >= 2**31 or len(match[1]) - exponent >= 2**31:
            raise malformed()


class TokenCursor:
    """A position in the tokens of one statement."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._first_error: ValidationError | None = None

    def _record_error(self, message: str, place: Token | None = None) -> None:
        """Record the first unsupported feature; a later syntax error takes precedence."""
        if self._first_error is None:
            where = "" if place is None else f" at {place.place}"
            self._first_error = ValidationError(message + where)

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    @property
    def _second(self) -> Token:
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._tokens[self._at]
        if token.kind != "end":
            self._at += 1
        return token

    def _accept_word(self, *words: str) -> bool:
        if self._next.word in words:
            self._at += 1
            return True
        return False

    def _require_operand(self) -> None:
        """DynamoDB: an operator at the end of the text has its own message."""
        if self._next.kind == "end":
            raise malformed("Missing right-hand side expression of infix operator")

    def _accept(self, sign: str) -> bool:
        if self._next.kind == sign:
            self._at += 1
            return True
        return False

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            raise unexpected(self._next)
