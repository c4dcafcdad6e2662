"""Judging concurrent histories: is there an order that explains what every client saw?

Pure functions from what clients did and were told to sentences about what is wrong; an empty list
is a good history. Times are any clock that all clients share. An operation whose answer never came
ends at `NEVER`: it may have happened at any time since its start, or not at all.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NEVER = math.inf

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Append:
    """A unique value added to the end of a list; `seen` is the list after it, if that was told."""

    value: Any
    start: float
    end: float = NEVER
    seen: Values | None = None


@dataclass(frozen=True, slots=True)
class ListRead:
    """A list as it was read."""

    seen: Values
    start: float
    end: float


def append_faults(history: Iterable[Append | ListRead]) -> list[str]:
    """Why the history of one list is not linearizable.

    A list that only grows tells its own version: its length. So every operation has its place in
    the only possible order, and that order must agree with the clock.
    """
    history = list(history)
    longest = max((done.seen for done in history if done.seen is not None), key=len, default=())
    faults = [
        f"{done} is no beginning of {longest}"
        for done in history
        if done.seen is not None and done.seen != longest[: len(done.seen)]
    ]
    place_of = {value: place for place, value in enumerate(longest, 1)}
    if len(place_of) != len(longest):
        faults.append(f"a value is there twice: {longest}")
    appended = {done.value for done in history if isinstance(done, Append)}
    faults += [f"{value!r} was appended by nobody" for value in place_of if value not in appended]
    placed: list[tuple[tuple[int, int], Append | ListRead]] = []
    for done in history:
        if isinstance(done, ListRead):
            placed.append(((len(done.seen), 1), done))
            continue
        place = place_of.get(done.value)
        if done.seen is not None and done.seen[-1:] != (done.value,):
            faults.append(f"{done} does not see itself at the end")
        elif place is not None:
            placed.append(((place, 0), done))
        elif done.end != NEVER:
            faults.append(f"{done} is lost")
    return faults + _clock_faults(placed)


def _clock_faults(placed: list[tuple[tuple[int, int], Append | ListRead]]) -> list[str]:
    """What comes after something that started only when it had ended."""
    faults = []
    running: list[tuple[float, int]] = []
    latest: tuple[tuple[int, int], Append | ListRead] | None = None
    placed.sort(key=lambda one: one[1].start)
    for number, (place, done) in enumerate(placed):
        while running and running[0][0] < done.start:
            ended = placed[heapq.heappop(running)[1]]
            if latest is None or ended[0] > latest[0]:
                latest = ended
        if latest is not None and place < latest[0]:
            faults.append(f"{done} started after the end of {latest[1]}, but comes before it")
        heapq.heappush(running, (done.end, number))
    return faults


@dataclass(frozen=True, slots=True)
class Write:
    """A register set to a value."""

    value: Any
    start: float
    end: float = NEVER


@dataclass(frozen=True, slots=True)
class Read:
    """A register's value as it was read."""

    value: Any
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Swap:
    """A register set to `new` if it was `expected`; `succeeded` is None if nobody was told."""

    expected: Any
    new: Any
    succeeded: bool | None
    start: float
    end: float = NEVER


_IMPOSSIBLE = object()


def _after(operation: Write | Read | Swap, value: Any) -> Any:
    """The register after an operation that found `value`, or _IMPOSSIBLE."""
    if isinstance(operation, Write):
        return operation.value
    if isinstance(operation, Read):
        return value if operation.value == value else _IMPOSSIBLE
    fits = value == operation.expected
    if operation.succeeded is None or operation.succeeded == fits:
        return operation.new if fits else value
    return _IMPOSSIBLE


def register_faults(history: Iterable[Write | Read | Swap], initial: Any = None) -> list[str]:
    """Why the history of one register is not linearizable (Wing and Gong's search, Lowe's memo).

    A state of the search is the first operation without a place, which later ones have one (bits),
    and the register. Keep to about eight clients: the states grow with what may overlap.
    """
    operations = sorted(history, key=lambda done: done.start)
    tried: set[tuple[int, int, Any]] = set()
    states = [(0, 0, initial)]
    furthest = 0
    while states:
        first, placed, value = state = states.pop()
        if state in tried:
            continue
        tried.add(state)
        furthest = max(furthest, first)
        earliest_end = NEVER
        following = []
        for at in range(first, len(operations)):
            if placed >> (at - first) & 1:
                continue
            operation = operations[at]
            if operation.start > earliest_end:
                break
            earliest_end = min(earliest_end, operation.end)
            changed = _after(operation, value)
            if changed is not _IMPOSSIBLE:
                following.append((*_shifted(first, placed | 1 << (at - first)), changed))
        if earliest_end == NEVER:
            return []  # What is left was never answered: it may not have happened.
        states.extend(reversed(following))
    return [f"no order explains what was seen up to {operations[furthest]}"]


