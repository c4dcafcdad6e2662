"""TagResource, UntagResource, ListTagsOfResource. DynamoDB Local has none of them.

Developer guide, "Tagging restrictions"; API reference of the three.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import AccessDenied, ResourceNotFound, ValidationError
from tests.engine.sample_tables import make_table

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/things"


@pytest.fixture
def database() -> Iterator[Database]:
    with Database.open() as opened:
        make_table(opened, Tags=[{"Key": "first", "Value": "1"}])
        yield opened
        assert opened.check() == []


def tag(database: Database, **tags: str) -> None:
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    database.call("TagResource", {"ResourceArn": ARN, "Tags": listed})


def tags(database: Database) -> dict[str, str]:
    results: dict[str, str] = {}
    more: dict[str, Any] = {}
    while True:
        page = database.call("ListTagsOfResource", {"ResourceArn": ARN, **more})
        assert len(page["Tags"]) <= 10
        results |= {tag["Key"]: tag["Value"] for tag in page["Tags"]}
        if "NextToken" not in page:
            return results
        more = {"NextToken": page["NextToken"]}


def test_tags_are_set_replaced_and_taken(database: Database) -> None:
    assert tags(database) == {"first": "1"}
    tag(database, second="2", first="new")
    assert tags(database) == {"first": "new", "second": "2"}
    database.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["first", "gone"]})
    assert tags(database) == {"second": "2"}


def test_tags_come_ten_at_a_time(database: Database) -> None:
    tag(database, **{f"k{number}": "v" for number in range(24)})
    assert len(tags(database)) == 25


def test_tables_of_another_account_are_not_ours_to_see(database: Database) -> None:
    with pytest.raises(AccessDenied):
        database.call("ListTagsOfResource", {"ResourceArn": ARN.replace("1234", "9876")})


def test_a_table_has_fifty_tags(database: Database) -> None:
    tag(database, **{f"k{number}": "v" for number in range(49)})
    full = "Number of Tags exceed the current limit for the provided ResourceArn"
    with pytest.raises(ValidationError, match=full):
        tag(database, another="v")
    assert len(tags(database)) == 50
    tag(database, k0="new")
    assert tags(database)["k0"] == "new"
    keys = [f"k{number}" for number in range(51)]
    with pytest.raises(ValidationError, match=full):
        database.call("UntagResource", {"ResourceArn": ARN, "TagKeys": keys})


@pytest.mark.parametrize("key", ["", "k" * 129, "a;b"])
def test_what_is_no_key_of_a_tag_is_not_taken(database: Database, key: str) -> None:
    with pytest.raises(ValidationError) as caught:
        database.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["first", key]})
    assert caught.value.message == f"The Tag Key provided is invalid, Key: {key}"
    assert tags(database) == {"first": "1"}


def test_a_token_that_is_none_is_ignored(database: Database) -> None:
    request = {"ResourceArn": ARN, "NextToken": "x"}
    assert len(database.call("ListTagsOfResource", request)["Tags"]) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "Atleast one Tag needs to be provided as Input."),
        ([{"Key": "", "Value": "x"}], "The Tag Key provided is invalid, Key: "),
        ([{}], "The Tag Key provided is invalid, Key: null"),
        (
            [{"Key": "k" * 129, "Value": "x"}],
            f"The Tag Key provided is invalid, Key: {'k' * 129}",
        ),
        (
            [{"Key": "k", "Value": "v" * 257}],
            f"The Tag Value provided is invalid, Value: {'v' * 257}",
        ),
        ([{"Key": "aws:k", "Value": "x"}], "Tag Key cannot be prefixed with aws:, Key: aws:k"),
        ([{"Key": "k"}], "The Tag Value provided is invalid, Value: null"),
        (
            [{"Key": "k", "Value": "1"}, {"Key": "k", "Value": "2"}],
            "Duplicate Tag Keys provided as input: Duplicate Tag Key found k",
        ),
        ([{"Key": "k", "Value": "<x>"}], "The Tag Value provided is invalid, Value: <x>"),
        ([{"Key": "a;b", "Value": "x"}], "The Tag Key provided is invalid, Key: a;b"),
    ],
    ids=str,
)
def test_what_is_no_tag_is_refused(database: Database, given: list[Any], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        database.call("TagResource", {"ResourceArn": ARN, "Tags": given})
    assert caught.value.message == words
    assert tags(database) == {"first": "1"}


@pytest.mark.parametrize("value", ["", "Zürich 9", "a+b-c=d._:/@"])
def test_letters_digits_spaces_and_some_signs_are_fine(database: Database, value: str) -> None:
    tag(database, key=value)
    assert tags(database)["key"] == value


def test_other_fields_of_a_tag_are_ignored(database: Database) -> None:
    more = {"Key": "k", "Value": "v", "Nonsense": {"deep": []}}
    database.call("TagResource", {"ResourceArn": ARN, "Tags": [more]})
    assert tags(database) == {"first": "1", "k": "v"}


def test_keys_to_take_must_be_named(database: Database) -> None:
    with pytest.raises(ValidationError, match="Atleast one Tag Key"):
        database.call("UntagResource", {"ResourceArn": ARN, "TagKeys": []})


@pytest.mark.parametrize("arn", ["things", "arn:aws:s3:::bucket", f"{ARN}/index/by_g", ""])
def test_what_is_no_arn_of_a_table_is_refused(database: Database, arn: str) -> None:
    with pytest.raises(ValidationError):
        database.call("ListTagsOfResource", {"ResourceArn": arn})


def test_the_arn_is_checked_before_the_tags(database: Database) -> None:
    for operation, more in (("TagResource", "Tags"), ("UntagResource", "TagKeys")):
        with pytest.raises(ValidationError, match="Invalid ResourceArn provided as input things"):
            database.call(operation, {"ResourceArn": "things", more: []})


def test_tables_of_another_region_are_no_resources(database: Database) -> None:
    arn = ARN.replace("us-east-1", "eu-west-1")
    with pytest.raises(ValidationError) as caught:
        database.call("ListTagsOfResource", {"ResourceArn": arn})
    assert caught.value.message == (
        f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"
    )


def test_tables_that_are_not_there_are_not_found(database: Database) -> None:
    for operation, more in (
        ("ListTagsOfResource", {}),
        ("TagResource", {"Tags": [{"Key": "k", "Value": "v"}]}),
        ("UntagResource", {"TagKeys": ["k"]}),
    ):
        with pytest.raises(ResourceNotFound, match="not found"):
            database.call(operation, {"ResourceArn": f"{ARN}x", **more})


def test_a_token_of_more_digits_than_any_number_has_is_ignored(database: Database) -> None:
    request = {"ResourceArn": ARN, "NextToken": "9" * 5000}
    assert database.call("ListTagsOfResource", request)["Tags"] == [{"Key": "first", "Value": "1"}]
