"""Generates valid and broken requests for item operations, to compare two engines.

A `Generator` is a seeded source of (operation, request). Valid requests use small pools of keys and
values, so that they collide; about half are then broken in one place: a value of another type, an
unknown name, an extra operand, an exceeded limit.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["TABLES", "Generator"]

T = TypeVar("T")
Request = dict[str, Any]
Value = dict[str, Any]


def _schema(*names: str) -> list[dict[str, str]]:
    kinds = zip(names, ("HASH", "RANGE"), strict=False)
    return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds]


def _index(name: str, *key: str, projection: str = "ALL", **more: Any) -> dict[str, Any]:
    reply = {"ProjectionType": projection, **more}
    return {"IndexName": name, "KeySchema": _schema(*key), "Projection": reply}


TYPES = {"pk": "S", "sk": "S", "num": "N", "bin": "B", "g": "S", "h": "N", "l": "N"}


def _table(name: str, *key: str, **more: Any) -> Request:
    used = dict.fromkeys(key)
    for indexes in more.values():
        for index in indexes:
            used.update(dict.fromkeys(part["AttributeName"] for part in index["KeySchema"]))
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema(*key),
        "AttributeDefinitions": [
            {"AttributeName": one, "AttributeType": TYPES[one]} for one in used
        ],
        **more,
    }


TABLES: dict[str, Request] = {
    "pairs": _table(
        "pairs",
        "pk",
        "sk",
        GlobalSecondaryIndexes=[
            _index("by_g", "g", "h"),
            _index("by_g_keys", "g", projection="KEYS_ONLY"),
        ],
        LocalSecondaryIndexes=[
            _index("by_l", "pk", "l", projection="INCLUDE", NonKeyAttributes=["a"])
        ],
    ),
    "numbers": _table("numbers", "pk", "num"),
    "plain": _table("plain", "pk"),
}
KEYS = {"pairs": ("pk", "sk"), "numbers": ("pk", "num"), "plain": ("pk",)}

TEXTS = ("a", "b", "ab", "abc", "zz", "Ä", "0")
NUMBERS = ("0", "1", "2", "-1", "1.5", "10", "1e2", "100", "0.001")
ATTRIBUTES = ("a", "b", "c", "n", "s", "m", "ls", "g", "h", "l")
TEXT_FUNCTIONS = ("begins_with", "contains")
COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")


class Generator:
    """Draws requests; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def draw(self) -> tuple[str, Request]:
        """An operation and a request of it."""
        make: Callable[[], tuple[str, Request]] = self._random.choice(
            (
                self._put,
                self._put,
                self._get,
                self._update,
                self._update,
                self._update,
                self._delete,
                self._query,
                self._query,
                self._scan,
                self._batch_get,
                self._batch_write,
                self._transact_write,
                self._transact_get,
            )
        )
        operation, request = make()
        if self._chance(0.5):
            request = self._broken(operation, copy.deepcopy(request))
        return operation, request

    # Drawing.

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _one(self, *choices: T) -> T:
        return self._random.choice(choices)

    def _text(self) -> Value:
        return {"S": self._one(*TEXTS)}

    def _number(self) -> Value:
        return {"N": self._one(*NUMBERS)}

    def _scalar(self) -> Value:
        return self._one(self._text(), self._number(), {"B": self._one("YQ==", "Yg==", "YWI=")})

    def _value(self, depth: int = 0) -> Value:
        kind = self._random.randrange(10 if depth < 2 else 6)
        if kind < 4:
            return self._scalar()
        if kind == 4:
            return self._one({"BOOL": True}, {"BOOL": False}, {"NULL": True})
        if kind == 5:
            return self._one(
                {"SS": ["a", "b"]}, {"NS": ["1", "2"]}, {"SS": ["b"]}, {"BS": ["YQ=="]}
            )
        if kind < 8:
            return {"L": [self._value(depth + 1) for _ in range(self._random.randrange(3))]}
        names = self._random.sample(("x", "y", "z"), self._random.randrange(3))
        return {"M": {name: self._value(depth + 1) for name in names}}

    def _of_key(self, name: str) -> Value:
        return self._number() if TYPES[name] == "N" else self._text()

    def _key(self, table: str) -> Request:
        return {name: self._of_key(name) for name in KEYS[table]}

    def _item(self, table: str) -> Request:
        item = self._key(table)
        for name in self._random.sample(ATTRIBUTES, self._random.randrange(5)):
            item[name] = self._of_key(name) if name in TYPES else self._value()
        return item

    def _table_name(self) -> str:
        return str(self._one("pairs", "pairs", "numbers", "plain"))

    # Expressions.

    def _path(self) -> str:
        name = self._one("a", "b", "c", "n", "s", "m", "ls")
        return str(self._one(name, name, name, f"{name}.x", f"{name}[0]", f"{name}.x.y"))

    def _operand(self, request: Request) -> str:
        if self._chance(0.3):
            return self._path()
        return self._placeholder(request, self._value())

    def _placeholder(self, request: Request, value: Value) -> str:
        values = request.setdefault("ExpressionAttributeValues", {})
        name = f":v{len(values)}"
        values[name] = value
        return name

    def _condition(self, request: Request, depth: int = 0) -> str:
        kind = self._random.randrange(9 if depth < 2 else 6)
        path = self._path()
        if kind < 2:
            return f"{path} {self._one(*COMPARATORS)} {self._operand(request)}"
        if kind == 2:
            return f"{self._one('attribute_exists', 'attribute_not_exists')}({path})"
        if kind == 3:
            return f"{self._one(*TEXT_FUNCTIONS)}({path}, {self._operand(request)})"
        if kind == 4:
            low, high = (self._placeholder(request, self._number()) for _ in range(2))
            return f"{path} BETWEEN {low} AND {high}"
        if kind == 5:
            size = self._placeholder(request, self._number())
            return f"size({path}) {self._one(*COMPARATORS)} {size}"
        if kind == 6:
            options = ", ".join(
                self._operand(request) for _ in range(1 + self._random.randrange(3))
            )
            return f"{path} IN ({options})"
        if kind == 7:
            return f"NOT {self._condition(request, depth + 1)}"
        one, two = self._condition(request, depth + 1), self._condition(request, depth + 1)
        return f"({one} {self._one('AND', 'OR')} {two})"

    def _update_expression(self, request: Request) -> str:
        sections: dict[str, list[str]] = {}
        for path in self._random.sample(("a", "b", "c", "n", "s", "m.x", "ls[0]", "g"), 2):
            kind = self._one("SET", "SET", "SET", "REMOVE", "ADD", "DELETE")
            sections.setdefault(kind, []).append(self._action(request, kind, path))
        return " ".join(f"{kind} {', '.join(actions)}" for kind, actions in sections.items())

    def _action(self, request: Request, kind: str, path: str) -> str:
        if kind == "REMOVE":
            return path
        if kind == "ADD":
            added = self._one(self._number(), {"SS": ["a", "c"]}, {"NS": ["1"]})
            return f"{path} {self._placeholder(request, added)}"
        if kind == "DELETE":
            return f"{path} {self._placeholder(request, self._one({'SS': ['a']}, {'NS': ['1']}))}"
        value = self._placeholder(request, self._value())
        number = self._placeholder(request, self._number()) if self._chance(0.4) else None
        if number is not None:
            return self._one(
                f"{path} = {path} {self._one('+', '-')} {number}, unused = {value}",
                f"{path} = if_not_exists({path}, {number}) + {number}, unused = {value}",
            )
        return self._one(
            f"{path} = {value}",
            f"{path} = {value}",
            f"{path} = if_not_exists({path}, {value})",
            f"{path} = list_append(ls, {value})",
            f"{path} = {self._path()}, unused = {value}",
        )

    # Operations.

    def _wishes(self, request: Request, *returns: str) -> Request:
        if self._chance(0.4):
            request["ReturnValues"] = self._one(*returns)
        if self._chance(0.4):
            request["ConditionExpression"] = self._condition(request)
        return request

    def _put(self) -> tuple[str, Request]:
        table = self._table_name()
        request = {"TableName": table, "Item": self._item(table)}
        return "PutItem", self._wishes(request, "NONE", "ALL_OLD")

    def _delete(self) -> tuple[str, Request]:
        table = self._table_name()
        request = {"TableName": table, "Key": self._key(table)}
        return "DeleteItem", self._wishes(request, "NONE", "ALL_OLD")

    def _update(self) -> tuple[str, Request]:
        table = self._table_name()
        request: Request = {"TableName": table, "Key": self._key(table)}
        if self._chance(0.95):
            request["UpdateExpression"] = self._update_expression(request)
        return "UpdateItem", self._wishes(request, "NONE", "ALL_OLD", "ALL_NEW")

    def _get(self) -> tuple[str, Request]:
        table = self._table_name()
        request: Request = {"TableName": table, "Key": self._key(table)}
        self._project(request)
        if self._chance(0.3):
            request["ConsistentRead"] = True
        return "GetItem", request

    def _project(self, request: Request) -> None:
        if self._chance(0.4):
            paths = self._random.sample(("a", "b", "m.x", "ls[0]", "n", "pk"), 2)
            request["ProjectionExpression"] = ", ".join(paths)

    def _page(self, request: Request) -> Request:
        if self._chance(0.3):
            request["FilterExpression"] = self._condition(request)
        self._project(request)
        if self._chance(0.2):
            request["Select"] = self._one("COUNT", "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES")
        return request

    def _query(self) -> tuple[str, Request]:
        table = self._table_name()
        index = self._one(None, None, "by_g", "by_g_keys", "by_l") if table == "pairs" else None
        names = {"by_g": ("g", "h"), "by_g_keys": ("g",), "by_l": ("pk", "l")}.get(
            index or "", KEYS[table]
        )
        request: Request = {"TableName": table}
        if index is not None:
            request["IndexName"] = index
        partition = self._placeholder(request, self._of_key(names[0]))
        condition = f"{names[0]} = {partition}"
        if len(names) > 1 and self._chance(0.6):
            condition += f" AND {self._sort(request, names[1])}"
        request["KeyConditionExpression"] = condition
        if self._chance(0.3):
            request["ScanIndexForward"] = False
        return "Query", self._page(request)

    def _sort(self, request: Request, name: str) -> str:
        value = self._placeholder(request, self._of_key(name))
        kind = self._random.randrange(4)
        if kind == 0 and TYPES[name] == "S":
            return f"begins_with({name}, {value})"
        if kind == 1:
            high = self._placeholder(request, self._of_key(name))
            return f"{name} BETWEEN {value} AND {high}"
        return f"{name} {self._one('=', '<', '<=', '>', '>=')} {value}"

    def _scan(self) -> tuple[str, Request]:
        return "Scan", self._page({"TableName": self._table_name()})

    def _batch_get(self) -> tuple[str, Request]:
        table = self._table_name()
        keys = [self._key(table) for _ in range(1 + self._random.randrange(3))]
        expected: Request = {"Keys": keys}
        self._project(expected)
        return "BatchGetItem", {"RequestItems": {table: expected}}

    def _batch_write(self) -> tuple[str, Request]:
        table = self._table_name()
        writes: list[Request] = []
        for _ in range(1 + self._random.randrange(3)):
            if self._chance(0.7):
                writes.append({"PutRequest": {"Item": self._item(table)}})
            else:
                writes.append({"DeleteRequest": {"Key": self._key(table)}})
        return "BatchWriteItem", {"RequestItems": {table: writes}}

    def _transact_write(self) -> tuple[str, Request]:
        actions = []
        for _ in range(1 + self._random.randrange(3)):
            operation, request = self._one(self._put, self._delete, self._update, self._check)()
            request.pop("ReturnValues", None)
            actions.append({operation.removesuffix("Item"): request})
        return "TransactWriteItems", {"TransactItems": actions}

    def _check(self) -> tuple[str, Request]:
        table = self._table_name()
        request: Request = {"TableName": table, "Key": self._key(table)}
        request["ConditionExpression"] = self._condition(request)
        return "ConditionCheck", request

    def _transact_get(self) -> tuple[str, Request]:
        gets = []
        for _ in range(1 + self._random.randrange(3)):
            request = self._get()[1]
            request.pop("ConsistentRead", None)
            gets.append({"Get": request})
        return "TransactGetItems", {"TransactItems": gets}

    # Breaking.

    def _broken(self, operation: str, request: Request) -> Request:
        """The request with one error at a random position."""
        places = list(_places(request))
        holder, name = self._random.choice(places)
        value = holder[name]
        if isinstance(value, str) and "Expression" in str(name):
            holder[name] = self._one(
                "",
                value + " )",
                value.replace("=", "==", 1),
                value.replace(":v0", ":gone"),
                f"{value} AND size(a)",
                value.replace("a", "#a"),
                "SET",
                "name = :v0",
            )
        elif isinstance(name, str) and name in ("S", "N", "B", "SS", "NS", "BS", "L", "M", "BOOL"):
            self._break_value(holder, name)
        else:
            self._break_member(holder, name)
        return request

    def _break_value(self, holder: Any, name: str) -> None:
        wrong = self._random.randrange(6)
        if wrong == 0:
            holder[name] = self._one("", [], {}, None)
        elif wrong == 1:
            holder["N"] = "7"
        elif wrong == 2:
            del holder[name]
        elif wrong == 3:
            del holder[name]
            holder["N"] = self._one("abc", "1e200", "9" * 39, "")
        elif wrong == 4:
            del holder[name]
            holder[self._one("SS", "NS")] = self._one([], ["1", "1"], ["1", "x"])
        else:
            holder[name] = 5

    def _break_member(self, holder: Any, name: Any) -> None:
        wrong = self._random.randrange(5)
        if wrong == 0:
            del holder[name]
        elif wrong == 1:
            holder[name] = self._one(None, 5, "x", [], {}, True)
        elif wrong == 2 and isinstance(holder, dict):
            holder["Unknown"] = {"S": "x"}
        elif wrong == 3 and isinstance(holder, dict):
            holder[f"{name}x"] = holder.pop(name)
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(holder[name]))
        else:
            holder["Limit"] = self._one(0, -1, 1, "1")


def _places(request: Any) -> list[tuple[Any, Any]]:
    """Every position in a request: its container and its name."""
    results: list[tuple[Any, Any]] = []
    pending = [request]
    while pending:
        holder = pending.pop()
        members = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for name, value in members:
            results.append((holder, name))
            if isinstance(value, dict | list):
                pending.append(value)
    return results