def _shifted(first: int, placed: int) -> tuple[int, int]:
    while placed & 1:
        first += 1
        placed >>= 1
    return first, placed


@dataclass(frozen=True, slots=True)
class Transaction:
    """A committed transaction on lists: what it read, then what it appended (unique per list)."""

    reads: Mapping[Any, Values] = field(default_factory=dict)
    appends: Mapping[Any, Any] = field(default_factory=dict)
    start: float = 0.0
    end: float = NEVER


def transaction_faults(history: Sequence[Transaction]) -> list[str]:
    """Why the transactions are not strictly serializable (as Elle finds it).

    Lists tell the order of their versions, hence who came before whom: by writing after another's
    write, reading it, or not yet reading it. With the order of the clock there must be no cycle.
    Transactions that were refused are left out of the history, so that to read from one is a fault.
    """
    longest: dict[Any, Values] = {}
    faults = []
    for done in history:
        for key, seen in done.reads.items():
            known = longest.get(key, ())
            if seen[: len(known)] != known[: len(seen)]:
                faults.append(f"{key}: {seen} and {known} cannot both have been")
            longest[key] = max(seen, known, key=len)
    writer = {
        (key, value): number
        for number, done in enumerate(history)
        for key, value in done.appends.items()
    }
    faults += [
        f"{key}: {value!r} was appended by no transaction that succeeded"
        for key, values in longest.items()
        for value in values
        if (key, value) not in writer
    ]
    if faults:
        return faults
    graph = _dependencies(history, longest, writer)
    _add_clock(graph, history)
    return [
        "a cycle: " + "; ".join(str(history[n]) for n in sorted(cycle) if n < len(history))
        for cycle in _cycles(graph)
    ]


def _dependencies(
    history: Sequence[Transaction], longest: dict[Any, Values], writer: dict[Any, int]
) -> list[set[int]]:
    """Which transactions each one comes directly before."""
    graph: list[set[int]] = [set() for _ in history]
    # Appends that nobody saw come after all that was seen, in an order that nobody knows.
    next_of: dict[tuple[Any, int], list[int]] = {}
    seen_values = {(key, value) for key, values in longest.items() for value in values}
    for (key, value), number in writer.items():
        if (key, value) not in seen_values:
            next_of.setdefault((key, len(longest.get(key, ()))), []).append(number)
    for key, values in longest.items():
        for place, value in enumerate(values):
            next_of[key, place] = [writer[key, value]]
    for (key, place), followers in next_of.items():
        if place:
            graph[writer[key, longest[key][place - 1]]].update(followers)
    for number, done in enumerate(history):
        for key, seen in done.reads.items():
            if seen:
                graph[writer[key, seen[-1]]].add(number)
            graph[number].update(next_of.get((key, len(seen)), ()))
    return graph


def _add_clock(graph: list[set[int]], history: Sequence[Transaction]) -> None:
    """Edges from what ended to what started later, through one node per end: linear in number."""
    ends = sorted((done.end, number) for number, done in enumerate(history) if done.end != NEVER)
    starts = sorted((done.start, number) for number, done in enumerate(history))
    passed = 0
    last: int | None = None
    for start, number in starts:
        while passed < len(ends) and ends[passed][0] < start:
            graph.append(set())
            if last is not None:
                graph[last].add(len(graph) - 1)
            last = len(graph) - 1
            graph[ends[passed][1]].add(last)
            passed += 1
        if last is not None:
            graph[last].add(number)


def _cycles(graph: list[set[int]]) -> list[list[int]]:
    """The strongly connected parts of more than one node (Tarjan's search, without recursion)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    waiting: list[int] = []
    is_waiting: set[int] = set()
    result = []
    for root in range(len(graph)):
        if root in order:
            continue
        path = [(root, iter(graph[root]))]
        order[root] = low[root] = len(order)
        waiting.append(root)
        is_waiting.add(root)
        while path:
            node, following = path[-1]
            for after in following:
                if after not in order:
                    order[after] = low[after] = len(order)
                    waiting.append(after)
                    is_waiting.add(after)
                    path.append((after, iter(graph[after])))
                    break
                if after in is_waiting:
                    low[node] = min(low[node], order[after])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    part = []
                    while not part or part[-1] != node:
                        part.append(waiting.pop())
                    is_waiting.difference_update(part)
                    if len(part) > 1:
                        result.append(part)
    return result
