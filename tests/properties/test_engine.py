"""The engine against a plain dict: whatever is done to both, they agree.

The model knows DynamoDB only from its documentation: a dict of items, sorted when read. After every
step the whole table equals the dict and the self-check is clean; every query, paged to its end with
any page size, returns what sorting and filtering the dict returns.
"""

from __future__ import annotations

import shutil
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tablewright.engine.database import Database
from tablewright.errors import ConditionalCheckFailed, TransactionCanceled
from tests.endurance.effort import Effort

Key = tuple[str, str]
Item = dict[str, dict[str, Any]]

PARTITIONS = st.sampled_from(["a", "b", "ab", "ä"])
NUMBERS = st.sampled_from(["-100", "-1.5", "-1", "0", "0.001", "1", "2", "9", "10", "1E+30"])
SMALL = st.sampled_from(["-1", "0", "1", "2", "10"])
GROUPS = st.sampled_from(["x", "y"])
KEYS = st.tuples(PARTITIONS, NUMBERS)
LIMITS = st.integers(1, 5)


@st.composite
def attributes(draw: st.DrawFn) -> Item:
    """The attributes of an item besides its key: each of them may be missing."""
    drawn: Item = {}
    if draw(st.booleans()):
        drawn["g"] = {"S": draw(GROUPS)}
    if draw(st.booleans()):
        drawn["h"] = {"N": draw(SMALL)}
    if draw(st.booleans()):
        drawn["l"] = {"N": draw(SMALL)}
    if draw(st.booleans()):
        drawn["v"] = {"N": draw(SMALL)}
    if draw(st.booleans()):
        drawn["fill"] = {"S": "x" * draw(st.sampled_from([0, 10, 5000]))}
    return drawn


# A condition: its expression with #v and :v in it, and what it means for the stored item.
CONDITIONS: dict[str | None, Any] = {
    None: lambda item, value: True,
    "attribute_not_exists(#v)": lambda item, value: "v" not in item,
    "attribute_exists(#v)": lambda item, value: "v" in item,
    "#v = :v": lambda item, value: number(item, "v") == value,
    "#v < :v": lambda item, value: number(item, "v") is not None and number(item, "v") < value,
    "NOT #v >= :v": lambda item, value: (
        not (number(item, "v") is not None and number(item, "v") >= value)
    ),
}
CONDITION = st.tuples(st.sampled_from(list(CONDITIONS)), SMALL)

# An update: its expression, and what it does to a dict of attributes.
UPDATES: dict[str, Any] = {
    "SET v = :n": lambda item, n: item | {"v": {"N": n}},
    "ADD v :n": lambda item, n: item | {"v": {"N": plain((number(item, "v") or 0) + Decimal(n))}},
    "SET g = :g": lambda item, n: item | {"g": {"S": "x"}},
    "SET h = :n, l = :n": lambda item, n: item | {"h": {"N": n}, "l": {"N": n}},
    "SET l = if_not_exists(v, :n)": lambda item, n: item | {"l": item.get("v", {"N": n})},
    "REMOVE g, l": lambda item, n: {k: v for k, v in item.items() if k not in ("g", "l")},
}


def number(item: Item, name: str) -> Decimal | None:
    value = item.get(name)
    return None if value is None else Decimal(value["N"])


def plain(value: Decimal | int) -> str:
    return format(Decimal(value).normalize(), "f")


def canonical(item: Item) -> Item:
    return {
        name: {"N": plain(Decimal(value["N"]))} if "N" in value else value
        for name, value in item.items()
    }


def key_item(key: Key) -> Item:
    return canonical({"pk": {"S": key[0]}, "sk": {"N": key[1]}})


def key_of(item: Item) -> tuple[str, Decimal]:
    return item["pk"]["S"], Decimal(item["sk"]["N"])


