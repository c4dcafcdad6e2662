"""3FC over HTTP: requests in, answers out. The rules are in the modules beside this one."""

from __future__ import annotations

from fastapi import FastAPI

from tablewright.systems.threefc.dependencies import Desk
from tablewright.systems.threefc.design import ThreeFC
from tablewright.systems.threefc.pages import page_routes
from tablewright.systems.threefc.routes.game_routes import (
    game_list_routes,
    game_routes,
    session_list_routes,
    session_routes,
)
from tablewright.systems.threefc.routes.goal_routes import (
    audit_routes,
    goal_list_routes,
    goal_routes,
)
from tablewright.systems.threefc.routes.league_routes import (
    access_routes,
    league_list_routes,
    league_routes,
)
from tablewright.systems.threefc.routes.player_routes import (
    claim_routes,
    player_list_routes,
    player_routes,
    roster_routes,
)
from tablewright.systems.threefc.routes.season_routes import (
    season_list_routes,
    season_routes,
    table_routes,
    team_routes,
)
from tablewright.systems.threefc.routes.sign_in_routes import health_routes, sign_in_routes
from tablewright.systems.threefc.services.sign_in import COOKIE
from tablewright.web.server.app import System, add_routes, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]

_ROUTES = (
    health_routes,
    sign_in_routes,
    league_list_routes,
    league_routes,
    access_routes,
    season_list_routes,
    season_routes,
    team_routes,
    table_routes,
    session_list_routes,
    session_routes,
    game_list_routes,
    game_routes,
    player_list_routes,
    player_routes,
    claim_routes,
    roster_routes,
    goal_list_routes,
    goal_routes,
    audit_routes,
)


def create_app(services: Services) -> FastAPI:
    """The app of 3FC."""
    app = system_app(
        "3FC",
        "Three-sided football: leagues, seasons, games and goals. People sign in by a link that is "
        "mailed to them, which gives a cookie; a token with an e-mail address is as good.",
        cookie=COOKIE,
    )
    desk = Desk(services)
    for routes in _ROUTES:
        add_routes(app, routes(desk))
    add_routes(app, page_routes())
    return app


SYSTEM = System("3fc", ThreeFC.tables, create_app)
