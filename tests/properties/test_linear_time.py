"""Every parser of what clients send takes time in proportion to it, whatever it is sent.

Texts that are as bad as we know, each four times as long as the one before: a parser that looks at
its text again and again takes sixteen times as long. The minimum of several runs is compared, in
seconds of the processor, so that a busy machine does not matter.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import orjson
import pytest

from tablewright.engine.backups.table_backups import _ARN as BACKUP_ARN
from tablewright.engine.operations import find_operation
from tablewright.engine.requests.validation_style import _is_deep
from tablewright.errors import TablewrightError
from tablewright.expressions.parser import parse_condition, parse_projection, parse_update
from tablewright.keys.codecs import codec_for
from tablewright.keys.template import Template
from tablewright.partiql.statement_tokens import TokenCursor
from tablewright.partiql.statements import parse_statement
from tablewright.stores.cursors import Cursors
from tablewright.systems.hold_that_thought.services.plain_text import without_tags
from tablewright.systems.roll_model.services.keywords import text_tokens, whole_form
from tablewright.systems.stayon.services.short_ids import parse_short_id
from tablewright.systems.threefc.services.slugs import slug_candidates
from tablewright.values.attributes import normalise
from tablewright.values.decimals import canonical
from tablewright.web.http import field_types as fields
from tablewright.wire.admission import is_loopback_authority, preflight_fields
from tablewright.wire.content_codings import chosen_coding, decoded
from tablewright.wire.protocol import parse_body, parse_content_type
from tablewright.wire.signatures import (
    SignedRequest,
    canonical_request,
    joined,
    parse_authorization,
)

SIZES = (1_000, 4_000, 16_000, 64_000)
GROWTH_MAX = 8  # For four times the text.
FLOOR_SECONDS = 0.03  # What is faster than this is not compared.
RUNS = 2


class Case(NamedTuple):
    name: str
    parse: Callable[[Any], object]
    text: Callable[[int], Any]


def seconds(case: Case, size: int) -> float:
    """How long the fastest of several runs takes."""
    text = case.text(size)
    spent = []
    for _ in range(RUNS):
        started = time.process_time()
        with contextlib.suppress(TablewrightError, ValueError):
            case.parse(text)
        spent.append(time.process_time() - started)
        if spent[-1] > 1:
            break
    return min(spent)


def find_growth(case: Case) -> str | None:
    """What is wrong with a parser that takes too long for a longer text."""
    last = seconds(case, SIZES[0])
    for size in SIZES[1:]:
        spent = seconds(case, size)
        if spent > FLOOR_SECONDS + GROWTH_MAX * last:
            return f"{case.name}: {last:.3f} s, but {spent:.3f} s for {size:,}, four times as much"
        last = spent
    return None


def repeated(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: before + piece * (size // len(piece)) + after


def repeated_bytes(piece: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    return lambda size: repeated(piece, before, after)(size).encode()


def texts(*pieces: tuple[str, str, str]) -> list[Callable[[int], str]]:
    return [repeated(piece, before, after) for before, piece, after in pieces]


# What begins, what is repeated, and what ends.
STATEMENTS = texts(
    ("", "1", ""),
    ("", "1", "x"),
    ("1.", "1", "x"),
    ("1e", "1", "x"),
    ("", "1.", ""),
    ("", " ", ""),
    ("", "\n", "x"),
    ("", "a\n", ""),
    ("", "a ", ""),
    ("'", "''", ""),
    ("'", "''a", ""),
    ('"', '""a', ""),
    ("", "' ", "'"),
    ("", "'\n'", ""),
    ("", "--", ""),
    ("", "--\n", ""),
    ("", "-- a\nb ", ""),
    ("", "/*", ""),
    ("", "/**/", ""),
    ("/*", "\n*", ""),
    ("", "/", ""),
    ("", "(", ""),
    ("", "()", ""),
    ("SELECT * FROM t WHERE ", "(", ""),
    ("SELECT * FROM t WHERE ", "(a=1) AND ", "b=1"),
    ("SELECT * FROM t WHERE ", "(a=1 OR ", ""),
    ("SELECT * FROM t WHERE ", "NOT ", "a=1"),
    ("SELECT * FROM t WHERE a = ", "-", "1"),
    ("SELECT * FROM t WHERE a IN [", "1,", "1]"),
    ("SELECT * FROM t WHERE a IN [", "?,", "?]"),
    ("SELECT ", "a,", "b FROM t"),
    ("SELECT a", ".b", " FROM t"),
    ("SELECT a", "[0]", " FROM t"),
    ("SELECT * FROM t ORDER BY ", "a,", "b"),
    ("INSERT INTO t VALUE {", "'a':1,", "'b':2}"),
    ("INSERT INTO t VALUE {'a':", "[", ""),
    ("INSERT INTO t VALUE {'a':", "{'a':", ""),
    ("INSERT INTO t VALUE {'a':<<", "1,", "1>>}"),
    ("UPDATE t ", "SET a=1 ", ""),
    ("UPDATE t ", "REMOVE a ", "WHERE b=1"),
    ("", "<", ""),
    ("", "[{<<", ""),
)
EXPRESSIONS = texts(
    ("", " ", ""),
    ("", "(", ""),
    ("", "a", ""),
    ("", "1", ""),
    ("", "#", ""),
    ("", "NOT ", "a=:a"),
    ("a", ".b", "=:a"),
    ("a", "[0]", "=:a"),
    ("a IN (", ":a,", ":a)"),
    ("", "a=:a AND ", "a=:a"),
    ("", "(a=:a) OR ", "a=:a"),
    ("SET ", "a=:a,", "a=:a"),
    ("SET a=", ":a+", ":a"),
    ("REMOVE ", "a,", "a"),
    ("", "a,", "b"),
)
NUMBERS = texts(
    ("", "1", ""),
    ("", "1", "x"),
    ("", "0", "x"),
    ("-", "0", "1"),
    (".", "0", "x"),
    ("1e", "0", "x"),
    ("1e", "1", ""),
    ("1e", "1", "x"),
    ("0.", "0", ""),
)
HEADERS = [
    repeated_bytes(piece, before, after)
    for before, piece, after in (
        ("gzip;q=", "1", "x"),
        ("gzip;q=0.", "1", ""),
        ("gzip;", " ", "x"),
        ("gzip;q", " ", "x"),
        ("gzip;q=1", " ", "x"),
        ("", ";q=", ""),
        ("", ",", ""),
        ("", "gzip;q=1,", ""),
        (":", "1", "x"),
        ("", ":1", ""),
        ("", " ", "x"),
        ("", "a, ", '"'),
    )
]
WORDS = texts(
    ("", "a", ""),
    ("", " ", "x"),
    ("", "-", "x"),
    ("", "-a", ""),
    ("", "<", ""),
    ("", "<a ", ">"),
    ("a@", ".", "@"),
    ("", "a@", ""),
    ("a@", "a.", " "),
    ("", "1", ""),
    ("2026-01-01T00:00:00.", "1", "Z"),
    ("https://", "a", " "),
    ("https://", "[", ""),
)


def nested(opening: str, closing: str) -> Callable[[int], bytes]:
    return lambda size: (opening * (size // 10) + closing * (size // 10)).encode()


def signed(header: bytes) -> object:
    given = joined([(b"Authorization", b"AWS4-HMAC-SHA256 " + header), (b"X-Amz-Date", header)])
    request = SignedRequest(b"POST", b"/" + header + b"?" + header, given, b"")
    with contextlib.suppress(TablewrightError):
        parse_authorization(request)
    return canonical_request(request, ("host",))


def prepared(operation: str, **request: Any) -> Callable[[str], object]:
    """How an operation reads a request that has the text in it."""

    def parse(text: str) -> object:
        result = find_operation(operation)
        return result.prepare(orjson.loads(orjson.dumps(request).replace(b"TEXT", text.encode())))

    return parse


def legacy_get(names: list[str]) -> object:
    request = {"TableName": "things", "Key": {"a": {"S": "b"}}, "AttributesToGet": names}
    return find_operation("GetItem").prepare(request)


is_email = re.compile(rf"(?=.{{3,254}}$){fields.EMAIL_PATTERN}").fullmatch
CURSORS = Cursors(b"k" * 32)
TEMPLATE = Template.compile("A#{a}#B#{b}#{c}", lambda _, spec: codec_for(str, spec))
KEYS = texts(("", "#", ""), ("A#", "#", ""), ("A#", "x", ""), ("A#x#B#", "x#", ""))


def cases() -> list[Case]:
    parsers: list[tuple[str, Callable[[Any], object], list[Callable[[int], Any]]]] = [
        ("tokens of a statement", TokenCursor, STATEMENTS),
        ("statement", parse_statement, STATEMENTS),
        ("ExecuteStatement", prepared("ExecuteStatement", Statement="TEXT"), WORDS[:2]),
        ("AttributesToGet", legacy_get, [lambda size: [f"a{n}" for n in range(size)]]),
        ("condition", parse_condition, EXPRESSIONS),
        ("update", parse_update, EXPRESSIONS),
        ("projection", parse_projection, EXPRESSIONS),
        ("number", canonical, NUMBERS),
        ("number of an item", lambda text: normalise({"N": text}), NUMBERS),
        ("set of numbers", lambda text: normalise({"NS": [text, "1"]}), NUMBERS),
        ("content type", parse_content_type, HEADERS),
        ("accept-encoding", chosen_coding, HEADERS),
        ("content-encoding", lambda header: decoded(header, b"gzip"), HEADERS),
        ("host", is_loopback_authority, HEADERS),
        ("preflight", preflight_fields, HEADERS),
        ("signature", signed, HEADERS),
        ("JSON", parse_body, [nested('{"a":', "}"), nested("[", "]")]),
        ("depth", lambda text: _is_deep(parse_body(text)), [repeated_bytes(",1", '{"a":[1', "]}")]),
        ("ARN", BACKUP_ARN.fullmatch, [repeated("-", "arn:aws"), repeated("a:", "arn:aws:")]),
        ("cursor", lambda text: CURSORS.decode(text, pattern="p", arguments={}), WORDS),
        ("key", TEMPLATE.parse, KEYS),
        ("tags", without_tags, WORDS),
        ("words", text_tokens, WORDS),
        ("phrase", whole_form, WORDS),
        ("short id", parse_short_id, WORDS),
        ("slug", lambda text: next(slug_candidates(text), None), WORDS),
        ("e-mail address", is_email, WORDS),
        ("time", fields._time, WORDS),
        ("day", fields._day, WORDS),
        ("URL", fields._url, WORDS),
    ]
    return [
        Case(f"{name} {text(40)!r:.40}", parse, text)
        for name, parse, created in parsers
        for text in created
    ]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_parser_takes_time_in_proportion_to_its_text(case: Case) -> None:
    assert find_growth(case) is None


def test_a_parser_that_looks_again_and_again_is_found_out() -> None:
    def count_down(text: str) -> int:
        return sum(text.count("x", start) for start in range(0, len(text), 4))

    assert "four times as much" in str(find_growth(Case("planted", count_down, repeated("x"))))
