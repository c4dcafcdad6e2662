"""Profiles and links: who is calling, and whose journal they may look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

from tablewright import Unit, absent, contains, create, ref, save
from tablewright.systems.roll_model.design import CoachLink, P, Profile, Role
from tablewright.systems.roll_model.permissions import Caller, Standing
from tablewright.systems.roll_model.schemas import LinkAnswer
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing, field_problem
from tablewright.web.http.retry import retried
from tablewright.web.identity.auth import Principal
from tablewright.web.services.services import Services

__all__ = ["People", "is_active", "require_active"]

ROLES: tuple[Role, ...] = get_args(Role)
NAME_CHARS_MAX = 80


def is_active(link: CoachLink | None) -> bool:
    return link is not None and link.status == "active"


def require_active(unit: Unit, athlete_id: str, coach_id: str) -> Unit:
    """A unit that happens only while the link is active; a link without a status is."""
    return unit.check(
        ref(CoachLink, athlete_id=athlete_id, coach_id=coach_id),
        lambda link: (link.status == "active") | absent(link.status),
    )


class People:
    """Reads and writes profiles and links."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store

    # Profiles.

    async def caller(self, principal: Principal) -> Caller:
        """The person behind a token; 403 without a role. The profile follows the token."""
        roles: list[Role] = [role for role in ROLES if role in principal.groups]
        if not roles:
            raise Problem(403, "role_required", "This is for athletes and coaches.")
        profile = await self._store.run(P.get_profile(principal.user_id))
        if profile is None or profile.roles != roles:
            await retried(lambda: self._refresh(principal, roles))
        return Caller(principal.user_id, frozenset(roles))

    async def _refresh(self, principal: Principal, roles: list[Role]) -> None:
        now = self._services.clock.now()
        old = await self._store.run(P.get_profile(principal.user_id))
        if old is None:
            new = Profile(
                user_id=principal.user_id,
                display_name=principal.display_name(NAME_CHARS_MAX),
                roles=roles,
                created_at=now,
                updated_at=now,
            )
            await self._store.run(create(new))
        elif old.roles != roles:
            new = old.model_copy(update={"roles": roles, "updated_at": now})
            await self._store.run(save(old, new))

    async def profile(self, user_id: str) -> Profile:
        return await self._store.run(P.get_profile(user_id).required())

    async def rename(self, caller: Caller, name: str, if_match: IfMatch) -> Profile:
        async def attempt() -> Profile:
            old = await self.profile(caller.user_id)
            if_match.require(old.version)
            update = {"display_name": name, "updated_at": self._services.clock.now()}
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)

    async def names(self, user_ids: Iterable[str]) -> dict[str, str]:
        """The display names of people."""
        wanted = sorted(set(user_ids))
        profiles = await self._store.run(P.profiles(wanted)) if wanted else []
        return {profile.user_id: profile.display_name for profile in profiles}

    # Permission.

    async def link(self, athlete_id: str, coach_id: str) -> CoachLink | None:
        return await self._store.run(P.get_link(athlete_id, coach_id))

    async def standing(self, caller: Caller, athlete_id: str) -> Standing:
        """What the caller is to an athlete, at this moment."""
        if athlete_id == caller.user_id:
            return Standing.OWNER
        if caller.is_coach and is_active(await self.link(athlete_id, caller.user_id)):
            return Standing.COACH
        return Standing.STRANGER

    @staticmethod
    def athlete_of(caller: Caller, athlete_id: str | None) -> str:
        """Whose journal a request is about: the named athlete's or the caller's; 400 without."""
        if athlete_id is None and not caller.is_athlete:
            raise field_problem("athleteId", "is needed by a coach")
        return athlete_id or caller.user_id

    @staticmethod
    def require_role(caller: Caller, athlete_id: str) -> None:
        """Raise 403: one's own journal is an athlete's, another's a coach's."""
        caller.require("athlete" if athlete_id == caller.user_id else "coach")

    async def require_access(self, caller: Caller, athlete_id: str) -> Standing:
        """Owner or coach; 403 without the role for it, or without a link."""
        self.require_role(caller, athlete_id)
        standing = await self.standing(caller, athlete_id)
        if standing is Standing.STRANGER:
            raise Problem(403, "link_required", "You are not linked with this athlete.")
        return standing

    # Links.

    async def require_coach(self, user_id: str) -> None:
        """Raise 404 unless this is a coach who has been here."""
        profile = await self._store.run(P.get_profile(user_id))
        if profile is None or "coach" not in profile.roles:
            raise Problem(404, detail="No such coach.")

    async def add_link(self, caller: Caller, coach_id: str, once: Once) -> tuple[LinkAnswer, int]:
        """A link with a coach: new or active again (201), or active already (200)."""

        async def attempt() -> tuple[LinkAnswer, int]:
            await self.require_coach(coach_id)
            old = await self.link(caller.user_id, coach_id)
            link, unit = self._linked(old, caller.user_id, coach_id)
            status = 200 if link is old else 201
            [answer] = await self.named([link])
            # One that is active already is kept for the key too: equal requests, equal answers.
            unit.check(ref(Profile, user_id=coach_id), lambda p: contains(p.roles, "coach"))
            await self._store.run(once.add(unit, answer, status))
            return answer, status

        return await retried(attempt)

    def _linked(
        self, old: CoachLink | None, athlete_id: str, coach_id: str
    ) -> tuple[CoachLink, Unit]:
        """The link that is to be, and the unit that makes it so."""
        now = self._services.clock.now()
        if old is None:
            new = CoachLink(
                athlete_id=athlete_id,
                coach_id=coach_id,
                created_at=now,
                updated_at=now,
                created_by=athlete_id,
            )
            return new, Unit(create(new))
        if is_active(old):
            return old, require_active(Unit(), athlete_id, coach_id)
        update = {"status": "active", "updated_at": now, "version": old.version + 1}
        new = old.model_copy(update=update)
        return new, Unit(save(old, new))

    async def named(self, links: Sequence[CoachLink]) -> list[LinkAnswer]:
        """Links with the names that people have now."""
        names = await self.names(
            user_id for link in links for user_id in (link.athlete_id, link.coach_id)
        )
        return [LinkAnswer.named(link, names) for link in links]

    async def links(self, caller: Caller, status: str, paging: Paging) -> Listing[CoachLink]:
        return await paging.query(
            self._store,
            P.coach_links(caller.user_id),
            filters={"status": status},
            caller=caller.user_id,
            keep=lambda link: status in ("all", link.status),
        )

    async def get_link(self, caller: Caller, coach_id: str) -> CoachLink:
        return existing(await self.link(caller.user_id, coach_id), "link")

    async def revoke(self, caller: Caller, coach_id: str, if_match: IfMatch) -> None:
        async def attempt() -> None:
            old = await self.link(caller.user_id, coach_id)
            if old is None or not is_active(old):
                raise Problem(404, detail="No such link.")
            if_match.require(old.version)
            update = {"status": "revoked", "updated_at": self._services.clock.now()}
            await self._store.run(save(old, old.model_copy(update=update)))

        await retried(attempt)

    async def athletes(self, caller: Caller, paging: Paging) -> Listing[CoachLink]:
        """The active links of a coach, by athlete."""
        page = await paging.query(
            self._store, P.athlete_links(caller.user_id), caller=caller.user_id
        )
        ids = [row.athlete_id for row in page.items]
        links = await self._store.run(P.links(ids, caller.user_id)) if ids else []
        return Listing([link for link in links if is_active(link)], page.cursor)
