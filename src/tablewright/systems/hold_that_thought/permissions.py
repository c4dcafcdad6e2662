"""Who may do what, as a table.

Groups come with the token. What they alone decide is asked for before a body is read. What belongs
to somebody is that person's; some of it is an admin's too. Messages are the participants' alone:
whether somebody is one follows from a row, see `conversations`. Nothing is read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tablewright.systems.hold_that_thought.design import Profile
from tablewright.web.http.problems import Problem

__all__ = ["ADMINS", "APPROVED", "RULES", "Action", "Caller", "Level", "Rule"]

APPROVED: Final = "ApprovedUsers"
ADMINS: Final = "Admins"

Level = Literal["member", "approved", "admin"]
Action = Literal[
    "edit letter",
    "create letter",
    "delete letter",
    "use drafts",
    "upload media",
    "delete media",
    "edit comment",
    "delete comment",
    "see private profile",
    "administer people",
    "delete conversation",
    "delete message",
]


@dataclass(frozen=True)
class Rule:
    """Whose an action is: at which level, and if it is about somebody's own, an admin's too?

    ``is_hidden``: to those whose it is not, there is nothing.
    """

    level: Level = "member"
    is_admins_too: bool = False
    is_hidden: bool = False
    code: str = "forbidden"
    told: str = "You may not do this."


RULES: Final[Mapping[Action, Rule]] = {
    "edit letter": Rule("approved"),
    "create letter": Rule("admin"),
    "delete letter": Rule("admin"),
    "use drafts": Rule("approved", is_admins_too=True, is_hidden=True),
    "upload media": Rule("approved"),
    "delete media": Rule("approved", is_admins_too=True, told="Somebody else uploaded this."),
    "edit comment": Rule(told="Only its author may change a comment."),
    "delete comment": Rule(is_admins_too=True, told="Only its author may delete a comment."),
    "see private profile": Rule(
        is_admins_too=True, code="profile_private", told="This profile is private."
    ),
    "administer people": Rule("admin"),
    "delete conversation": Rule(told="Only who began a conversation may delete it."),
    "delete message": Rule(told="Only its sender may delete a message."),
}


@dataclass(frozen=True)
class Caller:
    """An active person, as the table knows her, with the groups of her token."""

    profile: Profile
    groups: frozenset[str]

    @property
    def user_id(self) -> str:
        return self.profile.user_id

    @property
    def name(self) -> str:
        return self.profile.display_name

    @property
    def is_admin(self) -> bool:
        return ADMINS in self.groups

    @property
    def is_approved(self) -> bool:
        return self.is_admin or APPROVED in self.groups

    def require(self, action: Action) -> None:
        """Raise 403 for those whose groups do not allow an action, whatever it is about."""
        level = RULES[action].level
        if level == "admin" and not self.is_admin:
            raise Problem(403, "admin_required", "This is for admins.")
        if level == "approved" and not self.is_approved:
            raise Problem(403, "approval_required", "This is for approved members.")

    def may(self, action: Action, owner_id: str) -> bool:
        """Whether an action on what is somebody's is the caller's."""
        return owner_id == self.user_id or (RULES[action].is_admins_too and self.is_admin)

    def require_own(self, action: Action, owner_id: str) -> None:
        """Raise 403 or 404 for an action on what is somebody else's."""
        if not self.may(action, owner_id):
            rule = RULES[action]
            raise Problem(404) if rule.is_hidden else Problem(403, rule.code, rule.told)
