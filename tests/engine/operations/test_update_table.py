"""UpdateTable: invalid requests, the reply, and the resulting table."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import LimitExceeded, ResourceNotFound, ValidationError

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
MORE_UNITS = {"ReadCapacityUnits": 6, "WriteCapacityUnits": 4}
STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
INVALID = "One or more parameter values were invalid: "


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
    assert refusal(on_demand, GlobalSecondaryIndexUpdates=[both]) == (
        f"{INVALID}Only one global secondary index action is allowed per "
        "GlobalSecondaryIndexUpdate object"
    )


def test_a_list_of_updates_is_not_empty_beside_other_changes(on_demand: Database) -> None:
    assert refusal(on_demand, GlobalSecondaryIndexUpdates=[], DeletionProtectionEnabled=True) == (
        f"{INVALID}List of GlobalSecondaryIndexUpdates is empty"
    )


ENCRYPTION: dict[str, Any] = {"SSESpecification": {"Enabled": True}}
CLASS: dict[str, Any] = {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
PROTECTION: dict[str, Any] = {"DeletionProtectionEnabled": True}
WARMTH: dict[str, Any] = {"WarmThroughput": {"ReadUnitsPerSecond": 13_000}}
BOUNDS: dict[str, Any] = {"OnDemandThroughput": {"MaxReadRequestUnits": 7}}
FLOW: dict[str, Any] = {"StreamSpecification": STREAM}
MODE: dict[str, Any] = {"BillingMode": "PAY_PER_REQUEST"}
CREATION: dict[str, Any] = {
    "AttributeDefinitions": definitions("artist"),
    "GlobalSecondaryIndexUpdates": [{"Create": index("other", "artist")}],
}
DELETION: dict[str, Any] = {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-artist"}}]}
ONLY = "must be the only operation in the request"
APART = "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (ENCRYPTION | CLASS | PROTECTION | WARMTH, f"Server-Side Encryption modification {ONLY}"),
        (ENCRYPTION | DELETION, f"Server-Side Encryption modification {ONLY}"),
        (CLASS | PROTECTION | WARMTH, f"TableClass modification {ONLY}"),
        (PROTECTION | WARMTH, f"DeletionProtection modification {ONLY}"),
        (PROTECTION | MODE, f"DeletionProtection modification {ONLY}"),
        (PROTECTION | CREATION, f"DeletionProtection modification {ONLY}"),
        (WARMTH | MODE, f"WarmThroughput {ONLY}"),
        (
            WARMTH | CREATION,
            "Create global secondary index cannot be specified when updating WarmThroughput",
        ),
        (WARMTH | BOUNDS, APART),
        (FLOW | BOUNDS, APART),
        (
            FLOW | {"ProvisionedThroughput": UNITS},
            "You cannot modify stream status while updating table IOPS",
        ),
        (
            FLOW | {"BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS},
            "You cannot modify stream status while updating table IOPS",
        ),
        (
            DELETION | {"ProvisionedThroughput": UNITS},
            "You cannot create or delete index while updating table IOPS",
        ),
        (FLOW | CREATION, "You cannot create or delete index while changing stream status"),
    ],
)
def test_changes_that_do_not_go_together_are_refused(
    on_demand: Database, changes: dict[str, Any], words: str
) -> None:
    assert refusal(on_demand, **changes) == f"{INVALID}{words}"


@pytest.mark.parametrize("changes", [MODE | BOUNDS, MODE | FLOW, MODE | CREATION])
def test_some_changes_go_with_the_billing_mode(
    provisioned: Database, changes: dict[str, Any]
) -> None:
    update(provisioned, **changes)
    assert describe(provisioned)["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


@pytest.mark.parametrize("nothing", [{"WarmThroughput": {}}, {"OnDemandThroughput": {}}], ids=str)
def test_what_is_empty_stands_beside_anything(on_demand: Database, nothing: dict[str, Any]) -> None:
    update(on_demand, **PROTECTION, **nothing)
    assert describe(on_demand)["DeletionProtectionEnabled"] is True


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        (PROTECTION, "ACTIVE"),
        (BOUNDS, "ACTIVE"),
        (ENCRYPTION, "ACTIVE"),
        (WARMTH, "ACTIVE"),
        (CLASS, "UPDATING"),
        (FLOW, "UPDATING"),
        (MODE, "UPDATING"),
        (CREATION, "UPDATING"),
        (DELETION, "UPDATING"),
    ],
)
def test_the_reply_says_whether_the_table_is_updating(
    on_demand: Database, changes: dict[str, Any], status: str
) -> None:
    assert update(on_demand, **changes)["TableStatus"] == status


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
    assert message.startswith(
        "The provisioned throughput for the index by-artist will not change. The requested value "
        "equals the current value. Current ReadCapacityUnits provisioned for index by-artist: 5."
    )


def test_an_indexs_throughput_changes(provisioned: Database) -> None:
    action = {"Update": {"IndexName": "by-artist", "ProvisionedThroughput": MORE_UNITS}}
    [shown] = update_index(provisioned, action)["GlobalSecondaryIndexes"]
    assert shown["IndexStatus"] == "UPDATING"
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    assert describe(provisioned)["TableStatus"] == "ACTIVE"
    [after] = describe(provisioned)["GlobalSecondaryIndexes"]
    assert after["ProvisionedThroughput"]["ReadCapacityUnits"] == 6


def test_on_demand_tables_take_no_throughput(on_demand: Database) -> None:
    assert "Neither ReadCapacityUnits" in refusal(on_demand, ProvisionedThroughput=UNITS)
    for more in ({"ProvisionedThroughput": UNITS}, {}, {"OnDemandThroughput": {}}):
        action = {"Update": {"IndexName": "by-artist"} | more}
        assert refusal(on_demand, GlobalSecondaryIndexUpdates=[action]) == (
            f"{INVALID}The only Updates for index: by-artist when TableThroughputMode is "
            "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"
        )


def test_a_table_switches_to_on_demand(provisioned: Database) -> None:
    assert refusal(provisioned, BillingMode="PAY_PER_REQUEST", ProvisionedThroughput=UNITS) == (
        f"{INVALID}ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST"
    )
    update(provisioned, BillingMode="PAY_PER_REQUEST")
    after = describe(provisioned)
    assert after["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert after["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] > 0
    assert after["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    [shown] = after["GlobalSecondaryIndexes"]
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


def test_a_table_switches_to_provisioned_with_all_its_indexes(on_demand: Database) -> None:
    assert refusal(on_demand, BillingMode="PROVISIONED") == (
        f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED"
    )
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


def test_bounds_are_changed_one_by_one_and_taken_away(on_demand: Database) -> None:
    for asked, shown, left in (
        ((10, 5), {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 5}, (10, 5)),
        ((20, None), {"MaxReadRequestUnits": 20, "MaxWriteRequestUnits": 5}, (20, 5)),
        ((-1, None), {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 5}, (None, 5)),
        ((None, -1), {"MaxWriteRequestUnits": -1}, (None, None)),
    ):
        assert update(on_demand, OnDemandThroughput=bounds(*asked))["OnDemandThroughput"] == shown
        assert describe(on_demand).get("OnDemandThroughput", {}) == bounds(*left)


def bounds(reads: int | None, writes: int | None) -> dict[str, int]:
    given = {"MaxReadRequestUnits": reads, "MaxWriteRequestUnits": writes}
    return {name: units for name, units in given.items() if units is not None}


def test_bounds_do_not_outlive_the_billing_mode(on_demand: Database) -> None:
    update(on_demand, **BOUNDS)
    action = {"IndexName": "by-artist", **BOUNDS}
    update_index(on_demand, {"Update": action})
    assert describe(on_demand)["GlobalSecondaryIndexes"][0]["OnDemandThroughput"] == bounds(7, None)
    units = {"IndexName": "by-artist", "ProvisionedThroughput": UNITS}
    update_index(
        on_demand, {"Update": units}, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS
    )
    after = describe(on_demand)
    assert "OnDemandThroughput" not in after
    assert "OnDemandThroughput" not in after["GlobalSecondaryIndexes"][0]
    assert refusal(on_demand, **BOUNDS) == (
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table "
        "BillingMode is PROVISIONED"
    )
    assert refusal(on_demand, GlobalSecondaryIndexUpdates=[{"Update": action}]) == (
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput for index : by-artist cannot be "
        "specified when the table BillingMode is PROVISIONED"
    )


def test_warm_throughput_only_grows(on_demand: Database) -> None:
    update(on_demand, WarmThroughput={"WriteUnitsPerSecond": 5_000})
    update(on_demand, **WARMTH)
    assert describe(on_demand)["WarmThroughput"] == {
        "ReadUnitsPerSecond": 13_000,
        "WriteUnitsPerSecond": 5_000,
        "Status": "ACTIVE",
    }
    less = {"ReadUnitsPerSecond": 12_999}
    lower = "is lower than current WarmThroughput, decreasing WarmThroughput is not supported"
    assert refusal(on_demand, WarmThroughput=less) == (
        f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for table {lower}"
    )
    action = {"IndexName": "by-artist", "WarmThroughput": {"ReadUnitsPerSecond": 1}}
    assert refusal(on_demand, GlobalSecondaryIndexUpdates=[{"Update": action}]) == (
        f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for index by-artist {lower}"
    )
    action = {"IndexName": "by-artist", "WarmThroughput": {}}
    assert refusal(on_demand, GlobalSecondaryIndexUpdates=[{"Update": action}]) == (
        f"{INVALID}WarmThroughput must have at least one of ReadUnitsPerSecond or "
        "WriteUnitsPerSecond specified for index: by-artist"
    )


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
    assert describe(on_demand)["AttributeDefinitions"] == definitions("artist", "pk", "year")
    reply = update_index(on_demand, {"Delete": {"IndexName": "by-artist"}})
    assert reply["AttributeDefinitions"] == definitions("artist", "pk", "year")
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
    with pytest.raises(ResourceNotFound) as caught:
        update_index(on_demand, action)
    assert caught.value.message == "Requested resource not found: Index none for table Music"


@pytest.mark.parametrize("kind", ["Update", "Delete"])
def test_a_local_index_does_not_change(database: Database, kind: str) -> None:
    key = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
    make(
        database,
        AttributeDefinitions=definitions("pk", "sk"),
        KeySchema=key,
        BillingMode="PAY_PER_REQUEST",
        LocalSecondaryIndexes=[index("local", "pk", KeySchema=key)],
    )
    assert refusal(database, GlobalSecondaryIndexUpdates=[{kind: {"IndexName": "local"}}]) == (
        f"Cannot {kind.lower()} an index that is not a GlobalSecondaryIndex: local"
    )


def test_an_index_that_is_there_is_not_created_again(on_demand: Database) -> None:
    assert "already exists" in refusal(
        on_demand, GlobalSecondaryIndexUpdates=[{"Create": index("by-artist", "pk")}]
    )


def test_a_new_indexs_key_must_be_defined(on_demand: Database) -> None:
    creation = [{"Create": index("by-year", "year")}]
    assert refusal(on_demand, GlobalSecondaryIndexUpdates=creation) == (
        f"{INVALID}AttributeDefinitions is not specified for index: by-year"
    )
    assert "Some index key attributes are not defined" in refusal(
        on_demand,
        AttributeDefinitions=definitions("artist"),
        GlobalSecondaryIndexUpdates=creation,
    )


def test_an_attribute_keeps_its_type(on_demand: Database) -> None:
    number = [{"AttributeName": "artist", "AttributeType": "N"}]
    update_index(on_demand, {"Create": index("other", "artist")}, AttributeDefinitions=number)
    assert describe(on_demand)["AttributeDefinitions"] == definitions("artist", "pk")


def test_throughput_of_a_new_index_follows_the_billing_mode(
    on_demand: Database,
) -> None:
    with_units = index("other", "artist", ProvisionedThroughput=UNITS)
    assert refusal(
        on_demand,
        AttributeDefinitions=definitions("artist"),
        GlobalSecondaryIndexUpdates=[{"Create": with_units}],
    ) == (
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: "
        "other when BillingMode is PAY_PER_REQUEST"
    )


def test_a_new_index_of_a_provisioned_table_needs_throughput(provisioned: Database) -> None:
    assert refusal(provisioned, **CREATION) == (
        f"{INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: other"
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
    with pytest.raises(LimitExceeded) as caught:
        update(database, **CREATION)
    assert caught.value.message == (
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of "
        "20"
    )


# Other settings.


def test_a_stream_is_enabled_once_and_disabled_once(on_demand: Database) -> None:
    stream = STREAM
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


def test_a_stream_says_what_it_holds_exactly_when_it_is_enabled(on_demand: Database) -> None:
    assert refusal(on_demand, StreamSpecification={"StreamEnabled": True}) == (
        f"{INVALID}If stream is being enabled then UpdateViewType is required"
    )
    disabled = STREAM | {"StreamEnabled": False}
    assert refusal(on_demand, StreamSpecification=disabled) == (
        f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified"
    )


def test_encryption_changes_or_is_refused(on_demand: Database) -> None:
    for default in ({}, {"Enabled": False}):
        assert refusal(on_demand, SSESpecification=default) == (
            f"{INVALID}Table is already encrypted by default"
        )
    update(on_demand, **ENCRYPTION)
    key = describe(on_demand)["SSEDescription"]["KMSMasterKeyArn"]
    same = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key}
    assert refusal(on_demand, SSESpecification=same) == (
        f"{INVALID}Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId "
        "parameter if you want to change Master Key"
    )
    update(on_demand, SSESpecification={"Enabled": False})
    assert "SSEDescription" not in describe(on_demand)


def test_the_class_that_a_table_has_anyway_is_not_said(on_demand: Database) -> None:
    update(on_demand, TableClass="STANDARD")
    assert "TableClassSummary" not in describe(on_demand)
    assert "Invalid table-class parameter provided" in refusal(on_demand, TableClass="COLD")


def test_other_settings_are_kept(on_demand: Database) -> None:
    for changes in (PROTECTION, CLASS, ENCRYPTION, WARMTH, BOUNDS):
        update(on_demand, **changes)
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
