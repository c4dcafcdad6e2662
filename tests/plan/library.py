"""A small design that has one of everything a write can move, and a driver for operations.

Members rate and review books; a book has tags, a slug of its own, a card that outlives its mark,
and counters. Poems keep their history, essays have words without a bound, shelves are enveloped.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from tablewright import (
    Count,
    Design,
    Envelope,
    FanOut,
    Get,
    Index,
    Model,
    Number,
    Op,
    Query,
    Ref,
    Table,
    pattern,
    ref,
    served,
)
from tablewright.engine.database import Database
from tablewright.errors import TablewrightError
from tablewright.plan.operation import Call, Context, Pause

R = TypeVar("R")

NOW = datetime(2026, 3, 1, 10, 0, 0, tzinfo=UTC)

T = Table(
    "library",
    ttl="ttl",
    indexes=[
        Index("byKind", pk="kind", sk="kindSk"),
        Index("byTag", pk="tagged", sk="taggedBook"),
        Index("byStars", pk=Number("starRating"), sk="ratedBook"),
    ],
)


class Size(Model):
    pages: int
    unit: str | None = None


@T.entity("BOOK#{id}", "METADATA", mark="deletedAt", byKind=("BOOK", "{createdAt}#{id}"))
class Book(Model):
    id: str
    title: str
    slug: str | None = None
    tags: list[str] = []
    notes: list[str] = []
    size: Size | None = None
    created_at: datetime = NOW
    stars: int = 0
    ratings: int = 0
    version: int = 1
    deleted_at: datetime | None = None


@T.entity("BOOK#{bookId}", "TAG#{tag}", byTag=("{tag}", "BOOK#{bookId}"))
class BookTag(Model):
    book_id: str
    tag: str
    title: str
    seen: int = 0


@T.entity("SLUG#{slug}", "METADATA")
class BookSlug(Model):
    slug: str
    book_id: str


@T.entity("CARD#{bookId}", "METADATA", mark="deletedAt")
class BookCard(Model):
    book_id: str
    title: str
    loans: int = 0
    deleted_at: datetime | None = None


@T.derive(Book, max=20)
def tag_rows(book: Book) -> Iterator[BookTag]:
    for tag in book.tags:
        yield BookTag(book_id=book.id, tag=tag, title=book.title)


@T.unique(Book)
def slug_row(book: Book) -> BookSlug | None:
    return BookSlug(slug=book.slug, book_id=book.id) if book.slug else None


@T.derive(Book, max=1, while_marked=True)
def card(book: Book) -> BookCard:
    return BookCard(book_id=book.id, title=book.title, deleted_at=book.deleted_at)


@T.entity("USER#{userId}", "RATING#{bookId}", byStars=("{stars}", "BOOK#{bookId}#{userId}"))
class Rating(Model):
    user_id: str
    book_id: str
    stars: int
    version: int = 1


@T.count(Rating, "stars", by=lambda rating: rating.stars)
def stars_of(rating: Rating) -> Ref[Book]:
    return ref(Book, id=rating.book_id)


@T.count(Rating, "ratings")
def ratings_of(rating: Rating) -> Ref[Book]:
    return ref(Book, id=rating.book_id)


@T.entity("LOAN#{bookId}", "{userId}")
class Loan(Model):
    book_id: str
    user_id: str
    due: str | None = None
    delays: list[str] = []


@T.count(Loan, "loans")
def loans_of(loan: Loan) -> Ref[BookCard]:
    return ref(BookCard, book_id=loan.book_id)


@T.entity("BOOK#{bookId}", "REVIEW#{reviewId}")
class Review(Model):
    book_id: str
    review_id: str
    text: str
    version: int = 1


@T.entity("REVIEW#{reviewId}", "METADATA")
class ReviewPlace(Model):
    review_id: str
    book_id: str


@T.derive(Review, max=1)
def review_place(review: Review) -> ReviewPlace:
    return ReviewPlace(review_id=review.review_id, book_id=review.book_id)


@T.entity("POEM#{id}", "CURRENT", version="edits", mark="deletedAt", byKind=("POEM", "{id}"))
class Poem(Model):
    id: str
    text: str
    edits: int = 0
    deleted_at: datetime | None = None


@T.entity("POEM#{id}", "VERSION#{edits:06}")
class PoemVersion(Model):
    id: str
    edits: int
    text: str


@T.history(Poem)
def replaced_text(old: Poem, new: Poem) -> PoemVersion:
    return PoemVersion(id=old.id, edits=old.edits, text=old.text)


@T.entity("ESSAY#{id}", "METADATA", byKind=("ESSAY", "{id}"))
class Essay(Model):
    id: str
    words: list[str]
    version: int = 1


@T.entity("WORD#{word}", "ESSAY#{essayId}")
class EssayWord(Model):
    word: str
    essay_id: str


@T.derive(Essay)
def essay_words(essay: Essay) -> Iterator[EssayWord]:
    for word in essay.words:
        yield EssayWord(word=word, essay_id=essay.id)


@T.entity("ONCE#{key}", "METADATA", ttl="expiresAt")
class Once(Model):
    key: str
    answer: str
    expires_at: datetime


@T.entity("VISIT#{userId}", "METADATA")
class Visit(Model):
    user_id: str
    count: int = 0
    last: str | None = None


@T.entity("NOTE#{id}", "METADATA", byKind=("NOTE", "{topic}#{id}"))
class Note(Model):
    id: str
    topic: str
    text: str = ""
    likes: int = 0
    size: Size | None = None


E = Table(
    "shelves", pk="pk", sk="sk", envelope=Envelope("data", ("version", "bookCount", "deletedAt"))
)


@E.entity("SHELF#{id}", "METADATA", type="shelf", mark="deletedAt")
class Shelf(Model):
    id: str
    name: str
    book_count: int = 0
    version: int = 1
    deleted_at: datetime | None = None


@E.entity("SHELF#{shelfId}", "BOOK#{bookId}", type="shelved")
class Shelved(Model):
    shelf_id: str
    book_id: str
    version: int = 1


@E.count(Shelved, "book_count")
def books_on(shelved: Shelved) -> Ref[Shelf]:
    return ref(Shelf, id=shelved.shelf_id)


class Library(Design, tables=[T, E]):
    @pattern()
    def get_book(self, id: str) -> Get[Book]:  # noqa: A002 (the field's name)
        return served()

    @pattern(desc=True)
    def list_books(self) -> Query[Book]:
        return served()

    @pattern()
    def count_books(self) -> Count[Book]:
        return served()

    @pattern()
    def list_tags(self, book_id: str) -> Query[BookTag]:
        return served()

    @pattern()
    def books_with_tag(self, tag: str) -> Query[BookTag]:
        return served()

    @pattern()
    def books_with_tags(self, tag: list[str]) -> FanOut[BookTag]:
        return served()

    @pattern()
    def list_ratings(self, user_id: str) -> Query[Rating]:
        return served()

    @pattern()
    def ratings_with(self, stars: int) -> Query[Rating]:
        return served()

    @pattern()
    def list_reviews(self, book_id: str) -> Query[Review]:
        return served()

    @pattern()
    def list_loans(self, book_id: str) -> Query[Loan]:
        return served()

    @pattern()
    def list_shelved(self, shelf_id: str) -> Query[Shelved]:
        return served()


P = Library()


class Runner:
    """Drives operations on a database in memory, and keeps what they asked."""

    def __init__(self, database: Database, token: str = "token") -> None:
        self.database = database
        self.calls: list[Call] = []
        self.pauses: list[float] = []
        self.now = NOW.timestamp()
        self.before: Callable[[Call], None] = lambda call: None
        tokens = iter(range(10**9))
        chance = random.Random(7)
        self.context = Context(lambda: self.now, chance.random, lambda: f"{token}-{next(tokens)}")

    def make_tables(self) -> None:
        for table in (T, E):
            self.database.call("CreateTable", table.create_request())

    def run(self, op: Op[R]) -> R:
        steps = op.steps(self.context)
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    self.pauses.append(step.seconds)
                    step = steps.send({})
                    continue
                try:
                    self.before(step)
                    self.calls.append(step)
                    reply = self.database.call(step.operation, step.request)
                except TablewrightError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            found: R = end.value
            return found
        finally:
            steps.close()

    def items(self, table: Table = T) -> dict[tuple[str, str], dict[str, Any]]:
        """Every item of a table by its key."""
        pk, sk = (part.name for part in table.primary.attributes)
        found = self.database.call("Scan", {"TableName": table.name})["Items"]
        return {(item[pk]["S"], item[sk]["S"]): item for item in found}

    @property
    def operations(self) -> list[str]:
        return [call.operation for call in self.calls]


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)
