"""Ranges of keys over one field."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Literal

import pytest

from tablewright.errors import KeyValueInvalid
from tablewright.keys.charsets import TOP
from tablewright.keys.codecs import Ulid, codec_for
from tablewright.keys.languages import inside
from tablewright.keys.template import Template

TYPES: dict[str, Any] = {
    "id": str,
    "name": str,
    "at": datetime,
    "day": date,
    "ulid": Ulid,
    "n": int,
    "hex": bytes,
    "kind": Literal["b", "bc", "d"],
}
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
FROM, TO = date(2026, 1, 2), date(2026, 1, 3)


def compiled(text: str) -> Template:
    return Template.compile(text, lambda name, spec: codec_for(TYPES[name], spec))


@pytest.mark.parametrize(
    ("text", "values", "field", "low", "high", "bounds"),
    [
        ("{day}#{id}", {}, "day", FROM, TO, ("2026-01-02", "2026-01-03~")),
        ("{day}#{id}", {}, "day", FROM, None, ("2026-01-02", "9~")),
        ("{day}#{id}", {}, "day", None, TO, ("0", "2026-01-03~")),
        ("{day}#{id}", {}, "day", None, None, ("0", "9~")),
        # Whole days are ends of a range of instants too.
        ("ENTRY#{at}#{id}", {}, "at", FROM, TO, ("ENTRY#2026-01-02", "ENTRY#2026-01-03~")),
        # Nothing follows the field: the last key is the last one.
        ("N#{n:04}", {}, "n", 7, 9, ("N#0007", "N#0009")),
        ("{id}", {}, "id", "a", "b", ("a", "b")),
        # A value of variable width is closed by its literal: "bc" is not in the range to "b".
        ("{hex}#{id}", {}, "hex", b"\x01", b"\x02", ("01", f"02#{TOP}")),
        ("{hex}#{ulid}", {}, "hex", b"\x01", b"\x02", ("01", "02#~")),
        ("{hex}#", {}, "hex", b"\x01", b"\x02", ("01", "02#")),
        (
            "A#{id}#{day}#{name}",
            {"id": "x"},
            "day",
            FROM,
            FROM,
            ("A#x#2026-01-02", "A#x#2026-01-02~"),
        ),
        ("{day}{id}", {}, "day", FROM, TO, ("2026-01-02", f"2026-01-03{TOP}")),
    ],
)
def test_a_range_holds_every_key_from_low_to_high(
    text: str, values: dict[str, Any], field: str, low: Any, high: Any, bounds: tuple[str, str]
) -> None:
    assert compiled(text).bounds(values, field, low, high) == bounds


@pytest.mark.parametrize(
    ("text", "field", "low", "first"),
    [
        ("MSG#{at}#{ulid}", "at", NOON, "MSG#2026-01-02T12:00:00.000Z~"),
        ("MSG#{at}#{ulid}", "at", FROM, "MSG#2026-01-02~"),
        ("N#{n:04}", "n", 7, "N#00070"),
        ("{id}", "id", "a", "a "),
        ("{hex}#", "hex", b"\x01", "01#0"),
    ],
)
def test_an_open_range_begins_after_every_key_of_its_low_value(
    text: str, field: str, low: Any, first: str
) -> None:
    assert compiled(text).bounds({}, field, low, None, is_low_open=True)[0] == first


def test_a_range_names_the_field_that_its_ends_do_not_fit() -> None:
    with pytest.raises(KeyValueInvalid, match="day: must be a date"):
        compiled("{day}#{id}").bounds({}, "day", "2026-01-02", None)


def test_a_range_is_over_the_first_unbound_field() -> None:
    template = compiled("A#{id}#{day}")
    for values, field in [({}, "day"), ({"id": "x"}, "id"), ({"id": "x", "day": FROM}, "day")]:
        with pytest.raises(ValueError, match="first unbound"):
            template.bounds(values, field, None, None)


# "a b" sorts before "a#…", because a space sorts before "#"; escaping cures it.
@pytest.mark.parametrize(
    ("text", "field", "is_kept"),
    [
        ("{id}", "id", True),
        ("{id}#{day}", "id", False),
        ("{id}#{day}", "day", True),
        ("{id:escaped}#{day}", "id", True),
        ("{id:lower}#{day}", "id", False),
        ("{n}", "n", False),
        ("{n:04}{day}", "n", True),
        ("{hex}#{day}", "hex", True),
        ("{kind}#{day}", "kind", True),
        ("{ulid}!{id}", "ulid", True),
        ("{id:raw}{day}", "id", False),
    ],
)
def test_order_is_kept_where_a_value_ends_below_all_that_could_go_on(
    text: str, field: str, is_kept: bool
) -> None:
    template = compiled(text)
    assert template.is_order_kept(field) is is_kept
    if not is_kept:
        low = template.codec(field).sample
        with pytest.raises(ValueError, match="do not sort by"):
            template.bounds({}, field, low, None)


@pytest.mark.parametrize(
    ("text", "values", "bounds"),
    [
        ("{at}#{id}", {}, ("0", "9~")),
        ("{at}#{id}", {"at": FROM}, None),
        ("REACTION#{ulid}", {}, ("REACTION#0", "REACTION#7~")),
        ("USER#{id}", {}, ("USER# ", f"USER#\U0010fffd{TOP}")),
        ("{kind}", {}, ("b", "d~")),
        ("{kind}#{ulid}", {"kind": "b"}, ("b#0", "b#7~")),
        ("{n:01}", {}, ("0", "9")),
    ],
)
def test_typed_bounds_are_the_first_characters_of_what_comes_next(
    text: str, values: dict[str, Any], bounds: tuple[str, str] | None
) -> None:
    if bounds is None:
        with pytest.raises(KeyValueInvalid):
            compiled(text).typed_bounds(values)
    else:
        assert compiled(text).typed_bounds(values) == bounds


def test_a_whole_key_is_its_own_typed_range() -> None:
    template = compiled("A#{day}")
    assert template.typed_bounds({"day": FROM}) == ("A#2026-01-02", "A#2026-01-02")
    assert template.range_pieces({"day"}) == template.pieces


def test_the_language_of_a_typed_range_is_told_by_first_characters() -> None:
    pieces = compiled("{at}#{id}").range_pieces(set())
    assert inside(pieces, "7 anything")
    assert not inside(pieces, "REACTION#x")
    assert not inside(pieces, "")
    pieces = compiled("A#{day}#{ulid}").range_pieces({"day"})
    assert inside(pieces, "A#2026-01-02#5")
    assert not inside(pieces, "A#2026-01-02#A")
