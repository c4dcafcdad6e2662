"""What the type checkers must say about a design. Never run: both checkers read it.

A line whose comment is "revealed" and a type reveals that type; one whose comment is "refused" is
an error for both checkers; every other line is clean.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import reveal_type

from tablewright import (
    AsyncStore,
    BatchGet,
    Count,
    Design,
    FanOut,
    Get,
    Model,
    Query,
    Range,
    Ref,
    Store,
    Table,
    absent,
    create,
    delete,
    gather,
    patch,
    pattern,
    present,
    ref,
    save,
    served,
)

T = Table("typed")


@T.entity("USER#{userId}", "PROFILE")
class Profile(Model):
    user_id: str
    name: str
    age: int = 0
    seen_at: datetime | None = None


@T.entity("USER#{userId}", "NOTE#{at}")
class Note(Model):
    user_id: str
    at: datetime
    text: str


@T.count(Note, "age")
def notes_of(note: Note) -> Ref[Profile]:
    return ref(Profile, user_id=note.user_id)


class Typed(Design, tables=[T]):
    @pattern()
    def profile(self, user_id: str) -> Get[Profile]:
        return served()

    @pattern()
    def profiles(self, user_id: Sequence[str]) -> BatchGet[Profile]:
        return served()

    @pattern()
    def notes(self, user_id: str) -> Query[Note]:
        return served()

    @pattern()
    def everything(self, user_id: str) -> Query[Profile | Note]:
        return served()

    @pattern()
    def how_many(self, user_id: str, at: Range[datetime]) -> Count[Note]:
        return served()

    @pattern()
    def of_many(self, user_id: Sequence[str]) -> FanOut[Note]:
        return served()


P = Typed()
NOW = datetime.now(UTC)


# Each line says what is said about it, however long it gets.
# fmt: off
def reading(store: Store) -> None:
    reveal_type(store.run(P.profile("u")))  # revealed: Profile | None
    reveal_type(store.run(P.profile("u").required()))  # revealed: Profile
    reveal_type(store.run(P.profiles(["u"])))  # revealed: list[Profile]
    reveal_type(store.run(P.notes("u")))  # revealed: Page[Note]
    reveal_type(store.run(P.notes("u").all()))  # revealed: list[Note]
    reveal_type(store.run(P.notes("u").first()))  # revealed: Note | None
    reveal_type(store.run(P.everything("u")).items)  # revealed: tuple[Profile | Note, ...]
    reveal_type(store.run(P.how_many("u", Range(NOW, None))))  # revealed: int
    reveal_type(store.run(P.of_many(["u"])))  # revealed: list[Note]
    reveal_type(store.run(P.notes("u").select(lambda n: (n.at, n.text)).all()))  # revealed: list[tuple[datetime, str]]
    reveal_type(store.run(gather(P.profile("u"), P.notes("u"))))  # revealed: tuple[Profile | None, Page[Note]]
    reveal_type(store.run(P.profile("u").follow(lambda p: P.notes(p.user_id))))  # revealed: Page[Note] | None
    P.profile(1)  # refused
    P.profile()  # refused
    P.profile(user="u")  # refused
    P.nobody("u")  # refused
    P.how_many("u", NOW)  # refused
    P.notes("u").where(lambda n: n.title == "x")  # refused
    P.notes("u").where(lambda n: n.text > 3)  # refused
    P.notes("u").where(lambda n: n.text)  # refused
    P.notes("u").where(lambda n: (n.text == "x") & (n.at > NOW))
    P.everything("u").select(lambda row: row.text)  # refused


def writing(store: Store) -> None:
    old = Profile(user_id="u", name="Ann")
    new = old.model_copy(update={"name": "Bob"})
    reveal_type(store.run(create(old)))  # revealed: Profile
    reveal_type(store.run(save(old, new)))  # revealed: Profile
    store.run(delete(old))
    store.run(patch(ref(Profile, user_id="u")).set(lambda p: p.name, "Bob"))
    store.run(patch(old).add(lambda p: p.age, 1).when(lambda p: present(p.seen_at) > NOW))
    store.run(delete(old, when=lambda p: absent(p.seen_at)))
    patch(old).set(lambda p: p.nickname, "x")  # refused
    patch(old).when(lambda p: p.nickname == "x")  # refused
    delete(old, when=lambda p: p.seen_at > NOW)  # refused
    Profile(user_id="u")  # refused


async def awaiting(store: AsyncStore) -> None:
    reveal_type(await store.run(P.profile("u")))  # revealed: Profile | None
    reveal_type(await store.run(P.notes("u").limit(3)))  # revealed: Page[Note]
    async for note in store.iterate(P.notes("u")):
        reveal_type(note)  # revealed: Note
