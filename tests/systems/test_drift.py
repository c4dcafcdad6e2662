"""The checker of derived rows, counters and index keys finds what is planted, and only that."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import Table, save
from tablewright.care.fsck import drift
from tablewright.systems.funkedupshift import design as fus
from tablewright.systems.hold_that_thought import design as htt
from tablewright.systems.roll_model import design as roll
from tablewright.systems.threefc import design as threefc

from .designs import TABLES
from .faces import AT, Face, moved
from .funkedupshift import rows as fus_rows
from .hold_that_thought import rows as htt_rows
from .ids import ulid, uuid
from .roll_model import rows as roll_rows
from .stayon import rows as stayon_rows
from .threefc import rows as threefc_rows


@pytest.fixture
def filled(embedded: Face) -> Face:
    """One of everything that is derived or counted; what is planted is deleted afterwards."""
    embedded.is_drift_checked = False
    embedded.create(roll_rows.entry(shared="guard", private="knee"))
    embedded.create(roll_rows.link())
    embedded.create(fus_rows.site(tags=["a"]))
    embedded.create(fus_rows.rating(stars=4), fus_rows.rating("bob", stars=1))
    embedded.create(*(fus_rows.player(n, user_id=f"u{n}") for n in range(1, 5)))
    embedded.create(fus_rows.match())
    embedded.create(threefc_rows.league(slug="sunday"))
    embedded.create(threefc_rows.acl("ann@x.org", "admin"))
    embedded.create(threefc_rows.season())
    embedded.create(threefc_rows.session())
    embedded.create(threefc_rows.game())
    embedded.create(threefc_rows.player())
    embedded.create(threefc_rows.roster())
    embedded.create(htt_rows.comment())
    embedded.create(htt_rows.reaction(), htt_rows.reaction("eve"))
    embedded.create(stayon_rows.slot())
    embedded.create(stayon_rows.poll())
    return embedded


def key(table: Table, pk: str, sk: str) -> dict[str, Any]:
    names = [part.name for part in table.primary.attributes]
    return dict(zip(names, ({"S": pk}, {"S": sk}), strict=True))


def remove(face: Face, table: Table, pk: str, sk: str) -> None:
    face.call("DeleteItem", {"TableName": table.name, "Key": key(table, pk, sk)})


def change(face: Face, table: Table, pk: str, sk: str, name: str, value: dict[str, Any]) -> None:
    request = {
        "TableName": table.name,
        "Key": key(table, pk, sk),
        "UpdateExpression": "SET #n = :v",
        "ExpressionAttributeNames": {"#n": name},
        "ExpressionAttributeValues": {":v": value},
    }
    face.call("UpdateItem", request)


def test_nothing_drifts_where_nothing_is_planted(filled: Face) -> None:
    assert drift(filled, TABLES) == []


def test_a_tag_row_that_was_deleted_is_missing(filled: Face) -> None:
    remove(filled, fus.T, f"SITE#{uuid(1)}", "TAG#a")
    assert drift(filled, TABLES) == [f"SITE#{uuid(1)} / TAG#a is missing"]


def test_a_derived_row_without_its_source_is_found(filled: Face) -> None:
    filled.plant(fus.SiteTag(site_id=uuid(1), tag="b"))
    assert drift(filled, TABLES) == [f"SITE#{uuid(1)} / TAG#b has no source"]


def test_a_source_that_was_deleted_by_hand_leaves_all_its_rows(filled: Face) -> None:
    at = "2096-03-01T10:00:00.000Z"
    remove(filled, roll.T, "USER#ann", f"ENTRY#{at}#{uuid(1)}")
    assert sorted(drift(filled, TABLES)) == [
        f"ENTRY#{uuid(1)} / META has no source",
        f"USER#ann / KW#guard#TS#{at}#ENTRY#{uuid(1)} has no source",
        f"USER_PRIVATE#ann / KW#knee#TS#{at}#ENTRY#{uuid(1)} has no source",
    ]


def test_a_private_word_among_the_shared_ones_is_found(filled: Face) -> None:
    filled.plant(roll.Keyword(athlete_id="ann", token="knee", entry_id=uuid(1), created_at=AT))
    [found] = drift(filled, TABLES)
    assert found.startswith("USER#ann / KW#knee")


def test_a_mirror_that_differs_from_its_source_is_found(filled: Face) -> None:
    change(filled, threefc.T, f"LEAGUE#{ulid(1)}", f"SEASON#{ulid(10)}", "version", {"N": "7"})
    [found] = drift(filled, TABLES)
    assert "its source gives" in found
    assert "version=7" in found


@pytest.mark.parametrize(
    ("table", "pk", "sk", "name"),
    [
        (fus.T, f"SITE#{uuid(1)}", "METADATA", "totalStarsSum"),
        (fus.T, f"SITE#{uuid(1)}", "METADATA", "totalStarsCount"),
        (fus.T, f"SQUASH#PLAYER#{uuid(2)}", "METADATA", "matchCount"),
        (threefc.T, f"LEAGUE#{ulid(1)}", "METADATA", "adminCount"),
        (threefc.T, f"LEAGUE#{ulid(1)}", "METADATA", "seasonCount"),
        (threefc.T, f"SEASON#{ulid(10)}", "METADATA", "sessionCount"),
        (threefc.T, f"SESSION#{ulid(20)}", "METADATA", "gameCount"),
        (threefc.T, f"PLAYER#{ulid(50)}", "PROFILE", "rosterCount"),
        (htt.T, "COMMENT#1943-05-12", f"2096-03-01T10:00:00.000Z#{ulid(1)}", "reactionCount"),
    ],
)
@pytest.mark.parametrize("value", ["0", "99"])
def test_a_counter_that_was_bumped_is_found(
    filled: Face, table: Table, pk: str, sk: str, name: str, value: str
) -> None:
    change(filled, table, pk, sk, name, {"N": value})
    [found] = drift(filled, TABLES)
    assert f"of {pk} / {sk} is {value}" in found


def test_what_counts_on_a_row_that_is_not_there_is_found(filled: Face) -> None:
    filled.plant(fus_rows.rating("eve", of=9, stars=3))
    assert drift(filled, TABLES) == [
        f"stars_given: 3 counted on SITE#{uuid(9)} / METADATA, which does not exist",
        f"ratings_given: 1 counted on SITE#{uuid(9)} / METADATA, which does not exist",
    ]


def test_a_marked_row_may_count_what_is_swept_already_but_never_less(filled: Face) -> None:
    read = filled.run(htt.P.get_comment("1943-05-12", AT, ulid(1)).required())
    filled.run(save(read, moved(read, deleted_at=AT)))
    remove(filled, htt.T, "COMMENT#1943-05-12", f"REACTION#{ulid(1)}#eve")
    assert drift(filled, TABLES) == []
    change(
        filled,
        htt.T,
        "COMMENT#1943-05-12",
        f"2096-03-01T10:00:00.000Z#{ulid(1)}",
        "reactionCount",
        {"N": "0"},
    )
    assert len(drift(filled, TABLES)) == 1


def test_an_index_key_that_is_not_the_items_is_found(filled: Face) -> None:
    change(filled, fus.T, f"SITE#{uuid(1)}", "METADATA", "entitySk", {"S": "SITE#old"})
    [found] = drift(filled, TABLES)
    assert found.startswith(f"entitySk of SITE#{uuid(1)} / METADATA is")


def test_a_marked_row_that_is_still_in_an_index_is_found(filled: Face) -> None:
    read = filled.run(fus.P.get_site(uuid(1)).required())
    filled.run(save(read, moved(read, deleted_at=AT)))
    assert drift(filled, TABLES) == []
    change(filled, fus.T, f"SITE#{uuid(1)}", "METADATA", "entitySk", {"S": "SITE#x"})
    [found] = drift(filled, TABLES)
    assert found.endswith("should be None")


def test_rows_that_no_entity_knows_are_found(filled: Face) -> None:
    foreign = {**key(fus.T, "X", "Y"), "entityType": {"S": "WHAT"}}
    filled.call("PutItem", {"TableName": fus.T.name, "Item": foreign})
    broken = {**key(fus.T, "GROUP#g", "METADATA"), "entityType": {"S": "GROUP"}}
    filled.call("PutItem", {"TableName": fus.T.name, "Item": broken})
    found = sorted(drift(filled, TABLES))
    assert found[0].startswith("GROUP#g / METADATA does not fit its entity: Group.")
    assert found[1] == "X / Y belongs to no entity"
