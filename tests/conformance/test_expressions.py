"""Expressions through the API: conditions, updates and projections, valid and invalid.

Errors in an expression are the same in every operation, so one operation tests each kind:
DeleteItem for conditions, UpdateItem for updates, GetItem for projections.
"""

from __future__ import annotations

from typing import Any

import pytest

from .calls import error_code, number, refused, text

ITEM: dict[str, Any] = {
    "s": text("hello"),
    "n": number(5),
    "b": {"B": b"\x01\x02\x03"},
    "yes": {"BOOL": True},
    "nul": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2", "3"]},
    "bs": {"BS": [b"x", b"y"]},
    "l": {"L": [number(1), text("two"), {"L": [number(3)]}]},
    "m": {"M": {"a": {"M": {"b": {"L": [number(7), number(8)]}}}, "c d": text("x")}},
}


def request(expression: str, values: dict[str, Any], kind: str, **more: Any) -> dict[str, Any]:
    """The parameters of an expression with the values, and with the alias #size, that it uses."""
    parameters: dict[str, Any] = {kind: expression, **more}
    used = {f":{name}": value for name, value in values.items()}
    if used:
        parameters["ExpressionAttributeValues"] = used
    names = {"#size": "size", "#cd": "c d"}
    named = {alias: name for alias, name in names.items() if alias in expression}
    if named:
        parameters["ExpressionAttributeNames"] = named
    return parameters


def holds(boto: Any, table: str, pk: str, condition: str, **values: Any) -> bool:
    """Whether a condition holds for the item with this key."""
    try:
        boto.delete_item(
            TableName=table,
            Key={"pk": text(pk)},
            **request(condition, values, "ConditionExpression"),
        )
    except boto.exceptions.ConditionalCheckFailedException:
        return False
    return True


def updated(boto: Any, table: str, pk: str, expression: str, **values: Any) -> Any:
    """The item after an update, without its key."""
    answer = boto.update_item(
        TableName=table,
        Key={"pk": text(pk)},
        ReturnValues="ALL_NEW",
        **request(expression, values, "UpdateExpression"),
    )
    return {name: value for name, value in answer["Attributes"].items() if name != "pk"}


# Serialization


# API_UpdateItem: expressions are strings, and maps of strings to strings and values.
@pytest.mark.parametrize(
    "more",
    [
        {"UpdateExpression": {"SET": "a"}},
        {"UpdateExpression": "REMOVE #a", "ExpressionAttributeNames": {"#a": {"S": "a"}}},
        {"UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": "a"}},
        {"UpdateExpression": "SET a = :a", "ExpressionAttributeValues": [{":a": {"S": "a"}}]},
    ],
    ids=str,
)
def test_an_expression_is_text(post: Any, plain: str, more: dict[str, Any]) -> None:
    answer = post("UpdateItem", {"TableName": plain, "Key": {"pk": text("x")}, **more})
    assert error_code(answer) == "SerializationException"


# Validation


