"""A small system that uses all of the web layer: notes of a user, with a picture each."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright import (
    Get,
    Index,
    Model,
    Moment,
    Patterns,
    Query,
    Table,
    Unit,
    delete,
    pattern,
    ref,
    save,
)
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.field_types import Answer, Body, Int, Line, PatchBody, Text, Time
from tablewright.web.http.idempotency import Idempotency
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, field_problem
from tablewright.web.http.queries import Queries
from tablewright.web.http.retry import retried
from tablewright.web.identity.client_address import client_address
from tablewright.web.server.app import System, system_app
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
class Done(Model):
    scope: str
    key: str
    request_hash: str
    response_status_code: int
    response_body: str
    expires_at: Moment


@T.entity("RATE#{name}", "METADATA", ttl="endsAt")
class Counter(Model):
    name: str
    count: int
    window_start: int
    ends_at: int


class Notes(Patterns, tables=[T]):
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
    picture_url: str | None
    created_at: Time
    version: int


class NoteList(Answer):
    items: list[NoteAnswer]
    cursor: str | None


class PictureAnswer(Answer):
    url: str
    method: str
    headers: dict[str, str]
    key: str
    expires_in: int


RATE = Rate(5, 60)


class Desk:
    """The example's rules."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.idempotency = Idempotency(
            services.secret.key("example"),
            services.clock,
            find=lambda scope, key: services.store.run(P.get_done(scope, key)),
            make_row=Done.model_validate,
        )

    def shown(self, note: Note) -> dict[str, Any]:
        key = note.picture_key
        return {
            "noteId": note.note_id,
            "title": note.title,
            "text": note.text,
            "stars": note.stars,
            "pictureUrl": None if key is None else self.services.blobs.read_url(key),
            "createdAt": note.created_at,
            "version": note.version,
        }

    async def note(self, note_id: str, user_id: str) -> Note:
        found = await self.services.store.run(P.get_note(note_id))
        if found is None:
            raise Problem(404)
        if found.user_id != user_id:
            raise Problem(403, "not_yours")
        return found

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


def create_app(services: Services) -> FastAPI:
    app = system_app("Example", "Notes with `pictures`.")
    desk = Desk(services)
    app.include_router(_note_routes(desk))
    app.include_router(_other_routes(desk))
    return app


