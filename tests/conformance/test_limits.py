"""Limits on keys, items, names, nesting and expressions. "Constraints in Amazon DynamoDB"."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import error_code, index, number, refused, text

ITEM_BYTES_MAX = 400 * 1024


def nested(levels: int, kind: str) -> dict[str, Any]:
    """A value inside of this many lists or maps."""
    value: dict[str, Any] = number(1)
    for _ in range(levels):
        value = {"L": [value]} if kind == "L" else {"M": {"a": value}}
    return value


# Serialization


# Nesting that no engine could follow is refused, and the endpoint lives on. DynamoDB has no
# sentence for it: any refusal will do.
@pytest.mark.parametrize(
    ("opening", "closing"), [('{"L":[', "]}"), ('{"M":{"a":', "}}")], ids=["list", "map"]
)
def test_bottomless_nesting_is_refused(
    post: Any, plain: str, pk: str, opening: str, closing: str
) -> None:
    value = opening * 5000 + '{"N":"1"}' + closing * 5000
    body = f'{{"TableName":"{plain}","Item":{{"pk":{{"S":"{pk}"}},"a":{value}}}}}'
    status, _ = post("PutItem", body)
    assert status == 400
    status, _ = post("GetItem", {"TableName": plain, "Key": {"pk": text(pk)}})
    assert status == 200


# Validation


# Constraints, "Partition key length": 1 to 2048 bytes; "Sort key length": 1 to 1024 bytes, in
# UTF-8.
@pytest.mark.parametrize("letter", ["x", "é"])
def test_keys_have_at_most_2048_and_1024_bytes(boto: Any, pairs: str, pk: str, letter: str) -> None:
    width = len(letter.encode())
    partition = text(pk + letter * ((2048 - len(pk)) // width))
    sort = text(letter * (1024 // width))
    boto.put_item(TableName=pairs, Item={"pk": partition, "sk": sort})
    boto.get_item(TableName=pairs, Key={"pk": partition, "sk": sort})
    for key, words in (
        ({"pk": text(partition["S"] + "x"), "sk": sort}, "2048 bytes"),
        ({"pk": partition, "sk": text(sort["S"] + "x")}, "1024 bytes"),
    ):
        with refused("ValidationException", words):
            boto.put_item(TableName=pairs, Item=key)
        with refused("ValidationException", words):
            boto.get_item(TableName=pairs, Key=key)
        with refused("ValidationException", words):
            boto.delete_item(TableName=pairs, Key=key)
        with refused("ValidationException", words):
            boto.update_item(TableName=pairs, Key=key)


# The same for binary keys, by the bytes and not by their base64.
def test_binary_keys_are_measured_by_their_bytes(boto: Any, binaries: str, pk: str) -> None:
    boto.put_item(TableName=binaries, Item={"pk": text(pk), "b": {"B": b"x" * 1024}})
    with refused("ValidationException", "1024 bytes"):
        boto.put_item(TableName=binaries, Item={"pk": text(pk), "b": {"B": b"x" * 1025}})


# The same for the keys of indexes: an item that an index could not hold is refused.
def test_index_keys_have_at_most_2048_bytes(boto: Any, indexed: str, pk: str) -> None:
    key = {"pk": text(pk), "sk": text("a")}
    boto.put_item(TableName=indexed, Item=key | {"g": text("x" * 2048)})
    with refused("ValidationException", "2048 bytes"):
        boto.put_item(TableName=indexed, Item=key | {"g": text("x" * 2049)})


def test_sort_keys_of_indexes_have_at_most_1024_bytes(boto: Any, new_table: Any, pk: str) -> None:
    table = new_table("pk", GlobalSecondaryIndexes=[index("by_g", ["pk", "g"], "ALL")])
    boto.put_item(TableName=table, Item={"pk": text(pk), "g": text("x" * 1024)})
    with refused("ValidationException", "1024 bytes"):
        boto.put_item(TableName=table, Item={"pk": text(pk), "g": text("x" * 1025)})


# Constraints, "Item size": 400 KB, "attribute names (UTF-8 length) and attribute value lengths".
@pytest.mark.parametrize("name", ["a", "é", "n" * 1000])
def test_an_item_has_at_most_400_kilobytes(boto: Any, plain: str, pk: str, name: str) -> None:
    rest = ITEM_BYTES_MAX - len("pk") - len(pk) - len(name.encode())
    boto.put_item(TableName=plain, Item={"pk": text(pk), name: text("x" * rest)})
    with refused("ValidationException", "Item size has exceeded the maximum allowed size"):
        boto.put_item(TableName=plain, Item={"pk": text(pk), name: text("x" * (rest + 1))})
    more = {"ExpressionAttributeNames": {"#a": name}, "UpdateExpression": "SET #a = :v"}
    with refused("ValidationException", "Item size to update has exceeded the maximum allowed"):
        boto.update_item(
            TableName=plain,
            Key={"pk": text(pk)},
            ExpressionAttributeValues={":v": text("x" * (rest + 1))},
            **more,
        )
    boto.update_item(
        TableName=plain,
        Key={"pk": text(pk)},
        ExpressionAttributeValues={":v": text("y" * rest)},
        **more,
    )


# "DynamoDB item sizes and formats": what each type takes: a list or map 3 bytes and one for each
# of its elements, a set its members, a Boolean and a null one, a number about half its digits.
@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"BOOL": True}, 1),
        ({"NULL": True}, 1),
        ({"B": b"12345"}, 5),
        ({"SS": ["a", "bcd"]}, 4),
        ({"BS": [b"a", b"bcd"]}, 4),
        ({"L": []}, 3),
        ({"L": [text("abc"), text("d")]}, 3 + 2 + 4),
        ({"M": {}}, 3),
        ({"M": {"ab": text("abc"), "c": {"BOOL": True}}}, 3 + 2 + 3 + 4),
        (number("-120"), 3),
        (number("0.15"), 2),
        (number("15"), 2),
        (number("1.5"), 3),
        (number("100.5"), 4),
    ],
    ids=str,
)
def test_each_type_has_its_size(
    boto: Any, plain: str, pk: str, value: dict[str, Any], size: int
) -> None:
    filler = "x" * (ITEM_BYTES_MAX - len("pk") - len(pk) - len("v") - size - len("f"))
    item = {"pk": text(pk), "v": value, "f": text(filler)}
    boto.put_item(TableName=plain, Item=item)
    with refused("ValidationException", "Item size has exceeded"):
        boto.put_item(TableName=plain, Item=item | {"f": text(filler + "x")})


# UpdateItem, and it alone, also measures its expression: what that writes, and some bytes for each
# of its parts. Found by AWS's answers.
@pytest.mark.parametrize(
    ("more", "names", "values", "cost"),
    [
        (", c = :c", {}, {":c": text("y")}, 19 + 1 + 1),
        (", #name = :c", {"#name": "c"}, {":c": text("y")}, 19 + 1 + 1),
        (", c = m.abc", {}, {}, 19 + 1 + 1 + 14 + 1 + 14 + 3),
        (", c = l[1]", {}, {}, 19 + 1 + 1 + 14 + 1 + 14 + 1),
        (", m.abc = :c", {}, {":c": text("y")}, 19 + 1 + 4 + 3 + 1),
        (", l = list_append(l, :l)", {}, {":l": {"L": [text("y")]}}, 19 + 1 + 37 + 16 + 3 + 2),
        (", s = if_not_exists(s, :s)", {}, {":s": text("yyyyy")}, 19 + 1 + 39 + 16 + 5),
        (", n = n + :n", {}, {":n": number(12)}, 19 + 1 + 34 + 16 + 2),
        (", n = n - :n", {}, {":n": number(12)}, 19 + 1 + 37 + 16 + 2),
        (" ADD n :n", {}, {":n": number(12)}, 19 + 1 + 2),
        (" REMOVE m.abc", {}, {}, 1 + 1 + 4 + 3),
        (" DELETE ss :ss", {}, {":ss": {"SS": ["aaaaa"]}}, 1 + 2),
    ],
)
def test_an_update_is_measured_by_itself(
    boto: Any,
    plain: str,
    more: str,
    names: dict[str, str],
    values: dict[str, Any],
    cost: int,
) -> None:
    key = {"pk": text("k")}
    held: dict[str, Any] = {}
    if "abc" in more:
        held["m"] = {"M": {"abc": text("")}}
    if "l[" in more or "list" in more:
        held["l"] = {"L": [text(""), text("")]}
    if "n " in more:
        held["n"] = number(1)
    if "s =" in more:
        held["s"] = text("")
    boto.put_item(TableName=plain, Item=key | held)
    most = ITEM_BYTES_MAX - 3 - 19 - len("f") - cost
    request = {"TableName": plain, "Key": key, "UpdateExpression": f"SET f = :f{more}"}
    if names:
        request["ExpressionAttributeNames"] = names
    with refused("ValidationException", "Item size to update has exceeded the maximum allowed"):
        boto.update_item(
            **request,
            ExpressionAttributeValues=values | {":f": text("x" * (most + 1))},
            ConditionExpression="attribute_not_exists(pk)",
        )
    boto.update_item(**request, ExpressionAttributeValues=values | {":f": text("x" * most)})


# What is written in other ways is measured by the item that it makes.
def test_only_update_expressions_are_measured(boto: Any, plain: str) -> None:
    key = {"pk": text("l")}
    most = {":f": text("x" * (ITEM_BYTES_MAX - len("pkl") - len("f")))}
    update = {"TableName": plain, "Key": key, "UpdateExpression": "SET f = :f"}
    with refused("ValidationException", "Item size to update has exceeded the maximum allowed"):
        boto.update_item(**update, ExpressionAttributeValues=most)
    boto.transact_write_items(
        TransactItems=[{"Update": {**update, "ExpressionAttributeValues": most}}]
    )
    boto.update_item(
        TableName=plain, Key=key, AttributeUpdates={"f": {"Action": "PUT", "Value": most[":f"]}}
    )


# Constraints, "Nested attribute depth": 32 levels.
@pytest.mark.parametrize("kind", ["L", "M"])
def test_values_are_nested_at_most_32_levels(boto: Any, plain: str, pk: str, kind: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": nested(31, kind)})
    with refused("ValidationException", "Nesting Levels have exceeded supported limits"):
        boto.put_item(TableName=plain, Item={"pk": text(pk), "a": nested(32, kind)})
    with refused("ValidationException", "Nesting Levels have exceeded supported limits"):
        boto.update_item(
            TableName=plain,
            Key={"pk": text(pk)},
            UpdateExpression="SET a = :a",
            ExpressionAttributeValues={":a": nested(32, kind)},
        )


# The same when an update nests what was not too deep by itself.
def test_an_update_cannot_nest_deeper(boto: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    boto.put_item(TableName=plain, Item=key | {"a": nested(20, "M")})
    path = "a" + ".a" * 20
    more = {"ExpressionAttributeNames": {"#b": "b"}}
    with refused("ValidationException"):
        boto.update_item(
            TableName=plain,
            Key=key,
            UpdateExpression=f"SET {path.removesuffix('.a')}.#b = :v",
            ExpressionAttributeValues={":v": nested(20, "M")},
            **more,
        )


# Constraints, "Attribute names": at most 64 KB long; 255 for those in keys and indexes.
def test_an_attribute_name_has_at_most_64_kilobytes(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "n" * 65535: number(1)})
    with refused("ValidationException"):
        boto.put_item(TableName=plain, Item={"pk": text(pk), "n" * 65536: number(1)})


# The parameters of old name them too, and know no placeholders.
def test_a_long_attribute_name_is_refused_by_legacy_parameters(
    boto: Any, plain: str, pk: str
) -> None:
    key, long = {"pk": text(pk)}, "n" * 65536
    for ask in (
        lambda: boto.get_item(TableName=plain, Key=key, AttributesToGet=[long]),
        lambda: boto.update_item(
            TableName=plain, Key=key, AttributeUpdates={long: {"Value": number(1)}}
        ),
    ):
        with pytest.raises(ClientError, match="Attribute name") as caught:
            ask()
        assert "ExpressionAttributeNames" not in str(caught.value)


# Constraints, "Attribute names": "at least one character long".
def test_an_attribute_name_is_not_empty(boto: Any, plain: str, pk: str) -> None:
    with refused("ValidationException"):
        boto.put_item(TableName=plain, Item={"pk": text(pk), "": number(1)})


# Constraints, "Lengths": "The maximum length of any expression string is 4 KB".
@pytest.mark.parametrize("kind", ["ConditionExpression", "UpdateExpression"])
def test_an_expression_has_at_most_4_kilobytes(boto: Any, plain: str, pk: str, kind: str) -> None:
    start = "SET a = " if kind == "UpdateExpression" else "attribute_not_exists(a) OR a = "

    def ask(length: int) -> None:
        expression = start + " " * (length - len(start) - 2) + ":a"
        boto.update_item(
            TableName=plain,
            Key={"pk": text(pk)},
            ExpressionAttributeValues={":a": number(1)},
            **{kind: expression},
        )

    ask(4096)
    with refused("ValidationException", f"Invalid {kind}", "Expression size has exceeded"):
        ask(4097)


# Constraints, "Operators and operands": "The maximum number of operators or functions allowed in
# an UpdateExpression is 300", and in conditions as well.
def test_an_expression_has_at_most_300_operators(boto: Any, plain: str, pk: str) -> None:
    def ask(comparisons: int) -> None:
        boto.update_item(
            TableName=plain,
            Key={"pk": text(pk)},
            ConditionExpression="a=:a" + " OR a<:a" * (comparisons - 1),
            ExpressionAttributeValues={":a": number(1)},
        )

    with refused("ConditionalCheckFailedException"):
        ask(150)
    with refused("ValidationException", "Invalid ConditionExpression", "too many operators", "301"):
        ask(151)


# Constraints, "Operators and operands": "up to 100 operands for the IN comparator".
def test_an_in_has_at_most_100_operands(boto: Any, plain: str, pk: str) -> None:
    def ask(operands: int) -> None:
        boto.delete_item(
            TableName=plain,
            Key={"pk": text(pk)},
            ConditionExpression=f"a IN ({','.join([':a'] * operands)})",
            ExpressionAttributeValues={":a": number(1)},
        )

    with refused("ConditionalCheckFailedException"):
        ask(100)
    with refused("ValidationException", "IN operator is provided with too many operands", "101"):
        ask(101)


# Constraints, "Lengths": "a substitution variable [...] 255 bytes". Of a name AWS tells the size.
@pytest.mark.parametrize(
    ("sign", "words"),
    [("#", "a key that is too long; size of key: 256"), (":", "a key that is too long;")],
    ids=["#", ":"],
)
def test_a_placeholder_has_at_most_255_bytes(
    boto: Any, plain: str, pk: str, sign: str, words: str
) -> None:
    def ask(length: int) -> None:
        placeholder = sign + "a" * (length - 1)
        if sign == "#":
            more: dict[str, Any] = {"ExpressionAttributeNames": {placeholder: "a"}}
            condition = f"attribute_not_exists({placeholder})"
        else:
            more = {"ExpressionAttributeValues": {placeholder: number(1)}}
            condition = f"a <> {placeholder}"
        boto.delete_item(
            TableName=plain, Key={"pk": text(pk)}, ConditionExpression=condition, **more
        )

    ask(255)
    with pytest.raises(ClientError) as caught:
        ask(256)
    assert caught.value.response["Error"]["Message"].endswith(words)


# A path of an expression is no deeper than a value can be. DynamoDB Local has the sentence.
def test_a_path_has_at_most_32_levels(boto: Any, plain: str, pk: str) -> None:
    def ask(levels: int) -> None:
        path = ".".join("abcdefgh"[n % 8] for n in range(levels))
        boto.get_item(TableName=plain, Key={"pk": text(pk)}, ProjectionExpression=path)

    ask(32)
    with refused("ValidationException", "The document path has too many nesting levels", "33"):
        ask(33)


# Parentheses and NOTs as deep as an expression is long are refused or answered, and the endpoint
# lives on.
@pytest.mark.parametrize(
    "condition",
    ["(" * 2000 + "a = :a" + ")" * 2000, "NOT " * 1000 + "a = :a", "size(" * 800 + "a"],
    ids=["parentheses", "nots", "sizes"],
)
def test_a_deep_expression_does_no_harm(post: Any, plain: str, pk: str, condition: str) -> None:
    request = {
        "TableName": plain,
        "Key": {"pk": text(pk)},
        "ConditionExpression": condition,
        "ExpressionAttributeValues": {":a": number(1)},
    }
    assert error_code(post("DeleteItem", request)) == "ValidationException"


# Behaviour


# Constraints, "List" and "Map": "There is no limit on the number of values", but the item's size.
def test_a_list_may_be_long(boto: Any, plain: str, pk: str) -> None:
    values = [number(n) for n in range(20_000)]
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": {"L": values}})
    answer = boto.get_item(
        TableName=plain, Key={"pk": text(pk)}, ProjectionExpression="a[19999], a[20000]"
    )
    assert answer["Item"] == {"a": {"L": [number(19_999)]}}


# Constraints, "Attributes": an item may have any number of them within its size.
def test_an_item_may_have_many_attributes(boto: Any, plain: str, pk: str) -> None:
    item = {"pk": text(pk)} | {f"a{n}": {"BOOL": True} for n in range(10_000)}
    boto.put_item(TableName=plain, Item=item)
    assert boto.get_item(TableName=plain, Key={"pk": text(pk)})["Item"] == item
