"""Portability rules: each applies only to its target."""

from __future__ import annotations

import pytest

from tablewright import Design, Index, Model, Table, open_store
from tablewright.design.lint import Target
from tests.design.lint.findings_of import findings_of


def mirrored(*, derive: bool) -> type[Design]:
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

    class Links(Design, tables=[table]):
        pass

    return Links


def test_derived_rows_need_transactions_that_alternator_does_not_have() -> None:
    (finding,) = findings_of("TW701", mirrored(derive=True), "alternator")
    assert "writes of Link need transactions" in finding.cause
    assert findings_of("TW701", mirrored(derive=False), "alternator") == []


@pytest.mark.parametrize("target", ["aws", "embedded"])
def test_transactions_are_fine_elsewhere(target: Target) -> None:
    assert findings_of("TW701", mirrored(derive=True), target) == []


def test_names_that_alternator_refuses_are_found() -> None:
    long = Table("t" * 193, indexes=[Index("i" * 29, pk="a")])
    findings = findings_of("TW702", long, "alternator")
    assert sorted(finding.subject[0] for finding in findings) == ["i", "t"]
    assert findings_of("TW702", long) == []
    fits = Table("t" * 192, indexes=[Index("i" * 29, pk="a")])
    assert findings_of("TW702", fits, "alternator") == []


@pytest.mark.parametrize(("target", "times"), [("alternator", 1), ("embedded", 0), ("aws", 0)])
def test_index_keys_with_several_attributes_are_an_error_on_alternator_only(
    target: Target, times: int
) -> None:
    joined = Table("houses", indexes=[Index("byPlace", pk=["country", "city"], sk="street")])
    assert len(findings_of("TW703", joined, target)) == times
    single = Table("houses", indexes=[Index("byPlace", pk="country", sk="street")])
    assert findings_of("TW703", single, target) == []


def test_the_embedded_engine_has_index_keys_with_several_attributes() -> None:
    keys = {"pk": ["country", "city"], "sk": ["street", "number"]}
    table = Table("houses", indexes=[Index("byPlace", **keys)])  # type: ignore[arg-type]
    with open_store("sqlite://:memory:") as store:
        assert store.ensure_tables([table]) == ["houses"]
    assert findings_of("TW307", table, "embedded") == []


def expiring(ttl: str | None) -> Table:
    table = Table("rates", ttl=ttl)

    @table.entity("RATE#{id}", "META")
    class Rate(Model):
        id: str
        ttl: int

    return table


def test_an_expiry_attribute_in_another_case_is_found_once_and_not_as_missing() -> None:
    (finding,) = findings_of("TW704", expiring("TTL"))
    assert "it has the attribute ttl, but the TTL attribute of rates is TTL" in finding.cause
    assert findings_of("TW507", expiring("TTL")) == []
    assert findings_of("TW704", expiring("ttl")) == []
    assert findings_of("TW704", expiring(None)) == []


def test_projections_that_alternator_ignores_are_found() -> None:
    narrow = Table("notes", indexes=[Index("byOwner", pk="owner", projection="KEYS_ONLY")])
    (finding,) = findings_of("TW705", narrow, "alternator")
    assert "KEYS_ONLY" in finding.cause
    assert findings_of("TW705", narrow) == []
    whole = Table("notes", indexes=[Index("byOwner", pk="owner")])
    assert findings_of("TW705", whole, "alternator") == []
