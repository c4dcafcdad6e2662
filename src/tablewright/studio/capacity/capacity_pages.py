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
from tablewright.studio.shell.loaded_design import Subject
from tablewright.studio.shell.page_routes import Studio, add_page
from tablewright.studio.shell.request_log import Asking

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
    tables = [table for subject in studio.subjects.values() for table in subject.tables]
    heat = Heat(tables)
    # Asking every request for its units costs a server some time: only once somebody looks.
    if not studio.settings.path:
        heat.begin(studio.store)

    async def whatif(request: Request, subject: Subject, asking: Asking) -> CapacityView:
        given = {n: v for n, v in request.query_params.items() if n != "view"}
        return CapacityView(
            "whatif", whatif=await whatif_view(subject, asking, given, studio.price)
        )

    async def partitions(request: Request, subject: Subject, asking: Asking) -> CapacityView:
        given = request.query_params
        place = place_of(subject, given.get("table", ""), given.get("index", ""))
        start = given.get("start", "")
        sample = await sample_of(asking, place, start)
        made = partitions_view(subject, sample, start, heat.units())
        return CapacityView("partitions", partitions=made)

    async def hot(request: Request, subject: Subject, _asking: Asking) -> CapacityView:
        kind = request.query_params.get("units", "all")
        return CapacityView("heat", heat=heat_view(heat, subject.tables, kind))

    async def limits(_request: Request, subject: Subject, asking: Asking) -> CapacityView:
        samples = [await sample_of(asking, (t, t.primary)) for t in subject.tables]
        return CapacityView("limits", limits=limits_view(subject, samples))

    parts = dict(zip(PARTS, (whatif, partitions, hot, limits), strict=True))

    async def capacity(request: Request) -> Response:
        heat.begin(studio.store)

        async def make(_request: Request, subject: Subject, asking: Asking) -> Any:
            part = request.query_params.get("view", "whatif")
            return await parts.get(part, whatif)(request, subject, asking)

        return await studio.page(request, "capacity", make)

    add_page(app, "/{design}/capacity", capacity)
