"""Emulated transactions: the engine's own are the oracle; one writer; nothing half done."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import (
    ResourceNotFound,
    ServiceError,
    StoreUnavailable,
    TransactionCanceled,
    ValidationError,
)
from tablewright.stores.alternator.emulated_transactions import (
    AsyncEmulatedTransactions,
    EmulatedTransactions,
)
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore, EmbeddedStore
from tablewright.stores.store import Store
from tests.stores.operations import Things, get, key, number, text, thing

KEYS = "abc"


@pytest.fixture
def store(database: Database) -> EmulatedTransactions:
    store = EmulatedTransactions(EmbeddedStore(database))
    store.ensure_tables([Things()])
    return store


def write(store: Store, *actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return store.call("TransactWriteItems", {"TransactItems": list(actions), **more})


def put(item: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": "things", "Item": item, **more}}


def rows(store: Store) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = store.call("Scan", {"TableName": "things"})["Items"]
    return sorted(result, key=lambda row: row["pk"]["S"])


# Against the engine.

CONDITIONS: list[dict[str, Any]] = [
    {},
    {"ConditionExpression": "attribute_exists(pk)"},
    {"ConditionExpression": "attribute_not_exists(pk)"},
    {
        "ConditionExpression": "#n > :one",
        "ExpressionAttributeNames": {"#n": "n"},
        "ExpressionAttributeValues": {":one": number(1)},
    },
]
UPDATES: list[tuple[str, dict[str, Any]]] = [
    ("ADD n :v", {":v": number(1)}),
    ("SET n = n + :v", {":v": number(1)}),
    ("SET m.x = :v", {":v": number(1)}),
    ("SET g = :v", {":v": text("g")}),
    ("SET g = :v", {":v": number(1)}),
    ("SET g = :v", {":v": text("")}),
    ("SET pk = :v", {":v": text("a")}),
    ("SET n = :unknown", {":v": number(1)}),
    ("REMOVE n", {}),
    ("SET n = if_not_exists(n, :v), m = :m", {":v": number(1), ":m": {"M": {}}}),
]


def random_key(random: Random) -> dict[str, Any]:
    result = random.random()
    if result < 0.03:
        return {"pk": number(1), "sk": text("a")}
    if result < 0.05:
        return {"pk": text("a")}
    if result < 0.07:
        return {"pk": text(""), "sk": text("a")}
    return key(random.choice(KEYS))


def random_action(random: Random) -> dict[str, Any]:
    kind = random.choice(["ConditionCheck", "Put", "Delete", "Update", "Update"])
    table = "nowhere" if random.random() < 0.02 else "things"
    requested: dict[str, Any] = {"TableName": table, **random.choice(CONDITIONS)}
    if random.random() < 0.5:
        requested["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    if kind == "Put":
        g = random.choice([{}, {"g": text("g")}, {"g": number(1)}, {"g": text("")}])
        requested["Item"] = {**random_key(random), "n": {"N": f"{random.randrange(3)}.0"}, **g}
    else:
        requested["Key"] = random_key(random)
    if kind == "Update":
        expression, values = random.choice(UPDATES)
        requested["UpdateExpression"] = expression
        merged = {**requested.get("ExpressionAttributeValues", {}), **values}
        if merged:
            requested["ExpressionAttributeValues"] = merged
    if kind == "ConditionCheck":
        requested.setdefault("ConditionExpression", "attribute_exists(pk)")
    return {kind: requested}


def outcome(store: Store, operation: str, request: dict[str, Any]) -> Any:
    try:
        return store.call(operation, request)
    except ServiceError as error:
        return error.code, error.message, error.fields


def differences(tried: Store, oracle: Store, random: Random, times: int) -> list[Any]:
    """Requests that two stores answer differently, or that leave different rows."""
    result = []
    for _ in range(times):
        actions = [random_action(random) for _ in range(random.choice([1, 1, 2, 3]))]
        request: dict[str, Any] = {"TransactItems": actions}
        if random.random() < 0.3:
            request["ClientRequestToken"] = random.choice("xyz")
        answers = [outcome(store, "TransactWriteItems", request) for store in (tried, oracle)]
        if answers[0] != answers[1] or rows(tried) != rows(oracle):
            result.append((request, answers))
        gets = [{"Get": {"TableName": "things", "Key": random_key(random)}} for _ in range(2)]
        reading = {"TransactItems": gets}
        seen = [outcome(store, "TransactGetItems", reading) for store in (tried, oracle)]
        if seen[0] != seen[1]:
            result.append((reading, seen))
    return result


@pytest.mark.parametrize("seed", range(4))
def test_emulated_transactions_are_those_of_the_engine(
    store: EmulatedTransactions, seed: int
) -> None:
    with Database.open() as other:
        oracle = EmbeddedStore(other)
        oracle.ensure_tables([Things()])
        assert differences(store, oracle, Random(seed), 400) == []


def test_the_comparison_finds_a_planted_difference(
    store: EmulatedTransactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablewright.stores.alternator.emulated_actions.MULTIPLE", "planted")
    with Database.open() as other:
        oracle = EmbeddedStore(other)
        oracle.ensure_tables([Things()])
        assert differences(store, oracle, Random(0), 200) != []


# The intent.


class Failing(Store):
    """Another store whose nth call fails: before it had its effect, or after."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner.context)
        self.inner = inner
        self.fails_at: int | None = None
        self.is_after = False
        self.calls: list[str] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(operation)
        fails = len(self.calls) == self.fails_at
        if fails and not self.is_after:
            raise StoreUnavailable("planted")
        reply = self.inner.call(operation, request)
        if fails:
            raise StoreUnavailable("planted")
        return reply

    def close(self) -> None: ...


