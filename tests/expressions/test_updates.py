"""Updates: errors, the new item, and the touched paths."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tablewright.errors import ValidationError
from tablewright.expressions.binding import Placeholders
from tablewright.expressions.updates import Update

ITEM: dict[str, Any] = {
    "n": {"N": "5"},
    "s": {"S": "str"},
    "l": {"L": [{"S": "0"}, {"S": "1"}, {"S": "2"}, {"S": "3"}]},
    "m": {"M": {"a": {"N": "1"}, "b": {"M": {"c": {"S": "d"}}}}},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2"]},
}
ONE = {"v": {"N": "1"}}
X = {"v": {"S": "x"}}

INVALID_PATH = "The document path provided in the update expression is invalid for update"
MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"


def update(text: str, **values: Any) -> Update:
    given = {f":{name}": value for name, value in values.items()} or None
    return Placeholders(None, given).update(text)


def changed(text: str, item: Any = None, **values: Any) -> dict[str, Any]:
    """Return the attributes that the update adds or changes, None for those that it removes."""
    old = ITEM if item is None else item
    before = copy.deepcopy(old)
    new = update(text, **values).apply(old)
    assert old == before, "an update changed the old item"
    names = sorted(old.keys() | new.keys())
    return {name: new.get(name) for name in names if old.get(name) != new.get(name)}


def refusal(text: str, **values: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        update(text, **values).apply(ITEM)
    return caught.value.message


def texts(*members: str) -> dict[str, Any]:
    return {"L": [{"S": member} for member in members]}


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("SET a = :v", X, {"a": {"S": "x"}}),
        ("SET n = s, s = n", {}, {"n": {"S": "str"}, "s": {"N": "5"}}),
        ("SET a = n + n", {}, {"a": {"N": "10"}}),
        ("SET a = :v - n", ONE, {"a": {"N": "-4"}}),
        ("SET a = if_not_exists(q, :v) + :v", ONE, {"a": {"N": "2"}}),
        ("SET n = if_not_exists(n, :v)", ONE, {}),
        ("SET a = if_not_exists(q.r[0], if_not_exists(p, :v))", ONE, {"a": {"N": "1"}}),
        ("SET m.a = :v", X, {"m": {"M": {"a": {"S": "x"}, "b": {"M": {"c": {"S": "d"}}}}}}),
        ("SET l[1] = :v", X, {"l": texts("0", "x", "2", "3")}),
        ("SET l[9] = :v", X, {"l": texts("0", "1", "2", "3", "x")}),
        ("SET l = list_append(l, l)", {}, {"l": texts(*"01230123")}),
        ("SET a = (:v)", X, {"a": {"S": "x"}}),
        ("REMOVE n, q", {}, {"n": None}),
        ("REMOVE l[9], m.q", {}, {}),
        ("REMOVE m.b.c", {}, {"m": {"M": {"a": {"N": "1"}, "b": {"M": {}}}}}),
        ("ADD n :v", ONE, {"n": {"N": "6"}}),
        ("ADD q :v", ONE, {"q": {"N": "1"}}),
        ("ADD m.a :v", ONE, {"m": {"M": {"a": {"N": "2"}, "b": {"M": {"c": {"S": "d"}}}}}}),
        ("ADD l[9] :v", ONE, {"l": {"L": [*ITEM["l"]["L"], {"N": "1"}]}}),
        ("ADD ss :v", {"v": {"SS": ["b", "c"]}}, {"ss": {"SS": ["a", "b", "c"]}}),
        ("ADD q :v", {"v": {"NS": ["2.0"]}}, {"q": {"NS": ["2"]}}),
        ("DELETE ss :v", {"v": {"SS": ["b", "c"]}}, {"ss": {"SS": ["a"]}}),
        ("DELETE ss :v", {"v": {"SS": ["b", "a"]}}, {"ss": None}),
        ("DELETE ns :v", {"v": {"NS": ["1.0"]}}, {"ns": {"NS": ["2"]}}),
        ("DELETE q :v", {"v": {"SS": ["a"]}}, {}),
        ("DELETE m.q :v", {"v": {"SS": ["a"]}}, {}),
    ],
)
def test_updates_compute_a_new_item(text: str, values: Any, expected: Any) -> None:
    assert changed(text, **values) == expected


def test_lists_are_joined_in_either_order() -> None:
    assert changed("SET l = list_append(:v, l)", v=texts("x")) == {"l": texts(*"x0123")}
    text = "SET q = list_append(if_not_exists(q, :e), :v)"
    assert changed(text, v=texts("x"), e={"L": []}) == {"q": texts("x")}


def test_appends_beyond_the_end_come_in_the_order_of_their_indexes() -> None:
    both = {"v": {"S": "x"}, "w": {"S": "y"}}
    assert changed("SET l[20] = :v, l[10] = :w", **both) == {"l": texts(*"0123yx")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("REMOVE l[0], l[2]", texts("1", "3")),
        ("REMOVE l[2], l[0]", texts("1", "3")),
        ("REMOVE l[0] SET l[1] = s", texts("str", "2", "3")),
        ("SET l[9] = s REMOVE l[0]", texts("1", "2", "3", "str")),
    ],
)
def test_indexes_mean_the_old_list(text: str, expected: Any) -> None:
    assert changed(text) == {"l": expected}


def test_removing_elements_does_not_move_what_lies_deeper() -> None:
    item = {"l": {"L": [{"S": "0"}, {"M": {"x": {"S": "1"}, "y": {"S": "2"}}}]}}
    expected = {"l": {"L": [{"M": {"y": {"S": "2"}}}]}}
    assert changed("REMOVE l[0], l[1].x", item) == expected


def test_sections_of_all_kinds_work_together() -> None:
    text = "DELETE ss :v ADD q :v REMOVE n, m.a SET p = :v"
    assert changed(text, v={"SS": ["b"]}) == {
        "m": {"M": {"b": {"M": {"c": {"S": "d"}}}}},
        "n": None,
        "p": {"SS": ["b"]},
        "q": {"SS": ["b"]},
        "ss": {"SS": ["a"]},
    }


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("SET q.r = :v", X),
        ("SET n.r = :v", X),
        ("SET m[0] = :v", X),
        ("SET l.x = :v", X),
        ("SET l[9].x = :v", X),
        ("SET q.r = p", {}),
        ("REMOVE q.r", {}),
        ("REMOVE m.q.r", {}),
        ("ADD q.r :v", ONE),
        ("DELETE q.r :v", {"v": {"SS": ["a"]}}),
    ],
)
def test_a_path_needs_its_parent(text: str, values: Any) -> None:
    assert refusal(text, **values) == INVALID_PATH


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("SET a = q", {}),
        ("SET a = m.q", {}),
        ("SET a = q + :v", ONE),
        ("SET a = a + :v", ONE),
        ("SET a = if_not_exists(n, q)", {}),
        ("SET a = list_append(q, l)", {}),
    ],
)
def test_an_operand_must_exist(text: str, values: Any) -> None:
    assert refusal(text, **values) == MISSING


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("SET a = s + :v", ONE),
        ("SET a = :v + if_not_exists(s, :v)", ONE),
        ("SET a = list_append(n, l)", {}),
        ("ADD s :v", ONE),
        ("ADD ss :v", {"v": {"NS": ["1"]}}),
        ("ADD ns :v", ONE),
        ("ADD l[0] :v", ONE),
        ("DELETE ss :v", {"v": {"NS": ["1"]}}),
        ("DELETE n :v", {"v": {"NS": ["1"]}}),
    ],
)
def test_an_operand_in_the_item_must_have_the_right_type(text: str, values: Any) -> None:
    assert refusal(text, **values) == WRONG_TYPE


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("SET a = n + :v", {"S": "x"}, "operator or function: +, operand type: S"),
        ("SET a = :v - n", {"BOOL": True}, "operator or function: -, operand type: BOOL"),
        ("SET a = list_append(l, :v)", {"S": "x"}, "list_append, operand type: S"),
        (
            "ADD n :v",
            {"S": "x"},
            "operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND",
        ),
        ("ADD n :v", {"L": []}, "operand type: LIST, typeSet: ALLOWED_FOR_ADD_OPERAND"),
        ("ADD n :v", {"BOOL": True}, "operand type: BOOLEAN, typeSet: ALLOWED_FOR_ADD_OPERAND"),
        (
            "DELETE n :v",
            {"N": "1"},
            "operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND",
        ),
    ],
)
def test_constants_of_the_wrong_type_are_refused_before_any_item(
    text: str, value: Any, expected: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        update(text, v=value)
    assert caught.value.message.startswith("Invalid UpdateExpression: Incorrect operand type")
    assert caught.value.message.endswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SET a = foo(l)", "Invalid function name; function: foo"),
        ("SET a = size(l)", "not allowed in an update expression; function: size"),
        ("SET a = contains(l, s)", "not allowed in an update expression; function: contains"),
        ("SET a = list_append(list_append(l, l), l)", "used this way in an expression"),
        ("SET a = list_append(l, l) + n", "used this way in an expression"),
        ("SET a = if_not_exists(q, list_append(l, l))", "used this way in an expression"),
        ("SET a = list_append(l)", "function: list_append, number of operands: 1"),
        ("SET a = if_not_exists(l, l, l)", "function: if_not_exists, number of operands: 3"),
        ("SET a = if_not_exists(if_not_exists(n, s), s)", "requires a document path"),
        ("SET a = if_not_exists(n, n)", "first operand: [n]"),
    ],
)
def test_functions_are_checked(text: str, expected: str) -> None:
    assert expected in refusal(text)


@pytest.mark.parametrize(
    ("text", "verb", "one", "two"),
    [
        ("SET a = n, a = s", "overlap", "[a]", "[a]"),
        ("SET a = n REMOVE a", "overlap", "[a]", "[a]"),
        ("SET m.a = n, m = n", "overlap", "[m, a]", "[m]"),
        ("REMOVE l, l[0]", "overlap", "[l]", "[l, [0]]"),
        ("SET l[0] = n, l[0] = s", "overlap", "[l, [0]]", "[l, [0]]"),
        ("SET m.a = n, m[0] = n", "conflict", "[m, a]", "[m, [0]]"),
        ("SET m.b[0] = n REMOVE m.b.c", "conflict", "[m, b, [0]]", "[m, b, c]"),
    ],
)
def test_paths_that_overlap_or_conflict_are_refused(
    text: str, verb: str, one: str, two: str
) -> None:
    assert refusal(text) == (
        f"Invalid UpdateExpression: Two document paths {verb} with each other; "
        f"must remove or rewrite one of these paths; path one: {one}, path two: {two}"
    )


def test_paths_are_compared_before_operands_are_checked() -> None:
    assert "overlap" in refusal("SET a = n, a = s + :v", **X)


# Recorded from DynamoDB Local 3.3.1.
def test_of_several_wrong_constants_the_last_of_add_is_named() -> None:
    wrong = {"v": {"S": "x"}, "w": {"BOOL": True}, "l": {"L": []}}
    text = "SET a = n + :v DELETE ss :v ADD b :l, c :w"
    assert "operator: ADD, operand type: BOOLEAN" in refusal(text, **wrong)


# Recorded from DynamoDB Local 3.3.1.
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SET a = q, b = s + n", WRONG_TYPE),
        ("SET b = s + n, a = q", WRONG_TYPE),
        ("SET a = s + n, b = q", MISSING),
        ("SET a.x = q, b = q", MISSING),
        ("SET b.x = q, a = q", INVALID_PATH),
    ],
)
def test_of_several_faults_in_the_item_the_last_path_is_named(text: str, message: str) -> None:
    assert refusal(text) == message


def test_arithmetic_is_exact_or_refused() -> None:
    assert changed("ADD n :v", v={"N": "0.0000000000000000000000000000000000001"}) == {
        "n": {"N": "5.0000000000000000000000000000000000001"}
    }
    assert "38 significant digits" in refusal("ADD n :v", v={"N": "1E-40"})
    assert "overflow" in refusal("SET a = :v + :v", v={"N": "9E125"})


def test_a_nested_result_has_at_most_32_levels() -> None:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(31):
        value = {"L": [value]}
    update("SET a = :v", v=value).apply(ITEM)
    update("SET m.a = :v", v=value["L"][0]).apply(ITEM)
    assert "Nesting Levels" in refusal("SET m.a = :v", v=value)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("REMOVE a", {}, True),
        ("DELETE a :v REMOVE b", {"v": {"SS": ["x"]}}, True),
        ("REMOVE a SET b = :v", X, False),
        ("ADD a :v", ONE, False),
    ],
)
def test_an_update_knows_whether_it_only_removes(text: str, values: Any, expected: bool) -> None:
    assert update(text, **values).only_removes is expected


def test_an_update_names_the_attributes_it_targets_not_those_it_reads() -> None:
    compiled = update("SET a = b, c.d = :v REMOVE e[0]", **X)
    assert compiled.top_level_names == {"a", "c", "e"}
    assert compiled.nested_names == {"c", "e"}


@pytest.mark.parametrize(
    ("text", "values", "old", "new"),
    [
        ("SET n = :v", ONE, {"n": {"N": "5"}}, {"n": {"N": "1"}}),
        ("SET m.a = :v", X, {"m": {"M": {"a": {"N": "1"}}}}, {"m": {"M": {"a": {"S": "x"}}}}),
        ("SET l[1] = :v", X, {"l": texts("1")}, {"l": texts("x")}),
        ("SET l[3] = :v, l[1] = :v", X, {"l": texts("1", "3")}, {"l": texts("x", "x")}),
        ("SET l[9] = :v", X, {}, {}),
        ("SET q = :v", X, {}, {"q": {"S": "x"}}),
        ("REMOVE m.b.c", {}, {"m": {"M": {"b": {"M": {"c": {"S": "d"}}}}}}, {}),
        ("REMOVE l[1]", {}, {"l": texts("1")}, {"l": texts("2")}),
        ("REMOVE q", {}, {}, {}),
    ],
)
def test_touched_is_what_an_item_has_at_the_paths(
    text: str, values: Any, old: Any, new: Any
) -> None:
    compiled = update(text, **values)
    assert compiled.touched(ITEM) == old
    assert compiled.touched(compiled.apply(ITEM)) == new
