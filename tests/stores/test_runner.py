"""The loops that run steps: replies in, errors in, and always an end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tablewright.errors import ResourceNotFound
from tablewright.plan.operation import Call, Pause, Steps
from tablewright.stores.runner import drive, drive_async

Runner = Callable[..., Any]


def run_sync(steps: Steps[Any], call: Runner, pauses: list[float]) -> Any:
    return drive(steps, call, pauses.append)


def run_async(steps: Steps[Any], call: Runner, pauses: list[float]) -> Any:
    async def acall(operation: str, request: dict[str, Any]) -> Any:
        return call(operation, request)

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    return asyncio.run(drive_async(steps, acall, sleep))


@pytest.fixture(params=[run_sync, run_async])
def run(request: pytest.FixtureRequest) -> Runner:
    return request.param  # type: ignore[no-any-return]


def echo(operation: str, request: dict[str, Any]) -> dict[str, Any]:
    return {"operation": operation, **request}


def test_replies_go_in_and_the_result_comes_out(run: Runner) -> None:
    def steps() -> Steps[list[Any]]:
        first = yield Call("A", {"n": 1})
        yield Pause(2.5)
        second = yield Call("B", {"n": 2})
        return [first, second]

    pauses: list[float] = []
    result = run(steps(), echo, pauses)
    assert result == [{"operation": "A", "n": 1}, {"operation": "B", "n": 2}]
    assert pauses == [2.5]


def test_steps_without_a_call_return_at_once(run: Runner) -> None:
    def steps() -> Steps[int]:
        return 5
        yield Pause(0)

    assert run(steps(), echo, []) == 5


def test_an_error_is_thrown_in_where_the_call_was(run: Runner) -> None:
    def steps() -> Steps[str]:
        try:
            yield Call("A", {})
        except ResourceNotFound as error:
            yield Call("B", {})
            return error.message
        return "unreached"

    calls: list[str] = []

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        calls.append(operation)
        if operation == "A":
            raise ResourceNotFound("gone")
        return {}

    assert run(steps(), call, []) == "gone"
    assert calls == ["A", "B"]


def test_an_error_that_the_steps_do_not_catch_is_raised(run: Runner) -> None:
    ended: list[str] = []

    def steps() -> Steps[None]:
        try:
            yield Call("A", {})
        finally:
            ended.append("closed")

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        raise ResourceNotFound("gone")

    with pytest.raises(ResourceNotFound):
        run(steps(), call, [])
    assert ended == ["closed"]


def test_an_interrupt_closes_the_steps_without_being_shown_to_them() -> None:
    seen: list[str] = []

    def steps() -> Steps[None]:
        try:
            yield Call("A", {})
        except Exception:
            seen.append("error")
            raise
        finally:
            seen.append("closed")

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drive(steps(), call, print)
    assert seen == ["closed"]


def test_cancelling_closes_the_steps() -> None:
    seen: list[str] = []

    def steps() -> Steps[None]:
        try:
            yield Call("A", {})
        finally:
            seen.append("closed")

    async def main() -> None:
        async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            await asyncio.Event().wait()
            return {}

        def sleep(seconds: float) -> Awaitable[None]:
            raise AssertionError

        task = asyncio.ensure_future(drive_async(steps(), call, sleep))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["closed"]
