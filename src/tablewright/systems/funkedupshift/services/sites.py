"""Sites of the catalogue: written by admins, read by everyone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tablewright import Unit, create, save, sweep
from tablewright.systems.funkedupshift.design import P, Site, SiteTag
from tablewright.systems.funkedupshift.schemas import (
    SingleSiteAnswer,
    SiteAnswer,
    SiteBody,
    SitePatch,
    UploadBody,
)
from tablewright.systems.funkedupshift.services.picture_keys import logos
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import existing
from tablewright.web.http.retry import retried
from tablewright.web.http.row_size import require_small
from tablewright.web.services.blobs import UploadAnswer
from tablewright.web.services.services import Services

__all__ = ["STARS", "Sites"]

STARS = (1, 2, 3, 4, 5)


class Sites:
    """Reads and writes sites."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store
        self._logos = logos(services)

    def shown(self, site: Site) -> SiteAnswer:
        return SiteAnswer.with_logo(site, self._logos.url(site.logo_key))

    def shown_alone(self, site: Site) -> SingleSiteAnswer:
        """With its scraped text, which lists leave out."""
        return SingleSiteAnswer.with_logo(site, self._logos.url(site.logo_key))

    # Reading.

    async def get(self, site_id: str) -> Site:
        return existing(await self._store.run(P.get_site(site_id)), "site")

    async def existing(self, site_ids: Iterable[str]) -> dict[str, Site]:
        """Those of these sites that are there, by id."""
        wanted = sorted(set(site_ids))
        sites = await self._store.run(P.sites(wanted)) if wanted else []
        return {site.id: site for site in sites}

    async def page(self, tag: str | None, words: str | None, paging: Paging) -> Listing[Site]:
        """Sites, the newest first; those with a tag by id."""
        filters = {"q": words}
        if tag is None:
            query = P.list_sites()
            return await paging.query(
                self._store, query, filters=filters, keep=lambda site: _has(site, words)
            )

        async def tagged(rows: Sequence[SiteTag]) -> list[Site | None]:
            by_id = await self.existing(row.site_id for row in rows)
            sites = [by_id.get(row.site_id) for row in rows]
            # The index may be behind: what counts is the site.
            return [
                s if s is not None and tag in s.tags and _has(s, words) else None for s in sites
            ]

        return await paging.joined(self._store, P.site_tags(tag), tagged, filters=filters)

    # Writing.

    async def add(self, body: SiteBody, once: Once) -> Site:
        now = self._services.clock.now()
        site = Site(
            id=self._services.ids.uuid(),
            url=body.url,
            title=body.title or body.url,
            description=body.description or None,
            scraped_content=body.scraped_content or None,
            tags=body.tags or [],
            created_at=now,
            updated_at=now,
        )
        require_small(site)
        await self._store.run(once.add(Unit(create(site)), lambda: self.shown(site)))
        return site

    async def change(self, site_id: str, body: SitePatch, if_match: IfMatch) -> Site:
        async def attempt() -> tuple[Site, Site]:
            await self._logos.require("logoKey", body.logo_key, site_id)
            old = await self.get(site_id)
            update = _changes(old, body) | {"updated_at": self._services.clock.now()}
            new = old.model_copy(update=update)
            require_small(new)
            if_match.require(old.version)
            return old, await self._store.run(save(old, new))

        if "logo_key" not in body.model_fields_set:
            return (await retried(attempt))[1]
        async with self._logos.lock(site_id):
            old, new = await retried(attempt)
            await self._logos.delete_replaced(old.logo_key, new.logo_key)
        return new

    async def delete(self, site_id: str, if_match: IfMatch) -> None:
        """Mark, sweep, delete; goes on where an interrupted one stopped."""

        async def mark() -> Site:
            site = existing(await self._store.run(P.get_site(site_id).with_marked()), "site")
            if site.deleted_at is not None:
                return site
            if_match.require(site.version)
            marked = site.model_copy(update={"deleted_at": self._services.clock.now()})
            return await self._store.run(save(site, marked))

        marked = await retried(mark)
        await self._logos.delete_all(site_id)
        ratings = P.ratings_of_site(STARS, site_id).queries
        children = [*ratings, P.list_comments_of_site(site_id)]
        await self._store.run(sweep(marked, children, self._services.clock.now()))

    async def logo_upload(self, site_id: str, body: UploadBody) -> UploadAnswer:
        await self.get(site_id)
        return self._logos.upload(site_id, body.content_type, body.size)


def _has(site: Site, words: str | None) -> bool:
    """Whether words are in a site's title, description or url, in any case."""
    if words is None:
        return True
    texts = (site.title, site.description or "", site.url)
    return any(words.casefold() in text.casefold() for text in texts)


def _changes(old: Site, body: SitePatch) -> dict[str, Any]:
    """What was sent, as the row has it."""
    update = {name: getattr(body, name) for name in body.model_fields_set}
    if "title" in update:
        update["title"] = body.title or update.get("url", old.url)
    if "description" in update:
        update["description"] = body.description or None
    if "tags" in update:
        update["tags"] = body.tags or []
    return update
