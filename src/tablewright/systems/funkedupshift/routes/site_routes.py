"""Routes of sites."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from tablewright.systems.funkedupshift.dependencies import Curator, Once, SiteService, Visitor
from tablewright.systems.funkedupshift.schemas import (
    SingleSiteAnswer,
    SiteAnswer,
    SiteBody,
    SitePatch,
    SiteQuery,
    UploadBody,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router
from tablewright.web.services.blobs import UploadAnswer

router = Router(tags=["Sites"])
_SITE = "/sites/{site_id:uuidtext}"


@router.get("/sites")
async def list_sites(
    visitor: Visitor, query: Annotated[SiteQuery, Query()], page: Page, sites: SiteService
) -> ListOf[SiteAnswer]:
    """The catalogue, newest first.

    With a tag by siteId; q searches title, description and url.
    """
    return (await sites.page(query.tag, query.q, page)).shown(sites.shown)


@router.post("/sites", status_code=201)
async def add_site(caller: Curator, body: SiteBody, once: Once, sites: SiteService) -> SiteAnswer:
    """Add a site to the catalogue."""
    return sites.shown(await sites.add(body, once))


@router.get(_SITE)
async def get_site(visitor: Visitor, site_id: str, sites: SiteService) -> SingleSiteAnswer:
    """One site, with its scraped text."""
    return sites.shown_alone(await sites.get(site_id))


@router.patch(_SITE)
async def change_site(
    caller: Curator, site_id: str, body: SitePatch, if_match: Precondition, sites: SiteService
) -> SiteAnswer:
    """Change a site.

    A title of null becomes the url; a logoKey is the key of an upload for this site.
    """
    return sites.shown(await sites.change(site_id, body, if_match))


@router.delete(_SITE, status_code=204)
async def delete_site(
    caller: Curator, site_id: str, if_match: Precondition, sites: SiteService
) -> None:
    """Delete a site with its ratings, comments and logo."""
    await sites.delete(site_id, if_match)


@router.post(f"{_SITE}/logo-upload-url")
async def logo_upload_url(
    caller: Curator, site_id: str, body: UploadBody, sites: SiteService
) -> UploadAnswer:
    """A URL to upload a site's logo to."""
    return await sites.logo_upload(site_id, body)
