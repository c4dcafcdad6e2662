"""Work beside requests."""

from __future__ import annotations

import asyncio

from tablewright.web.services.background import Background


def test_work_is_done_and_waited_for() -> None:
    done = []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append(1)

    async def run() -> None:
        background = Background()
        background.start(work(), "work")
        await background.settle()

    asyncio.run(run())
    assert done == [1]


def test_what_fails_or_never_ends_does_not_stop_the_end() -> None:
    async def fail() -> None:
        raise ValueError("x")

    async def last() -> None:
        await asyncio.Event().wait()

    async def run() -> None:
        background = Background()
        background.start(fail(), "fail")
        background.start(last(), "last")
        await asyncio.sleep(0)
        background.start(last(), "never begun")
        await background.close()
        await background.close()

    asyncio.run(run())
