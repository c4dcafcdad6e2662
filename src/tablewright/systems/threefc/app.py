"""3FC as an app: its routes, its services, its tables."""

from __future__ import annotations

from fastapi import FastAPI

from tablewright.systems.threefc.design import ThreeFC
from tablewright.web.server.app import System, add_routes, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]


def create_app(services: Services) -> FastAPI:
    """The app of 3FC."""
    from tablewright.systems.threefc.dependencies import provide
    from tablewright.systems.threefc.pages import page_routes
    from tablewright.systems.threefc.permissions import MATRIX
    from tablewright.systems.threefc.routes import (
        game_routes,
        goal_routes,
        league_routes,
        player_routes,
        season_routes,
        sign_in_routes,
    )
    from tablewright.systems.threefc.services.sign_in import COOKIE

    app = system_app(
        "3FC",
        "Three-sided football: leagues, seasons, games and goals. People sign in by a link that is "
        "mailed to them, which sets a cookie; a token with an e-mail address works as well.",
        services,
        provide(services),
        routers=[
            sign_in_routes.router,
            league_routes.router,
            season_routes.router,
            game_routes.router,
            player_routes.router,
            goal_routes.router,
        ],
        permissions=MATRIX,
        cookie=COOKIE,
    )
    add_routes(app, page_routes())
    return app


SYSTEM = System("3fc", ThreeFC.__design__.tables, create_app)
