"""Laws of keys: codecs and templates are inverses, keep order, and never confuse two tuples."""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, StrEnum
from functools import cache
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tablewright.errors import KeyTemplateError, KeyTextMismatch, KeyValueInvalid
from tablewright.keys import texts
from tablewright.keys.ambiguity import two_splits
from tablewright.keys.charsets import CharSet
from tablewright.keys.codecs import Codec, Ulid, Uuid, codec_for
from tablewright.keys.languages import Choice, Piece, Pieces, inside, meet
from tablewright.keys.template import Field, Template


class Team(StrEnum):
    RED = "red"
    REDDISH = "reddish"
    BLUE = "blue"


class Level(Enum):
    ONE = 1
    NINE = 9
    TEN = 10


# Signs around the delimiter, the escape and the tilde; controls; wide and last characters.
CHARS = 'ab019 !"#$%&-~|AZß😀\x00\n\x7f\x80\ud7ff\ue000\ufffd\U0010fffd'
any_text = st.text(CHARS, min_size=1, max_size=4)
plain_text = any_text.map(lambda text: re.sub("[#\x00-\x1f\x7f-\x9f]", "", text)).filter(bool)
instants = st.builds(
    lambda when, hours: when.replace(
        microsecond=when.microsecond // 1000 * 1000, tzinfo=UTC
    ).astimezone(timezone(timedelta(hours=hours))),
    st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)),  # noqa: DTZ001
    st.integers(-12, 12),
)
ulids = st.builds(
    lambda head, tail: head + tail,
    st.sampled_from("01234567"),
    st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=25, max_size=25),
)


class Sort(NamedTuple):
    """A kind of field, and values for it."""

    annotation: Any
    spec: str
    values: st.SearchStrategy[Any]


SORTS = {
    "text": Sort(str, "", plain_text),
    "escaped": Sort(str, "escaped", any_text),
    "lower": Sort(str, "lower", plain_text),
    "upper": Sort(str, "upper", plain_text),
    "compact": Sort(str, "compact", plain_text.filter(lambda text: text.strip(" -") != "")),
    "lower escaped": Sort(str, "lower|escaped", any_text),
    "int": Sort(int, "", st.integers(-(10**38) + 1, 10**38 - 1) | st.integers(-11, 11)),
    "padded": Sort(int, "03", st.integers(0, 999)),
    "date": Sort(date, "", st.dates()),
    "datetime": Sort(datetime, "", instants),
    "ulid": Sort(Ulid, "", ulids),
    "uuid": Sort(Uuid, "", st.uuids().map(str)),
    "uuid object": Sort(uuid.UUID, "", st.uuids()),
    "team": Sort(Team, "", st.sampled_from(Team)),
    "level": Sort(Level, "", st.sampled_from(Level)),
    "literal": Sort(Literal["a", "a a", 7], "", st.sampled_from(["a", "a a", 7])),
    "bool": Sort(bool, "", st.booleans()),
    "decimal": Sort(Decimal, "4.2", st.decimals(0, "9999.99", places=2)),
    "bytes": Sort(bytes, "", st.binary(min_size=1, max_size=3)),
}


@cache
def codec_of(sort: str) -> Codec:
    return codec_for(SORTS[sort].annotation, SORTS[sort].spec)


kinds = pytest.mark.parametrize("sort", SORTS)
ordered_kinds = pytest.mark.parametrize(
    "sort", [sort for sort in SORTS if codec_of(sort).is_ordered]
)


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


@kinds
@settings(max_examples=50)
@given(st.data())
def test_decoding_undoes_encoding(sort: str, data: st.DataObject) -> None:
    codec, value = codec_of(sort), data.draw(SORTS[sort].values)
    text = codec.encode(value)
    assert inside(codec.pieces, text)
    if codec.is_lossy:
        assert codec.encode(codec.decode(text)) == text
    else:
        assert codec.decode(text) == value
    assert codec.width in (None, len(text))


@kinds
@settings(max_examples=50)
@given(st.data())
def test_decoding_refuses_what_encoding_cannot_make(sort: str, data: st.DataObject) -> None:
    codec = codec_of(sort)
    text = codec.encode(data.draw(SORTS[sort].values))
    place = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 2))
    changed = (
        text[:place] + data.draw(st.text(CHARS + "%2fF.:TZ", max_size=2)) + text[place + cut :]
    )
    try:
        value = codec.decode(changed)
    except KeyValueInvalid:
        return
    assert codec.encode(value) == changed


