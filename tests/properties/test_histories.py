"""The judges of histories find what is planted, and accept what is merely concurrent."""

from __future__ import annotations

import random

import pytest

from .histories import (
    Append,
    ListRead,
    Read,
    Swap,
    Transaction,
    Write,
    append_faults,
    register_faults,
    transaction_faults,
)

# One list.


def test_appends_that_overlap_may_come_in_any_order() -> None:
    history = [
        Append("a", 0, 10, ("b", "a")),
        Append("b", 1, 9, ("b",)),
        ListRead(("b",), 2, 8),
        ListRead((), 0, 7),
    ]
    assert append_faults(history) == []


def test_an_append_without_an_answer_may_have_happened_or_not() -> None:
    unknown = Append("a", 0)
    assert append_faults([unknown, ListRead((), 100, 101)]) == []
    assert append_faults([unknown, ListRead((), 50, 51), ListRead(("a",), 100, 101)]) == []
    flicker = [unknown, ListRead(("a",), 50, 51), ListRead((), 100, 101)]
    assert append_faults(flicker) != []


@pytest.mark.parametrize(
    ("history", "finding"),
    [
        # A lost update: both read the empty list and wrote their own.
        ([Append("a", 0, 5, ("a",)), Append("b", 1, 6, ("b",))], "no beginning"),
        ([Append("a", 0, 5, ("a",)), Append("b", 6, 7, ("b",))], "no beginning"),
        # An acknowledged append that the last read does not show.
        ([Append("a", 0, 1, ("a",)), ListRead((), 2, 3)], "comes before it"),
        ([Append("a", 0, 1, None), ListRead((), 0, 3)], "lost"),
        # A stale read: older than one that had ended.
        (
            [Append("a", 0, 9, ("a",)), ListRead(("a",), 1, 2), ListRead((), 3, 4)],
            "comes before it",
        ),
        # A read of what had not been asked for yet.
        ([ListRead(("a",), 0, 1), Append("a", 2, 3, ("a",))], "comes before it"),
        ([Append("a", 0, 1, ("a", "a"))], "twice"),
        ([ListRead(("ghost",), 0, 1)], "by nobody"),
        ([Append("a", 0, 9, ("a", "b")), Append("b", 0, 9, ("a", "b"))], "see itself"),
    ],
)
def test_a_list_with_a_planted_fault_is_found(
    history: list[Append | ListRead], finding: str
) -> None:
    assert any(finding in fault for fault in append_faults(history))


# One register.


def test_writes_that_overlap_may_come_in_any_order() -> None:
    history = [Write(1, 0, 10), Write(2, 0, 10), Read(2, 11, 12), Swap(2, 3, True, 13, 14)]
    assert register_faults(history) == []
    assert register_faults([*history, Swap(2, 4, False, 15, 16), Read(3, 17, 18)]) == []


def test_a_swap_without_an_answer_may_have_happened_or_not() -> None:
    unknown = Swap(None, 1, None, 0)
    assert register_faults([unknown, Read(None, 5, 6)]) == []
    assert register_faults([unknown, Read(None, 5, 6), Read(1, 7, 8)]) == []
    assert register_faults([unknown, Read(1, 5, 6), Read(None, 7, 8)]) != []


@pytest.mark.parametrize(
    "history",
    [
        # Two swaps of one value: a lost update.
        [Swap(None, 1, True, 0, 5), Swap(None, 2, True, 1, 6)],
        # A stale read.
        [Write(1, 0, 1), Write(2, 2, 3), Read(1, 4, 5)],
        # A swap that failed although nobody else wrote.
        [Write(1, 0, 1), Swap(1, 2, False, 2, 3)],
        # Two readers that saw overlapping writes in opposite orders.
        [
            *(Write(1, 0, 20), Write(2, 0, 20)),
            *(Read(1, 1, 2), Read(2, 3, 4)),
            *(Read(2, 5, 6), Read(1, 7, 8)),
        ],
    ],
)
def test_a_register_with_a_planted_fault_is_found(history: list[Write | Read | Swap]) -> None:
    assert register_faults(history) != []


