"""Comments: users write them, everyone reads them, admins may delete them."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright import KeyValueInvalid, Unit, create, delete, ref, save, ulid_time
from tablewright.systems.funkedupshift.design import Comment, P, Site
from tablewright.systems.funkedupshift.permissions import Caller, require_comment
from tablewright.systems.funkedupshift.schemas import CommentAnswer
from tablewright.systems.funkedupshift.services.sites import Sites
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import existing
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Comments"]

NAMELESS = "Member"


class Comments:
    """Reads and writes comments."""

    def __init__(self, services: Services, sites: Sites) -> None:
        self._services = services
        self._store = services.store
        self._sites = sites

    # Reading.

    async def page(self, site_id: str, paging: Paging) -> Listing[Comment]:
        query = P.list_comments_of_site(site_id)
        paging.require(query)
        await self._sites.get(site_id)
        return await paging.query(self._store, query)

    async def own_page(
        self, caller: Caller, site_id: str | None, paging: Paging
    ) -> Listing[Comment]:
        """One's own comments on sites that exist, or on one of them."""
        if site_id is None:
            query = P.comments_of_user(caller.user_id)
        else:
            query = P.comments_of_user_on_site(caller.user_id, site_id)

        async def kept(rows: Sequence[Comment]) -> list[Comment | None]:
            sites = await self._sites.existing(row.site_id for row in rows)
            return [row if row.site_id in sites else None for row in rows]

        return await paging.joined(self._store, query, kept, caller=caller.user_id)

    async def get(self, site_id: str, comment_id: str, reader: Caller | None) -> Comment:
        """A comment on a site that exists, by any author."""
        await self._sites.get(site_id)
        comment: Comment | None = None
        if reader is not None:
            # One's own is found by its key, so it is seen as soon as it is written.
            own = P.get_own_comment(reader.user_id, site_id, comment_id)
            comment = await self._store.run(own)
        if comment is None:
            comment = await self._find(site_id, comment_id)
        return existing(comment, "comment")

    async def _find(self, site_id: str, comment_id: str) -> Comment | None:
        try:
            written_at = ulid_time(comment_id)
        except KeyValueInvalid:
            return None  # Of a time that no clock will ever show.
        return await self._store.run(P.get_comment(site_id, written_at, comment_id))

    # Writing.

    async def add(self, caller: Caller, site_id: str, body: str, once: Once) -> Comment:
        async def attempt() -> Comment:
            await self._sites.get(site_id)
            now = self._services.clock.now()
            comment = Comment(
                comment_id=self._services.ids.ulid(now),
                site_id=site_id,
                user_id=caller.user_id,
                user_name=caller.name or NAMELESS,
                body=body,
                created_at=now,
                updated_at=now,
            )
            unit = Unit(create(comment)).check(ref(Site, id=site_id))
            await self._store.run(once.add(unit, lambda: CommentAnswer.of(comment)))
            return comment

        return await retried(attempt)

    async def rewrite(
        self, caller: Caller, site_id: str, comment_id: str, body: str, if_match: IfMatch
    ) -> Comment:
        async def attempt() -> Comment:
            old = await self.get(site_id, comment_id, caller)
            require_comment("edit comment", caller, old.user_id)
            if_match.require(old.version)
            update = {"body": body, "updated_at": self._services.clock.now()}
            unit = Unit(save(old, old.model_copy(update=update))).check(ref(Site, id=site_id))
            comment: Comment = (await self._store.run(unit))[0]
            return comment

        return await retried(attempt)

    async def delete(
        self, caller: Caller, site_id: str, comment_id: str, if_match: IfMatch
    ) -> None:
        async def attempt() -> None:
            old = await self.get(site_id, comment_id, caller)
            require_comment("delete comment", caller, old.user_id)
            if_match.require(old.version)
            await self._store.run(delete(old))

        await retried(attempt)
