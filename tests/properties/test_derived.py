"""Whatever is written, in whatever order: derived rows, counters and indexes follow from the items.

Histories of creates, saves (also from old readings), patches (also with somebody in between),
deletes and marks are run on the embedded engine. After each step nothing may have drifted:

- the derived rows that are stored are those that the functions make of the stored items;
- every counter is the sum over what it counts;
- every index has the rows that the items belong into, and no others.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from pydantic import BaseModel

from tablewright import Conflict, ItemNotFound, Op, Table, Unit, create, delete, patch, ref, save
from tablewright.design.entity import Entity, entity_of_model
from tablewright.engine.database import Database
from tablewright.errors import PlanError, TablewrightError
from tablewright.plan.changes import derived_rows as derived
from tablewright.plan.changes import write_plan as changes
from tablewright.plan.changes.row_writes import RowWrite
from tablewright.plan.operation import Call
from tests.endurance.effort import Effort
from tests.plan.library import (
    NOW,
    Book,
    BookCard,
    E,
    Loan,
    Note,
    P,
    Poem,
    Rating,
    Review,
    Runner,
    Shelf,
    Shelved,
    T,
)

IDS = "12"
USERS = "uv"
TAGS = ["x", "y", "z"]
Row = tuple[str, str]


# What must hold.


def stored(runner: Runner, table: Table) -> dict[Row, tuple[Entity[Any], BaseModel]]:
    result = {}
    for key, item in runner.items(table).items():
        entity = table.entity_of(item)
        assert entity is not None
        result[key] = (entity, entity.instance(item))
    return result


def key_of(entity: Entity[Any], instance: BaseModel) -> Row:
    pk, sk = entity.key_of(instance).values()
    return pk["S"], sk["S"]


def without_own(entity: Entity[Any], instance: BaseModel) -> dict[str, Any]:
    """A derived row without what it has of its own."""
    return instance.model_dump(exclude=set(entity.counters))


def find_drift(runner: Runner, table: Table) -> list[str]:
    """Everything in a table that does not follow from its items."""
    rows = stored(runner, table)
    return [
        *derived_drift(table, rows),
        *counter_drift(table, rows),
        *index_drift(runner, table, rows),
    ]


def derived_drift(table: Table, rows: dict[Row, tuple[Entity[Any], BaseModel]]) -> list[str]:
    expected: dict[Row, BaseModel] = {}
    targets = set()
    for derivation in table.derivations:
        targets |= {entity.name for entity in derivation.targets}
        for entity, instance in rows.values():
            if entity is derivation.source:
                created = derivation.rows(instance)
                expected |= {key_of(entity_of_model(type(row)), row): row for row in created}
    result = {key: row for key, (entity, row) in rows.items() if entity.name in targets}
    wrong = [f"{key} is derived from nothing" for key in result.keys() - expected.keys()]
    wrong += [f"{key} is missing" for key in expected.keys() - result.keys()]
    for key in expected.keys() & result.keys():
        entity = entity_of_model(type(expected[key]))
        if without_own(entity, expected[key]) != without_own(entity, result[key]):
            wrong.append(f"{key} is {result[key]}, not {expected[key]}")
    return wrong


def counter_drift(table: Table, rows: dict[Row, tuple[Entity[Any], BaseModel]]) -> list[str]:
    wrong = []
    for counter in table.counters:
        sums: dict[Row, int] = {}
        for entity, instance in rows.values():
            if entity is counter.source:
                for target, amount in counter.contributions(instance):
                    pk, sk = target.key.values()
                    sums[pk["S"], sk["S"]] = sums.get((pk["S"], sk["S"]), 0) + amount
        for key, (entity, instance) in rows.items():
            if entity is counter.target and getattr(instance, counter.field) != sums.get(key, 0):
                wrong.append(f"{counter.name} of {key} should be {sums.get(key, 0)}: {instance}")
    return wrong


def index_drift(
    runner: Runner, table: Table, rows: dict[Row, tuple[Entity[Any], BaseModel]]
) -> list[str]:
    wrong = []
    for index in table.indexes.values():
        request = {"TableName": table.name, "IndexName": index.name}
        items = runner.database.call("Scan", request)["Items"]
        names = [part.name for part in index.attributes]
        result = {(i["PK"]["S"], i["SK"]["S"]): [i[name] for name in names] for i in items}
        expected = {}
        for key, (entity, instance) in rows.items():
            keys = entity.index_keys(instance)
            if all(name in keys for name in names):
                expected[key] = [keys[name] for name in names]
        if result != expected:
            wrong.append(f"{index.name} has {result}, not {expected}")
    return wrong


# Histories.


class History:
    """Writes at random, each from something that was read at some time."""

    def __init__(self, runner: Runner, chance: random.Random) -> None:
        self.runner = runner
        self.chance = chance
        self.read: list[BaseModel] = []
        # A few kinds in each history, so that they meet often.
        self.makers = chance.choice(FAMILIES)

    def step(self) -> None:
        act = self.chance.choice(
            [self.create, self.create, self.save, self.save, self.delete, self.patch, self.race]
        )
        self.attempt(act)
        # A version tells two states of one row apart, not two rows that had the same key: what was
        # read of a row is forgotten when the row goes.
        rows = {**stored(self.runner, T), **stored(self.runner, E)}
        self.read = [one for one in self.read if key_of(entity_of_model(type(one)), one) in rows]

    def attempt(self, act: Callable[[], BaseModel | None]) -> None:
        try:
            made = act()
        except (Conflict, ItemNotFound, PlanError):
            return
        if made is not None:
            self.read.append(made)

    def create(self) -> BaseModel:
        return self.runner.run(create(self.new()))

    def new(self) -> BaseModel:
        one, user = self.chance.choice(IDS), self.chance.choice(USERS)
        return self.chance.choice(self.makers)(self, one, user)

    def slug(self) -> str | None:
        return self.chance.choice([None, "a", "b"])

    def stars(self) -> int:
        return self.chance.randint(1, 5)

    def tags(self) -> list[str]:
        return self.chance.sample(TAGS, self.chance.randint(0, 3))

    def known(self) -> BaseModel:
        """Something that was read: mostly as it is now, sometimes as it was long ago."""
        if not self.read or self.chance.random() < 0.6:
            rows = [*stored(self.runner, T).values(), *stored(self.runner, E).values()]
            sources = [row for entity, row in rows if type(row) in CHANGES]
            if sources:
                return self.chance.choice(sources)
        if not self.read:
            raise Conflict([])
        return self.chance.choice(self.read)

    def save(self) -> BaseModel:
        old = self.known()
        return self.runner.run(save(old, old.model_copy(update=CHANGES[type(old)](self))))

    def delete(self) -> None:
        """What still counts others stays: a new row of the same key would not count them."""
        old = self.known()
        unit = Unit(delete(old))
        for target, condition in UNUSED.get(type(old), ()):
            unit.require(target(old), condition)
        self.runner.run(unit)

    def patch(self) -> BaseModel:
        old = self.known()
        entity = entity_of_model(type(old))
        target = entity.model
        fields = {name: getattr(old, name) for name in entity.faces[""].fields}
        op = patch(ref(target, **fields) if self.chance.random() < 0.5 else old)
        for name, value in CHANGES[type(old)](self).items():
            if name not in entity.faces[""].fields:
                op = op.set(lambda m, name=name: getattr(m, name), value)  # type: ignore[misc]
        return self.runner.run(op)

    def race(self) -> BaseModel | None:
        """A patch with somebody else's write just before it is made."""
        kept = self.runner.before

        def before(call: Call) -> None:
            if call.operation in ("TransactWriteItems", "UpdateItem"):
                self.runner.before = kept
                self.attempt(self.chance.choice([self.save, self.delete, self.create]))

        self.runner.before = before
        try:
            return self.patch()
        finally:
            self.runner.before = kept


