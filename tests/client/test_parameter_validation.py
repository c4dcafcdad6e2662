"""The client rejects the parameters that boto3 rejects, with botocore's class and message."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import boto3
import botocore.session
import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError
from botocore.exceptions import ParamValidationError as TheirError
from botocore.validate import validate_parameters

from tablewright.client.client import STREAMS_METHODS, Client
from tablewright.client.client_errors import ParamValidationError
from tablewright.engine.operations import NAMES, find_operation
from tablewright.engine.requests.shapes import List, Map, Shape, Structure

KEY: Final = {"pk": {"S": "a"}}
ITEM: Final = {"TableName": "Journal", "Item": KEY}
CHECK: Final = {"TableName": "Journal", "Key": KEY, "ConditionExpression": "pk = pk"}

BAD_CALLS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("put_item", ITEM | {"ConditionExpresion": "attribute_not_exists(pk)"}),
    ("put_item", ITEM | {"conditionExpression": "x", "Table": 1}),
    ("put_item", {}),
    ("put_item", {"TableName": "Journal"}),
    ("put_item", ITEM | {"ReturnValues": 1}),
    ("put_item", ITEM | {"TableName": None}),
    ("put_item", ITEM | {"TableName": ""}),
    ("put_item", ITEM | {"Item": {"pk": "a"}}),
    ("put_item", ITEM | {"Item": {"pk": {"X": "a"}}}),
    ("put_item", ITEM | {"Item": {"pk": {"S": "a"}, "n": {"N": 1}}}),
    ("put_item", ITEM | {"Item": {"pk": {"S": b"a"}, "n": {"SS": {"a"}}, "b": {"BS": {b"a"}}}}),
    ("put_item", ITEM | {"Item": {"pk": {"S": "a"}, "n": {"L": [{"M": {"x": {"Y": 1}}}]}}}),
    ("put_item", ITEM | {"Item": {"pk": {"S": "a"}, "n": {"L": {}}, "m": {"M": []}}}),
    ("put_item", ITEM | {"Item": {"pk": {"B": 1}, "n": {"BOOL": "true"}, "o": {"NULL": 1}}}),
    ("put_item", ITEM | {"Item": {1: {"S": "a"}}}),
    ("put_item", ITEM | {"Item": [KEY]}),
    ("put_item", ITEM | {"Expected": {"pk": {"Exist": False}}}),
    ("get_item", {"TableName": "Journal", "Key": KEY, "ConsistentRead": "yes"}),
    ("get_item", {"TableName": "Journal", "Key": {"pk": {"S": None}}}),
    ("get_item", {"TableName": "Journal", "Item": KEY}),
    ("get_item", {"TableName": "Journal", "Key": KEY, "AttributesToGet": []}),
    ("query", {"TableName": "Journal", "Limit": "1", "KeyConditionExpression": 1}),
    ("query", {"TableName": "Journal", "IndexName": "x", "KeyCondition": "pk = :a"}),
    ("scan", {"TableName": "Journal", "Limit": 0, "Segment": -1}),
    ("update_item", CHECK | {"UpdateExpresion": "SET a = :a"}),
    ("batch_get_item", {"RequestItems": {"Journal": {"Key": [KEY]}}}),
    ("batch_write_item", {"RequestItems": {"Journal": [{"PutRequest": {"Key": KEY}}]}}),
    ("batch_write_item", {"RequestItems": {"Journal": {}}}),
    ("batch_write_item", {"RequestItems": {}, "Items": []}),
    ("transact_write_items", {"TransactItems": [{"Check": CHECK}]}),
    ("transact_write_items", {"TransactItems": [{"ConditionCheck": CHECK | {"Keys": KEY}}]}),
    ("transact_write_items", {"TransactItems": [{"ConditionCheck": {}}], "ClientToken": "x"}),
    ("transact_write_items", {"TransactItems": []}),
    ("transact_get_items", {"TransactItems": [{"Get": {"TableName": "Journal", "Item": KEY}}]}),
    ("create_table", {"AttributeDefinitions": [], "KeySchema": [{"AttributeName": "pk"}]}),
    (
        "create_table",
        {
            "TableName": "Journal",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": 1}],
            "KeySchema": [{"AttributeName": "", "KeyTypes": "HASH", "KeyType": "HASH"}],
            "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": "1"},
        },
    ),
    ("update_table", {"TableName": "Journal", "GlobalSecondaryIndexUpdates": [{"Drop": {}}]}),
    ("update_time_to_live", {"TableName": "Journal", "TimeToLiveSpecification": {"Enabled": 1}}),
    ("list_tables", {"Limit": 0, "ExclusiveStartTableName": "ab"}),
    ("list_backups", {"TimeRangeLowerBound": []}),
    ("execute_statement", {"Statement": "", "Parameters": ["a"]}),
    ("describe_limits", {"TableName": "Journal"}),
    ("tag_resource", {"ResourceArn": "arn", "Tags": {"a": "b"}}),
]
GOOD_CALLS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("put_item", ITEM),
    ("put_item", ITEM | {"Item": KEY | {"a": {"L": ({"S": "x"},)}, "b": {"BS": (b"x", "y")}}}),
    ("put_item", ITEM | {"Expected": {"pk": {"Exists": False}}}),
    ("get_item", {"TableName": "Journal", "Key": KEY, "AttributesToGet": ("pk",)}),
    ("transact_write_items", {"TransactItems": [{"ConditionCheck": CHECK}]}),
    ("batch_write_item", {"RequestItems": {"Journal": [{"PutRequest": {"Item": KEY}}]}}),
    ("query", {"TableName": "Journal", "Limit": True}),
    ("list_backups", {"TimeRangeLowerBound": datetime(2026, 1, 1, tzinfo=UTC)}),
    ("list_backups", {"TimeRangeLowerBound": 1.5}),
    ("describe_limits", {}),
]

# Members of botocore's model for what the engine does not have; the client rejects them.
UNSUPPORTED: Final = {
    "CreateTable": {"VectorIndexes", "GlobalTableSettingsReplicationMode", "GlobalTableSourceArn"},
    "RestoreTableFromBackup": {"VectorIndexOverride"},
    "RestoreTableToPointInTime": {"VectorIndexOverride"},
    "UpdateTable": {
        "DisassociationProtectionEnabled",
        "GlobalTableSettingsReplicationMode",
        "GlobalTableWitnessUpdates",
        "MultiRegionConsistency",
        "ReplicaUpdates",
        "VectorIndexUpdates",
    },
}
# Where the required members differ: a table with vector indexes only has no key schema, and for
# tags without a key or value the engine has AWS's own message.
REQUIRED_DIFFERENTLY: Final = {
    "CreateTable": {"AttributeDefinitions", "KeySchema"},
    "CreateTable.Tags[]": {"Key", "Value"},
    "TagResource.Tags[]": {"Key", "Value"},
}


@pytest.fixture
def client(database: Any) -> Client:
    return Client(database)


@pytest.fixture(scope="module")
def boto3_client() -> Iterator[Any]:
    """A boto3 client that validates its parameters and never sends anything."""
    created = boto3.client(
        "dynamodb", "us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
    )

    def answer(request: Any, **_: Any) -> AWSResponse:
        return AWSResponse(request.url, 200, {}, _Body())  # type: ignore[arg-type]

    created.meta.events.register("before-send.dynamodb", answer)
    yield created
    created.close()


class _Body(io.BytesIO):
    """The body of an empty answer, as urllib3 streams it."""

    def stream(self) -> Iterator[bytes]:
        yield b"{}"


def _sorted_message(error: BaseException) -> list[str]:
    """The lines of a message in one order: the shapes have another order than botocore's model."""
    return sorted(
        re.sub(r"(?<=must be one of: ).*", lambda names: _sorted_names(names[0]), line)
        for line in str(error).splitlines()
    )


