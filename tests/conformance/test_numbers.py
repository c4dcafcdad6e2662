"""Numbers over HTTP: 38 digits, 1E-130 to 9.99…E+125, no rounding. "Data types", Number."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any

import pytest

from .calls import error_code, refused, text

DIGITS = "12345678901234567890123456789012345678"  # 38 of them.
NINES = "9" * 38


def kept(boto: Any, table: str, pk: str, number: str) -> str:
    """How a number is written after it was stored."""
    boto.put_item(TableName=table, Item={"pk": text(pk), "a": {"N": number}})
    return str(boto.get_item(TableName=table, Key={"pk": text(pk)})["Item"]["a"]["N"])


# Serialization


# API_AttributeValue, N: "Numbers are sent across the network to DynamoDB as strings".
@pytest.mark.parametrize("value", [{"N": 5}, {"N": 5.5}, {"NS": [1, 2]}, {"NS": "1"}], ids=str)
def test_a_number_is_sent_as_text(post: Any, plain: str, pk: str, value: Any) -> None:
    answer = post("PutItem", {"TableName": plain, "Item": {"pk": text(pk), "a": value}})
    assert error_code(answer) == "SerializationException"


# Validation


# "Data types", Number: digits, a point, an exponent; nothing else.
@pytest.mark.parametrize(
    "number",
    ["", " ", "x", "1x", "1 2", "1,5", "0x10", "1e", "e5", "--1", "+-1", ".", "NaN", "Infinity",
     "-Infinity", "1_000", "1e5.5", pytest.param("١", id="arabic")],
)  # fmt: skip
def test_what_is_no_number_is_refused(boto: Any, plain: str, pk: str, number: str) -> None:
    with refused("ValidationException", "cannot be converted"):
        kept(boto, plain, pk, number)


# "Data types", Number: "up to 38 digits of precision"; "Exceeding this results in an exception".
@pytest.mark.parametrize(
    "number",
    [
        f"{DIGITS}9",
        f"-{DIGITS}9",
        f"0.{DIGITS}9",
        f"1.{'0' * 37}1",
        f"1{'0' * 37}.1",
        f"{DIGITS}9e50",
        f"1{'0' * 38}1",
    ],
)
def test_39_digits_are_too_many(boto: Any, plain: str, pk: str, number: str) -> None:
    with refused("ValidationException", "38", "digits"):
        kept(boto, plain, pk, number)


# "Data types", Number: "Positive range: 1E-130 to 9.9999999999999999999999999999999999999E+125",
# and the same below zero.
@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("1E126", "Number overflow"),
        ("-1E126", "Number overflow"),
        ("10E125", "Number overflow"),
        ("1E999999999999", ""),
        ("1" + "0" * 126, "Number overflow"),
        ("1E-131", "Number underflow"),
        ("-1E-131", "Number underflow"),
        ("0.9E-130", "Number underflow"),
        ("1E-999999999999", ""),
    ],
)
def test_a_number_out_of_range_is_refused(
    boto: Any, plain: str, pk: str, number: str, words: str
) -> None:
    with refused("ValidationException", words):
        kept(boto, plain, pk, number)


# The same in sets, in lists, in keys and in the values of expressions.
def test_numbers_are_checked_wherever_they_are(
    boto: Any, plain: str, numbers: str, pk: str
) -> None:
    for value in ({"NS": ["1", "1E126"]}, {"L": [{"M": {"a": {"N": "1E126"}}}]}):
        with refused("ValidationException", "Number overflow"):
            boto.put_item(TableName=plain, Item={"pk": text(pk), "a": value})
    with refused("ValidationException", "Number overflow"):
        boto.get_item(TableName=numbers, Key={"pk": text(pk), "n": {"N": "1E126"}})
    with refused("ValidationException", "Number overflow"):
        boto.update_item(
            TableName=plain,
            Key={"pk": text(pk)},
            UpdateExpression="SET a = :a",
            ExpressionAttributeValues={":a": {"N": "1E126"}},
        )


# Behaviour


# "Data types", Number: "Leading and trailing zeroes are trimmed"; and numbers are written without
# an exponent, as DynamoDB Local writes them.
@pytest.mark.parametrize(
    ("number", "written"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("0.000", "0"),
        ("0E100", "0"),
        ("+5", "5"),
        ("005", "5"),
        ("5.", "5"),
        (".5", "0.5"),
        ("5.0", "5"),
        ("1e2", "100"),
        ("1E+2", "100"),
        ("1200E-2", "12"),
        ("-1.50", "-1.5"),
        ("0.00001", "0.00001"),
        ("1E-10", "0.0000000001"),
        (DIGITS, DIGITS),
        (f"-{DIGITS}", f"-{DIGITS}"),
        (f"0.{DIGITS}", f"0.{DIGITS}"),
        (f"{DIGITS}000", f"{DIGITS}000"),
        (f"000{DIGITS}.000", DIGITS),
        (f"{DIGITS[:20]}.{DIGITS[20:]}", f"{DIGITS[:20]}.{DIGITS[20:]}"),
    ],
)
def test_a_number_is_kept_without_needless_signs(
    boto: Any, plain: str, pk: str, number: str, written: str
) -> None:
    assert kept(boto, plain, pk, number) == written


# "Data types", Number: the ends of the range are within it.
@pytest.mark.parametrize(
    "number",
    ["1E125", "-1E125", f"9.{NINES[1:]}E125", f"-9.{NINES[1:]}E125", "1E-130", "-1E-130",
     f"{NINES}E-130", "9E-130"],
)  # fmt: skip
def test_the_ends_of_the_range_are_kept_exactly(
    boto: Any, plain: str, pk: str, number: str
) -> None:
    assert Decimal(kept(boto, plain, pk, number)) == Decimal(number)


# "Update expressions", SET with + and -, and ADD: exact decimal arithmetic.
@pytest.mark.parametrize(
    ("number", "expression", "operand", "result"),
    [
        ("0.1", "SET a = a + :b", "0.2", "0.3"),
        pytest.param("1", "SET a = a - :b", "1.0", "0", id="zero"),
        ("1", "ADD a :b", "-1E-20", "0." + "9" * 20),
        ("9" * 37, "ADD a :b", "1", "1" + "0" * 37),
        (NINES, "SET a = a - :b", NINES, "0"),
        ("1E125", "SET a = a - :b", "1E125", "0"),
        ("1E30", "SET a = a + :b", "1E-7", f"1{'0' * 30}.0000001"),
        (f"-{NINES}", "ADD a :b", "-1", f"-1{'0' * 38}"),
    ],
)
def test_sums_are_exact(
    boto: Any, plain: str, pk: str, number: str, expression: str, operand: str, result: str
) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": {"N": number}})
    answer = boto.update_item(
        TableName=plain,
        Key={"pk": text(pk)},
        UpdateExpression=expression,
        ExpressionAttributeValues={":b": {"N": operand}},
        ReturnValues="UPDATED_NEW",
    )
    assert answer["Attributes"]["a"]["N"] == result


# API_TransactWriteItems lists the messages of updates that cannot be made: "Number overflow" is
# one; a sum that needs more than 38 digits is not rounded but refused.
@pytest.mark.parametrize(
    ("number", "expression", "operand", "words"),
    [
        ("9E125", "ADD a :b", "9E125", "Number overflow"),
        ("-9E125", "SET a = a - :b", "9E125", "Number overflow"),
        ("1E38", "SET a = a + :b", "1", "38"),
        ("1", "ADD a :b", "1E-38", "38"),
        ("1E125", "ADD a :b", "1E-130", "38"),
        (f"{NINES}", "ADD a :b", "0.1", "38"),
    ],
)
def test_a_sum_that_is_no_number_is_refused(
    boto: Any, plain: str, pk: str, number: str, expression: str, operand: str, words: str
) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": {"N": number}})
    with refused("ValidationException", words):
        boto.update_item(
            TableName=plain,
            Key={"pk": text(pk)},
            UpdateExpression=expression,
            ExpressionAttributeValues={":b": {"N": operand}},
        )
    stored = boto.get_item(TableName=plain, Key={"pk": text(pk)})["Item"]["a"]["N"]
    assert Decimal(stored) == Decimal(number)


# "Data types", Number: the sort order of numbers is that of their values, over the whole range.
def test_keys_are_sorted_by_value(boto: Any, numbers: str, pk: str) -> None:
    values = [
        f"-{NINES}E88", "-1E125", "-100", "-99.5", "-10", "-9", "-1", "-0.5", "-1E-130", "0",
        "1E-130", "1.1E-130", "0.05", "0.5", "0.55", "1", "2", "9", "10", "11", "99.5", "100",
        DIGITS, f"{DIGITS[:-1]}9", "1E125", f"9.{NINES[1:]}E125",
    ]  # fmt: skip
    ordered = sorted(values, key=Decimal)
    for n in values[::-1]:
        boto.put_item(TableName=numbers, Item={"pk": text(pk), "n": {"N": n}})
    answer = boto.query(
        TableName=numbers,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": text(pk)},
    )
    results = [Decimal(item["n"]["N"]) for item in answer["Items"]]
    assert results == [Decimal(n) for n in ordered]
    answer = boto.query(
        TableName=numbers,
        KeyConditionExpression="pk = :pk AND n BETWEEN :low AND :high",
        ExpressionAttributeValues={
            ":pk": text(pk),
            ":low": {"N": "-9.50"},
            ":high": {"N": "10.0"},
        },
    )
    within = [n for n in ordered if Decimal("-9.5") <= Decimal(n) <= 10]
    assert [Decimal(item["n"]["N"]) for item in answer["Items"]] == list(map(Decimal, within))


# "Data types", Sets: members are distinct by value, and come back without needless signs.
def test_a_set_of_numbers_is_kept_by_value(boto: Any, plain: str, pk: str) -> None:
    boto.put_item(TableName=plain, Item={"pk": text(pk), "a": {"NS": ["1.0", "2e1", "-0.50"]}})
    stored = boto.get_item(TableName=plain, Key={"pk": text(pk)})["Item"]["a"]["NS"]
    assert set(stored) == {"1", "20", "-0.5"}


# No float takes part anywhere: 38 digits and half the exponents, there and back.
@pytest.mark.parametrize("exponent", [-92, -38, -37, -1, 0, 1, 50, 87])
def test_all_digits_survive(boto: Any, plain: str, pk: str, exponent: int) -> None:
    number = Context(prec=38).scaleb(Decimal(DIGITS), exponent)
    assert Decimal(kept(boto, plain, pk, str(number))) == number
