"""Rules about indexes: unused, doubled, asked for too much, holding too little, impossible."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import (
    Design,
    DesignError,
    Get,
    Index,
    Model,
    Number,
    Query,
    Table,
    pattern,
    served,
)
from tablewright.design.findings import deferred_errors
from tests.design.lint.findings_of import findings_of


def design(*indexes: Index, consistent: bool | None = None, reads: str = "byOwner") -> Any:
    """Notes in an index by owner, read through the index or from the table."""
    table = Table("notes", indexes=indexes)
    keys: dict[str, Any] = {"byOwner": ("{owner}", "{id}")}

    @table.entity("NOTE#{id}", "META", indexes=keys)
    class Note(Model):
        id: str
        owner: str
        text: str
        tags: list[str] = []

    if reads == "byOwner":

        class Notes(Design, tables=[table]):
            @pattern(consistent=consistent)
            def of_owner(self, owner: str) -> Query[Note]:
                return served()

        return Notes

    class Note1(Design, tables=[table]):
        @pattern(consistent=consistent)
        def note(self, id: str) -> Get[Note]:  # noqa: A002 (the field's name)
            return served()

    return Note1


BY_OWNER = Index("byOwner", pk="owner", sk="id")


def test_an_index_that_no_pattern_reads_is_found() -> None:
    (finding,) = findings_of("TW302", design(BY_OWNER, reads="table"))
    assert finding.subject == "byOwner"
    assert findings_of("TW302", design(BY_OWNER)) == []


def test_an_index_that_a_pattern_names_in_vain_is_not_called_unused() -> None:
    table = Table("notes", indexes=[BY_OWNER])

    @table.entity("NOTE#{id}", "META", byOwner=("{owner}", "{id}"))
    class Note(Model):
        id: str
        owner: str

    with deferred_errors():

        class Notes(Design, tables=[table]):
            @pattern(index="byOwner")
            def notes(self) -> Query[Note]:
                return served()

    assert len(findings_of("TW201", Notes)) == 1
    assert findings_of("TW302", Notes) == []


def test_two_indexes_with_the_same_keys_are_found() -> None:
    (finding,) = findings_of(
        "TW303", Table("notes", indexes=[BY_OWNER, Index("again", pk="owner", sk="id")])
    )
    assert finding.subject == "again"
    assert "it has the same keys as byOwner: owner, id" in finding.cause
    (finding,) = findings_of("TW303", Table("notes", indexes=[Index("again", pk="PK", sk="SK")]))
    assert "the same keys as the table" in finding.cause
    other = Index("other", pk="owner", sk="text")
    assert findings_of("TW303", Table("notes", indexes=[BY_OWNER, other])) == []


def test_a_consistent_read_of_a_global_index_is_found() -> None:
    with deferred_errors():
        (finding,) = findings_of("TW304", design(BY_OWNER, consistent=True))
    assert finding.severity == "error"
    assert findings_of("TW304", design(BY_OWNER)) == []
    assert findings_of("TW304", design(BY_OWNER, consistent=True, reads="table")) == []


def test_a_read_that_dynamodb_or_the_model_refuses_is_an_error_at_import() -> None:
    keys_only = Index("byOwner", pk="owner", sk="id", projection="KEYS_ONLY")
    with pytest.raises(DesignError) as caught:
        design(keys_only, consistent=True)
    assert [finding.code for finding in caught.value.findings] == ["TW304", "TW305"]


@pytest.mark.parametrize(
    ("projection", "missing"),
    [("KEYS_ONLY", "text, entityType"), (("tags",), "text, entityType"), (("text",), "entityType")],
)
def test_a_projection_that_lacks_what_its_rows_need_is_found(projection: Any, missing: str) -> None:
    index = Index("byOwner", pk="owner", sk="id", projection=projection)
    with deferred_errors():
        (finding,) = findings_of("TW305", design(index))
    assert finding.cause.endswith(f"does not project {missing}.")


@pytest.mark.parametrize("projection", ["ALL", ("text", "entityType")])
def test_a_projection_of_all_that_is_required_is_fine(projection: Any) -> None:
    index = Index("byOwner", pk="owner", sk="id", projection=projection)
    assert findings_of("TW305", design(index)) == []


@pytest.mark.parametrize(
    ("table", "cause"),
    [
        (Table("ab"), "'ab' is not a valid name"),
        (Table("notes", indexes=[Index("by owner", pk="owner")]), "'by owner' is not a valid name"),
        (
            Table("notes", indexes=[Index("local", pk="owner", sk="at", local=True)]),
            "the partition key of the local index local must be PK",
        ),
        (Table("notes", indexes=[Index("local", pk="PK", local=True)]), "has no sort key"),
        (
            Table("notes", indexes=[Index("one", pk="n"), Index("two", pk=Number("n"))]),
            "n is S in one key and N in two",
        ),
    ],
)
def test_a_table_that_dynamodb_refuses_to_create_is_found(table: Table, cause: str) -> None:
    (finding,) = findings_of("TW307", table)
    assert cause in finding.cause


def test_a_table_that_dynamodb_creates_is_fine() -> None:
    indexes = [Index("local", pk="PK", sk="at", local=True), Index("by-owner", pk="owner")]
    assert findings_of("TW307", Table("notes", indexes=indexes)) == []


@pytest.mark.parametrize(
    ("table", "cause"),
    [
        (
            Table("notes", indexes=[Index("local", pk="PK", sk=["a", "b"], local=True)]),
            "the sort key of local has 2 attributes; limit: 1",
        ),
        (
            Table("notes", indexes=[Index("byPlace", pk=["a", "b", "c", "d", "e"])]),
            "the partition key of byPlace has 5 attributes; limit: 4",
        ),
    ],
    ids=["local", "global"],
)
def test_more_key_attributes_than_dynamodb_allows_are_found(table: Table, cause: str) -> None:
    (finding,) = findings_of("TW307", table)
    assert cause in finding.cause


def test_four_attributes_in_each_key_of_a_global_index_are_allowed() -> None:
    table = Table("notes", indexes=[Index("byPlace", pk=["a", "b", "c", "d"], sk=["e", "f"])])
    assert findings_of("TW307", table) == []