def _sorted_names(names: str) -> str:
    return ", ".join(sorted(names.split(", ")))


def _message(client: Any, method: str, parameters: dict[str, Any]) -> list[str] | None:
    try:
        getattr(client, method)(**parameters)
    except TheirError as error:
        return _sorted_message(error)
    except ClientError:
        return None
    return None


@pytest.mark.parametrize(("method", "parameters"), BAD_CALLS)
def test_a_bad_call_has_botocore_s_message(
    client: Client, boto3_client: Any, method: str, parameters: dict[str, Any]
) -> None:
    theirs = _message(boto3_client, method, parameters)
    assert theirs is not None
    assert _message(client, method, parameters) == theirs


@pytest.mark.parametrize(("method", "parameters"), GOOD_CALLS)
def test_a_call_that_boto3_sends_reaches_the_engine(
    client: Client, boto3_client: Any, method: str, parameters: dict[str, Any]
) -> None:
    assert _message(boto3_client, method, parameters) is None
    assert _message(client, method, parameters) is None


def test_a_table_name_of_a_wrong_type_has_the_validators_message(client: Client) -> None:
    # boto3 resolves the endpoint of a table's ARN first, so only its validator has this message.
    parameters = ITEM | {"TableName": 1}
    model = botocore.session.get_session().get_service_model("dynamodb")
    shape = model.operation_model("PutItem").input_shape
    assert shape is not None
    with pytest.raises(TheirError) as theirs:
        validate_parameters(parameters, shape)
    assert _message(client, "put_item", parameters) == _sorted_message(theirs.value)


