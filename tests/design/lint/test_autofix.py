"""Fixes that are edits of a file: exactly these characters, and everything else as it was."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.design.findings import deferred_errors
from tablewright.design.lint import lint
from tablewright.design.lint.autofix import fixes_for
from tablewright.design.lint.source_edits import Edit, Source, edited
from tablewright.design.lint.subject import subjects_of

HEAD = """\
from __future__ import annotations
from datetime import date
from tablewright import Get, Index, Model, Design, Query, Range, Table, pattern, served
"""
LEAGUE = """\
T = Table("League", "PK", "SK", indexes=[Index("byDay", "GSI1PK", "GSI1SK")])

@T.entity("MATCH#{matchId}", "META", byDay=("CLUB#{club}#DAY#{day}", "MATCH#{matchId}"))
class Match(Model):
    match_id: str
    club: str
    day: date

class League(Design, tables=[T]):
    @pattern()
    def get_match(self, match_id: str) -> Get[Match]:
        return served()

    @pattern(index="byDay")
    def between(self, club: str, day: Range[date]) -> Query[Match]:
        return served()
"""


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Any]:
    """Makes a module of a text, even of a design that is wrong."""
    created: list[str] = []

    def loaded(text: str) -> types.ModuleType:
        file = tmp_path / f"design{len(created)}.py"
        file.write_bytes(text.encode())
        module = types.ModuleType(f"mended_{len(created)}")
        module.__file__ = str(file)
        sys.modules[module.__name__] = module
        created.append(module.__name__)
        with deferred_errors():
            exec(compile(text, str(file), "exec"), vars(module))
        return module

    yield loaded
    for name in created:
        del sys.modules[name]


def fixed(load: Any, text: str, code: str) -> list[str]:
    """What each mend of the one finding of a rule makes of a design."""
    module = load(text)
    [result] = [one for one in lint(module).findings if one.code == code]
    [subject] = subjects_of(module, "aws")
    source = Source(text.encode())
    return [
        edited(text.encode(), mend.edits).decode() for mend in fixes_for(result, subject, source)
    ]


def codes(load: Any, text: str) -> list[str]:
    return [result.code for result in lint(load(text)).findings]


def test_a_range_moves_from_the_partition_to_the_front_of_the_sort_key(load: Any) -> None:
    text = HEAD + LEAGUE
    first, *_ = fixed(load, text, "TW202")
    assert first == text.replace(
        '("CLUB#{club}#DAY#{day}", "MATCH#{matchId}")',
        '("CLUB#{club}", "DAY#{day}#MATCH#{matchId}")',
    )
    assert codes(load, first) == []


def test_a_range_is_asked_of_an_index_that_sorts_by_it_if_there_is_one(load: Any) -> None:
    text = (HEAD + LEAGUE).replace(
        'SK", indexes=[', 'SK", indexes=[Index("byClub", "GSI2PK", "GSI2SK"), '
    )
    text = text.replace('"META", ', '"META", byClub=("CLUB#{club}", "{day}"), ')
    first, *_ = fixed(load, text, "TW202")
    assert first == text.replace('@pattern(index="byDay")', "@pattern()")
    assert "TW202" not in codes(load, first)


def test_a_range_gets_an_index_of_its_own_where_nothing_else_helps(load: Any) -> None:
    text = HEAD.replace(" Index,", "") + (
        LEAGUE.replace(', indexes=[Index("byDay", "GSI1PK", "GSI1SK")]', "")
        .replace('"MATCH#{matchId}", "META", byDay=("CLUB#{club}#DAY#{day}", ', '"DAY#{day}", (')
        .replace('("MATCH#{matchId}"))', '"MATCH#{matchId}")')
        .replace('index="byDay"', "")
    )
    [only] = fixed(load, text, "TW202")
    assert "import Index, Get, " in only
    assert 'T = Table("League", "PK", "SK", indexes=[Index("byDay", "byDayPK", "byDaySK")])' in only
    assert 'byDay=("MATCH#{club}", "{day}#{matchId}"))' in only
    assert "TW202" not in codes(load, only)


def test_an_index_more_stands_on_a_line_of_its_own_where_the_others_do(load: Any) -> None:
    text = (HEAD + LEAGUE).replace(
        'indexes=[Index("byDay", "GSI1PK", "GSI1SK")]',
        'indexes=[\r\n        Index("byDay", "day", "SK"),\r\n    ]',
    )
    text = text.replace('("CLUB#{club}#DAY#{day}", "MATCH#{matchId}")', '("{day}", "META")')
    [only] = fixed(load, text, "TW202")
    assert 'Index("byDay", "day", "SK"),\r\n        Index("between", "betweenPK", ' in only
    assert "TW202" not in codes(load, only)


def test_a_prefix_ends_with_its_delimiter(load: Any) -> None:
    text = HEAD + (
        'T = Table("t")\n'
        '@T.entity("U#{user}", "E#{kind}#{n:04}")\nclass Row(Model):\n'
        "    user: str\n    kind: str\n    n: int\n"
        "class Some(Design, tables=[T]):\n"
        "    @pattern(pk='U#{user}', sk='E#{kind}')\n"
        "    def rows(self, user: str, kind: str) -> Query[Row]:\n        return served()\n"
    )
    [only] = fixed(load, text, "TW205")
    assert only == text.replace("sk='E#{kind}'", "sk='E#{kind}#'")
    assert "TW205" not in codes(load, only)


def test_a_consistent_read_of_an_index_is_no_longer_asked_for(load: Any) -> None:
    text = (HEAD + LEAGUE).replace("Range[date]", "date")
    text = text.replace('index="byDay"', 'index="byDay", consistent=True, desc=True')
    [only] = fixed(load, text, "TW304")
    assert only == text.replace("consistent=True, ", "")


def test_a_comment_that_explains_nothing_goes_and_others_stay(load: Any) -> None:
    text = (HEAD + LEAGUE).replace("Range[date]", "date")
    above = text.replace("@T.entity", "# tw: ignore[TW401] no reason\n@T.entity")
    assert fixed(load, above, "TW902") == [text]
    beside = text.replace('"byDay")', '"byDay")  # tw: ignore[TW401] no reason')
    assert fixed(load, beside, "TW902") == [text]
    two = text.replace('"byDay")', '"byDay")  # tw: ignore[TW401, TW601] no reason')
    module = load(two)
    [subject] = subjects_of(module, "aws")
    result = [one for one in lint(module).findings if one.code == "TW902"]
    assert len(result) == 2
    assert not any(fixes_for(one, subject, Source(two.encode())) for one in result)


def test_what_has_no_mechanical_fix_has_no_mend(load: Any) -> None:
    text = HEAD + LEAGUE.replace("Range[date]", "date").replace('("CLUB#{club}#', '("X#')
    module = load(text.replace("class League", "class Other(Model): pass\n\nclass League"))
    [subject] = subjects_of(module, "aws")
    for result in lint(module).findings:
        assert fixes_for(result, subject, Source(text.encode())) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a=1)", "f()"),
        ("f(a=1,)", "f()"),
        ("f(é='é', a=1)", "f(é='é')"),
        ("f(a=1, b=2)", "f(b=2)"),
        ("f(\n    a=1,\n    b=2,\n)", "f(\n    b=2,\n)"),
        ("f(\n    b=2,\n    a=1,  # why\n)", "f(\n    b=2,  # why\n)"),
    ],
)
def test_an_argument_goes_with_its_comma(before: str, after: str) -> None:
    source = Source(before.encode())
    call = source.call(1, "f")
    assert call is not None
    keyword = next(each for each in call.keywords if each.arg == "a")
    assert edited(source.content, [source.without_keyword(call, keyword)]).decode() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()", "f(x=1)"),
        ("f(a)", "f(a, x=1)"),
        ("f(a,)", "f(a, x=1,)"),
        ("f(\n  a,\n)", "f(\n  a,\n  x=1,\n)"),
        ("f('é', b=2)  # é", "f('é', b=2, x=1)  # é"),
    ],
)
def test_an_argument_comes_where_the_others_are(before: str, after: str) -> None:
    source = Source(before.encode())
    call = source.call(1, "f")
    assert call is not None
    assert edited(source.content, [source.with_keyword(call, "x=1")]).decode() == after


def test_edits_are_made_from_the_back_so_that_none_moves_another() -> None:
    assert edited(b"abc", [Edit(0, 1, "xx"), Edit(2, 3, ""), Edit(1, 1, "-")]) == b"xx-b"


@pytest.mark.parametrize(
    "content", [b"\xef\xbb\xbfx = 1\n", b"# -*- coding: latin-1 -*-\n'\xe9'\n"]
)
def test_a_file_in_an_unusual_encoding_is_left_alone(content: bytes) -> None:
    with pytest.raises(ValueError, match="byte order|utf-8"):
        Source(content)
