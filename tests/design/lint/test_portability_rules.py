"""Rules about where a design can run: they are asked only for the target they matter to."""

from __future__ import annotations

import pytest

from tablewright import Index, Model, Patterns, Table
from tablewright.design.lint import Target
from tests.design.lint.found import found


def mirrored(*, derive: bool) -> type[Patterns]:
    table = Table("links")

    @table.entity("A#{a}", "B#{b}")
    class Link(Model):
        a: str
        b: str

    @table.entity("B#{b}", "A#{a}")
    class Mirror(Model):
        a: str
        b: str

    if derive:

        @table.derive(Link)
        def mirror(link: Link) -> Mirror:
            return Mirror(a=link.a, b=link.b)

    class Links(Patterns, tables=[table]):
        pass

    return Links


def test_derived_rows_need_transactions_that_alternator_has_not() -> None:
    (finding,) = found("TW701", mirrored(derive=True), "alternator")
    assert "writes of Link are transactions" in finding.cause
    assert found("TW701", mirrored(derive=False), "alternator") == []


@pytest.mark.parametrize("target", ["aws", "embedded"])
def test_transactions_are_fine_elsewhere(target: Target) -> None:
    assert found("TW701", mirrored(derive=True), target) == []


def test_names_that_alternator_refuses_are_found() -> None:
    long = Table("t" * 193, indexes=[Index("i" * 29, pk="a")])
    findings = found("TW702", long, "alternator")
    assert sorted(finding.subject[0] for finding in findings) == ["i", "t"]
    assert found("TW702", long) == []
    fits = Table("t" * 192, indexes=[Index("i" * 29, pk="a")])
    assert found("TW702", fits, "alternator") == []


@pytest.mark.parametrize(("target", "times"), [("alternator", 1), ("embedded", 1), ("aws", 0)])
def test_index_keys_of_several_attributes_are_found_where_they_are_refused(
    target: Target, times: int
) -> None:
    joined = Table("houses", indexes=[Index("byPlace", pk=["country", "city"], sk="street")])
    assert len(found("TW703", joined, target)) == times
    single = Table("houses", indexes=[Index("byPlace", pk="country", sk="street")])
    assert found("TW703", single, target) == []


def expiring(ttl: str | None) -> Table:
    table = Table("rates", ttl=ttl)

    @table.entity("RATE#{id}", "META")
    class Rate(Model):
        id: str
        ttl: int

    return table


def test_an_expiry_attribute_in_another_case_is_found_once_and_not_as_missing() -> None:
    (finding,) = found("TW704", expiring("TTL"))
    assert "its attribute is ttl, but rates expires by TTL" in finding.cause
    assert found("TW507", expiring("TTL")) == []
    assert found("TW704", expiring("ttl")) == []
    assert found("TW704", expiring(None)) == []


def test_projections_that_alternator_ignores_are_found() -> None:
    narrow = Table("notes", indexes=[Index("byOwner", pk="owner", projection="KEYS_ONLY")])
    (finding,) = found("TW705", narrow, "alternator")
    assert "KEYS_ONLY" in finding.cause
    assert found("TW705", narrow) == []
    whole = Table("notes", indexes=[Index("byOwner", pk="owner")])
    assert found("TW705", whole, "alternator") == []
