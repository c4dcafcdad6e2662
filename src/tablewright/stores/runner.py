"""The two loops that run steps: one blocks, one awaits. All I/O of operations passes through here.

Steps are generators (`plan.operation`): they yield calls and pauses. What a call raises is thrown
in where it was yielded; whatever happens, the generator is closed, so that its ``finally`` runs.
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
    """Run steps to their end; returns what they return, raises what they raise."""
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
    """As `drive`, on an event loop. Being cancelled closes the steps where they are."""
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