def test_a_failure_is_made_good_before_the_next_write(store: EmulatedTransactions) -> None:
    failing = Failing(store.inner)
    broken = EmulatedTransactions(failing)
    broken.recover()
    failing.calls.clear()
    write(broken, put(thing("a")), put(thing("b")), ClientRequestToken="t0")
    calls = list(failing.calls)
    assert calls[-3:] == ["PutItem", "BatchWriteItem", "PutItem"]
    failing.calls.clear()
    failing.fails_at = len(calls) - 1 - calls.count("DescribeTable")
    with pytest.raises(StoreUnavailable, match="planted"):
        write(broken, put(thing("a", n=number(1))), put(thing("c")), ClientRequestToken="t1")
    assert rows(store) == [thing("a"), thing("b")]
    broken.call("PutItem", {"TableName": "things", "Item": thing("d")})
    assert thing("c") in rows(store)
    assert thing("a", n=number(1)) in rows(store)
    # And its token is known: asking again has no second effect.
    broken.call("DeleteItem", {"TableName": "things", "Key": key("c")})
    write(broken, put(thing("a", n=number(1))), put(thing("c")), ClientRequestToken="t1")
    assert thing("c") not in rows(store)


def test_what_the_endpoint_refuses_is_undone(database: Database) -> None:
    class Strict(Failing):
        """Has a rule of its own."""

        def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if "'forbidden'" in repr(request) and operation == "BatchWriteItem":
                wishes = request["RequestItems"]["things"]
                self.inner.call(operation, {"RequestItems": {"things": wishes[:1]}})
                raise ValidationError("I do not like this")
            return self.inner.call(operation, request)

    strict = EmulatedTransactions(Strict(EmbeddedStore(database)))
    strict.ensure_tables([Things()])
    write(strict, put(thing("a", n=number(1))))
    for _ in range(2):
        with pytest.raises(ValidationError, match="do not like"):
            write(
                strict,
                put(thing("a", n=number(2))),
                put(thing("b", x=text("forbidden"))),
                ClientRequestToken="t",
            )
        assert rows(strict) == [thing("a", n=number(1))]
    write(strict, put(thing("c")))


def test_a_second_writer_is_noticed(database: Database) -> None:
    one = EmulatedTransactions(EmbeddedStore(database))
    one.ensure_tables([Things()])
    write(one, put(thing("a")))
    two = EmulatedTransactions(EmbeddedStore(database))
    two.recover()
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="another process writes"):
            write(one, put(thing("b")))
    write(two, put(thing("c")))
    assert {row["pk"]["S"] for row in rows(two)} == {"a", "c"}


