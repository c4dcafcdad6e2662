"""CreateTable over HTTP."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from .calls import definitions, error_code, index, key_schema, refused, without_metadata

UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}
INVALID = "One or more parameter values were invalid"


def declaration(**changes: Any) -> dict[str, Any]:
    """An on-demand table of pk and sk with these changes; None removes a field."""
    request: dict[str, Any] = {
        "TableName": f"conformance-{uuid.uuid4().hex}",
        "AttributeDefinitions": definitions("pk", "sk"),
        "KeySchema": key_schema("pk", "sk"),
        "BillingMode": "PAY_PER_REQUEST",
    }
    request |= changes
    return {name: value for name, value in request.items() if value is not None}


# Serialization


# JSON of another type than declared is refused before anything is validated.
# API_CreateTable, "Request Parameters", has the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("TableName", 5),
        ("TableName", ["x"]),
        ("AttributeDefinitions", "pk"),
        ("AttributeDefinitions", [5]),
        ("AttributeDefinitions", [{"AttributeName": 5, "AttributeType": "S"}]),
        ("KeySchema", {"AttributeName": "pk"}),
        ("BillingMode", {"x": 1}),
        ("ProvisionedThroughput", "many"),
        ("ProvisionedThroughput", {"ReadCapacityUnits": "x", "WriteCapacityUnits": 1}),
        ("GlobalSecondaryIndexes", {"x": 1}),
        ("LocalSecondaryIndexes", "x"),
        ("StreamSpecification", {"StreamEnabled": "x"}),
        ("Tags", {"x": 1}),
        ("DeletionProtectionEnabled", "yes"),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(post: Any, member: str, value: Any) -> None:
    assert error_code(post("CreateTable", declaration(**{member: value}))) == (
        "SerializationException"
    )


# A body that is no JSON object never reaches validation: AWS answers with SerializationException.
@pytest.mark.parametrize("body", ["[]", '"x"', "{", "not json", ""])
def test_a_body_that_is_not_an_object_is_refused(post: Any, body: str) -> None:
    assert error_code(post("CreateTable", body)) == "SerializationException"


# Members that the API does not have are ignored, as every AWS JSON service does.
def test_unknown_members_are_ignored(post: Any, boto: Any) -> None:
    name = f"conformance-{uuid.uuid4().hex}"
    status, _ = post("CreateTable", declaration(TableName=name, Nonsense=1))
    assert status == 200
    boto.delete_table(TableName=name)


# Validation


# The name is the first thing looked at. API_CreateTable, TableName: 1 to 1024 characters, and
# Constraints, "Table names": 3 to 255 of a-z A-Z 0-9 _ - .
@pytest.mark.parametrize("name", ["", "ab", "a" * 256, "a b", "täble", "a/b/c"])
def test_a_bad_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.create_table(**declaration(TableName=name))


# AWS tells of its length as of any other constraint, and of nothing else in the request.
@pytest.mark.parametrize(("name", "least"), [("", 1), ("ab", 3)])
def test_a_short_name_is_reported_alone(boto: Any, name: str, least: int) -> None:
    with refused(
        "ValidationException",
        f"1 validation error detected: Value '{name}' at 'tableName' failed to satisfy constraint: "
        f"Member must have length greater than or equal to {least}",
    ):
        boto.create_table(**declaration(TableName=name, KeySchema=[]))


# API_CreateTable: TableName is required.
def test_the_name_is_required(boto: Any) -> None:
    with refused("ValidationException", "TableName"):
        boto.create_table(**declaration(TableName=None))


# Failures of constraints are collected. API_CreateTable, "Request Parameters": both required.
def test_missing_members_are_reported_together(boto: Any) -> None:
    with refused(
        "ValidationException",
        "2 validation errors detected",
        "'attributeDefinitions' failed to satisfy constraint: Member must not be null",
        "'keySchema' failed to satisfy constraint: Member must not be null",
    ):
        boto.create_table(**declaration(AttributeDefinitions=None, KeySchema=None))


# Each is an enumeration in the API reference; the message lists the values allowed.
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"BillingMode": "FREE"}, ["'FREE' at 'billingMode'", "enum value set"]),
        (
            {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "BOOL"}]},
            ["'BOOL' at 'attributeDefinitions.1.member.attributeType'", "enum value set"],
        ),
        (
            {"KeySchema": [{"AttributeName": "pk", "KeyType": "SORT"}]},
            ["'SORT' at 'keySchema.1.member.keyType'", "enum value set"],
        ),
        (
            {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "ALL"}},
            ["'ALL' at 'streamSpecification.streamViewType'", "enum value set"],
        ),
    ],
    ids=["billing", "type", "key", "stream"],
)
def test_a_value_outside_its_enumeration_is_refused(
    boto: Any, changes: dict[str, Any], words: list[str]
) -> None:
    with refused("ValidationException", "1 validation error detected", *words):
        boto.create_table(**declaration(**changes))


# API_CreateTable, TableClass: two values; AWS has a sentence of its own for others.
def test_an_unknown_table_class_is_refused(boto: Any) -> None:
    with refused(
        "ValidationException",
        "Invalid table-class parameter provided. Please try again with a valid table-class value: "
        "[STANDARD, STANDARD_INFREQUENT_ACCESS].",
    ):
        boto.create_table(**declaration(TableClass="COLD"))


# API_KeySchemaElement: AttributeName has 1 to 255 characters.
@pytest.mark.parametrize("name", ["", "a" * 256])
def test_the_name_of_a_key_attribute_is_bounded(boto: Any, name: str) -> None:
    with refused("ValidationException", "ember must have length"):
        boto.create_table(
            **declaration(
                KeySchema=[{"AttributeName": name, "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"}],
            )
        )


# API_CreateTable, KeySchema: one element for a simple key, two for a composite one.
@pytest.mark.parametrize("count", [0, 3])
def test_a_table_key_has_one_or_two_attributes(boto: Any, count: int) -> None:
    schema = [
        {"AttributeName": f"k{i}", "KeyType": "HASH" if i == 0 else "RANGE"} for i in range(count)
    ]
    defined = [{"AttributeName": f"k{i}", "AttributeType": "S"} for i in range(max(count, 1))]
    with refused("ValidationException"):
        boto.create_table(**declaration(KeySchema=schema, AttributeDefinitions=defined))


# AWS shows all elements of what is too long.
def test_a_key_that_is_too_long_is_shown(boto: Any) -> None:
    schema = [*key_schema("pk", "sk"), {"AttributeName": "n", "KeyType": "RANGE"}]
    with refused(
        "ValidationException",
        "1 validation error detected: Value '[KeySchemaElement(attributeName=pk, keyType=HASH), "
        "KeySchemaElement(attributeName=sk, keyType=RANGE), "
        "KeySchemaElement(attributeName=n, keyType=RANGE)]' at 'keySchema' failed to satisfy "
        "constraint: Member must have length less than or equal to 2",
    ):
        boto.create_table(
            **declaration(KeySchema=schema, AttributeDefinitions=definitions("pk", "sk", "n"))
        )


# API_CreateTable, KeySchema: "The first element must have a KeyType of HASH, and the second
# element must have a KeyType of RANGE."
@pytest.mark.parametrize(
    ("kinds", "words"),
    [(["RANGE", "HASH"], "Invalid KeySchema"), (["HASH", "HASH"], "Invalid KeySchema")],
)
def test_the_key_is_a_partition_key_then_a_sort_key(
    boto: Any, kinds: list[str], words: str
) -> None:
    schema = [
        {"AttributeName": name, "KeyType": kind}
        for name, kind in zip(("pk", "sk"), kinds, strict=True)
    ]
    with refused("ValidationException", words):
        boto.create_table(**declaration(KeySchema=schema))


# Two elements of one key cannot be one attribute; AWS misses a definition first.
@pytest.mark.parametrize(
    ("defined", "words"),
    [(["pk"], "Some index key attribute have no definition"), (["pk", "sk"], "same name")],
    ids=["one", "two"],
)
def test_both_key_attributes_must_differ(boto: Any, defined: list[str], words: str) -> None:
    with refused("ValidationException", words):
        boto.create_table(
            **declaration(
                KeySchema=key_schema("pk", "pk"), AttributeDefinitions=definitions(*defined)
            )
        )


# API_CreateTable, KeySchema: its attributes "must also be defined in the AttributeDefinitions".
def test_a_key_attribute_must_be_defined(boto: Any) -> None:
    with refused("ValidationException"):
        boto.create_table(**declaration(AttributeDefinitions=definitions("pk", "n")))


# Attributes that are in no key are not declared: "Number of attributes in KeySchema does not
# exactly match number of attributes defined in AttributeDefinitions" is AWS's answer.
def test_a_definition_that_no_key_uses_is_refused(boto: Any) -> None:
    with refused("ValidationException", "AttributeDefinitions"):
        boto.create_table(**declaration(AttributeDefinitions=definitions("pk", "sk", "n")))


# The same with indexes: "Some AttributeDefinitions are not used" is AWS's answer.
def test_a_definition_that_no_index_uses_is_refused(boto: Any) -> None:
    with refused("ValidationException", "AttributeDefinitions", "not used"):
        boto.create_table(
            **declaration(
                AttributeDefinitions=definitions("pk", "sk", "g", "n"),
                GlobalSecondaryIndexes=[index("by_g", ["g"], "ALL")],
            )
        )


# An attribute has one type, so it is defined once, however many indexes share it: "Attribute Name
# is duplicated" is AWS's answer, before it counts the definitions.
@pytest.mark.parametrize("changes", [{}, {"GlobalSecondaryIndexes": [index("by_g", ["g"], "ALL")]}])
def test_an_attribute_is_defined_once(boto: Any, changes: dict[str, Any]) -> None:
    twice = [*definitions("pk", "sk", "g"), {"AttributeName": "g", "AttributeType": "N"}]
    with refused("ValidationException", "Attribute Name is duplicated: g"):
        boto.create_table(**declaration(AttributeDefinitions=twice, **changes))


# API_CreateTable, BillingMode and ProvisionedThroughput: required if PROVISIONED, which is the
# default, and not allowed if PAY_PER_REQUEST.
@pytest.mark.parametrize(
    "changes",
    [
        {"BillingMode": None},
        {"BillingMode": "PROVISIONED"},
        {"ProvisionedThroughput": UNITS},
    ],
    ids=["default", "provisioned", "on demand"],
)
def test_throughput_must_suit_the_billing_mode(boto: Any, changes: dict[str, Any]) -> None:
    with refused("ValidationException", INVALID, "ReadCapacityUnits", "WriteCapacityUnits"):
        boto.create_table(**declaration(**changes))


# API_ProvisionedThroughput: both are required and at least 1.
@pytest.mark.parametrize(
    ("units", "words"),
    [
        ({"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}, "greater than or equal to 1"),
        ({"ReadCapacityUnits": 1, "WriteCapacityUnits": -1}, "greater than or equal to 1"),
        ({"ReadCapacityUnits": 1}, "must not be null"),
        ({"WriteCapacityUnits": 1}, "must not be null"),
    ],
)
def test_throughput_is_whole_and_positive(boto: Any, units: dict[str, int], words: str) -> None:
    with refused("ValidationException", words):
        boto.create_table(**declaration(BillingMode=None, ProvisionedThroughput=units))


# API_GlobalSecondaryIndex, ProvisionedThroughput: as for the table.
def test_throughput_of_a_global_index_must_suit_the_billing_mode(boto: Any) -> None:
    defined = definitions("pk", "sk", "g")
    without = index("by_g", ["g"], "ALL")
    with refused("ValidationException", INVALID, "ProvisionedThroughput", "by_g"):
        boto.create_table(
            **declaration(
                AttributeDefinitions=defined,
                GlobalSecondaryIndexes=[without | {"ProvisionedThroughput": UNITS}],
            )
        )
    with refused("ValidationException", "ProvisionedThroughput is not specified for index: by_g"):
        boto.create_table(
            **declaration(
                AttributeDefinitions=defined,
                BillingMode=None,
                ProvisionedThroughput=UNITS,
                GlobalSecondaryIndexes=[without],
            )
        )


# A list that says nothing is taken for a mistake: "List of … is empty" is AWS's answer.
@pytest.mark.parametrize("kind", ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"])
def test_a_list_of_indexes_is_not_empty(boto: Any, kind: str) -> None:
    with refused("ValidationException", f"List of {kind} is empty"):
        boto.create_table(**declaration(**{kind: []}))


# API_CreateTable, AttributeDefinitions describes the keys of "the table and indexes".
@pytest.mark.parametrize("kind", ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"])
def test_the_attributes_of_an_index_key_must_be_defined(boto: Any, kind: str) -> None:
    with refused("ValidationException", INVALID, "AttributeDefinitions", "Keys: [pk, n]"):
        boto.create_table(**declaration(**{kind: [index("by_n", ["pk", "n"], "ALL")]}))


# Constraints, "Secondary indexes": names of indexes as of tables; one name, one index.
def test_index_names_are_unique_in_the_table(boto: Any) -> None:
    twin = index("twin", ["pk", "n"], "ALL")
    with refused("ValidationException", INVALID, "uplicate index name", "twin"):
        boto.create_table(
            **declaration(
                AttributeDefinitions=definitions("pk", "sk", "n"),
                GlobalSecondaryIndexes=[twin],
                LocalSecondaryIndexes=[twin],
            )
        )


# API_GlobalSecondaryIndex, IndexName: 3 to 255 characters, [a-zA-Z0-9_.-]+
@pytest.mark.parametrize("name", ["ab", "a" * 256, "a b c", ""])
def test_a_bad_index_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException", "'globalSecondaryIndexes.1.member.indexName'"):
        boto.create_table(
            **declaration(
                AttributeDefinitions=definitions("pk", "sk", "g"),
                GlobalSecondaryIndexes=[index(name, ["g"], "ALL")],
            )
        )


# LSI, "Local secondary indexes": a table with a composite key, the same partition key, another
# sort key.
@pytest.mark.parametrize(
    ("table_key", "index_key", "words"),
    [
        (["pk"], ["pk", "n"], "range key"),
        (["pk", "sk"], ["pk"], "range key"),
        (["pk", "sk"], ["g", "n"], "hash key"),
    ],
)
def test_a_local_index_sorts_the_partitions_of_its_table(
    boto: Any, table_key: list[str], index_key: list[str], words: str
) -> None:
    names = dict.fromkeys(table_key + index_key)
    with refused("ValidationException", INVALID, words):
        boto.create_table(
            **declaration(
                KeySchema=key_schema(*table_key),
                AttributeDefinitions=definitions(*names),
                LocalSecondaryIndexes=[index("local", index_key, "ALL")],
            )
        )


# API_Projection: NonKeyAttributes go with INCLUDE and with nothing else, and there are 1 to 20.
@pytest.mark.parametrize(
    ("projection", "words"),
    [
        ({"ProjectionType": "INCLUDE"}, "NonKeyAttributes"),
        ({"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}, "NonKeyAttributes"),
        ({"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["a"]}, "NonKeyAttributes"),
        ({"ProjectionType": "SOME"}, "enum value set"),
        ({"ProjectionType": "INCLUDE", "NonKeyAttributes": []}, "onKeyAttributes"),
        (
            {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "a"]},
            "Duplicate element in NonKeyAttributes: a",
        ),
        ({}, "ProjectionType"),
    ],
    ids=["lacking", "all", "keys", "unknown", "empty", "twice", "nothing"],
)
def test_a_projection_must_make_sense(boto: Any, projection: dict[str, Any], words: str) -> None:
    declared = index("by_g", ["g"], "ALL") | {"Projection": projection}
    with refused("ValidationException", words):
        boto.create_table(
            **declaration(
                AttributeDefinitions=definitions("pk", "sk", "g"),
                GlobalSecondaryIndexes=[declared],
            )
        )


# Quotas, "Secondary indexes per table": 20 global and 5 local ones.
@pytest.mark.parametrize(
    ("kind", "count"), [("GlobalSecondaryIndexes", 21), ("LocalSecondaryIndexes", 6)]
)
def test_the_number_of_indexes_is_limited(boto: Any, kind: str, count: int) -> None:
    declared = [index(f"index-{i}", ["pk", "n"], "KEYS_ONLY") for i in range(count)]
    with refused("ValidationException", INVALID, "limit", str(count - 1)):
        boto.create_table(
            **declaration(AttributeDefinitions=definitions("pk", "sk", "n"), **{kind: declared})
        )


# Quotas, "Projected Secondary Index attributes per table": 100, counted in each index.
def test_the_number_of_projected_attributes_is_limited(boto: Any) -> None:
    declared = [
        index(f"index-{i}", ["pk", "n"], "INCLUDE", *(f"a{i}-{j}" for j in range(17)))
        for i in range(6)
    ]
    with refused("ValidationException", INVALID, "NonKeyAttributes", "100"):
        boto.create_table(
            **declaration(
                AttributeDefinitions=definitions("pk", "sk", "n"), GlobalSecondaryIndexes=declared
            )
        )


# API_StreamSpecification: the view type is for an enabled stream, which must have one. AWS's words.
@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ({"StreamEnabled": True}, "a stream enabled, UpdateViewType is required"),
        (
            {"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"},
            "a stream disabled, UpdateViewType should not be specified",
        ),
    ],
    ids=["enabled", "disabled"],
)
def test_a_stream_says_what_it_holds_exactly_if_it_is_enabled(
    boto: Any, stream: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", f"{INVALID}: Table is being created with {words}"):
        boto.create_table(**declaration(StreamSpecification=stream))


# Behaviour


# API_CreateTable, "Response Elements", and API_TableDescription: what is said of a new table.
def test_the_reply_describes_an_on_demand_table(boto: Any) -> None:
    name = f"conformance-{uuid.uuid4().hex}"
    before = datetime.now(UTC).timestamp()
    answer = without_metadata(boto.create_table(**declaration(TableName=name)))
    boto.delete_table(TableName=name)
    table = answer.pop("TableDescription")
    assert answer == {}
    assert table["TableName"] == name
    assert table["KeySchema"] == key_schema("pk", "sk")
    assert table["AttributeDefinitions"] == definitions("pk", "sk")
    assert table["ItemCount"] == table["TableSizeBytes"] == 0
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert abs(table["CreationDateTime"].timestamp() - before) < 60
    assert re.fullmatch(rf"arn:aws:dynamodb:[\w-]+:\d{{12}}:table/{name}", table["TableArn"])
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", table["TableId"])
    throughput = table["ProvisionedThroughput"]
    assert throughput["ReadCapacityUnits"] == throughput["WriteCapacityUnits"] == 0
    assert throughput["NumberOfDecreasesToday"] == 0
    assert table["DeletionProtectionEnabled"] is False


# API_CreateTable: "CreateTable is an asynchronous operation … DynamoDB immediately returns a
# response with a TableStatus of CREATING".
def test_a_new_table_is_being_created(boto: Any) -> None:
    request = declaration(
        AttributeDefinitions=definitions("pk", "sk", "g"),
        GlobalSecondaryIndexes=[index("by_g", ["g"], "ALL")],
    )
    table = boto.create_table(**request)["TableDescription"]
    boto.get_waiter("table_exists").wait(TableName=request["TableName"])
    boto.delete_table(TableName=request["TableName"])
    assert table["TableStatus"] == "CREATING"
    assert table["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"


# API_TableDescription, GlobalSecondaryIndexes and LocalSecondaryIndexes.
def test_the_reply_describes_indexes(boto: Any, new_table: Any) -> None:
    request = declaration(
        BillingMode="PROVISIONED",
        ProvisionedThroughput=UNITS,
        AttributeDefinitions=definitions("pk", "sk", "g", "h", "l"),
        GlobalSecondaryIndexes=[
            index("by_g", ["g", "h"], "INCLUDE", "a", "c") | {"ProvisionedThroughput": UNITS}
        ],
        LocalSecondaryIndexes=[index("by_l", ["pk", "l"], "KEYS_ONLY")],
    )
    table = boto.create_table(**request)["TableDescription"]
    boto.delete_table(TableName=request["TableName"])
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 1
    assert table["ProvisionedThroughput"]["WriteCapacityUnits"] == 2
    (by_g,), (by_l,) = table["GlobalSecondaryIndexes"], table["LocalSecondaryIndexes"]
    assert by_g["IndexName"] == "by_g"
    assert by_g["KeySchema"] == key_schema("g", "h")
    assert by_g["Projection"]["ProjectionType"] == "INCLUDE"
    assert sorted(by_g["Projection"]["NonKeyAttributes"]) == ["a", "c"]
    assert by_g["ProvisionedThroughput"]["WriteCapacityUnits"] == 2
    assert by_g["IndexArn"] == f"{table['TableArn']}/index/by_g"
    assert by_l["KeySchema"] == key_schema("pk", "l")
    assert by_l["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert by_l["IndexArn"] == f"{table['TableArn']}/index/by_l"
    assert "IndexStatus" not in by_l
    assert "ProvisionedThroughput" not in by_l


# API_TableDescription, BillingModeSummary: tables that were never on demand have none.
def test_a_provisioned_table_has_no_billing_summary(boto: Any) -> None:
    request = declaration(BillingMode=None, ProvisionedThroughput=UNITS)
    table = boto.create_table(**request)["TableDescription"]
    boto.delete_table(TableName=request["TableName"])
    assert "BillingModeSummary" not in table


# API_TableDescription, LatestStreamArn and LatestStreamLabel: the label is a time stamp.
def test_an_enabled_stream_has_a_label_and_an_arn(boto: Any) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    request = declaration(StreamSpecification=stream)
    table = boto.create_table(**request)["TableDescription"]
    boto.delete_table(TableName=request["TableName"])
    assert table["StreamSpecification"] == stream
    label = table["LatestStreamLabel"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}", label)
    assert table["LatestStreamArn"].endswith(f"/stream/{label}")


# API_TableDescription, TableClassSummary and DeletionProtectionEnabled.
def test_class_and_protection_are_described(boto: Any) -> None:
    request = declaration(TableClass="STANDARD_INFREQUENT_ACCESS", DeletionProtectionEnabled=True)
    table = boto.create_table(**request)["TableDescription"]
    boto.update_table(TableName=request["TableName"], DeletionProtectionEnabled=False)
    boto.delete_table(TableName=request["TableName"])
    assert table["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert table["DeletionProtectionEnabled"] is True


# API_CreateTable, Errors: ResourceInUseException if you "recreate an existing table".
def test_a_name_is_taken_once(boto: Any, plain: str) -> None:
    with refused("ResourceInUseException"):
        boto.create_table(**declaration(TableName=plain))


# Constraints, "Table names": case matters, and the dot and dash are letters like others.
def test_names_that_differ_in_case_are_different(boto: Any, new_table: Any) -> None:
    name = f"Conf.ormance-{uuid.uuid4().hex}_X"
    new_table("pk", TableName=name)
    new_table("pk", TableName=name.lower())
    boto.put_item(TableName=name, Item={"pk": {"S": "a"}})
    assert boto.scan(TableName=name.lower())["Count"] == 0


# Multi-attribute keys aside, an index may use the key of its table, in any role, and several
# indexes may share an attribute. GSI, "Attribute projections" and "Keys".
def test_an_index_may_turn_the_tables_key_around(boto: Any, new_table: Any) -> None:
    name = new_table(
        "pk",
        "sk",
        GlobalSecondaryIndexes=[
            index("turned", ["sk", "pk"], "ALL"),
            index("same", ["pk", "sk"], "KEYS_ONLY"),
        ],
    )
    boto.put_item(TableName=name, Item={"pk": {"S": "a"}, "sk": {"S": "z"}})
    reply = boto.query(
        TableName=name,
        IndexName="turned",
        KeyConditionExpression="sk = :z",
        ExpressionAttributeValues={":z": {"S": "z"}},
    )
    assert reply["Items"] == [{"pk": {"S": "a"}, "sk": {"S": "z"}}]
