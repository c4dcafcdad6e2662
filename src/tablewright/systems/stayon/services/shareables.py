"""Pages: create, read, change, clone, delete; their passcodes, and the login with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import orjson
from fastapi import Request

from tablewright import AlreadyDone, Conflict, delete, purge
from tablewright.systems.stayon.design import P, PoolSlot, Shareable
from tablewright.systems.stayon.schemas import (
    CloneBody,
    NewPage,
    PageAnswer,
    PageChange,
    PasscodesBody,
    VoteBody,
    kept_passcodes,
    same_passcodes,
)
from tablewright.systems.stayon.services.content import cloned, content_of, lost_choices
from tablewright.systems.stayon.services.guess_limits import GuessLimits
from tablewright.systems.stayon.services.page_rights import (
    Level,
    Rights,
    TokenAnswer,
    Tokens,
    grant_of,
    locked,
    owner_grant,
    owner_rights,
)
from tablewright.systems.stayon.services.passcodes import Passcodes
from tablewright.systems.stayon.services.responses import checked_answers
from tablewright.systems.stayon.services.short_ids import ShortIdPool, new_short_id, parse_short_id
from tablewright.web.http.idempotency import Once
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, field_problem
from tablewright.web.http.retry import retried
from tablewright.web.http.row_size import require_small
from tablewright.web.identity.client_address import client_name
from tablewright.web.services.services import Services

__all__ = ["GRANT", "Shareables", "require_entity"]

RETENTION = timedelta(days=365)
GRANT = "grant"  # In stored answers of creations; never in one that is sent.
SLOTS_MAX = 5  # Slots that may be lost to others before a page goes without.
TRIES_MAX = 10
Change = Callable[[Shareable], Awaitable[dict[str, Any]]]
Refuse = Callable[[Shareable], Awaitable[None]]


def require_entity(page: Shareable, entity: str) -> None:
    """Raise 404 for a page of another kind."""
    if page.entity != entity:
        raise Problem(404, detail="No such page.")


class Shareables:
    """Reads and writes pages."""

    def __init__(
        self, services: Services, tokens: Tokens, pool: ShortIdPool, attempts: GuessLimits
    ) -> None:
        self._services = services
        self._store = services.store
        self._tokens = tokens
        self._pool = pool
        self._attempts = attempts
        self._passcodes = Passcodes()

    # Reading.

    async def find(self, request: Request, short_id: str, entity: str | None = None) -> Rights:
        """A page (of a kind) and the caller's rights on it; 404 if there is none."""
        page = await self._store.run(P.get_page(short_id))
        if page is None:
            raise self._attempts.not_found(client_name(request, self._services.settings))
        require_entity(page, entity or page.entity)
        return self._tokens.rights(request, page)

    def require_current(self, rights: Rights) -> None:
        """Raise 410 for a page that has expired."""
        page = rights.page
        if page.expires_at <= self._services.clock.now():
            raise Problem(
                410,
                detail="This page has expired.",
                extra={"shortId": page.short_id, "canManage": rights.can_manage},
            )

    async def read(self, request: Request, short_id: str, *, as_admin: bool) -> Rights:
        """A page to look at, and the caller's rights on it; see `require_shown`."""
        rights = await self.find(request, short_id)
        self.require_shown(rights, as_admin=as_admin)
        return rights

    def require_shown(self, rights: Rights, *, as_admin: bool) -> None:
        """Raise unless a page shows: an expired one only to its managers, if they ask for it.

        To all others it has expired, before they need a passcode.
        """
        if not (as_admin and rights.can_manage):
            self.require_current(rights)
        rights.require_view()

    async def visible(
        self, request: Request, short_id: str, entity: str, vote: VoteBody | None = None
    ) -> Rights:
        """A page of this kind that the caller may see and that has not expired."""
        rights = await self.find(request, short_id, entity)
        self.require_visible(rights, vote)
        return rights

    def require_visible(self, rights: Rights, vote: VoteBody | None = None) -> None:
        """Raise unless the caller may see a page that has not expired.

        A vote that does not fit the poll is refused before that, to callers who see the poll.
        """
        rights.require_view()
        if vote is not None:
            checked_answers(rights.page, vote)
        self.require_current(rights)

    async def managed(self, request: Request, short_id: str) -> Rights:
        """A page that the caller manages, even an expired one."""
        rights = await self.find(request, short_id)
        rights.require_admin()
        return rights

    # Making.

    async def add(self, body: NewPage, once: Once) -> Shareable:
        content = content_of(body, None, self._services.ids.uuid)
        if body.entity == "poll":
            content["is_closed"] = False
        common = {"entity": body.entity, "name": body.name, "expires_after": body.expires_after}
        secrets = await self._new_secrets(body.view_passcode, body.admin_passcode)
        return await self._create(common | content | secrets, once)

    async def clone(self, page: Shareable, body: CloneBody, once: Once) -> Shareable:
        """A new page with an old one's content."""
        content = cloned(page, self._services.ids.uuid, self._services.clock.now())
        common = {
            "entity": page.entity,
            "name": body.name or page.name,
            "expires_after": body.expires_after or page.expires_after,
        }
        secrets = await self._new_secrets(body.view_passcode, body.admin_passcode)
        return await self._create(common | content | secrets, once)

    async def _new_secrets(self, view: str | None, admin: str | None) -> dict[str, Any]:
        """The hashes and versions of a new page's passcodes."""
        version = int(self._services.clock.seconds() * 1000)
        values: dict[str, Any] = {}
        for level, passcode in (("view", view), ("admin", admin)):
            if passcode is None:
                continue
            values[f"{level}_passcode"] = await self._passcodes.hash(passcode)
            values[f"{level}_passcode_version"] = version
            values["passcode_version_max"] = version
            version += 1
        return values

    async def _create(self, values: dict[str, Any], once: Once) -> Shareable:
        """Store a page under a short id of the pool or, if the pool has none left, a random one."""
        for number in range(SLOTS_MAX + TRIES_MAX):
            slot = await self._pool.candidate() if number < SLOTS_MAX else None
            slot_id = parse_short_id(slot.id) if slot is not None else None
            page = self._page(values, slot_id or new_short_id())
            require_small(page)
            unit = P.create_page(page, slot if slot_id else None)
            try:
                await self._store.run(once.add(unit, partial(self._stored_answer, page)))
            except Conflict as conflict:
                await self._after_lost(conflict, slot)
            else:
                return page
        raise Problem(409)

    async def _after_lost(self, conflict: Conflict, slot: PoolSlot | None) -> None:
        """A short id that is taken must not be offered again."""
        if isinstance(conflict, AlreadyDone):
            raise conflict
        is_taken = any(failure.entity == "Shareable" for failure in conflict.failures)
        if is_taken and slot is not None:
            try:
                await self._store.run(delete(slot))
            except Conflict:
                return

    def _page(self, values: dict[str, Any], short_id: str) -> Shareable:
        now = self._services.clock.now()
        expires_at = now + timedelta(days=values["expires_after"])
        return Shareable.model_validate(
            {
                **values,
                "short_id": short_id,
                "created_at": now,
                "updated_at": now,
                "expires_at": expires_at,
                "ttl": int((expires_at + RETENTION).timestamp()),
            }
        )

    def seen(self, rights: Rights) -> PageAnswer:
        """A page as the caller sees it."""
        return PageAnswer.seen(rights, self._services.clock.now())

    def with_token(self, page: Shareable) -> PageAnswer:
        """A page as its owner sees it, with a token if it has a passcode."""
        grant = owner_grant(page)
        token = {} if grant is None else vars(self._tokens.token(page, grant))
        return PageAnswer.seen(owner_rights(page), self._services.clock.now(), **token)

    def _stored_answer(self, page: Shareable) -> dict[str, Any]:
        """The answer to a creation as it is stored: with the grant instead of a token.

        So a replay returns a token for the passcode of the creation, even if it was changed.
        """
        content: dict[str, Any] = orjson.loads(self.seen(owner_rights(page)).to_json())
        return content | {GRANT: owner_grant(page)}

    # Changing.

    async def _change(
        self,
        request: Request,
        short_id: str,
        if_match: IfMatch,
        change: Change,
        *,
        refuse: Refuse | None = None,
        entity: str | None = None,
    ) -> Shareable:
        """Save what ``change`` makes of the page as it is; nothing is written for no change.

        The right to do so is that of the page as it is, too: a passcode that changes meanwhile
        counts. ``refuse`` raises 400 for what does not fit the page, before its state matters.
        """

        async def attempt() -> Shareable:
            rights = await self.find(request, short_id, entity)
            rights.require_admin()
            old = rights.page
            if refuse is not None:
                await refuse(old)
            self.require_current(rights)
            if_match.require(old.version)
            values = await change(old)
            if not values:
                return old
            now = self._services.clock.now()
            new = old.model_copy(update={**values, "updated_at": now})
            require_small(new)
            unit = P.update_page(old, new, now)
            return Shareable.model_validate((await self._store.run(unit))[0])

        return await retried(attempt)

    async def replace(
        self, request: Request, short_id: str, body: PageChange, if_match: IfMatch
    ) -> Shareable:
        def expires_at(old: Shareable) -> datetime:
            return old.created_at + timedelta(days=body.expires_after)

        async def refuse(old: Shareable) -> None:
            content_of(body, old, self._services.ids.uuid)
            if expires_at(old) <= self._services.clock.now() < old.expires_at:
                raise field_problem("expiresAfter", "would have expired the page already")

        async def change(old: Shareable) -> dict[str, Any]:
            content = content_of(body, old, self._services.ids.uuid)
            if old.entity == "poll" and not body.confirm_vote_loss:
                await self._require_no_loss(old, content)
            return {
                **content,
                "name": body.name,
                "expires_after": body.expires_after,
                "expires_at": expires_at(old),
                "ttl": int((expires_at(old) + RETENTION).timestamp()),
            }

        return await self._change(request, short_id, if_match, change, refuse=refuse)

    async def _require_no_loss(self, old: Shareable, content: dict[str, Any]) -> None:
        options, questions = lost_choices(old, content["questions"])
        if not options and not questions:
            return
        async for vote in self._store.iterate(P.tally_votes(old.short_id)):
            for given in vote.answers:
                if given.poll_question_id in questions or options & set(given.option_ids):
                    raise Problem(
                        409, "votes_exist", "People have voted for what this change drops."
                    )

    async def close(self, request: Request, short_id: str) -> Shareable:
        async def change(old: Shareable) -> dict[str, Any]:
            return {} if old.is_closed else {"is_closed": True}

        return await self._change(request, short_id, IfMatch(None), change, entity="poll")

    async def reopen(self, request: Request, short_id: str) -> Shareable:
        async def change(old: Shareable) -> dict[str, Any]:
            values: dict[str, Any] = {"is_closed": False} if old.is_closed else {}
            if old.closes_at is not None and old.closes_at <= self._services.clock.now():
                values["closes_at"] = None
            return values

        return await self._change(request, short_id, IfMatch(None), change, entity="poll")

    async def set_passcodes(
        self, request: Request, short_id: str, body: PasscodesBody, if_match: IfMatch
    ) -> Shareable:
        async def refuse(old: Shareable) -> None:
            await self._require_different(old, body)

        async def change(old: Shareable) -> dict[str, Any]:
            version = max(int(self._services.clock.seconds() * 1000), old.passcode_version_max + 1)
            values: dict[str, Any] = {}
            for level, passcode, removes in (
                ("view", body.view_passcode, body.remove_view_passcode),
                ("admin", body.admin_passcode, body.remove_admin_passcode),
            ):
                if removes:
                    values |= {f"{level}_passcode": None, f"{level}_passcode_version": None}
                elif passcode is not None:
                    values[f"{level}_passcode"] = await self._passcodes.hash(passcode)
                    values[f"{level}_passcode_version"] = version
                    values["passcode_version_max"] = version
                    version += 1
            return values

        return await self._change(request, short_id, if_match, change, refuse=refuse)

    async def _require_different(self, old: Shareable, body: PasscodesBody) -> None:
        """A new passcode differs from the page's other one, if that stays."""
        view, admin = kept_passcodes(body)
        is_same = False
        if view is not None and admin is None and not body.remove_admin_passcode:
            is_same = await self._is_stored(view, old.admin_passcode)
        elif admin is not None and view is None and not body.remove_view_passcode:
            is_same = await self._is_stored(admin, old.view_passcode)
        if is_same:
            raise same_passcodes()

    async def _is_stored(self, passcode: str, hashed: str | None) -> bool:
        return hashed is not None and await self._passcodes.is_right(passcode, hashed)

    async def login(
        self, request: Request, short_id: str, level: Level, passcode: str, client: str
    ) -> tuple[Shareable, TokenAnswer]:
        """A token for a passcode; one sentence for every way in which it can be wrong."""
        page = (await self.find(request, short_id)).page
        hashed = page.view_passcode if level == "view" else page.admin_passcode
        grant = grant_of(page, level)

        async def judge() -> TokenAnswer | None:
            is_right = await self._passcodes.is_right(passcode, hashed)
            return self._tokens.token(page, grant) if is_right and grant is not None else None

        token = await self._attempts.passcode(short_id, client, judge)
        if token is None:
            raise locked(page, "That passcode does not open this page.")
        return page, token

    async def delete(self, request: Request, short_id: str, if_match: IfMatch) -> None:
        """The page first; its answers cannot be reached any more, and are swept."""

        async def attempt() -> None:
            old = (await self.managed(request, short_id)).page
            if_match.require(old.version)
            await self._store.run(P.delete_page(old))

        await retried(attempt)
        await self._store.run(purge(P.list_rsvps(short_id), P.tally_votes(short_id)))