class Engine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.path = str(Path(self.folder) / "model.db")
        self.database = Database.open(self.path, durability="relaxed")
        self.model: dict[tuple[str, Decimal], Item] = {}

    @initialize()
    def create(self) -> None:
        def schema(*names: str) -> list[dict[str, str]]:
            kinds = ("HASH", "RANGE")
            return [{"AttributeName": n, "KeyType": k} for n, k in zip(names, kinds, strict=True)]

        types = {"pk": "S", "sk": "N", "g": "S", "h": "N", "l": "N"}
        self.database.call(
            "CreateTable",
            {
                "TableName": "model",
                "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": schema("pk", "sk"),
                "AttributeDefinitions": [
                    {"AttributeName": n, "AttributeType": t} for n, t in types.items()
                ],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "by_g",
                        "KeySchema": schema("g", "h"),
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ],
                "LocalSecondaryIndexes": [
                    {
                        "IndexName": "by_l",
                        "KeySchema": schema("pk", "l"),
                        "Projection": {"ProjectionType": "KEYS_ONLY"},
                    }
                ],
            },
        )

    # Requests, and what they mean.

    def conditional(self, request: dict[str, Any], condition: tuple[str | None, str]) -> None:
        expression, value = condition
        if expression is not None:
            request["ConditionExpression"] = expression
            request.setdefault("ExpressionAttributeNames", {})["#v"] = "v"
            if ":v" in expression:
                request.setdefault("ExpressionAttributeValues", {})[":v"] = {"N": value}

    def holds(self, key: Key, condition: tuple[str | None, str]) -> bool:
        stored = self.model.get(key_of(key_item(key)), {})
        return bool(CONDITIONS[condition[0]](stored, Decimal(condition[1])))

    def action(
        self, kind: str, key: Key, extra: Item, update: str, condition: tuple[str | None, str]
    ) -> dict[str, Any]:
        request: dict[str, Any] = {"TableName": "model"}
        if kind == "Put":
            request["Item"] = key_item(key) | extra
        else:
            request["Key"] = key_item(key)
        if kind == "Update":
            request["UpdateExpression"] = update
            values = {":n": {"N": "1"}, ":g": {"S": "x"}}
            used = {name: value for name, value in values.items() if name in update}
            if used:
                request["ExpressionAttributeValues"] = used
        self.conditional(request, condition)
        return request

    def apply(self, kind: str, key: Key, extra: Item, update: str) -> None:
        place = key_of(key_item(key))
        if kind == "Put":
            self.model[place] = key_item(key) | canonical(extra)
        elif kind == "Delete":
            self.model.pop(place, None)
        elif kind == "Update":
            if place not in self.model and update.startswith("REMOVE"):
                return
            old = self.model.get(place, key_item(key))
            self.model[place] = canonical(UPDATES[update](old, "1"))

    @rule(
        kind=st.sampled_from(["Put", "Update", "Delete"]),
        key=KEYS,
        extra=attributes(),
        update=st.sampled_from(list(UPDATES)),
        condition=CONDITION,
    )
    def write(
        self, kind: str, key: Key, extra: Item, update: str, condition: tuple[str | None, str]
    ) -> None:
        request = self.action(kind, key, extra, update, condition)
        if self.holds(key, condition):
            self.database.call(f"{kind}Item", request)
            self.apply(kind, key, extra, update)
        else:
            with pytest.raises(ConditionalCheckFailed):
                self.database.call(f"{kind}Item", request)

    @rule(
        actions=st.lists(
            st.tuples(
                st.sampled_from(["Put", "Update", "Delete"]),
                KEYS,
                attributes(),
                st.sampled_from(list(UPDATES)),
                CONDITION,
            ),
            min_size=1,
            max_size=4,
            unique_by=lambda action: key_of(key_item(action[1])),
        )
    )
    def transact(self, actions: list[Any]) -> None:
        items = [{action[0]: self.action(*action)} for action in actions]
        expected = [
            "None" if self.holds(key, condition) else "ConditionalCheckFailed"
            for _, key, _, _, condition in actions
        ]
        if set(expected) != {"None"}:
            with pytest.raises(TransactionCanceled) as canceled:
                self.database.call("TransactWriteItems", {"TransactItems": items})
            assert [reason["Code"] for reason in canceled.value.reasons] == expected
            return
        self.database.call("TransactWriteItems", {"TransactItems": items})
        for kind, key, extra, update, _ in actions:
            self.apply(kind, key, extra, update)

    @rule(
        puts=st.lists(
            st.tuples(KEYS, attributes(), st.booleans()),
            min_size=1,
            max_size=5,
            unique_by=lambda put: key_of(key_item(put[0])),
        )
    )
    def batch(self, puts: list[tuple[Key, Item, bool]]) -> None:
        requests = [
            {"PutRequest": {"Item": key_item(key) | extra}}
            if is_put
            else {"DeleteRequest": {"Key": key_item(key)}}
            for key, extra, is_put in puts
        ]
        self.database.call("BatchWriteItem", {"RequestItems": {"model": requests}})
        for key, extra, is_put in puts:
            self.apply("Put" if is_put else "Delete", key, extra, "")

    @rule()
    def reopen(self) -> None:
        self.database.close()
        self.database = Database.open(self.path, durability="relaxed")

    # Reading.

    def pages(self, operation: str, request: dict[str, Any]) -> list[Item]:
        """Every item, page by page; a page never holds more than its limit."""
        found: list[Item] = []
        start: dict[str, Any] = {}
        while True:
            page = self.database.call(operation, {"TableName": "model", **request, **start})
            assert page["Count"] == len(page["Items"])
            assert page["ScannedCount"] <= request.get("Limit", 10**9)
            found += page["Items"]
            assert len(found) <= len(self.model), "a page came twice"
            if "LastEvaluatedKey" not in page:
                return found
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    @rule(
        partition=PARTITIONS,
        bounds=st.one_of(
            st.none(),
            st.tuples(st.sampled_from(["=", "<", "<=", ">", ">="]), NUMBERS, NUMBERS),
            st.tuples(st.just("BETWEEN"), NUMBERS, NUMBERS),
        ),
        limit=LIMITS,
        forward=st.booleans(),
    )
    def query(self, partition: str, bounds: Any, limit: int, forward: bool) -> None:
        values = {":p": {"S": partition}}
        condition = "pk = :p"
        expected = [item for key, item in self.model.items() if key[0] == partition]
        if bounds is not None:
            operator, first, second = bounds
            low, high = sorted((Decimal(first), Decimal(second)))
            values[":a"] = {"N": str(low)}
            if operator == "BETWEEN":
                condition += " AND sk BETWEEN :a AND :b"
                values[":b"] = {"N": str(high)}
                expected = [i for i in expected if low <= key_of(i)[1] <= high]
            else:
                condition += f" AND sk {operator} :a"
                compare = {
                    "=": Decimal.__eq__,
                    "<": Decimal.__lt__,
                    "<=": Decimal.__le__,
                    ">": Decimal.__gt__,
                    ">=": Decimal.__ge__,
                }[operator]
                expected = [i for i in expected if compare(key_of(i)[1], low)]
        expected.sort(key=lambda item: key_of(item)[1], reverse=not forward)
        found = self.pages(
            "Query",
            {
                "KeyConditionExpression": condition,
                "ExpressionAttributeValues": values,
                "Limit": limit,
                "ScanIndexForward": forward,
            },
        )
        assert found == expected

    @rule(group=GROUPS, limit=LIMITS, forward=st.booleans())
    def query_global_index(self, group: str, limit: int, forward: bool) -> None:
        held = [i for i in self.model.values() if i.get("g") == {"S": group} and "h" in i]
        found = self.pages(
            "Query",
            {
                "IndexName": "by_g",
                "KeyConditionExpression": "g = :g",
                "ExpressionAttributeValues": {":g": {"S": group}},
                "Limit": limit,
                "ScanIndexForward": forward,
            },
        )
        assert sorted(map(key_of, found)) == sorted(map(key_of, held))
        assert all(item == self.model[key_of(item)] for item in found)
        order = [number(item, "h") for item in found]
        assert order == sorted(order, key=lambda n: n or 0, reverse=not forward)

    @rule(partition=PARTITIONS, limit=LIMITS)
    def query_local_index(self, partition: str, limit: int) -> None:
        held = [i for i in self.model.values() if i["pk"] == {"S": partition} and "l" in i]
        found = self.pages(
            "Query",
            {
                "IndexName": "by_l",
                "KeyConditionExpression": "pk = :p",
                "ExpressionAttributeValues": {":p": {"S": partition}},
                "Limit": limit,
            },
        )
        projected = [{name: item[name] for name in ("pk", "sk", "l")} for item in held]
        assert sorted(found, key=key_of) == sorted(projected, key=key_of)
        order = [number(item, "l") for item in found]
        assert order == sorted(order, key=lambda n: n or 0)

    @rule(segments=st.integers(1, 4), limit=LIMITS, index=st.sampled_from([None, "by_g"]))
    def scan_in_segments(self, segments: int, limit: int, index: str | None) -> None:
        request: dict[str, Any] = {"TotalSegments": segments, "Limit": limit}
        expected = list(self.model.values())
        if index is not None:
            request["IndexName"] = index
            expected = [item for item in expected if "g" in item and "h" in item]
        found = [
            item
            for segment in range(segments)
            for item in self.pages("Scan", {**request, "Segment": segment})
        ]
        assert sorted(found, key=key_of) == sorted(expected, key=key_of)

    # What always holds.

    @invariant()
    def the_table_equals_the_model(self) -> None:
        if self.database.tables:
            found = self.pages("Scan", {})
            assert {key_of(item): item for item in found} == self.model
            assert len(found) == len(self.model)

    @invariant()
    def the_self_check_is_clean(self) -> None:
        assert self.database.check() == []

    def teardown(self) -> None:
        self.database.close()
        shutil.rmtree(self.folder)


STEPS = 50
EXAMPLES = 50  # Of one round.


@pytest.mark.trial("T4", weight=2)
def test_the_engine_agrees_with_a_dict(effort: Effort) -> None:
    for number in effort.rounds("rounds", change=5, nightly=400, release=2_000):
        machine = seed(effort.random(number).getrandbits(64))(Engine)
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                deadline=None,
                database=None,
                print_blob=True,
                suppress_health_check=[HealthCheck.too_slow],
            ),
        )
        effort.record(examples=EXAMPLES)
