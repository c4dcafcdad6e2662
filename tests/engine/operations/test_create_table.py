"""CreateTable: invalid requests, and the reply."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ResourceInUse, SerializationError, ValidationError

UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}
ALL = {"ProjectionType": "ALL"}
INVALID = "One or more parameter values were invalid: "


def definitions(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def key(*names: str) -> list[dict[str, str]]:
    kinds = ("HASH", "RANGE", "RANGE")
    return [{"AttributeName": n, "KeyType": k} for n, k in zip(names, kinds, strict=False)]


def index(name: str, *keys: str, **more: Any) -> dict[str, Any]:
    return {"IndexName": name, "KeySchema": key(*keys), "Projection": ALL} | more


def table(**changes: Any) -> dict[str, Any]:
    """An on-demand table of `pk` and `sk` with these changes; None removes a field."""
    request: dict[str, Any] = {
        "TableName": "Music",
        "AttributeDefinitions": definitions("pk", "sk"),
        "KeySchema": key("pk", "sk"),
        "BillingMode": "PAY_PER_REQUEST",
    }
    request |= changes
    return {name: value for name, value in request.items() if value is not None}


def create(database: Database, **changes: Any) -> dict[str, Any]:
    description: dict[str, Any] = database.call("CreateTable", table(**changes))["TableDescription"]
    return description


def refusal(database: Database, **changes: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        create(database, **changes)
    assert database.call("ListTables", {})["TableNames"] == []
    return caught.value.message


# Shape.


def test_wrong_types_are_serialization_errors(database: Database) -> None:
    with pytest.raises(SerializationError):
        create(database, KeySchema="pk")


def test_the_name_is_required_and_bounded(database: Database) -> None:
    assert "The parameter 'TableName' is required" in refusal(database, TableName=None)
    assert "length greater than or equal to 3" in refusal(database, TableName="ab")
    assert "regular expression pattern" in refusal(database, TableName="a b c")


def test_missing_definitions_and_keys_are_reported_together(database: Database) -> None:
    message = refusal(database, AttributeDefinitions=None, KeySchema=None)
    assert message.startswith("2 validation errors detected: Value null at 'attributeDefinitions'")


def test_a_key_of_three_attributes_is_refused(database: Database) -> None:
    message = refusal(
        database, KeySchema=key("pk", "sk", "x"), AttributeDefinitions=definitions("pk", "sk", "x")
    )
    assert "at 'keySchema' failed to satisfy constraint: Member must have length less" in message


def test_choices_are_checked(database: Database) -> None:
    assert "enum value set: [PROVISIONED, PAY_PER_REQUEST]" in refusal(database, BillingMode="x")
    assert "enum value set: [B, N, S]" in refusal(
        database, AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "BOOL"}]
    )
    assert refusal(database, TableClass="COLD") == (
        "Invalid table-class parameter provided. Please try again with a valid table-class value: "
        "[STANDARD, STANDARD_INFREQUENT_ACCESS]."
    )


# AWS tells of global indexes before local ones, and of writing before reading.
def test_failures_come_in_the_order_of_aws(database: Database) -> None:
    message = refusal(
        database,
        LocalSecondaryIndexes=[index("l1", "pk", "sk")],
        GlobalSecondaryIndexes=[index("g1", "sk")],
    )
    short = "failed to satisfy constraint: Member must have length greater than or equal to 3"
    assert message == (
        f"2 validation errors detected: Value 'g1' at 'globalSecondaryIndexes.1.member.indexName' "
        f"{short}; Value 'l1' at 'localSecondaryIndexes.1.member.indexName' {short}"
    )
    low = "failed to satisfy constraint: Member must have value greater than or equal to 1"
    units = {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    assert refusal(database, ProvisionedThroughput=units) == (
        f"2 validation errors detected: Value '0' at 'provisionedThroughput.writeCapacityUnits' "
        f"{low}; Value '0' at 'provisionedThroughput.readCapacityUnits' {low}"
    )


# Keys and definitions.


def test_a_key_attribute_must_be_defined(database: Database) -> None:
    assert "Some index key attribute have no definition" in refusal(
        database, AttributeDefinitions=definitions("pk")
    )


def test_the_partition_key_comes_first(database: Database) -> None:
    assert "first KeySchemaElement is not a HASH" in refusal(
        database, KeySchema=[*reversed(key("pk", "sk"))]
    )


def test_the_second_attribute_must_be_a_sort_key(database: Database) -> None:
    both = [{"AttributeName": name, "KeyType": "HASH"} for name in ("pk", "sk")]
    assert "second KeySchemaElement is not a RANGE" in refusal(database, KeySchema=both)


def test_both_key_attributes_must_differ(database: Database) -> None:
    assert "have the same name" in refusal(database, KeySchema=key("pk", "pk"))
    assert "Some index key attribute have no definition" in refusal(
        database, KeySchema=key("pk", "pk"), AttributeDefinitions=definitions("pk")
    )


def test_definitions_beyond_the_key_are_refused(database: Database) -> None:
    assert "does not exactly match number of attributes" in refusal(
        database, AttributeDefinitions=definitions("pk", "sk", "x")
    )


def test_definitions_that_no_index_uses_are_refused(database: Database) -> None:
    message = refusal(
        database,
        AttributeDefinitions=definitions("pk", "sk", "x"),
        GlobalSecondaryIndexes=[index("inverse", "sk", "pk")],
    )
    assert "Some AttributeDefinitions are not used" in message
    assert "AttributeDefinitions: [sk, x, pk], keys used: [sk, pk]" in message


# Lists of names that AWS has answered with: names as they were given, then as it prints them.
@pytest.mark.parametrize(
    ("defined", "keys", "words"),
    [
        (
            ("my-string", "my-int", "my-hash"),
            ("my-hash", "my-string"),
            "[my-string, my-int, my-hash], keys used: [my-hash, my-string]",
        ),
        (
            ("requestId", "from", "to", "message", "date"),
            ("requestId", "from", "to"),
            "[date, from, to, message, requestId], keys used: [requestId, from, to]",
        ),
        (("pk", "sk", "a", "b", "c"), ("pk", "sk", "a"), "[sk, a, b, pk, c], keys used: [a, sk, "),
    ],
    ids=["three", "five", "short"],
)
def test_names_are_listed_in_the_order_of_a_set(
    database: Database, defined: tuple[str, ...], keys: tuple[str, ...], words: str
) -> None:
    message = refusal(
        database,
        AttributeDefinitions=definitions(*defined),
        KeySchema=key(keys[0]),
        GlobalSecondaryIndexes=[index("other", *keys[1:])],
    )
    assert words in message


def test_definitions_come_before_the_rest_of_an_index(database: Database) -> None:
    bad = index("by-x", "sk", Projection={"ProjectionType": "INCLUDE"})
    changes = {"GlobalSecondaryIndexes": [bad, bad]}
    unused = definitions("pk", "sk", "x")
    assert "are not used" in refusal(database, AttributeDefinitions=unused, **changes)
    assert "NonKeyAttributes is not specified" in refusal(database, **changes)


def test_names_are_compared_before_kinds(database: Database) -> None:
    both = [{"AttributeName": "pk", "KeyType": "HASH"}] * 2
    assert "have the same name" in refusal(database, KeySchema=both)


def test_an_attribute_that_is_misspelt_is_named(database: Database) -> None:
    message = refusal(database, KeySchema=key("PK"), AttributeDefinitions=definitions("pk"))
    assert message.endswith(
        "are not defined in AttributeDefinitions. Keys: [PK], AttributeDefinitions: [pk]"
    )
    none = refusal(database, KeySchema=key("pk"), AttributeDefinitions=[])
    assert none == "Invalid KeySchema: Some index key attribute have no definition"


@pytest.mark.parametrize("changes", [{}, {"GlobalSecondaryIndexes": [index("by-x", "x")]}])
def test_a_definition_given_twice_is_refused(database: Database, changes: dict[str, Any]) -> None:
    twice = [*definitions("pk", "sk", "x"), {"AttributeName": "x", "AttributeType": "N"}]
    message = refusal(database, AttributeDefinitions=twice, **changes)
    assert message == "Attribute Name is duplicated: x"


# Throughput.


def test_on_demand_tables_take_no_throughput(database: Database) -> None:
    assert "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified" in refusal(
        database, ProvisionedThroughput=UNITS
    )


@pytest.mark.parametrize("mode", [None, "PROVISIONED"])
def test_provisioned_tables_need_throughput(database: Database, mode: str | None) -> None:
    assert "must both be specified when BillingMode is PROVISIONED" in refusal(
        database, BillingMode=mode
    )


def test_absurd_throughput_is_out_of_bounds(database: Database) -> None:
    units = {"ReadCapacityUnits": 1_000_000_000_001, "WriteCapacityUnits": 1}
    assert "1000000000001 for ReadCapacityUnits is out of bounds" in refusal(
        database, BillingMode=None, ProvisionedThroughput=units
    )


def test_throughput_of_global_indexes_follows_the_billing_mode(database: Database) -> None:
    with_units = index("inverse", "sk", "pk", ProvisionedThroughput=UNITS)
    assert "should not be specified for index: inverse" in refusal(
        database, GlobalSecondaryIndexes=[with_units]
    )
    without = [index("inverse", "sk", "pk"), index("other", "sk")]
    assert "ProvisionedThroughput is not specified for index: inverse,other" in refusal(
        database, BillingMode=None, ProvisionedThroughput=UNITS, GlobalSecondaryIndexes=without
    )


def test_on_demand_bounds_need_an_on_demand_table_and_a_sensible_value(database: Database) -> None:
    bounds = {"MaxReadRequestUnits": 5}
    provisioned: dict[str, Any] = {"BillingMode": None, "ProvisionedThroughput": UNITS}
    assert refusal(database, **provisioned, OnDemandThroughput=bounds) == (
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when table "
        "BillingMode is PROVISIONED."
    )
    declared = index("inverse", "sk", ProvisionedThroughput=UNITS, OnDemandThroughput=bounds)
    assert refusal(database, **provisioned, GlobalSecondaryIndexes=[declared]) == (
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput for index: inverse cannot be "
        "specified when table BillingMode is PROVISIONED."
    )
    for units in (0, -1, -2):
        bad = {"MaxWriteRequestUnits": units}
        assert refusal(database, OnDemandThroughput=bad) == (
            f"{INVALID}Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside "
            "of valid range"
        )
        declared = index("inverse", "sk", OnDemandThroughput=bad)
        assert refusal(database, GlobalSecondaryIndexes=[declared]) == (
            f"{INVALID}Requested MaxWriteRequestUnits for OnDemandThroughput for index : inverse "
            "is outside of valid range"
        )
    assert create(database, OnDemandThroughput=bounds)["OnDemandThroughput"] == bounds


def test_a_table_is_born_as_warm_as_it_is_anyway_or_warmer(database: Database) -> None:
    cool = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 3_999}
    assert refusal(database, WarmThroughput=cool).startswith(
        f"{INVALID}Requested WriteUnitsPerSecond for WarmThroughput for table is lower than "
        "initial throughput for OnDemand. See: https://docs.aws.amazon.com/"
    )
    assert "for index inverse is lower than initial throughput" in refusal(
        database, GlobalSecondaryIndexes=[index("inverse", "sk", WarmThroughput=cool)]
    )
    few = {"ReadUnitsPerSecond": 0}
    assert refusal(database, BillingMode=None, ProvisionedThroughput=UNITS, WarmThroughput=few) == (
        f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than "
        "ReadCapacityUnits of ProvisionedThroughput"
    )
    create(database, WarmThroughput={"ReadUnitsPerSecond": 13_000}, OnDemandThroughput={})
    described = database.call("DescribeTable", {"TableName": "Music"})["Table"]
    assert described["WarmThroughput"] == {
        "ReadUnitsPerSecond": 13_000,
        "WriteUnitsPerSecond": 4_000,
        "Status": "ACTIVE",
    }
    assert "OnDemandThroughput" not in described


# Indexes.


@pytest.mark.parametrize("kind", ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"])
def test_a_list_of_indexes_is_not_empty(database: Database, kind: str) -> None:
    assert f"List of {kind} is empty" in refusal(database, **{kind: []})


@pytest.mark.parametrize("kind", ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"])
def test_index_keys_must_be_defined(database: Database, kind: str) -> None:
    message = refusal(database, **{kind: [index("by-x", "pk", "x")]})
    assert "Keys: [x, pk], AttributeDefinitions: [sk, pk]" in message


def test_index_names_are_unique_across_kinds(database: Database) -> None:
    message = refusal(
        database,
        LocalSecondaryIndexes=[index("same", "pk", "sk")],
        GlobalSecondaryIndexes=[index("same", "sk")],
    )
    assert "Duplicate index name: same" in message


def test_local_indexes_need_a_sort_key_in_the_table(database: Database) -> None:
    message = refusal(
        database,
        KeySchema=key("pk"),
        LocalSecondaryIndexes=[index("local", "pk", "sk")],
    )
    assert "Table KeySchema does not have a range key" in message


def test_local_indexes_need_a_sort_key_of_their_own(database: Database) -> None:
    assert "does not have a range key for index: local" in refusal(
        database, LocalSecondaryIndexes=[index("local", "pk")]
    )
    # AWS misses the sort key before it compares partition keys.
    assert "does not have a range key for index: local" in refusal(
        database, LocalSecondaryIndexes=[index("local", "sk")]
    )


def test_local_indexes_share_the_tables_partition_key(database: Database) -> None:
    assert "index hash key: sk, table hash key: pk" in refusal(
        database, LocalSecondaryIndexes=[index("local", "sk", "pk")]
    )


@pytest.mark.parametrize(
    ("projection", "words"),
    [
        ({}, "Unknown ProjectionType: null"),
        ({"ProjectionType": "INCLUDE"}, "INCLUDE, but NonKeyAttributes is not specified"),
        ({"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}, "ALL, but NonKeyAttributes is"),
        ({"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["a"]}, "KEYS_ONLY, but NonKey"),
        (
            {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b", "b"]},
            "values were invalid: Duplicate element in NonKeyAttributes: b",
        ),
        ({"ProjectionType": "INCLUDE", "NonKeyAttributes": []}, "greater than or equal to 1"),
        (
            {"ProjectionType": "INCLUDE", "NonKeyAttributes": [f"a{n}" for n in range(21)]},
            "less than or equal to 20",
        ),
        ({"ProjectionType": "SOME"}, "enum value set: [ALL, INCLUDE, KEYS_ONLY]"),
    ],
)
@pytest.mark.parametrize("kind", ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"])
def test_projections_must_make_sense(
    database: Database, kind: str, projection: dict[str, Any], words: str
) -> None:
    declared = index("by-sk", "pk", "sk", Projection=projection)
    assert words in refusal(database, **{kind: [declared]})


def test_the_number_of_indexes_is_limited(database: Database) -> None:
    many = [index(f"index{n}", "sk", "pk") for n in range(21)]
    assert "exceeds the per-table limit of 20" in refusal(database, GlobalSecondaryIndexes=many)
    local = [index(f"index{n}", "pk", "sk") for n in range(6)]
    assert "per-table limit of 5" in refusal(database, LocalSecondaryIndexes=local)


def test_a_hundred_attributes_may_be_projected_into_all_indexes(database: Database) -> None:
    def including(count: int) -> list[dict[str, Any]]:
        projection = {
            "ProjectionType": "INCLUDE",
            "NonKeyAttributes": [f"a{n}" for n in range(20)],
        }
        return [index(f"index{n}", "sk", Projection=projection) for n in range(count)]

    assert "per-table limit of 100" in refusal(database, GlobalSecondaryIndexes=including(6))
    assert create(database, GlobalSecondaryIndexes=including(5))


# Other settings.


def test_a_stream_says_what_it_holds_exactly_when_it_is_enabled(database: Database) -> None:
    assert refusal(database, StreamSpecification={"StreamEnabled": True}) == (
        f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required"
    )
    disabled = {"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"}
    assert refusal(database, StreamSpecification=disabled) == (
        f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be "
        "specified"
    )
    described = create(database, StreamSpecification={"StreamEnabled": False})
    assert "StreamSpecification" not in described
    assert "LatestStreamArn" not in described


def test_an_enabled_stream_has_a_label_and_an_arn(database: Database) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    described = create(database, StreamSpecification=stream)
    assert described["StreamSpecification"] == stream
    label = described["LatestStreamLabel"]
    assert described["LatestStreamArn"] == f"{described['TableArn']}/stream/{label}"


def test_the_key_of_an_encryption_has_a_name(database: Database) -> None:
    assert "at 'sSESpecification.kMSMasterKeyId'" in refusal(
        database, SSESpecification={"Enabled": True, "KMSMasterKeyId": ""}
    )


@pytest.mark.parametrize(
    ("encryption", "words"),
    [
        ({"Enabled": False, "SSEType": "KMS"}, "SSEType can not be specified if Enabled is false"),
        (
            {"Enabled": False, "KMSMasterKeyId": "alias/mine"},
            "KMSMasterKeyId can not be specified if Enabled is false",
        ),
        (
            {"Enabled": True, "KMSMasterKeyId": "alias/mine"},
            "SSEType KMS is required if KMSMasterKeyId is specified",
        ),
        ({"Enabled": True, "SSEType": "AES256"}, "SSEType AES256 is not supported"),
    ],
    ids=["type", "key", "no type", "other type"],
)
def test_the_members_of_an_encryption_must_agree(
    database: Database, encryption: dict[str, Any], words: str
) -> None:
    assert refusal(database, SSESpecification=encryption) == f"{INVALID}{words}"


@pytest.mark.parametrize(
    ("encryption", "is_on"),
    [
        ({}, False),
        ({"Enabled": False}, False),
        ({"Enabled": True}, True),
        ({"SSEType": "KMS"}, True),
    ],
    ids=str,
)
def test_a_type_alone_turns_encryption_on(
    database: Database, encryption: dict[str, Any], is_on: bool
) -> None:
    assert ("SSEDescription" in create(database, SSESpecification=encryption)) is is_on


def test_bad_tags_are_refused(database: Database) -> None:
    twice = [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]
    assert "Duplicate" in refusal(database, Tags=twice)
    assert "aws:" in refusal(database, Tags=[{"Key": "aws:a", "Value": "1"}])
    assert "Number of Tags exceed the current limit" in refusal(
        database, Tags=[{"Key": f"{n}", "Value": "1"} for n in range(51)]
    )
    assert "The Tag Value provided is invalid, Value: null" in refusal(
        database, Tags=[{"Key": "a"}]
    )
    assert create(database, Tags=[{"Key": "a", "Value": ""}])


def test_encryption_and_class_are_described_only_when_given(database: Database) -> None:
    plain = create(database)
    assert "SSEDescription" not in plain
    assert "TableClassSummary" not in plain
    described = create(
        database,
        TableName="Secret",
        SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/mine"},
        TableClass="STANDARD_INFREQUENT_ACCESS",
    )
    assert described["SSEDescription"] == {
        "Status": "ENABLED",
        "SSEType": "KMS",
        "KMSMasterKeyArn": "arn:aws:kms:us-east-1:123456789012:alias/mine",
    }
    assert described["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}


def test_what_the_request_says_beyond_its_shape_is_not_kept(database: Database) -> None:
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE", "Nonsense": deep}
    assert "Nonsense" not in create(database, StreamSpecification=stream)["StreamSpecification"]


# Behaviour.


def test_the_reply_describes_an_on_demand_table_being_created(database: Database) -> None:
    described = create(database)
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/Music"
    assert described.pop("CreationDateTime") > 0
    assert len(described.pop("TableId")) == 36
    assert described == {
        "AttributeDefinitions": definitions("pk", "sk"),
        "TableName": "Music",
        "KeySchema": key("pk", "sk"),
        "TableStatus": "CREATING",
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": 0,
            "WriteCapacityUnits": 0,
        },
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "TableArn": arn,
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "DeletionProtectionEnabled": False,
    }


def test_the_reply_has_warm_throughput_if_the_request_sets_it(database: Database) -> None:
    described = create(
        database,
        WarmThroughput={"ReadUnitsPerSecond": 12_001},
        GlobalSecondaryIndexes=[index("inverse", "sk")],
    )
    assert described["WarmThroughput"] == {
        "ReadUnitsPerSecond": 12_001,
        "WriteUnitsPerSecond": 4_000,
        "Status": "UPDATING",
    }
    assert "WarmThroughput" not in described["GlobalSecondaryIndexes"][0]


def test_attributes_are_described_by_name_and_indexes_as_given(database: Database) -> None:
    include = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["zz", "aa", "mm"]}
    described = create(
        database,
        AttributeDefinitions=definitions("z", "a", "sk", "pk"),
        GlobalSecondaryIndexes=[index("by-z", "z", Projection=include), index("by-a", "a")],
    )
    assert described["AttributeDefinitions"] == definitions("a", "pk", "sk", "z")
    first, second = described["GlobalSecondaryIndexes"]
    assert (first["IndexName"], second["IndexName"]) == ("by-z", "by-a")
    assert first["Projection"]["NonKeyAttributes"] == ["aa", "mm", "zz"]


def test_a_table_that_was_never_on_demand_has_no_billing_summary(database: Database) -> None:
    described = create(database, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS)
    assert "BillingModeSummary" not in described
    assert described["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0} | UNITS


def test_the_reply_describes_indexes_being_created(database: Database) -> None:
    include = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a"]}
    described = create(
        database,
        LocalSecondaryIndexes=[index("local", "pk", "sk", Projection=include)],
        GlobalSecondaryIndexes=[index("inverse", "sk", "pk")],
    )
    arn = f"{described['TableArn']}/index"
    assert described["LocalSecondaryIndexes"] == [
        {
            "IndexName": "local",
            "KeySchema": key("pk", "sk"),
            "Projection": include,
            "IndexSizeBytes": 0,
            "ItemCount": 0,
            "IndexArn": f"{arn}/local",
        }
    ]
    [inverse] = described["GlobalSecondaryIndexes"]
    assert inverse["IndexStatus"] == "CREATING"
    assert "Backfilling" not in inverse
    assert inverse["IndexArn"] == f"{arn}/inverse"
    assert inverse["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


def test_a_name_is_taken_once(database: Database) -> None:
    create(database)
    with pytest.raises(ResourceInUse, match="Table already exists: Music"):
        create(database)