# "Expressions in DynamoDB", the reference of each function and operator. What is wrong with the
# text, or with a constant, is an error whatever the item is: here there is none.
@pytest.mark.parametrize(
    ("condition", "values", "words"),
    [
        ("a", {}, "Syntax error"),
        ("a = ", {}, 'Syntax error; token: "<EOF>"'),
        ("a == :v", {"v": number(1)}, 'Syntax error; token: "="'),
        ("a != :v", {"v": number(1)}, "Syntax error"),
        ("(a = :v", {"v": number(1)}, "Syntax error"),
        ("a = :v)", {"v": number(1)}, "Syntax error"),
        ("a = :v AND", {"v": number(1)}, "Syntax error"),
        ("a = 5", {}, "Syntax error"),
        ("a = 'x'", {}, "Syntax error"),
        ("a[x] = :v", {"v": number(1)}, "Syntax error"),
        ("a[-1] = :v", {"v": number(1)}, "Syntax error"),
        ("a..b = :v", {"v": number(1)}, "Syntax error"),
        ("a IN ()", {}, "Syntax error"),
        ("a BETWEEN :v", {"v": number(1)}, "Syntax error"),
        ("((a = :v))", {"v": number(1)}, "redundant parentheses"),
        ("#a = :v", {"v": number(1)}, "attribute name: #a"),
        ("a = :w", {}, "attribute value: :w"),
        pytest.param("size = :v", {"v": number(1)}, "reserved keyword: size", id="reserved"),
        ("Name = :v", {"v": number(1)}, "reserved keyword: Name"),
        ("a.STATUS = :v", {"v": number(1)}, "reserved keyword: STATUS"),
        ("nothing(a)", {}, "Invalid function name; function: nothing"),
        ("ATTRIBUTE_EXISTS(a)", {}, "Invalid function name; function: ATTRIBUTE_EXISTS"),
        ("if_not_exists(a, :v)", {"v": number(1)}, "not allowed in a condition expression"),
        ("size(a)", {}, "not allowed to be used this way"),
        ("attribute_exists(a) = :v", {"v": {"BOOL": True}}, "to be used this way"),
        (
            "attribute_exists(a, b)",
            {},
            "Incorrect number of operands",
        ),
        ("begins_with(a)", {}, "Incorrect number of operands"),
        ("contains(a, b, c)", {}, "Incorrect number of operands"),
        ("size(a, b) > :v", {"v": number(1)}, "Incorrect number of operands"),
        ("attribute_exists(:v)", {"v": text("a")}, "requires a document path"),
        ("attribute_type(a, :v)", {"v": text("STRING")}, "Invalid attribute type name found"),
        ("attribute_type(a, :v)", {"v": number(1)}, "Incorrect operand type"),
        (
            "begins_with(a, :v)",
            {"v": number(1)},
            "Incorrect operand type",
        ),
        ("begins_with(a, :v)", {"v": {"SS": ["a"]}}, "operand type: SS"),
        (
            "a < :v",
            {"v": {"BOOL": True}},
            "Incorrect operand type",
        ),
        ("a >= :v", {"v": {"M": {}}}, "Incorrect operand type"),
        ("a > :v", {"v": {"NULL": True}}, "operand type: NULL"),
        ("a BETWEEN :v AND :w", {"v": {"L": []}, "w": {"L": []}}, "Incorrect operand type"),
        ("a BETWEEN :v AND :w", {"v": number(1), "w": text("1")}, "same data type"),
        ("a BETWEEN :v AND :w", {"v": number(2), "w": number(1)}, "upper bound to be greater"),
        ("size(:v) > :w", {"v": number(5), "w": number(1)}, "Incorrect operand type"),
        ("a = a", {}, "The first operand must be distinct from the remaining operands"),
        ("a BETWEEN a AND :v", {"v": number(1)}, "The first operand must be distinct"),
        ("contains(a, a)", {}, "The first operand must be distinct"),
    ],
)
def test_a_bad_condition_is_refused(
    boto: Any, plain: str, pk: str, condition: str, values: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", "Invalid ConditionExpression: ", words):
        holds(boto, plain, pk, condition, **values)


# "Update expressions": the four clauses, each once; what is wrong with the text or with a
# constant is an error whatever the item is.
@pytest.mark.parametrize(
    ("expression", "values", "words"),
    [
        ("a = :v", {"v": number(1)}, "Syntax error"),
        ("SET a", {}, "Syntax error"),
        ("SET a = :v b = :v", {"v": number(1)}, "Syntax error"),
        ("SET a = :v,", {"v": number(1)}, "Syntax error"),
        ("SET a = :v + :v + :v", {"v": number(1)}, "Syntax error"),
        ("SET a = :v * :v", {"v": number(1)}, "Syntax error"),
        ("REMOVE a = :v", {"v": number(1)}, "Syntax error"),
        ("ADD a", {}, "Syntax error"),
        ("ADD a = :v", {"v": number(1)}, "Syntax error"),
        ("SET a = :v SET b = :v", {"v": number(1)}, 'The "SET" section can only be used once'),
        ("REMOVE a REMOVE b", {}, 'The "REMOVE" section can only be used once'),
        ("SET a = :v, a = :v", {"v": number(1)}, "Two document paths overlap"),
        ("SET a = :v REMOVE a.b", {"v": number(1)}, "Two document paths overlap"),
        ("SET a.b = :v, a.b.c = :v", {"v": number(1)}, "Two document paths overlap"),
        ("SET a[0] = :v, a[0].b = :v", {"v": number(1)}, "Two document paths overlap"),
        ("SET a.b = :v, a[0] = :v", {"v": number(1)}, "Two document paths conflict"),
        pytest.param("SET size = :v", {"v": number(1)}, "reserved keyword: size", id="reserved"),
        ("SET a = nothing(b)", {}, "Invalid function name; function: nothing"),
        ("SET a = size(b)", {}, "not allowed in an update expression; function: size"),
        ("SET a = attribute_exists(b)", {}, "not allowed in an update expression"),
        ("SET a = if_not_exists(b)", {}, "Incorrect number of operands"),
        ("SET a = if_not_exists(:v, :v)", {"v": number(1)}, "requires a document path"),
        ("SET a = list_append(:v)", {"v": {"L": []}}, "Incorrect number of operands"),
        ("SET a = list_append(b, :v)", {"v": number(1)}, "Incorrect operand type"),
        ("SET a = b + :v", {"v": text("x")}, "Incorrect operand type"),
        ("SET a = :v - b", {"v": {"NS": ["1"]}}, "Incorrect operand type"),
        (
            "ADD a :v",
            {"v": text("x")},
            "Incorrect operand type",
        ),
        ("ADD a :v", {"v": {"L": []}}, "operand type: LIST"),
        ("DELETE a :v", {"v": number(1)}, "Incorrect operand type"),
        ("DELETE a :v", {"v": text("x")}, "Incorrect operand type"),
    ],
)
def test_a_bad_update_is_refused(
    boto: Any, plain: str, pk: str, expression: str, values: dict[str, Any], words: str
) -> None:
    with refused("ValidationException", "Invalid UpdateExpression: ", words):
        updated(boto, plain, pk, expression, **values)


# "Projection expressions": paths, apart from each other.
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("a,", "Syntax error"),
        (", a", "Syntax error"),
        ("a b", "Syntax error"),
        ("a.", "Syntax error"),
        (":a", "Syntax error"),
        ("size(a)", "Syntax error"),
        ("a[01]", "Syntax error"),
        ("a, a", "Two document paths overlap"),
        ("a, a.b", "Two document paths overlap"),
        ("a.b, a[1]", "Two document paths conflict"),
        pytest.param("size", "reserved keyword: size", id="reserved"),
        ("#a", "attribute name: #a"),
    ],
)
def test_a_bad_projection_is_refused(
    boto: Any, plain: str, pk: str, expression: str, words: str
) -> None:
    with refused("ValidationException", "Invalid ProjectionExpression: ", words):
        boto.get_item(TableName=plain, Key={"pk": text(pk)}, ProjectionExpression=expression)


