"""Routes of goals, and of their changes."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends

from tablewright.systems.threefc.dependencies import GoalService, Reader, Writer, once_for
from tablewright.systems.threefc.schemas import (
    AuditAnswer,
    AuditView,
    GoalAnswer,
    GoalBody,
    GoalPatch,
)
from tablewright.web.http import idempotency
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(prefix="/v1", tags=["Goals"])
_GAME = "/games/{game_id:id}"
_GOALS = f"{_GAME}/goals"
_GOAL = f"{_GOALS}/{{event_id:id}}"
_RUNNING: Final = ("game_not_live", "game_finished")
Once = Annotated[idempotency.Once, Depends(once_for("keep score"))]


@router.get(_GOALS)
async def list_goals(caller: Reader, game_id: str, goals: GoalService) -> ListOf[GoalAnswer]:
    """A game's timeline, all in one page."""
    return ListOf(items=[GoalAnswer.of(goal) for goal in await goals.all(caller, game_id)])


@router.post(_GOALS, status_code=201, responses={409: codes(*_RUNNING)})
async def add_goal(
    caller: Writer, game_id: str, body: GoalBody, once: Once, goals: GoalService
) -> GoalAnswer:
    """Enter a goal."""
    return GoalAnswer.of(await goals.add(caller, game_id, body, once))


@router.post(f"{_GOALS}/undo", responses={409: codes("no_goals", *_RUNNING)})
async def undo_goal(caller: Writer, game_id: str, once: Once, goals: GoalService) -> GoalAnswer:
    """Remove the goal that was entered last."""
    return GoalAnswer.of(await goals.undo(caller, game_id, once))


@router.get(_GOAL)
async def get_goal(caller: Reader, game_id: str, event_id: str, goals: GoalService) -> GoalAnswer:
    """One goal."""
    return GoalAnswer.of(await goals.get(caller, game_id, event_id))


@router.patch(_GOAL, responses={409: codes(*_RUNNING)})
async def patch_goal(
    caller: Writer,
    game_id: str,
    event_id: str,
    body: GoalPatch,
    if_match: Precondition,
    goals: GoalService,
) -> GoalAnswer:
    """Correct a goal; the version before is kept in the audit."""
    return GoalAnswer.of(await goals.edit(caller, game_id, event_id, body, if_match))


@router.delete(_GOAL, status_code=204, responses={409: codes(*_RUNNING)})
async def delete_goal(
    caller: Writer, game_id: str, event_id: str, if_match: Precondition, goals: GoalService
) -> None:
    """Delete a goal; the audit keeps it."""
    await goals.delete(caller, game_id, event_id, if_match)


@router.get(f"{_GAME}/audit")
async def list_audit(
    caller: Reader, game_id: str, page: Page, goals: GoalService
) -> ListOf[AuditAnswer | AuditView]:
    """The changes of a game's goals, oldest first."""
    return (await goals.audit(caller, game_id, page)).listed()
