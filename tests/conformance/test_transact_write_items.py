"""TransactWriteItems over HTTP."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import error_code, number, refused, text, without_metadata

NO_SUCH = "no-such-table-anywhere"
INDEX_KEY = "Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g"


def put(table: str, item: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": table, "Item": item, **more}}


def delete(table: str, key: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Delete": {"TableName": table, "Key": key, **more}}


def update(table: str, key: dict[str, Any], expression: str, **more: Any) -> dict[str, Any]:
    action = {"TableName": table, "Key": key, "UpdateExpression": expression, **more}
    return {"Update": action}


def check(table: str, key: dict[str, Any], condition: str, **more: Any) -> dict[str, Any]:
    action = {"TableName": table, "Key": key, "ConditionExpression": condition, **more}
    return {"ConditionCheck": action}


def write(boto: Any, *actions: dict[str, Any], **more: Any) -> Any:
    return boto.transact_write_items(TransactItems=list(actions), **more)


def cancelled(boto: Any, *actions: dict[str, Any], **more: Any) -> Any:
    """The reasons for which a transaction was cancelled."""
    with pytest.raises(ClientError) as caught:
        write(boto, *actions, **more)
    error = caught.value.response["Error"]
    assert error["Code"] == "TransactionCanceledException", error
    reasons = caught.value.response["CancellationReasons"]
    codes = ", ".join(reason["Code"] for reason in reasons)
    assert error["Message"].endswith(f"specific reasons [{codes}]")
    return reasons


def stored(boto: Any, table: str, key: dict[str, Any]) -> Any:
    """The stored item with this key, or None."""
    return boto.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


# Serialization


# API_TransactWriteItems and API_TransactWriteItem have the types.
@pytest.mark.parametrize(
    "items",
    [
        "x",
        {"x": 1},
        ["x"],
        [{"Put": "x"}],
        [{"Put": {"TableName": 5}}],
        [{"Put": {"Item": "x"}}],
        [{"Put": {"Item": {"pk": {"S": 5}}}}],
        [{"Delete": {"Key": ["x"]}}],
        [{"Update": {"UpdateExpression": 5}}],
        [{"ConditionCheck": {"ConditionExpression": {}}}],
        [{"Put": {"ExpressionAttributeNames": {"#a": 5}}}],
    ],
    ids=str,
)
def test_a_member_of_the_wrong_json_type_is_refused(post: Any, items: Any) -> None:
    answer = post("TransactWriteItems", {"TransactItems": items})
    assert error_code(answer) == "SerializationException"


# Validation


# API_TransactWriteItems, TransactItems: required, "Minimum number of 1 item. Maximum number of
# 100 items."
def test_there_are_1_to_100_actions(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException", "'transactItems'", "Member must not be null"):
        boto.transact_write_items()
    with refused("ValidationException", "'transactItems'", "length greater than or equal to 1"):
        write(boto)
    actions = [put(plain, {"pk": text(f"{pk}{n}")}) for n in range(101)]
    with refused("ValidationException", "Member must have length less than or equal to 100"):
        write(boto, *actions)
    write(boto, *actions[:100])
    assert stored(boto, plain, {"pk": text(f"{pk}99")}) is not None


# API_TransactWriteItem: one of four kinds of action.
def test_each_action_is_one_of_four(boto: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    with refused("ValidationException"):
        write(boto, {})
    with refused("ValidationException", "can only contain one of Check, Put, Update or Delete"):
        write(boto, put(plain, key) | delete(plain, key))


# API_Put, API_Update, API_Delete, API_ConditionCheck: what each requires.
@pytest.mark.parametrize(
    ("kind", "without"),
    [
        ("Put", "Item"),
        ("Put", "TableName"),
        ("Delete", "Key"),
        ("Update", "Key"),
        ("Update", "UpdateExpression"),
        ("ConditionCheck", "Key"),
        ("ConditionCheck", "ConditionExpression"),
    ],
)
def test_missing_parts_are_reported(
    boto: Any, plain: str, pk: str, kind: str, without: str
) -> None:
    key = {"pk": text(pk)}
    actions = {
        "Put": put(plain, key),
        "Delete": delete(plain, key),
        "Update": update(plain, key, "REMOVE a"),
        "ConditionCheck": check(plain, key, "attribute_exists(a)"),
    }
    action = actions[kind]
    del action[kind][without]
    member = without[0].lower() + without[1:]
    place = f"'transactItems.1.member.{kind[0].lower()}{kind[1:]}.{member}'"
    with refused("ValidationException", f"Value null at {place}", "Member must not be null"):
        write(boto, action)


# API_TransactWriteItems: "no two of them can operate on the same item"; numbers are the same by
# their value.
def test_an_item_is_in_one_action_only(boto: Any, plain: str, numbers: str, pk: str) -> None:
    words = "Transaction request cannot include multiple operations on one item"
    key = {"pk": text(pk)}
    with refused("ValidationException", words):
        write(boto, put(plain, key), delete(plain, key))
    with refused("ValidationException", words):
        write(boto, put(plain, key), check(plain, key, "attribute_exists(pk)"))
    items = [key | {"n": {"N": n}} for n in ("1", "1.0")]
    with refused("ValidationException", words):
        write(boto, *(put(numbers, item) for item in items))
    assert stored(boto, plain, key) is None


# API_TransactWriteItems, Errors: ResourceNotFoundException; nothing is written.
def test_a_missing_table_refuses_the_whole(boto: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    with refused("ResourceNotFoundException"):
        write(boto, put(plain, key), put(NO_SUCH, key))
    assert stored(boto, plain, key) is None


# A request that is wrong by itself is refused as a whole, before any table is looked at: "Error
# handling for writing" in "Amazon DynamoDB Transactions: How it works" keeps cancellations for
# what goes wrong with items.
@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"expression": "SET a = = :a"}, "Invalid UpdateExpression: Syntax error"),
        ({"expression": "SET a = :a"}, "attribute value: :a"),
        ({"expression": "SET size = a"}, "reserved keyword: size"),
        (
            {"expression": "REMOVE a", "ExpressionAttributeNames": {"#a": "a"}},
            "unused in expressions: keys: {#a}",
        ),
        (
            {"expression": "REMOVE a", "ConditionExpression": "a < b AND"},
            "Invalid ConditionExpression: Syntax error",
        ),
    ],
    ids=["syntax", "undefined", "reserved", "unused", "condition"],
)
def test_a_bad_expression_refuses_the_whole(
    boto: Any, plain: str, pk: str, more: dict[str, Any], words: str
) -> None:
    good = {"pk": text(pk)}
    bad = update(plain, {"pk": text(f"{pk}2")}, **more)
    with refused("ValidationException", words):
        write(boto, put(plain, good), bad)
    assert stored(boto, plain, good) is None


# AWS refuses them in PutItem and DeleteItem, but not here.
@pytest.mark.parametrize(
    "given",
    [{"ExpressionAttributeNames": {"#a": "a"}}, {"ExpressionAttributeValues": {":a": text("a")}}],
    ids=["names", "values"],
)
def test_placeholders_without_an_expression_are_ignored(
    boto: Any, plain: str, pk: str, given: dict[str, Any]
) -> None:
    key, other = {"pk": text(pk)}, {"pk": text(f"{pk}2")}
    boto.put_item(TableName=plain, Item=other)
    write(boto, put(plain, key, **given), delete(plain, other, **given))
    assert stored(boto, plain, key) == key
    assert stored(boto, plain, other) is None


# The same for values that are wrong in any table.
@pytest.mark.parametrize(
    "value", [{"N": "x"}, {"SS": []}, {"NS": ["1", "1"]}, {"NULL": False}], ids=str
)
def test_a_bad_value_refuses_the_whole(boto: Any, plain: str, pk: str, value: Any) -> None:
    good = {"pk": text(pk)}
    with refused("ValidationException"):
        write(boto, put(plain, good), put(plain, {"pk": text(f"{pk}2"), "a": value}))
    assert stored(boto, plain, good) is None


# API_TransactWriteItems: an item that is too large is refused.
def test_an_item_that_cannot_be_refuses_the_whole(boto: Any, pairs: str, pk: str) -> None:
    good = {"pk": text(pk), "sk": text("a")}
    with refused("ValidationException", "Item size has exceeded the maximum allowed size"):
        write(boto, put(pairs, good), put(pairs, good | {"sk": text("x" * 410_000)}))
    assert stored(boto, pairs, good) is None


# API_PutItem: a key is not empty, in a table and in its indexes. DynamoDB Local refuses the whole
# request, not its action.
@pytest.mark.parametrize("name", ["pk", "sk", "g"])
def test_an_empty_key_refuses_the_whole(boto: Any, indexed: str, pk: str, name: str) -> None:
    good = {"pk": text(pk), "sk": text("a")}
    bad = {"pk": text(pk), "sk": text("b"), name: text("")}
    with refused("ValidationException", "cannot contain an empty string value"):
        write(boto, put(indexed, good), put(indexed, bad))
    if name != "g":
        with refused("ValidationException", f"cannot contain an empty string value. Key: {name}"):
            write(boto, put(indexed, good), delete(indexed, bad))
    assert stored(boto, indexed, good) is None


# API_TransactWriteItems, ClientRequestToken: 1 to 36 characters.
@pytest.mark.parametrize("token", ["", "x" * 37], ids=["empty", "long"])
def test_a_token_has_1_to_36_characters(boto: Any, plain: str, pk: str, token: str) -> None:
    with refused("ValidationException", "clientRequestToken", "Member must have length"):
        write(boto, put(plain, {"pk": text(pk)}), ClientRequestToken=token)


# Behaviour


# API_TransactWriteItems: all four kinds, in several tables, at once.
def test_all_actions_happen(boto: Any, plain: str, pairs: str, pk: str) -> None:
    keys = [{"pk": text(f"{pk}{n}")} for n in range(4)]
    for key in keys[1:]:
        boto.put_item(TableName=plain, Item=key | {"a": number(1)})
    answer = write(
        boto,
        put(plain, keys[0] | {"a": number(0)}, ConditionExpression="attribute_not_exists(pk)"),
        update(
            plain,
            keys[1],
            "SET #a = #a + :one",
            ConditionExpression="#a = :one",
            ExpressionAttributeNames={"#a": "a"},
            ExpressionAttributeValues={":one": number(1)},
        ),
        delete(plain, keys[2], ConditionExpression="attribute_exists(pk)"),
        check(plain, keys[3], "a = :one", ExpressionAttributeValues={":one": number(1)}),
        put(pairs, {"pk": text(pk), "sk": text("a")}),
    )
    assert without_metadata(answer) == {}
    results = [stored(boto, plain, key) for key in keys]
    assert [item and item["a"]["N"] for item in results] == ["0", "2", None, "1"]
    assert stored(boto, pairs, {"pk": text(pk), "sk": text("a")}) is not None


# API_TransactWriteItems, TransactionCanceledException: a reason for each action, in order, "None"
# for those that could have happened; nothing is written.
def test_a_failed_condition_cancels_all(boto: Any, plain: str, pk: str) -> None:
    keys = [{"pk": text(f"{pk}{n}")} for n in range(4)]
    boto.put_item(TableName=plain, Item=keys[1] | {"a": number(1)})
    reasons = cancelled(
        boto,
        put(plain, keys[0]),
        check(plain, keys[1], "a > :two", ExpressionAttributeValues={":two": number(2)}),
        delete(plain, keys[2]),
        update(plain, keys[3], "REMOVE a", ConditionExpression="attribute_exists(pk)"),
    )
    failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    assert reasons == [{"Code": "None"}, failed, {"Code": "None"}, failed]
    assert stored(boto, plain, keys[0]) is None


# API_Put and the others, ReturnValuesOnConditionCheckFailure: the item comes with the reason, if
# there is one and it was asked for.
def test_a_reason_shows_the_item_if_asked(boto: Any, plain: str, pk: str) -> None:
    keys = [{"pk": text(f"{pk}{n}")} for n in range(3)]
    item = keys[0] | {"a": {"L": [number(1)]}}
    boto.put_item(TableName=plain, Item=item)
    boto.put_item(TableName=plain, Item=keys[1])
    show = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    reasons = cancelled(
        boto,
        check(plain, keys[0], "attribute_exists(nothing)", **show),
        check(plain, keys[1], "attribute_exists(nothing)"),
        check(plain, keys[2], "attribute_exists(nothing)", **show),
    )
    assert [reason["Code"] for reason in reasons] == ["ConditionalCheckFailed"] * 3
    assert [reason.get("Item") for reason in reasons] == [item, None, None]


# API_TransactWriteItems, ValidationError among the cancellation reasons: what goes wrong with an
# item as it is.
@pytest.mark.parametrize(
    ("expression", "value", "words"),
    [
        ("SET a = b", None, "refers to an attribute that does not exist in the item"),
        ("SET s = s + :v", number(1), "An operand in the update expression has an incorrect"),
        ("SET b.c = :v", number(1), "The document path provided in the update expression"),
        ("ADD s :v", number(1), "An operand in the update expression has an incorrect data type"),
        ("SET big = :v", text("x" * 409_590), "Item size to update has exceeded the maximum"),
        ("SET n = n + :v", {"N": "9.9E125"}, "Number overflow"),
    ],
    ids=["missing", "operand", "path", "add", "size", "overflow"],
)
def test_an_update_that_cannot_be_made_is_a_reason(
    boto: Any, plain: str, pk: str, expression: str, value: Any, words: str
) -> None:
    good, key = {"pk": text(f"{pk}-")}, {"pk": text(pk)}
    boto.put_item(TableName=plain, Item=key | {"s": text("x"), "n": {"N": "9.9E125"}})
    more = {} if value is None else {"ExpressionAttributeValues": {":v": value}}
    reasons = cancelled(boto, put(plain, good), update(plain, key, expression, **more))
    assert [reason["Code"] for reason in reasons] == ["None", "ValidationError"]
    assert words in reasons[1]["Message"]
    assert stored(boto, plain, good) is None


# The same for a key whose type is not the table's: "One or more parameter values were invalid" is
# among the documented messages of ValidationError. DynamoDB Local cancels for all four actions.
@pytest.mark.parametrize("sort", [{"sk": number(1)}, {}], ids=["type", "missing"])
def test_a_key_that_does_not_fit_cancels_the_transaction(
    boto: Any, pairs: str, pk: str, sort: dict[str, Any]
) -> None:
    good = {"pk": text(pk), "sk": text("a")}
    bad = {"pk": text(pk)} | sort
    for action in (
        put(pairs, bad),
        delete(pairs, bad),
        update(pairs, bad, "REMOVE a"),
        check(pairs, bad, "attribute_exists(pk)"),
    ):
        reasons = cancelled(boto, put(pairs, good), action)
        assert [reason["Code"] for reason in reasons] == ["None", "ValidationError"]
    assert stored(boto, pairs, good) is None


# So does a key that is not whole.
def test_a_key_that_lacks_something_cancels_all(boto: Any, pairs: str, pk: str) -> None:
    good, bad = {"pk": text(pk), "sk": text("a")}, {"pk": text(pk)}
    for action, words in (
        (put(pairs, bad), "Missing the key sk in the item"),
        (delete(pairs, bad), "The provided key element does not match the schema"),
    ):
        reasons = cancelled(boto, put(pairs, good), action)
        assert [reason["Code"] for reason in reasons] == ["None", "ValidationError"]
        assert words in reasons[1]["Message"]
    assert stored(boto, pairs, good) is None


# Actions are looked at in the order of the request, and of each its condition before its key.
def test_the_first_problem_of_the_first_action_is_reported(boto: Any, plain: str, pk: str) -> None:
    deep: dict[str, Any] = text("x")
    for _ in range(40):
        deep = {"M": {"a": deep}}
    too_deep = delete(plain, {"pk": deep})
    syntax = check(plain, {"pk": text(pk)}, "a = = b")
    with refused("ValidationException", "Nesting Levels have exceeded supported limits"):
        write(boto, too_deep, syntax)
    with refused("ValidationException", "Invalid ConditionExpression: Syntax error"):
        write(boto, syntax, too_deep)
    with refused("ValidationException", "Invalid ConditionExpression: Syntax error"):
        write(boto, check(plain, {"pk": deep}, "a = = b"))


# The same for the key of an index, and for a key attribute that an update would change.
@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda table, key: put(table, key | {"g": number(1)}), INDEX_KEY),
        (
            lambda table, key: update(
                table, key, "SET g = :v", ExpressionAttributeValues={":v": number(1)}
            ),
            INDEX_KEY,
        ),
        (
            lambda table, key: update(
                table, key, "SET sk = :v", ExpressionAttributeValues={":v": text("x")}
            ),
            "Cannot update attribute sk. This attribute is part of the key",
        ),
    ],
    ids=["put", "update", "key"],
)
def test_an_index_key_of_the_wrong_type_cancels_all(
    boto: Any, indexed: str, pk: str, action: Any, words: str
) -> None:
    good = {"pk": text(pk), "sk": text("a")}
    bad = action(indexed, {"pk": text(pk), "sk": text("b")})
    reasons = cancelled(boto, bad, put(indexed, good))
    assert [reason["Code"] for reason in reasons] == ["ValidationError", "None"]
    assert words in reasons[0]["Message"]
    assert stored(boto, indexed, good) is None


# "Transactions: How it works": updates read what was there before the transaction.
def test_an_update_that_only_takes_away_makes_no_item(boto: Any, plain: str, pk: str) -> None:
    write(boto, update(plain, {"pk": text(pk)}, "REMOVE a"))
    assert stored(boto, plain, {"pk": text(pk)}) is None


# API_TransactWriteItems, ClientRequestToken: "multiple identical calls have the same effect as one
# single call"; "if you submit a request with the same client token but a change in other
# parameters within the 10-minute idempotency window" it is an IdempotentParameterMismatch.
def test_a_token_makes_a_transaction_idempotent(boto: Any, plain: str, pk: str) -> None:
    add = update(
        plain, {"pk": text(pk)}, "ADD n :one", ExpressionAttributeValues={":one": number(1)}
    )
    token = uuid.uuid4().hex
    for _ in range(3):
        write(boto, add, ClientRequestToken=token)
    assert stored(boto, plain, {"pk": text(pk)})["n"] == number(1)
    with refused("IdempotentParameterMismatchException"):
        write(boto, put(plain, {"pk": text(pk)}), ClientRequestToken=token)
    write(boto, add, ClientRequestToken=uuid.uuid4().hex)
    assert stored(boto, plain, {"pk": text(pk)})["n"] == number(2)


# A transaction that was cancelled has not happened: its token may be tried again.
def test_a_token_of_a_cancelled_transaction_can_be_used_again(
    boto: Any, plain: str, pk: str
) -> None:
    key, token = {"pk": text(pk)}, uuid.uuid4().hex
    guarded = put(plain, key | {"b": number(1)}, ConditionExpression="attribute_exists(pk)")
    cancelled(boto, guarded, ClientRequestToken=token)
    boto.put_item(TableName=plain, Item=key)
    write(boto, guarded, ClientRequestToken=token)
    assert stored(boto, plain, key) == key | {"b": number(1)}


# "Capacity management for transactions": "two underlying reads or writes of every item in the
# transaction"; of a condition check as well.
def test_a_transaction_costs_double(boto: Any, plain: str, pairs: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("a")}
    answer = write(
        boto,
        put(plain, {"pk": text(pk), "a": text("x" * 1500)}),
        put(plain, {"pk": text(f"{pk}2")}),
        check(pairs, key, "attribute_not_exists(pk)"),
        ReturnConsumedCapacity="TOTAL",
    )
    consumed = {used["TableName"]: used["CapacityUnits"] for used in answer["ConsumedCapacity"]}
    assert consumed == {plain: 6.0, pairs: 2.0}


# API_ConsumedCapacity: a transaction tells what it wrote. API_TransactWriteItems,
# ClientRequestToken: a repetition "returns the read capacity units consumed in reading the item".
def test_a_repetition_costs_reading(boto: Any, plain: str, pk: str) -> None:
    action = put(plain, {"pk": text(pk), "a": text("x" * 5000)})
    token = uuid.uuid4().hex
    more = {"ClientRequestToken": token, "ReturnConsumedCapacity": "TOTAL"}
    first = write(boto, action, **more)["ConsumedCapacity"][0]
    assert (first["CapacityUnits"], first["WriteCapacityUnits"]) == (10.0, 10.0)
    again = write(boto, action, **more)["ConsumedCapacity"][0]
    assert (again["CapacityUnits"], again["ReadCapacityUnits"]) == (4.0, 4.0)


# API_TransactWriteItems, ItemCollectionMetrics: by table, of those with local indexes.
def test_item_collections_are_measured_by_table(
    boto: Any, indexed: str, plain: str, pk: str
) -> None:
    answer = write(
        boto,
        put(indexed, {"pk": text(pk), "sk": text("a")}),
        put(plain, {"pk": text(pk)}),
        ReturnItemCollectionMetrics="SIZE",
    )
    assert set(answer["ItemCollectionMetrics"]) == {indexed}
    (metrics,) = answer["ItemCollectionMetrics"][indexed]
    assert metrics["ItemCollectionKey"] == {"pk": text(pk)}


# API_TransactWriteItems refuses a transaction whose items have more than 4 MB together.
def test_four_megabytes_are_the_most(boto: Any, plain: str, pk: str) -> None:
    items = [{"pk": text(f"{pk}{n}"), "a": text("x" * 390_000)} for n in range(11)]
    with refused("ValidationException", "4MB"):
        write(boto, *(put(plain, item) for item in items))
    assert stored(boto, plain, {"pk": text(f"{pk}0")}) is None
    write(boto, *(put(plain, item) for item in items[:10]))


# API_Put, TableName: "You can also provide the Amazon Resource Name (ARN)".
def test_a_table_may_be_named_by_its_arn(boto: Any, plain: str, pk: str) -> None:
    arn = boto.describe_table(TableName=plain)["Table"]["TableArn"]
    write(boto, put(arn, {"pk": text(pk)}))
    assert stored(boto, plain, {"pk": text(pk)}) is not None
    with refused("ValidationException", "multiple operations on one item"):
        write(boto, put(arn, {"pk": text(pk)}), delete(plain, {"pk": text(pk)}))
