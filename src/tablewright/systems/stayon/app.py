"""StayOn as an app: its routes, its services, its tables."""

from __future__ import annotations

from fastapi import FastAPI

from tablewright.systems.stayon.design import StayOn
from tablewright.web.server.app import System, add_routes, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]


def create_app(services: Services) -> FastAPI:
    """The app of StayOn."""
    from tablewright.systems.stayon.dependencies import provide
    from tablewright.systems.stayon.pages import page_routes as html_routes
    from tablewright.systems.stayon.permissions import MATRIX
    from tablewright.systems.stayon.routes import answer_routes, page_routes

    app = system_app(
        "StayOn",
        "Checklists, events and polls that are shared without accounts.",
        services,
        provide(services),
        routers=[page_routes.router, answer_routes.router],
        permissions=MATRIX,
    )
    add_routes(app, html_routes(app.state.provided))
    return app


async def _start(services: Services) -> None:
    """Fill the pool of short ids in the background."""
    from tablewright.systems.stayon.services.short_ids import ShortIdPool

    ShortIdPool(services).refill()


SYSTEM = System("stayon", StayOn.__design__.tables, create_app, _start)
