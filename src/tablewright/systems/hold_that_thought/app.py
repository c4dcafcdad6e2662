"""Hold That Thought as an app: its routes, its services, its tables."""

from __future__ import annotations

from fastapi import FastAPI

from tablewright.systems.hold_that_thought.design import HoldThatThought
from tablewright.web.server.app import System, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]


def create_app(services: Services) -> FastAPI:
    """The app of Hold That Thought."""
    from tablewright.systems.hold_that_thought.dependencies import provide
    from tablewright.systems.hold_that_thought.permissions import MATRIX
    from tablewright.systems.hold_that_thought.routes import (
        comment_routes,
        conversation_routes,
        draft_routes,
        letter_routes,
        media_routes,
        people_routes,
    )

    return system_app(
        "Hold That Thought",
        "A family's letters, with comments, reactions and private messages.",
        services,
        provide(services),
        routers=[
            people_routes.router,
            letter_routes.router,
            draft_routes.router,
            comment_routes.router,
            conversation_routes.router,
            media_routes.router,
        ],
        permissions=MATRIX,
    )


async def start(services: Services) -> None:
    """Resume unfinished transcriptions, and keep removing scans that were left behind."""
    from tablewright.systems.hold_that_thought.services.drafts import Drafts

    drafts = Drafts(services)
    await drafts.resume()
    services.background.start(drafts.keep_removing_stale_scans(), "sweep")


SYSTEM = System("hold-that-thought", HoldThatThought.__design__.tables, create_app, start)
