"""Placeholders: which are valid, defined and used; and the caches behind them."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ValidationError
from tablewright.expressions import binding
from tablewright.expressions.binding import Placeholders, plain_update

V = {":v": {"S": "x"}}


def refusal(names: Any, values: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        Placeholders(names, values)
    return caught.value.message


def test_empty_placeholders_are_refused() -> None:
    assert refusal({}, None) == "ExpressionAttributeNames must not be empty"
    assert refusal(None, {}) == "ExpressionAttributeValues must not be empty"


@pytest.mark.parametrize("key", ["a", "#", "##a", "#a-b", "#a.b", "#é", "#a b", ":a", "#a\n"])
def test_a_name_key_is_a_hash_and_word_characters(key: str) -> None:
    expected = f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"'
    assert refusal({key: "x"}, None) == expected


@pytest.mark.parametrize("key", ["v", ":", "::v", ":a-b", "#v"])
def test_a_value_key_is_a_colon_and_word_characters(key: str) -> None:
    expected = f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"'
    assert refusal(None, {key: {"S": "x"}}) == expected


def test_an_empty_key_has_its_own_sentence() -> None:
    assert refusal({"": "x"}, None).endswith("The expression attribute map contains an empty key;")


def test_a_key_has_at_most_255_bytes() -> None:
    Placeholders({"#" + "a" * 254: "x"}, {":" + "1_" * 127: {"S": "x"}})
    assert "key that is too long; size of key: 256" in refusal({"#" + "a" * 255: "x"}, None)


def test_a_name_may_not_be_empty_or_longer_than_65535_bytes() -> None:
    expected = "contains invalid value: Empty attribute name for key #a"
    assert refusal({"#a": ""}, None).endswith(expected)
    Placeholders({"#a": "x" * 65_535}, None)
    assert "must be less than 65536 bytes for key #a" in refusal({"#a": "x" * 65_536}, None)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            {},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        ({"N": "abc"}, "The parameter cannot be converted to a numeric value: abc"),
        ({"SS": ["a", "a"]}, "Input collection [a, a] contains duplicates."),
        ({"NULL": False}, "Null attribute value types must have the value of true"),
    ],
)
def test_an_invalid_value_says_which_key_it_has(value: Any, reason: str) -> None:
    message = refusal(None, {":v": value})
    assert message.startswith("ExpressionAttributeValues contains invalid value: ")
    assert message.endswith(f"{reason} for key :v")


def test_a_value_nested_too_deeply_is_refused() -> None:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(32):
        value = {"L": [value]}
    assert refusal(None, {":v": value}).startswith("Nesting Levels have exceeded")


def test_values_are_normalised_and_compare_by_value() -> None:
    condition = Placeholders(None, {":v": {"N": "1.0"}}).condition("a = :v")
    assert condition.matches({"a": {"N": "1"}})


@pytest.mark.parametrize("kind", ["ConditionExpression", "FilterExpression"])
def test_messages_say_which_parameter_is_wrong(kind: str) -> None:
    with pytest.raises(ValidationError, match=f"^Invalid {kind}: Syntax error"):
        Placeholders(None, None).condition("a =", kind)


def test_each_kind_of_expression_names_itself() -> None:
    placeholders = Placeholders(None, None)
    for use, kind in [
        (placeholders.update, "UpdateExpression"),
        (placeholders.projection, "ProjectionExpression"),
        (placeholders.key_condition, "KeyConditionExpression"),
    ]:
        with pytest.raises(ValidationError, match=f"^Invalid {kind}: The expression can not be"):
            use("")


def test_undefined_placeholders_are_refused_in_the_order_written() -> None:
    placeholders = Placeholders(None, V)
    with pytest.raises(ValidationError, match="attribute name: #u$"):
        placeholders.condition("#u = :u")
    with pytest.raises(ValidationError, match="attribute value: :u$"):
        placeholders.condition(":u = #u")
    with pytest.raises(ValidationError, match="attribute name: #u$"):
        placeholders.projection("a, #u")


def test_undefined_values_are_refused_on_a_warm_cache_too() -> None:
    Placeholders(None, V).condition("warm = :v")
    with pytest.raises(ValidationError, match="attribute value: :v$"):
        Placeholders(None, {":w": {"S": "x"}}).condition("warm = :v")


def test_one_text_with_other_names_is_another_condition() -> None:
    item = {"a": {"S": "x"}, "b": {"S": "y"}}
    assert Placeholders({"#n": "a"}, V).condition("#n = :v").matches(item)
    assert not Placeholders({"#n": "b"}, V).condition("#n = :v").matches(item)


def test_everything_given_must_be_used() -> None:
    placeholders = Placeholders({"#a": "a", "#b": "b"}, {":v": {"S": "x"}, ":w": {"S": "x"}})
    placeholders.condition("#a = :v")
    with pytest.raises(ValidationError) as caught:
        placeholders.require_all_used()
    expected = "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"
    assert caught.value.message == expected
    placeholders.projection("#b")
    with pytest.raises(ValidationError, match=r"ExpressionAttributeValues unused .* \{:w\}$"):
        placeholders.require_all_used()
    placeholders.condition("c = :w AND d = :v", "FilterExpression")
    placeholders.require_all_used()


# Recorded from DynamoDB Local 3.3.1.
def test_unused_keys_are_listed_in_the_order_of_a_hash_set() -> None:
    placeholders = Placeholders(dict.fromkeys(("#a", "#b", "#c", "#z", "#y"), "x"), None)
    with pytest.raises(ValidationError, match=r"\{#c, #y, #z, #a, #b\}$"):
        placeholders.require_all_used()


def test_nothing_given_is_nothing_unused() -> None:
    Placeholders(None, None).require_all_used()


@pytest.mark.parametrize("word", ["name", "NAME", "Status", "ttl", "Size"])
def test_reserved_words_are_refused_in_any_case_and_place(word: str) -> None:
    placeholders = Placeholders({"#ok": word}, V)
    for use in (
        lambda: placeholders.condition(f"a.{word} = :v"),
        lambda: placeholders.update(f"SET {word} = :v"),
        lambda: placeholders.projection(f"a, {word}[0]"),
        lambda: placeholders.key_condition(f"{word} = :v"),
    ):
        with pytest.raises(ValidationError, match=f"reserved keyword: {word}$"):
            use()
    placeholders.condition("#ok = :v")


def test_paths_have_at_most_32_levels_and_indexes_31_bits() -> None:
    placeholders = Placeholders(None, V)
    placeholders.condition("a" + ".b" * 31 + " = :v")
    with pytest.raises(ValidationError, match="nesting levels: 33$"):
        placeholders.condition("a" + "[0]" * 32 + " = :v")
    placeholders.projection("a[2147483647]")
    with pytest.raises(ValidationError, match=r"allowable range; index: \[2147483648\]"):
        placeholders.projection("a[2147483648]")


def test_the_caches_stay_bounded() -> None:
    for number in range(700):
        Placeholders({"#n": f"n{number}"}, V).condition(f"a{number} = :v OR #n = :v")
    for language in (binding._CONDITIONS, binding._UPDATES, binding._PROJECTIONS):
        assert len(language._parsed) <= binding._CACHED_MAX
        assert len(language._programs) <= binding._CACHED_MAX


def test_the_deepest_condition_allowed_is_evaluated() -> None:
    text = "NOT " * 299 + "a = :v"
    assert Placeholders(None, V).condition(text).matches({})
    nested = "(a = :v OR " * 149 + "a = :v" + ")" * 149
    assert Placeholders(None, V).condition(nested).matches({"a": {"S": "x"}})
    calls = "SET a = " + "if_not_exists(b," * 200 + ":v" + ")" * 200
    assert Placeholders(None, V).update(calls).apply({}) == {"a": {"S": "x"}}


def test_a_plain_update_takes_the_fast_path() -> None:
    update = plain_update("ADD n :one", {":one": {"N": "1"}})
    assert update is not None
    assert update.apply({"n": {"N": "12"}}) == {"n": {"N": "13"}}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("REMOVE n", []),
        ("SET n = :v", [":v", ":unused"]),
        ("SET n = :v, m = :undefined", [":v"]),
        ("SET #n = :v", [":v"]),
        ("SET n = = :v", [":v"]),
        ("ADD n :text", [":text"]),
        (f"SET n = :{'v' * 255}", [":" + "v" * 255]),
    ],
    ids=[
        "no values",
        "one too many",
        "one too few",
        "a name",
        "no update",
        "a wrong type",
        "a placeholder that is too long",
    ],
)
def test_whatever_might_be_wrong_with_an_update_needs_a_closer_look(
    text: str, names: list[str]
) -> None:
    assert plain_update(text, {name: {"S": "x"} for name in names}) is None


def test_more_placeholders_than_expressions_have_room_for_are_refused_without_a_look() -> None:
    many = {f"#{number}": "not looked at, so it need not be valid" for number in range(6_001)}
    with pytest.raises(ValidationError, match="ExpressionAttributeNames unused .*#0, #1"):
        Placeholders({**many, "!": ""}, None)
    with pytest.raises(ValidationError, match="ExpressionAttributeValues unused"):
        Placeholders(None, {f":{number}": None for number in range(6_001)})
