"""Routes of pages: create, read, change, clone, delete; passcodes and closing."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Query, Request, Response

from tablewright.systems.stayon.dependencies import (
    Client,
    Managed,
    NewPageBody,
    Once,
    PageChangeBody,
    PageService,
    TokenService,
    count_creation,
)
from tablewright.systems.stayon.design import Shareable
from tablewright.systems.stayon.schemas import (
    CloneBody,
    LoginBody,
    PageAnswer,
    PageQuery,
    PasscodesBody,
)
from tablewright.systems.stayon.services.page_rights import TokenAnswer, Tokens, owner_rights
from tablewright.systems.stayon.services.shareables import Shareables
from tablewright.web.http.openapi import Responses, codes
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router
from tablewright.web.identity.origins import FORBIDDEN_ORIGIN

router = Router()
_PAGE: Final = "/pages/{short_id:pageid}"
_ORIGIN: Final[Responses] = {403: codes(FORBIDDEN_ORIGIN), 429: codes()}


def _with_token(
    page: Shareable, pages: Shareables, tokens: Tokens, response: Response
) -> PageAnswer:
    """The answer for a page, with a token for it, which is also set as a cookie."""
    answer = pages.with_token(page)
    tokens.give(response, page, answer.level, answer.access_token)
    return answer


@router.post("/pages", status_code=201, tags=["Pages"], responses={409: codes(), 429: codes()})
async def add_page(
    request: Request,
    body: NewPageBody,
    once: Once,
    pages: PageService,
    tokens: TokenService,
    response: Response,
) -> PageAnswer:
    """Create a checklist, an event or a poll."""
    count_creation(request)
    page = await pages.add(body.root, once)
    return _with_token(page, pages, tokens, response)


@router.post(f"{_PAGE}/clone", status_code=201, tags=["Pages"], responses=_ORIGIN | {409: codes()})
async def clone_page(
    request: Request,
    short_id: str,
    body: CloneBody,
    rights: Managed,
    once: Once,
    pages: PageService,
    tokens: TokenService,
    response: Response,
) -> PageAnswer:
    """Create a new page with this one's content."""
    count_creation(request)
    page = await pages.clone(rights.page, body, once)
    return _with_token(page, pages, tokens, response)


@router.get(_PAGE, tags=["Pages"], responses={410: codes(), 429: codes()})
async def get_page(
    request: Request,
    short_id: str,
    query: Annotated[PageQuery, Query()],
    pages: PageService,
) -> PageAnswer:
    """One page; an expired one only for its managers, with as=admin."""
    rights = await pages.read(request, short_id, as_admin=query.as_ is not None)
    return pages.seen(rights)


@router.put(_PAGE, tags=["Pages"], responses=_ORIGIN | {409: codes("votes_exist"), 410: codes()})
async def put_page(
    request: Request,
    short_id: str,
    body: PageChangeBody,
    if_match: Precondition,
    pages: PageService,
) -> PageAnswer:
    """Change a page's content."""
    page = await pages.replace(request, short_id, body.root, if_match)
    return pages.seen(owner_rights(page))


@router.delete(_PAGE, status_code=204, tags=["Pages"], responses=_ORIGIN)
async def delete_page(
    request: Request, short_id: str, if_match: Precondition, pages: PageService
) -> None:
    """Delete a page with its answers."""
    await pages.delete(request, short_id, if_match)


@router.post(f"{_PAGE}/login", tags=["Passcodes"], responses=_ORIGIN | {401: codes()})
async def login(
    request: Request,
    short_id: str,
    body: LoginBody,
    client: Client,
    pages: PageService,
    tokens: TokenService,
    response: Response,
) -> TokenAnswer:
    """Exchange a passcode for a token."""
    page, token = await pages.login(request, short_id, body.level, body.passcode, client)
    tokens.set_cookie(response, page, token.level, token.access_token)
    return token


@router.put(f"{_PAGE}/passcodes", tags=["Passcodes"], responses=_ORIGIN | {410: codes()})
async def put_passcodes(
    request: Request,
    short_id: str,
    body: PasscodesBody,
    if_match: Precondition,
    pages: PageService,
    tokens: TokenService,
    response: Response,
) -> PageAnswer:
    """Change or remove passcodes; older tokens of that level end immediately."""
    page = await pages.set_passcodes(request, short_id, body, if_match)
    return _with_token(page, pages, tokens, response)


@router.post(f"{_PAGE}/close", tags=["Polls"], responses=_ORIGIN | {410: codes()})
async def close_poll(request: Request, short_id: str, pages: PageService) -> PageAnswer:
    """Take no more votes."""
    return pages.seen(owner_rights(await pages.close(request, short_id)))


@router.post(f"{_PAGE}/reopen", tags=["Polls"], responses=_ORIGIN | {410: codes()})
async def reopen_poll(request: Request, short_id: str, pages: PageService) -> PageAnswer:
    """Take votes again."""
    return pages.seen(owner_rights(await pages.reopen(request, short_id)))
