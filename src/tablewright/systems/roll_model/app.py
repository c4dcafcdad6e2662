"""Roll Model over HTTP: requests in, answers out. The rules are in the modules beside this one."""

from __future__ import annotations

from fastapi import FastAPI

from tablewright.systems.roll_model.dependencies import Desk
from tablewright.systems.roll_model.design import RollModel
from tablewright.systems.roll_model.routes.assistant_routes import (
    chat_routes,
    thread_list_routes,
    thread_routes,
)
from tablewright.systems.roll_model.routes.comment_routes import (
    comment_list_routes,
    comment_routes,
    visibility_routes,
)
from tablewright.systems.roll_model.routes.entry_routes import (
    entry_list_routes,
    entry_routes,
    export_routes,
    search_routes,
)
from tablewright.systems.roll_model.routes.people_routes import (
    athlete_routes,
    link_routes,
    profile_routes,
)
from tablewright.web.server.app import System, add_routes, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]

_ROUTES = (
    profile_routes,
    link_routes,
    athlete_routes,
    entry_routes,
    entry_list_routes,
    search_routes,
    comment_list_routes,
    comment_routes,
    visibility_routes,
    thread_list_routes,
    thread_routes,
    chat_routes,
    export_routes,
)


def create_app(services: Services) -> FastAPI:
    """The app of Roll Model."""
    app = system_app("Roll Model", "A training journal with coach sharing and an assistant.")
    desk = Desk(services)
    for routes in _ROUTES:
        add_routes(app, routes(desk))
    return app


SYSTEM = System("roll-model", RollModel.tables, create_app)
