"""What can be proved about keys of two kinds of rows, and about queries."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from tablewright.keys.algebra import Face, Kind, Slot, collision, examples, query_face, reach
from tablewright.keys.codecs import Ulid, Uuid, codec_for
from tablewright.keys.template import Template

TYPES: dict[str, Any] = {"at": datetime, "date": date, "ulid": Ulid, "uuid": Uuid, "stars": int}


def slot(text: str, **options: Any) -> Slot:
    return Slot(
        Template.compile(text, lambda name, spec: codec_for(TYPES.get(name, str), spec, **options))
    )


def face(partition: str, *sort: str) -> Face:
    return Face((slot(partition),), tuple(slot(text) for text in sort))


def numbers(field: str, sort: str) -> Face:
    return Face((Slot(slot(f"{{{field}}}").template, "N"),), (slot(sort),))


@pytest.mark.parametrize(
    ("one", "other", "key"),
    [
        (face("SITE#{id}", "METADATA"), face("USER#{id}", "METADATA"), None),
        (face("SITE#{id}", "METADATA"), face("SITE#{id}", "TAG#{tag}"), None),
        (face("SITE#{id}", "METADATA"), face("SITE#{key}", "METADATA"), ("SITE#a", "METADATA")),
        (face("A#{id}", "{at}#{ulid}"), face("A#{id}", "REACTION#{x}"), None),
        (face("A#{id}", "{at}#{ulid}"), face("A#{id}", "{tag}"), None),
        (face("A#{id}", "{at}"), face("A#{id}", "{x}"), ("A#a", "1111-11-11T11:11:11.111Z")),
        (face("SITE#{id}"), face("SITE#{uuid}"), ("SITE#aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa",)),
        (face("SLUG#LEAGUE#{slug}"), face("SLUG#{id}#SEASON#{slug}"), None),
        (face("SLUG#LEAGUE#{slug}"), face("SLUG#{id}#{slug}"), ("SLUG#LEAGUE#a",)),
        (face("A#{id}"), face("A#{id}", "B"), None),
        (numbers("stars", "A#{id}"), numbers("stars", "A#{x}"), ("1", "A#a")),
        (numbers("stars", "A#{id}"), numbers("stars", "B#{x}"), None),
        (numbers("stars", "A#{id}"), face("{stars}", "A#{x}"), None),
    ],
)
def test_two_faces_collide_if_all_their_attributes_can(
    one: Face, other: Face, key: tuple[str, ...] | None
) -> None:
    assert collision(one, other) == key
    assert collision(other, one) == key


# The designs' unchecked form: a user named "1#COMMENT#2" reads what is not hers.
def test_unchecked_keys_collide_where_checked_ones_do_not() -> None:
    checked = face("USER#{id}", "SITE#{x}"), face("USER#{id}", "SITE#{x}#COMMENT#{y}")
    assert collision(*checked) is None
    raw = Face((slot("USER#{id}"),), (slot("SITE#{x}", unchecked=True),))
    assert collision(raw, checked[1]) == ("USER#a", "SITE#a#COMMENT#a")


COMMENT = face("ITEM#{id}", "{at}#{ulid}")
REACTION = face("ITEM#{id}", "REACTION#{ulid}#{user}")
META = face("ITEM#{id}", "META")
RATING = face("USER#{id}", "SITE#{site}")
NOTE = face("USER#{id}", "SITE#{site}#NOTE#{note}")


@pytest.mark.parametrize(
    ("requested", "bound", "kind", "reached"),
    [
        (COMMENT, {"id"}, "all", [COMMENT, REACTION, META]),
        (COMMENT, {"id"}, "prefix", [COMMENT, REACTION, META]),
        (COMMENT, {"id"}, "typed range", [COMMENT]),
        (COMMENT, {"id", "at", "ulid"}, "equals", [COMMENT]),
        (REACTION, {"id"}, "prefix", [REACTION]),
        (REACTION, {"id", "ulid"}, "prefix", [REACTION]),
        (META, {"id"}, "equals", [META]),
        (RATING, {"id"}, "prefix", [RATING, NOTE]),
        (RATING, {"id", "site"}, "equals", [RATING]),
        (RATING, {"id", "site"}, "prefix", [RATING, NOTE]),
        (NOTE, {"id", "site"}, "prefix", [NOTE]),
    ],
)
def test_a_query_reaches_the_faces_in_its_area(
    requested: Face, bound: set[str], kind: Kind, reached: list[Face]
) -> None:
    query = query_face(requested, bound, kind)
    every = [COMMENT, REACTION, META, RATING, NOTE]
    assert [other for other in every if reach(query, other) is not None] == reached


def test_a_reached_row_is_shown_by_an_example() -> None:
    assert reach(query_face(RATING, {"id"}, "prefix"), NOTE) == ("USER#a", "SITE#a#NOTE#a")


def test_the_leading_of_several_sort_attributes_are_bound_by_equality() -> None:
    requested = face("A#{id}", "{date}", "X#{tag}", "Z#{ulid}")
    query = query_face(requested, {"id", "date"}, "prefix")
    assert reach(query, requested) == ("A#a", "1111-11-11", "X#a", "Z#1AAAAAAAAAAAAAAAAAAAAAAAAA")
    assert reach(query, face("A#{id}", "{date}", "Y#{tag}", "{ulid}")) is None
    assert reach(query, face("A#{id}", "B", "X#{tag}", "{ulid}")) is None
    assert reach(query, face("A#{id}", "{date}", "X#{tag}", "B")) is not None
    whole = query_face(requested, {"id", "date"}, "all")
    assert reach(whole, face("A#{id}", "{date}", "Y#{tag}", "B")) is not None


def test_a_face_without_a_sort_key_is_asked_by_its_partition() -> None:
    query = query_face(face("A#{id}"), {"id"}, "equals")
    assert reach(query, face("A#{x}")) == ("A#a",)
    assert reach(query, face("B#{x}")) is None


def test_examples_have_a_value_for_each_field() -> None:
    template = slot("GOAL#{date}#{ulid}#{name}").template
    values = examples(template)
    assert list(values) == ["date", "ulid", "name"]
    assert template.parse(template.render(values)) == values
