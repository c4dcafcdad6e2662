"""A small system that uses all of the web layer: notes of a user, with a picture each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi import Query as InQuery
from fastapi.responses import Response

from tablewright import (
    Design,
    Get,
    Index,
    Model,
    Moment,
    Query,
    Table,
    Unit,
    delete,
    pattern,
    ref,
    save,
)
from tablewright.web.http import idempotency
from tablewright.web.http.answers import answer
from tablewright.web.http.dependencies import Provided, service
from tablewright.web.http.field_types import (
    Answer,
    BlobUrl,
    Body,
    Flag,
    Int,
    Line,
    ListOf,
    Number,
    PatchBody,
    QueryParameters,
    Text,
    Time,
)
from tablewright.web.http.idempotency import IdempotencyKey, IdempotencyKeys
from tablewright.web.http.openapi import Responses, codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.problems import Problem, field_problem
from tablewright.web.http.retry import retried
from tablewright.web.http.routing import Router
from tablewright.web.http.stored_answer import StoredAnswer
from tablewright.web.identity.bearer import Bearer, Guest
from tablewright.web.identity.client_address import client_address
from tablewright.web.server.app import System, system_app
from tablewright.web.services.blobs import UploadAnswer
from tablewright.web.services.rate_limits import Rate, Window
from tablewright.web.services.services import Services

T = Table("Notes", pk="PK", sk="SK", ttl="ttl", indexes=[Index("byUser", pk="GPK", sk="GSK")])


@T.entity("NOTE#{noteId}", "METADATA", byUser=("USER#{userId}", "{createdAt}#{noteId}"))
class Note(Model):
    note_id: str
    user_id: str
    title: str
    text: str | None = None
    stars: int = 0
    picture_key: str | None = None
    created_at: Moment
    version: int = 1


@T.entity("IDEMPOTENCY#{scope}#{key}", "METADATA", ttl="expiresAt")
class Done(StoredAnswer):
    pass


@T.entity("RATE#{name}", "METADATA", ttl="endsAt")
class Counter(Model):
    name: str
    count: int
    window_start: int
    ends_at: int


class Notes(Design, tables=[T]):
    @pattern()
    def get_note(self, note_id: str) -> Get[Note]:
        """One note."""

    @pattern()
    def list_notes(self, user_id: str) -> Query[Note]:
        """A user's notes, oldest first."""

    @pattern()
    def get_done(self, scope: str, key: str) -> Get[Done]:
        """A stored answer."""

    @pattern()
    def get_counter(self, name: str) -> Get[Counter]:
        """A counter."""


P = Notes()


class NewNote(Body):
    title: Annotated[str, Line(1, 20)]
    text: Annotated[str, Text(1, 400_000)] | None = None
    stars: Annotated[int, Int(0, 5)] = 0


class NotePatch(PatchBody):
    title: Annotated[str, Line(1, 20)] = ""
    text: Annotated[str, Text(1, 100)] | None = None
    picture_key: Annotated[str, Line(1, 200)] | None = None


class NewPicture(Body):
    content_type: Annotated[str, Line(1, 50)]
    size: Annotated[int, Int(1, 1000)]


class NoteAnswer(Answer):
    note_id: str
    title: str
    text: str | None
    stars: int
    picture_url: BlobUrl | None
    created_at: Time
    version: int


class NoteQuery(QueryParameters):
    stars: Annotated[int, Number(0, 5)] | None = None


class SortQuery(QueryParameters):
    reverse: Flag = False


class TryQuery(QueryParameters):
    name: Annotated[str, Line(1, 20)] = "any"


class GuessQuery(QueryParameters):
    right: Flag = False


RATE = Rate(5, 60)


class NoteService:
    """The example's rules."""

    def __init__(self, services: Services) -> None:
        self.services = services

    def shown(self, note: Note) -> NoteAnswer:
        return NoteAnswer.of(note, picture_url=note.picture_key)

    async def get(self, note_id: str, user_id: str) -> Note:
        note = await self.services.store.run(P.get_note(note_id))
        if note is None:
            raise Problem(404)
        if note.user_id != user_id:
            raise Problem(403, "not_yours")
        return note

    def window(self, name: str) -> Window[Counter]:
        return Window(
            self.services.store,
            self.services.clock,
            RATE,
            place=ref(Counter, name=name),
            find=lambda: P.get_counter(name),
            make_row=lambda count, start, end: Counter(
                name=name, count=count, window_start=start, ends_at=end
            ),
        )


NotesOf = Annotated[NoteService, Depends(service(NoteService))]
KEYS = IdempotencyKeys("example", Done.model_validate, P.get_done)


async def _once(
    request: Request, caller: Bearer, idempotency_key: IdempotencyKey = None
) -> AsyncIterator[idempotency.Once]:
    async with KEYS.once(request, caller.user_id, idempotency_key) as once:
        yield once


Once = Annotated[idempotency.Once, Depends(_once)]
NOT_YOURS: Responses = {403: codes("not_yours")}
router = Router()
ONE = "/notes/{note_id:uuidtext}"


def create_app(services: Services) -> FastAPI:
    return system_app(
        "Example",
        "Notes with `pictures`.",
        services,
        Provided(NoteService(services)),
        routers=[router],
    )


