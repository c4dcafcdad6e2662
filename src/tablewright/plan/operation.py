"""What every operation is: a generator of calls that knows nothing of sockets, threads or loops.

An ``Op`` says what to ask; whoever drives its ``steps`` asks it. The steps yield ``Call`` (one
request in DynamoDB's JSON; the reply is sent back in) or ``Pause`` (wait, then go on), get the
errors of a call thrown in at the place of that call, and return the result. So one algorithm
serves stores that block and stores that await, and a request can be looked at without being sent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, overload

__all__ = ["NEUTRAL", "Call", "Context", "Op", "Pause", "Steps", "constant", "gather"]

T = TypeVar("T")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
T_co = TypeVar("T_co", covariant=True)


class Call(NamedTuple):
    """One request to be sent; the reply is sent into the generator."""

    operation: str
    request: dict[str, Any]


class Pause(NamedTuple):
    """A wait before the next call; nothing is sent into the generator but an empty reply."""

    seconds: float


Steps: TypeAlias = Generator[Call | Pause, dict[str, Any], T]


@dataclass(frozen=True, slots=True)
class Context:
    """What steps take from outside: the time, randomness, and tokens for idempotent writes."""

    now: Callable[[], float]
    random: Callable[[], float]  # From 0 up to, not including, 1.
    token: Callable[[], str]  # A new one at each call, at most 36 characters.
    may_repeat: bool = True  # Whether a call can reach the store twice, and needs a token for it.


# For looking at requests: no clock, no chance, always the same token.
NEUTRAL = Context(now=lambda: 0.0, random=lambda: 0.0, token=lambda: "token")


class Op(ABC, Generic[T_co]):
    """Something a store can run. It holds no state of a run: it may be run again, and by many."""

    __slots__ = ()

    @abstractmethod
    def steps(self, context: Context) -> Steps[T_co]:
        """The calls to make, one after another; returns the result."""

    @property
    def request(self) -> dict[str, Any]:
        """The first request that this would send; nothing is sent."""
        steps = self.steps(NEUTRAL)
        try:
            step = next(steps)
            while isinstance(step, Pause):
                step = steps.send({})
        except StopIteration:
            raise LookupError("this operation sends no request") from None
        finally:
            steps.close()
        return step.request

    def then(self, fn: Callable[[T_co], Op[R]]) -> Op[R]:
        """This operation, and after it the one that ``fn`` makes of its result."""
        return _Then(self, fn)

    def map(self, fn: Callable[[T_co], R]) -> Op[R]:
        """This operation, with its result turned into another."""
        return _Mapped(self, fn)


class _Then(Op[R], Generic[T, R]):
    """One operation after another that needs its result."""

    __slots__ = ("_first", "_fn")

    def __init__(self, first: Op[T], fn: Callable[[T], Op[R]]) -> None:
        self._first = first
        self._fn = fn

    def steps(self, context: Context) -> Steps[R]:
        found = yield from self._first.steps(context)
        return (yield from self._fn(found).steps(context))


class _Mapped(Op[R], Generic[T, R]):
    """An operation whose result is turned into another."""

    __slots__ = ("_fn", "_op")

    def __init__(self, op: Op[T], fn: Callable[[T], R]) -> None:
        self._op = op
        self._fn = fn

    def steps(self, context: Context) -> Steps[R]:
        return self._fn((yield from self._op.steps(context)))


class _Constant(Op[T]):
    """A result that is known already."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def steps(self, context: Context) -> Steps[T]:  # noqa: ARG002 (it asks for nothing)
        yield from ()
        return self._value


class _Gathered(Op[tuple[Any, ...]]):
    """Several operations, one after another, that do not need each other's results."""

    __slots__ = ("_ops",)

    def __init__(self, ops: tuple[Op[Any], ...]) -> None:
        self._ops = ops

    def steps(self, context: Context) -> Steps[tuple[Any, ...]]:
        found: tuple[Any, ...] = ()
        for op in self._ops:
            found += ((yield from op.steps(context)),)
        return found


def constant(value: T) -> Op[T]:
    """An operation that sends nothing and gives this value: the end of a chain of `then`."""
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
    """All of these operations, and the tuple of their results."""
    return _Gathered(ops)