# "Expression attribute names" and "values": # or : and then letters, digits and underscores.
@pytest.mark.parametrize("key", ["a", "#", "#a-b", "#a b", ":a", "##a"])
def test_a_name_has_a_number_sign(boto: Any, plain: str, pk: str, key: str) -> None:
    with refused("ValidationException", "ExpressionAttributeNames contains invalid key", key):
        boto.get_item(
            TableName=plain,
            Key={"pk": text(pk)},
            ProjectionExpression="a",
            ExpressionAttributeNames={key: "x"},
        )


# The same for values; a value that cannot be is refused with its key.
@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("a", text("x"), 'invalid key: Syntax error; key: "a"'),
        (":", text("x"), "invalid key: Syntax error"),
        (":a-b", text("x"), "invalid key: Syntax error"),
        ("#a", text("x"), "invalid key: Syntax error"),
        (":a", {"N": "x"}, "cannot be converted"),
        (":a", {"SS": []}, "may not be empty for key :a"),
        (":a", {"NULL": False}, "must have the value of true for key :a"),
    ],
)
def test_a_value_has_a_colon(
    boto: Any, plain: str, pk: str, key: str, value: Any, words: str
) -> None:
    with refused("ValidationException", "ExpressionAttributeValues contains invalid", words):
        boto.delete_item(
            TableName=plain,
            Key={"pk": text(pk)},
            ConditionExpression="a = :a",
            ExpressionAttributeValues={key: value},
        )