@ordered_kinds
@settings(max_examples=50)
@given(st.data())
def test_texts_sort_as_values_do(sort: str, data: st.DataObject) -> None:
    codec = codec_of(sort)
    one, other = (
        codec.encode(data.draw(SORTS[sort].values)),
        codec.encode(data.draw(SORTS[sort].values)),
    )
    assert (one < other) == (plain(codec.decode(one)) < plain(codec.decode(other)))
    assert (one < other) == (one.encode() < other.encode())


class Made(NamedTuple):
    """A template, and values for it."""

    template: Template
    sorts: dict[str, str]

    def values(self, draw: st.DrawFn) -> dict[str, Any]:
        """Values as they come back: normalised where their codec does that."""
        values = {name: draw(SORTS[sort].values) for name, sort in self.sorts.items()}
        return {
            name: codec_of(sort).decode(codec_of(sort).encode(values[name]))
            for name, sort in self.sorts.items()
        }


def compile_of(text: str, sorts: dict[str, str]) -> Template:
    return Template.compile(text, lambda name, _spec: codec_of(sorts[name]))


@st.composite
def made_templates(draw: st.DrawFn) -> Made:
    """Templates of up to four fields; borders are left out wherever that compiles."""
    chosen = draw(st.lists(st.sampled_from(list(SORTS)), min_size=1, max_size=4))
    sorts = {f"f{place}": sort for place, sort in enumerate(chosen)}
    text = draw(st.sampled_from(["", "A#", "A", "%s#"]))
    for name in sorts:
        text += f"{{{name}}}" + draw(st.sampled_from(["", "#", "#", "#B#", "!"]))
    try:
        return Made(compile_of(text, sorts), sorts)
    except KeyTemplateError:
        text = "#".join(f"{{{name}}}" for name in sorts) + draw(st.sampled_from(["", "#"]))
        return Made(compile_of(text, sorts), sorts)


@settings(deadline=None)
@given(st.data())
def test_parsing_undoes_rendering(data: st.DataObject) -> None:
    generated = data.draw(made_templates())
    values = generated.values(data.draw)
    key = generated.template.render(values)
    assert generated.template.parse(key) == values
    assert inside(generated.template.pieces, key)
    longest = generated.template.max_bytes
    assert longest is None or len(key.encode()) <= longest


@settings(deadline=None)
@given(st.data())
def test_parsing_refuses_what_rendering_cannot_make(data: st.DataObject) -> None:
    generated = data.draw(made_templates())
    key = generated.template.render(generated.values(data.draw))
    place = data.draw(st.integers(0, len(key)))
    changed = key[:place] + data.draw(st.text("#aB0- ", max_size=2)) + key[place + 1 :]
    try:
        values = generated.template.parse(changed)
    except KeyTextMismatch:
        return
    assert generated.template.render(values) == changed


def require_injective(template: Template, one: dict[str, Any], other: dict[str, Any]) -> None:
    if one != other:
        assert template.render(one) != template.render(other), (one, other)


# Values are drawn so that they often share beginnings: that is where keys are confused.
@settings(deadline=None)
@given(st.data())
def test_different_tuples_have_different_keys(data: st.DataObject) -> None:
    generated = data.draw(made_templates())
    one = generated.values(data.draw)
    other = {
        name: value if data.draw(st.booleans()) else generated.values(data.draw)[name]
        for name, value in one.items()
    }
    require_injective(generated.template, one, other)


def require_no_shared_key(template: Template) -> None:
    """Every pair of short values, the delimiter in them, has a key of its own or is refused."""
    values = [
        "".join(chars) for length in range(1, 4) for chars in itertools.product("a#", repeat=length)
    ]
    owners: dict[str, tuple[str, str]] = {}
    for pair in itertools.product(values, repeat=2):
        try:
            key = template.render(dict(zip(template.fields, pair, strict=True)))
        except KeyValueInvalid:
            continue
        assert owners.setdefault(key, pair) == pair


