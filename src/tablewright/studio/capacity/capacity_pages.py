"""The page of capacity: what if, partitions, heat and limits, each a part of one address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright.studio.capacity.heat import Heat, HeatView, heat_view
from tablewright.studio.capacity.item_limits import LimitsView, limits_view
from tablewright.studio.capacity.partition_sizes import (
    PartitionsView,
    partitions_view,
    place_of,
    sample_of,
)
from tablewright.studio.capacity.whatif_form import WhatIfView, whatif_view
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio, add_page
from tablewright.studio.shell.request_log import LoggedStore

__all__ = ["CapacityView", "add_capacity_pages"]

PARTS: Final = ("whatif", "partitions", "heat", "limits")


@dataclass(frozen=True)
class CapacityView:
    """The page: one of its parts."""

    part: str
    whatif: WhatIfView | None = None
    partitions: PartitionsView | None = None
    heat: HeatView | None = None
    limits: LimitsView | None = None


def add_capacity_pages(app: FastAPI, studio: Studio) -> None:
    tables = [table for design in studio.designs.values() for table in design.tables]
    heat = Heat(tables)
    # Recording capacity slows requests down a little, so it starts with the first visit.
    if not studio.settings.path:
        heat.begin(studio.store)

    async def whatif(request: Request, design: LoadedDesign, store: LoggedStore) -> CapacityView:
        texts = {n: v for n, v in request.query_params.items() if n != "view"}
        return CapacityView("whatif", whatif=await whatif_view(design, store, texts, studio.price))

    async def partitions(
        request: Request, design: LoadedDesign, store: LoggedStore
    ) -> CapacityView:
        query = request.query_params
        place = place_of(design, query.get("table", ""), query.get("index", ""))
        start = query.get("start", "")
        sample = await sample_of(store, place, start)
        view = partitions_view(design, sample, start, heat.units())
        return CapacityView("partitions", partitions=view)

    async def hot(request: Request, design: LoadedDesign, _asking: LoggedStore) -> CapacityView:
        kind = request.query_params.get("units", "all")
        return CapacityView("heat", heat=heat_view(heat, design.tables, kind))

    async def limits(_request: Request, design: LoadedDesign, store: LoggedStore) -> CapacityView:
        samples = [await sample_of(store, (t, t.primary)) for t in design.tables]
        return CapacityView("limits", limits=limits_view(design, samples))

    parts = dict(zip(PARTS, (whatif, partitions, hot, limits), strict=True))

    async def capacity(request: Request) -> Response:
        heat.begin(studio.store)

        async def make(_request: Request, design: LoadedDesign, store: LoggedStore) -> Any:
            part = request.query_params.get("view", "whatif")
            return await parts.get(part, whatif)(request, design, store)

        return await studio.page(request, "capacity", make)

    add_page(app, "/{design}/capacity", capacity)