# Behaviour


# "Comparison operator and function reference". What has another type in the item is not equal,
# not less and not more: false, never an error.
@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("s = :v", {"v": text("hello")}),
        ("s <> :v", {"v": text("x")}),
        ("s <> :v", {"v": number(1)}),
        ("nothing <> :v", {"v": number(1)}),
        ("n = :v", {"v": {"N": "5.0"}}),
        ("n < :v", {"v": number(10)}),
        ("n >= :v AND n <= :v", {"v": number(5)}),
        ("s > :v", {"v": text("hell")}),
        ("b < :v", {"v": {"B": b"\x01\x03"}}),
        ("yes = :v", {"v": {"BOOL": True}}),
        ("nul = :v", {"v": {"NULL": True}}),
        ("ss = :v", {"v": {"SS": ["b", "a"]}}),
        ("ns = :v", {"v": {"NS": ["3.0", "1", "2"]}}),
        ("l = :v", {"v": ITEM["l"]}),
        ("m = :v", {"v": ITEM["m"]}),
        ("m.a.b[1] = :v", {"v": number(8)}),
        ("m.#cd = :v", {"v": text("x")}),
        ("l[2][0] = :v", {"v": number(3)}),
        ("n BETWEEN :v AND :w", {"v": number(5), "w": number(5)}),
        ("s BETWEEN :v AND :w", {"v": text("a"), "w": text("i")}),
        (":v BETWEEN n AND m.a.b[0]", {"v": number(6)}),
        ("n IN (:v, :w)", {"v": text("5"), "w": number(5)}),
        ("l IN (:v)", {"v": ITEM["l"]}),
        ("attribute_exists(m.a.b[0])", {}),
        ("attribute_not_exists(m.a.b[2])", {}),
        ("attribute_not_exists(s.x)", {}),
        ("attribute_not_exists(m[0])", {}),
        ("attribute_type(l, :v)", {"v": text("L")}),
        ("attribute_type(nul, :v)", {"v": text("NULL")}),
        ("attribute_type(bs, :v)", {"v": text("BS")}),
        ("begins_with(s, :v)", {"v": text("hel")}),
        ("begins_with(s, :v)", {"v": text("")}),
        ("begins_with(b, :v)", {"v": {"B": b"\x01"}}),
        ("contains(s, :v)", {"v": text("ell")}),
        ("contains(ss, :v)", {"v": text("a")}),
        ("contains(ns, :v)", {"v": {"N": "2.0"}}),
        ("contains(bs, :v)", {"v": {"B": b"x"}}),
        ("contains(l, :v)", {"v": text("two")}),
        ("contains(l, :v)", {"v": {"L": [number(3)]}}),
        ("contains(b, :v)", {"v": {"B": b"\x02\x03"}}),
        ("size(s) = :v", {"v": number(5)}),
        ("size(b) = :v", {"v": number(3)}),
        ("size(ns) = :v", {"v": number(3)}),
        ("size(l) = :v AND size(m) < :v", {"v": number(3)}),
        ("size(m.a.b) BETWEEN :v AND :w", {"v": number(1), "w": number(2)}),
        ("NOT n = :v", {"v": number(4)}),
        ("NOT (n = :v OR n = :w)", {"v": number(3), "w": number(4)}),
        ("n = :v OR n = :w AND s = :w", {"v": number(5), "w": number(0)}),
        ("(n = :w OR n = :v) AND NOT s = :w", {"v": number(5), "w": number(0)}),
        ("n = :v and not n = :w or n = :w", {"v": number(5), "w": number(0)}),
        (":v = n", {"v": number(5)}),
        ("m.a.b[0] > n", {}),
    ],
)
def test_a_condition_holds(
    boto: Any, plain: str, pk: str, condition: str, values: dict[str, Any]
) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), **ITEM})
    assert holds(boto, plain, pk, condition, **values)


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("s = :v", {"v": text("Hello")}),
        ("n = :v", {"v": text("5")}),
        ("nothing = :v", {"v": number(1)}),
        ("s <> :v", {"v": text("hello")}),
        ("s < :v", {"v": number(10)}),
        ("s >= :v", {"v": number(10)}),
        ("yes < :v", {"v": number(10)}),
        ("nothing < :v", {"v": number(10)}),
        ("n < s", {}),
        ("ss = :v", {"v": {"SS": ["a"]}}),
        ("ss = :v", {"v": {"L": [text("a"), text("b")]}}),
        ("n BETWEEN :v AND :w", {"v": number(6), "w": number(9)}),
        ("s BETWEEN :v AND :w", {"v": number(1), "w": number(9)}),
        ("n IN (:v)", {"v": number(4)}),
        ("attribute_exists(nothing)", {}),
        ("attribute_exists(l[3])", {}),
        ("attribute_exists(m.a.b.c)", {}),
        ("attribute_not_exists(nul)", {}),
        ("attribute_type(n, :v)", {"v": text("S")}),
        ("attribute_type(nothing, :v)", {"v": text("S")}),
        ("begins_with(n, :v)", {"v": text("5")}),
        ("begins_with(s, :v)", {"v": text("ello")}),
        ("begins_with(nothing, :v)", {"v": text("")}),
        ("contains(s, :v)", {"v": number(1)}),
        ("contains(n, :v)", {"v": number(5)}),
        ("contains(ss, :v)", {"v": text("c")}),
        ("contains(m, :v)", {"v": text("a")}),
        ("size(n) > :v", {"v": number(0)}),
        ("size(yes) > :v", {"v": number(0)}),
        ("size(nothing) = :v", {"v": number(0)}),
        ("NOT (n = :v AND attribute_exists(s))", {"v": number(5)}),
    ],
)
def test_a_condition_does_not_hold(
    boto: Any, plain: str, pk: str, condition: str, values: dict[str, Any]
) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), **ITEM})
    assert not holds(boto, plain, pk, condition, **values)