def test_a_transaction_of_any_size_is_kept(store: EmulatedTransactions, database: Database) -> None:
    large = [thing(f"{n}", t=text("ß" * 40_000)) for n in range(40)]
    write(store, *map(put, large))
    assert len(rows_by_page(store)) == 40
    assert [row["id"]["S"] for row in intents(store)] == ["current"]


def rows_by_page(store: Store) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    request: dict[str, Any] = {"TableName": "things"}
    while True:
        page = store.call("Scan", request)
        result += page["Items"]
        if "LastEvaluatedKey" not in page:
            return result
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def intents(store: Store) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = store.call("Scan", {"TableName": "tablewright-intents"})["Items"]
    return result


def test_leftovers_of_batches_are_not_lost(database: Database) -> None:
    class Lazy(Failing):
        """Leaves all but the first of every batch undone."""

        def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            left = {"BatchGetItem": "UnprocessedKeys", "BatchWriteItem": "UnprocessedItems"}
            if operation not in left:
                return self.inner.call(operation, request)
            wishes = request["RequestItems"]["things"]
            is_get = operation == "BatchGetItem"
            all_of = wishes["Keys"] if is_get else wishes
            first, rest = all_of[:1], all_of[1:]

            def of(some: list[Any]) -> dict[str, Any]:
                return {"things": {**wishes, "Keys": some} if is_get else some}

            reply = self.inner.call(operation, {"RequestItems": of(first)})
            return {**reply, left[operation]: of(rest) if rest else {}}

    pauses: list[float] = []
    lazy = Lazy(EmbeddedStore(database))
    lazy.sleep = pauses.append
    store = EmulatedTransactions(lazy)
    store.ensure_tables([Things()])
    write(store, *[put(thing(f"{n}")) for n in range(4)])
    assert len(rows(store)) == 4
    assert len(pauses) == 6
    with pytest.raises(TransactionCanceled):
        write(
            store,
            *[put(thing(f"{n}"), ConditionExpression="attribute_not_exists(pk)") for n in range(4)],
        )
    with pytest.raises(StoreUnavailable, match="left items unprocessed 10 times"):
        write(store, *[put(thing(f"{n}", n=number(1))) for n in range(12)])


def test_tokens_are_forgotten_after_ten_minutes() -> None:
    now = [0.0]
    add = {
        "Update": {
            "TableName": "things",
            "Key": key("p"),
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": number(1)},
        }
    }
    with Database.open(clock=lambda: now[0]) as database:
        store = EmulatedTransactions(EmbeddedStore(database, clock=lambda: now[0]))
        store.ensure_tables([Things()])
        for moment, count in ((0, 1), (599, 1), (600, 2), (601, 2)):
            now[0] = float(moment)
            write(store, add, ClientRequestToken="t")
            assert store.run(get(key("p")))["Item"]["n"] == number(count)


def test_a_table_that_was_deleted_meanwhile_does_not_stop_recovery(database: Database) -> None:
    base = EmbeddedStore(database)
    store = EmulatedTransactions(failing := Failing(base))
    store.ensure_tables([Things(), Things("others")])
    failing.calls.clear()
    failing.fails_at = 5  # Two descriptions, the rows, the intent; then applying it.
    with pytest.raises(StoreUnavailable):
        write(store, put(thing("a")), {"Put": {"TableName": "others", "Item": thing("b")}})
    base.call("DeleteTable", {"TableName": "others"})
    again = EmulatedTransactions(base)
    again.recover()
    assert rows(again) == [thing("a")]
    with pytest.raises(ResourceNotFound):
        again.run(get(key("b"), table="others"))


def test_a_cancelled_caller_does_not_break_a_transaction_off(database: Database) -> None:
    async def main() -> None:
        async with AsyncEmulatedTransactions(AsyncEmbeddedStore(database)) as store:
            await store.ensure_tables([Things()])
            request = {"TransactItems": [put(thing("a")), put(thing("b"))]}
            task = asyncio.ensure_future(store.call("TransactWriteItems", request))
            for _ in range(3):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert rows(EmbeddedStore(database)) == [thing("a"), thing("b")]
