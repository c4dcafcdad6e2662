"""Hold That Thought over HTTP: requests in, answers out. The rules are in the modules beside it."""

from __future__ import annotations

from fastapi import FastAPI

from tablewright.systems.hold_that_thought.dependencies import Desk
from tablewright.systems.hold_that_thought.design import HoldThatThought
from tablewright.systems.hold_that_thought.routes.comment_routes import (
    comment_list_routes,
    comment_routes,
    reaction_routes,
)
from tablewright.systems.hold_that_thought.routes.conversation_routes import (
    conversation_list_routes,
    conversation_routes,
    message_routes,
)
from tablewright.systems.hold_that_thought.routes.draft_routes import (
    draft_list_routes,
    draft_routes,
    progress_routes,
)
from tablewright.systems.hold_that_thought.routes.letter_routes import (
    letter_list_routes,
    letter_routes,
    version_routes,
)
from tablewright.systems.hold_that_thought.routes.media_routes import media_routes
from tablewright.systems.hold_that_thought.routes.people_routes import (
    admin_routes,
    me_routes,
    user_routes,
)
from tablewright.systems.hold_that_thought.services.drafts import Drafts
from tablewright.web.server.app import System, add_routes, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]

_ROUTES = (
    me_routes,
    user_routes,
    admin_routes,
    letter_list_routes,
    letter_routes,
    version_routes,
    draft_list_routes,
    draft_routes,
    progress_routes,
    comment_list_routes,
    comment_routes,
    reaction_routes,
    conversation_list_routes,
    conversation_routes,
    message_routes,
    media_routes,
)


def create_app(services: Services) -> FastAPI:
    """The app of Hold That Thought."""
    app = system_app(
        "Hold That Thought", "A family's letters, with comments, reactions and private messages."
    )
    desk = Desk(services)
    for routes in _ROUTES:
        add_routes(app, routes(desk))
    return app


async def start(services: Services) -> None:
    """Go on with drafts that were being transcribed, and remove scans that were left behind."""
    drafts = Drafts(services)
    await drafts.resume()
    services.background.start(drafts.keep_removing_stale_scans(), "sweep")


SYSTEM = System("hold-that-thought", HoldThatThought.tables, create_app, start)
