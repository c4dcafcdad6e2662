"""UpdateTable over HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import definitions, error_code, index, number, refused, text

UNITS = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}
MORE_UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 2}
STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
SETTLING_SECONDS_MAX = 20  # AWS takes minutes; local endpoints do not.


def creation(*key: str, name: str = "fresh", **more: Any) -> dict[str, Any]:
    """What UpdateTable takes to create an index."""
    return {
        "AttributeDefinitions": definitions(*key),
        "GlobalSecondaryIndexUpdates": [{"Create": index(name, list(key), "ALL") | more}],
    }


def deletion(name: str) -> dict[str, Any]:
    return {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}


def settled(boto: Any, table: str) -> dict[str, Any]:
    """The table's description once it and its indexes are active."""
    deadline = time.monotonic() + SETTLING_SECONDS_MAX
    while time.monotonic() < deadline:
        try:
            described: dict[str, Any] = boto.describe_table(TableName=table)["Table"]
        except ClientError as error:
            # DynamoDB Local may fail to describe a table while it changes an index: ask again.
            if error.response["Error"]["Code"] != "InternalFailure":
                raise
            continue
        indexes = described.get("GlobalSecondaryIndexes", [])
        statuses = {described["TableStatus"]} | {each["IndexStatus"] for each in indexes}
        if statuses == {"ACTIVE"}:
            return described
    raise AssertionError(f"{table} does not become active")


# Serialization


# API_UpdateTable, "Request Parameters", has the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("TableName", 5),
        ("AttributeDefinitions", {"x": 1}),
        ("BillingMode", ["x"]),
        ("ProvisionedThroughput", "x"),
        ("GlobalSecondaryIndexUpdates", {"Create": {}}),
        ("GlobalSecondaryIndexUpdates", [{"Delete": "x"}]),
        ("StreamSpecification", {"StreamEnabled": "x"}),
        ("DeletionProtectionEnabled", "x"),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(
    post: Any, plain: str, member: str, value: Any
) -> None:
    answer = post("UpdateTable", {"TableName": plain, member: value})
    assert error_code(answer) == "SerializationException"


# Validation


# API_UpdateTable: TableName is required, and named by 3 to 255 characters.
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a" * 256])
def test_a_bad_table_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.update_table(TableName=name, DeletionProtectionEnabled=False)


# API_UpdateTable, Errors: ResourceNotFoundException.
def test_a_table_that_is_not_there_is_not_found(boto: Any, pk: str) -> None:
    with refused("ResourceNotFoundException"):
        boto.update_table(TableName=pk, BillingMode="PAY_PER_REQUEST")


# A change must change something: "At least one of ProvisionedThroughput, BillingMode,
# UpdateStreamEnabled, GlobalSecondaryIndexUpdates …" is AWS's answer.
@pytest.mark.parametrize(
    "nothing", [{}, {"GlobalSecondaryIndexUpdates": []}], ids=["absent", "empty"]
)
def test_something_must_change(boto: Any, plain: str, nothing: dict[str, Any]) -> None:
    with refused("ValidationException", "At least one of", "GlobalSecondaryIndexUpdates"):
        boto.update_table(TableName=plain, **nothing)


# AWS's answers to changes that do not go together: most are made by a request of their own.
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"SSESpecification": {"Enabled": True}, "TableClass": "STANDARD"},
            "Server-Side Encryption modification must be the only operation in the request",
        ),
        (
            {"TableClass": "STANDARD", "DeletionProtectionEnabled": False},
            "TableClass modification must be the only operation in the request",
        ),
        (
            {"DeletionProtectionEnabled": False, "BillingMode": "PAY_PER_REQUEST"},
            "DeletionProtection modification must be the only operation in the request",
        ),
        (
            {"StreamSpecification": STREAM, "ProvisionedThroughput": UNITS},
            "You cannot modify stream status while updating table IOPS",
        ),
        (
            {"StreamSpecification": STREAM, **creation("g")},
            "You cannot create or delete index while changing stream status",
        ),
        (
            {"DeletionProtectionEnabled": False, "GlobalSecondaryIndexUpdates": []},
            "List of GlobalSecondaryIndexUpdates is empty",
        ),
    ],
    ids=["encryption", "class", "protection", "stream", "index", "empty"],
)
def test_changes_that_do_not_go_together_are_refused(
    boto: Any, new_table: Any, changes: dict[str, Any], words: str
) -> None:
    table = new_table("pk")
    with refused("ValidationException", words):
        boto.update_table(TableName=table, **changes)


