"""Who may do what, as a table.

Roles come with the token and from nowhere else; a custom group grants none. Squash is open to the
members of one custom group, and to admins. What depends on a role alone, or on that group, is here
and is asked for where a request comes in; whose a comment or a membership is, where it is read.
Nothing is read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tablewright.web.http.problems import Problem
from tablewright.web.identity.auth import Principal

__all__ = ["RULES", "SQUASH", "Action", "Caller", "Role", "Rule", "squash_problem"]

SQUASH: Final = "Squash"
Role = Literal["admin", "manager", "user"]


@dataclass(frozen=True)
class Caller:
    """A person with a valid token."""

    user_id: str
    name: str | None = None
    email: str | None = None
    is_admin: bool = False
    is_manager: bool = False  # By the token; whatever a manager may, an admin may too.

    @classmethod
    def of(cls, principal: Principal) -> Caller:
        return cls(
            principal.user_id,
            principal.name,
            principal.email,
            is_admin="admin" in principal.groups,
            is_manager="manager" in principal.groups,
        )

    @property
    def roles(self) -> list[Role]:
        """From the highest down."""
        held: list[tuple[Role, bool]] = [
            ("admin", self.is_admin),
            ("manager", self.is_manager),
            ("user", True),
        ]
        return [role for role, is_held in held if is_held]

    def has(self, role: Role) -> bool:
        """Whether what is for people of a role is for this one."""
        if role == "user" or self.is_admin:
            return True
        return role == "manager" and self.is_manager


Action = Literal[
    "be here",
    "curate sites",
    "maintain groups",
    "look at users",
    "delete users",
    "read squash",
    "change squash",
]


@dataclass(frozen=True)
class Rule:
    """Whose an action is: people of a role, and for squash only if they are in its group."""

    role: Role = "user"
    is_squash: bool = False

    def require_role(self, caller: Caller) -> None:
        """Raise 403 without the role."""
        if not caller.has(self.role):
            raise Problem(403, f"{self.role}_required", f"This is for {self.role}s.")

    def needs_membership(self, caller: Caller) -> bool:
        return self.is_squash and not caller.is_admin


RULES: Final[Mapping[Action, Rule]] = {
    "be here": Rule(),
    "curate sites": Rule("admin"),
    "maintain groups": Rule("manager"),
    "look at users": Rule("manager"),
    "delete users": Rule("admin"),
    "read squash": Rule(is_squash=True),
    "change squash": Rule("manager", is_squash=True),
}


def squash_problem() -> Problem:
    return Problem(403, "squash_group_required", f"This is for the group {SQUASH}.")