# "Comparison operator and function reference", size: a string's size is its length. DynamoDB
# counts bytes of UTF-8 nowhere but in limits.
def test_the_size_of_a_string_is_its_length(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "s": text("né")})
    assert holds(boto, plain, pk, "size(s) = :v", v=number(2))


# "Update expressions", SET: assignment, arithmetic, list_append and if_not_exists; all operands
# are those before the update.
@pytest.mark.parametrize(
    ("expression", "values", "changes"),
    [
        ("SET x = :v", {"v": number(1)}, {"x": number(1)}),
        ("SET s = :v", {"v": {"SS": ["x"]}}, {"s": {"SS": ["x"]}}),
        ("SET x = n, n = :v", {"v": number(1)}, {"x": number(5), "n": number(1)}),
        ("SET x = n, s = x2", {}, None),
        ("SET n = n + :v", {"v": {"N": "0.5"}}, {"n": {"N": "5.5"}}),
        ("SET n = :v - n", {"v": number(1)}, {"n": number(-4)}),
        ("SET x = n + n", {}, {"x": number(10)}),
        ("SET x = if_not_exists(x, :v)", {"v": number(1)}, {"x": number(1)}),
        ("SET x = if_not_exists(n, :v)", {"v": number(1)}, {"x": number(5)}),
        ("SET x = if_not_exists(x, :v) + :v", {"v": number(2)}, {"x": number(4)}),
        ("SET x = if_not_exists(x, n)", {}, {"x": number(5)}),
        ("SET x = if_not_exists(m.a.b[0], n)", {}, {"x": number(7)}),
        (
            "SET x = list_append(m.a.b, :v)",
            {"v": {"L": [number(9)]}},
            {"x": {"L": [number(7), number(8), number(9)]}},
        ),
        (
            "SET x = list_append(:v, if_not_exists(x, :w))",
            {"v": {"L": [number(9)]}, "w": {"L": []}},
            {"x": {"L": [number(9)]}},
        ),
        (
            "SET l[1] = :v",
            {"v": number(2)},
            {"l": {"L": [number(1), number(2), {"L": [number(3)]}]}},
        ),
        (
            "SET l[9] = :v, l[7] = :w",
            {"v": number(9), "w": number(7)},
            {"l": {"L": [*ITEM["l"]["L"], number(7), number(9)]}},
        ),
        (
            "SET l[2][0] = :v",
            {"v": number(2)},
            {"l": {"L": [number(1), text("two"), {"L": [number(2)]}]}},
        ),
        (
            "SET m.a.b[5] = :v REMOVE m.#cd",
            {"v": number(9)},
            {"m": {"M": {"a": {"M": {"b": {"L": [number(7), number(8), number(9)]}}}}}},
        ),
        ("REMOVE l[0], l[2]", {}, {"l": {"L": [text("two")]}}),
        ("REMOVE m.a", {}, {"m": {"M": {"c d": text("x")}}}),
        ("REMOVE nothing, l[7], m.x", {}, {}),
        ("ADD n :v", {"v": number(-6)}, {"n": number(-1)}),
        ("ADD x :v", {"v": number(3)}, {"x": number(3)}),
        ("ADD m.x :v", {"v": number(3)}, {"m": {"M": {**ITEM["m"]["M"], "x": number(3)}}}),
        ("add n :v set x = :v", {"v": number(1)}, {"n": number(6), "x": number(1)}),
        ("DELETE nothing :v", {"v": {"SS": ["a"]}}, {}),
        ("DELETE ss :v", {"v": {"SS": ["a", "b", "c"]}}, {"ss": None}),
    ],
)
def test_an_update_changes_the_item(
    boto: Any,
    plain: str,
    pk: str,
    expression: str,
    values: dict[str, Any],
    changes: dict[str, Any] | None,
) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), **ITEM})
    if changes is None:
        with refused("ValidationException", "attribute that does not exist in the item"):
            updated(boto, plain, pk, expression, **values)
        return
    result = updated(boto, plain, pk, expression, **values)
    expected = {**ITEM, **changes}
    for name in set(result) | {name for name, value in expected.items() if value is not None}:
        if name not in ("ss", "ns", "bs") or name in changes:
            assert result.get(name) == expected.get(name), name


