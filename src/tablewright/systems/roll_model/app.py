"""Roll Model as an app: its routes, its services, its tables."""

from __future__ import annotations

from fastapi import FastAPI

from tablewright.systems.roll_model.design import RollModel
from tablewright.web.server.app import System, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]


def create_app(services: Services) -> FastAPI:
    """The app of Roll Model."""
    from tablewright.systems.roll_model.dependencies import provide
    from tablewright.systems.roll_model.permissions import MATRIX
    from tablewright.systems.roll_model.routes import (
        assistant_routes,
        comment_routes,
        entry_routes,
        people_routes,
    )

    return system_app(
        "Roll Model",
        "A training journal with coach sharing and an assistant.",
        services,
        provide(services),
        routers=[
            people_routes.router,
            entry_routes.router,
            comment_routes.router,
            assistant_routes.router,
            entry_routes.export_router,
        ],
        permissions=MATRIX,
    )


SYSTEM = System("roll-model", RollModel.__design__.tables, create_app)
