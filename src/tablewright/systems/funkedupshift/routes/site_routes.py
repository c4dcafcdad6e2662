"""Routes of sites."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.funkedupshift import shapes
from tablewright.systems.funkedupshift.dependencies import ADMIN, PUBLIC, Desk
from tablewright.systems.funkedupshift.queries import SITE_QUERY, site_tag
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.queries import Queries

__all__ = ["site_list_routes", "site_routes"]

_SITE = "/sites/{site_id:uuidtext}"


def site_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Sites"])

    @api.endpoint(
        "GET",
        "/sites",
        answer=shapes.SiteList,
        refuses=PUBLIC,
        public=True,
        query=SITE_QUERY,
        paged=True,
    )
    async def list_sites(request: Request) -> Response:
        """The catalogue, newest first.

        With a tag by siteId; q looks into title, description and url.
        """
        await desk.visitor(request)
        tag, words = site_tag(request), Queries(request).line("q", 1, 100)
        page = await desk.sites.page(tag, words, desk.paging(request))
        shown = [desk.sites.shown(site) for site in page.items]
        return answer(Listing(shown, page.cursor).body())

    @api.endpoint(
        "POST",
        "/sites",
        body=shapes.SiteBody,
        answer=shapes.SiteAnswer,
        status=201,
        refuses=ADMIN,
        idempotent=True,
        versioned=True,
    )
    async def add_site(request: Request) -> Response:
        """Put a site into the catalogue."""
        caller = await desk.caller(request, "curate sites")
        body = await read_body(request, shapes.SiteBody)
        once = desk.once(request, caller, body)

        async def effect() -> Response:
            site = await desk.sites.add(body, once)
            return answer(desk.sites.shown(site), 201, version=site.version)

        return await desk.run(once, effect)

    return api


def site_routes(desk: Desk) -> Api:
    api = Api(tags=["Sites"])

    @api.endpoint(
        "GET",
        _SITE,
        answer=shapes.SingleSiteAnswer,
        refuses=PUBLIC,
        public=True,
        versioned=True,
    )
    async def get_site(request: Request, site_id: str) -> Response:
        """One site, with the text that was found there."""
        await desk.visitor(request)
        site = await desk.sites.get(site_id)
        return answer(desk.sites.shown(site, is_single=True), version=site.version)

    @api.endpoint(
        "PATCH",
        _SITE,
        body=shapes.SitePatch,
        answer=shapes.SiteAnswer,
        refuses=ADMIN,
        versioned=True,
    )
    async def change_site(request: Request, site_id: str) -> Response:
        """Change a site.

        A title of null becomes the url; a logoKey is that of an upload for this site.
        """
        await desk.caller(request, "curate sites")
        body = await read_body(request, shapes.SitePatch)
        site = await desk.sites.change(site_id, body, IfMatch.of(request))
        return answer(desk.sites.shown(site), version=site.version)

    @api.endpoint("DELETE", _SITE, status=204, refuses=ADMIN, versioned=True)
    async def delete_site(request: Request, site_id: str) -> Response:
        """Delete a site with its ratings, comments and logo."""
        await desk.caller(request, "curate sites")
        await desk.sites.delete(site_id, IfMatch.of(request))
        return no_content()

    @api.endpoint(
        "POST",
        f"{_SITE}/logo-upload-url",
        body=shapes.UploadBody,
        answer=shapes.UploadAnswer,
        refuses=ADMIN,
    )
    async def logo_upload_url(request: Request, site_id: str) -> Response:
        """Where a logo of a site can be put."""
        await desk.caller(request, "curate sites")
        body = await read_body(request, shapes.UploadBody)
        return answer(await desk.sites.logo_upload(site_id, body))

    return api
