"""Custom groups and who is in them.

A membership counts only while its group is there, not marked, and of the time that the membership
names: a group that is created again starts without members.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from tablewright import Conflict, Ref, Unit, create, delete, put, ref, save
from tablewright.systems.funkedupshift.design import Group, Membership, P
from tablewright.systems.funkedupshift.permissions import SQUASH, Caller
from tablewright.systems.funkedupshift.schemas import (
    GroupAnswer,
    GroupBody,
    GroupPatch,
    MembershipAnswer,
)
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Groups", "does_count"]

SWEPT_TOGETHER: Final = 100  # As many as a transaction takes.


def does_count(membership: Membership | None, group: Group | None) -> bool:
    """Whether a membership is one of this very group."""
    if membership is None or group is None:
        return False
    return membership.group_created_at == group.created_at


class Groups:
    """Reads and writes groups and memberships."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store

    # Groups.

    async def add(self, body: GroupBody, once: Once) -> Group:
        async def attempt() -> Group:
            # One that is being deleted has its name still.
            if await self._store.run(P.get_group(body.name).with_marked()) is not None:
                raise Problem(409, detail="There is a group of this name already.")
            now = self._services.clock.now()
            group = Group(
                name=body.name,
                description=body.description or None,
                permissions=body.permissions or [],
                join_policy=body.join_policy or "invite",
                created_at=now,
                updated_at=now,
            )
            await self._store.run(once.add(Unit(create(group)), lambda: GroupAnswer.of(group)))
            return group

        return await retried(attempt)

    async def page(self, paging: Paging) -> Listing[Group]:
        return await paging.query(self._store, P.list_groups())

    async def get(self, name: str) -> Group:
        return existing(await self._store.run(P.get_group(name)), "group")

    async def change(self, name: str, body: GroupPatch, if_match: IfMatch) -> Group:
        async def attempt() -> Group:
            old = await self.get(name)
            if_match.require(old.version)
            update = _changes(body) | {"updated_at": self._services.clock.now()}
            new = old.model_copy(update=update)
            return await self._store.run(save(old, new, _is_same(old)))

        return await retried(attempt)

    async def delete(self, name: str, if_match: IfMatch) -> None:
        """Mark, sweep, delete; goes on where an interrupted one stopped."""

        async def mark() -> Group:
            group = existing(await self._store.run(P.get_group(name).with_marked()), "group")
            if group.deleted_at is not None:
                return group
            if_match.require(group.version)
            marked = group.model_copy(update={"deleted_at": self._services.clock.now()})
            return await self._store.run(save(group, marked, _is_same(group)))

        marked = await retried(mark)
        await self._sweep(marked)
        try:
            await self._store.run(delete(marked, _is_same(marked)))
        except Conflict:
            return  # Another request has come to the end of the same deletion.

    async def _sweep(self, marked: Group) -> None:
        """Delete the memberships of a marked group.

        Another request may come to the end of the same deletion first, and then the name is free:
        nothing of a group that is made then may be touched.
        """
        created_at, after = marked.created_at, None
        query = P.list_group_members(marked.name).where(
            lambda member: member.group_created_at <= created_at
        )
        while True:
            page = await self._store.run(query.limit(SWEPT_TOGETHER).after(after))
            rows = [
                delete(member, lambda row: row.group_created_at <= created_at)
                for member in page.items
            ]
            try:
                await self._store.run(Unit(*rows))
            except Conflict:
                # One of them is gone, or is of the next group: the others go alone.
                for row in rows:
                    with suppress(Conflict):
                        await self._store.run(row)
            after = page.last_key
            if after is None:
                return

    # Memberships.

    async def is_member(self, user_id: str, name: str = SQUASH) -> bool:
        membership, group = await self._standing(user_id, name)
        return does_count(membership, group)

    async def _standing(self, user_id: str, name: str) -> tuple[Membership | None, Group | None]:
        if name == SQUASH:
            return await self._store.run(P.check_squash_access(user_id))
        membership = await self._store.run(P.get_membership(user_id, name))
        return membership, await self._store.run(P.get_group(name))

    async def members(self, name: str, paging: Paging) -> Listing[Membership]:
        query = P.list_group_members(name)
        paging.require(query)
        group = await self.get(name)
        return await paging.query(self._store, query, keep=lambda row: does_count(row, group))

    async def memberships(
        self, user_id: str, paging: Paging, caller: str = ""
    ) -> Listing[Membership]:
        query = P.memberships_of_user(user_id)
        return await paging.joined(self._store, query, self._counting, caller=caller)

    async def names(self, user_id: str) -> list[str]:
        """The groups that a person is in, by name."""
        rows = await self._store.run(P.memberships_of_user(user_id).all())
        return [row.group_name for row in await self._counting(rows) if row is not None]

    async def _counting(self, rows: Sequence[Membership]) -> list[Membership | None]:
        if not rows:
            return []
        groups = await self._store.run(P.groups([row.group_name for row in rows]).aligned())
        pairs = zip(rows, groups, strict=True)
        return [row if does_count(row, group) else None for row, group in pairs]

    async def put_member(self, caller: Caller, name: str, user_id: str) -> tuple[Membership, bool]:
        """A membership, and whether it is new; one that counts is left as it is."""

        async def attempt() -> tuple[Membership, bool]:
            old, stored = await self._standing(user_id, name)
            group = existing(stored, "group")
            if old is not None and does_count(old, group):
                return old, False
            new = self._new_membership(group, user_id, added_by=caller.user_id)
            await self._store.run(_replacing(old, new).check(_place(group), _is_same(group)))
            return new, True

        return await retried(attempt)

    async def join(self, caller: Caller, name: str, once: Once) -> tuple[MembershipAnswer, int]:
        """The caller's membership of an open group: new (201), or there already (200)."""

        async def attempt() -> tuple[MembershipAnswer, int]:
            old, group = await self.joinable(caller, name)
            if old is not None and does_count(old, group):
                created_at = old.group_created_at
                unit = Unit().check(old, lambda row: row.group_created_at == created_at)
                status, answer = 200, MembershipAnswer.of(old)
            else:
                new = self._new_membership(group, caller.user_id, added_by=caller.user_id)
                unit = _replacing(old, new).check(
                    _place(group), lambda row: row.join_policy == "open"
                )
                status, answer = 201, MembershipAnswer.of(new)
            # A membership that is there already is kept for the key too: equal requests, equal
            # answers.
            unit.check(_place(group), _is_same(group))
            await self._store.run(once.add(unit, answer, status))
            return answer, status

        return await retried(attempt)

    async def joinable(self, caller: Caller, name: str) -> tuple[Membership | None, Group]:
        """One's membership, if any, and the group; 404 or 403 if there is nothing to join."""
        old, stored = await self._standing(caller.user_id, name)
        group = existing(stored, "group")
        if group.join_policy != "open" and not does_count(old, group):
            raise Problem(403, "invite_only", "This group takes people by invitation.")
        return old, group

    async def remove_member(self, name: str, user_id: str) -> None:
        """Remove a member; 404 without the group, or if the person is not a member."""

        async def attempt() -> None:
            old, group = await self._standing(user_id, name)
            if old is None or not does_count(old, group):
                raise Problem(404, detail="No such member of this group.")
            created_at = old.group_created_at
            await self._store.run(delete(old, lambda row: row.group_created_at == created_at))

        await retried(attempt)

    def _new_membership(self, group: Group, user_id: str, added_by: str) -> Membership:
        return Membership(
            group_name=group.name,
            user_id=user_id,
            added_at=self._services.clock.now(),
            added_by=added_by,
            group_created_at=group.created_at,
        )


def _place(group: Group) -> Ref[Group]:
    return ref(Group, name=group.name)


def _is_same(group: Group) -> Callable[[Group], bool]:
    """A condition: the group was not deleted and created again since it was read."""
    return lambda row: row.created_at == group.created_at


def _replacing(old: Membership | None, new: Membership) -> Unit:
    """A new membership instead of none, or of one that does not count any more."""
    if old is None:
        return Unit(create(new))
    stale = old.group_created_at
    return Unit(put(new, lambda row: row.group_created_at == stale))


def _changes(body: GroupPatch) -> dict[str, Any]:
    """What was sent, as the row has it."""
    update = {name: getattr(body, name) for name in body.model_fields_set}
    if "description" in update:
        update["description"] = body.description or None
    if "permissions" in update:
        update["permissions"] = body.permissions or []
    if "join_policy" in update:
        update["join_policy"] = body.join_policy or "invite"
    return update
