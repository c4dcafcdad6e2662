"""Who may do what, as a table.

A role comes with the token. A standing follows from the athlete whose journal is asked for: it is
her own, she has linked the caller as a coach, or neither. What depends on a standing is here; what
depends on a role alone is asked for where a request comes in. Nothing is read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

from tablewright.systems.roll_model.design import Role
from tablewright.web.http.problems import Problem

__all__ = ["RULES", "Action", "Caller", "Rule", "Standing", "require"]


@dataclass(frozen=True)
class Caller:
    """A person with at least one role."""

    user_id: str
    roles: frozenset[Role]

    @property
    def is_athlete(self) -> bool:
        return "athlete" in self.roles

    @property
    def is_coach(self) -> bool:
        return "coach" in self.roles

    def require(self, role: Role) -> None:
        """Raise 403 without a role."""
        if role not in self.roles:
            raise Problem(403, "role_required", f"This is for people with the role {role}.")


class Standing(Enum):
    """What a caller is to an athlete."""

    OWNER = "owner"
    COACH = "coach"
    STRANGER = "stranger"


Action = Literal["read entry", "change entry", "add comment", "edit comment", "show comment"]


@dataclass(frozen=True)
class Rule:
    """Whose an action is. To strangers there is nothing: 404, whatever they want to do."""

    owner: bool
    coach: bool
    told: str = ""

    def allows(self, standing: Standing) -> bool:
        return self.owner if standing is Standing.OWNER else self.coach


RULES: Final[Mapping[Action, Rule]] = {
    "read entry": Rule(owner=True, coach=True),
    "change entry": Rule(owner=True, coach=False, told="Only the athlete may change an entry."),
    "add comment": Rule(owner=False, coach=True, told="This entry is your own."),
    "edit comment": Rule(owner=False, coach=True, told="Only its author may change a comment."),
    "show comment": Rule(
        owner=True, coach=False, told="Only the athlete decides whether a comment shows."
    ),
}


def require(action: Action, standing: Standing) -> None:
    """Raise 404 for strangers, 403 for those whose action it is not."""
    if standing is Standing.STRANGER:
        raise Problem(404)
    rule = RULES[action]
    if not rule.allows(standing):
        raise Problem(403, detail=rule.told)
