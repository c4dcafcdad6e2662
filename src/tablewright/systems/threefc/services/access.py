"""Access: who has which role in a league. There is always an admin."""

from __future__ import annotations

from tablewright import Unit, ref
from tablewright.systems.threefc.design import Acl, League, P, Role
from tablewright.systems.threefc.permissions import Caller, Member, require
from tablewright.systems.threefc.services.members import Members
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Access"]


class Access:
    """Reads and writes grants."""

    def __init__(self, services: Services, members: Members) -> None:
        self._services = services
        self._store = services.store
        self._members = members

    async def page(self, caller: Caller, league_id: str, paging: Paging) -> Listing[Acl]:
        query = P.list_acl(league_id)
        paging.require(query, caller=caller.user_id)
        await self._members.of_league(caller, league_id, "manage access")
        return await paging.query(self._store, query, caller=caller.user_id)

    async def get(self, caller: Caller, league_id: str, user_id: str) -> tuple[Acl, Member]:
        """A grant: any for an admin, else one's own; 403, and for admins 404."""
        member = await self._members.find(caller, league_id)
        if member is None or user_id != caller.user_id:
            require("manage access", None if member is None else member.role)
        assert member is not None
        acl = await self._store.run(P.get_acl(league_id, user_id))
        if acl is None:
            raise Problem(404, detail="This person has no access.")
        return acl, member

    async def grant(
        self, caller: Caller, league_id: str, user_id: str, role: Role, if_match: IfMatch
    ) -> tuple[Acl, bool]:
        """The grant that there is now, and whether it is new."""

        async def attempt() -> tuple[Acl, bool]:
            member = await self._members.of_league(caller, league_id, "manage access")
            old = await self._store.run(P.get_acl(league_id, user_id))
            if_match.require(None if old is None else old.version)
            if old is None:
                return await self._create(member, user_id, role), True
            if old.role == role:
                return old, False
            return await self._change(member, old, role), False

        return await retried(attempt)

    async def _create(self, member: Member, user_id: str, role: Role) -> Acl:
        now = self._services.clock.now()
        acl = Acl(
            league_id=member.league.league_id,
            user_id=user_id,
            role=role,
            granted_by_user_id=member.user_id,
            created_at=now,
            updated_at=now,
        )
        await self._store.run(_in_league(Unit().create(acl), member.league))
        return acl

    async def _change(self, member: Member, old: Acl, role: Role) -> Acl:
        update = {
            "role": role,
            "granted_by_user_id": member.user_id,
            "updated_at": self._services.clock.now(),
        }
        unit = Unit().save(old, old.model_copy(update=update))
        [acl, *_] = await self._store.run(_leaving(unit, old, member.league))
        assert isinstance(acl, Acl)
        return acl

    async def revoke(self, caller: Caller, league_id: str, user_id: str, if_match: IfMatch) -> None:
        async def attempt() -> None:
            old, member = await self.get(caller, league_id, user_id)
            if_match.require(old.version)
            await self._store.run(_leaving(Unit().delete(old), old, member.league))

        await retried(attempt)


def _in_league(unit: Unit, league: League) -> Unit:
    """A unit that happens only while the league is there."""
    return unit.require(ref(League, league_id=league.league_id))


def _leaving(unit: Unit, old: Acl, league: League) -> Unit:
    """A unit after which a grant is less, or gone; 409 if it is the last admin's."""
    if old.role != "admin":
        return _in_league(unit, league)
    if league.admin_count <= 1:
        raise Problem(409, "last_admin", "A league needs an admin.")
    place = ref(League, league_id=league.league_id)
    return unit.require(place, lambda row: row.admin_count > 1)
