"""Guesses: how many wrong ones a client, and all clients together, have on a page.

Each is counted before it is judged, in one write that fails once the limit is reached: so
concurrent guesses get no more attempts than sequential ones. A guess that turns out right, or is
not judged after all, is given back. The guesses of a page are judged one after another in this
process, so that concurrent right ones do not block each other; between processes the count alone
decides.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable
from typing import Final, Literal, TypeVar

from tablewright import ref
from tablewright.systems.stayon.design import Attempt, P
from tablewright.web.http.problems import Problem
from tablewright.web.services.budgets import Budget
from tablewright.web.services.named_locks import NamedLocks
from tablewright.web.services.rate_limits import Rate, Window
from tablewright.web.services.services import Services

__all__ = ["GuessLimits", "Judge", "Kind"]

T = TypeVar("T")
Kind = Literal["passcode", "code"]
Judge = Callable[[], Awaitable[T | None]]  # None says that a guess is wrong.
CLIENT_RATE: Final = Rate(10, 600)
# Of all clients together on one page: many addresses give no more guesses.
PAGE_RATES: Final[dict[Kind, Rate]] = {"passcode": Rate(20, 3600), "code": Rate(100, 3600)}
UNKNOWN_RATE: Final = Rate(600, 3600)  # Unknown short ids, by one client.
ALL_CLIENTS: Final = "all"  # In place of a client's hash, which is never that short.


class GuessLimits:
    """Counts wrong guesses in the table, so that all servers count together."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._key = services.secret.key("stayon clients")
        self._locks = NamedLocks()
        self._unknown = Budget(services.clock, UNKNOWN_RATE)

    def client(self, name: str) -> str:
        """A client as it is stored: its address cannot be read from it."""
        return hmac.new(self._key, name.encode(), hashlib.sha256).hexdigest()[:32]

    def not_found(self, client: str) -> Problem:
        """The 404 of an unknown short id; 429 for a client that tries many."""
        self._unknown.spend(client)
        return Problem(404, detail="No such page.")

    async def passcode(self, short_id: str, client: str, judge: Judge[T]) -> T | None:
        """What judging a passcode gives; 429 if the client, or all clients, failed too often.

        Then a right one is refused as well, or the refusal would reveal which one is right.
        """
        windows = [self._window(short_id, "passcode", name) for name in (client, ALL_CLIENTS)]
        async with self._locks.of(f"{short_id} passcode"):
            return await _judged(windows, judge)

    async def code(self, short_id: str, client: str, judge: Judge[T]) -> T | None:
        """What judging a code gives; 429 if the client was wrong too often.

        What all clients together have guessed wrong refuses the wrong ones only: guests who know
        their code keep their answers, however often others guess.
        """
        async with self._locks.of(f"{short_id} code"):
            row = await _judged([self._window(short_id, "code", client)], judge)
            if row is None:
                await self._window(short_id, "code", ALL_CLIENTS).take()
            return row

    def _window(self, short_id: str, kind: Kind, client: str) -> Window[Attempt]:
        def first(count: int, window_start: int, ends_at: int) -> Attempt:
            return Attempt(
                short_id=short_id,
                kind=kind,
                clienthash=client,
                count=count,
                window_start=window_start,
                ttl=ends_at,
            )

        return Window(
            self._services.store,
            self._services.clock,
            PAGE_RATES[kind] if client == ALL_CLIENTS else CLIENT_RATE,
            place=ref(Attempt, short_id=short_id, kind=kind, clienthash=client),
            find=lambda: P.count_failed_attempts(short_id, kind, client),
            make_row=first,
        )


async def _judged(windows: list[Window[Attempt]], judge: Judge[T]) -> T | None:
    """Count a guess, judge it, and give it back unless it was wrong.

    It stays counted if the check fails or is cancelled: its result is not known.
    """
    taken: list[tuple[Window[Attempt], int]] = []
    try:
        for window in windows:  # What was taken has to be known if the next one refuses.
            taken.append((window, await window.take()))  # noqa: PERF401
        result = await judge()
    except Problem:  # A limit, or something else that refuses the request without judging.
        await _give_back(taken)
        raise
    if result is not None:
        await _give_back(taken)
    return result


async def _give_back(taken: list[tuple[Window[Attempt], int]]) -> None:
    for window, window_start in taken:
        await window.give_back(window_start)
