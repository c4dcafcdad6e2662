"""Shared by all page modules: the studio, and how a page is routed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright.explain.prices import Price
from tablewright.stores.async_store import AsyncStore
from tablewright.studio.history.time_travel import TimeTravel
from tablewright.studio.items.item_links import AddressInvalid
from tablewright.studio.shell.context import StudioContext
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.rendering import Renderer
from tablewright.studio.shell.request_log import LoggedStore
from tablewright.studio.shell.studio_settings import StudioSettings
from tablewright.studio.shell.warmup import start_warmup
from tablewright.studio.system.system_documents import SystemDocuments
from tablewright.web.http.problems import Problem

__all__ = ["BuildView", "Studio", "add_page", "form_of"]

READ_ONLY: Final = "The store is read-only. Start the studio with --write to change items."
BuildView = Callable[[Request, LoadedDesign, LoggedStore], Awaitable[Any]]


class Studio:
    """The state that all pages share."""

    def __init__(
        self,
        store: AsyncStore,
        designs: Iterable[LoadedDesign],
        settings: StudioSettings,
        context: StudioContext,
    ) -> None:
        self.store = store
        self.context = context
        self.time_travel = TimeTravel(store)
        self.designs = {design.name: design for design in designs}
        self.settings = settings
        self.price: Price = settings.price
        self.documents = SystemDocuments(store)
        self._is_cold = context.warms
        self.renderer = Renderer(settings, self.designs, can_save=context.folder is not None)

    def design(self, name: str) -> LoadedDesign:
        if name not in self.designs:
            raise Problem(404, detail=f"The studio has no design {name}.")
        return self.designs[name]

    def require_writing(self) -> None:
        """Raise 403 if the store is read-only."""
        if not self.settings.may_write:
            raise Problem(403, detail=READ_ONLY)

    async def page(self, request: Request, template: str, make: BuildView) -> Response:
        """Build and render a page of a design; maps LookupError to 404, AddressInvalid to 400."""
        design = self.design(request.path_params["design"])
        store = LoggedStore(self.store, region=self.price.region)
        try:
            view = await make(request, design, store)
        except LookupError as error:
            raise Problem(404, detail=str(error.args[0])) from error
        except AddressInvalid as error:
            raise Problem(400, detail=f"{error}.") from error
        page = self.renderer.page(request, template, view, design=design, requests=store.requests)
        if self._is_cold:
            self._is_cold = False
            others = [other for other in self.designs.values() if other is not design]
            start_warmup(self.renderer, self.documents, [design, *others])
        return page


def add_page(
    app: FastAPI,
    path: str,
    endpoint: Callable[..., Awaitable[Response]],
    methods: Iterable[str] = ("GET",),
) -> None:
    """A page at its address, and its JSON at the same address with .json behind it."""
    # The longer one first: a name in a path takes everything up to the next slash.
    for each in (f"{path.rstrip('/')}.json", path):
        app.add_api_route(each, endpoint, methods=list(methods))


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a submitted form."""
    body = (await request.body()).decode("utf-8", "replace")
    return dict(parse_qsl(body, keep_blank_values=True))