@pytest.mark.parametrize("spec", ["", "escaped"])
def test_values_with_the_delimiter_in_them_never_share_a_key(spec: str) -> None:
    template = Template.compile("ROSTER#{a}#{b}", lambda _name, _spec: codec_for(str, spec))
    require_no_shared_key(template)


# The law can fail: a codec that lets its delimiter through is found.
def test_a_planted_codec_that_lets_the_delimiter_through_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(texts.PlainText, "encode", lambda _codec, value: value)
    template = Template.compile("ROSTER#{a}#{b}", lambda _name, _spec: codec_for(str))
    with pytest.raises(AssertionError):
        require_no_shared_key(template)


def kept_fields(template: Template) -> int:
    """How many leading fields sort as their values do."""
    count = 0
    for name in template.fields:
        if not template.is_order_kept(name):
            break
        count += 1
    return count


def require_order(template: Template, one: dict[str, Any], other: dict[str, Any]) -> None:
    names = template.fields[: kept_fields(template)]
    left = [plain(one[name]) for name in names]
    right = [plain(other[name]) for name in names]
    if left != right:
        assert (template.render(one) < template.render(other)) == (left < right), (one, other)


@settings(deadline=None)
@given(st.data())
def test_keys_sort_as_their_tuples_do_as_far_as_order_is_kept(data: st.DataObject) -> None:
    generated = data.draw(made_templates())
    one, other = generated.values(data.draw), generated.values(data.draw)
    if data.draw(st.booleans()):
        other[generated.template.fields[0]] = one[generated.template.fields[0]]
    require_order(generated.template, one, other)


# The law can fail: a space sorts below the delimiter, so plain text before one is out of order.
def test_a_planted_claim_of_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    template = Template.compile("{a}#{b}", lambda _name, _spec: codec_for(str))
    one, other = {"a": "x", "b": "y"}, {"a": "x y", "b": "y"}
    require_order(template, one, other)
    monkeypatch.setattr(Template, "is_order_kept", lambda _template, _field: True)
    with pytest.raises(AssertionError):
        require_order(template, one, other)


def leading(template: Template, values: dict[str, Any], count: int) -> dict[str, Any]:
    return {name: values[name] for name in template.fields[:count]}


@settings(deadline=None)
@given(st.data())
def test_a_prefix_begins_exactly_the_keys_of_its_values(data: st.DataObject) -> None:
    generated = data.draw(made_templates())
    template = generated.template
    values, other = generated.values(data.draw), generated.values(data.draw)
    bound = leading(template, values, data.draw(st.integers(0, len(template.fields))))
    for name in bound:
        if data.draw(st.booleans()):
            other[name] = values[name]
    prefix = template.prefix(bound)
    assert template.render(values).startswith(prefix)
    assert inside(template.prefix_pieces(bound), template.render(values))
    is_same = all(other[name] == value for name, value in bound.items())
    if not template.prefix_ends_in_field(bound):
        assert template.render(other).startswith(prefix) == is_same
    elif is_same:
        assert template.render(other).startswith(prefix)


@settings(deadline=None)
@given(st.data())
def test_bounds_hold_exactly_the_keys_of_their_range(data: st.DataObject) -> None:
    generated = data.draw(made_templates())
    template = generated.template
    drawn = [generated.values(data.draw) for _ in range(4)]
    place = data.draw(st.integers(0, len(template.fields) - 1))
    field = template.fields[place]
    bound = leading(template, drawn[0], place)
    is_kept = template.is_order_kept(field)
    low = drawn[1][field] if is_kept and data.draw(st.booleans()) else None
    high = drawn[2][field] if is_kept and data.draw(st.booleans()) else None
    is_open = data.draw(st.booleans())
    first, last = template.bounds(bound, field, low, high, is_low_open=is_open)
    typed = template.typed_bounds(bound)
    assert typed[0] <= first
    assert last <= typed[1] or high is not None
    for values in [{**others, **bound} for others in drawn]:
        key, value = template.render(values), plain(values[field])
        is_above = low is None or (value > plain(low) if is_open else value >= plain(low))
        is_below = high is None or value <= plain(high)
        assert (first <= key <= last) == (is_above and is_below), (key, first, last)
        assert typed[0] <= key <= typed[1]
        assert inside(template.range_pieces(bound), key)


