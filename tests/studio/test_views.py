"""Views without HTTP: marks, addresses, key segments, the map, the charts, forms and samples."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from importlib.resources import files
from itertools import pairwise
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.design.patterns.pattern_model import Parameter, Range
from tablewright.errors import ArgumentInvalid
from tablewright.explain.prices import price_in
from tablewright.studio.design.design_charts import (
    charts_of,
    markdown_of,
    pattern_lines,
    write_lines,
)
from tablewright.studio.design.design_map import design_map
from tablewright.studio.format.number_format import bytes_text, number
from tablewright.studio.items.item_links import AddressInvalid, address_of, key_at
from tablewright.studio.items.item_row import (
    Segment,
    row_of,
    segments_of,
    short_text,
    template_parts,
)
from tablewright.studio.items.sample_items import sample_instances
from tablewright.studio.patterns.pattern_form import arguments_of, inputs_of
from tablewright.studio.shell.entity_badges import COLOURS, badges_of
from tablewright.studio.shell.mount import system_designs
from tablewright.systems.registry import PACKAGES

from .studios import roll_model

DESIGNS = system_designs(PACKAGES)
every_design = pytest.mark.parametrize("design", DESIGNS, ids=[design.name for design in DESIGNS])


# Marks and addresses.


def test_no_two_entities_share_a_colour_while_there_are_others() -> None:
    chips = badges_of(f"Entity{n}" for n in range(COLOURS))
    assert len({chip.colour for chip in chips.values()}) == COLOURS


def test_a_mark_is_the_same_every_time() -> None:
    assert badges_of(["Entry", "EntryMeta"]) == badges_of(["Entry", "EntryMeta"])


@every_design
def test_every_entity_has_letters_of_its_own(design: Any) -> None:
    letters = [chip.letters for chip in design.chips.values()]
    assert len(letters) == len(set(letters))


KEYS = st.dictionaries(
    st.text(min_size=1),
    st.one_of(
        st.builds(lambda t: {"S": t}, st.text()),
        st.builds(lambda n: {"N": str(n)}, st.integers()),
        st.builds(lambda t: {"B": t}, st.text()),
    ),
    min_size=1,
)


@given(KEYS)
def test_any_key_can_be_an_address(key: dict[str, Any]) -> None:
    address = address_of(key)
    assert key_at(address) == key
    assert address.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize("text", ["", "%", "é", "e30", "W10", "bnVsbA", "eyJhIjp7IlgiOiIxIn19"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(AddressInvalid):
        key_at(text)


# Keys and rows.


def test_a_key_falls_into_the_segments_of_its_template() -> None:
    part = roll_model().entities["Entry"].faces[""].sort[0]
    assert [s.text for s in template_parts(part)] == ["ENTRY#", "{createdAt}", "#", "{entryId}"]
    entry_id = "6f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"
    text = f"ENTRY#2026-01-02T03:04:05.678Z#{entry_id}"
    segments = segments_of(part, {"S": text})
    assert [s.text for s in segments] == ["ENTRY#", "2026-01-02T03:04:05.678Z", "#", entry_id]
    assert segments_of(part, {"S": "other"}) == (Segment("other"),)


def test_an_item_of_no_entity_is_a_row_all_the_same() -> None:
    design = roll_model()
    table = design.tables[0]
    item = {"PK": {"S": "x"}, "SK": {"S": "y"}, "n": {"N": "1" * 38}}
    row = row_of(design, table, table.primary, item)
    assert row.chip.name == "unknown"
    assert [(cell.name, cell.text, cell.is_known) for cell in row.cells] == [("n", "1" * 38, False)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"NULL": True}, "null"),
        ({"BOOL": False}, "false"),
        ({"N": "12345678901234567890123456789012345678"}, "12345678901234567890123456789012345678"),
        ({"L": [{"N": "1.50"}, {"S": 'a"b'}]}, '[1.50, "a\\"b"]'),
        ({"M": {"a": {"NULL": True}}}, "{a: null}"),
        ({"SS": ["a", "b"]}, '["a", "b"]'),
        ({"S": "x" * 100}, "x" * 80 + "…"),
    ],
)
def test_values_are_shown_on_one_line(value: Mapping[str, Any], text: str) -> None:
    assert short_text(*next(iter(value.items()))) == text


# Map and charts.


@every_design
def test_nothing_on_the_map_lies_on_anything_else(design: Any) -> None:
    drawn = design_map(design)
    boxes = sorted(drawn.boxes, key=lambda box: (box.x, box.y))
    for box, following in pairwise(boxes):
        if box.x == following.x:
            assert box.y + box.height <= following.y
    assert all(box.y + box.height <= drawn.height for box in drawn.boxes)


@every_design
def test_the_map_has_every_entity_key_index_and_pattern(design: Any) -> None:
    ids = {box.id for box in design_map(design).boxes}
    assert {f"entity:{name}" for name in design.entities} <= ids
    assert {f"pattern:{name}" for name in design.pattern_names} <= ids
    faces = {f"face:{e.name}:{i}" for e in design.entities.values() for i in e.faces}
    assert faces <= ids
    assert len([each for each in ids if each.startswith("index:")]) == len(design.places)


@every_design
def test_the_markdown_has_every_entity_and_pattern_in_whole_rows(design: Any) -> None:
    text = markdown_of(design, price_in())
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.count("|") - line.count("\\|") in (5, 7)
    for name in (*design.entities, *design.pattern_names):
        assert f"| {name} |" in text


def test_the_chart_says_what_is_derived_and_how() -> None:
    [chart] = charts_of(roll_model())
    notes = {line.chip.name: line.note for line in chart.lines}
    assert "from Entry (entry_meta)" in notes["EntryMeta"]
    assert "expires" in notes["Idempotency"]


@every_design
def test_every_pattern_and_write_has_its_price(design: Any) -> None:
    price = price_in()
    assert all(line.per_million for line in pattern_lines(design, price))
    lines = write_lines(design, price)
    assert lines
    assert all(line.units > 0 for line in lines)


# Forms.

PARAMETERS = [
    Parameter("count", int),
    Parameter("role", Literal["athlete", "coach"]),
    Parameter("ids", str, "many"),
    Parameter("day", date, "range"),
    Parameter("at", datetime, "one", has_default=True),
]


def test_arguments_are_read_by_their_types() -> None:
    given_form = {"count": "3", "role": "coach", "ids": "a\n b ,c", "at": "2026-01-02T03:04"}
    arguments = arguments_of({**given_form, "day.low": "2026-01-01", "day.high": ""}, PARAMETERS)
    assert arguments == {
        "count": 3,
        "role": "coach",
        "ids": ["a", "b", "c"],
        "day": Range(date(2026, 1, 1), None),
        "at": datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
    }


def test_fields_that_stay_empty_are_no_arguments() -> None:
    assert arguments_of({"count": "", "role": "", "ids": "\n", "at": ""}, PARAMETERS) == {}


@pytest.mark.parametrize("form", [{"count": "x"}, {"role": "nobody"}, {"day.high": "soon"}])
def test_a_value_of_another_type_is_refused_by_name(form: dict[str, str]) -> None:
    with pytest.raises(ArgumentInvalid) as caught:
        arguments_of(form, PARAMETERS)
    assert caught.value.parameter == next(iter(form)).partition(".")[0]


def test_a_form_has_a_field_of_the_right_kind_for_each_parameter() -> None:
    kinds = {i.name: i.kind for i in inputs_of(PARAMETERS, {}, None)}
    assert kinds == {
        "count": "number",
        "role": "choice",
        "ids": "text",
        "day": "date",
        "at": "moment",
    }


# The rest.


@every_design
def test_samples_are_different_items_and_always_the_same(design: Any) -> None:
    for entity in design.entities.values():
        keys = [str(entity.key_of(instance)) for instance in sample_instances(entity)]
        assert keys
        assert len(keys) == len(set(keys))
        assert keys == [str(entity.key_of(instance)) for instance in sample_instances(entity)]


def test_numbers_are_short() -> None:
    assert [number(1204), number(2.5), number(0.04)] == ["1,204", "2.5", "0"]
    assert [bytes_text(12), bytes_text(2048), bytes_text(3 << 20)] == ["12 B", "2 KB", "3 MB"]


def test_what_others_made_is_what_it_is_said_to_be() -> None:
    folder = files("tablewright.studio.shell").joinpath("static")
    lines = [line.split() for line in folder.joinpath("VENDORED").read_text().splitlines()]
    digests = {words[0]: words[-1] for words in lines if words[0] != "#"}
    assert list(digests) == ["htmx.min.js"]
    for name, digest in digests.items():
        assert hashlib.sha256(folder.joinpath(name).read_bytes()).hexdigest() == digest


def test_all_scripts_and_styles_together_are_small() -> None:
    folder = files("tablewright.studio.shell").joinpath("static")
    own = len(folder.joinpath("studio.js").read_text().splitlines())
    assert own <= 400
    assert sum(len(each.read_bytes()) for each in folder.iterdir() if each.is_file()) < 120_000
