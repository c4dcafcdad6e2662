"""Goals: entered while a game is live, set right with a record of what was there before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import orjson

from tablewright import Unit
from tablewright.systems.threefc.design import Audit, Game, Goal, P
from tablewright.systems.threefc.permissions import Caller, Member
from tablewright.systems.threefc.schemas import (
    AuditAnswer,
    AuditView,
    GoalAnswer,
    GoalBody,
    GoalPatch,
)
from tablewright.systems.threefc.services.goal_rules import (
    GoalFields,
    require_rostered,
    require_sound,
)
from tablewright.systems.threefc.services.members import Members
from tablewright.systems.threefc.services.results import result_of
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Goals", "goal_record"]


class Goals:
    """Reads and writes goals.

    A game is read before its roster and goals, and saved with every write, so that what was
    checked still holds when it is written.
    """

    def __init__(self, services: Services, members: Members) -> None:
        self._services = services
        self._store = services.store
        self._members = members

    # Reading.

    async def all(self, caller: Caller, game_id: str) -> list[Goal]:
        """The timeline of a game."""
        await self._members.of_game(caller, game_id, "read league")
        return await self._store.run(P.list_goals(game_id).all())

    async def get(self, caller: Caller, game_id: str, event_id: str) -> Goal:
        await self._members.of_game(caller, game_id, "read league")
        return await self._find(game_id, event_id)

    async def audit(self, caller: Caller, game_id: str, paging: Paging) -> Listing[AuditView]:
        """What was changed, oldest first."""
        query = P.list_audit(game_id)
        paging.require(query)
        _, member = await self._members.of_game(caller, game_id, "read audit")
        page = await paging.query(self._store, query)
        return Listing([AuditAnswer.seen(row, member) for row in page.items], page.cursor)

    async def _find(self, game_id: str, event_id: str) -> Goal:
        return existing(await self._store.run(P.get_goal(game_id, event_id)), "goal")

    # Writing.

    async def add(self, caller: Caller, game_id: str, body: GoalBody, once: Once) -> Goal:
        async def attempt() -> Goal:
            game, member = await self._members.of_game(caller, game_id, "keep score")
            await self._require_rostered(game_id, body)
            _require_running(game, member)
            now = self._services.clock.now()
            goal = Goal(
                game_id=game_id,
                event_id=self._services.ids.ulid(now),
                created_at=now,
                updated_at=now,
                **body.model_dump(),
            )
            unit = await self._raised(Unit().create(goal), game, None, goal)
            await self._store.run(once.add(unit, lambda: GoalAnswer.of(goal)))
            return goal

        return await retried(attempt)

    async def edit(
        self, caller: Caller, game_id: str, event_id: str, body: GoalPatch, if_match: IfMatch
    ) -> Goal:
        async def attempt() -> Goal:
            game, member = await self._members.of_game(caller, game_id, "keep score")
            old = await self._find(game_id, event_id)
            now = self._services.clock.now()
            update = _given(body) | {"updated_at": now, "version": old.version + 1}
            new = old.model_copy(update=update)
            require_sound(new)
            await self._require_rostered(game_id, new)
            if_match.require(old.version)
            _require_running(game, member)
            unit = Unit().save(old, new).create(self._record(caller, "edit", old, new))
            await self._store.run(await self._raised(unit, game, old, new))
            return new

        return await retried(attempt)

    async def delete(self, caller: Caller, game_id: str, event_id: str, if_match: IfMatch) -> None:
        async def attempt() -> None:
            game, member = await self._members.of_game(caller, game_id, "keep score")
            old = await self._find(game_id, event_id)
            if_match.require(old.version)
            _require_running(game, member)
            unit = Unit().delete(old).create(self._record(caller, "delete", old))
            await self._store.run(await self._raised(unit, game, old, None))

        await retried(attempt)

    async def undo(self, caller: Caller, game_id: str, once: Once) -> Goal:
        """Remove the goal that was entered last, whatever its minute."""

        async def attempt() -> Goal:
            game, member = await self._members.of_game(caller, game_id, "keep score")
            _require_running(game, member)
            old = await self._store.run(P.get_last_goal(game_id))
            if old is None:
                raise Problem(409, "no_goals", "This game has no goal to undo.")
            unit = Unit().delete(old).create(self._record(caller, "undo", old))
            unit = await self._raised(unit, game, old, None)
            await self._store.run(once.add(unit, lambda: GoalAnswer.of(old)))
            return old

        return await retried(attempt)

    def _record(
        self,
        caller: Caller,
        action: Literal["edit", "delete", "undo"],
        old: Goal,
        new: Goal | None = None,
    ) -> Audit:
        now = self._services.clock.now()
        return Audit(
            audit_id=self._services.ids.ulid(now),
            game_id=old.game_id,
            action=action,
            event_id=old.event_id,
            user_id=caller.user_id,
            before=goal_record(old),
            after=None if new is None else goal_record(new),
            created_at=now,
            updated_at=now,
        )

    async def _require_rostered(self, game_id: str, goal: GoalFields) -> None:
        roster = await self._store.run(P.list_roster(game_id).all())
        require_rostered(goal, {row.player_id: row.team_id for row in roster})

    async def _raised(self, unit: Unit, game: Game, old: Goal | None, new: Goal | None) -> Unit:
        """The unit with the game's version raised; of a finished game the result follows."""
        update: dict[str, Any] = {"updated_at": self._services.clock.now()}
        if game.status == "finished":
            goals = await self._store.run(P.list_goals(game.game_id).all())
            update["result"] = result_of(_exchanged(goals, old, new), is_final=True)
        return unit.save(game, game.model_copy(update=update))


def _given(body: GoalPatch) -> dict[str, Any]:
    """What a patch changes; what is removed goes back to its default."""
    given = body.model_dump(exclude_unset=True)
    for name, default in (("assist_player_ids", []), ("own_goal", False)):
        if name in given and given[name] is None:
            given[name] = default
    return given


def _exchanged(goals: Sequence[Goal], old: Goal | None, new: Goal | None) -> list[Goal]:
    """Goals with one taken out and another put in."""
    kept = [goal for goal in goals if old is None or goal.event_id != old.event_id]
    return kept if new is None else [*kept, new]


def _require_running(game: Game, member: Member) -> None:
    """Raise 409 for a game whose goals the caller may not write, before it starts or afterwards."""
    member.require_open(game)
    if game.status == "scheduled":
        raise Problem(409, "game_not_live", "This game has not started.")


def goal_record(goal: Goal) -> dict[str, Any]:
    """A goal as an audit keeps it: plain JSON, so that it stays as it was."""
    record: dict[str, Any] = orjson.loads(GoalAnswer.of(goal).to_json())
    return record
