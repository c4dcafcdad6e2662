"""Profiles: who is calling, and what people may know of each other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from tablewright import create, patch, ref, save
from tablewright.design.item_values import time_text
from tablewright.systems.hold_that_thought.bodies import ProfilePatch, RelationBody
from tablewright.systems.hold_that_thought.design import P, Profile
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import Status
from tablewright.systems.hold_that_thought.services.blob_keys import photo_key, photo_prefix
from tablewright.web.http.field_types import Email
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing
from tablewright.web.http.retry import retried
from tablewright.web.http.row_size import require_small
from tablewright.web.identity.auth import Principal
from tablewright.web.services.blobs import UploadAnswer
from tablewright.web.services.quotas import Quota, make_room
from tablewright.web.services.services import Services

__all__ = ["People"]

NAME_CHARS_MAX: Final = 100
PHOTO_QUOTA: Final = Quota(50, 100 * 1024 * 1024)  # Of one person, with what was never used.
_EMAIL: Final[TypeAdapter[str]] = TypeAdapter(Email)


class People:
    """Reads and writes profiles."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store

    # Who calls.

    async def caller(self, principal: Principal) -> Caller:
        """The person behind a token; 403 unless active. The profile follows the token."""
        profile = await self._store.run(P.get_profile(principal.user_id))
        if profile is None or (profile.status == "active" and _is_behind(profile, principal)):
            profile = await retried(lambda: self._refreshed(principal))
        if profile.status != "active":
            raise Problem(403, "account_inactive", "This account is not active.")
        return Caller(profile, principal.groups)

    async def _refreshed(self, principal: Principal) -> Profile:
        now = self._services.clock.now()
        old = await self._store.run(P.get_profile(principal.user_id))
        if old is None:
            new = Profile(
                user_id=principal.user_id,
                email=_email(principal) or "",
                display_name=principal.display_name(NAME_CHARS_MAX),
                groups=sorted(principal.groups),
                created_at=now,
                updated_at=now,
            )
            return await self._store.run(create(new))
        if old.status != "active" or not _is_behind(old, principal):
            return old
        update = {
            "email": _email(principal) or old.email,
            "groups": sorted(principal.groups),
            "updated_at": now,
        }
        return await self._store.run(save(old, old.model_copy(update=update)))

    # What people see of each other.

    async def seen(self, caller: Caller, user_id: str) -> Profile:
        """A person's profile; 404 if there is none for the caller, 403 if it is private."""
        if user_id == caller.user_id:
            return caller.profile
        profile = await self._store.run(P.get_profile(user_id))
        if profile is None or (profile.status == "deleted" and not caller.is_admin):
            raise Problem(404, detail="No such person.")
        if profile.is_profile_private:
            caller.require_own("see private profile", user_id)
        return profile

    async def directory(self, caller: Caller, paging: Paging) -> Listing[Profile]:
        """All other active people whose profile is not private, by name."""

        def keep(profile: Profile) -> bool:
            is_shown = profile.status == "active" and not profile.is_profile_private
            return is_shown and profile.user_id != caller.user_id

        return await paging.query(
            self._store,
            P.list_users(),
            filters={"list": "directory"},
            caller=caller.user_id,
            keep=keep,
        )

    async def page(self, status: Status | None, paging: Paging) -> Listing[Profile]:
        """All people, by name; perhaps only those of a status."""
        return await paging.query(
            self._store,
            P.list_users(),
            filters={"list": "all", "status": status},
            keep=lambda profile: status in (None, profile.status),
        )

    async def active(self, user_ids: Iterable[str]) -> dict[str, Profile]:
        """Those of some people who are active."""
        wanted = sorted(set(user_ids))
        profiles = await self._store.run(P.profiles(wanted)) if wanted else []
        return {profile.user_id: profile for profile in profiles if profile.status == "active"}

    # Changes.

    async def require_photo(self, caller: Caller, body: ProfilePatch) -> None:
        """Raise 400 for a photo that the caller has not uploaded."""
        if body.photo_key is not None:
            prefix = photo_prefix(caller.user_id)
            await self._services.blobs.require("photoKey", body.photo_key, prefix)

    async def change(self, caller: Caller, body: ProfilePatch, if_match: IfMatch) -> Profile:
        async def attempt() -> Profile:
            old = await self._store.run(P.get_profile(caller.user_id).required())
            if_match.require(old.version)
            new = old.model_copy(
                update={**_changes(body), "updated_at": self._services.clock.now()}
            )
            require_small(new)
            return await self._store.run(save(old, new))

        return await retried(attempt)

    async def photo_upload(
        self, caller: Caller, file_name: str, kind: str, size: int
    ) -> UploadAnswer:
        """Where a photo can be put; 413 if too many unused ones are kept."""
        profile = await self._store.run(P.get_profile(caller.user_id).required())
        prefix, blobs = photo_prefix(caller.user_id), self._services.blobs
        await make_room(
            blobs, self._services.clock, prefix, size, PHOTO_QUOTA, used=profile.photo_url
        )
        key = photo_key(caller.user_id, self._services.clock.now(), file_name)
        return self._services.blobs.upload(key, kind, size)

    async def set_status(
        self, caller: Caller, user_id: str, status: Status, if_match: IfMatch
    ) -> Profile:
        async def attempt() -> Profile:
            old = existing(await self._store.run(P.get_profile(user_id)), "person")
            if_match.require(old.version)
            if user_id == caller.user_id:
                raise Problem(409, detail="You cannot change your own status.")
            update = {"status": status, "updated_at": self._services.clock.now()}
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)

    async def count_media(self, user_id: str) -> None:
        """One more link was given to upload a picture, video or document with."""
        one_more = patch(ref(Profile, user_id=user_id)).add(lambda p: p.media_upload_count, 1)
        await retried(lambda: self._store.run(one_more.quietly()))


def _email(principal: Principal) -> str | None:
    """The e-mail address of a token, if it is one."""
    return _address_in((principal.email or "").strip())


@lru_cache(maxsize=10_000)  # It is asked for with every request of a person.
def _address_in(text: str) -> str | None:
    try:
        return _EMAIL.validate_python(text)
    except ValidationError:
        return None


def _is_behind(profile: Profile, principal: Principal) -> bool:
    """Whether a token differs from the profile."""
    email = _email(principal) or profile.email
    return profile.email != email or profile.groups != sorted(principal.groups)


def _changes(body: ProfilePatch) -> dict[str, Any]:
    """What a body changes, as the row has it. Text that is blank is no text."""
    changes = {name: getattr(body, name) for name in body.model_fields_set}
    if "photo_key" in changes:
        changes["photo_url"] = changes.pop("photo_key")
    if changes.get("family_relationships") is not None:
        changes["family_relationships"] = [
            _relation(relation) for relation in body.family_relationships or ()
        ]
    return {name: None if value == "" else value for name, value in changes.items()}


def _relation(body: RelationBody) -> dict[str, Any]:
    """A relation as it is stored: plain, and without what has no value."""
    relation = {
        "id": body.id,
        "type": body.type,
        "name": body.name,
        "customType": body.custom_type or None,
        "createdAt": None if body.created_at is None else time_text(body.created_at),
    }
    return {name: value for name, value in relation.items() if value is not None}
