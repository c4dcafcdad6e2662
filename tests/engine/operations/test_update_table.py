"""UpdateTable: what is refused, what the reply says, and what is there afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import LimitExceeded, ResourceNotFound, ValidationError

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
MORE_UNITS = {"ReadCapacityUnits": 6, "WriteCapacityUnits": 4}


def definitions(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def index(name: str, attribute: str, **more: Any) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    } | more


def make(database: Database, **changes: Any) -> Database:
    request: dict[str, Any] = {
        "TableName": "Music",
        "AttributeDefinitions": definitions("pk", "artist"),
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    }
    database.call("CreateTable", request | changes)
    return database


@pytest.fixture
def on_demand(database: Database) -> Database:
    """An on-demand table with the global index by-artist."""
    return make(
        database,
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[index("by-artist", "artist")],
    )


@pytest.fixture
def provisioned(database: Database) -> Database:
    """A provisioned table with the global index by-artist."""
    return make(
        database,
        ProvisionedThroughput=UNITS,
        GlobalSecondaryIndexes=[index("by-artist", "artist", ProvisionedThroughput=UNITS)],
    )


def update(database: Database, **changes: Any) -> dict[str, Any]:
    reply = database.call("UpdateTable", {"TableName": "Music"} | changes)
    description: dict[str, Any] = reply["TableDescription"]
    return description


def update_index(database: Database, *updates: dict[str, Any], **more: Any) -> dict[str, Any]:
    return update(database, GlobalSecondaryIndexUpdates=list(updates), **more)


def refusal(database: Database, **changes: Any) -> str:
    before = describe(database)
    with pytest.raises(ValidationError) as caught:
        update(database, **changes)
    assert describe(database) == before
    return caught.value.message


def describe(database: Database) -> dict[str, Any]:
    description: dict[str, Any] = database.call("DescribeTable", {"TableName": "Music"})["Table"]
    return description


def index_names(description: dict[str, Any]) -> list[str]:
    return [entry["IndexName"] for entry in description.get("GlobalSecondaryIndexes", [])]


# The request by itself.


@pytest.mark.parametrize(
    "nothing",
    [{}, {"GlobalSecondaryIndexUpdates": []}, {"AttributeDefinitions": definitions("pk")}],
)
def test_something_must_change(on_demand: Database, nothing: dict[str, Any]) -> None:
    assert refusal(on_demand, **nothing).startswith("At least one of ProvisionedThroughput,")


def test_each_index_update_is_one_action(on_demand: Database) -> None:
    assert "must not be null" in refusal(on_demand, GlobalSecondaryIndexUpdates=[{}])
    both = {"Delete": {"IndexName": "by-artist"}, "Create": index("other", "artist")}
    assert "Only one of" in refusal(on_demand, GlobalSecondaryIndexUpdates=[both])


def test_an_index_is_changed_once_in_a_request(provisioned: Database) -> None:
    updates = [
        {"Update": {"IndexName": "by-artist", "ProvisionedThroughput": MORE_UNITS}},
        {"Delete": {"IndexName": "by-artist"}},
    ]
    message = refusal(provisioned, GlobalSecondaryIndexUpdates=updates)
    assert "Only one global secondary index update per index" in message
    assert "Index: by-artist" in message


@pytest.mark.parametrize(
    "updates",
    [
        [{"Create": index("one", "artist")}, {"Create": index("two", "artist")}],
        [{"Create": index("one", "artist")}, {"Delete": {"IndexName": "by-artist"}}],
    ],
)
def test_one_index_is_created_or_deleted_at_a_time(
    on_demand: Database, updates: list[dict[str, Any]]
) -> None:
    with pytest.raises(LimitExceeded, match="Only 1 online index can be created or deleted"):
        update_index(on_demand, *updates)
    assert index_names(describe(on_demand)) == ["by-artist"]


def test_absurd_throughput_is_out_of_bounds(provisioned: Database) -> None:
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1_000_000_000_001}
    assert "out of bounds" in refusal(provisioned, ProvisionedThroughput=units)
    action = {"Update": {"IndexName": "by-artist", "ProvisionedThroughput": units}}
    assert "out of bounds for index by-artist" in refusal(
        provisioned, GlobalSecondaryIndexUpdates=[action]
    )


def test_a_table_that_is_not_there_is_not_found(database: Database) -> None:
    with pytest.raises(ResourceNotFound, match="Table: Music not found"):
        update(database, DeletionProtectionEnabled=True)


# Throughput and billing.


def test_the_reply_shows_the_throughput_of_before(provisioned: Database) -> None:
    reply = update(provisioned, ProvisionedThroughput=MORE_UNITS)
    assert reply["TableStatus"] == "UPDATING"
    assert reply["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    after = describe(provisioned)["ProvisionedThroughput"]
    assert after["ReadCapacityUnits"] == 6
    assert after["LastIncreaseDateTime"] == after["LastDecreaseDateTime"]


def test_the_same_throughput_is_refused(provisioned: Database) -> None:
    message = refusal(provisioned, ProvisionedThroughput=UNITS)
    assert message.startswith("The provisioned throughput for the table will not change.")
    action = {"Update": {"IndexName": "by-artist", "ProvisionedThroughput": UNITS}}
    message = refusal(provisioned, GlobalSecondaryIndexUpdates=[action])
    assert message.startswith("The provisioned throughput for the index by-artist will not change")


def test_an_indexs_throughput_changes(provisioned: Database) -> None:
    action = {"Update": {"IndexName": "by-artist", "ProvisionedThroughput": MORE_UNITS}}
    [shown] = update_index(provisioned, action)["GlobalSecondaryIndexes"]
    assert shown["IndexStatus"] == "UPDATING"
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    [after] = describe(provisioned)["GlobalSecondaryIndexes"]
    assert after["ProvisionedThroughput"]["ReadCapacityUnits"] == 6


def test_on_demand_tables_take_no_throughput(on_demand: Database) -> None:
    assert "Neither ReadCapacityUnits" in refusal(on_demand, ProvisionedThroughput=UNITS)
    action = {"Update": {"IndexName": "by-artist", "ProvisionedThroughput": UNITS}}
    assert "should not be specified for index: by-artist" in refusal(
        on_demand, GlobalSecondaryIndexUpdates=[action]
    )


def test_a_table_switches_to_on_demand(provisioned: Database) -> None:
    assert "Neither ReadCapacityUnits" in refusal(
        provisioned, BillingMode="PAY_PER_REQUEST", ProvisionedThroughput=UNITS
    )
    update(provisioned, BillingMode="PAY_PER_REQUEST")
    after = describe(provisioned)
    assert after["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert after["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] > 0
    assert after["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    [shown] = after["GlobalSecondaryIndexes"]
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


def test_a_table_switches_to_provisioned_with_all_its_indexes(on_demand: Database) -> None:
    assert "must both be specified" in refusal(on_demand, BillingMode="PROVISIONED")
    assert "must be specified for index: by-artist" in refusal(
        on_demand, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS
    )
    action = {"Update": {"IndexName": "by-artist", "ProvisionedThroughput": UNITS}}
    update_index(on_demand, action, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    after = describe(on_demand)
    assert after["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert after["ProvisionedThroughput"]["ReadCapacityUnits"] == 5


def test_the_same_billing_mode_again_changes_nothing(on_demand: Database) -> None:
    before = describe(on_demand)
    update(on_demand, BillingMode="PAY_PER_REQUEST")
    assert describe(on_demand) == before


# Indexes.


def test_a_new_index_holds_the_items_that_have_its_key(on_demand: Database) -> None:
    for number in range(3):
        item = {"pk": {"S": f"{number}"}} | ({"year": {"S": "1999"}} if number else {})
        on_demand.call("PutItem", {"TableName": "Music", "Item": item})
    on_demand.call(
        "PutItem", {"TableName": "Music", "Item": {"pk": {"S": "n"}, "year": {"N": "1999"}}}
    )
    reply = update_index(
        on_demand, {"Create": index("by-year", "year")}, AttributeDefinitions=definitions("year")
    )
    by_name = {entry["IndexName"]: entry for entry in reply["GlobalSecondaryIndexes"]}
    assert by_name["by-year"]["IndexStatus"] == "CREATING"
    assert by_name["by-year"]["Backfilling"] is False
    assert by_name["by-year"]["ItemCount"] == 0
    assert by_name["by-artist"]["IndexStatus"] == "ACTIVE"
    after = {entry["IndexName"]: entry for entry in describe(on_demand)["GlobalSecondaryIndexes"]}
    assert after["by-year"]["IndexStatus"] == "ACTIVE"
    assert after["by-year"]["ItemCount"] == 2


def test_definitions_are_merged_and_pruned(on_demand: Database) -> None:
    update_index(
        on_demand,
        {"Create": index("by-year", "year")},
        AttributeDefinitions=definitions("pk", "year"),
    )
    assert describe(on_demand)["AttributeDefinitions"] == definitions("pk", "artist", "year")
    reply = update_index(on_demand, {"Delete": {"IndexName": "by-artist"}})
    assert reply["AttributeDefinitions"] == definitions("pk", "artist", "year")
    assert describe(on_demand)["AttributeDefinitions"] == definitions("pk", "year")


def test_a_deleted_index_is_shown_once_more(on_demand: Database) -> None:
    reply = update_index(on_demand, {"Delete": {"IndexName": "by-artist"}})
    assert reply["GlobalSecondaryIndexes"][0]["IndexStatus"] == "DELETING"
    assert "GlobalSecondaryIndexes" not in describe(on_demand)


def test_an_index_may_come_back_under_its_name(on_demand: Database) -> None:
    on_demand.call(
        "PutItem", {"TableName": "Music", "Item": {"pk": {"S": "1"}, "artist": {"S": "a"}}}
    )
    update_index(on_demand, {"Delete": {"IndexName": "by-artist"}})
    update_index(
        on_demand,
        {"Create": index("by-artist", "artist")},
        AttributeDefinitions=definitions("artist"),
    )
    [shown] = describe(on_demand)["GlobalSecondaryIndexes"]
    assert shown["ItemCount"] == 1


@pytest.mark.parametrize(
    "action", [{"Delete": {"IndexName": "none"}}, {"Update": {"IndexName": "none"}}]
)
def test_an_index_that_is_not_there_is_not_found(
    on_demand: Database, action: dict[str, Any]
) -> None:
    with pytest.raises(ResourceNotFound):
        update_index(on_demand, action)


def test_an_index_that_is_there_is_not_created_again(on_demand: Database) -> None:
    assert "already exists" in refusal(
        on_demand, GlobalSecondaryIndexUpdates=[{"Create": index("by-artist", "pk")}]
    )


def test_a_new_indexs_key_must_be_defined(on_demand: Database) -> None:
    assert "Some index key attributes are not defined" in refusal(
        on_demand, GlobalSecondaryIndexUpdates=[{"Create": index("by-year", "year")}]
    )


def test_an_attribute_keeps_its_type(on_demand: Database) -> None:
    number = [{"AttributeName": "artist", "AttributeType": "N"}]
    update_index(on_demand, {"Create": index("other", "artist")}, AttributeDefinitions=number)
    assert describe(on_demand)["AttributeDefinitions"] == definitions("pk", "artist")


def test_throughput_of_a_new_index_follows_the_billing_mode(
    on_demand: Database,
) -> None:
    with_units = index("other", "artist", ProvisionedThroughput=UNITS)
    assert "should not be specified for index: other" in refusal(
        on_demand, GlobalSecondaryIndexUpdates=[{"Create": with_units}]
    )


def test_a_new_index_of_a_provisioned_table_needs_throughput(provisioned: Database) -> None:
    assert "must be specified for index: other" in refusal(
        provisioned, GlobalSecondaryIndexUpdates=[{"Create": index("other", "artist")}]
    )


def test_projections_of_new_indexes_are_checked(on_demand: Database) -> None:
    bad = index("other", "artist", Projection={"ProjectionType": "INCLUDE"})
    assert "NonKeyAttributes is not specified" in refusal(
        on_demand,
        AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": bad}],
    )


def test_a_table_has_at_most_twenty_global_indexes(database: Database) -> None:
    make(
        database,
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[index(f"index{number}", "artist") for number in range(20)],
    )
    assert "per-table limit of 20" in refusal(
        database,
        AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": index("other", "artist")}],
    )


# Other settings.


def test_a_stream_is_enabled_once_and_disabled_once(on_demand: Database) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    assert "no stream to disable" in refusal(
        on_demand, StreamSpecification={"StreamEnabled": False}
    )
    assert update(on_demand, StreamSpecification=stream)["StreamSpecification"] == stream
    assert "Table already has an enabled stream: TableName: Music" in refusal(
        on_demand, StreamSpecification=stream
    )
    label = describe(on_demand)["LatestStreamLabel"]
    update(on_demand, StreamSpecification={"StreamEnabled": False})
    after = describe(on_demand)
    assert "StreamSpecification" not in after
    assert after["LatestStreamLabel"] == label


def test_other_settings_are_kept(on_demand: Database) -> None:
    update(
        on_demand,
        DeletionProtectionEnabled=True,
        TableClass="STANDARD_INFREQUENT_ACCESS",
        SSESpecification={"Enabled": True},
        WarmThroughput={"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 4000},
        OnDemandThroughput={"MaxReadRequestUnits": 7},
    )
    after = describe(on_demand)
    assert after["DeletionProtectionEnabled"] is True
    assert after["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert after["SSEDescription"]["Status"] == "ENABLED"
    assert after["WarmThroughput"]["ReadUnitsPerSecond"] == 13000
    assert after["OnDemandThroughput"]["MaxReadRequestUnits"] == 7


def test_the_table_may_be_given_by_its_arn(on_demand: Database) -> None:
    arn = describe(on_demand)["TableArn"]
    on_demand.call("UpdateTable", {"TableName": arn, "DeletionProtectionEnabled": True})
    assert describe(on_demand)["DeletionProtectionEnabled"] is True
