"""People: their profiles, and when they were last here."""

from __future__ import annotations

from typing import Any, Final

import structlog

from tablewright import Conflict, ItemNotFound, TablewrightError, create, patch, ref, save
from tablewright.plan.changes.writes import Write
from tablewright.systems.funkedupshift.design import P, Profile
from tablewright.systems.funkedupshift.permissions import RULES, SQUASH, Caller
from tablewright.systems.funkedupshift.schemas import (
    MeAnswer,
    ProfileAnswer,
    ProfilePatch,
    PublicProfileAnswer,
    SquashAnswer,
    UploadBody,
)
from tablewright.systems.funkedupshift.services.groups import Groups
from tablewright.systems.funkedupshift.services.picture_keys import Images
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing
from tablewright.web.http.retry import retried
from tablewright.web.services.blobs import UploadAnswer
from tablewright.web.services.budgets import Budget
from tablewright.web.services.rate_limits import Rate
from tablewright.web.services.services import Services

__all__ = ["People"]

log = structlog.get_logger("tablewright.funkedupshift")
UPLOAD_RATE: Final = Rate(60, 3600)  # Places for pictures that one person asks for.


class People:
    """Reads and writes profiles."""

    def __init__(self, services: Services, groups: Groups, avatars: Images) -> None:
        self._services = services
        self._store = services.store
        self._groups = groups
        self._avatars = avatars
        self._uploads = Budget(services.clock, UPLOAD_RATE)

    def shown(self, profile: Profile, caller: Caller) -> ProfileAnswer | PublicProfileAnswer:
        """A profile as this caller sees it."""
        if caller.is_admin or profile.user_id == caller.user_id:
            return self.shown_whole(profile)
        return PublicProfileAnswer.of(profile, avatar_url=self._avatars.url(profile.avatar_key))

    def shown_whole(self, profile: Profile) -> ProfileAnswer:
        return ProfileAnswer.of(profile, avatar_url=self._avatars.url(profile.avatar_key))

    # Who is here.

    async def me(self, caller: Caller, address: str) -> MeAnswer:
        """Who the caller is and what the caller may do; records the visit."""
        await self._record_login(caller, address)
        groups = await self._groups.names(caller.user_id)
        can_read = caller.is_admin or SQUASH in groups
        can_write = can_read and caller.has(RULES["change squash"].role)
        return MeAnswer.of(
            caller, groups=groups, squash=SquashAnswer(can_read=can_read, can_write=can_write)
        )

    async def _record_login(self, caller: Caller, address: str) -> None:
        """Never fails a request: who is here matters more than when she was."""
        try:
            try:
                await self._touch(caller, address)
            except ItemNotFound:
                await self._introduce(caller, address)
        except TablewrightError as error:
            log.warning("a login was not recorded", error=type(error).__name__)

    async def _touch(self, caller: Caller, address: str) -> None:
        login = (
            patch(ref(Profile, user_id=caller.user_id))
            .set(lambda profile: profile.last_login_at, self._services.clock.now())
            .set(lambda profile: profile.last_login_ip, address)
        )
        # A claim that is missing from the token does not remove the stored value.
        if caller.name is not None:
            login = login.set(lambda profile: profile.name, caller.name)
        if caller.email is not None:
            login = login.set(lambda profile: profile.email, caller.email)
        await self._store.run(login.quietly())

    async def _introduce(self, caller: Caller, address: str) -> None:
        claims = {"name": caller.name, "email": caller.email}
        try:
            await self._store.run(create(self._empty(caller.user_id, address, **claims)))
        except Conflict:
            await self._touch(caller, address)  # Another request created it at the same time.

    # One's own profile.

    def _empty(self, user_id: str, address: str, **claims: Any) -> Profile:
        now = self._services.clock.now()
        return Profile(
            user_id=user_id,
            created_at=now,
            updated_at=now,
            last_login_at=now,
            last_login_ip=address,
            **claims,
        )

    async def _find(self, user_id: str) -> Profile | None:
        return await self._store.run(P.get_profile(user_id))

    async def own(self, caller: Caller, address: str) -> Profile:
        """One's profile; made empty if there is none."""

        async def attempt() -> Profile:
            profile = await self._find(caller.user_id)
            if profile is not None:
                return profile
            return await self._store.run(create(self._empty(caller.user_id, address)))

        return await retried(attempt)

    async def change(
        self, caller: Caller, address: str, body: ProfilePatch, if_match: IfMatch
    ) -> Profile:
        async def attempt() -> tuple[str | None, Profile]:
            await self._avatars.require("avatarKey", body.avatar_key, caller.user_id)
            update = {name: getattr(body, name) or None for name in body.model_fields_set}
            old = await self._find(caller.user_id)
            if_match.require(None if old is None else old.version)
            if old is None:
                new = self._empty(caller.user_id, address, **update)
                return None, await self._store.run(create(new))
            update["updated_at"] = self._services.clock.now()
            return old.avatar_key, await self._store.run(_changed(old, update))

        if "avatar_key" not in body.model_fields_set:
            return (await retried(attempt))[1]
        async with self._avatars.lock(caller.user_id):
            old_key, profile = await retried(attempt)
            await self._avatars.delete_replaced(old_key, profile.avatar_key)
        return profile

    async def avatar_upload(self, caller: Caller, body: UploadBody) -> UploadAnswer:
        """Where a picture can be put; 429 if that was asked too often, 413 if many are kept."""
        self._uploads.spend(caller.user_id)
        profile = await self._find(caller.user_id)
        used = None if profile is None else profile.avatar_key
        await self._avatars.make_room(caller.user_id, body.size, used)
        return self._avatars.upload(caller.user_id, body.content_type, body.size)

    async def remove_avatar(self, caller: Caller) -> None:
        async def attempt() -> str:
            old = await self._find(caller.user_id)
            if old is None or old.avatar_key is None:
                raise Problem(404, detail="No such picture.")
            update = {"avatar_key": None, "updated_at": self._services.clock.now()}
            await self._store.run(_changed(old, update))
            return old.avatar_key

        async with self._avatars.lock(caller.user_id):
            await self._avatars.delete_replaced(await retried(attempt), None)

    # Others.

    async def page(self, paging: Paging) -> Listing[Profile]:
        return await paging.query(self._store, P.list_profiles())

    async def get(self, user_id: str) -> Profile:
        return existing(await self._find(user_id), "person")


def _changed(old: Profile, update: dict[str, Any]) -> Write[Profile]:
    """Changes some fields of a profile, unless the person was deleted and created again since."""
    created_at = old.created_at
    return save(
        old, old.model_copy(update=update), lambda profile: profile.created_at == created_at
    )
