"""Key templates: compiling, rendering, parsing back, prefixes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, Literal

import pytest

from tablewright.errors import DesignError, KeyTemplateError, KeyTextMismatch, KeyValueInvalid
from tablewright.keys.codecs import Codec, Ulid, Uuid, codec_for
from tablewright.keys.languages import ANY, inside, literal
from tablewright.keys.template import Field, Template

TYPES: dict[str, Any] = {
    "id": str,
    "teamId": str,
    "playerId": str,
    "code": str,
    "nickname": str,
    "third": int,
    "minute": int,
    "at": datetime,
    "day": date,
    "eventId": Ulid,
    "userId": Uuid,
    "kind": Literal["passcode", "code"],
    "place": Literal["a-b", "c"],
}
ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def compiled(text: str, **options: Any) -> Template:
    delimiter = options.get("delimiter", "#")
    return Template.compile(
        text, lambda name, spec: codec_for(TYPES[name], spec, **options), delimiter
    )


def test_a_template_knows_its_parts() -> None:
    template = compiled("GOAL#{third:02}#{eventId}")
    assert template.text == "GOAL#{third:02}#{eventId}"
    assert template.fields == ("third", "eventId")
    texts = [part.text if isinstance(part, Field) else part for part in template.parts]
    assert texts == ["GOAL#", "{third:02}", "#", "{eventId}"]
    assert template.codec("third").name == "int 02"
    assert not template.is_literal
    assert not template.is_plain


def test_a_literal_template_renders_one_text() -> None:
    template = compiled("METADATA")
    assert template.is_literal
    assert not template.is_plain
    assert template.render({}) == template.prefix({}) == "METADATA"
    assert template.parse("METADATA") == {}
    assert template.typed_bounds({}) == ("METADATA", "METADATA")


def test_one_field_alone_is_plain() -> None:
    assert compiled("{day}").is_plain
    assert not compiled("{day}{day}").is_plain
    assert not compiled("{day}#").is_plain


@pytest.mark.parametrize(
    ("text", "values", "key"),
    [
        ("ROSTER#{teamId}#{playerId}", {"teamId": "red", "playerId": "p"}, "ROSTER#red#p"),
        ("{at}#{eventId}", {"at": NOON, "eventId": ULID}, f"2026-01-02T12:00:00.000Z#{ULID}"),
        ("01#{code}#", {"code": "123456"}, "01#123456#"),
        ("01#", {}, "01#"),
        ("{day}{eventId}", {"day": date(2026, 1, 2), "eventId": ULID}, f"2026-01-02{ULID}"),
        ("100%{third:02}%", {"third": 7}, "100%07%"),
        ("{kind}#{kind}", {"kind": "code"}, "code#code"),
        ("{id}#A#{teamId}#B#{code}", {"id": "x", "teamId": "y", "code": "z"}, "x#A#y#B#z"),
        ("é#{id}", {"id": "ß 😀"}, "é#ß 😀"),
    ],
)
def test_a_key_is_rendered_and_parsed_back(text: str, values: dict[str, Any], key: str) -> None:
    template = compiled(text)
    assert template.render(values) == key
    assert template.parse(key) == values
    assert inside(template.pieces, key)


def test_values_of_other_fields_are_ignored() -> None:
    assert compiled("A#{id}").render({"id": "x", "other": object()}) == "A#x"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must not be empty"),
        ("{id", "brace"),
        ("id}", "brace"),
        ("{{id}}", "brace"),
        ("{}", "not a field name"),
        ("{:04}", "not a field name"),
        ("{third:}", "not a field name"),
        ("{the id}", "not a field name"),
        ("A\n{id}", r"\\n"),
        ("A\U0010ffff", r"\\U0010ffff"),
        ("{third:4}", r"\{third:4\}: .*04"),
        ("{day:lower}", "is not a format for date"),
        ("{id}{teamId}", r"nothing separates \{id\} from \{teamId\}"),
        ("{third}{day}", r"nothing separates \{third\} from \{day\}"),
        ("{id}-{teamId}", r"\{id\} may contain the '-'"),
        ("{id}x", r"\{id\} may contain the 'x'"),
        ("{place}-{id}", r"\{place\} may contain the '-'"),
        ("{third}0#{id}", r"\{third\} may contain the '0'"),
    ],
)
def test_a_template_that_cannot_be_parsed_back_does_not_compile(text: str, reason: str) -> None:
    with pytest.raises(KeyTemplateError, match=reason) as caught:
        compiled(text)
    assert isinstance(caught.value, DesignError)
    assert not text or repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["{day}-{id}", "{eventId}A{id}", "{third:02}{minute:04}", "{id}"])
def test_a_field_of_fixed_width_needs_no_border(text: str) -> None:
    assert compiled(text).ambiguity is None


def test_another_delimiter_separates_fields() -> None:
    template = compiled("{id}|{teamId}", delimiter="|")
    assert template.parse(template.render({"id": "a#b", "teamId": "c"})) == {
        "id": "a#b",
        "teamId": "c",
    }
    with pytest.raises(KeyTemplateError, match="may contain"):
        compiled("{id}#{teamId}", delimiter="|")


def test_a_control_character_may_be_the_delimiter() -> None:
    assert compiled("A\x1f{id}", delimiter="\x1f").render({"id": "x"}) == "A\x1fx"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"teamId": "red"}, "playerId: is missing"),
        ({"teamId": "", "playerId": "p"}, "teamId: must not be empty"),
        ({"teamId": "red", "playerId": "a#b"}, "playerId: must not contain the delimiter"),
        ({"teamId": None, "playerId": "p"}, "teamId: must be a string"),
    ],
)
def test_a_value_that_cannot_stand_in_a_key_is_named(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(KeyValueInvalid, match=reason) as caught:
        compiled("ROSTER#{teamId}#{playerId}").render(values)
    assert caught.value.attribute in reason


@pytest.mark.parametrize(
    "text",
    ["", "GOAL#", "GOAL#01", "GOAL#01#", "GOAL#1#a", "goal#01#a", "GOAL#01#a#b", " GOAL#01#a"],
)
def test_a_text_of_another_form_is_no_key(text: str) -> None:
    with pytest.raises(KeyTextMismatch, match="is not a key of"):
        compiled("GOAL#{third:02}#{id}").parse(text)


# The language of dates holds the 30th of every month; the codec knows better.
def test_a_text_of_the_right_form_with_an_impossible_value_is_no_key() -> None:
    with pytest.raises(KeyTextMismatch, match="day must be a day"):
        compiled("{day}#{id}").parse("2026-02-30#a")


def test_a_field_may_stand_at_two_places_that_agree() -> None:
    template = compiled("{id}#A#{id}#{nickname:lower}#{nickname}")
    values = {"id": "x", "nickname": "Bo"}
    key = template.render(values)
    assert key == "x#A#x#bo#Bo"
    assert template.fields == ("id", "nickname")
    assert template.parse(key) == values
    for wrong in ("x#A#y#bo#Bo", "x#A#x#ba#Bo"):
        with pytest.raises(KeyTextMismatch):
            template.parse(wrong)


def test_an_exact_value_is_kept_where_a_lossy_place_follows() -> None:
    template = compiled("{nickname}#{nickname:lower}")
    assert template.parse("Bo#bo") == {"nickname": "Bo"}
    with pytest.raises(KeyTextMismatch, match="has two values"):
        template.parse("Bo#ba")


# What a raw field may hold is anybody's guess, so both keys below are one.
def test_an_unchecked_template_shows_two_tuples_with_one_key() -> None:
    template = compiled("ROSTER#{teamId}#{playerId}", unchecked=True)
    one, other, key = template.ambiguity or ({}, {}, "")
    assert {one["teamId"], other["teamId"]} == {"a", "a#b"}
    assert one != other
    assert template.render(one) == template.render(other) == key == "ROSTER#a#b#c"


@pytest.mark.parametrize(
    "text", ["{id:raw}", "A#{id:raw}", "{id:raw}#{eventId}", "{id:raw}#{code}", "{code}#{id:raw}"]
)
def test_one_raw_field_among_checked_ones_is_not_ambiguous(text: str) -> None:
    template = compiled(text)
    assert template.ambiguity is None
    values = {name: template.codec(name).sample for name in template.fields} | {"id": "x#y#z"}
    assert template.parse(template.render(values)) == values


@pytest.mark.parametrize(
    "text",
    ["{id:raw}{code}", "{id:raw}{third}", "{id:raw}#x#{code:raw}", "{id:lower|raw}#{code:raw}#"],
)
def test_every_ambiguity_is_shown_by_an_example(text: str) -> None:
    template = compiled(text)
    one, other, key = template.ambiguity or ({}, {}, "")
    assert one != other
    assert template.render(one) == template.render(other) == key


def test_an_ambiguity_of_signs_is_found_too() -> None:
    template = compiled("{id:raw}#{third:01}")
    assert template.ambiguity is None
    one, other, _ = compiled("{id:raw}-{third}").ambiguity or ({}, {}, "")
    assert {one["third"], other["third"]} == {1, -1}


# 105 after "a" is 5 after "a01"; the shortest example has 01, which is no number, and is shown.
def test_an_ambiguity_is_told_even_if_its_shortest_example_is_not_exact() -> None:
    template = compiled("{id:raw}0{third}")
    assert template.render({"id": "a", "third": 105}) == template.render({"id": "a01", "third": 5})
    one, other, key = template.ambiguity or ({}, {}, "")
    assert one != other
    assert f"{one['id']}0{one['third']}" == f"{other['id']}0{other['third']}" == key


def test_a_raw_field_that_occurs_twice_must_agree_with_itself() -> None:
    template = compiled("{id:raw}#{id:raw}")
    assert template.ambiguity is None
    assert template.parse(template.render({"id": "a#b"})) == {"id": "a#b"}


def test_the_longest_key_is_known_where_fields_are_bounded() -> None:
    assert compiled("GOAL#{third:02}#{eventId}").max_bytes == 5 + 2 + 1 + 26
    assert compiled("A#{kind}").max_bytes == 2 + len("passcode")
    assert compiled("A#{id}").max_bytes is None


@pytest.mark.parametrize(
    ("values", "prefix"),
    [
        ({}, "KW#"),
        ({"code": "open"}, "KW#open#TS#"),
        ({"code": "open", "other": 7}, "KW#open#TS#"),
        ({"code": "open", "at": NOON}, "KW#open#TS#2026-01-02T12:00:00.000Z#ENTRY#"),
        ({"code": "open", "at": NOON, "id": "x"}, "KW#open#TS#2026-01-02T12:00:00.000Z#ENTRY#x"),
    ],
)
def test_a_prefix_ends_with_the_literal_after_its_last_field(
    values: dict[str, Any], prefix: str
) -> None:
    assert compiled("KW#{code}#TS#{at}#ENTRY#{id}").prefix(values) == prefix


def test_a_template_that_begins_with_a_field_has_an_empty_prefix() -> None:
    assert compiled("{at}#{id}").prefix({}) == ""


def test_a_prefix_with_a_gap_is_refused() -> None:
    template = compiled("KW#{code}#TS#{at}#ENTRY#{id}")
    for ask in (template.prefix, template.prefix_pieces, template.range_pieces):
        call: Callable[[Any], Any] = ask
        with pytest.raises(ValueError, match="id .* is bound, but at before it is not"):
            call({"code": "open", "id": "x"})


def test_a_prefix_names_a_value_that_cannot_stand_in_it() -> None:
    with pytest.raises(KeyValueInvalid, match="code: "):
        compiled("KW#{code}#TS#{at}").prefix({"code": "a#b"})


@pytest.mark.parametrize(
    ("text", "bound", "is_so"),
    [
        ("USER#{id}", {"id"}, True),
        ("USER#{id}#", {"id"}, False),
        ("USER#{id}#{code}", {"id"}, False),
        ("USER#{id}#{code}", {"id", "code"}, True),
        ("USER#{eventId}", {"eventId"}, False),
        ("{day}{id}", {"day"}, False),
        ("USER#{id}", set(), False),
        ("{id}", set(), False),
        ("META", set(), False),
    ],
)
def test_a_prefix_that_ends_in_a_value_of_any_length_also_begins_longer_ones(
    text: str, bound: set[str], is_so: bool
) -> None:
    assert compiled(text).prefix_ends_in_field(bound) is is_so


def test_the_beginning_of_a_value_makes_a_prefix() -> None:
    template = compiled("PLAYER#{nickname:lower}#{id}")
    assert template.prefix_within({}, "nickname", "Ann") == "PLAYER#ann"
    assert template.prefix_within({}, "nickname", "") == "PLAYER#"
    assert template.prefix_within({"nickname": "Ann"}, "id", "x") == "PLAYER#ann#x"
    with pytest.raises(KeyValueInvalid, match="nickname: "):
        template.prefix_within({}, "nickname", "a#")
    with pytest.raises(ValueError, match="first unbound"):
        template.prefix_within({}, "id", "x")


def test_the_language_of_a_prefix_ends_with_anything() -> None:
    template = compiled("A#{kind}#{id}")
    assert template.prefix_pieces(set()) == (literal("A#"), ANY)
    pieces = template.prefix_pieces({"kind"})
    assert inside(pieces, "A#code#")
    assert inside(pieces, "A#code#anything#else")
    assert not inside(pieces, "A#code")


def test_a_codec_that_is_asked_for_by_name_must_exist() -> None:
    with pytest.raises(ValueError, match="has no field"):
        compiled("A#{id}").codec("code")


def test_the_caller_decides_about_codecs() -> None:
    requested = []

    def codec_of(name: str, spec: str) -> Codec:
        requested.append((name, spec))
        return codec_for(str)

    Template.compile("{a}#{b_c:x|y}", codec_of)
    assert requested == [("a", ""), ("b_c", "x|y")]
