"""Examples are always the same, fit their types, and stand in keys."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, field_validator, model_validator

from tablewright import Index, Keys, Model, Range, Table, Ulid, Uuid
from tablewright.design.entity import entity_of_model
from tablewright.errors import SampleUnavailable
from tablewright.explain.samples import (
    sample_argument,
    sample_instance,
    sample_item,
    sample_of,
    varied,
)
from tablewright.systems.funkedupshift import design as sites
from tablewright.systems.roll_model import design as journal


class Colour(Enum):
    red = "red"
    blue = "blue"


class Tree(Model):
    name: str
    children: list[Tree] = []


TYPES: list[Any] = [
    str,
    int,
    bool,
    float,
    Decimal,
    date,
    datetime,
    bytes,
    Ulid,
    Uuid,
    Colour,
    Literal["a", "b"],
    Literal[1, 7],
    str | None,
    list[str],
    tuple[int, str],
    tuple[int, ...],
    set[int],
    frozenset[str],
    dict[str, int],
    dict[str, Any],
    Annotated[int, Field(ge=10, le=12)],
    Annotated[str, Field(min_length=5)],
    Annotated[str, Field(pattern="^[A-Z]+$")],
    int | str,
    Tree,
]


@pytest.mark.parametrize("annotation", TYPES, ids=str)
def test_an_example_fits_its_type(annotation: Any) -> None:
    for number in (0, 1, 7):
        value = sample_of(annotation, number)
        assert TypeAdapter(annotation).validate_python(value) == value
        assert sample_of(annotation, number) == value


@pytest.mark.parametrize("annotation", [str, int, date, datetime, Decimal, bytes, Ulid, Uuid])
def test_numbered_examples_differ_and_keep_their_form(annotation: Any) -> None:
    created = [sample_of(annotation, number) for number in range(50)]
    assert len(set(created)) == 50
    assert len({type(value) for value in created}) == 1


def test_a_truth_value_has_no_variants() -> None:
    assert varied(True, 3) is True


def test_what_has_no_example_says_how_to_give_one() -> None:
    class Picky(BaseModel):
        code: str

        @field_validator("code")
        @classmethod
        def _known(cls, value: str) -> str:
            if value != "X-1":
                raise ValueError("unknown")
            return value

    with pytest.raises(SampleUnavailable, match="Picky.*examples"):
        sample_of(Picky)

    class Helped(Picky):
        code: str = Field(examples=["X-1"])

    assert sample_of(Helped).code == "X-1"


T = Table("samples", ttl="ttl", indexes=[])


@T.entity("A#{id}", "B#{other}", mark="deletedAt")
class Thing(Model):
    id: Uuid
    other: Uuid
    tags: list[str] = []
    note: str | None = None
    kind: Literal["x", "y"] = "y"
    version: int = 3
    deleted_at: datetime | None = None
    starts: datetime | None = None
    ends: datetime | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Thing:
        if self.starts and self.ends and self.ends < self.starts:
            raise ValueError("ends before it starts")
        return self


def test_an_example_has_everything_but_its_mark() -> None:
    thing = sample_instance(entity_of_model(Thing))
    assert thing.deleted_at is None
    assert thing.note is not None
    assert len(thing.tags) == 3
    assert (thing.kind, thing.version) == ("y", 3)
    assert thing.id != thing.other


def test_a_stored_example_has_the_key_that_was_asked_for() -> None:
    entity = entity_of_model(sites.Site)
    key = entity.key({"id": "6f1e2d3c-4b5a-4978-8796-a5b4c3d2ffff"})
    item = sample_item(entity, key)
    assert {name: item[name] for name in key} == key
    assert entity.instance(item).id == "6f1e2d3c-4b5a-4978-8796-a5b4c3d2ffff"
    assert "entitySk" in item  # It is in its index.


def test_a_key_of_another_entity_is_refused() -> None:
    entity = entity_of_model(sites.Site)
    with pytest.raises(SampleUnavailable, match="is not a key"):
        sample_item(entity, {"PK": {"S": "GROUP#x"}, "SK": {"S": "METADATA"}})


def test_arguments_come_from_the_codec_of_the_key_they_stand_in() -> None:
    model = type(journal.P).__design__.patterns["get_entry"]
    values = {p.name: sample_argument(model, p, 1) for p in model.parameters}
    assert journal.P.get_entry(**values).request["Key"]
    ranged = type(journal.P).__design__.patterns["list_entries_in_range"]
    wanted = sample_argument(ranged, ranged.parameters[1], 1)
    assert isinstance(wanted, Range)
    assert wanted.low < wanted.high


def test_an_example_is_in_every_index_of_its_entity() -> None:
    shown = Table("hidden", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])

    @shown.entity("A#{id}", "B", GSI1=Keys("C", "{name}", unless="hiddenAt"))
    class Plain(Model):
        id: str
        name: str | None = None
        hidden_at: datetime | None = None

    entity = entity_of_model(Plain)
    example = sample_instance(entity)
    assert example.hidden_at is None
    assert "GSI1PK" in entity.item(example)
