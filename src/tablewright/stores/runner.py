"""The two loops that run steps, blocking and async. All I/O of operations goes through them.

Steps are generators (`plan.operation`) that yield calls and pauses. The error of a call is thrown
into the generator. The generator is always closed, so that its ``finally`` runs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeVar

from tablewright.plan.operation import Call, Pause

__all__ = ["drive", "drive_async"]

T = TypeVar("T")
Reply = TypeVar("Reply")


def drive(
    steps: Generator[Call | Pause, Reply, T],
    call: Callable[[str, dict[str, Any]], Reply],
    sleep: Callable[[float], object],
) -> T:
    """Run steps to the end, and return their result."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                sleep(step.seconds)
                step = next(steps)
                continue
            try:
                reply = call(step.operation, step.request)
            except Exception as error:  # noqa: BLE001 (The steps decide what an error means.)
                step = steps.throw(error)
            else:
                step = steps.send(reply)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


async def drive_async(
    steps: Generator[Call | Pause, Reply, T],
    call: Callable[[str, dict[str, Any]], Awaitable[Reply]],
    sleep: Callable[[float], Awaitable[object]],
) -> T:
    """As `drive`, on an event loop. Cancellation closes the steps."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                await sleep(step.seconds)
                step = next(steps)
                continue
            try:
                reply = await call(step.operation, step.request)
            except Exception as error:  # noqa: BLE001 (The steps decide what an error means.)
                step = steps.throw(error)
            else:
                step = steps.send(reply)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()
