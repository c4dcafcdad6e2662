"""Attributes of index keys: one template each, and the type of the key."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tablewright import Design, DesignError, Index, Model, Number, Table
from tests.design.lint.findings_of import findings_of


def inverted(keys: tuple[str, str]) -> Table:
    table = Table("orders", indexes=[Index("inverse", pk="SK", sk="PK")])

    @table.entity("ORDER#{id}", "LINE#{n:03}", inverse=keys)
    class Line(Model):
        id: str
        n: int

    return table


def test_an_attribute_with_two_key_templates_is_refused() -> None:
    table = inverted(("OTHER#{id}", "ORDER#{id}"))
    with pytest.raises(DesignError) as caught:

        class Orders(Design, tables=[table]):
            pass

    (finding,) = caught.value.findings
    assert finding.code == "TW308"
    assert "SK is 'LINE#{n:03}' in the table and 'OTHER#{id}' in inverse" in finding.cause


def test_an_inverted_index_with_the_templates_of_the_table_is_fine() -> None:
    assert findings_of("TW308", inverted(("LINE#{n:03}", "ORDER#{id}"))) == []


def ranked(annotation: Any) -> Table:
    table = Table("teams", indexes=[Index("byRank", pk="team", sk=Number("n"))])

    @table.entity("PLAYER#{id}", "PLAYER")
    class Player(Model):
        id: str
        n: annotation

    return table


def test_an_attribute_of_another_type_than_its_index_key_is_refused() -> None:
    (finding,) = findings_of("TW309", ranked(str))
    assert finding.severity == "error"
    assert finding.cause == "n is S, but byRank has a key n of type N."


@pytest.mark.parametrize("annotation", [int, Decimal, int | None, Any])
def test_an_attribute_of_the_type_of_its_index_key_is_fine(annotation: Any) -> None:
    assert findings_of("TW309", ranked(annotation)) == []
