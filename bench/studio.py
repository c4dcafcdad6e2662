"""``./dev bench studio``: how long the studio's pages take, with 100,000 items in the store.

One design, roll-model, in a database in memory: athletes with their entries, and with each entry
what is derived from it. Every page is asked once to warm up, then thirty times, without sockets:
what is measured is the server's own time. A page that takes longer than its target at the 95th
percentile is marked, and the run fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
from rich.console import Console
from rich.table import Table

from tablewright.design.entity import entity_of_model
from tablewright.plan.changes.write_plan import creation
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.urls import open_async_store
from tablewright.studio.items.item_links import address_of
from tablewright.studio.shell.app import create_studio
from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.mount import system_designs
from tablewright.studio.shell.studio_settings import StudioSettings
from tablewright.systems.roll_model import design

ITEMS = 100_000
ROUNDS = 30
TARGET_MILLISECONDS = 150
ENTRIES = 60  # Of each athlete.
BATCH = 25
TABLE = "RollModel"
BASE = "/roll-model"
START = datetime(2026, 1, 1, tzinfo=UTC)
ITEM = {"PK": {"S": "USER#athlete-0"}, "SK": {"S": "PROFILE"}}
ADDRESS = address_of(ITEM)
RUN = "athlete_id=athlete-0&run=1&limit=50"
PAGES = (
    ("S1 start", "/"),
    ("S2 map", "/map"),
    ("S2 entity chart", "/map?view=chart"),
    ("S2 pattern table", "/map?view=patterns"),
    ("S2 Markdown", "/map?view=markdown"),
    ("S3 collections", "/collections"),
    ("S3 one collection", "/collections?pk=USER%23athlete-0"),
    ("S4 patterns", "/patterns"),
    ("S4 a pattern, run", f"/patterns/list_own_entries?{RUN}"),
    ("S4 a composed pattern, run", "/patterns/list_coaches_of_athlete?athlete_id=athlete-0&run=1"),
    ("S4 a write", "/writes/create.Entry"),
    ("S5 lint", "/lint"),
    ("S5 a rule", "/lint/TW101"),
    ("S6 an item", f"/items/{TABLE}/{ADDRESS}"),
    ("S6 its editor", f"/items/{TABLE}/{ADDRESS}/edit"),
    ("S7 what if", "/capacity"),
    ("S7 what if, internet scale", "/capacity?calls=10G"),
    ("S7 partitions", "/capacity?view=partitions"),
    ("S7 heat", "/capacity?view=heat"),
    ("S7 limits", "/capacity?view=limits"),
    ("S8 stream", "/stream"),
    ("S9 system", "/system"),
)


def instances() -> Iterator[Any]:
    """Athletes and their entries, without an end, always the same."""
    number = 0
    while True:
        athlete = f"athlete-{number}"
        yield design.Profile(
            user_id=athlete,
            display_name=f"Athlete {number}",
            roles=["athlete"],
            created_at=START,
            updated_at=START,
        )
        for entry in range(ENTRIES):
            when = START + timedelta(hours=12 * entry, seconds=number)
            yield design.Entry(
                entry_id=str(UUID(int=number * ENTRIES + entry)),
                athlete_id=athlete,
                created_at=when,
                updated_at=when,
                sections=design.Sections(
                    private="My knee hurts a little.",
                    shared="Drilled the scissor sweep, six of ten, then two rounds from guard.",
                ),
                session_metrics=design.SessionMetrics(
                    duration_minutes=90,
                    intensity=7,
                    rounds=6,
                    gi_or_no_gi="gi",
                    tags=["guard", "sweep"],
                ),
            )
        number += 1


def items(count: int) -> Iterator[dict[str, Any]]:
    """So many items as the design stores them, derived ones too."""
    left = count
    for instance in instances():
        for row in creation(entity_of_model(type(instance)), instance).rows:
            if not left:
                return
            if row.item is not None:
                left -= 1
                yield row.item


async def fill(store: AsyncStore, count: int) -> None:
    batch: list[dict[str, Any]] = []
    for item in items(count):
        batch.append({"PutRequest": {"Item": item}})
        if len(batch) == BATCH:
            await store.call("BatchWriteItem", {"RequestItems": {TABLE: batch}})
            batch = []
    if batch:
        await store.call("BatchWriteItem", {"RequestItems": {TABLE: batch}})


async def measured(client: httpx2.AsyncClient, path: str, rounds: int) -> dict[str, Any] | None:
    """Milliseconds of a page: the first time, the median and the 95th percentile after it."""
    times = []
    size = 0
    for _ in range(rounds + 1):
        started = time.perf_counter()
        answer = await client.get(f"{BASE}{path}")
        times.append(1000 * (time.perf_counter() - started))
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        size = len(answer.content)
    first, *rest = times
    p95 = statistics.quantiles(rest, n=20)[-1]
    return {"first": first, "p50": statistics.median(rest), "p95": p95, "bytes": size}


async def race(count: int, rounds: int, console: Console) -> dict[str, Any]:
    """Every page that there is."""
    [design] = system_designs(["roll-model"])
    settings, sessions = StudioSettings(), Sessions()
    async with await open_async_store(settings.store) as store:
        await store.ensure_tables(design.tables)
        started = time.perf_counter()
        await fill(store, count)
        console.print(f"{count:,} items in {time.perf_counter() - started:.1f} s", style="dim")
        app = create_studio(store, [design], settings, sessions)
        transport = httpx2.ASGITransport(app)
        base = settings.url.rstrip("/")
        async with httpx2.AsyncClient(transport=transport, base_url=base, timeout=60) as client:
            entered = await client.get(f"/?token={sessions.new_token()}")
            client.headers["cookie"] = entered.headers["set-cookie"].partition(";")[0]
            return {name: await measured(client, path, rounds) for name, path in PAGES}


def show(found: dict[str, Any], console: Console) -> None:
    table = Table("page", *("first", "p50", "p95", "KB"), "")
    for column in table.columns[1:5]:
        column.justify = "right"
    for name, one in found.items():
        if one is None:
            table.add_row(name, *["–"] * 4, "not there")
            continue
        times = [f"{one[key]:.1f}" for key in ("first", "p50", "p95")]
        is_slow = one["p95"] > TARGET_MILLISECONDS
        verdict = f"[red]over {TARGET_MILLISECONDS} ms" if is_slow else "[green]ok"
        table.add_row(name, *times, f"{one['bytes'] / 1024:.0f}", verdict)
    console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench studio", description=__doc__)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()
    console = Console()
    found = asyncio.run(race(options.items, options.rounds, console))
    show(found, console)
    console.print(f"Milliseconds; Python {platform.python_version()}, {platform.machine()}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2), "utf-8")
    slow = [name for name, one in found.items() if one and one["p95"] > TARGET_MILLISECONDS]
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
