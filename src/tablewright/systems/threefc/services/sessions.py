"""Sessions: the days of a season on which it is played, one a day at most."""

from __future__ import annotations

from datetime import date
from typing import Any

from tablewright import Unit, delete, ref, save
from tablewright.systems.threefc.design import P, SeasonSession, Session
from tablewright.systems.threefc.permissions import Caller
from tablewright.systems.threefc.schemas import SessionAnswer
from tablewright.systems.threefc.services.members import Members
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Sessions"]


class Sessions:
    """Reads and writes sessions."""

    def __init__(self, services: Services, members: Members) -> None:
        self._services = services
        self._store = services.store
        self._members = members

    async def page(self, caller: Caller, season_id: str, paging: Paging) -> Listing[SeasonSession]:
        """A season's sessions by their days, which the keys do not have."""
        bound: dict[str, Any] = {"name": "3fc sessions", "filters": {"season": season_id}}
        paging.require_cut(**bound)
        await self._members.of_season(caller, season_id, "read league")
        sessions = await self._store.run(P.list_sessions(season_id).all())
        return paging.cut(
            sessions, lambda session: (session.session_date, session.session_id), **bound
        )

    async def add(
        self, caller: Caller, season_id: str, day: date, once: Once
    ) -> tuple[SessionAnswer, int]:
        """The session of a day: new (201), or the existing one (200)."""

        async def attempt() -> tuple[SessionAnswer, int]:
            season, _ = await self._members.of_season(caller, season_id, "manage league")
            held = await self._on(season_id, day)
            if held is None:
                session = self._new(season.league_id, season_id, day)
                unit, status = Unit().create(session), 201
            else:
                # It is kept for the key too: equal requests, equal answers.
                session, status = held, 200
                place = ref(Session, session_id=held.session_id)
                unit = Unit().check(place, lambda row: row.version == session.version)
            answer = SessionAnswer.of(session)
            await self._store.run(once.add(unit, answer, status))
            return answer, status

        return await retried(attempt)

    def _new(self, league_id: str, season_id: str, day: date) -> Session:
        now = self._services.clock.now()
        return Session(
            session_id=self._services.ids.ulid(now),
            league_id=league_id,
            season_id=season_id,
            session_date=day,
            created_at=now,
            updated_at=now,
        )

    async def _on(self, season_id: str, day: date) -> Session | None:
        """The session of a day."""
        held = await self._store.run(P.get_session_day(season_id, day))
        return None if held is None else await self._store.run(P.get_session(held.session_id))

    async def change(
        self, caller: Caller, session_id: str, day: date, if_match: IfMatch
    ) -> Session:
        """Move a session to another day; 409 if that is taken."""

        async def attempt() -> Session:
            old, _ = await self._members.of_session(caller, session_id, "manage league")
            if_match.require(old.version)
            held = await self._store.run(P.get_session_day(old.season_id, day))
            if held is not None and held.session_id != session_id:
                raise Problem(409, detail="The season already has a session on that day.")
            update = {"session_date": day, "updated_at": self._services.clock.now()}
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)

    async def delete(self, caller: Caller, session_id: str, if_match: IfMatch) -> None:
        async def attempt() -> None:
            old, _ = await self._members.of_session(caller, session_id, "manage league")
            if_match.require(old.version)
            if old.game_count:
                raise Problem(409, "session_not_empty", "This session still has games.")
            await self._store.run(delete(old, lambda row: row.game_count == 0))

        await retried(attempt)
