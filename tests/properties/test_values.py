"""Laws of values: numbers, key bytes, sizes and paths, on generated examples."""

from __future__ import annotations

import base64
import copy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tablewright.errors import ValidationError
from tablewright.values import decimals, keybytes, paths
from tablewright.values.attributes import depth_of, equal, in_order, normalise, normalise_item
from tablewright.values.sizes import item_size, value_size


@st.composite
def number_texts(draw: st.DrawFn) -> str:
    """Valid numbers, written in all sorts of ways."""
    digits = draw(st.text("0123456789", min_size=1, max_size=38))
    point = draw(st.integers(0, len(digits)))
    exponent = draw(st.integers(-90, 80))
    sign = draw(st.sampled_from(["", "-", "+"]))
    zeros = "0" * draw(st.integers(0, 3))
    tail = draw(st.sampled_from(["", "e", "E"]))
    return f"{sign}{zeros}{digits[:point]}.{digits[point:]}" + (f"{tail}{exponent}" if tail else "")


canonical_numbers = number_texts().map(decimals.canonical)
base64_texts = st.binary(max_size=12).map(lambda data: base64.b64encode(data).decode())
names = st.text("abé#.", min_size=1, max_size=3)

scalars = st.one_of(
    st.builds(lambda text: {"S": text}, st.text(max_size=8)),
    st.builds(lambda text: {"N": text}, canonical_numbers),
    st.builds(lambda text: {"B": text}, base64_texts),
    st.builds(lambda flag: {"BOOL": flag}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(
        lambda m: {"SS": in_order("SS", m)}, st.lists(st.text(max_size=4), min_size=1, unique=True)
    ),
    st.builds(
        lambda m: {"NS": in_order("NS", m)}, st.lists(canonical_numbers, min_size=1, unique=True)
    ),
    st.builds(lambda m: {"BS": in_order("BS", m)}, st.lists(base64_texts, min_size=1, unique=True)),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.builds(lambda members: {"L": members}, st.lists(inner, max_size=3)),
        st.builds(lambda members: {"M": members}, st.dictionaries(names, inner, max_size=3)),
    ),
    max_leaves=8,
)
items = st.dictionaries(names, values, max_size=4)


@given(number_texts())
def test_a_canonical_number_equals_what_was_written(text: str) -> None:
    canonical = decimals.canonical(text)
    assert Decimal(canonical) == Decimal(text)
    assert decimals.canonical(canonical) == canonical
    assert "E" not in canonical
    assert canonical != "-0"


@given(number_texts(), number_texts())
def test_canonical_texts_are_equal_exactly_when_the_numbers_are(a: str, b: str) -> None:
    same = decimals.canonical(a) == decimals.canonical(b)
    assert same is (Decimal(a) == Decimal(b))


@given(st.text(max_size=6))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    try:
        canonical = decimals.canonical(text)
    except ValidationError:
        return
    assert Decimal(canonical) == Decimal(text)


@given(canonical_numbers, canonical_numbers)
def test_sums_are_exact_or_refused(a: str, b: str) -> None:
    try:
        total = decimals.add(a, b)
    except ValidationError:
        return
    assert decimals.canonical(total) == total
    assert total == decimals.add(b, a)
    assert decimals.subtract(total, b) == a


@given(canonical_numbers, canonical_numbers)
def test_number_key_bytes_sort_as_numbers(a: str, b: str) -> None:
    left, right = keybytes.encode("N", a), keybytes.encode("N", b)
    assert (left < right) is (Decimal(a) < Decimal(b))
    assert (left == right) is (Decimal(a) == Decimal(b))


@given(canonical_numbers)
def test_number_key_bytes_decode_back(number: str) -> None:
    assert keybytes.decode("N", keybytes.encode("N", number)) == number


@given(st.text(max_size=8), st.text(max_size=8))
def test_string_key_bytes_sort_as_strings_and_decode_back(a: str, b: str) -> None:
    assert (keybytes.encode("S", a) < keybytes.encode("S", b)) is (a < b)
    assert keybytes.decode("S", keybytes.encode("S", a)) == a


@given(base64_texts)
def test_binary_key_bytes_decode_back(text: str) -> None:
    assert keybytes.decode("B", keybytes.encode("B", text)) == text


@given(values)
def test_normalising_is_idempotent(value: dict[str, Any]) -> None:
    assert normalise(value) == value


@given(values, values)
def test_equality_is_symmetric_and_reflexive(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert equal(a, copy.deepcopy(a))
    assert equal(a, b) is equal(b, a)


@given(items)
def test_an_items_size_is_the_sum_of_its_attributes(item: dict[str, Any]) -> None:
    assert normalise_item(item) == item
    assert item_size(item) == sum(len(k.encode()) + value_size(v) for k, v in item.items())


def all_paths(item: dict[str, Any]) -> list[paths.Path]:
    result: list[paths.Path] = []
    pending: list[tuple[paths.Path, Any]] = [((name,), value) for name, value in item.items()]
    while pending:
        path, value = pending.pop()
        result.append(path)
        pending += [((*path, name), held) for name, held in value.get("M", {}).items()]
        pending += [((*path, at), held) for at, held in enumerate(value.get("L", []))]
    return result


@given(items, scalars, st.data())
def test_what_is_put_at_a_path_is_read_there(
    item: dict[str, Any], value: dict[str, Any], data: st.DataObject
) -> None:
    assume(item)
    path = data.draw(st.sampled_from(all_paths(item)))
    before = copy.deepcopy(item)
    new = paths.replace(item, path, value)
    assert paths.get(new, path) == value
    assert item == before
    old = paths.get(item, path)
    assert old is not None
    assert paths.replace(new, path, old) == item


@given(items, st.data())
def test_removing_takes_away_one_thing(item: dict[str, Any], data: st.DataObject) -> None:
    assume(item)
    path = data.draw(st.sampled_from(all_paths(item)))
    before = copy.deepcopy(item)
    removed = paths.remove(item, path)
    assert item == before
    assert len(all_paths(removed)) < len(all_paths(item))
    assert item_size(removed) < item_size(item) or item_size(item) == 0
    if isinstance(path[-1], str):
        assert paths.get(removed, path) is None


@given(items, st.data())
def test_picking_one_path_keeps_that_value_alone(item: dict[str, Any], data: st.DataObject) -> None:
    assume(item)
    path = data.draw(st.sampled_from(all_paths(item)))
    picked = paths.pick(item, [path])
    flattened = tuple(0 if isinstance(step, int) else step for step in path)
    assert paths.get(picked, flattened) == paths.get(item, path)
    assert list(picked) == [path[0]]


@given(values, st.integers(0, 40))
def test_depth_is_what_normalising_counts(value: dict[str, Any], wraps: int) -> None:
    for _ in range(wraps):
        value = {"L": [value]}
    if depth_of(value) <= 32:
        assert normalise(value) == value
    else:
        with pytest.raises(ValidationError, match="Nesting"):
            normalise(value)