@router.post("/notes", status_code=201, tags=["Notes"])
async def add_note(caller: Bearer, body: NewNote, once: Once, notes: NotesOf) -> NoteAnswer:
    """Write a note."""
    services = notes.services
    note = Note(
        note_id=services.ids.uuid(),
        user_id=caller.user_id,
        title=body.title,
        text=body.text,
        stars=body.stars,
        created_at=services.clock.now(),
    )
    await services.store.run(once.add(Unit().create(note), lambda: notes.shown(note)))
    return notes.shown(note)


@router.get("/notes", tags=["Notes"])
async def list_notes(
    caller: Bearer, query: Annotated[NoteQuery, InQuery()], page: Page, notes: NotesOf
) -> ListOf[NoteAnswer]:
    """Your notes, oldest first."""
    found = await page.query(
        notes.services.store,
        P.list_notes(caller.user_id),
        filters={"stars": query.stars},
        caller=caller.user_id,
        keep=lambda note: query.stars is None or note.stars == query.stars,
    )
    return found.shown(notes.shown)


@router.get("/sorted", tags=["Notes"])
async def list_sorted(
    caller: Bearer, query: Annotated[SortQuery, InQuery()], page: Page, notes: NotesOf
) -> ListOf[NoteAnswer]:
    """Your notes by title."""
    store = notes.services.store
    rows = [row async for row in store.iterate(P.list_notes(caller.user_id))]
    found = page.cut(
        rows,
        lambda note: (note.title, note.created_at, note.note_id),
        name="sorted",
        caller=caller.user_id,
        reverse=query.reverse,
    )
    return found.shown(notes.shown)


@router.get(ONE, tags=["Notes"], responses=NOT_YOURS)
async def get_note(caller: Bearer, note_id: str, notes: NotesOf) -> NoteAnswer:
    """A note."""
    return notes.shown(await notes.get(note_id, caller.user_id))


@router.patch(ONE, tags=["Notes"], responses=NOT_YOURS)
async def change_note(
    caller: Bearer, note_id: str, body: NotePatch, if_match: Precondition, notes: NotesOf
) -> NoteAnswer:
    """Change a note."""
    services = notes.services
    if "picture_key" in body.model_fields_set and body.picture_key is not None:
        await services.blobs.require("pictureKey", body.picture_key, f"notes/{caller.user_id}/")

    async def attempt() -> Note:
        note = await notes.get(note_id, caller.user_id)
        if_match.require(note.version)
        new = note.model_copy(update=body.model_dump(exclude_unset=True))
        return await services.store.run(save(note, new))

    return notes.shown(await retried(attempt))


@router.delete(ONE, status_code=204, tags=["Notes"], responses=NOT_YOURS)
async def delete_note(caller: Bearer, note_id: str, if_match: Precondition, notes: NotesOf) -> None:
    """Delete a note."""

    async def attempt() -> None:
        note = await notes.get(note_id, caller.user_id)
        if_match.require(note.version)
        await notes.services.store.run(delete(note))

    await retried(attempt)


@router.post("/pictures", tags=["Rest"])
async def add_picture(caller: Bearer, body: NewPicture, notes: NotesOf) -> UploadAnswer:
    """A URL to upload a picture to."""
    if body.content_type not in ("image/png", "image/jpeg"):
        raise field_problem("contentType", "must be image/png or image/jpeg")
    services = notes.services
    key = f"notes/{caller.user_id}/{services.ids.uuid()}.png"
    return services.blobs.upload(key, body.content_type, body.size)


@router.post("/tries", status_code=204, tags=["Rest"], responses={429: codes()})
async def tries(query: Annotated[TryQuery, InQuery()], notes: NotesOf) -> None:
    """Only so often."""
    await notes.window(query.name).count()


@router.post("/guesses", status_code=204, tags=["Rest"], responses={401: codes(), 429: codes()})
async def guess(query: Annotated[GuessQuery, InQuery()], notes: NotesOf) -> None:
    """Guess what is right: it is counted before it is judged, and given back if right."""
    window = notes.window("guesses")
    taken = await window.take()
    await asyncio.sleep(0)  # Other requests are counted before this one is judged.
    if not query.right:
        raise Problem(401)
    await window.give_back(taken)


@router.get("/me", tags=["Rest"])
async def me(request: Request, caller: Guest, notes: NotesOf) -> Response:
    """Who calls, or nobody, and from where."""
    user_id = None if caller is None else caller.user_id
    groups = sorted(caller.groups) if caller else []
    where = client_address(request, notes.services.settings)
    return answer({"userId": user_id, "groups": groups, "address": where})


@router.post("/mail", status_code=204, tags=["Rest"])
async def send_mail(caller: Bearer, notes: NotesOf) -> None:
    """Mail yourself."""
    notes.services.outbox.post(caller.email or "nobody@example.org", "Hello\nthere", "Text")


@router.get("/broken", tags=["Rest"])
async def broken() -> Response:
    """Fails."""
    raise RuntimeError("a secret that nobody may see")


SYSTEM = System("example", Notes.__design__.tables, create_app)
