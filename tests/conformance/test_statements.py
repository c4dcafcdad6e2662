"""PartiQL over HTTP: ExecuteStatement, BatchExecuteStatement, ExecuteTransaction.

Developer guide, "PartiQL - a SQL-compatible query language for Amazon DynamoDB"; the messages are
DynamoDB Local's.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .calls import index, number, refused, text

ELEMENTS = [text("q"), number(2)]
FULL = {
    "m": {"M": {"x": number(1)}},
    "l": {"L": ELEMENTS},
    "ss": {"SS": ["a", "b"]},
}


class Music:
    """A table of its own, and statements about it: ``{t}`` is its name, quoted."""

    def __init__(self, boto: Any, table: str) -> None:
        self.boto = boto
        self.table = table

    def __call__(self, statement: str, *parameters: Any, **more: Any) -> list[dict[str, Any]]:
        if parameters:
            more["Parameters"] = list(parameters)
        reply = self.boto.execute_statement(Statement=self.named(statement), **more)
        return list(reply["Items"])

    def named(self, statement: str) -> str:
        return statement.replace("{t}", f'"{self.table}"')

    def item(self, pk: str, sk: str) -> dict[str, Any] | None:
        reply = self.boto.get_item(TableName=self.table, Key={"pk": text(pk), "sk": text(sk)})
        return reply.get("Item")


@pytest.fixture(scope="module")
def shared(endpoint: str, boto_of: Callable[[str], Any], new_table: Callable[..., str]) -> str:
    """A table with three items of a and one of b; no test changes them."""
    table = new_table("pk", "sk", GlobalSecondaryIndexes=[index("by_g", ["g", "h"], "ALL")])
    client = boto_of(endpoint)
    for at in range(3):
        item = {"pk": text("a"), "sk": text(str(at)), "n": number(at), "g": text("g1"), **FULL}
        client.put_item(TableName=table, Item=item | {"h": number(at)})
    client.put_item(TableName=table, Item={"pk": text("b"), "sk": text("1"), "n": number(9)})
    return table


@pytest.fixture
def music(boto: Any, shared: str) -> Music:
    return Music(boto, shared)


def sorts(items: list[dict[str, Any]]) -> list[str]:
    return sorted(item["sk"]["S"] for item in items)


# "PartiQL select statements for DynamoDB".
@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("", ["0", "1", "1", "2"]),
        ("WHERE pk = 'a'", ["0", "1", "2"]),
        ("WHERE 'a' = pk", ["0", "1", "2"]),
        ("WHERE pk = 'a' AND sk = '1'", ["1"]),
        ("where pk = 'a' and sk between '1' and '2'", ["1", "2"]),
        ("WHERE pk = 'a' AND sk > '0'", ["1", "2"]),
        ("WHERE pk = 'a' AND sk >= '1' AND sk < '2'", ["1"]),
        ("WHERE pk = 'a' AND begins_with(sk, '1')", ["1"]),
        ("WHERE pk IN ['a', 'b'] AND sk = '1'", ["1", "1"]),
        ("WHERE pk IN ('a', 'c')", ["0", "1", "2"]),
        ("WHERE pk = 'a' OR pk = 'b'", ["0", "1", "1", "2"]),
        ("WHERE pk = 'a' AND (sk = '0' OR sk = '2')", ["0", "2"]),
        ("WHERE pk = 'a' AND pk = 'b'", []),
        ("WHERE n > 1", ["1", "2"]),
        ("WHERE n <> 1 AND n != 2", ["0", "1"]),
        ("WHERE NOT n = 9", ["0", "1", "2"]),
        ("WHERE n IN [0, 9]", ["0", "1"]),
        ("WHERE g IS MISSING", ["1"]),
        ("WHERE g IS NOT MISSING", ["0", "1", "2"]),
        ("WHERE g IS NULL", []),
        ("WHERE contains(g, 'g')", ["0", "1", "2"]),
        ("WHERE attribute_type(n, 'N')", ["0", "1", "1", "2"]),
        ("WHERE size(g) > 1", ["0", "1", "2"]),
        ("WHERE m.x = 1 AND l[0] = 'q'", ["0", "1", "2"]),
        ("WHERE pk = 'none'", []),
    ],
)
def test_a_select_finds_what_its_condition_says(music: Music, where: str, found: list[str]) -> None:
    assert sorts(music(f"SELECT sk FROM {{t}} {where}")) == found


def test_a_select_shows_what_it_names(music: Music) -> None:
    where = "WHERE pk = 'a' AND sk = '1'"
    [item] = music(f"SELECT * FROM {{t}} {where}")
    assert item == music.item("a", "1")
    assert music(f"SELECT pk, n, gone FROM {{t}} {where}") == [{"pk": text("a"), "n": number(1)}]
    nested = music(f"SELECT m.x, l[0] FROM {{t}} {where}")
    assert nested == [{"x": number(1), "l[0]": text("q")}]
    assert music("SELECT sk FROM {t} WHERE pk = 'b';") == [{"sk": text("1")}]


def test_an_index_is_named_after_its_table(music: Music) -> None:
    assert sorts(music("SELECT sk FROM {t}.\"by_g\" WHERE g = 'g1' AND h > 0")) == ["1", "2"]
    assert sorts(music("SELECT sk FROM {t}.by_g WHERE g = 'g1'")) == ["0", "1", "2"]
    with refused("ValidationException", "The table does not have the specified index"):
        music("SELECT sk FROM {t}.nope WHERE g = 'g1'")


def test_parameters_stand_for_values(music: Music) -> None:
    result = music("SELECT sk FROM {t} WHERE pk = ? AND sk > ?", text("a"), text("0"))
    assert sorts(result) == ["1", "2"]
    with refused("ValidationException", "Number of parameters in request and statement don't"):
        music("SELECT sk FROM {t} WHERE pk = ? AND sk > ?", text("a"))
    with refused("ValidationException", "Number of parameters in request and statement don't"):
        music("SELECT sk FROM {t} WHERE pk = ?")


def test_pages_go_on_with_their_token(music: Music) -> None:
    for where in ("", "WHERE pk = 'a'", "WHERE pk IN ['a', 'b']"):
        statement = music.named(f"SELECT pk, sk FROM {{t}} {where}")
        results: list[Any] = []
        more: dict[str, Any] = {}
        while True:
            page = music.boto.execute_statement(Statement=statement, Limit=1, **more)
            assert len(page["Items"]) <= 1
            results += page["Items"]
            if "NextToken" not in page:
                break
            more = {"NextToken": page["NextToken"]}
        keys = [(item["pk"]["S"], item["sk"]["S"]) for item in results]
        assert len(set(keys)) == len(keys) == (3 if where == "WHERE pk = 'a'" else 4)
    with refused("ValidationException", "Invalid NextToken"):
        music("SELECT * FROM {t}", NextToken="nonsense")


def test_a_token_is_good_for_its_statement_alone(music: Music) -> None:
    page = music.boto.execute_statement(Statement=music.named("SELECT pk FROM {t}"), Limit=1)
    with refused("ValidationException", "NextToken does not match request"):
        music("SELECT sk FROM {t}", NextToken=page["NextToken"])


def test_the_order_is_that_of_the_sort_key(music: Music) -> None:
    down = music("SELECT sk FROM {t} WHERE pk = 'a' ORDER BY sk DESC")
    assert [item["sk"]["S"] for item in down] == ["2", "1", "0"]
    up = music("SELECT sk FROM {t} WHERE pk = 'a' ORDER BY pk, sk ASC")
    assert [item["sk"]["S"] for item in up] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT FROM {t}", "Statement wasn't well formed, can't be processed"),
        ("SELECT * FROM {t} WHERE", "Statement wasn't well formed, can't be processed"),
        ("SELECT * FROM {t} WHERE pk =", "Statement wasn't well formed, can't be processed"),
        ("SELECT count(*) FROM {t}", "Unexpected path component"),
        ("SELECT * FROM {t} LIMIT 1", "Unsupported clause: LIMIT"),
        ("SELECT pk AS p FROM {t}", "Aliasing is not supported"),
        ("SELECT sk FROM {t} WHERE pk = 'a' ORDER BY n", "must be part of the primary key"),
        ("SELECT sk FROM {t} ORDER BY sk", "Must have WHERE clause in the statement when using"),
        ("INSERT INTO {t} VALUES {'pk': 'x'}", "Statement wasn't well formed"),
        ("INSERT INTO {t} VALUE 'x'", "Unsupported format in item expression"),
        ("INSERT INTO {t} VALUE {\"pk\": 'x'}", "Tuple keys must be of type String"),
        ("INSERT INTO {t} VALUE {'pk': 'x'}", "Key attribute should be present in the item: Key"),
        ("INSERT INTO {t} VALUE {'pk': 1, 'sk': '1'}", "data type should match its data type"),
        ("UPDATE {t} WHERE pk = 'a' AND sk = '1'", "Statement wasn't well formed"),
        ("UPDATE {t} SET n = 1 WHERE pk = 'a'", "mandatory equality on all key attributes"),
        ("UPDATE {t} SET n = 1 WHERE pk = 'a' AND sk > '1'", "mandatory equality on all key"),
        ("UPDATE {t} SET n = 1 WHERE pk = 'a' AND sk = '1' OR n = 1", "mandatory equality on all"),
        ("UPDATE {t} SET pk = 'z' WHERE pk = 'a' AND sk = '1'", "This attribute is part of the ke"),
        ("DELETE FROM {t} WHERE pk = 'a'", "mandatory equality on all key attributes"),
        ("DELETE FROM {t}", "mandatory equality on all key attributes"),
    ],
)
def test_what_is_no_statement_is_refused(music: Music, statement: str, words: str) -> None:
    with refused("ValidationException", words):
        music(statement)


def test_a_table_that_is_not_there_is_not_found(music: Music) -> None:
    for statement in ("SELECT * FROM NoSuchTable", "INSERT INTO NoSuchTable VALUE {'pk': 'a'}"):
        with refused("ResourceNotFoundException"):
            music(statement)


# "PartiQL insert statements for DynamoDB".
def test_an_insert_makes_an_item_of_every_type(music: Music, pk: str) -> None:
    music(
        "INSERT INTO {t} VALUE {'pk': ?, 'sk': '1', 's': 'it''s', 'n': -1.50, 't': true, "
        "'z': null, 'l': [1, 'a', []], 'm': {'q': {'r': 1}}, 'ss': <<'a', 'b'>>, 'ns': <<1, 2>>}",
        text(pk),
    )
    assert music.item(pk, "1") == {
        "pk": text(pk),
        "sk": text("1"),
        "s": text("it's"),
        "n": number("-1.5"),
        "t": {"BOOL": True},
        "z": {"NULL": True},
        "l": {"L": [number(1), text("a"), {"L": []}]},
        "m": {"M": {"q": {"M": {"r": number(1)}}}},
        "ss": {"SS": ["a", "b"]},
        "ns": {"NS": ["1", "2"]},
    }
    with pytest.raises(ClientError, match="Duplicate primary key exists in table"):
        music("INSERT INTO {t} VALUE {'pk': ?, 'sk': '1'}", text(pk))


# "PartiQL update statements for DynamoDB".
@pytest.mark.parametrize(
    ("changes", "returning", "shown"),
    [
        ("SET n = 5", "", None),
        ("SET n = n + 1", "MODIFIED NEW", {"n": number(2)}),
        ("SET n = n - 3, q = 'x'", "MODIFIED NEW", {"n": number(-2), "q": text("x")}),
        ("SET n = 7 SET q = 'x' REMOVE m", "MODIFIED OLD", {"n": number(1), "m": FULL["m"]}),
        (
            "SET l = list_append(l, ['z'])",
            "MODIFIED NEW",
            {"l": {"L": [*FULL["l"]["L"], text("z")]}},
        ),
        ("SET c = if_not_exists(c, 1)", "MODIFIED NEW", {"c": number(1)}),
        ("SET m.x = 3", "MODIFIED NEW", {"m": {"M": {"x": number(3)}}}),
        ("SET ss = set_add(ss, <<'c'>>)", "MODIFIED NEW", {"ss": {"SS": ["a", "b", "c"]}}),
        ("SET ss = set_delete(ss, <<'a'>>)", "MODIFIED NEW", {"ss": {"SS": ["b"]}}),
    ],
)
def test_an_update_changes_what_it_says(
    music: Music, pk: str, changes: str, returning: str, shown: dict[str, Any] | None
) -> None:
    item = {"pk": text(pk), "sk": text("1"), "n": number(1), **FULL}
    music.boto.put_item(TableName=music.table, Item=item)
    reply = f"RETURNING {returning} *" if returning else ""
    result = music(f"UPDATE {{t}} {changes} WHERE pk = ? AND sk = '1' {reply}", text(pk))
    assert result == ([] if shown is None else [shown])
    whole = music(
        f"UPDATE {{t}} SET done = true WHERE pk = '{pk}' AND sk = '1' RETURNING ALL NEW *"
    )
    assert whole == [music.item(pk, "1")]


# As with UpdateItem, only what was touched is returned.
def test_of_a_list_only_what_was_removed_is_shown(music: Music, pk: str) -> None:
    item = {"pk": text(pk), "sk": text("1"), **FULL}
    music.boto.put_item(TableName=music.table, Item=item)
    removed = f"UPDATE {{t}} REMOVE l[0] WHERE pk = '{pk}' AND sk = '1' RETURNING MODIFIED OLD *"
    assert music(removed) == [{"l": {"L": [text("q")]}}]


def test_an_update_makes_no_item_and_heeds_its_condition(music: Music, pk: str) -> None:
    with refused("ConditionalCheckFailedException"):
        music("UPDATE {t} SET n = 1 WHERE pk = ? AND sk = '1'", text(pk))
    assert music.item(pk, "1") is None
    with refused("ConditionalCheckFailedException"):
        music("UPDATE {t} SET n = 1 WHERE pk = 'a' AND sk = '1' AND n = 99")


# "PartiQL delete statements for DynamoDB".
def test_a_delete_heeds_its_condition_and_minds_no_missing_item(music: Music, pk: str) -> None:
    item = {"pk": text(pk), "sk": text("1"), "n": number(1)}
    music.boto.put_item(TableName=music.table, Item=item)
    with refused("ConditionalCheckFailedException"):
        music("DELETE FROM {t} WHERE pk = ? AND sk = '1' AND n = 2", text(pk))
    deleted = f"DELETE FROM {{t}} WHERE pk = '{pk}' AND sk = '1' AND n = 1 RETURNING ALL OLD *"
    assert music(deleted) == [item]
    assert music(f"DELETE FROM {{t}} WHERE pk = '{pk}' AND sk = '1'") == []


# "Running batch operations with PartiQL for DynamoDB".
def batch(music: Music, *statements: str) -> list[dict[str, Any]]:
    requests = [{"Statement": music.named(statement)} for statement in statements]
    return list(music.boto.batch_execute_statement(Statements=requests)["Responses"])


def test_a_batch_answers_each_statement(music: Music, pk: str) -> None:
    one, none = batch(
        music,
        "SELECT n FROM {t} WHERE pk = 'a' AND sk = '1'",
        "SELECT n FROM {t} WHERE pk = 'none' AND sk = '1'",
    )
    assert one == {"TableName": music.table, "Item": {"n": number(1)}}
    assert none == {"TableName": music.table}
    taken, made, failed, wrong = batch(
        music,
        "INSERT INTO {t} VALUE {'pk': 'a', 'sk': '1'}",
        f"INSERT INTO {{t}} VALUE {{'pk': '{pk}', 'sk': '1'}}",
        "UPDATE {t} SET n = 1 WHERE pk = 'none' AND sk = '1'",
        "DELETE FROM {t}",
    )
    assert taken["Error"]["Code"] == "DuplicateItem"
    assert made == {"TableName": music.table}
    assert failed["Error"]["Code"] == "ConditionalCheckFailed"
    assert wrong["Error"]["Code"] == "ValidationError"
    assert music.item(pk, "1") is not None


def test_a_batch_reads_single_items_or_writes(music: Music) -> None:
    [many] = batch(music, "SELECT * FROM {t} WHERE pk = 'a'")
    assert many["Error"]["Code"] == "ValidationError"
    with refused("ValidationException", "Read and write requests together in the same batch"):
        batch(music, "SELECT * FROM {t} WHERE pk = 'a' AND sk = '1'", "DELETE FROM {t}")
    with refused("ValidationException"):
        batch(music, *["SELECT * FROM {t} WHERE pk = 'a' AND sk = '1'"] * 26)


# "Performing transactions with PartiQL for DynamoDB".
def transact(music: Music, *statements: str, **more: Any) -> list[dict[str, Any]]:
    requests = [{"Statement": music.named(statement)} for statement in statements]
    return list(music.boto.execute_transaction(TransactStatements=requests, **more)["Responses"])


def test_a_transaction_is_made_whole_or_not_at_all(music: Music, pk: str) -> None:
    insert = f"INSERT INTO {{t}} VALUE {{'pk': '{pk}', 'sk': '%s'}}"
    assert transact(music, insert % 1, insert % 2) == []
    with refused("TransactionCanceledException", ", None]"):
        transact(music, insert % 1, insert % 3)
    assert music.item(pk, "3") is None
    exists = "EXISTS(SELECT * FROM {t} WHERE pk = 'a' AND sk = '1' AND n = %s)"
    delete = f"DELETE FROM {{t}} WHERE pk = '{pk}' AND sk = '1'"
    with refused("TransactionCanceledException", "[ConditionalCheckFailed, None]"):
        transact(music, exists % 99, delete)
    assert transact(music, exists % 1, delete) == []
    assert music.item(pk, "1") is None


def test_a_transaction_reads_items(music: Music) -> None:
    select = "SELECT n FROM {t} WHERE pk = '%s' AND sk = '1'"
    assert transact(music, select % "a", select % "none") == [{"Item": {"n": number(1)}}, {}]
    with refused("ValidationException", "must specify the primary key in the where clause"):
        transact(music, "SELECT * FROM {t} WHERE pk = 'a'")
    with refused("ValidationException", "does not support both read and write operations"):
        transact(music, select % "a", "DELETE FROM {t} WHERE pk = 'x' AND sk = 'y'")


def test_a_transaction_happens_once_for_its_token(music: Music, pk: str) -> None:
    insert = f"INSERT INTO {{t}} VALUE {{'pk': '{pk}', 'sk': '1'}}"
    token = uuid.uuid4().hex
    assert transact(music, insert, ClientRequestToken=token) == []
    assert transact(music, insert, ClientRequestToken=token) == []
    with refused("IdempotentParameterMismatchException"):
        transact(music, insert.replace("'1'", "'2'"), ClientRequestToken=token)


def test_one_item_is_in_a_transaction_once(music: Music, pk: str) -> None:
    insert = f"INSERT INTO {{t}} VALUE {{'pk': '{pk}', 'sk': '1'}}"
    update = f"UPDATE {{t}} SET n = 1 WHERE pk = '{pk}' AND sk = '1'"
    with refused("ValidationException", "cannot include multiple operations on one item"):
        transact(music, insert, update)
