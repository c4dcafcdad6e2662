"""The five systems on a database that does whatever DynamoDB may do: nothing is lost or drifts.

The systems speak to an endpoint with chaos over HTTP, as they would to DynamoDB: late indexes,
stale reads, short pages, batches done in part, conflicts, throttling, and replies that are lost
after their write. Then the chaos ends; what was acknowledged must be there, and every derived row
and counter must follow from its sources.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from typing import Any

import pytest

from tablewright.care.fsck import drift
from tablewright.engine.chaos import Chaos, ChaosDatabase, Profile, Rates
from tablewright.systems.registry import find_systems
from tablewright.wire.lifecycle import ThreadedServer
from tests.systems.designs import TABLES
from tests.web.serving import live

from .effort import Effort
from .talking import Connection, all_at_once, visit_until
from .visitors import Curator, Reply, Unanswered, Visitor, visitors

Json = dict[str, Any]
NONE = Rates(**{field.name: 0.0 for field in fields(Rates)})
# More often than on AWS, seldom enough that retries come through.
OFTEN = Rates(
    late_entry=0.2,
    stale_read=0.1,
    short_page=0.3,
    empty_page=0.1,
    unprocessed=0.1,
    conflict=0.05,
    throttle=0.02,
    lost_reply=0.02,
)
PROFILES: dict[str, tuple[Profile, Rates | None]] = {"aws": ("aws", None), "often": ("aws", OFTEN)}
PEOPLE = 2  # Of each system.


class Scene:
    """Systems whose database has chaos now and then."""

    def __init__(self, database: ChaosDatabase, url: str, stack: ExitStack) -> None:
        self.database = database
        self._url = url
        self._stack = stack

    def begin(self, profile: Profile, rates: Rates | None, seed: int) -> None:
        chaos = Chaos(profile, seed=seed)
        chaos.rates = rates or chaos.rates
        self.database.chaos = chaos

    def end(self) -> None:
        self.database.chaos.rates = NONE

    def connection(self) -> Any:
        made = Connection(self._url)
        self._stack.callback(made.close)
        return made.send

    def faults(self, people: list[Visitor]) -> list[str]:
        """What is wrong when the chaos has ended."""
        found = [fault for visitor in people for fault in visitor.faults()]
        found += [broken for visitor in people for broken in visitor.broken]
        return found + drift(self.database, TABLES) + self.database.check()


@contextmanager
def scene() -> Iterator[Scene]:
    """All five systems, on an endpoint whose chaos has not begun."""
    with ExitStack() as stack:
        database = stack.enter_context(ChaosDatabase.open(chaos=Chaos()))
        database.chaos.rates = NONE
        endpoint = stack.enter_context(ThreadedServer(database))
        store = endpoint.url.replace("http://", "dynamodb+http://")
        server = stack.enter_context(live(*find_systems().values(), store=store))
        yield Scene(database, server.url, stack)


def visit_for(people: list[Visitor], seconds: float) -> None:
    end = time.monotonic() + seconds
    threads = all_at_once(
        [
            lambda visitor=visitor: visit_until(visitor, lambda: time.monotonic() > end)  # type: ignore[misc]
            for visitor in people
        ]
    )
    for thread in threads:
        thread.join(seconds + 60)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.trial("T5")
@pytest.mark.parametrize("profile", PROFILES)
def test_the_systems_keep_their_promises_in_chaos(profile: str, effort: Effort) -> None:
    seconds = effort.budget(change=4, nightly=1800, release=4 * 3600)
    chance = effort.random(profile)
    with scene() as stage:
        people = visitors(stage.connection, chance, PEOPLE)
        for _ in range(max(1, round(seconds / 30))):  # Faults are looked for now and then.
            stage.begin(*PROFILES[profile], chance.getrandbits(32))
            visit_for(people, min(seconds, 30))
            stage.end()
            assert stage.faults(people) == []
        statuses: dict[int, int] = {}
        for visitor in people:
            for status, count in visitor.statuses.items():
                statuses[status] = statuses.get(status, 0) + count
        effort.record(
            calls=sum(statuses.values()),
            acknowledged=sum(visitor.acknowledged for visitor in people),
            unavailable=statuses.get(503, 0) + statuses.get(429, 0),
            lost=0,
        )
    assert all(visitor.acknowledged for visitor in people), statuses


# The checker itself is checked.


def test_a_store_that_ignores_what_was_not_processed_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ratings that a batch did not delete are left when their site is gone."""
    batch = ChaosDatabase._batch

    def forgetful(self: ChaosDatabase, operation: str, request: Json) -> Json:
        reply = batch(self, operation, request)
        return {name: value for name, value in reply.items() if not name.startswith("Unprocessed")}

    monkeypatch.setattr(ChaosDatabase, "_batch", forgetful)
    monkeypatch.setattr(Chaos, "below", lambda self, count: 0)  # One of each batch is done.
    with scene() as stage:
        curator = Curator(stage.connection(), "curator", random.Random(1))
        curator.create()
        [site] = curator.rows
        for n in range(20):
            rater = curator.credentials_of(f"rater{n}")
            path = f"{curator.mount}{site.path}/rating"
            assert curator.send("PUT", path, {"stars": 3}, rater).status == 201
        assert stage.faults([curator]) == []
        stage.begin("aws", replace(NONE, unprocessed=1.0), seed=1)
        assert curator.call("DELETE", site.path).status == 204
        stage.end()
        curator.rows.clear()
        assert any("which does not exist" in fault for fault in stage.faults([curator]))


def test_an_answer_that_breaks_the_contract_is_found_out() -> None:
    def broken(method: str, path: str, body: Json | None, headers: Json) -> Reply:
        return Reply(200 if path == "/dev/token" else 500, {"accessToken": "any"})

    curator = Curator(broken, "curator", random.Random(1))
    with pytest.raises(Unanswered):
        curator.create()
    assert len(curator.broken) == 1
