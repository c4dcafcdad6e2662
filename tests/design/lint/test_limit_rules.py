"""Rules about limits: long keys, large items, many indexes, derived rows, and expiry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import pytest
from pydantic import Field

from tablewright import Design, DesignError, Index, Model, Moment, Table
from tablewright.design.findings import deferred_errors
from tests.design.lint.findings_of import findings_of


def lengthy(pk: str, sk: str) -> Table:
    table = Table("texts")

    @table.entity(pk, sk)
    class Text(Model):
        name: str
        short: Annotated[str, Field(max_length=50)]
        long: Annotated[str, Field(max_length=300)]

    return table


def test_a_key_that_can_grow_beyond_its_limit_is_found_with_its_bytes() -> None:
    (finding,) = findings_of("TW503", lengthy("A#{name}", "T#{long}#{short}"))
    assert "SK = T#{long}#{short} can be 1,403 bytes long" in finding.cause
    assert "1,024" in finding.cause
    (finding,) = findings_of("TW503", lengthy("T#{long}#{short}#{long}", "A#{name}"))
    assert "2,048" in finding.cause


@pytest.mark.parametrize(
    ("pk", "sk"), [("A#{name}", "T#{short}"), ("T#{long}#{short}", "A"), ("A", "T#{name}")]
)
def test_keys_within_their_limits_and_texts_of_unknown_length_are_fine(pk: str, sk: str) -> None:
    assert findings_of("TW503", lengthy(pk, sk)) == []


@pytest.mark.parametrize(("size", "times"), [(350 * 1024, 1), (300 * 1024, 0), (None, 0)])
def test_items_near_the_limit_are_found(size: int | None, times: int) -> None:
    table = Table("files")

    @table.entity("FILE#{id}", "META", size_bytes=size)
    class File(Model):
        id: str

    assert len(findings_of("TW504", table)) == times


@pytest.mark.parametrize(
    ("indexes", "message"),
    [
        ([Index(f"by{n:02}", pk=f"a{n}") for n in range(21)], "21 global indexes"),
        ([Index(f"by{n:02}", pk="PK", sk=f"a{n}", local=True) for n in range(6)], "6 local"),
        ([Index("one", pk="a", projection=tuple(f"p{n}" for n in range(21)))], "one projects 21"),
        (
            [
                Index(f"by{n:02}", pk=f"a{n}", projection=tuple(f"p{m}" for m in range(18)))
                for n in range(6)
            ],
            "108 named attributes together",
        ),
    ],
)
def test_more_indexes_or_projections_than_dynamodb_takes_are_found(
    indexes: list[Index], message: str
) -> None:
    (finding,) = findings_of("TW505", Table("many", indexes=indexes))
    assert message in finding.cause


def test_as_many_indexes_and_projections_as_dynamodb_takes_are_fine() -> None:
    indexes = [Index(f"by{n:02}", pk=f"a{n}") for n in range(20)]
    indexes += [Index(f"local{n}", pk="PK", sk=f"a{n}", local=True) for n in range(5)]
    projection = tuple(f"p{n}" for n in range(20))
    indexes[:5] = [Index(f"by{n:02}", pk=f"a{n}", projection=projection) for n in range(5)]
    assert findings_of("TW505", Table("many", indexes=indexes)) == []


def derived(*, bound: int | None, atomic: bool) -> type[Design]:
    table = Table("sites")

    @table.entity("SITE#{id}", "META")
    class Site(Model):
        id: str
        tags: list[str]

    @table.entity("SITE#{id}", "TAG#{tag}")
    class Tag(Model):
        id: str
        tag: str

    @table.derive(Site, max=bound, atomic=atomic)
    def tags(site: Site) -> Iterator[Tag]:
        yield from (Tag(id=site.id, tag=tag) for tag in site.tags)

    class Sites(Design, tables=[table]):
        pass

    return Sites


def test_derived_rows_that_are_written_apart_are_found() -> None:
    with pytest.raises(DesignError, match="TW506"):
        derived(bound=10, atomic=False)
    with deferred_errors():
        (finding,) = findings_of("TW506", derived(bound=10, atomic=False))
    assert finding.severity == "error"
    assert "Tag rows are not written in the transaction of Site" in finding.cause
    assert findings_of("TW506", derived(bound=10, atomic=True)) == []


def test_derived_rows_without_a_bound_are_found() -> None:
    (finding,) = findings_of("TW508", derived(bound=None, atomic=True))
    assert "writes are staged" in finding.cause
    assert findings_of("TW508", derived(bound=10, atomic=True)) == []


def expiring(table: Table, **options: str) -> Table:
    @table.entity("LINK#{id}", "META", **options)  # type: ignore[arg-type]
    class Link(Model):
        id: str
        expires_at: Moment

    return table


def test_items_that_end_in_a_table_without_expiry_are_found() -> None:
    (finding,) = findings_of("TW507", expiring(Table("links")))
    assert "expires_at looks like an expiry time, but links has no TTL attribute" in finding.cause
    (finding,) = findings_of("TW507", expiring(Table("links"), ttl="expiresAt"))
    assert "links has no TTL attribute" in finding.cause
    (finding,) = findings_of("TW507", expiring(Table("links", ttl="ttl")))
    assert "do not have ttl" in finding.cause


@pytest.mark.parametrize(("ttl", "options"), [("ttl", {"ttl": "expiresAt"}), ("expiresAt", {})])
def test_items_that_carry_the_tables_expiry_are_fine(ttl: str, options: dict[str, str]) -> None:
    assert findings_of("TW507", expiring(Table("links", ttl=ttl), **options)) == []
