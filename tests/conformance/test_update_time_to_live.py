"""UpdateTimeToLive over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .calls import error_code, refused, without_metadata

ENABLED = {"Enabled": True, "AttributeName": "ttl"}
DISABLED = {"Enabled": False, "AttributeName": "ttl"}


# Serialization


# API_UpdateTimeToLive and API_TimeToLiveSpecification have the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("TableName", 5),
        ("TimeToLiveSpecification", "x"),
        ("TimeToLiveSpecification", {"Enabled": "maybe", "AttributeName": "ttl"}),
        ("TimeToLiveSpecification", {"Enabled": True, "AttributeName": 5}),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(
    post: Any, pk: str, member: str, value: Any
) -> None:
    request = {"TableName": pk, "TimeToLiveSpecification": ENABLED} | {member: value}
    assert error_code(post("UpdateTimeToLive", request)) == "SerializationException"


# Validation


# API_TimeToLiveSpecification: both members are required, the name has 1 to 255 characters.
@pytest.mark.parametrize(
    ("specification", "words"),
    [
        (None, "'timeToLiveSpecification'"),
        ({"AttributeName": "ttl"}, "'timeToLiveSpecification.enabled'"),
        ({"Enabled": True}, "'timeToLiveSpecification.attributeName'"),
        ({"Enabled": True, "AttributeName": ""}, "'timeToLiveSpecification.attributeName'"),
        ({"Enabled": True, "AttributeName": "a" * 256}, "'timeToLiveSpecification.attributeName'"),
    ],
    ids=["nothing", "no switch", "no name", "empty name", "long name"],
)
def test_a_specification_is_whole(boto: Any, plain: str, specification: Any, words: str) -> None:
    given = {} if specification is None else {"TimeToLiveSpecification": specification}
    with refused("ValidationException", words, "failed to satisfy constraint"):
        boto.update_time_to_live(TableName=plain, **given)


# Constraints, "Table names".
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a" * 256])
def test_a_bad_table_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.update_time_to_live(TableName=name, TimeToLiveSpecification=ENABLED)


# API_UpdateTimeToLive, Errors: ResourceNotFoundException.
def test_a_table_that_is_not_there_is_not_found(boto: Any, pk: str) -> None:
    with refused("ResourceNotFoundException"):
        boto.update_time_to_live(TableName=pk, TimeToLiveSpecification=ENABLED)


# What is off is not turned off: "TimeToLive is already disabled" is AWS's answer.
def test_what_is_disabled_is_not_disabled_again(boto: Any, new_table: Any) -> None:
    with refused("ValidationException", "TimeToLive is already disabled"):
        boto.update_time_to_live(TableName=new_table("pk"), TimeToLiveSpecification=DISABLED)


# Nor what is on turned on, and one attribute at a time: "TimeToLive is active on a different
# AttributeName" is AWS's answer.
def test_what_is_enabled_is_not_enabled_again(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    boto.update_time_to_live(TableName=name, TimeToLiveSpecification=ENABLED)
    with refused("ValidationException", "TimeToLive is already enabled"):
        boto.update_time_to_live(TableName=name, TimeToLiveSpecification=ENABLED)


# The same with another attribute, whether to enable or to disable it.
@pytest.mark.parametrize("enabled", [True, False])
def test_another_attribute_is_refused(boto: Any, new_table: Any, enabled: bool) -> None:
    name = new_table("pk")
    boto.update_time_to_live(TableName=name, TimeToLiveSpecification=ENABLED)
    with refused("ValidationException", "TimeToLive is active on a different AttributeName", "ttl"):
        boto.update_time_to_live(
            TableName=name,
            TimeToLiveSpecification={"Enabled": enabled, "AttributeName": "other"},
        )


# Behaviour


# API_UpdateTimeToLive, "Response Elements": the specification comes back.
def test_the_reply_is_the_specification(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    answer = boto.update_time_to_live(TableName=name, TimeToLiveSpecification=ENABLED)
    assert without_metadata(answer) == {"TimeToLiveSpecification": ENABLED}


# API_UpdateTimeToLive: "It can take up to one hour for the change to fully process. Any additional
# UpdateTimeToLive calls for the same table during this one hour duration result in a
# ValidationException": so not on AWS, but here and on DynamoDB Local.
def test_what_was_enabled_can_be_disabled(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    boto.update_time_to_live(TableName=name, TimeToLiveSpecification=ENABLED)
    answer = boto.update_time_to_live(TableName=name, TimeToLiveSpecification=DISABLED)
    assert answer["TimeToLiveSpecification"] == DISABLED
    other = {"Enabled": True, "AttributeName": "other"}
    boto.update_time_to_live(TableName=name, TimeToLiveSpecification=other)
    described = boto.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert described == {"TimeToLiveStatus": "ENABLED", "AttributeName": "other"}


# "Using time to live": an item may have any value there, or none; only numbers count.
def test_the_attribute_is_not_typed(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    boto.update_time_to_live(TableName=name, TimeToLiveSpecification=ENABLED)
    items = [
        {"pk": {"S": "text"}, "ttl": {"S": "1"}},
        {"pk": {"S": "none"}},
        {"pk": {"S": "future"}, "ttl": {"N": "99999999999"}},
    ]
    for item in items:
        boto.put_item(TableName=name, Item=item)
    assert boto.scan(TableName=name)["Count"] == 3


# API_UpdateTimeToLive, TableName: "You can also provide the Amazon Resource Name (ARN)".
def test_the_table_may_be_named_by_its_arn(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    arn = boto.describe_table(TableName=name)["Table"]["TableArn"]
    boto.update_time_to_live(TableName=arn, TimeToLiveSpecification=ENABLED)
    described = boto.describe_time_to_live(TableName=arn)["TimeToLiveDescription"]
    assert described["AttributeName"] == "ttl"
