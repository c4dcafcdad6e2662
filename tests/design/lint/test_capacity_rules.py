"""Rules about capacity: partitions that are few, large, or read too often."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from tablewright import Design, Index, Model, Number, Query, Table, pattern, served
from tests.design.lint.findings_of import findings_of


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def partitioned(key: str, **fields: Any) -> Table:
    """Rows with an index partition made of these fields."""
    table = Table("rows", indexes=[Index("byPart", pk="part", sk="rowId")])
    members = {"__annotations__": {"row_id": str, **fields}, "__module__": __name__}
    model = type("Row", (Model,), members)
    table.entity("ROW#{rowId}", "META", byPart=(key, "{rowId}"))(model)
    return table


@pytest.mark.parametrize(
    ("key", "fields", "message"),
    [
        ("ROWS", {}, "one partition: part = ROWS (byPart has 1 partition value in all)"),
        ("{kind}", {"kind": Literal["a", "b", "c"]}, "3 partition values"),
        ("{kind}", {"kind": Literal["a", "b"] | None}, "2 partition values"),
        ("{colour}", {"colour": Colour}, "2 partition values"),
        ("IS#{isOpen}", {"is_open": bool}, "2 partition values"),
        ("{colour}#{isOpen}", {"colour": Colour, "is_open": bool}, "4 partition values"),
        ("{n:02}", {"n": Annotated[int, Field(ge=1, le=5)]}, "5 partition values"),
    ],
)
def test_an_index_of_few_partitions_is_found_with_their_number(
    key: str, fields: dict[str, Any], message: str
) -> None:
    (finding,) = findings_of("TW401", partitioned(key, **fields))
    assert message in finding.cause


@pytest.mark.parametrize(
    ("key", "fields"),
    [
        ("ROWS#{shard:01}", {"shard": int}),
        ("{owner}", {"owner": str}),
        ("{kind}#{owner}", {"kind": Literal["a", "b"], "owner": str}),
        ("{n:02}", {"n": Annotated[int, Field(gt=0, lt=50)]}),
    ],
)
def test_ten_shards_and_unbounded_values_are_fine(key: str, fields: dict[str, Any]) -> None:
    assert findings_of("TW401", partitioned(key, **fields)) == []


def rated(annotation: Any, name: str) -> Table:
    table = Table("ratings", indexes=[Index("byStars", pk=Number("stars"), sk="id")])
    members = {"__annotations__": {"id": str, name: annotation}, "__module__": __name__}
    model = type("Rating", (Model,), members)
    table.entity("RATING#{id}", "META", byStars=(f"{{{name}}}", "{id}"))(model)
    return table


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (Literal[1, 2, 3, 4, 5], "5 partition values"),
        (Annotated[int, Field(ge=1, le=5)], "5 partition values"),
        (int, "a number without bounds"),
    ],
)
def test_a_number_that_partitions_an_index_is_found(annotation: Any, message: str) -> None:
    (finding,) = findings_of("TW401", rated(annotation, "score"))
    assert message in finding.cause


def test_a_number_that_is_an_id_is_fine() -> None:
    assert findings_of("TW401", rated(int, "player_id")) == []
    assert findings_of("TW401", rated(Annotated[int, Field(ge=0, le=999)], "bucket")) == []


def test_a_constant_partition_of_the_table_is_found_unless_it_is_one_row() -> None:
    table = Table("settings")

    @table.entity("SETTINGS", "{name}")
    class Setting(Model):
        name: str

    @table.entity("ALL", "THE_ONE")
    class Only(Model):
        value: int

    assert [finding.subject for finding in findings_of("TW401", table)] == ["Setting"]


@pytest.mark.parametrize(("count", "times"), [(5_000_000, 1), (1_000_000, 0)])
def test_a_partition_that_grows_towards_ten_gigabytes_is_found(count: int, times: int) -> None:
    table = Table("logs")

    @table.entity("LOG#{app}", "{line:09}", size_bytes=2_000, per_partition=count)
    class Line(Model):
        app: str
        line: int

    findings = findings_of("TW402", table)
    assert len(findings) == times
    assert all("9.3 GB" in finding.cause for finding in findings)


def read_often(key: str, calls: int) -> type[Design]:
    table = Table("news", indexes=[Index("byDay", pk="shelf", sk="id")])

    @table.entity("NEWS#{id}", "META", byDay=(key, "{id}"), size_bytes=4_096)
    class News(Model):
        id: str
        shard: Literal["a", "b", "c", "d"]
        owner: str

    if "{shard}" in key:

        class Sharded(Design, tables=[table]):
            @pattern(calls_per_day=calls)
            def latest(self, shard: str) -> Query[News]:
                return served()

        return Sharded

    if "{owner}" in key:

        class Owned(Design, tables=[table]):
            @pattern(calls_per_day=calls)
            def latest(self, owner: str) -> Query[News]:
                return served()

        return Owned

    class Constant(Design, tables=[table]):
        @pattern(calls_per_day=calls)
        def latest(self) -> Query[News]:
            return served()

    return Constant


def test_a_partition_that_is_read_too_often_is_found() -> None:
    # 50 items of 4 KB, eventually consistent: 25 units a call, 120 calls a second at most.
    (finding,) = findings_of("TW402", read_often("NEWS", 20_000_000))
    assert "one partition of byDay" in finding.cause
    assert "5,787 read units per second" in finding.cause


@pytest.mark.parametrize(
    ("key", "calls"), [("NEWS", 10_000_000), ("{shard}", 20_000_000), ("{owner}", 20_000_000)]
)
def test_fewer_calls_or_more_partitions_are_fine(key: str, calls: int) -> None:
    assert findings_of("TW402", read_often(key, calls)) == []
