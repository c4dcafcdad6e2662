"""FunkedUpShift as an app: its routes, its services, its tables."""

from __future__ import annotations

from fastapi import FastAPI

from tablewright.systems.funkedupshift.design import FunkedUpShift
from tablewright.web.server.app import System, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]


def create_app(services: Services) -> FastAPI:
    """The app of FunkedUpShift."""
    from tablewright.systems.funkedupshift.dependencies import provide
    from tablewright.systems.funkedupshift.permissions import MATRIX
    from tablewright.systems.funkedupshift.routes import (
        comment_routes,
        group_routes,
        me_routes,
        rating_routes,
        site_routes,
        squash_routes,
        user_routes,
    )

    return system_app(
        "FunkedUpShift",
        "A catalogue of sites with ratings and comments, groups, and a squash log.",
        services,
        provide(services),
        routers=[
            site_routes.router,
            rating_routes.router,
            comment_routes.router,
            group_routes.router,
            me_routes.router,
            user_routes.router,
            squash_routes.router,
        ],
        permissions=MATRIX,
    )


SYSTEM = System("funkedupshift", FunkedUpShift.__design__.tables, create_app)
