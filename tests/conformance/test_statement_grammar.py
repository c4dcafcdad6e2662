"""The grammar of PartiQL: what parses, the errors for what does not, and their order.

The expectations are AWS's replies; PartiQL's specification defines comments, keywords and types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import index, key_schema, number, refused, text
from .test_statements import FULL, Music, batch, sorts, transact

BAD = "Statement wasn't well formed, can't be processed: "
LEFT_OVER = f"{BAD}Unexpected token after expression"
MISSING = "Missing right-hand side expression of infix operator"
REFUSED = "ValidationException"


@pytest.fixture(scope="module")
def shared(endpoint: str, boto_of: Callable[[str], Any], new_table: Callable[..., str]) -> str:
    """A table with three items in one partition; no test changes them."""
    multiple = index("by_two", ["g", "sk"], "ALL")
    multiple["KeySchema"].insert(1, {"AttributeName": "pk", "KeyType": "HASH"})
    table = new_table(
        "pk",
        "sk",
        GlobalSecondaryIndexes=[
            index("by_g", ["g"], "ALL"),
            index("keys_of_g", ["g"], "KEYS_ONLY"),
            index("some_of_g", ["g"], "INCLUDE", "n"),
            multiple,
        ],
        LocalSecondaryIndexes=[
            {**index("by_l", [], "KEYS_ONLY"), "KeySchema": key_schema("pk", "l")}
        ],
    )
    client = boto_of(endpoint)
    for at in range(3):
        item = {"pk": text("a"), "sk": text(str(at)), "n": number(at), "g": text("g1"), **FULL}
        more = {"l": number(at), "t": text("word"), "z": {"NULL": True}, "f": {"BOOL": True}}
        client.put_item(TableName=table, Item=item | more)
    return table


@pytest.fixture
def music(boto: Any, shared: str) -> Music:
    return Music(boto, shared)


@pytest.fixture
def mine(music: Music, pk: str) -> str:
    """The partition of an item for one test; its sort key is 1."""
    item = {"pk": text(pk), "sk": text("1"), "n": number(1), "m": FULL["m"], "ss": FULL["ss"]}
    music.boto.put_item(TableName=music.table, Item=item)
    return pk


def place(statement: str, token: str, length: int | None = None) -> str:
    """The position of a token in a one-line statement."""
    return f" at 1:{statement.index(token) + 1}:{length or len(token)}"


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("WHERE pk = 'a' -- all of it", ["0", "1", "2"]),
        ("-- the partition\nWHERE pk = 'a' AND sk = '1'", ["1"]),
        ("/* the\npartition */ WHERE pk = 'a' /**/ AND sk = '2'", ["2"]),
        ("WHERE pk = 'a' AND n = 20e-1", ["2"]),
        ("WHERE pk = 'a' AND n = .1E+1", ["1"]),
        ("WHERE pk = 'a' AND n > -.5e1 AND n < 1.", ["0"]),
        ("WHERE pk = 'a' AND attribute_exists(m.x) AND n = 0", ["0"]),
        ("WHERE pk = 'a' AND ATTRIBUTE_EXISTS(m.y)", []),
        ("WHERE pk = 'a' AND NOT attribute_not_exists(\"g\") AND sk = '1'", ["1"]),
        ("WHERE pk = 'a' AND attribute_exists(g) = true AND n = 2", ["2"]),
        ("WHERE pk = 'a' AND attribute_exists(g) <> true", []),
        ("WHERE pk = 'a' AND false = begins_with(g, 'x') AND n = 2", ["2"]),
        ("WHERE pk = 'a' AND (attribute_exists(none) OR size(t) = 4)", ["0", "1", "2"]),
        ("WHERE attribute_exists(t)", ["0", "1", "2"]),
        ("WHERE pk = 'a' AND z IS NULL AND n = 1", ["1"]),
        ("WHERE pk = 'a' AND t IS NOT NULL AND n = 1", ["1"]),
        ("WHERE pk = 'a' AND f IS BOOL AND f IS BOOLEAN AND n = 1", ["1"]),
        ("WHERE pk = 'a' AND t IS STRING AND n IS NUMERIC AND sk = '1'", ["1"]),
        ("WHERE pk = 'a' AND m IS STRUCT AND m IS TUPLE AND l IS NOT LIST AND n = 1", ["1"]),
        ("WHERE pk = 'a' AND t IS BLOB", []),
        ("WHERE pk = 'a' AND n IN <<0, 2>>", ["0", "2"]),
        ("WHERE pk = 'a' AND NOT sk = '0' OR pk = 'a' AND sk = '1'", ["1", "2"]),
        ("WHERE pk = 'a' AND (sk < '1' OR sk > '1')", ["0", "2"]),
        ("WHERE pk = 'a' AND (sk > '0' AND sk < '2' OR sk >= '2')", ["1", "2"]),
        ("WHERE pk = 'a' AND sk IN ['2', '0']", ["0", "2"]),
        ("WHERE pk = 'a' AND sk = '1' OR pk = 'b'", ["1"]),
        ("WHERE pk = 'a' OR sk = '1'", ["0", "1", "2"]),
        ("WHERE pk = 'a' AND (n = 0 OR attribute_exists(none))", ["0"]),
        ("WHERE pk = 'a' AND n = - - 1", ["1"]),
    ],
)
def test_a_select_reads_all_that_the_language_has(
    music: Music, where: str, found: list[str]
) -> None:
    assert sorts(music(f"SELECT sk FROM {{t}} {where}")) == found


# The parser's own words follow the colon; where no token could be made, nothing does.
@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT * FROM {t} WHERE pk = 'a' rest", LEFT_OVER),
        ("SELECT * FROM {t} WHERE n = 1 e5", LEFT_OVER),
        ("SELECT * FROM {t} WHERE pk = 'a')", LEFT_OVER),
        ("SELECT * FROM {t} ORDER BY sk WHERE pk = 'a'", LEFT_OVER),
        ("INSERT INTO {t} VALUE {'pk': 'x', 'sk': '1'} rest", LEFT_OVER),
        ("INSERT INTO {t} other VALUE {'pk': 'x', 'sk': '1'}", LEFT_OVER),
        ("UPDATE {t} SET n = 1 WHERE pk = 'x' AND sk = '1' rest", LEFT_OVER),
        ("DELETE FROM {t} WHERE pk = 'x' AND sk = '1' ORDER BY sk", LEFT_OVER),
        ("FROM {t} SET n = 1 WHERE pk = 'x' AND sk = '1'", LEFT_OVER),
        ("SELECT * FROM {t} WHERE", f"{BAD}Unexpected term"),
        ("UPDATE {t} SET n = 1 WHERE;", f"{BAD}Unexpected term"),
        ("SELECT * FROM {t} WHERE NOT", f"{BAD}Unexpected term"),
        ("SELECT * FROM {t} WHERE (", f"{BAD}Unexpected term"),
        ("SELECT * FROM {t} WHERE pk = 'a' AND", f"{BAD}{MISSING}"),
        ("SELECT * FROM {t} WHERE pk = 'a' OR", f"{BAD}{MISSING}"),
        ("SELECT * FROM {t} WHERE IS NULL", f"{BAD}Unexpected operator"),
        ("SELECT * FROM {t} WHERE pk = LIKE", f"{BAD}Unexpected operator"),
        ("SELECT * FROM {t} WHERE ORDER BY sk", f"{BAD}Unexpected keyword"),
        ("SELECT * FROM {t} WHERE pk = 'a' AND n IS OTHER", f"{BAD}Expected type name"),
        ("SELECT * FROM {t} WHERE pk = 'a' AND value = 1", f"{BAD}Unexpected keyword"),
        ("SELECT * FROM {t} WHERE m.inner = 1", f"{BAD}Invalid path dot component"),
        ("SELECT FROM {t}", f"{BAD}Cannot have empty SELECT list"),
        ("SLECT * FROM {t} WHERE pk = 'a'", f"{BAD}Expected data manipulation"),
        ("FROM {t} WHERE pk = 'a' AND sk = '1'", f"{BAD}Expected data manipulation"),
        ("DELETE {t}", f"{BAD}Expected FROM after DELETE"),
        ("DELETE FROM WHERE pk = 'a'", f"{BAD}Expected identifier for simple path"),
        ("SELECT * FROM {t} WHERE n = 1e2147483648", BAD),
        ("SELECT * FROM {t} WHERE n = 1.5e-2147483647", BAD),
        ("SELECT * FROM {t} WHERE n = 1 # none", BAD),
        ("SELECT * FROM {t} WHERE n = 1 /* on and on", BAD),
    ],
)
def test_what_cannot_be_read_is_refused_in_the_words_of_the_parser(
    music: Music, statement: str, message: str
) -> None:
    with pytest.raises(ClientError, match="ValidationException") as caught:
        music(statement)
    assert caught.value.response["Error"]["Message"] == message


@pytest.mark.parametrize("statement", ["SELECT * FROM {t} {}", "UPDATE {t} {} SET n = 1"])
@pytest.mark.parametrize("other", ["other", "AS other"])
def test_a_table_has_no_other_name(music: Music, statement: str, other: str) -> None:
    with refused(REFUSED, "Aliasing is not supported"):
        music(f"{statement.replace('{}', other)} WHERE pk = 'x' AND sk = '1'")
    with refused(REFUSED, "Aliasing is not supported"):
        music(f"DELETE FROM {{t}} {other} WHERE pk = 'a' AND sk = '1'")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT * FROM {t} WHERE n = 1e126", "larger than supported range under root"),
        ("SELECT * FROM {t} WHERE n = 1e-131", "smaller than supported range under root"),
        (f"SELECT * FROM {{t}} WHERE n = {'1' * 39}", "digits in a Number under root"),
        ("INSERT INTO {t} VALUE {'pk': 'x', 'm': {'x': 1e126}}", "range under root.x"),
        ("INSERT INTO {t} VALUE {'pk': 'x', 'l': [1, 1e126]}", "range under root[1]"),
    ],
)
def test_a_number_out_of_range_is_reported_with_its_position(
    music: Music, statement: str, words: str
) -> None:
    with refused(REFUSED, words):
        music(statement)


# "FROM … WHERE … SET …" is an update like any other.
def test_an_update_may_begin_with_its_table(music: Music, mine: str) -> None:
    own = f"WHERE pk = '{mine}' AND sk = '1'"
    assert music(f"FROM {{t}} {own} SET n = 2 REMOVE m RETURNING MODIFIED NEW *") == [
        {"n": number(2)}
    ]
    assert music(f"from {{t}} {own} AND n = 2 set n = ?", number(3)) == []
    assert music.item(mine, "1") == {
        "pk": text(mine),
        "sk": text("1"),
        "n": number(3),
        "ss": FULL["ss"],
    }
    with refused("ConditionalCheckFailedException"):
        music(f"FROM {{t}} {own} AND n = 2 SET n = 4")
    with refused("ConditionalCheckFailedException"):
        music("FROM {t} WHERE pk = 'none' AND sk = '1' SET n = 4")
    assert batch(music, f"FROM {{t}} {own} SET n = 5") == [{"TableName": music.table}]
    assert transact(music, f"FROM {{t}} {own} SET n = 6") == []
    with refused(REFUSED, "mandatory equality on all key attributes"):
        music("FROM {t} SET n = 4")


def test_a_write_heeds_functions(music: Music, mine: str) -> None:
    own = f"WHERE pk = '{mine}' AND sk = '1'"
    music(f"UPDATE {{t}} SET once = 1 {own} AND attribute_not_exists(once)")
    with refused("ConditionalCheckFailedException"):
        music(f"UPDATE {{t}} SET once = 2 {own} AND attribute_not_exists(once)")
    with refused("ConditionalCheckFailedException"):
        music(f"DELETE FROM {{t}} {own} AND attribute_exists(never)")
    assert music(f"DELETE FROM {{t}} {own} AND attribute_exists(once)") == []
    assert music.item(mine, "1") is None


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("attribute_exists('ss')", "requires a document path; operator or function: attribute_ex"),
        ("attribute_exists()", "number of operands: 0"),
        ("attribute_exists(ss, m)", "number of operands: 2"),
        ("t LIKE 'w%'", "Unsupported operator in Condition Expression. Operator: like"),
        ("n + 1 = 2", "Unsupported operator in Condition Expression. Operator: +"),
        ("t IS BAG", "Unsupported data type for IS operator: BAG."),
        ("n IN []", "right hand argument of type Seq with at least one member"),
        ("n = MISSING", "MISSING must be compared using IS operator"),
        ("sk = 1", "data type should match its data type in table's schema: Key sk"),
        ("sk > 1", "data type should match its data type in table's schema: Key sk"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(music: Music, where: str, words: str) -> None:
    with refused(REFUSED, words):
        music(f"SELECT sk FROM {{t}} WHERE pk = 'a' AND {where}")


def test_a_function_is_refused_where_it_stands(music: Music) -> None:
    own = "WHERE pk = 'a' AND sk = '1'"
    for function in ("EXISTS", "set_add", "other"):
        request = music.named(f"SELECT sk FROM {{t}} {own} AND {function}(ss) = 1")
        with refused(
            REFUSED, f"Unrecognized function: {function.lower()}{place(request, function)}"
        ):
            music(request)
    request = music.named(f"UPDATE {{t}} SET q = set_add(ss, <<'c'>>) {own}")
    first = f"The first argument to SET_ADD must equal the assignment value{place(request, 'set_')}"
    with refused(REFUSED, first[:-1]):
        music(request)


def test_a_position_has_line_column_and_length(music: Music) -> None:
    described = "SELECT size(g) FROM {t}"
    with refused(REFUSED, f"Unexpected path component{place(described, 'size')}"):
        music(described)
    with refused(REFUSED, "Unexpected path component at 2:3:4"):
        music("SELECT sk,\n  size(g) FROM {t}")
    given = "INSERT INTO {t} VALUE {'pk': 'x', 'sk': '1', 'n': other}"
    named = music.named(given)
    with refused(REFUSED, f"Unsupported data type: other under key root{place(named, 'other')}"):
        music(given)


@pytest.mark.parametrize("function", ["set_add", "set_delete"])
def test_a_set_function_takes_its_target_and_a_set(music: Music, function: str) -> None:
    own = "WHERE pk = 'a' AND sk = '1'"
    for given in ("'c'", "['c']"):
        request = music.named(f"UPDATE {{t}} SET ss = {function}(ss, {given}) {own}")
        at = request.index("(ss") + 2
        words = f"The second argument to {function.upper()} must be a value with type SET"
        with refused(REFUSED, f"{words} at 1:{at}:2"):
            music(request)
    for given in ("ss", "ss, <<'c'>>, <<'d'>>"):
        request = music.named(f"UPDATE {{t}} SET ss = {function}({given}) {own}")
        words = f"{function.upper()} must have exactly two arguments{place(request, function)}"
        with refused(REFUSED, words):
            music(request)
    for given in ("ss = {}(ss, <<1>>)", "t = {}(t, <<'c'>>)"):
        with refused(REFUSED, "An operand in the update expression has an incorrect data type"):
            music(f"UPDATE {{t}} SET {given.format(function)} {own}")
    with refused(REFUSED, "Empty bags are not supported"):
        music(f"UPDATE {{t}} SET ss = {function}(ss, <<>>) {own}")


def test_a_statement_is_checked_before_its_table_is_looked_for(music: Music) -> None:
    with refused(REFUSED, "Incorrect operand type for operator or function; operator or func"):
        music("SELECT * FROM NoSuchTable WHERE pk = 'a' AND n < ?", {"BOOL": True})
    with refused(REFUSED, "Path component cannot be an empty string"):
        music("SELECT * FROM \"\" WHERE pk = 'a'")


# An expression is no statement, and is told by what it is.
@pytest.mark.parametrize(
    ("expression", "operation"),
    [("1", "Literal"), ("n", "VariableReference"), ("m.x", "Path"), ("[1]", "Seq")],
)
def test_an_expression_is_no_statement(music: Music, expression: str, operation: str) -> None:
    with refused(REFUSED, f"Unsupported operation: {operation}"):
        music(expression)


def test_a_test_of_a_type_is_no_statement(music: Music) -> None:
    for type_ in ("NULL", "INT8", "DOUBLE PRECISION", "CHARACTER VARYING"):
        with refused(REFUSED, "Unsupported operation: IsType"):
            music(f"n IS {type_}")


def test_a_parameter_is_no_part_of_a_literal(music: Music, mine: str) -> None:
    given = f"UPDATE {{t}} SET q = {{'x': ?}} WHERE pk = '{mine}' AND sk = '1'"
    words = "Unsupported data type: Parameter under key root.x"
    with refused(REFUSED, words + place(music.named(given), "?")):
        music(given, text("v"))
    assert music("SELECT n FROM {t} WHERE pk = ? AND sk IN [?]", text(mine), text("1")) == [
        {"n": number(1)}
    ]


def test_a_literal_is_nested_as_deep_as_any_value(music: Music, mine: str) -> None:
    def update(depth: int) -> str:
        return f"UPDATE {{t}} SET q = {'[' * depth}1{']' * depth} WHERE pk = '{mine}' AND sk = '1'"

    assert music(update(31)) == []
    with refused(REFUSED, "Nesting Levels have exceeded supported limits"):
        music(update(32))


def test_a_write_names_one_item(music: Music, mine: str) -> None:
    own = f"WHERE pk = '{mine}' AND sk = '1'"
    assert music(f"UPDATE {{t}} SET n = 5 {own} AND pk = '{mine}'") == []
    for write in ("UPDATE {t} SET n = 1", "DELETE FROM {t}"):
        with refused(REFUSED, "Multiple conditions on same key sk. Only single item Update/Ins"):
            music(f"{write} {own} AND sk = '2'")


# What is not there is deleted already, whatever else is said of it.
def test_a_deletion_of_nothing_succeeds_whatever_it_asks(music: Music, pk: str) -> None:
    assert music(f"DELETE FROM {{t}} WHERE pk = '{pk}' AND sk = '1' AND n = 1") == []
    assert batch(music, f"DELETE FROM {{t}} WHERE pk = '{pk}' AND sk = '1' AND n = 1") == [
        {"TableName": music.table}
    ]


@pytest.mark.parametrize(
    "where",
    [
        "pk = 'a' AND n = 1 OR pk = 'a' AND sk = '2'",
        "pk = 'a' AND (sk = '1' OR n = 2)",
        "pk = 'a' AND (sk > '0' OR sk < '2')",
        "pk = 'a' OR pk = 'a'",
        "pk IN ['a', 'b', 'a']",
    ],
)
def test_branches_that_overlap_are_refused(music: Music, where: str) -> None:
    with refused(REFUSED, "Overlapping conditions with range keys are not supported in where"):
        music(f"SELECT sk FROM {{t}} WHERE {where}")


def test_a_select_reads_at_most_fifty_parts(music: Music) -> None:
    def some(count: int) -> str:
        return ", ".join(f"'{at}'" for at in range(count))

    assert music(f"SELECT sk FROM {{t}} WHERE pk = 'a' AND sk IN [{some(50)}]") != []
    assert music(f"SELECT sk FROM {{t}} WHERE pk IN [{some(51)}] OR n = 1") != []
    for where in (f"pk IN [{some(51)}]", f"pk IN [{some(26)}] AND sk IN ['1', '2']"):
        with refused(REFUSED, "Too many decomposed read operations for a given query."):
            music(f"SELECT sk FROM {{t}} WHERE {where}")


def test_a_deletion_returns_what_was_or_nothing(music: Music) -> None:
    words = "Only RETURNING ALL OLD * is allowed in DELETE statements."
    for returning in ("ALL NEW", "MODIFIED OLD", "MODIFIED NEW"):
        with refused(REFUSED, f"Invalid returning clause: RETURNING {returning} *. {words}"):
            music(f"DELETE FROM {{t}} WHERE pk = 'x' AND sk = '1' RETURNING {returning} *")


# Indexes.
def test_an_index_is_named_in_two_parts(music: Music) -> None:
    for other in ("nope", music.table):
        with pytest.raises(ClientError, match="does not have the specified index$"):
            music(f"SELECT * FROM {{t}}.\"{other}\" WHERE g = 'g1'")
    with refused(REFUSED, "A path may contain at most 2 components in the FROM clause"):
        music("SELECT * FROM {t}.by_g.more")
    with refused(REFUSED, "Path component cannot be an empty string"):
        music('SELECT * FROM {t}.""')
    with refused(REFUSED, "Strongly consistent read is not supported on Global Secondary Indexes"):
        music("SELECT * FROM {t}.by_g WHERE g = 'g1'", ConsistentRead=True)


def test_nothing_is_written_through_an_index(music: Music) -> None:
    with refused(REFUSED, "FROM clause may only contain a single table name"):
        music("INSERT INTO {t}.by_g VALUE {'pk': 'x', 'sk': '1'}")
    for write in ("UPDATE {t}.by_g SET n = 1", "DELETE FROM {t}.by_g"):
        with refused(REFUSED, "This operation is not supported on an index"):
            music(f"{write} WHERE pk = 'a' AND sk = '1'")


def test_an_index_with_a_key_of_several_attributes_is_not_read(music: Music) -> None:
    words = "cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE"
    for select in ("*", "COUNT(*)"):
        for where in ("", "WHERE g = 'g1'", "WHERE g = 5"):
            with refused(REFUSED, words):
                music(f"SELECT {select} FROM {{t}}.by_two {where}")
    assert sorts(music("SELECT sk FROM {t}.by_g WHERE g = 'g1'")) == ["0", "1", "2"]


def test_an_index_is_filtered_by_what_it_holds(music: Music) -> None:
    words = "does not project one or more filter attributes: [t]"
    for where in ("t = 'word'", "NOT t = 'word'", "t IS MISSING", "begins_with(t, 'w')"):
        with refused(REFUSED, f"Secondary index some_of_g {words}"):
            music(f"SELECT pk FROM {{t}}.some_of_g WHERE g = 'g1' AND {where}")
    with refused(REFUSED, f"Secondary index some_of_g {words}"):
        music("SELECT pk FROM {t}.some_of_g WHERE g IN ['g1', 'g2'] AND t = 'word'")
    with refused(REFUSED, f"Secondary index by_l {words}"):
        music("SELECT pk FROM {t}.by_l WHERE pk = 'a' AND l > 0 AND t = 'word'")
    assert sorts(music("SELECT sk FROM {t}.some_of_g WHERE g = 'g1' AND n = 1")) == ["1"]


# What an index does not hold is as if it were missing, where all of the index is read.
def test_a_scan_of_an_index_misses_what_it_does_not_hold(music: Music) -> None:
    for name in ("some_of_g", "keys_of_g", "by_l"):
        assert music(f"SELECT sk FROM {{t}}.{name} WHERE t = 'word'") == []
        result = music(f"SELECT sk FROM {{t}}.{name} WHERE NOT t = 'word'")
        assert sorts(result) == ["0", "1", "2"]
    # Nor does a branch refuse that holds more, where another does not.
    assert music("SELECT sk FROM {t}.some_of_g WHERE (g = 'g1' AND t = 'x') OR g = 'g2'") == []
    with refused(REFUSED, "does not project one or more filter attributes: [f]"):
        music("SELECT sk FROM {t}.some_of_g WHERE (g = 'b' AND t = 'x') OR (g = 'c' AND f = true)")


def test_attributes_that_a_global_index_does_not_project_are_reported_in_order(
    music: Music,
) -> None:
    with refused(REFUSED, "Global secondary index keys_of_g does not project [t, n]"):
        music("SELECT t, sk, n FROM {t}.keys_of_g WHERE g = 'g1'")


def test_a_local_index_fetches_the_rest_at_a_price(music: Music) -> None:
    def cost(select: str, where: str = "pk = 'a'", **more: Any) -> tuple[float, float]:
        reply = music.boto.execute_statement(
            Statement=music.named(f"SELECT {select} FROM {{t}}.by_l WHERE {where}"),
            ReturnConsumedCapacity="INDEXES",
            **more,
        )
        used = reply["ConsumedCapacity"]
        units = used["LocalSecondaryIndexes"]["by_l"]["CapacityUnits"]
        return used["Table"]["CapacityUnits"], units

    assert cost("*") == (0, 0.5)
    assert cost("l, sk") == (0, 0.5)
    assert cost("t") == (1.5, 0.5)
    assert cost("t", "pk = 'a' AND sk = '5'") == (1.5, 0.5)
    assert cost("t", ConsistentRead=True) == (3, 1)
    assert cost("t", Limit=1) == (0.5, 0.5)


# Batches and transactions.
def test_a_batch_reads_by_the_key_and_nothing_else(music: Music) -> None:
    words = (
        "Select statements within BatchExecuteStatement must specify the primary key in the where "
        "clause."
    )
    request = (
        "SELECT * FROM {t} WHERE pk = 'a'",
        "SELECT * FROM {t} WHERE pk = 'a' AND sk = '1' AND n = 1",
        "SELECT * FROM {t} WHERE pk = 'a' AND sk = '1' AND attribute_exists(n)",
        "SELECT * FROM {t}.by_g WHERE pk = 'a' AND sk = '1' AND g = 'g1'",
    )
    refusal = {"Error": {"Code": "ValidationError", "Message": words}}
    assert batch(music, *request) == [refusal] * len(request)


def test_a_transaction_reads_by_the_key_and_nothing_else(music: Music) -> None:
    words = "Validation failed in TransactStatements[1]: Select statements within ExecuteTransac"
    whole = "SELECT n FROM {t} WHERE sk = '1' AND pk = 'a'"
    assert transact(music, whole) == [{"Item": {"n": number(1)}}]
    with refused(REFUSED, words):
        transact(music, whole, "SELECT n FROM {t} WHERE pk = 'a' AND sk = '1' AND n = 1")
    with refused(REFUSED, "[0]: Reads on indices are not supported within transactions."):
        transact(music, "SELECT * FROM {t}.by_g WHERE g = 'g1'")


# Which statement it was is told, except of a parameter: those are looked at first.
def test_a_transaction_reports_which_statement_is_wrong(music: Music) -> None:
    good = "UPDATE {t} SET n = 1 WHERE pk = 'x' AND sk = '1'"
    with refused(REFUSED, f"Validation failed in TransactStatements[1]: {BAD}Unexpected term"):
        transact(music, good, "UPDATE {t} SET n = 1 WHERE")
    with refused(REFUSED, "Validation failed in TransactStatements[0]: Incorrect operand type"):
        transact(music, "UPDATE {t} SET n = 'a' + 1 WHERE pk = 'x' AND sk = '1'")
    request = {"Statement": music.named(good.replace("1 W", "? W")), "Parameters": [number("x")]}
    with pytest.raises(ClientError, match=": The parameter cannot be converted"):
        music.boto.execute_transaction(TransactStatements=[request])


def test_a_transaction_returns_nothing_and_checks_something(music: Music) -> None:
    own = "WHERE pk = 'a' AND sk = '1'"
    with refused(REFUSED, "[0]: RETURNING clause is not supported in ExecuteTransaction."):
        transact(music, f"DELETE FROM {{t}} {own} RETURNING ALL OLD *")
    with refused(REFUSED, "[0]: EXISTS() must contain a single item read with additional cond"):
        transact(music, f"EXISTS(SELECT * FROM {{t}} {own})")
    with refused(REFUSED, "EXISTS can only be used in ExecuteTransaction write requests."):
        music(f"EXISTS(SELECT * FROM {{t}} {own})")


def test_a_repeated_transaction_costs_reading_its_items(music: Music, mine: str) -> None:
    requests = f"UPDATE {{t}} SET n = n + 1 WHERE pk = '{mine}' AND sk = '1'"
    request = {
        "TransactStatements": [{"Statement": music.named(requests)}],
        "ClientRequestToken": mine,
        "ReturnConsumedCapacity": "TOTAL",
    }
    first = music.boto.execute_transaction(**request)["ConsumedCapacity"]
    again = music.boto.execute_transaction(**request)["ConsumedCapacity"]
    reply = {"TableName": music.table, "CapacityUnits": 2.0}
    assert first == [reply | {"WriteCapacityUnits": 2.0}]
    assert again == [reply | {"ReadCapacityUnits": 2.0}]
    item = music.item(mine, "1")
    assert item is not None
    assert item["n"] == number(2)
