"""A client that writes down what it did and was told. Run as a process by test_history_kills.py.

It appends to lists and reads them, one item at a time and in transactions. When an answer does not
come it is a transaction that is sent again, with its token, until there is one; a single append
may have happened or not. Lists are changed for new ones now and then, so that none grows long.

Each line that it prints is one operation: ``{"kind": ..., "key": ..., "start": ..., "end": ...}``.
"""

from __future__ import annotations

import json
import random
import sys
import time
from typing import Any

from tests.properties.test_isolation import append, at, list_in, merged, read, still

from .talking import Connection, Refused
from .visitors import Unanswered

STEPS_PER_LIST = 25
GIVE_UP_SECONDS = 60.0

Json = dict[str, Any]


class Historian:
    def __init__(self, url: str, name: str, chance: random.Random, *, is_careless: bool) -> None:
        self._connection = Connection(url)
        self._name = name
        self._chance = chance
        self._is_careless = is_careless

    def run(self, steps: int) -> None:
        for step in range(steps):
            block = step // STEPS_PER_LIST
            value = f"{self._name}.{step}"
            self._chance.choice([self._append, self._read, self._transact, self._look])(
                block, value
            )

    def _note(self, kind: str, start: float, end: float | None, **told: Any) -> None:
        print(json.dumps({"kind": kind, "start": start, "end": end, **told}))  # noqa: T201

    def _answered(self, operation: str, request: Json) -> Json:
        """The answer to what may be sent again; raises Refused."""
        end = time.monotonic() + GIVE_UP_SECONDS
        while True:
            try:
                return self._connection.call(operation, request)
            except Unanswered:
                assert time.monotonic() < end, "the server does not come back"
                time.sleep(0.01)
            except Refused as refused:
                if refused.code != "ProvisionedThroughputExceededException":
                    raise
                time.sleep(0.01)

    def _append(self, block: int, value: str) -> None:
        """One append, which may go wrong without anybody knowing."""
        key = f"{block}.{self._chance.choice('ab')}"
        start = time.monotonic()
        request = append(key, value) | {"ReturnValues": "ALL_NEW"}
        try:
            told = self._connection.call("UpdateItem", request)
        except Unanswered:
            self._note("append", start, None, key=key, value=value, seen=None)
            return
        except Refused:
            return  # Throttled, or a conflict: it has not happened.
        seen = list_in(told["Attributes"])
        self._note("append", start, time.monotonic(), key=key, value=value, seen=seen)

    def _read(self, block: int, value: str) -> None:
        key = f"{block}.{self._chance.choice('ab')}"
        start = time.monotonic()
        item = self._answered("GetItem", read(key)).get("Item", {})
        self._note("read", start, time.monotonic(), key=key, seen=list_in(item))

    def _keys(self, block: int) -> list[str]:
        return [f"{block}.{name}" for name in "wxyz"]

    def _look(self, block: int, value: str) -> dict[str, tuple[str, ...]]:
        return self._read_together(self._keys(block))

    def _read_together(self, keys: list[str]) -> dict[str, tuple[str, ...]]:
        start = time.monotonic()
        asked = {"TransactItems": [{"Get": at(key)} for key in keys]}
        told = self._answered("TransactGetItems", asked)
        lists = [list_in(found.get("Item", {})) for found in told["Responses"]]
        reads = dict(zip(keys, lists, strict=True))
        self._note("transaction", start, time.monotonic(), reads=reads, appends={})
        return reads

    def _transact(self, block: int, value: str) -> None:
        first, second = self._chance.sample(self._keys(block), 2)
        reads: dict[str, tuple[str, ...]] = {}
        if self._chance.random() < 0.4:
            writes = [{"Update": append(key, value)} for key in (first, second)]
            appends = {first: value, second: value}
        else:
            reads = self._read_together([first, second])
            appends = {second: value}
            writes = [
                {"ConditionCheck": at(first) | still(reads[first])},
                {"Update": merged(append(second, value), still(reads[second]))},
            ]
        request: Json = {"TransactItems": writes}
        if not self._is_careless:
            request["ClientRequestToken"] = value
        start = time.monotonic()
        try:
            self._answered("TransactWriteItems", request)
        except Refused:
            return  # A condition is false, or a conflict: it has not happened.
        self._note("transaction", start, time.monotonic(), reads=reads, appends=appends)


if __name__ == "__main__":
    url, name, seed, steps, care = sys.argv[1:]
    historian = Historian(url, name, random.Random(seed), is_careless=care == "careless")
    historian.run(int(steps))
