"""Instances as items, and back: keys, sparse indexes, marks, expiry, envelopes."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from pydantic import Field

from tablewright import Envelope, Index, Keys, Model, Number, Table, Ulid, ref, ref_of
from tablewright.design.entity import entity_of_model
from tablewright.errors import ItemInvalid, KeyValueInvalid

NOW = datetime(2026, 3, 1, 10, 0, 0, 123000, UTC)
NOW_TEXT = "2026-03-01T10:00:00.123Z"

T = Table(
    "shop",
    ttl="ttl",
    indexes=[
        Index("byType", pk="entityType", sk="entitySk"),
        Index("byStars", pk=Number("starRating"), sk="siteId"),
        Index("byOwner", pk="owner", sk="madeAt"),
    ],
)


@T.entity(
    "SITE#{id}",
    "METADATA",
    mark="deletedAt",
    byType=("SITE", "SITE#{createdAt}#{id}"),
    byOwner=Keys("{owner}", "{createdAt}", unless="archivedAt"),
)
class Site(Model):
    id: str
    owner: str | None = None
    tags: set[str] = set()
    created_at: datetime
    archived_at: datetime | None = None
    deleted_at: datetime | None = None


@T.entity("USER#{userId}", "SITE#{siteId}", byStars=("{stars}", "SITE#{siteId}"))
class Rating(Model):
    user_id: str
    site_id: str
    stars: int


@T.entity("ONCE#{key}", "METADATA", type="ONCE", ttl="expiresAt")
class Once(Model):
    key: str
    expires_at: datetime


@T.entity("PERSON#{personId}", "NAME#{sortName}")
class Person(Model):
    person_id: str
    name: str

    @property
    def sort_name(self) -> str:
        return self.name.lower()


E = Table("wrapped", "pk", "sk", envelope=Envelope("data", top=("version",)))


@E.entity("GAME#{gameId}", "GOAL#{third:02}", top=["goalCount"])
class Goal(Model):
    game_id: Ulid
    third: int
    played_on: date
    goal_count: int = 0
    version: int = 1


SITE = entity_of_model(Site)
RATING = entity_of_model(Rating)


def test_an_item_has_its_keys_its_type_and_its_attributes() -> None:
    site = Site(id="s1", owner="ann", tags={"b", "a"}, created_at=NOW)
    assert SITE.item(site) == {
        "PK": {"S": "SITE#s1"},
        "SK": {"S": "METADATA"},
        "entityType": {"S": "SITE"},
        "entitySk": {"S": f"SITE#{NOW_TEXT}#s1"},
        "owner": {"S": "ann"},
        "madeAt": {"S": NOW_TEXT},
        "id": {"S": "s1"},
        "tags": {"SS": ["a", "b"]},
        "createdAt": {"S": NOW_TEXT},
    }


def test_an_instance_comes_back_from_its_item() -> None:
    site = Site(id="s1", owner="ann", tags={"b"}, created_at=NOW)
    assert SITE.instance(SITE.item(site)) == site


def test_an_empty_set_is_left_out_and_comes_back_as_the_default() -> None:
    item = SITE.item(Site(id="s1", created_at=NOW))
    assert "tags" not in item
    assert SITE.instance(item).tags == set()


def test_an_item_without_a_part_of_an_index_key_stays_out_of_that_index() -> None:
    keys = SITE.index_keys(Site(id="s1", created_at=NOW))
    assert set(keys) == {"entityType", "entitySk"}


def test_an_item_stays_out_of_an_index_while_its_unless_field_is_set() -> None:
    keys = SITE.index_keys(Site(id="s1", owner="ann", created_at=NOW, archived_at=NOW))
    assert "madeAt" not in keys
    assert "entitySk" in keys


def test_a_marked_item_is_in_no_index_and_counts_as_absent() -> None:
    site = Site(id="s1", owner="ann", created_at=NOW, deleted_at=NOW)
    item = SITE.item(site)
    assert SITE.index_keys(site) == {}
    assert "entitySk" not in item
    assert SITE.is_absent(item, 0)
    assert not SITE.is_absent(item, 0, with_marked=True)


def test_a_field_whose_attribute_is_an_index_key_is_parsed_out_of_the_key() -> None:
    rating = Rating(user_id="u", site_id="s1", stars=4)
    item = RATING.item(rating)
    assert item["siteId"] == {"S": "SITE#s1"}
    assert item["starRating"] == {"N": "4"}
    assert RATING.instance(item) == rating


def test_an_expired_item_counts_as_absent_from_its_second_on() -> None:
    entity = entity_of_model(Once)
    item = entity.item(Once(key="k", expires_at=NOW))
    seconds = int(NOW.timestamp())
    assert item["ttl"] == {"N": str(seconds)}
    assert not entity.is_absent(item, seconds - 1)
    assert entity.is_absent(item, seconds)


def test_a_key_part_may_be_a_property_of_the_model() -> None:
    entity = entity_of_model(Person)
    assert entity.key_of(Person(person_id="p", name="Ann")) == {
        "PK": {"S": "PERSON#p"},
        "SK": {"S": "NAME#ann"},
    }
    assert entity.key_fields == {"person_id", "name"}


def test_an_envelope_holds_everything_but_keys_and_top_attributes() -> None:
    entity = entity_of_model(Goal)
    goal = Goal(game_id="01ARZ3NDEKTSV4RRFFQ69G5FAV", third=2, played_on=date(2026, 5, 1))
    item = entity.item(goal)
    assert item == {
        "pk": {"S": "GAME#01ARZ3NDEKTSV4RRFFQ69G5FAV"},
        "sk": {"S": "GOAL#02"},
        "entityType": {"S": "GOAL"},
        "version": {"N": "1"},
        "goalCount": {"N": "0"},
        "data": {"S": '{"gameId":"01ARZ3NDEKTSV4RRFFQ69G5FAV","third":2,"playedOn":"2026-05-01"}'},
    }
    assert entity.instance(item) == goal


@pytest.mark.parametrize("held", ['{"third":', "[]", "1"])
def test_an_envelope_that_is_no_json_object_is_refused(held: str) -> None:
    entity = entity_of_model(Goal)
    with pytest.raises(ItemInvalid, match="data"):
        entity.instance({"data": {"S": held}})


def test_an_item_that_does_not_fit_its_model_says_where() -> None:
    with pytest.raises(ItemInvalid, match="createdAt"):
        SITE.instance({"id": {"S": "s1"}, "createdAt": {"S": "yesterday"}})


def test_a_delimiter_in_a_key_part_is_refused() -> None:
    with pytest.raises(KeyValueInvalid, match="id"):
        ref(Site, id="a#b")


def test_a_missing_key_part_is_told() -> None:
    with pytest.raises(KeyValueInvalid, match="site_id"):
        ref(Rating, user_id="u")


def test_a_wrong_type_for_a_number_key_is_refused() -> None:
    broken = Rating.model_construct(user_id="u", site_id="s", stars="four")
    with pytest.raises(KeyValueInvalid, match="starRating"):
        RATING.item(broken)


def test_refs_are_equal_by_table_and_key() -> None:
    site = Site(id="s1", created_at=NOW)
    assert ref_of(site) == ref(Site, id="s1")
    assert ref(Site, id="s1") != ref(Site, id="s2")
    assert len({ref_of(site), ref(Site, id="s1")}) == 1


def test_a_table_finds_the_entity_of_an_item() -> None:
    assert T.entity_of(SITE.item(Site(id="s", created_at=NOW))) is SITE
    assert T.entity_of({"PK": {"S": "x"}, "entityType": {"S": "NOBODY"}}) is None


def test_entities_of_one_type_are_told_apart_by_their_keys() -> None:
    table = Table("mirrored")

    @table.entity("LEAGUE#{leagueId}", "SEASON#{seasonId}", type="season")
    class InLeague(Model):
        league_id: str
        season_id: str

    @table.entity("SEASON#{seasonId}", "METADATA", type="season")
    class Alone(Model):
        season_id: str

    assert table.entity_of(entity_of_model(Alone).item(Alone(season_id="x"))).model is Alone  # type: ignore[union-attr]
    row = entity_of_model(InLeague).item(InLeague(league_id="l", season_id="x"))
    assert table.entity_of(row).model is InLeague  # type: ignore[union-attr]


def test_an_attribute_may_be_kept_as_more_than_its_field() -> None:
    table = Table("kept")

    @table.entity("USER#{userId}", "COMMENT#{siteId}", stored={"siteId": "SITE#{siteId}"})
    class Comment(Model):
        user_id: str
        site_id: str

    entity = entity_of_model(Comment)
    item = entity.item(Comment(user_id="u", site_id="s"))
    assert item["siteId"] == {"S": "SITE#s"}
    assert entity.instance(item).site_id == "s"


def test_a_table_makes_its_create_request() -> None:
    request = T.create_request()
    assert request["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]
    assert {"AttributeName": "starRating", "AttributeType": "N"} in request["AttributeDefinitions"]
    assert [index["IndexName"] for index in request["GlobalSecondaryIndexes"]] == [
        "byType",
        "byStars",
        "byOwner",
    ]


def test_a_model_that_is_declared_twice_is_refused() -> None:
    first, second = Table("first"), Table("second")

    class Row(Model):
        key: str

    first.entity("A#{key}", "A")(Row)
    second.entity("B#{key}", "B")(Row)
    (finding,) = second.findings
    assert finding.code == "TW116"
    assert "it is already an entity of first" in finding.cause


def test_two_fields_with_one_name_on_disk_are_refused() -> None:
    table = Table("names")

    @table.entity("A#{key}", "A")
    class Row(Model):
        key: str
        label: str = Field(alias="key")

    (finding,) = table.findings
    assert finding.code == "TW117"
    assert finding.cause == "key and label are both stored as key."


def test_a_row_without_the_type_attribute_is_read_by_its_key() -> None:
    table = Table("names")

    @table.entity("A#{key}", "A")
    class Row(Model):
        key: str
        note: str | None

    item = {"PK": {"S": "A#1"}, "SK": {"S": "A"}, "key": {"S": "1"}}
    entity = table.entity_of(item)
    assert entity is not None
    assert entity.instance(item) == Row(key="1", note=None)
    assert table.entity_of(item | {"PK": {"S": "OTHER#1"}}) is None
    assert table.entity_of(item | {"entityType": {"S": "UNKNOWN"}}) is None