# "Update expressions", ADD and DELETE of sets: their order is not kept.
@pytest.mark.parametrize(
    ("expression", "value", "name", "members"),
    [
        ("ADD ss :v", {"SS": ["b", "c"]}, "ss", {"a", "b", "c"}),
        ("ADD ns :v", {"NS": ["2.0", "7"]}, "ns", {"1", "2", "3", "7"}),
        ("ADD bs :v", {"BS": [b"z"]}, "bs", {b"x", b"y", b"z"}),
        ("ADD x :v", {"SS": ["b"]}, "x", {"b"}),
        ("DELETE ss :v", {"SS": ["a", "q"]}, "ss", {"b"}),
        ("DELETE ns :v", {"NS": ["1.0", "3"]}, "ns", {"2"}),
        ("DELETE bs :v", {"BS": [b"x"]}, "bs", {b"y"}),
    ],
)
def test_sets_are_added_and_deleted(
    boto: Any, plain: str, pk: str, expression: str, value: Any, name: str, members: set[Any]
) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), **ITEM})
    result = updated(boto, plain, pk, expression, v=value)
    ((type_, found_members),) = result[name].items()
    assert (type_, set(found_members)) == (next(iter(value)), members)
    assert len(found_members) == len(members)


# "Update expressions": what does not fit the item as it is.
@pytest.mark.parametrize(
    ("expression", "values", "words"),
    [
        ("SET x = nothing", {}, "refers to an attribute that does not exist in the item"),
        ("SET x = nothing + :v", {"v": number(1)}, "refers to an attribute that does not exist"),
        ("SET x = m.a.zzz", {}, "refers to an attribute that does not exist"),
        ("SET x = list_append(nothing, :v)", {"v": {"L": []}}, "attribute that does not exist"),
        ("SET x = s + :v", {"v": number(1)}, "incorrect data type"),
        ("SET x = list_append(s, :v)", {"v": {"L": []}}, "incorrect data type"),
        ("SET nothing.x = :v", {"v": number(1)}, "document path provided in the update expression"),
        ("SET s.x = :v", {"v": number(1)}, "document path provided in the update expression"),
        ("SET m[0] = :v", {"v": number(1)}, "document path provided in the update expression"),
        ("SET l.x = :v", {"v": number(1)}, "document path provided in the update expression"),
        ("SET x[0] = :v", {"v": number(1)}, "document path provided in the update expression"),
        ("REMOVE nothing.x", {}, "document path provided in the update expression"),
        ("REMOVE s.x", {}, "document path provided in the update expression"),
        ("ADD s :v", {"v": number(1)}, "incorrect data type"),
        ("ADD n :v", {"v": {"NS": ["1"]}}, "incorrect data type"),
        ("ADD ss :v", {"v": {"NS": ["1"]}}, "incorrect data type"),
        ("ADD l :v", {"v": {"SS": ["x"]}}, "incorrect data type"),
        ("DELETE ss :v", {"v": {"NS": ["1"]}}, "incorrect data type"),
        ("DELETE n :v", {"v": {"NS": ["1"]}}, "incorrect data type"),
    ],
)
def test_an_update_that_does_not_fit_the_item_is_refused(
    boto: Any, plain: str, pk: str, expression: str, values: dict[str, Any], words: str
) -> None:
    item = {"pk": text(pk), **ITEM}
    boto.put_item(TableName=plain, Item=item)
    with refused("ValidationException", words):
        updated(boto, plain, pk, expression, **values)
    answer = boto.get_item(TableName=plain, Key={"pk": text(pk)})
    assert set(answer["Item"]) == set(item)


# "Projection expressions": paths into maps and lists; lists are filled in their order.
@pytest.mark.parametrize(
    ("projection", "expected"),
    [
        ("s, n", {"s": ITEM["s"], "n": ITEM["n"]}),
        ("m.a.b", {"m": {"M": {"a": ITEM["m"]["M"]["a"]}}}),
        ("m.a.b[1]", {"m": {"M": {"a": {"M": {"b": {"L": [number(8)]}}}}}}),
        ("l[2], l[0]", {"l": {"L": [number(1), {"L": [number(3)]}]}}),
        ("l[2][0], l[9]", {"l": {"L": [{"L": [number(3)]}]}}),
        ("m.#cd, nothing", {"m": {"M": {"c d": text("x")}}}),
        ("s.x, l.x, m[0], n", {"n": ITEM["n"]}),
    ],
)
def test_a_projection_gives_paths(
    boto: Any, plain: str, pk: str, projection: str, expected: dict[str, Any]
) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), **ITEM})
    answer = boto.get_item(
        TableName=plain, Key={"pk": text(pk)}, **request(projection, {}, "ProjectionExpression")
    )
    assert answer["Item"] == expected
