"""Routes of goals, and of what was changed in them."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.threefc import bodies, shapes
from tablewright.systems.threefc.answers import goal_answer
from tablewright.systems.threefc.dependencies import KEEPER, MEMBER, Codes, Desk, Permitted
from tablewright.systems.threefc.services.goal_rules import require_sound
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.idempotency import Once
from tablewright.web.http.preconditions import IfMatch

__all__ = ["audit_routes", "goal_list_routes", "goal_routes"]

_GAME = "/games/{game_id:id}"
_GOALS = f"{_GAME}/goals"
_GOAL = f"{_GOALS}/{{event_id:id}}"
_RUNNING: Final[Codes] = {409: ("game_not_live", "game_finished")}
_UNDOING: Final[Codes] = {409: ("no_goals", *_RUNNING[409])}


def goal_list_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Goals"])

    @api.endpoint("GET", _GOALS, answer=shapes.GoalList, refuses=MEMBER)
    async def list_goals(request: Request, game_id: str) -> Response:
        """A game's timeline, all in one page."""
        caller = await desk.caller(request)
        goals = await desk.goals.all(caller, game_id)
        return answer({"items": [goal_answer(goal) for goal in goals], "cursor": None})

    @api.endpoint(
        "POST",
        _GOALS,
        body=bodies.GoalBody,
        answer=shapes.GoalAnswer,
        status=201,
        refuses=KEEPER | _RUNNING,
        idempotent=True,
        versioned=True,
    )
    async def add_goal(request: Request, game_id: str) -> Response:
        """Enter a goal."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_game, caller, game_id, "keep score") as permitted:
            body = await read_body(request, bodies.GoalBody)
            require_sound(body)

            async def effect(once: Once) -> tuple[dict[str, Any], int]:
                return await desk.goals.add(caller, game_id, body, once), 201

            return await desk.once(request, caller, body, effect, permitted)

    @api.endpoint(
        "POST",
        f"{_GOALS}/undo",
        answer=shapes.GoalAnswer,
        refuses=KEEPER | _UNDOING,
        idempotent=True,
        versioned=True,
    )
    async def undo_goal(request: Request, game_id: str) -> Response:
        """Remove the goal that was entered last."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_game, caller, game_id, "keep score") as permitted:

            async def effect(once: Once) -> tuple[dict[str, Any], int]:
                return await desk.goals.undo(caller, game_id, once), 200

            return await desk.once(request, caller, None, effect, permitted)

    return api


def goal_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Goals"])

    @api.endpoint("GET", _GOAL, answer=shapes.GoalAnswer, refuses=MEMBER, versioned=True)
    async def get_goal(request: Request, game_id: str, event_id: str) -> Response:
        """One goal."""
        caller = await desk.caller(request)
        goal = await desk.goals.get(caller, game_id, event_id)
        return answer(goal_answer(goal), version=goal.version)

    @api.endpoint(
        "PATCH",
        _GOAL,
        body=bodies.GoalPatch,
        answer=shapes.GoalAnswer,
        refuses=KEEPER | _RUNNING,
        versioned=True,
    )
    async def patch_goal(request: Request, game_id: str, event_id: str) -> Response:
        """Set a goal right; what it was before is kept."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_game, caller, game_id, "keep score"):
            body = await read_body(request, bodies.GoalPatch)
            goal = await desk.goals.edit(caller, game_id, event_id, body, IfMatch.of(request))
            return answer(goal_answer(goal), version=goal.version)

    @api.endpoint("DELETE", _GOAL, status=204, refuses=KEEPER | _RUNNING, versioned=True)
    async def delete_goal(request: Request, game_id: str, event_id: str) -> Response:
        """Delete a goal; what it was is kept."""
        caller = await desk.caller(request)
        await desk.goals.delete(caller, game_id, event_id, IfMatch.of(request))
        return no_content()

    return api


def audit_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Goals"])

    @api.endpoint(
        "GET",
        f"{_GAME}/audit",
        answer=shapes.AuditList,
        refuses={403: ("scorekeeper_required",)},
        paged=True,
    )
    async def list_audit(request: Request, game_id: str) -> Response:
        """What was changed in a game's goals, oldest first."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_game, caller, game_id, "read audit"):
            page = await desk.goals.audit(caller, game_id, desk.paging(request))
            return answer(page.body())

    return api