@settings(deadline=None)
@given(st.dates(), st.dates(), instants)
def test_a_range_of_days_holds_exactly_their_instants(one: date, other: date, at: datetime) -> None:
    template = Template.compile(
        "E#{at}#{id}", lambda name, _: codec_of("datetime" if name == "at" else "text")
    )
    low, high = sorted([one, other])
    first, last = template.bounds({}, "at", low, high)
    key = template.render({"at": at, "id": "x"})
    assert (first <= key <= last) == (low <= at.astimezone(UTC).date() <= high)


small_sets = st.sets(st.sampled_from("ab#"), min_size=1).map(CharSet.of)
small_texts = st.text("ab#", max_size=3)


@st.composite
def repeats(draw: st.DrawFn) -> Piece:
    least = draw(st.integers(0, 2))
    most = draw(st.none() | st.integers(least, 3))
    return Piece(draw(small_sets), least, most)


small_languages = st.lists(
    repeats() | st.builds(Choice, st.lists(small_texts, min_size=1, max_size=3).map(tuple)),
    max_size=4,
)
SMALL_TEXTS = [
    "".join(chars) for length in range(7) for chars in itertools.product("ab#", repeat=length)
]


@settings(deadline=None)
@given(small_languages, small_languages)
def test_meeting_agrees_with_trying_every_text(one: Pieces, other: Pieces) -> None:
    met = meet(one, other)
    common = next((text for text in SMALL_TEXTS if inside(one, text) and inside(other, text)), None)
    if met is None:
        assert common is None
    else:
        assert inside(one, met)
        assert inside(other, met)
        assert len(met) > 6 if common is None else len(met) == len(common)


def divisions(rows: Sequence[Pieces], text: str) -> int:
    """In how many ways a text is divided into one text of each language."""
    if not rows:
        return not text
    return sum(
        divisions(rows[1:], text[end:])
        for end in range(1, len(text) + 1)
        if inside(rows[0], text[:end])
    )


# Every part has at least one character, as literals and fields have.
full_rows = st.lists(
    st.builds(
        lambda head, tail: [Piece(head, 1, 1), *tail],
        small_sets,
        small_languages.map(lambda row: row[:2]),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=60)
@given(full_rows)
def test_two_divisions_are_found_where_trying_every_text_finds_them(rows: list[Pieces]) -> None:
    splits = two_splits(rows)
    if splits is None:
        assert all(divisions(rows, text) <= 1 for text in SMALL_TEXTS[: 3**5])
    else:
        one, other = splits
        assert one != other
        assert "".join(one) == "".join(other)
        assert all(inside(row, text) for row, text in zip(rows, one, strict=True))
        assert all(inside(row, text) for row, text in zip(rows, other, strict=True))


RAW = {"raw": Sort(str, "raw", any_text), **SORTS}


@settings(max_examples=60)
@given(st.data())
def test_an_ambiguous_template_shows_it_and_another_parses_back(data: st.DataObject) -> None:
    chosen = data.draw(
        st.lists(st.sampled_from(["raw", "raw", "text", "padded", "team"]), max_size=3)
    )
    sorts = {f"f{place}": RAW[sort] for place, sort in enumerate([*chosen, "raw"])}
    text = "".join(
        f"{{{name}}}" + data.draw(st.sampled_from(["#", "#", "", "a"])) for name in sorts
    )
    try:
        template = Template.compile(
            text, lambda name, _: codec_for(sorts[name].annotation, sorts[name].spec)
        )
    except KeyTemplateError:
        assume(False)
    if template.ambiguity is not None:
        one, other, key = template.ambiguity
        assert one != other
        assert template.render(one) == template.render(other) == key
    else:
        values = {name: data.draw(sort.values) for name, sort in sorts.items()}
        assert template.parse(template.render(values)) == values


@settings(deadline=None)
@given(st.data())
def test_keys_of_two_templates_that_never_meet_differ(data: st.DataObject) -> None:
    one, other = data.draw(made_templates()), data.draw(made_templates())
    key = one.template.render(one.values(data.draw))
    if meet(one.template.pieces, other.template.pieces) is None:
        with pytest.raises(KeyTextMismatch):
            other.template.parse(key)
        assert key != other.template.render(other.values(data.draw))
    assert all(isinstance(part, str | Field) for part in one.template.parts)