def test_a_misspelt_condition_overwrites_nothing(client: Client) -> None:
    client.create_table(
        TableName="Journal",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    first = KEY | {"text": {"S": "first"}}
    client.put_item(TableName="Journal", Item=first)
    with pytest.raises(TheirError, match='Unknown parameter in input: "ConditionExpresion"'):
        client.put_item(
            TableName="Journal", Item=KEY, ConditionExpresion="attribute_not_exists(pk)"
        )
    assert client.get_item(TableName="Journal", Key=KEY)["Item"] == first


def test_streams_paginators_and_waiters_reject_unknown_parameters_too(client: Client) -> None:
    with pytest.raises(TheirError, match="Unknown parameter"):
        client.streams.list_streams(Table="Journal")
    with pytest.raises(TheirError, match="Unknown parameter"):
        list(client.get_paginator("scan").paginate(TableName="Journal", Filter="x"))
    with pytest.raises(TheirError, match="Missing required parameter"):
        client.get_waiter("table_exists").wait()


def test_a_binary_value_may_also_be_a_memoryview_or_rejected_by_the_engine(client: Client) -> None:
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.put_item(TableName="Journal", Item={"pk": {"B": memoryview(b"a")}})
    with pytest.raises(ClientError, match="SerializationException"):
        client.put_item(TableName="Journal", Item={"pk": {"B": io.BytesIO(b"a")}})


def test_the_shapes_declare_botocore_s_members() -> None:
    session = botocore.session.get_session()
    models = {name: session.get_service_model(name) for name in ("dynamodb", "dynamodbstreams")}
    for operation in NAMES:
        is_stream = operation in STREAMS_METHODS.values()
        model = models["dynamodbstreams" if is_stream else "dynamodb"].operation_model(operation)
        _require_same(operation, find_operation(operation).shape, model.input_shape)


def _require_same(path: str, ours: Shape, theirs: Any) -> None:
    if isinstance(ours, List):
        _require_same(f"{path}[]", ours.of, theirs.member)
    elif isinstance(ours, Map):
        _require_same(f"{path}.*", ours.of, theirs.value)
    elif isinstance(ours, Structure):
        assert set(theirs.members) - set(ours.fields) == UNSUPPORTED.get(path, set()), path
        assert set(ours.fields) <= set(theirs.members), path
        required = {name for name, field in ours.fields.items() if field.required}
        differing = required ^ set(theirs.metadata.get("required", ()))
        assert differing == REQUIRED_DIFFERENTLY.get(path, set()), path
        for name, field in ours.fields.items():
            _require_same(f"{path}.{name}", field, theirs.members[name])


def test_without_botocore_the_error_has_the_same_name_and_text() -> None:
    ours, theirs = ParamValidationError(report="r"), TheirError(report="r")
    assert (type(ours).__name__, str(ours)) == (type(theirs).__name__, str(theirs))
    assert ours.kwargs == theirs.kwargs
    program = (
        "import sys; sys.modules['botocore'] = None\n"
        "import tablewright\n"
        "tablewright.connect('sqlite://:memory:').list_tables(Limits=1)"
    )
    command = [sys.executable, "-c", program]
    failed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert "client_errors.ParamValidationError: Parameter validation failed:" in failed.stderr
    assert 'Unknown parameter in input: "Limits", must be one of: ' in failed.stderr
