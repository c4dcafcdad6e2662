"""Projections: what they keep, and overlapping paths."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ValidationError
from tablewright.expressions.binding import Placeholders
from tablewright.expressions.projections import Projection

ITEM: dict[str, Any] = {
    "n": {"N": "5"},
    "l": {"L": [{"S": "0"}, {"S": "1"}, {"S": "2"}]},
    "m": {"M": {"a": {"N": "1"}, "b": {"M": {"c": {"S": "d"}, "e": {"L": [{"N": "1"}]}}}}},
}


def project(text: str, names: dict[str, str] | None = None) -> Projection:
    return Placeholders(names, None).projection(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n, q", {"n": {"N": "5"}}),
        ("m.a, m.b.c", {"m": {"M": {"a": {"N": "1"}, "b": {"M": {"c": {"S": "d"}}}}}}),
        ("l[2], l[0]", {"l": {"L": [{"S": "0"}, {"S": "2"}]}}),
        ("m.b.e[0]", {"m": {"M": {"b": {"M": {"e": {"L": [{"N": "1"}]}}}}}}),
        ("l[9], m.q, n.x, q", {}),
    ],
)
def test_a_projection_keeps_what_is_there(text: str, expected: Any) -> None:
    assert project(text).apply(ITEM) == expected


def test_names_may_be_aliases() -> None:
    projection = project("#m.#a", {"#m": "m", "#a": "a"})
    assert projection.apply(ITEM) == {"m": {"M": {"a": {"N": "1"}}}}
    assert projection.paths == (("m", "a"),)
    assert projection.top_level_names == projection.nested_names == {"m"}


@pytest.mark.parametrize(
    ("text", "verb"),
    [("a, a", "overlap"), ("m, m.a", "overlap"), ("m.a, m", "overlap"), ("m.a, m[0]", "conflict")],
)
def test_paths_that_overlap_or_conflict_are_refused(text: str, verb: str) -> None:
    with pytest.raises(ValidationError, match=f"Two document paths {verb} with each other"):
        project(text)


def test_an_alias_does_not_hide_an_overlap() -> None:
    with pytest.raises(ValidationError, match="overlap"):
        project("a, #a", {"#a": "a"})


def test_a_dot_in_a_name_is_part_of_the_name() -> None:
    project("m, #dotted", {"#dotted": "m.a"})
