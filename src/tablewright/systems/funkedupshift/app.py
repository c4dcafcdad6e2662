"""FunkedUpShift over HTTP: requests in, answers out. The rules are in the modules beside this."""

from __future__ import annotations

from fastapi import FastAPI

from tablewright.systems.funkedupshift.dependencies import Desk
from tablewright.systems.funkedupshift.design import FunkedUpShift
from tablewright.systems.funkedupshift.routes.comment_routes import (
    comment_list_routes,
    comment_routes,
)
from tablewright.systems.funkedupshift.routes.group_routes import (
    group_list_routes,
    group_routes,
    member_routes,
)
from tablewright.systems.funkedupshift.routes.me_routes import (
    me_routes,
    own_group_routes,
    profile_routes,
)
from tablewright.systems.funkedupshift.routes.rating_routes import rating_list_routes, rating_routes
from tablewright.systems.funkedupshift.routes.site_routes import site_list_routes, site_routes
from tablewright.systems.funkedupshift.routes.squash_routes import (
    match_list_routes,
    match_routes,
    player_list_routes,
    player_routes,
)
from tablewright.systems.funkedupshift.routes.user_routes import user_routes
from tablewright.web.server.app import System, add_routes, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]

_ROUTES = (
    site_list_routes,
    site_routes,
    rating_routes,
    rating_list_routes,
    comment_list_routes,
    comment_routes,
    group_list_routes,
    group_routes,
    member_routes,
    me_routes,
    own_group_routes,
    profile_routes,
    user_routes,
    player_list_routes,
    player_routes,
    match_list_routes,
    match_routes,
)


def create_app(services: Services) -> FastAPI:
    """The app of FunkedUpShift."""
    app = system_app(
        "FunkedUpShift", "A catalogue of sites with ratings and comments, groups, and a squash log."
    )
    desk = Desk(services)
    for routes in _ROUTES:
        add_routes(app, routes(desk))
    return app


SYSTEM = System("funkedupshift", FunkedUpShift.tables, create_app)