def _note_routes(desk: Desk) -> Api:
    api, services = Api(tags=["Notes"]), desk.services
    one = "/notes/{note_id:uuidtext}"

    @api.endpoint(
        "POST",
        "/notes",
        body=NewNote,
        answer=NoteAnswer,
        status=201,
        idempotent=True,
        versioned=True,
    )
    async def add_note(request: Request) -> Response:
        """Write a note."""
        caller = await services.auth.principal(request)
        body = await read_body(request, NewNote)
        once = desk.idempotency.once(request, caller.user_id, body)

        async def effect() -> Response:
            note = Note(
                note_id=services.ids.uuid(),
                user_id=caller.user_id,
                title=body.title,
                text=body.text,
                stars=body.stars,
                created_at=services.clock.now(),
            )
            shown = desk.shown(note)
            await services.store.run(once.add(Unit().create(note), 201, shown))
            return answer(shown, 201, version=1)

        return await desk.idempotency.run(once, effect)

    @api.endpoint(
        "GET",
        "/notes",
        answer=NoteList,
        paged=True,
        query={"stars": {"schema": {"type": "integer", "minimum": 0, "maximum": 5}}},
    )
    async def list_notes(request: Request) -> Response:
        """One's notes, oldest first."""
        caller = await services.auth.principal(request)
        stars = Queries(request).number("stars", 0, 5)
        page = await Paging.of(request, services.cursors).query(
            services.store,
            P.list_notes(caller.user_id),
            filters={"stars": stars},
            caller=caller.user_id,
            keep=lambda note: stars is None or note.stars == stars,
        )
        return answer(Listing([desk.shown(note) for note in page.items], page.cursor).body())

    @api.endpoint("GET", "/sorted", answer=NoteList, paged=True)
    async def list_sorted(request: Request) -> Response:
        """One's notes by title."""
        caller = await services.auth.principal(request)
        found = [row async for row in services.store.iterate(P.list_notes(caller.user_id))]
        page = Paging.of(request, services.cursors).cut(
            found,
            lambda note: (note.title, note.created_at, note.note_id),
            name="sorted",
            caller=caller.user_id,
            reverse=Queries(request).flag("reverse"),
        )
        return answer(Listing([desk.shown(note) for note in page.items], page.cursor).body())

    @api.endpoint("GET", one, answer=NoteAnswer, refuses={403: ("not_yours",)}, versioned=True)
    async def get_note(request: Request, note_id: str) -> Response:
        """A note."""
        caller = await services.auth.principal(request)
        note = await desk.note(note_id, caller.user_id)
        return answer(desk.shown(note), version=note.version)

    @api.endpoint(
        "PATCH",
        one,
        body=NotePatch,
        answer=NoteAnswer,
        refuses={403: ("not_yours",)},
        versioned=True,
    )
    async def change_note(request: Request, note_id: str) -> Response:
        """Change a note."""
        caller = await services.auth.principal(request)
        body = await read_body(request, NotePatch)
        if "picture_key" in body.model_fields_set and body.picture_key is not None:
            await services.blobs.require("pictureKey", body.picture_key, f"notes/{caller.user_id}/")

        async def attempt() -> Note:
            note = await desk.note(note_id, caller.user_id)
            IfMatch.of(request).require(note.version)
            new = note.model_copy(update=body.model_dump(exclude_unset=True))
            return await services.store.run(save(note, new))

        note = await retried(attempt)
        return answer(desk.shown(note), version=note.version)

    @api.endpoint("DELETE", one, status=204, refuses={403: ("not_yours",)}, versioned=True)
    async def delete_note(request: Request, note_id: str) -> Response:
        """Delete a note."""
        caller = await services.auth.principal(request)

        async def attempt() -> None:
            note = await desk.note(note_id, caller.user_id)
            IfMatch.of(request).require(note.version)
            await services.store.run(delete(note))

        await retried(attempt)
        return no_content()

    return api


def _other_routes(desk: Desk) -> Api:
    api, services = Api(tags=["Rest"]), desk.services

    @api.endpoint("POST", "/pictures", body=NewPicture, answer=PictureAnswer)
    async def add_picture(request: Request) -> Response:
        """A URL to upload a picture to."""
        caller = await services.auth.principal(request)
        body = await read_body(request, NewPicture)
        if body.content_type not in ("image/png", "image/jpeg"):
            raise field_problem("contentType", "must be image/png or image/jpeg")
        key = f"notes/{caller.user_id}/{services.ids.uuid()}.png"
        return answer(services.blobs.upload(key, body.content_type, body.size))

    @api.endpoint("POST", "/tries", status=204, public=True, refuses={429: ()})
    async def tries(request: Request) -> Response:
        """Only so often."""
        await desk.window(Queries(request).line("name", 1, 20) or "any").count()
        return no_content()

    @api.endpoint("POST", "/guesses", status=204, public=True, refuses={401: (), 429: ()})
    async def guess(request: Request) -> Response:
        """Guess what is right: it is counted before it is judged, and given back if right."""
        window = desk.window("guesses")
        taken = await window.take()
        await asyncio.sleep(0)  # Whoever else asks now is counted before this one is judged.
        if not Queries(request).flag("right"):
            raise Problem(401)
        await window.give_back(taken)
        return no_content()

    @api.endpoint("GET", "/me", public=True)
    async def me(request: Request) -> Response:
        """Who calls, or nobody, and from where."""
        caller = await services.auth.guest(request)
        told = None if caller is None else caller.user_id
        groups = sorted(caller.groups) if caller else []
        where = client_address(request, services.settings)
        return answer({"userId": told, "groups": groups, "address": where})

    @api.endpoint("POST", "/mail", status=204)
    async def send_mail(request: Request) -> Response:
        """Mail oneself."""
        caller = await services.auth.principal(request)
        services.outbox.post(caller.email or "nobody@example.org", "Hello\nthere", "Text")
        return no_content()

    @api.endpoint("GET", "/broken", public=True)
    async def broken() -> Response:
        """Fails."""
        raise RuntimeError("a secret that nobody may see")

    return api


SYSTEM = System("example", Notes.tables, create_app)