Maker = Callable[[History, str, str], BaseModel]


def new_book(history: History, one: str, user: str) -> Book:
    return Book(id=one, title="t", slug=history.slug(), tags=history.tags())


FAMILIES: list[list[Maker]] = [
    [
        new_book,
        lambda h, one, user: Rating(user_id=user, book_id=one, stars=h.stars()),
    ],
    [new_book, lambda h, one, user: Loan(book_id=one, user_id=user)],
    [new_book, lambda h, one, user: Review(book_id=one, review_id=f"{one}{user}", text="t")],
    [
        lambda h, one, user: Poem(id=one, text="p"),
        lambda h, one, user: Note(id=one, topic=h.chance.choice(TAGS)),
    ],
    [
        lambda h, one, user: Shelf(id=one, name="s"),
        lambda h, one, user: Shelved(shelf_id=one, book_id=user),
    ],
]

# What must be true of which rows before an item may go.
UNUSED: dict[type[BaseModel], list[tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    Book: [
        (lambda book: ref(Book, id=book.id), lambda b: (b.ratings == 0) & (b.stars == 0)),
        (lambda book: ref(BookCard, book_id=book.id), lambda card: card.loans == 0),
    ],
    Shelf: [(lambda shelf: ref(Shelf, id=shelf.id), lambda s: s.book_count == 0)],
}

CHANGES: dict[type[BaseModel], Callable[[History], dict[str, Any]]] = {
    Book: lambda h: h.chance.choice(
        [
            {"title": h.chance.choice("tuv")},
            {"tags": h.tags(), "slug": h.slug()},
            {"notes": h.tags()},
            {"deleted_at": NOW},
        ]
    ),
    Rating: lambda h: h.chance.choice([{"stars": h.stars()}, {"book_id": h.chance.choice(IDS)}]),
    Loan: lambda h: h.chance.choice(
        [{"due": h.chance.choice("ab")}, {"book_id": h.chance.choice(IDS)}]
    ),
    Review: lambda h: {"text": h.chance.choice("ab")},
    Poem: lambda h: h.chance.choice([{"text": h.chance.choice("ab")}, {"deleted_at": NOW}]),
    Note: lambda h: {"topic": h.chance.choice(TAGS)},
    Shelf: lambda h: h.chance.choice([{"name": h.chance.choice("ab")}, {"deleted_at": NOW}]),
    Shelved: lambda h: {"shelf_id": h.chance.choice(IDS)},
}


def drift_of(seed: int, steps: int) -> list[str]:
    """What drifts in one history; it ends at the first step after which anything has."""
    database = Database.open("sqlite://:memory:")
    try:
        runner = Runner(database)
        runner.make_tables()
        history = History(runner, random.Random(seed))
        for _ in range(steps):
            history.step()
            wrong = find_drift(runner, T) + counter_drift(E, stored(runner, E))
            if wrong:
                return wrong
        return []
    finally:
        database.close()


@pytest.mark.trial("T4")
def test_nothing_drifts_whatever_is_written(effort: Effort) -> None:
    for number in effort.rounds("examples", change=40, nightly=20_000, release=100_000):
        chance = effort.random(number)
        assert drift_of(chance.getrandbits(32), chance.randint(5, 25)) == []


def test_nothing_drifts_when_many_write_at_once(database: Database) -> None:
    first = Runner(database)
    first.make_tables()
    for one in IDS:
        first.run(create(Book(id=one, title="t", tags=["x"])))

    def write(seed: int) -> None:
        runner, chance = Runner(database, token=f"writer-{seed}"), random.Random(seed)
        for number in range(30):
            book = patch(ref(Book, id=chance.choice(IDS)))
            rating = Rating(user_id=f"{seed}-{number}", book_id=chance.choice(IDS), stars=3)
            mine = ref(Rating, user_id=f"{seed}-{chance.randrange(30)}", book_id=rating.book_id)
            ops: list[Op[Any]] = [
                book.set(lambda b: b.tags, chance.sample(TAGS, 2)),
                book.set(lambda b: b.slug, chance.choice("ab")),
                book.set(lambda b: b.title, chance.choice("tuv")),
                create(rating),
                create(rating),
                patch(mine).set(lambda r: r.stars, chance.randint(1, 5)),
            ]
            with suppress(Conflict, ItemNotFound):
                runner.run(chance.choice(ops))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert find_drift(first, T) == []
    assert sum(book.ratings for book in first.run(P.list_books().all())) > 10


# The checker itself.


def is_caught() -> bool:
    for seed in range(40):
        try:
            if drift_of(seed, 25):
                return True
        except TablewrightError:
            return True
    return False


def test_the_checker_finds_nothing_where_nothing_is_planted() -> None:
    assert not is_caught()


def test_the_checker_finds_counters_written_by_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_counters(entity: Any, old: Any, new: Any) -> Any:
        from tablewright.plan.condition_trees import Path

        sets = {Path((name,)): value for name, value in new.items() if name not in ("PK", "SK")}
        return sets, [Path((name,)) for name in old if name not in new]

    monkeypatch.setattr(changes, "attribute_changes", with_counters)
    assert is_caught()


def test_the_checker_finds_derived_rows_that_are_put_over(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = derived._derived_row

    def putting(derivation: Any, key: Any, target: Any, old: Any, new: Any) -> RowWrite | None:
        return honest(derivation, key, target, None if new is not None else old, new)

    monkeypatch.setattr(derived, "_derived_row", putting)
    assert is_caught()


def test_the_checker_finds_index_keys_that_are_not_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = derived.attribute_changes
    monkeypatch.setattr(
        changes, "attribute_changes", lambda entity, old, new: (honest(entity, old, new)[0], [])
    )
    assert is_caught()


def test_the_checker_finds_saves_that_do_not_look_at_the_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(changes, "_as_read", lambda entity, old, stored=None: ({}, ()))
    assert is_caught()


def test_the_checker_finds_counters_that_do_not_go_down(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = derived.effects

    def only_up(entity: Any, old: Any, new: Any, *, counted: bool = True) -> Any:
        return honest(entity, old, new, counted=new is not None and counted)

    monkeypatch.setattr(changes, "effects", only_up)
    assert is_caught()


def test_cards_of_marked_books_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    # What the design says, so that the law above is about it: a card outlives its book's mark.
    book = Book(id="1", title="t", deleted_at=NOW)
    created = [row for d in entity_of_model(Book).derivations for row in d.rows(book)]
    assert [type(row) for row in created] == [BookCard]
