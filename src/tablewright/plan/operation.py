"""Operations: generators of calls, independent of sockets, threads and event loops.

A store drives the ``steps`` of an ``Op``. The steps yield ``Call`` (a request in DynamoDB's JSON;
the store sends the reply into the generator, or throws the error) or ``Pause`` (wait, then
continue), and return the result. So sync and async stores share one implementation, and a request
can be inspected without being sent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, overload

from tablewright.errors import PlanError

__all__ = ["NEUTRAL", "Call", "Context", "Op", "Pause", "Steps", "constant", "gather"]

T = TypeVar("T")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
T_co = TypeVar("T_co", covariant=True)


class Call(NamedTuple):
    """A request; the store sends the reply into the generator."""

    operation: str
    request: dict[str, Any]


class Pause(NamedTuple):
    """A wait before the next call; the store sends an empty reply into the generator."""

    seconds: float


Steps: TypeAlias = Generator[Call | Pause, dict[str, Any], T]


@dataclass(frozen=True, slots=True)
class Context:
    """The inputs of steps: time, randomness, and tokens for idempotent writes."""

    now: Callable[[], float]
    random: Callable[[], float]  # 0 <= value < 1.
    token: Callable[[], str]  # A new token at each call, at most 36 characters.
    may_repeat: bool = True  # Whether a call may be sent twice, and so needs a token.


# For inspecting requests: fixed time, randomness and token.
NEUTRAL = Context(now=lambda: 0.0, random=lambda: 0.0, token=lambda: "token")


class Op(ABC, Generic[T_co]):
    """Something that a store can run. It has no state, so it can be run many times."""

    __slots__ = ()

    @abstractmethod
    def steps(self, context: Context) -> Steps[T_co]:
        """Yield the calls in order, and return the result."""

    @property
    def request(self) -> dict[str, Any]:
        """The first request, without sending it; raises PlanError if there is none."""
        steps = self.steps(NEUTRAL)
        try:
            step = next(steps)
            while isinstance(step, Pause):
                step = steps.send({})
        except StopIteration:
            raise PlanError("this operation sends no request") from None
        finally:
            steps.close()
        return step.request

    def then(self, fn: Callable[[T_co], Op[R]]) -> Op[R]:
        """Run this operation, then the one that ``fn`` returns for its result."""
        return _Then(self, fn)

    def map(self, fn: Callable[[T_co], R]) -> Op[R]:
        """Apply ``fn`` to the result."""
        return _Mapped(self, fn)


class _Then(Op[R], Generic[T, R]):
    """An operation followed by one that depends on its result."""

    __slots__ = ("_first", "_fn")

    def __init__(self, first: Op[T], fn: Callable[[T], Op[R]]) -> None:
        self._first = first
        self._fn = fn

    def steps(self, context: Context) -> Steps[R]:
        result = yield from self._first.steps(context)
        return (yield from self._fn(result).steps(context))


class _Mapped(Op[R], Generic[T, R]):
    """An operation with a function applied to its result."""

    __slots__ = ("_fn", "_op")

    def __init__(self, op: Op[T], fn: Callable[[T], R]) -> None:
        self._op = op
        self._fn = fn

    def steps(self, context: Context) -> Steps[R]:
        return self._fn((yield from self._op.steps(context)))


class _Constant(Op[T]):
    """A constant result."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def steps(self, context: Context) -> Steps[T]:  # noqa: ARG002 (it asks for nothing)
        yield from ()
        return self._value


class _Gathered(Op[tuple[Any, ...]]):
    """Several independent operations, run in sequence."""

    __slots__ = ("_ops",)

    def __init__(self, ops: tuple[Op[Any], ...]) -> None:
        self._ops = ops

    def steps(self, context: Context) -> Steps[tuple[Any, ...]]:
        result: tuple[Any, ...] = ()
        for op in self._ops:
            result += ((yield from op.steps(context)),)
        return result


def constant(value: T) -> Op[T]:
    """An operation that sends nothing and returns this value, to end a chain of `then`."""
    return _Constant(value)


@overload
def gather(first: Op[A], /) -> Op[tuple[A]]: ...
@overload
def gather(first: Op[A], second: Op[B], /) -> Op[tuple[A, B]]: ...
@overload
def gather(first: Op[A], second: Op[B], third: Op[C], /) -> Op[tuple[A, B, C]]: ...
@overload
def gather(*ops: Op[T]) -> Op[tuple[T, ...]]: ...
def gather(*ops: Op[Any]) -> Op[Any]:
    """Run these operations, and return the tuple of their results."""
    return _Gathered(ops)