# API_GlobalSecondaryIndexUpdate: one action, whose constraints are those of the API reference.
@pytest.mark.parametrize(
    ("update", "words"),
    [
        ({"Delete": {}}, "'globalSecondaryIndexUpdates.1.member.delete.indexName'"),
        ({"Delete": {"IndexName": "x"}}, "'globalSecondaryIndexUpdates.1.member.delete.indexName'"),
        (
            {"Create": {"IndexName": "fresh"}},
            "'globalSecondaryIndexUpdates.1.member.create.keySchema'",
        ),
        (
            {"Update": {"IndexName": "by_g", "ProvisionedThroughput": {"ReadCapacityUnits": 1}}},
            "provisionedThroughput.writeCapacityUnits'",
        ),
    ],
)
def test_constraints_of_an_action_are_checked(
    boto: Any, plain: str, update: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", "validation error", words, "failed to satisfy constraint"):
        boto.update_table(TableName=plain, GlobalSecondaryIndexUpdates=[update])


# API_GlobalSecondaryIndexUpdate: an update, a creation or a deletion.
@pytest.mark.parametrize(
    ("update", "words"),
    [
        ({}, "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "),
        (
            {"Delete": {"IndexName": "by_g"}, "Update": {"IndexName": "by_g_keys"}},
            "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate",
        ),
    ],
    ids=["none", "two"],
)
def test_an_index_update_is_one_action(
    boto: Any, indexed: str, update: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", words):
        boto.update_table(TableName=indexed, GlobalSecondaryIndexUpdates=[update])


# API_UpdateTable: "You can create or delete only one global secondary index per UpdateTable
# operation"; more of them are a LimitExceededException.
@pytest.mark.parametrize(
    "updates",
    [
        [{"Create": index(name, ["pk"], "ALL")} for name in ("first", "second")],
        [{"Delete": {"IndexName": name}} for name in ("by_g", "by_g_keys")],
        [{"Create": index("first", ["pk"], "ALL")}, {"Delete": {"IndexName": "by_g"}}],
    ],
    ids=["create", "delete", "both"],
)
def test_one_index_is_created_or_deleted_at_a_time(
    boto: Any, indexed: str, updates: list[dict[str, Any]]
) -> None:
    with refused("LimitExceededException", "Only 1 online index can be created or deleted"):
        boto.update_table(
            TableName=indexed,
            AttributeDefinitions=definitions("pk"),
            GlobalSecondaryIndexUpdates=updates,
        )


# API_UpdateTable, AttributeDefinitions: "must include the key element(s) of the new index". AWS
# wants them even if the table has them already.
@pytest.mark.parametrize(
    ("key", "given"),
    [
        (["g"], {"AttributeDefinitions": definitions("pk")}),
        (["pk"], {}),
        (["g", "pk"], {"AttributeDefinitions": definitions("g")}),
    ],
    ids=["unknown", "known", "in part"],
)
def test_the_key_of_a_new_index_must_be_defined(
    boto: Any, new_table: Callable[..., str], key: list[str], given: dict[str, Any]
) -> None:
    with refused("ValidationException", "AttributeDefinitions"):
        boto.update_table(
            TableName=new_table("pk"),
            GlobalSecondaryIndexUpdates=[{"Create": index("fresh", key, "ALL")}],
            **given,
        )


# AWS's answers: what is defined already is not defined anew, and what nothing needs is dropped.
def test_definitions_are_added_to_those_there_are(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    given = [*definitions("g", "n"), {"AttributeName": "pk", "AttributeType": "N"}]
    boto.update_table(
        TableName=table,
        AttributeDefinitions=given,
        GlobalSecondaryIndexUpdates=[{"Create": index("fresh", ["g", "pk"], "ALL")}],
    )
    described = boto.describe_table(TableName=table)["Table"]["AttributeDefinitions"]
    assert sorted(one["AttributeName"] + one["AttributeType"] for one in described) == ["gS", "pkS"]


# API_CreateGlobalSecondaryIndexAction, IndexName: "must be unique among all other indexes on this
# table", local ones too.
@pytest.mark.parametrize("name", ["by_g", "by_l"])
def test_an_index_that_is_there_is_not_created_again(boto: Any, indexed: str, name: str) -> None:
    with refused("ValidationException", "already exists"):
        boto.update_table(TableName=indexed, **creation("g", "h", name=name))


# API_DeleteGlobalSecondaryIndexAction: an index of the table; AWS answers with
# ResourceNotFoundException.
def test_an_index_that_is_not_there_is_not_deleted(boto: Any, indexed: str) -> None:
    with refused("ResourceNotFoundException", f"Index no-such-index for table {indexed}"):
        boto.update_table(TableName=indexed, **deletion("no-such-index"))


# LSI: "Local secondary indexes on a table are created when the table is created", and go with it.
def test_a_local_index_is_not_deleted(boto: Any, indexed: str) -> None:
    with refused(
        "ValidationException", "Cannot delete an index that is not a GlobalSecondaryIndex: by_l"
    ):
        boto.update_table(TableName=indexed, **deletion("by_l"))
    assert len(boto.describe_table(TableName=indexed)["Table"]["LocalSecondaryIndexes"]) == 3


# API_UpdateTable, ProvisionedThroughput: not for on-demand tables, nor for their indexes.
def test_an_on_demand_table_takes_no_throughput(boto: Any, new_table: Any) -> None:
    plain = new_table("pk")
    with refused("ValidationException", "BillingMode is PAY_PER_REQUEST"):
        boto.update_table(TableName=plain, ProvisionedThroughput=UNITS)
    with refused("ValidationException", "BillingMode is PAY_PER_REQUEST"):
        boto.update_table(TableName=plain, **creation("g", ProvisionedThroughput=UNITS))


# API_CreateGlobalSecondaryIndexAction, ProvisionedThroughput: if the table is provisioned.
def test_a_new_index_of_a_provisioned_table_needs_throughput(boto: Any, provisioned: str) -> None:
    with refused(
        "ValidationException",
        "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: fresh",
    ):
        boto.update_table(TableName=provisioned, **creation("g"))


# "will not change. The requested value equals the current value" is AWS's answer.
def test_the_same_throughput_is_refused(boto: Any, provisioned: str) -> None:
    with refused("ValidationException", "will not change"):
        boto.update_table(TableName=provisioned, ProvisionedThroughput=UNITS)


# API_Projection, in a new index as in a new table.
def test_the_projection_of_a_new_index_must_make_sense(boto: Any, plain: str) -> None:
    projection = {"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}
    with refused("ValidationException", "NonKeyAttributes"):
        boto.update_table(TableName=plain, **creation("g", Projection=projection))


# API_UpdateTable, StreamSpecification: "You receive a ValidationException if you try to enable a
# stream on a table that already has a stream, or if you try to disable a stream on a table that
# doesn't have a stream."
def test_a_stream_is_enabled_once_and_disabled_once(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    with refused("ValidationException"):
        boto.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    described = boto.update_table(TableName=table, StreamSpecification=STREAM)["TableDescription"]
    assert described["StreamSpecification"] == STREAM
    label = settled(boto, table)["LatestStreamLabel"]
    with refused("ValidationException"):
        boto.update_table(TableName=table, StreamSpecification=STREAM)
    boto.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    described = settled(boto, table)
    assert "StreamSpecification" not in described
    assert described["LatestStreamLabel"] == label


# Behaviour


@pytest.fixture(scope="session")
def provisioned(new_table: Any) -> str:
    """A provisioned table with the global index by_h, which no test changes."""
    return str(
        new_table(
            "pk",
            ProvisionedThroughput=UNITS,
            GlobalSecondaryIndexes=[index("by_h", ["h"], "ALL") | {"ProvisionedThroughput": UNITS}],
        )
    )


# API_UpdateTable: "UpdateTable is an asynchronous operation; while it's executing, the table
# status changes from ACTIVE to UPDATING."
def test_the_table_is_updating(boto: Any, new_table: Any) -> None:
    table = new_table("pk", ProvisionedThroughput=UNITS)
    answer = boto.update_table(TableName=table, ProvisionedThroughput=MORE_UNITS)
    assert answer["TableDescription"]["TableStatus"] == "UPDATING"


# API_ProvisionedThroughputDescription: the new figures, and when they last went up and down.
def test_throughput_changes(boto: Any, new_table: Any) -> None:
    table = new_table("pk", ProvisionedThroughput=UNITS)
    boto.update_table(TableName=table, ProvisionedThroughput=MORE_UNITS)
    throughput = settled(boto, table)["ProvisionedThroughput"]
    assert throughput["ReadCapacityUnits"] == 5
    assert throughput["WriteCapacityUnits"] == 2
    assert throughput["LastIncreaseDateTime"].year > 2020
    assert throughput["LastDecreaseDateTime"].year > 2020


# API_UpdateGlobalSecondaryIndexAction: throughput of one index.
def test_the_throughput_of_an_index_changes(boto: Any, new_table: Any) -> None:
    declared = index("by_g", ["g"], "ALL") | {"ProvisionedThroughput": UNITS}
    table = new_table("pk", ProvisionedThroughput=UNITS, GlobalSecondaryIndexes=[declared])
    boto.update_table(
        TableName=table,
        GlobalSecondaryIndexUpdates=[
            {"Update": {"IndexName": "by_g", "ProvisionedThroughput": MORE_UNITS}}
        ],
    )
    described = settled(boto, table)
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    (by_g,) = described["GlobalSecondaryIndexes"]
    assert by_g["ProvisionedThroughput"]["ReadCapacityUnits"] == 5


# API_UpdateTable, BillingMode: to on demand, and back with throughput for the table.
def test_the_billing_mode_changes(boto: Any, new_table: Any) -> None:
    table = new_table("pk", ProvisionedThroughput=UNITS)
    boto.update_table(TableName=table, BillingMode="PAY_PER_REQUEST")
    described = settled(boto, table)
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    with refused(
        "ValidationException",
        "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
    ):
        boto.update_table(TableName=table, BillingMode="PROVISIONED")
    boto.update_table(TableName=table, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    described = settled(boto, table)
    assert described["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert described["ProvisionedThroughput"]["WriteCapacityUnits"] == 4


# API_UpdateTable, GlobalSecondaryIndexUpdates, and "Managing global secondary indexes": CREATING,
# with the backfill to come, then ACTIVE and full.
def test_a_new_index_holds_the_items_that_were_there(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    for name, more in {
        "a": {"g": text("x")},
        "b": {"g": text("x"), "c": text("y")},
        "d": {},
    }.items():
        boto.put_item(TableName=table, Item={"pk": text(name), **more})
    boto.update_table(TableName=table, **creation("g"))
    settled(boto, table)
    boto.put_item(TableName=table, Item={"pk": text("e"), "g": text("x")})
    answer = boto.query(
        TableName=table,
        IndexName="fresh",
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues={":g": text("x")},
    )
    assert sorted(item["pk"]["S"] for item in answer["Items"]) == ["a", "b", "e"]
    assert {"pk": text("b"), "g": text("x"), "c": text("y")} in answer["Items"]


# The reply to a creation. "Managing global secondary indexes", "Phases of index creation".
def test_the_reply_shows_the_index_being_created(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    answer = boto.update_table(TableName=table, **creation("g", "h"))["TableDescription"]
    (fresh,) = answer["GlobalSecondaryIndexes"]
    assert fresh["IndexStatus"] == "CREATING"
    assert answer["TableStatus"] == "UPDATING"
    names = {each["AttributeName"] for each in answer["AttributeDefinitions"]}
    assert names == {"pk", "g", "h"}
    (fresh,) = settled(boto, table)["GlobalSecondaryIndexes"]
    assert fresh["IndexStatus"] == "ACTIVE"
    assert fresh["KeySchema"] == index("", ["g", "h"], "ALL")["KeySchema"]


# "Managing global secondary indexes", "Detecting and correcting index key violations": an item
# whose value has the wrong type or is too large is left out, and stays in the table.
def test_items_that_violate_a_new_key_are_left_out(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    values = {
        "good": text("x"),
        "wrong type": number(1),
        "null": {"NULL": True},
        "too long": text("x" * 2049),
        "empty": text(""),
    }
    for name, value in values.items():
        boto.put_item(TableName=table, Item={"pk": text(name), "g": value})
    boto.update_table(TableName=table, **creation("g"))
    settled(boto, table)
    items = boto.scan(TableName=table, IndexName="fresh")["Items"]
    assert [item["pk"]["S"] for item in items] == ["good"]
    assert boto.scan(TableName=table)["Count"] == len(values)
    with refused("ValidationException"):
        boto.put_item(TableName=table, Item={"pk": text("another"), "g": number(1)})


# "Managing global secondary indexes", "Deleting a global secondary index": it is gone, and its
# attributes are no longer those of any key.
def test_a_deleted_index_is_gone(boto: Any, new_table: Any) -> None:
    table = new_table("pk", GlobalSecondaryIndexes=[index("by_g", ["g"], "ALL")])
    answer = boto.update_table(TableName=table, **deletion("by_g"))["TableDescription"]
    assert answer["GlobalSecondaryIndexes"][0]["IndexStatus"] == "DELETING"
    described = settled(boto, table)
    assert "GlobalSecondaryIndexes" not in described
    assert described["AttributeDefinitions"] == definitions("pk")
    with refused("ValidationException", "does not have the specified index"):
        boto.scan(TableName=table, IndexName="by_g")
    boto.put_item(TableName=table, Item={"pk": text("a"), "g": number(1)})


# A name is free again once its index is gone, also for another key.
def test_an_index_may_come_back_under_its_name(boto: Any, new_table: Any) -> None:
    table = new_table("pk", GlobalSecondaryIndexes=[index("by_g", ["g"], "KEYS_ONLY")])
    boto.put_item(TableName=table, Item={"pk": text("a"), "g": text("x"), "h": number(1)})
    boto.update_table(TableName=table, **deletion("by_g"))
    settled(boto, table)
    boto.update_table(TableName=table, **creation("h", name="by_g"))
    settled(boto, table)
    items = boto.scan(TableName=table, IndexName="by_g")["Items"]
    assert items == [{"pk": text("a"), "g": text("x"), "h": number(1)}]


# API_UpdateTable, DeletionProtectionEnabled and TableClass.
def test_other_settings_change(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    boto.update_table(TableName=table, DeletionProtectionEnabled=True)
    assert settled(boto, table)["DeletionProtectionEnabled"] is True
    boto.update_table(TableName=table, DeletionProtectionEnabled=False)
    assert settled(boto, table)["DeletionProtectionEnabled"] is False


# API_TableClassSummary: the class and when it changed.
def test_the_table_class_changes(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    boto.update_table(TableName=table, TableClass="STANDARD_INFREQUENT_ACCESS")
    summary = settled(boto, table)["TableClassSummary"]
    assert summary["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert summary["LastUpdateDateTime"].year > 2020


# API_UpdateTable, TableName: "You can also provide the Amazon Resource Name (ARN)".
def test_the_table_may_be_named_by_its_arn(boto: Any, new_table: Any) -> None:
    table = new_table("pk")
    arn = boto.describe_table(TableName=table)["Table"]["TableArn"]
    answer = boto.update_table(TableName=arn, DeletionProtectionEnabled=False)
    assert answer["TableDescription"]["TableName"] == table
