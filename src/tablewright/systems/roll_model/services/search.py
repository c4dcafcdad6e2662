"""Finding entries by words. A coach's search never touches the private words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from tablewright.stores.async_store import AsyncStore
from tablewright.systems.roll_model.design import Entry, Keyword, P, PrivateKeyword

__all__ = ["Hit", "find"]


@dataclass(frozen=True)
class Hit:
    """An entry that words were found in."""

    entry: Entry
    matched: tuple[str, ...]

    @property
    def score(self) -> int:
        return len(self.matched)


async def find(
    store: AsyncStore,
    athlete_id: str,
    tokens: list[str],
    *,
    with_private: bool,
    rows_max: int,
    hits_max: int,
    days: tuple[date | None, date | None] = (None, None),
) -> list[Hit]:
    """The entries that have most of these words, the newest of equals first.

    Of each word the newest ``rows_max`` rows of each partition are looked at.
    """
    matched: dict[tuple[datetime, str], list[str]] = {}
    for token in tokens:
        rows = await _rows(store, athlete_id, token, rows_max, with_private=with_private)
        for place in {(row.created_at, row.entry_id) for row in rows}:
            if _is_within(place[0].date(), days):
                matched.setdefault(place, []).append(token)
    # Newest first, then by id; then, keeping that order, by how many words matched.
    ranked = sorted(matched, key=lambda place: place[1])
    ranked.sort(key=lambda place: place[0], reverse=True)
    ranked.sort(key=lambda place: len(matched[place]), reverse=True)
    hits: list[Hit] = []
    # An entry may have gone since its words were read: then the next one is asked for.
    while ranked and len(hits) < hits_max:
        room = hits_max - len(hits)
        entries = await _entries(store, athlete_id, ranked[:room])
        hits += [Hit(entry, tuple(matched[entry.created_at, entry.entry_id])) for entry in entries]
        del ranked[:room]
    return hits


async def _rows(
    store: AsyncStore, athlete_id: str, token: str, rows_max: int, *, with_private: bool
) -> list[Keyword | PrivateKeyword]:
    shared = await store.run(P.find_entries_by_keyword(athlete_id, token).limit(rows_max))
    rows: list[Keyword | PrivateKeyword] = list(shared.items)
    if with_private:
        query = P.find_entries_by_private_keyword(athlete_id, token)
        rows += (await store.run(query.limit(rows_max))).items
    return rows


async def _entries(
    store: AsyncStore, athlete_id: str, places: list[tuple[datetime, str]]
) -> list[Entry]:
    times, ids = [at for at, _ in places], [entry_id for _, entry_id in places]
    return await store.run(P.entries(athlete_id, times, ids))


def _is_within(day: date, days: tuple[date | None, date | None]) -> bool:
    low, high = days
    return (low is None or low <= day) and (high is None or day <= high)