def simulated_register(seed: int, clients: int, operations: int) -> list[Write | Read | Swap]:
    """A good history: each operation takes effect at some moment between its start and end."""
    chance = random.Random(seed)
    moments = []
    for _ in range(clients):
        now = 0.0
        for _ in range(operations // clients):
            start = now + chance.random()
            moment = start + chance.random()
            now = moment + chance.random()
            moments.append((moment, start, now))
    value = 0
    history: list[Write | Read | Swap] = []
    for _, start, end in sorted(moments):
        match chance.randrange(3):
            case 0:
                value = chance.randrange(5)
                history.append(Write(value, start, end))
            case 1:
                history.append(Read(value, start, end))
            case _:
                expected, new = chance.randrange(5), chance.randrange(5)
                history.append(Swap(expected, new, value == expected, start, end))
                value = new if value == expected else value
    return history


@pytest.mark.parametrize("seed", range(5))
def test_a_long_good_history_of_a_register_is_accepted_and_one_wrong_read_found(seed: int) -> None:
    history = simulated_register(seed, clients=6, operations=1200)
    assert register_faults(history, initial=0) == []
    reads = [at for at, done in enumerate(history) if isinstance(done, Read)]
    at = reads[len(reads) // 2]
    history[at] = Read("never written", history[at].start, history[at].end)
    assert register_faults(history, initial=0) != []


# Transactions.


def test_transactions_that_overlap_may_come_in_any_order() -> None:
    history = [
        Transaction(reads={"x": ()}, appends={"y": 1}, start=0, end=10),
        Transaction(reads={"y": (1,)}, appends={"x": 2}, start=1, end=9),
        Transaction(reads={"x": (2,), "y": (1,)}, start=2, end=8),
    ]
    assert transaction_faults(history) == []


@pytest.mark.parametrize(
    ("history", "finding"),
    [
        # Write skew: each read what the other then changed.
        (
            [
                Transaction(reads={"x": (), "y": ()}, appends={"x": 1}),
                Transaction(reads={"x": (), "y": ()}, appends={"y": 2}),
                Transaction(reads={"x": (1,), "y": (2,)}),
            ],
            "a cycle",
        ),
        # The same, where no read shows the result.
        (
            [
                Transaction(reads={"x": (), "y": ()}, appends={"x": 1}),
                Transaction(reads={"x": (), "y": ()}, appends={"y": 2}),
            ],
            "a cycle",
        ),
        # A lost update: both read nothing, both appended.
        (
            [
                Transaction(reads={"x": ()}, appends={"x": 1}),
                Transaction(reads={"x": ()}, appends={"x": 2}),
                Transaction(reads={"x": (1, 2)}),
            ],
            "a cycle",
        ),
        # A torn read: half of a transaction.
        (
            [Transaction(appends={"x": 1, "y": 1}), Transaction(reads={"x": (1,), "y": ()})],
            "a cycle",
        ),
        # A stale read: serializable, but not in the order of the clock.
        (
            [
                Transaction(appends={"x": 1}, start=0, end=1),
                Transaction(reads={"x": ()}, start=2, end=3),
            ],
            "a cycle",
        ),
        # A read of a transaction that was refused.
        ([Transaction(reads={"x": (1,)})], "no transaction that succeeded"),
        (
            [
                Transaction(appends={"x": 1}),
                Transaction(appends={"x": 2}),
                Transaction(reads={"x": (1, 2)}),
                Transaction(reads={"x": (2, 1)}),
            ],
            "cannot both",
        ),
    ],
)
def test_transactions_with_a_planted_fault_are_found(
    history: list[Transaction], finding: str
) -> None:
    assert any(finding in fault for fault in transaction_faults(history))


def simulated_transactions(seed: int, number: int) -> list[Transaction]:
    """A good history of overlapping transactions, each taking effect at one moment."""
    chance = random.Random(seed)
    lists: dict[str, tuple[int, ...]] = dict.fromkeys("pqrst", ())
    history = []
    for n in range(number):
        keys = chance.sample(sorted(lists), 2)
        reads = {key: lists[key] for key in keys if chance.random() < 0.6}
        appends = {key: n for key in keys if chance.random() < 0.5}
        for key in appends:
            lists[key] = (*lists[key], n)
        start, end = n - chance.random() * 5, n + chance.random() * 5
        history.append(Transaction(reads, appends, start, end))
    chance.shuffle(history)
    return history


@pytest.mark.parametrize("seed", range(3))
def test_a_long_good_history_of_transactions_is_accepted_and_one_old_read_found(seed: int) -> None:
    history = simulated_transactions(seed, 1000)
    assert transaction_faults(history) == []
    full = max(history, key=lambda done: len(done.reads.get("p", ())))
    old = Transaction({"p": full.reads["p"][:10]}, {}, full.start, full.end)
    assert transaction_faults([*history, old]) != []
